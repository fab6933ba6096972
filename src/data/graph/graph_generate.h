// Graphs that are made here, from a line of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/data/graph/graph.h"

namespace vyre {

// All of these are undirected, without self loops or repeated edges, and the targets of each vertex
// ascend. The same recipe makes the same graph everywhere.
struct GraphRecipe {
  enum class Kind : std::uint8_t {
    path,     // path:N            vertex i is beside i - 1 and i + 1
    grid,     // grid:WxH          vertex y * W + x is beside those to its left, right, above, below
    kron,     // kron:S[:DEGREE]   2^S vertices, DEGREE * 2^S draws from a Kronecker distribution
    uniform,  // uniform:S[:DEGREE]   the same with both ends of each edge drawn evenly
  };
  Kind kind = Kind::path;
  std::uint32_t first = 1;   // N, W or S
  std::uint32_t second = 0;  // H or DEGREE
  bool operator==(const GraphRecipe&) const = default;
};

inline constexpr std::uint32_t kDefaultGraphDegree = 16;

// Fails for a text that is not a recipe, and for graphs beyond the limits of GraphData.
Result<GraphRecipe> parse_graph_recipe(std::string_view text);
// "kron:20:16"
std::string describe(const GraphRecipe& recipe);

// The bytes that make_graph takes at most while it works.
std::uint64_t bytes_to_make(const GraphRecipe& recipe);
// Code::out_of_memory if the process has less memory than that left.
Result<GraphData> make_graph(const GraphRecipe& recipe);

}  // namespace vyre
