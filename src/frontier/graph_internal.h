// The buffers of a graph.
#pragma once

#include <mutex>

#include "vyre/base/process/fork_watch.h"
#include "vyre/engine/session.h"

namespace vyre {

// The sources of the edges that lead to vertex v are sources[offsets[v]] and so on.
struct IncomingEdges {
  Buffer offsets, sources;
  Buffer edges;  // their indices in the graph's `columns`; empty if no program needs them
};

class GraphMemory {
 public:
  explicit GraphMemory(Session opened) : session(std::move(opened)) {}

  // What a program needs of its incoming edges.
  struct Need {
    bool edges = false;    // their indices
    bool ordered = false;  // those of a vertex are in the order of the graph's edges
  };
  // Makes the incoming edges on the device, unless that was done.
  Result<IncomingEdges> transpose(const Need& need, const RunLimits& limits);
  std::uint64_t transpose_bytes() const;  // 0: it was not made

  const Session session;
  std::uint32_t vertices = 0, edges = 0;
  std::uint32_t largest_degree = 0;
  Buffer offsets, columns, weights;

 private:
  IncomingEdges incoming_;
  bool ordered_ = false;
  mutable ForkSafeMutex mutex_{HeldFor::work};  // guards incoming_
};

}  // namespace vyre
