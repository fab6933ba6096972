// The graph of WGSL's uniformity analysis for one function. A node stands for a value or a point in
// control flow; an edge from X to Y means that X is uniform only if Y is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

enum class NodeId : std::uint32_t {};
constexpr NodeId kNoNode{0xFFFFFFFFU};

class UniformityGraph {
 public:
  UniformityGraph();

  // The node that is not uniform.
  NodeId varies() const { return NodeId{0}; }

  NodeId node();
  // A node where control flow diverges, for notes; `what` names the statement.
  NodeId branch(SourcePos pos, std::string what);
  // A node whose edge to varies() needs an explanation; `why` is a whole sentence.
  NodeId source(SourcePos pos, std::string why);
  void edge(NodeId from, NodeId to);

  // One flag per node: there is a path from it to `target`.
  std::vector<bool> nodes_that_reach(NodeId target) const;
  // One flag per node: there is a path to it from one of `roots`.
  std::vector<bool> nodes_reached_from(const std::vector<NodeId>& roots) const;

  // The explanation of a path from `from` to varies(): its last branch, and the reason at its end.
  // Empty texts if there is none.
  struct Explanation {
    std::string branch, reason;
    SourcePos branch_pos, reason_pos;
  };
  Explanation explain(NodeId from) const;

 private:
  struct Edge {
    NodeId to;
    std::uint32_t next;  // index of edges_, or kEnd
  };
  struct Label {
    enum class Kind : std::uint8_t { none, branch, source } kind = Kind::none;
    SourcePos pos;
    std::string text;
  };
  static constexpr std::uint32_t kEnd = 0xFFFFFFFFU;

  std::vector<std::uint32_t> first_edge_;  // per node
  std::vector<std::uint32_t> label_of_;    // per node: index of labels_, or kEnd
  std::vector<Edge> edges_;
  std::vector<Label> labels_;
};

}  // namespace vyre
