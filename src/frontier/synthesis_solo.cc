// Rounds of small frontiers, one after the other in one launch. A single worker does everything, so
// the engine itself needs only plain stores.
#include "vyre/frontier/synthesis_internal.h"
#include "vyre/ir/builder/builder_math.h"

namespace vyre {
namespace {

// What changes from round to round.
struct SoloState {
  Ref round, count, edges;  // of this frontier
  Ref in_queue, out_queue;  // where the halves begin
  Ref in_bits, out_bits;
  Ref next, next_edges;  // of the next frontier
};

void write_keep(KernelWriter& w, const SoloState& s, const Value& target, bool counted) {
  const Ref word = w.buffer(EngineBuffer::bits)[s.out_bits + (target >> 5U)];
  const Value bit = w.b.let("bit", w.b.constant(w.b.u32, 1U) << (target & 31U));
  const Value now = word.atomic_load();
  w.b.if_((now & bit) == 0U, [&] {
    word.atomic_store(now | bit);
    w.buffer(EngineBuffer::queue)[s.out_queue + s.next] = target;
    s.next += 1U;
    if (counted) s.next_edges += w.degree(target);
  });
}

void write_edges(KernelWriter& w, const SoloState& s, const Value& vertex, bool counted) {
  const Ref offsets = w.buffer(EngineBuffer::offsets);
  const Ref columns = w.buffer(EngineBuffer::columns);
  const Value round = s.round.load();
  w.b.for_("edge", offsets[vertex], offsets[vertex + 1U], [&](const Value& edge) {
    const Value target = w.b.let("target", columns[edge]);
    write_visit(w, vertex, edge, target, round, [&] { write_keep(w, s, target, counted); });
  });
}

// Keeps the vertices for which `after` returns true, at the beginning of the same queue.
void write_after(KernelWriter& w, const SoloState& s) {
  const Ref queue = w.buffer(EngineBuffer::queue);
  const Value reached = w.b.let("were_reached", s.next.load());
  s.next = 0U;
  w.b.for_("i", 0U, reached, [&](const Value& i) {
    const Value vertex = w.b.let("vertex", queue[s.out_queue + i]);
    const Value keep = w.call(&FrontierFunctions::after, {vertex, s.round});
    w.b.if_(
        keep,
        [&] {
          queue[s.out_queue + s.next] = vertex;
          s.next += 1U;
          s.next_edges += w.degree(vertex);
        },
        [&] {
          const Ref word = w.buffer(EngineBuffer::bits)[s.out_bits + (vertex >> 5U)];
          word.atomic_store(word.atomic_load() & ~(w.b.constant(w.b.u32, 1U) << (vertex & 31U)));
        });
  });
}

void write_round(KernelWriter& w, const SoloState& s) {
  const Ref queue = w.buffer(EngineBuffer::queue);
  const Ref bits = w.buffer(EngineBuffer::bits);
  const bool has_after = w.has(&FrontierFunctions::after);
  s.next = 0U;
  s.next_edges = 0U;
  w.b.for_("i", 0U, s.count, [&](const Value& i) {
    const Value vertex = w.b.let("vertex", queue[s.in_queue + i]);
    bits[s.in_bits + (vertex >> 5U)].atomic_store(0U);
    write_unless_waiting(
        w, vertex, s.round, [&] { write_keep(w, s, vertex, !has_after); },
        [&] { write_edges(w, s, vertex, !has_after); });
  });
  if (has_after) write_after(w, s);
}

void swap(KernelWriter& w, const Ref& a, const Ref& b) {
  const Value was = w.b.let("was", a.load());
  a = b;
  b = was;
}

}  // namespace

void write_solo(KernelWriter& w) {
  ProgramBuilder& b = w.b;
  w.begin_worker();
  b.if_(b.global_id().x() != 0U, [&] { b.return_(); });
  const Ref records = w.buffer(EngineBuffer::records);
  const auto begin = [&](const char* name, control::Word word) {
    return b.var(name, w.input(word));
  };
  const SoloState s{.round = begin("round", control::round),
                    .count = begin("count", control::count),
                    .edges = begin("edges", control::frontier_edges),
                    .in_queue = begin("in_queue", control::in_queue),
                    .out_queue = begin("out_queue", control::out_queue),
                    .in_bits = begin("in_bits", control::in_bits),
                    .out_bits = begin("out_bits", control::out_bits),
                    .next = b.var("next", b.u32),
                    .next_edges = b.var("next_edges", b.u32)};
  const Ref done = b.var("done", b.u32);
  b.while_([&] { return done < w.input(control::solo_rounds); },
           [&] {
             records[done * kSoloRecordWords] = s.count;
             records[done * kSoloRecordWords + 1U] = s.edges;
             write_round(w, s);
             swap(w, s.in_queue, s.out_queue);
             swap(w, s.in_bits, s.out_bits);
             s.count = s.next;
             s.edges = s.next_edges;
             s.round += 1U;
             done += 1U;
             b.if_(s.count == 0U || s.count > w.input(control::solo_vertices) ||
                       s.edges > w.input(control::solo_edges),
                   [&] { b.break_(); });
           });
  w.word(control::reached).atomic_store(s.count);
  w.word(control::edges).atomic_store(s.edges);
  w.word(control::done).atomic_store(done);
}

}  // namespace vyre
