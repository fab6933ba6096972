// Graphs in files: .npy files of offsets and columns, the serialised graphs of the GAP benchmark
// suite (.sg, .wsg), and Matrix Market (.mtx).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/data/graph/graph.h"

namespace vyre {

// Larger files are refused; from a pipe or a device kDefaultReadLimit (files.h).
inline constexpr std::uint64_t kMaxGraphFileBytes = std::uint64_t{16} << 30;

enum class WeightUse : std::uint8_t {
  read,    // where the file has weights, they are read; whole numbers of 32 bits
  ignore,  // they are left out, whatever they are
};

// "offsets.npy,columns.npy" or "offsets.npy,columns.npy,weights.npy"; a file whose name ends in
// .sg, .wsg or .mtx. The graph is checked. Errors begin with the file's name.
Result<GraphData> read_graph(std::string_view text, WeightUse weights,
                             std::uint64_t max_bytes = kMaxGraphFileBytes);

// The contents of three .npy files with one axis each, of whole numbers of 32 or 64 bits.
// `weights` may be empty.
struct NpyGraphFiles {
  std::string_view offsets, columns, weights;
  GraphNames names;
};
Result<GraphData> parse_npy_graph(const NpyGraphFiles& files);

// A byte that is 1 for a directed graph, the number of stored edges, that of vertices, and the
// offsets, 64 bits each; then the columns, 32 bits each, which in a weighted graph (.wsg) each have
// their weight behind them. A directed graph's transpose follows and is not read.
Result<GraphData> parse_sg(std::string_view file, std::string_view name, bool weighted,
                           WeightUse weights);
// The same, written: as an undirected graph where it is symmetric, else with its transpose.
std::string sg_file(const GraphData& graph);

// A square matrix in coordinate form; the entry in row i and column j is an edge from i to j. The
// fields pattern, integer and real, the latter two with weights that are whole; with
// WeightUse::ignore complex as well. A symmetric matrix gives each edge in both directions.
Result<GraphData> parse_mtx(std::string_view file, std::string_view name, WeightUse weights);

}  // namespace vyre
