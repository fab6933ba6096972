// Kernels that run over vertices: what begins a run, what follows the edges of a round, and the
// change from bits to a queue.
#include "vyre/frontier/synthesis_internal.h"

namespace vyre {

void write_init(KernelWriter& w) {
  w.begin_worker();
  w.for_work([&](const Value& vertex) { w.call(&FrontierFunctions::init, {vertex}); });
}

void write_start(KernelWriter& w) {
  w.begin_worker();
  w.begin_counting(KernelWriter::Keep::nothing);
  w.for_work([&](const Value& at) {
    const Value bits = w.buffer(EngineBuffer::bits)[w.input(control::out_bits) + at].atomic_load();
    w.for_bits(at, bits, [&](const Value& vertex) {
      if (w.has(&FrontierFunctions::start)) w.call(&FrontierFunctions::start, {vertex});
      w.count(vertex);
    });
  });
  w.end_counting();
}

void write_fill_queue(KernelWriter& w) {
  w.begin_worker();
  w.begin_counting(KernelWriter::Keep::unique, true);
  w.for_work([&](const Value& at) {
    const Value bits = w.buffer(EngineBuffer::bits)[w.input(control::in_bits) + at].atomic_load();
    w.for_bits(at, bits, [&](const Value& vertex) { w.keep(vertex); });
  });
  w.end_counting();
}

void write_after_queue(KernelWriter& w) {
  w.begin_worker();
  w.begin_counting(KernelWriter::Keep::unique, true);
  const Ref queue = w.buffer(EngineBuffer::queue);
  const Ref bits = w.buffer(EngineBuffer::bits);
  w.for_work([&](const Value& place) {
    const Value vertex = w.b.let("vertex", queue[w.input(control::in_queue) + place]);
    const Value keep = w.call(&FrontierFunctions::after, {vertex, w.input(control::round)});
    w.b.if_(
        keep,
        [&] {
          w.count(vertex);
          w.keep(vertex);
        },
        [&] {
          const Value bit = w.b.constant(w.b.u32, 1U) << (vertex & 31U);
          bits[w.input(control::out_bits) + (vertex >> 5U)].atomic_and(~bit);
        });
  });
  w.end_counting();
}

void write_after_bits(KernelWriter& w) {
  w.begin_worker();
  w.begin_counting(KernelWriter::Keep::nothing);
  const Ref bits = w.buffer(EngineBuffer::bits);
  w.for_work([&](const Value& at) {
    const Ref word = bits[w.input(control::out_bits) + at];
    const Value reached = w.b.let("was_reached", word.atomic_load());
    const Ref kept = w.b.var("kept_bits", reached);
    w.for_bits(at, reached, [&](const Value& vertex) {
      const Value keep = w.call(&FrontierFunctions::after, {vertex, w.input(control::round)});
      w.b.if_(
          keep, [&] { w.count(vertex); },
          [&] { kept = kept & ~(w.b.constant(w.b.u32, 1U) << (vertex & 31U)); });
    });
    word.atomic_store(kept);
  });
  w.end_counting();
}

}  // namespace vyre
