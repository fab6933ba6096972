#include "vyre/data/graph/graph.h"

#include <algorithm>
#include <chrono>
#include <span>

#include "vyre/frontier/frontier.h"
#include "vyre/frontier/graph_internal.h"
#include "vyre/frontier/workers_internal.h"

namespace vyre {
namespace {

// A buffer of words; a kernel's arrays have at least one element.
Result<Buffer> words_buffer(const Session& session, std::uint64_t words) {
  return session.buffer(std::max<std::uint64_t>(words, 1) * 4);
}

Result<Buffer> filled(const Session& session, std::span<const std::uint32_t> words) {
  VYRE_TRY(Buffer buffer, words_buffer(session, words.size()));
  VYRE_CHECK(session.write(buffer, 0, std::as_bytes(words)));
  return buffer;
}

}  // namespace

Result<Graph> Graph::from_csr(const Session& session, std::span<const std::uint32_t> offsets,
                              std::span<const std::uint32_t> columns,
                              std::span<const std::uint32_t> weights) {
  VYRE_CHECK(check_graph(offsets, columns, weights));
  auto memory = std::make_shared<GraphMemory>(session);
  memory->vertices = static_cast<std::uint32_t>(offsets.size() - 1);
  memory->edges = static_cast<std::uint32_t>(columns.size());
  for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
    memory->largest_degree = std::max(memory->largest_degree, offsets[v + 1] - offsets[v]);
  }
  VYRE_TRY(memory->offsets, filled(session, offsets));
  VYRE_TRY(memory->columns, filled(session, columns));
  if (!weights.empty() || columns.empty()) {
    VYRE_TRY(memory->weights, filled(session, weights));
  }
  return Graph(std::move(memory));
}

std::uint64_t GraphMemory::transpose_bytes() const {
  const std::scoped_lock lock(mutex_);
  return incoming_.offsets.size() + incoming_.sources.size() + incoming_.edges.size();
}

Result<IncomingEdges> GraphMemory::transpose(const Need& need, const RunLimits& limits) {
  const std::scoped_lock lock(mutex_);
  if (incoming_.offsets.size() != 0 && (!need.edges || incoming_.edges.size() != 0) &&
      (!need.ordered || ordered_)) {
    return incoming_;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto left = [&] { return limits.counted_from(begin); };
  VYRE_TRY(FrontierWorkers workers, FrontierWorkers::make(session, transpose_code(), 0));
  // A single worker keeps the order of the edges. Workgroups fill in any order, so the edges must
  // be sorted.
  const bool sorts = workers.in_groups() && need.ordered;
  const std::uint32_t blocks = vertices / kBlockVertices + 1;
  VYRE_TRY(Buffer counts, words_buffer(session, vertices));
  VYRE_TRY(Buffer sums, words_buffer(session, blocks));
  VYRE_TRY(Buffer starts, words_buffer(session, std::uint64_t{vertices} + 1));
  VYRE_TRY(Buffer sources, words_buffer(session, edges));
  VYRE_TRY(Buffer origins, words_buffer(session, need.edges || sorts ? edges : 1));
  const auto bind = [&](EngineBuffer which, const Buffer& buffer) {
    workers.bindings.push_back(
        {.group = 0, .binding = static_cast<std::uint32_t>(which), .buffer = buffer});
  };
  bind(EngineBuffer::offsets, offsets);
  bind(EngineBuffer::columns, columns);
  bind(EngineBuffer::counts, counts);
  bind(EngineBuffer::blocks, sums);
  bind(EngineBuffer::starts, starts);
  bind(EngineBuffer::sources, sources);
  bind(EngineBuffer::origins, origins);
  workers.words[control::vertices] = vertices;
  const std::uint32_t all = workers.most_workers();
  const FrontierWork over_vertices{vertices, 256, all}, over_blocks{blocks, 1, all};
  const FrontierWork over_edges{edges, 256, all};
  VYRE_CHECK(workers.launch(FrontierKernel::count_incoming,
                            workers.in_groups() ? over_edges : over_vertices, left()));
  VYRE_CHECK(workers.launch(FrontierKernel::sum_blocks, over_blocks, left()));
  VYRE_CHECK(workers.launch(FrontierKernel::place_blocks, over_blocks, left()));
  const std::uint32_t end[1] = {edges};
  VYRE_CHECK(session.write(starts, std::uint64_t{vertices} * 4, std::as_bytes(std::span(end))));
  const std::uint32_t fillers = workers.in_groups() ? all : 1;
  VYRE_CHECK(workers.launch(FrontierKernel::fill_incoming, {vertices, 256, fillers}, left()));
  if (sorts) VYRE_CHECK(workers.launch(FrontierKernel::sort_incoming, over_vertices, left()));
  VYRE_CHECK(session.wait());
  ordered_ = sorts || !workers.in_groups();
  incoming_ = {starts, sources, need.edges ? origins : Buffer()};
  return incoming_;
}

std::uint32_t Graph::vertices() const { return memory_->vertices; }
std::uint32_t Graph::edges() const { return memory_->edges; }
bool Graph::weighted() const { return memory_->weights.size() != 0; }
std::uint32_t Graph::largest_degree() const { return memory_->largest_degree; }
std::uint64_t Graph::bytes() const {
  const GraphMemory& m = *memory_;
  return m.offsets.size() + m.columns.size() + m.weights.size() + m.transpose_bytes();
}
Buffer Graph::offsets() const { return memory_->offsets; }
Buffer Graph::columns() const { return memory_->columns; }
Buffer Graph::weights() const { return memory_->weights; }

}  // namespace vyre
