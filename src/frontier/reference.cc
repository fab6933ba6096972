#include "vyre/frontier/reference.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace vyre {
namespace {

// The representative of a set in a forest of parents; halves the paths that it walks.
std::uint32_t root_of(std::vector<std::uint32_t>& parent, std::uint32_t vertex) {
  while (parent[vertex] != vertex) {
    parent[vertex] = parent[parent[vertex]];
    vertex = parent[vertex];
  }
  return vertex;
}

}  // namespace

std::vector<std::uint32_t> reference_depths(const GraphData& graph,
                                            std::span<const std::uint32_t> first) {
  std::vector<std::uint32_t> depth(graph.vertices(), kUnreachedDepth);
  std::vector<std::uint32_t> queue;
  for (const std::uint32_t vertex : first) {
    if (std::exchange(depth[vertex], 0) != 0) queue.push_back(vertex);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t source = queue[i];
    for (const std::uint32_t target : graph.targets(source)) {
      if (depth[target] != kUnreachedDepth) continue;
      depth[target] = depth[source] + 1;
      queue.push_back(target);
    }
  }
  return depth;
}

std::vector<std::uint64_t> reference_distances(const GraphData& graph,
                                               std::span<const std::uint32_t> first) {
  using Waiting = std::pair<std::uint64_t, std::uint32_t>;  // distance, vertex
  std::vector<std::uint64_t> distance(graph.vertices(), kUnreachedDistance);
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> queue;
  for (const std::uint32_t vertex : first) {
    distance[vertex] = 0;
    queue.emplace(0, vertex);
  }
  while (!queue.empty()) {
    const auto [length, source] = queue.top();
    queue.pop();
    if (length != distance[source]) continue;  // a shorter way was found since
    for (std::uint32_t edge = graph.offsets[source]; edge < graph.offsets[source + 1]; ++edge) {
      const std::uint64_t through = length + (graph.weights.empty() ? 1 : graph.weights[edge]);
      const std::uint32_t target = graph.columns[edge];
      if (through >= distance[target]) continue;
      distance[target] = through;
      queue.emplace(through, target);
    }
  }
  return distance;
}

std::vector<std::uint32_t> reference_components(const GraphData& graph) {
  std::vector<std::uint32_t> parent(graph.vertices());
  std::iota(parent.begin(), parent.end(), 0U);
  for (std::uint32_t source = 0; source < graph.vertices(); ++source) {
    for (const std::uint32_t target : graph.targets(source)) {
      const std::uint32_t a = root_of(parent, source), b = root_of(parent, target);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  // A parent has a smaller number than its children, so its root is final when they read it.
  for (std::uint32_t& each : parent) each = parent[each];
  return parent;
}

std::vector<double> reference_pagerank(const GraphData& graph, std::uint32_t rounds,
                                       double damping) {
  const auto count = static_cast<double>(graph.vertices());
  std::vector<double> score(graph.vertices(), 1 / count), sum(graph.vertices());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    std::ranges::fill(sum, 0);
    for (std::uint32_t source = 0; source < graph.vertices(); ++source) {
      for (const std::uint32_t target : graph.targets(source)) {
        sum[target] += score[source] / graph.degree(source);
      }
    }
    for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
      score[vertex] = (1 - damping) / count + damping * sum[vertex];
    }
  }
  return score;
}

std::vector<std::uint32_t> reference_core_numbers(const GraphData& graph) {
  // Vertices are removed in the order of the number of edges that they have left.
  std::vector<std::uint32_t> left(graph.vertices());
  std::vector<std::vector<std::uint32_t>> with(shape_of(graph).largest_degree + std::size_t{1});
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    left[vertex] = graph.degree(vertex);
    with[left[vertex]].push_back(vertex);
  }
  std::vector<bool> removed(graph.vertices());
  for (std::uint32_t core = 0; core < with.size(); ++core) {
    // A vertex that loses an edge goes to the end of another list, or of this one.
    for (std::size_t i = 0; i < with[core].size(); ++i) {
      const std::uint32_t vertex = with[core][i];
      if (removed[vertex] || left[vertex] != core) continue;
      removed[vertex] = true;
      for (const std::uint32_t target : graph.targets(vertex)) {
        if (removed[target] || left[target] == core) continue;
        with[--left[target]].push_back(target);
      }
    }
  }
  return left;
}

}  // namespace vyre
