// Directed graphs on the host, as compressed sparse rows (CSR). An undirected graph stores each of
// its edges in both directions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "vyre/base/error.h"

namespace vyre {

// Vertices and edges are numbered in 32 bits, and 0xffffffff is left free to mean "none".
inline constexpr std::uint64_t kMaxGraphVertices = 0xfffffffe;
inline constexpr std::uint64_t kMaxGraphEdges = 0xfffffffe;

struct GraphData {
  // One more than there are vertices: the edges of vertex v are offsets[v] to offsets[v + 1] - 1.
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> columns;  // the target of each edge
  std::vector<std::uint32_t> weights;  // of each edge; empty: the graph has no weights

  std::uint32_t vertices() const { return static_cast<std::uint32_t>(offsets.size() - 1); }
  std::uint32_t edges() const { return static_cast<std::uint32_t>(columns.size()); }
  std::uint32_t degree(std::uint32_t vertex) const { return offsets[vertex + 1] - offsets[vertex]; }
  // The targets of the vertex's edges.
  std::span<const std::uint32_t> targets(std::uint32_t vertex) const {
    return std::span(columns).subspan(offsets[vertex], degree(vertex));
  }

  bool operator==(const GraphData&) const = default;
};

// Where the parts of a graph come from, for errors: the names of files, or "offsets", "columns" and
// "weights".
struct GraphNames {
  std::string_view offsets = "offsets", columns = "columns", weights = "weights";
};

// Offsets begin with 0, never descend and end at the number of columns; every column is a vertex;
// there are no weights or one for each edge; the counts are within the limits. The error names the
// first entry that is wrong. Nothing else in vyre checks a graph again.
Result<void> check_graph(std::span<const std::uint32_t> offsets,
                         std::span<const std::uint32_t> columns,
                         std::span<const std::uint32_t> weights, const GraphNames& names = {});
inline Result<void> check_graph(const GraphData& graph, const GraphNames& names = {}) {
  return check_graph(graph.offsets, graph.columns, graph.weights, names);
}

// A graph from edges in any order. The edges of a vertex keep the order in which they are given.
// `weights` is empty or has one weight for each edge. The vertices of all edges are below
// `vertices`, and there are at most kMaxGraphEdges of them.
using GraphEdge = std::pair<std::uint32_t, std::uint32_t>;  // source, target
GraphData graph_from_edges(std::uint32_t vertices, std::span<const GraphEdge> edges,
                           std::span<const std::uint32_t> weights = {});

// Every edge reversed; the sources of each vertex's edges ascend. `original`, where it is not null,
// becomes for each edge of the result the index of the edge that it was.
GraphData transpose(const GraphData& graph, std::vector<std::uint32_t>* original = nullptr);

// Sorts the targets of each vertex, and removes self loops and repeated edges. Of repeated edges
// the one with the least weight stays.
GraphData simplify(const GraphData& graph);

// Whether each edge has its reverse, the same number of times, whatever their weights.
bool is_symmetric(const GraphData& graph);

// The graph with the reverse of each edge, simplified: undirected. Fails if it has more edges than
// a graph can have.
Result<GraphData> with_reverse_edges(const GraphData& graph);

// Weights from 1 to 255 that are a function of `seed` and of the edge's two vertices, in either
// order: an edge and its reverse weigh the same.
void add_weights(GraphData& graph, std::uint64_t seed = 1);

// What the choice of a topology and a class of tuning depend on.
struct GraphShape {
  std::uint32_t vertices = 0, edges = 0;
  std::uint32_t largest_degree = 0;
  std::uint32_t isolated = 0;  // vertices without an outgoing edge
  double mean_degree = 0;
};
GraphShape shape_of(const GraphData& graph);

}  // namespace vyre
