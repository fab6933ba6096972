// The buffers of a graph.
#pragma once

#include <mutex>

#include "vyre/base/fork_watch.h"
#include "vyre/engine/session.h"

namespace vyre {

class GraphMemory {
 public:
  explicit GraphMemory(Session opened) : session(std::move(opened)) {}

  // Makes the incoming edges on the device, unless that was done; `with_edges`: with the indices
  // that they have in `columns`.
  Result<void> transpose(bool with_edges, const RunLimits& limits);
  bool transposed(bool with_edges) const;

  const Session session;
  std::uint32_t vertices = 0, edges = 0;
  std::uint32_t largest_degree = 0;
  Buffer offsets, columns, weights;
  // The sources of the edges that lead to vertex v are in_columns[in_offsets[v]] and so on. On the
  // CPU they are in the order of the sources' edges.
  Buffer in_offsets, in_columns, in_edges;
  mutable ForkSafeMutex mutex;  // guards the transpose
};

}  // namespace vyre
