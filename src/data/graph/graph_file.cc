#include "vyre/data/graph/graph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "vyre/base/files/files.h"
#include "vyre/data/graph/graph_internal.h"
#include "vyre/data/number_text.h"

namespace vyre {
namespace {

// Reads a file after looking whether it and the graph in it fit into memory. One without a size (a
// device, a pipe) might never end.
Result<std::string> read_graph_file(const std::string& path, std::uint64_t max_bytes) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    max_bytes = std::min(max_bytes, kDefaultReadLimit);
  }
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  if (!ignored && size <= max_bytes) VYRE_CHECK(check_memory(2 * size, path));
  auto file = read_file(path, max_bytes);
  // Whatever is wrong with a file that was named as input, the input is wrong.
  if (!file && file.error().code == Code::io) file.error().code = Code::invalid_input;
  return file;
}

Result<GraphData> read_npy_graph(std::string_view text, WeightUse weights,
                                 std::uint64_t max_bytes) {
  const auto names = split(text, ',');
  if (names.size() != 2 && names.size() != 3) {
    return fail(Code::invalid_input,
                fmt::format("{} names {} .npy files", quote(text), names.size()),
                "write offsets.npy,columns.npy or offsets.npy,columns.npy,weights.npy");
  }
  std::vector<std::string> files;
  const std::size_t wanted = weights == WeightUse::read ? names.size() : 2;
  for (std::size_t i = 0; i < wanted; ++i) {
    VYRE_TRY(files.emplace_back(), read_graph_file(std::string(names[i]), max_bytes));
  }
  NpyGraphFiles all{files[0], files[1], {}, {names[0], names[1], {}}};
  if (wanted == 3) {
    all.weights = files[2];
    all.names.weights = names[2];
  }
  return parse_npy_graph(all);
}

}  // namespace

Result<GraphData> read_graph(std::string_view text, WeightUse weights, std::uint64_t max_bytes) {
  const std::string name(text);
  const bool weighted = text.ends_with(".wsg");
  if (weighted || text.ends_with(".sg")) {
    VYRE_TRY(const std::string file, read_graph_file(name, max_bytes));
    return parse_sg(file, text, weighted, weights);
  }
  if (text.ends_with(".mtx")) {
    VYRE_TRY(const std::string file, read_graph_file(name, max_bytes));
    return parse_mtx(file, text, weights);
  }
  if (text.ends_with(".npy")) return read_npy_graph(text, weights, max_bytes);
  return fail(Code::invalid_input, fmt::format("{} is not a graph", quote(text)),
              "give offsets.npy,columns.npy[,weights.npy], a .sg, .wsg or .mtx file, or path:N, "
              "grid:WxH, kron:S or uniform:S");
}

}  // namespace vyre
