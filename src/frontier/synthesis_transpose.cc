// Kernels that make the incoming edges of every vertex from the outgoing ones.
#include "vyre/frontier/synthesis_group_internal.h"
#include "vyre/frontier/synthesis_internal.h"
#include "vyre/ir/builder/builder_math.h"

namespace vyre {
namespace {

// Calls the body for each number below the input word `count`, each in one invocation.
void for_each(KernelWriter& w, const std::function<void(Value)>& body) {
  if (w.in_groups()) return GroupWriter(w).for_lanes(w.input(control::count), body);
  w.begin_worker();
  w.for_work(body);
}

// Calls the body for each vertex of a block, whose first vertex is `begin`.
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
  const Ref counts = w.buffer(EngineBuffer::counts);
  const Ref blocks = w.buffer(EngineBuffer::blocks);
  for_each(w, [&](const Value& block) {
    const Ref sum = w.b.var("sum", w.b.u32);
    for_block(w, block * kBlockVertices,
              [&](const Value& vertex) { sum += counts[vertex].atomic_load(); });
    blocks[block] = sum;
  });
}

// Turns each count into the place of the vertex's first incoming edge, which is stored twice. A
// worker adds up the sums of the blocks before its own, because there are few blocks.
void write_place_blocks(KernelWriter& w) {
  const Ref counts = w.buffer(EngineBuffer::counts);
  const Ref blocks = w.buffer(EngineBuffer::blocks);
  const Ref starts = w.buffer(EngineBuffer::starts);
  for_each(w, [&](const Value& block) {
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

// Sorts each list of incoming edges, which was filled in any order and ends where the next one
// begins. A heap sort by the edges' indices: the first half of its steps makes the heap, each of
// the others takes the largest edge out.
void write_sort_incoming(KernelWriter& w) {
  ProgramBuilder& b = w.b;
  const Ref counts = w.buffer(EngineBuffer::counts);
  const Ref starts = w.buffer(EngineBuffer::starts);
  const Ref sources = w.buffer(EngineBuffer::sources);
  const Ref origins = w.buffer(EngineBuffer::origins);
  const auto swap = [&](const Value& left, const Value& right) {
    for (const Ref& list : {sources, origins}) {
      const Value was = b.let("was", list[left]);
      list[left] = list[right].load();
      list[right] = was;
    }
  };
  for_each(w, [&](const Value& vertex) {
    const Value first = b.let("first", starts[vertex]);
    const Value edges = b.let("edges", counts[vertex].atomic_load() - first);
    const Value half = b.let("half", edges / 2U);
    b.for_("step", 0U, half + max(edges, 1U) - 1U, [&](const Value& step) {
      const Ref at = b.var("at", b.u32), end = b.var("end", edges);
      b.if_(
          step < half, [&] { at = half - 1U - step; },
          [&] {
            end = edges - 1U - (step - half);
            swap(first, first + end);
          });
      b.loop([&] {
        const Ref child = b.var("child", at * 2U + 1U);
        b.if_(child >= end, [&] { b.break_(); });
        const Value left = b.let("left", origins[first + child]);
        b.if_(child + 1U < end,
              [&] { b.if_(origins[first + child + 1U] > left, [&] { child += 1U; }); });
        b.if_(origins[first + at] >= origins[first + child], [&] { b.break_(); });
        swap(b.let("upper", first + at), b.let("lower", first + child));
        at = child;
      });
    });
  });
}

}  // namespace vyre
