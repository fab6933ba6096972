// Kernels that run over edges: pushing along outgoing ones, pulling along incoming ones, sums.
#include "vyre/frontier/synthesis_internal.h"
#include "vyre/ir/builder/builder_math.h"

namespace vyre {
namespace {

constexpr std::uint32_t kBlockEdges = 64;

// A variable for the edges of a block. It is declared at the outermost level, because a variable
// inside a loop would be set to zeros in every round.
std::optional<Ref> block_of_edges(KernelWriter& w) {
  if (!w.has(&FrontierFunctions::wants)) return std::nullopt;
  return w.b.var("wanted", w.b.array(w.b.u32, kBlockEdges));
}

// On the CPU, `wants` is first asked for the targets of a whole block of edges, without branches.
// Their loads are then under way at the same time, and no branch is mispredicted.
void write_edges_in_blocks(KernelWriter& w, const Ref& wanted, const Value& source,
                           const Value& first, const Value& last,
                           const std::function<void(Value)>& reach) {
  ProgramBuilder& b = w.b;
  const Ref columns = w.buffer(EngineBuffer::columns);
  const Ref begin = b.var("begin", first), found = b.var("found", b.u32);
  b.while_([&] { return begin < last; },
           [&] {
             const Value from = b.let("from", begin.load());
             const Value end = b.let("end", from + min(last - from, kBlockEdges));
             found = 0U;
             b.for_("edge", from, end, [&](const Value& edge) {
               wanted[found] = edge;
               found += b.select(0U, 1U, w.call(&FrontierFunctions::wants, {columns[edge]}));
             });
             b.for_("i", 0U, found, [&](const Value& i) {
               const Value edge = b.let("edge", wanted[i]);
               const Value target = b.let("target", columns[edge]);
               const Value reached = w.call(&FrontierFunctions::visit,
                                            {source, edge, target, w.input(control::round)});
               b.if_(reached, [&] { reach(target); });
             });
             begin = end;
           });
}

void write_edges(KernelWriter& w, const std::optional<Ref>& wanted, const Value& source,
                 const Value& first, const Value& last, const std::function<void(Value)>& reach) {
  if (wanted) return write_edges_in_blocks(w, *wanted, source, first, last, reach);
  const Ref columns = w.buffer(EngineBuffer::columns);
  w.b.for_("edge", first, last, [&](const Value& edge) {
    const Value target = w.b.let("target", columns[edge]);
    write_visit(w, source, edge, target, w.input(control::round), [&] { reach(target); });
  });
}

// Cuts the edges of a vertex that has many into pieces, which other workers can take.
void write_cut(KernelWriter& w, const Value& vertex, const Value& first, const Value& edges) {
  const Ref pieces = w.buffer(EngineBuffer::pieces);
  const Value count =
      w.b.let("count", (edges + (kHubSizes.piece_edges - 1)) / kHubSizes.piece_edges);
  const Value at = w.b.let("first_piece", w.word(control::pieces).atomic_add(count));
  w.b.for_("i", 0U, count, [&](const Value& i) {
    const Value place = w.b.let("place", (at + i) * 2U);
    pieces[place] = vertex;
    pieces[place + 1U] = first + i * kHubSizes.piece_edges;
  });
}

// A vertex follows its incoming edges until it wants no more of them. `hit` tells afterwards
// whether one of them has reached it.
void write_look(KernelWriter& w, const Value& vertex, const Ref& hit) {
  const Ref in_offsets = w.buffer(EngineBuffer::in_offsets);
  const Ref in_columns = w.buffer(EngineBuffer::in_columns);
  const Ref bits = w.buffer(EngineBuffer::bits);
  const Value first = w.b.let("first", in_offsets[vertex]);
  const Value last = w.b.let("last", in_offsets[vertex + 1U]);
  w.b.for_("place", first, last, [&](const Value& place) {
    const Value source = w.b.let("source", in_columns[place]);
    const Value word = bits[w.input(control::in_bits) + (source >> 5U)].atomic_load();
    w.b.if_(((word >> (source & 31U)) & 1U) != 0U, [&] {
      const Value reached = w.call(&FrontierFunctions::visit, {source, original_edge(w, place),
                                                               vertex, w.input(control::round)});
      w.b.if_(reached, [&] { hit = w.b.constant(w.b.boolean, true); });
      w.b.if_(!w.call(&FrontierFunctions::wants, {vertex}), [&] { w.b.break_(); });
    });
  });
}

}  // namespace

Value original_edge(KernelWriter& w, const Value& place) {
  if (!w.functions().visit_edge) return w.b.constant(w.b.u32, 0U);
  return w.buffer(EngineBuffer::in_edges)[place];
}

Value write_gather_call(KernelWriter& w, const Value& target, const Value& place, const Ref& sum) {
  const Value source = w.buffer(EngineBuffer::in_columns)[place];
  const Value edge = original_edge(w, place);
  if (!w.functions().gather_round) {
    return w.call(&FrontierFunctions::gather, {target, source, edge, sum});
  }
  return w.call(&FrontierFunctions::gather, {target, source, edge, w.input(control::round), sum});
}

void write_visit(KernelWriter& w, const Value& source, const Value& edge, const Value& target,
                 const Value& round, const std::function<void()>& reached) {
  const auto visit = [&] {
    w.b.if_(w.call(&FrontierFunctions::visit, {source, edge, target, round}), reached);
  };
  if (!w.has(&FrontierFunctions::wants)) return visit();
  w.b.if_(w.call(&FrontierFunctions::wants, {target}), visit);
}

void write_unless_waiting(KernelWriter& w, const Value& vertex, const Value& round,
                          const std::function<void()>& keep, const std::function<void()>& push) {
  if (!w.has(&FrontierFunctions::waits)) return push();
  w.b.if_(w.call(&FrontierFunctions::waits, {vertex, round}), keep, push);
}

void write_push(KernelWriter& w, bool from_queue, bool to_queue) {
  w.begin_worker();
  const bool counted = !w.has(&FrontierFunctions::after);
  w.begin_counting(KernelWriter::Keep::reached, to_queue, counted);
  const std::optional<Ref> wanted = block_of_edges(w);
  const Ref bits = w.buffer(EngineBuffer::bits);
  const Ref offsets = w.buffer(EngineBuffer::offsets);
  const auto push_edges = [&](const Value& vertex) {
    const Value first = w.b.let("first", offsets[vertex]);
    const Value last = w.b.let("last", offsets[vertex + 1U]);
    w.b.if_(
        last - first > w.input(control::hub), [&] { write_cut(w, vertex, first, last - first); },
        [&] {
          write_edges(w, wanted, vertex, first, last,
                      [&](const Value& target) { w.reach(target); });
        });
  };
  // One atomic operation sets the bits of all waiting vertices of a word.
  const auto push_word = [&](const Value& at, const Value& word) {
    if (!w.has(&FrontierFunctions::waits)) return w.for_bits(at, word, push_edges);
    const Ref waiting = w.b.var("waiting", w.b.u32);
    w.for_bits(at, word, [&](const Value& vertex) {
      const Value bit = w.b.constant(w.b.u32, 1U) << (vertex & 31U);
      write_unless_waiting(
          w, vertex, w.input(control::round), [&] { waiting = waiting | bit; },
          [&] { push_edges(vertex); });
    });
    w.b.if_(waiting != 0U, [&] {
      const Value old = w.b.let("old", bits[w.input(control::out_bits) + at].atomic_or(waiting));
      if (counted) {
        w.for_bits(at, waiting & ~old, [&](const Value& vertex) { w.count(vertex); });
      }
    });
  };
  w.for_work([&](const Value& at) {
    if (from_queue) {
      const Value vertex =
          w.b.let("vertex", w.buffer(EngineBuffer::queue)[w.input(control::in_queue) + at]);
      bits[w.input(control::in_bits) + (vertex >> 5U)].atomic_store(0U);
      write_unless_waiting(
          w, vertex, w.input(control::round), [&] { w.reach(vertex); },
          [&] { push_edges(vertex); });
    } else {
      push_word(at, bits[w.input(control::in_bits) + at].atomic_load());
    }
  });
  w.end_counting();
}

void write_hubs(KernelWriter& w, bool to_queue) {
  w.begin_worker();
  w.begin_counting(KernelWriter::Keep::reached, to_queue, !w.has(&FrontierFunctions::after));
  const std::optional<Ref> wanted = block_of_edges(w);
  const Ref offsets = w.buffer(EngineBuffer::offsets);
  const Ref pieces = w.buffer(EngineBuffer::pieces);
  w.for_work([&](const Value& piece) {
    const Value vertex = w.b.let("vertex", pieces[piece * 2U]);
    const Value first = w.b.let("first", pieces[piece * 2U + 1U]);
    const Value last = w.b.let("last", offsets[vertex + 1U]);
    write_edges(w, wanted, vertex, first, first + min(last - first, kHubSizes.piece_edges),
                [&](const Value& target) { w.reach(target); });
  });
  w.end_counting();
}

void write_pull(KernelWriter& w, bool with_after) {
  w.begin_worker();
  w.begin_counting(KernelWriter::Keep::nothing);
  const bool counted = with_after || !w.has(&FrontierFunctions::after);
  const Value vertices = w.input(control::vertices);
  w.for_work([&](const Value& at) {
    const Value begin = w.b.let("begin_vertex", at << 5U);
    const Ref reached = w.b.var("reached_bits", w.b.u32);
    w.b.for_("i", 0U, min(vertices - begin, 32U), [&](const Value& i) {
      const Value vertex = w.b.let("vertex", begin + i);
      w.b.if_(w.call(&FrontierFunctions::wants, {vertex}), [&] {
        const Ref hit = w.b.var("hit", w.b.boolean);
        write_look(w, vertex, hit);
        if (with_after) {
          w.b.if_(hit, [&] {
            hit = w.call(&FrontierFunctions::after, {vertex, w.input(control::round)});
          });
        }
        w.b.if_(hit, [&] {
          reached = reached | (w.b.constant(w.b.u32, 1U) << i);
          if (counted) w.count(vertex);
        });
      });
    });
    w.buffer(EngineBuffer::bits)[w.input(control::out_bits) + at].atomic_store(reached);
  });
  w.end_counting();
}

void write_gather(KernelWriter& w) {
  w.begin_worker();
  const Ref sums = w.buffer(EngineBuffer::sums);
  const Ref in_offsets = w.buffer(EngineBuffer::in_offsets);
  w.for_work([&](const Value& target) {
    const Ref sum = w.b.var("sum", w.sum_type());
    const Value first = w.b.let("first", in_offsets[target]);
    const Value last = w.b.let("last", in_offsets[target + 1U]);
    w.b.for_("place", first, last,
             [&](const Value& place) { sum = write_gather_call(w, target, place, sum); });
    sums[target] = sum;
  });
}

void write_apply(KernelWriter& w) {
  w.begin_worker();
  w.begin_counting(KernelWriter::Keep::nothing);
  const Ref sums = w.buffer(EngineBuffer::sums);
  w.for_work([&](const Value& target) {
    const Value goes_on =
        w.call(&FrontierFunctions::apply, {target, sums[target], w.input(control::round)});
    w.b.if_(goes_on, [&] { w.count(target); });
  });
  w.end_counting();
}

}  // namespace vyre
