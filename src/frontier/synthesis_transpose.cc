// Kernels that make the incoming edges of every vertex from the outgoing ones.
#include "vyre/frontier/synthesis_internal.h"
#include "vyre/ir/builder/builder_math.h"

namespace vyre {
namespace {

// The body for each vertex of a block, whose first vertex is `begin`.
void for_block(KernelWriter& w, const Value& begin, const std::function<void(Value)>& body) {
  const Value count = min(w.input(control::vertices) - begin, kBlockVertices);
  w.b.for_("vertex", begin, begin + count, body);
}

}  // namespace

void write_count_incoming(KernelWriter& w) {
  w.begin_worker();
  const Ref columns = w.buffer(EngineBuffer::columns);
  const Ref offsets = w.buffer(EngineBuffer::offsets);
  const Ref counts = w.buffer(EngineBuffer::counts);
  w.for_work([&](const Value& source) {
    w.b.for_("edge", offsets[source], offsets[source + 1U],
             [&](const Value& edge) { counts[columns[edge]].atomic_add(1U); });
  });
}

void write_sum_blocks(KernelWriter& w) {
  w.begin_worker();
  const Ref counts = w.buffer(EngineBuffer::counts);
  const Ref blocks = w.buffer(EngineBuffer::blocks);
  w.for_work([&](const Value& block) {
    const Ref sum = w.b.var("sum", w.b.u32);
    for_block(w, block * kBlockVertices,
              [&](const Value& vertex) { sum += counts[vertex].atomic_load(); });
    blocks[block] = sum;
  });
}

// Each count becomes the place of the vertex's first incoming edge, twice. A worker adds up the
// blocks before its own, of which there are few.
void write_place_blocks(KernelWriter& w) {
  w.begin_worker();
  const Ref counts = w.buffer(EngineBuffer::counts);
  const Ref blocks = w.buffer(EngineBuffer::blocks);
  const Ref starts = w.buffer(EngineBuffer::starts);
  w.for_work([&](const Value& block) {
    const Ref sum = w.b.var("sum", w.b.u32);
    w.b.for_("before", 0U, block, [&](const Value& before) { sum += blocks[before]; });
    for_block(w, block * kBlockVertices, [&](const Value& vertex) {
      const Value count = counts[vertex].atomic_load();
      counts[vertex].atomic_store(sum);
      starts[vertex] = sum;
      sum += count;
    });
  });
}

void write_fill_incoming(KernelWriter& w) {
  w.begin_worker();
  const Ref columns = w.buffer(EngineBuffer::columns);
  const Ref offsets = w.buffer(EngineBuffer::offsets);
  const Ref counts = w.buffer(EngineBuffer::counts);
  const Ref sources = w.buffer(EngineBuffer::sources);
  const Ref origins = w.buffer(EngineBuffer::origins);
  w.for_work([&](const Value& source) {
    w.b.for_("edge", offsets[source], offsets[source + 1U], [&](const Value& edge) {
      const Value place = w.b.let("place", counts[columns[edge]].atomic_add(1U));
      sources[place] = source;
      origins[place] = edge;
    });
  });
}

}  // namespace vyre
