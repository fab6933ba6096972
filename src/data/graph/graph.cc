#include "vyre/data/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "vyre/data/number_text.h"

namespace vyre {
namespace {

Result<void> check_counts(std::size_t offsets, std::size_t columns, std::size_t weights,
                          const GraphNames& names) {
  if (offsets == 0) {
    return fail(Code::invalid_input, fmt::format("{}: is empty; a graph of n vertices has n + 1 "
                                                 "offsets",
                                                 names.offsets));
  }
  if (offsets - 1 > kMaxGraphVertices) {
    return fail(Code::limit, fmt::format("{}: has {} vertices; a graph has up to {}", names.offsets,
                                         with_commas(offsets - 1), with_commas(kMaxGraphVertices)));
  }
  if (columns > kMaxGraphEdges) {
    return fail(Code::limit, fmt::format("{}: has {} edges; a graph has up to {}", names.columns,
                                         with_commas(columns), with_commas(kMaxGraphEdges)));
  }
  if (weights != 0 && weights != columns) {
    return fail(Code::invalid_input,
                fmt::format("{}: has {} for {}", names.weights, counted(weights, "weight"),
                            counted(columns, "edge")));
  }
  return {};
}

// SplitMix64's output function.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

// Turns the number of edges of each vertex, which stands one place behind it, into offsets.
void sum_up(std::vector<std::uint32_t>& offsets) {
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
}

}  // namespace

Result<void> check_graph(std::span<const std::uint32_t> offsets,
                         std::span<const std::uint32_t> columns,
                         std::span<const std::uint32_t> weights, const GraphNames& names) {
  VYRE_CHECK(check_counts(offsets.size(), columns.size(), weights.size(), names));
  if (offsets.front() != 0) {
    return fail(Code::invalid_input,
                fmt::format("{}: begins with {} instead of 0", names.offsets, offsets.front()));
  }
  const auto descent = std::ranges::is_sorted_until(offsets);
  if (descent != offsets.end()) {
    const auto at = static_cast<std::size_t>(descent - offsets.begin());
    return fail(Code::invalid_input, fmt::format("{}: entry {} is {}, below the {} before it",
                                                 names.offsets, at, offsets[at], offsets[at - 1]));
  }
  if (offsets.back() != columns.size()) {
    return fail(Code::invalid_input, fmt::format("{}: ends with {}, but {} has {}", names.offsets,
                                                 with_commas(offsets.back()), names.columns,
                                                 counted(columns.size(), "edge")));
  }
  const auto vertices = static_cast<std::uint32_t>(offsets.size() - 1);
  const auto outside =
      std::ranges::find_if(columns, [&](std::uint32_t target) { return target >= vertices; });
  if (outside != columns.end()) {
    return fail(Code::invalid_input,
                fmt::format("{}: entry {} is {}, but the last vertex is {}", names.columns,
                            outside - columns.begin(), *outside, vertices - 1));
  }
  return {};
}

GraphData graph_from_edges(std::uint32_t vertices, std::span<const GraphEdge> edges,
                           std::span<const std::uint32_t> weights) {
  GraphData graph;
  graph.offsets.assign(std::size_t{vertices} + 1, 0);
  graph.columns.resize(edges.size());
  graph.weights.resize(weights.size());
  for (const auto& [source, target] : edges) ++graph.offsets[source + 1];
  sum_up(graph.offsets);
  std::vector<std::uint32_t> next(graph.offsets.begin(), graph.offsets.end() - 1);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::uint32_t at = next[edges[i].first]++;
    graph.columns[at] = edges[i].second;
    if (!weights.empty()) graph.weights[at] = weights[i];
  }
  return graph;
}

