#include "vyre/ir/validate/uniformity_graph.h"

#include <deque>
#include <utility>

namespace vyre {

namespace {
std::size_t index_of(NodeId id) { return static_cast<std::size_t>(id); }
}  // namespace

UniformityGraph::UniformityGraph() { node(); }

NodeId UniformityGraph::node() {
  first_edge_.push_back(kEnd);
  label_of_.push_back(kEnd);
  return static_cast<NodeId>(first_edge_.size() - 1);
}

NodeId UniformityGraph::branch(SourcePos pos, std::string what) {
  const NodeId id = node();
  label_of_[index_of(id)] = static_cast<std::uint32_t>(labels_.size());
  labels_.push_back({Label::Kind::branch, pos, std::move(what)});
  return id;
}

NodeId UniformityGraph::source(SourcePos pos, std::string why) {
  const NodeId id = node();
  label_of_[index_of(id)] = static_cast<std::uint32_t>(labels_.size());
  labels_.push_back({Label::Kind::source, pos, std::move(why)});
  edge(id, varies());
  return id;
}

void UniformityGraph::edge(NodeId from, NodeId to) {
  // A value whose definition is never reached has no node and no relevant use.
  if (from == to || to == kNoNode) return;
  edges_.push_back({to, first_edge_[index_of(from)]});
  first_edge_[index_of(from)] = static_cast<std::uint32_t>(edges_.size() - 1);
}

std::vector<bool> UniformityGraph::nodes_that_reach(NodeId target) const {
  // The graph with reversed edges.
  UniformityGraph turned;
  turned.first_edge_.assign(first_edge_.size(), kEnd);
  for (std::size_t from = 0; from < first_edge_.size(); ++from) {
    for (std::uint32_t e = first_edge_[from]; e != kEnd; e = edges_[e].next) {
      turned.edge(edges_[e].to, static_cast<NodeId>(from));
    }
  }
  return turned.nodes_reached_from({target});
}

std::vector<bool> UniformityGraph::nodes_reached_from(const std::vector<NodeId>& roots) const {
  std::vector<bool> reached(first_edge_.size(), false);
  std::vector<NodeId> pending;
  const auto visit = [&](NodeId id) {
    if (reached[index_of(id)]) return;
    reached[index_of(id)] = true;
    pending.push_back(id);
  };
  for (const NodeId root : roots) visit(root);
  while (!pending.empty()) {
    const NodeId id = pending.back();
    pending.pop_back();
    for (std::uint32_t e = first_edge_[index_of(id)]; e != kEnd; e = edges_[e].next) {
      visit(edges_[e].to);
    }
  }
  return reached;
}

UniformityGraph::Explanation UniformityGraph::explain(NodeId from) const {
  // Breadth-first, because the shortest path is the easiest to explain.
  std::vector<NodeId> came_from(first_edge_.size(), kNoNode);
  std::deque<NodeId> pending{from};
  came_from[index_of(from)] = from;
  while (!pending.empty() && came_from[index_of(varies())] == kNoNode) {
    const NodeId id = pending.front();
    pending.pop_front();
    for (std::uint32_t e = first_edge_[index_of(id)]; e != kEnd; e = edges_[e].next) {
      const NodeId to = edges_[e].to;
      if (came_from[index_of(to)] != kNoNode) continue;
      came_from[index_of(to)] = id;
      pending.push_back(to);
    }
  }
  Explanation out;
  if (came_from[index_of(varies())] == kNoNode) return out;
  for (NodeId id = varies(); id != from;) {
    id = came_from[index_of(id)];
    const std::uint32_t at = label_of_[index_of(id)];
    if (at == kEnd) continue;
    const Label& label = labels_[at];
    if (label.kind == Label::Kind::source && out.reason.empty()) {
      out.reason = label.text;
      out.reason_pos = label.pos;
    } else if (label.kind == Label::Kind::branch && out.branch.empty()) {
      out.branch = label.text;
      out.branch_pos = label.pos;
    }
  }
  return out;
}

}  // namespace vyre
