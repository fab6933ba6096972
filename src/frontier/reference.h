// Serial graph algorithms, written so that their correctness is easy to see. The results of graph
// programs are compared with theirs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vyre/data/graph/graph.h"

namespace vyre {

inline constexpr std::uint32_t kUnreachedDepth = 0xffffffff;
inline constexpr std::uint64_t kUnreachedDistance = 0xffffffffffffffff;

// The least number of edges from any of the first vertices to each vertex.
std::vector<std::uint32_t> reference_depths(const GraphData& graph,
                                            std::span<const std::uint32_t> first);

// The least sum of weights from any of the first vertices to each vertex (Dijkstra's algorithm). In
// a graph without weights every edge weighs 1.
std::vector<std::uint64_t> reference_distances(const GraphData& graph,
                                               std::span<const std::uint32_t> first);

// The smallest vertex of the component of each vertex, where edges join in both directions (weakly
// connected components).
std::vector<std::uint32_t> reference_components(const GraphData& graph);

// The scores after that many rounds, in double precision. Every vertex begins with 1 / n; a round
// replaces all scores at once by (1 - damping) / n + damping * the sum, over incoming edges, of the
// source's score divided by the number of its outgoing edges. The score of a vertex without
// outgoing edges is lost.
inline constexpr double kPageRankDamping = 0.85;
std::vector<double> reference_pagerank(const GraphData& graph, std::uint32_t rounds,
                                       double damping = kPageRankDamping);

// The largest k for which the vertex is in a subgraph where every vertex has at least k edges. The
// graph is symmetric; each stored edge counts.
std::vector<std::uint32_t> reference_core_numbers(const GraphData& graph);

}  // namespace vyre