GraphData transpose(const GraphData& graph, std::vector<std::uint32_t>* original) {
  GraphData out;
  out.offsets.assign(graph.offsets.size(), 0);
  out.columns.resize(graph.columns.size());
  out.weights.resize(graph.weights.size());
  if (original != nullptr) original->resize(graph.columns.size());
  for (const std::uint32_t target : graph.columns) ++out.offsets[target + 1];
  sum_up(out.offsets);
  std::vector<std::uint32_t> next(out.offsets.begin(), out.offsets.end() - 1);
  for (std::uint32_t source = 0; source < graph.vertices(); ++source) {
    for (std::uint32_t edge = graph.offsets[source]; edge < graph.offsets[source + 1]; ++edge) {
      const std::uint32_t at = next[graph.columns[edge]]++;
      out.columns[at] = source;
      if (!graph.weights.empty()) out.weights[at] = graph.weights[edge];
      if (original != nullptr) (*original)[at] = edge;
    }
  }
  return out;
}

GraphData simplify(const GraphData& graph) {
  GraphData out;
  out.offsets.assign(graph.offsets.size(), 0);
  const bool weighted = !graph.weights.empty();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> row;  // target, weight
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    row.clear();
    for (std::uint32_t edge = graph.offsets[vertex]; edge < graph.offsets[vertex + 1]; ++edge) {
      if (graph.columns[edge] == vertex) continue;
      row.emplace_back(graph.columns[edge], weighted ? graph.weights[edge] : 0);
    }
    if (!std::ranges::is_sorted(row)) std::ranges::sort(row);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0 && row[i].first == row[i - 1].first) continue;
      out.columns.push_back(row[i].first);
      if (weighted) out.weights.push_back(row[i].second);
    }
    out.offsets[vertex + 1] = static_cast<std::uint32_t>(out.columns.size());
  }
  return out;
}

bool is_symmetric(const GraphData& graph) {
  // The sources of each vertex ascend in a transpose, and the targets in a transpose of that.
  const GraphData reversed = transpose(graph);
  if (reversed.offsets != graph.offsets) return false;
  return reversed.columns == transpose(reversed).columns;
}

Result<GraphData> with_reverse_edges(const GraphData& graph) {
  if (graph.columns.size() > kMaxGraphEdges / 2) {
    return fail(Code::limit,
                fmt::format("the graph has {}, and with their reverses more than the {} that a "
                            "graph can have",
                            counted(graph.edges(), "edge"), with_commas(kMaxGraphEdges)));
  }
  const GraphData reversed = transpose(graph);
  GraphData both;
  both.offsets.assign(graph.offsets.size(), 0);
  both.columns.reserve(2 * graph.columns.size());
  both.weights.reserve(2 * graph.weights.size());
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    for (const GraphData* part : {&graph, &reversed}) {
      const auto begin = part->offsets[vertex], end = part->offsets[vertex + 1];
      both.columns.insert(both.columns.end(), part->columns.begin() + begin,
                          part->columns.begin() + end);
      if (part->weights.empty()) continue;
      both.weights.insert(both.weights.end(), part->weights.begin() + begin,
                          part->weights.begin() + end);
    }
    both.offsets[vertex + 1] = both.edges();
  }
  return simplify(both);
}

void add_weights(GraphData& graph, std::uint64_t seed) {
  graph.weights.resize(graph.columns.size());
  for (std::uint32_t source = 0; source < graph.vertices(); ++source) {
    for (std::uint32_t edge = graph.offsets[source]; edge < graph.offsets[source + 1]; ++edge) {
      const auto [low, high] = std::minmax(source, graph.columns[edge]);
      const std::uint64_t both = std::uint64_t{low} << 32 | high;
      graph.weights[edge] = static_cast<std::uint32_t>(mixed(both + mixed(seed)) % 255 + 1);
    }
  }
}

GraphShape shape_of(const GraphData& graph) {
  GraphShape shape{.vertices = graph.vertices(), .edges = graph.edges()};
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    const std::uint32_t degree = graph.degree(vertex);
    shape.largest_degree = std::max(shape.largest_degree, degree);
    shape.isolated += degree == 0 ? 1 : 0;
  }
  if (shape.vertices != 0) shape.mean_degree = static_cast<double>(shape.edges) / shape.vertices;
  return shape;
}

}  // namespace vyre
