// Kernels of workgroups that run over edges: pushing along outgoing ones, pulling along incoming
// ones.
#include <array>

#include "vyre/frontier/synthesis_group_internal.h"
#include "vyre/ir/builder/builder_math.h"

namespace vyre {
namespace {

// Edges that a lane looks at alone before the subgroup looks at the rest together.
constexpr std::uint32_t kAlone = 16;
constexpr std::uint32_t kAtOnce = 4;

bool counts_what_it_pushes(KernelWriter& w) { return !w.has(&FrontierFunctions::after); }

// Visits along an edge if there is one, and takes the target into the next frontier.
void write_edge(GroupWriter& g, const Value& source, const Value& edge, const Value& there,
                bool to_queue) {
  KernelWriter& w = g.w;
  ProgramBuilder& b = g.b;
  const Ref fresh = b.var("fresh", b.boolean), target = b.var("target", b.u32);
  b.if_(there, [&] {
    target = w.buffer(EngineBuffer::columns)[edge];
    write_group_visit(w, source, edge, target, w.input(control::round), [&] {
      g.reach(target, fresh);
      if (!counts_what_it_pushes(w)) return;
      b.if_(fresh, [&] { g.count(target); });
    });
  });
  if (to_queue) g.append(fresh, target, control::appended, w.input(control::out_queue));
}

// Cuts the edges of a vertex that has many into pieces, which other subgroups take in another
// kernel.
void write_cut(KernelWriter& w, const Value& vertex, const Value& first, const Value& edges) {
  const Ref pieces = w.buffer(EngineBuffer::pieces);
  constexpr std::uint32_t kEach = kGroupHubSizes.piece_edges;
  const Value count = w.b.let("count", (edges + (kEach - 1)) / kEach);
  const Value at = w.b.let("first_piece", w.word(control::pieces).atomic_add(count));
  w.b.for_("i", 0U, count, [&](const Value& i) {
    const Value place = w.b.let("place", (at + i) * 2U);
    pieces[place] = vertex;
    pieces[place + 1U] = first + i * kEach;
  });
}

// Visits the edges of the lanes' vertices, for the lanes where `there` holds.
void write_vertices(GroupWriter& g, const Value& vertex, const Ref& there, bool to_queue) {
  KernelWriter& w = g.w;
  ProgramBuilder& b = g.b;
  if (w.has(&FrontierFunctions::waits)) {
    const Ref fresh = b.var("fresh", b.boolean);
    b.if_(there, [&] {
      b.if_(w.call(&FrontierFunctions::waits, {vertex, w.input(control::round)}), [&] {
        there = b.constant(b.boolean, false);
        g.reach(vertex, fresh);
        if (!counts_what_it_pushes(w)) return;
        b.if_(fresh, [&] { g.count(vertex); });
      });
    });
    if (to_queue) g.append(fresh, vertex, control::appended, w.input(control::out_queue));
  }
  const Ref first = b.var("first", b.u32), degree = b.var("degree", b.u32);
  b.if_(there, [&] {
    first = w.buffer(EngineBuffer::offsets)[vertex];
    degree = w.buffer(EngineBuffer::offsets)[vertex + 1U] - first;
    b.if_(degree > w.input(control::hub), [&] {
      write_cut(w, vertex, first, degree);
      degree = 0U;
    });
  });
  g.for_edges(vertex, first, degree,
              [&](const Value& source, const Value& edge, const Value& has_edge) {
                write_edge(g, source, edge, has_edge, to_queue);
              });
}

// Visits along an incoming edge if its source is in the frontier.
void write_pulled(KernelWriter& w, const Value& source, const Value& vertex, const Value& place,
                  const Ref& hit) {
  const Value reached = w.call(&FrontierFunctions::visit,
                               {source, original_edge(w, place), vertex, w.input(control::round)});
  w.b.if_(reached, [&] { hit = w.b.constant(w.b.boolean, true); });
}

// The state of a lane's vertex while the lane pulls.
struct Puller {
  Ref looks;        // it wants, and has edges left
  Ref place, last;  // these edges
  Ref hit;
};

// Most vertices are reached along one of their first edges, or have few edges. A lane loads several
// edges before it visits the first one, so that these loads are under way at the same time.
void write_alone(KernelWriter& w, const Puller& p, const Value& vertex) {
  ProgramBuilder& b = w.b;
  const Ref in_columns = w.buffer(EngineBuffer::in_columns);
  const Ref bits = w.plain_bits();
  const Value end = b.let("end", p.place + min(p.last - p.place, kAlone));
  b.while_([&] { return p.looks && p.place < end; },
           [&] {
             const Value begin = b.let("now", p.place.load());
             std::array<Value, kAtOnce> sources, words;
             for (std::uint32_t i = 0; i < kAtOnce; ++i) {
               sources[i] = b.let("source", in_columns[begin + i]);
             }
             for (std::uint32_t i = 0; i < kAtOnce; ++i) {
               words[i] = b.let("word", bits[w.input(control::in_bits) + (sources[i] >> 5U)]);
             }
             Value found = b.constant(b.u32, 0U);
             for (std::uint32_t i = 0; i < kAtOnce; ++i) {
               found = found | (((words[i] >> (sources[i] & 31U)) & 1U) << i);
             }
             const Value there = min(end - begin, kAtOnce);
             const Ref left = b.var("left", found & ((b.constant(b.u32, 1U) << there) - 1U));
             p.place = begin + there;
             b.while_([&] { return p.looks && left != 0U; },
                      [&] {
                        const Value place =
                            b.let("place", begin + count_trailing_zeros(left.load()));
                        left = left & (left - 1U);
                        write_pulled(w, in_columns[place], vertex, place, p.hit);
                        p.looks = w.call(&FrontierFunctions::wants, {vertex});
                      });
           });
}

// The other edges of each vertex are looked at by all lanes, side by side.
void write_together(GroupWriter& g, const Puller& p, const Value& word) {
  KernelWriter& w = g.w;
  ProgramBuilder& b = g.b;
  const Ref in_columns = w.buffer(EngineBuffer::in_columns);
  const Ref bits = w.plain_bits();
  const Ref rest = b.var("rest", g.ballot(p.looks && p.place < p.last));
  b.while_([&] { return rest != 0U; },
           [&] {
             const Value owner = b.let("owner", count_trailing_zeros(rest.load()));
             rest = rest & (rest - 1U);
             const Value vertex = b.let("its_vertex", (word << 5U) + owner);
             const Value first = g.shuffle(p.place, owner), last = g.shuffle(p.last, owner);
             const Ref begin = b.var("begin_place", g.first_lanes(first));
             const Value end = g.first_lanes(last);
             b.while_([&] { return begin < end; },
                      [&] {
                        const Value place = b.let("own_place", begin + g.lane);
                        const Ref hit = b.var("own_hit", b.boolean);
                        const Ref seen = b.var("seen", b.boolean);
                        b.if_(place < end, [&] {
                          const Value source = b.let("source", in_columns[place]);
                          const Value word = bits[w.input(control::in_bits) + (source >> 5U)];
                          b.if_(((word >> (source & 31U)) & 1U) != 0U, [&] {
                            write_pulled(w, source, vertex, place, hit);
                            seen = b.constant(b.boolean, true);
                          });
                        });
                        begin += kSubgroupSize;
                        b.if_(g.ballot(hit) != 0U && g.lane == owner,
                              [&] { p.hit = b.constant(b.boolean, true); });
                        b.if_(g.ballot(seen) != 0U, [&] {
                          const Value wants = w.call(&FrontierFunctions::wants, {vertex});
                          b.if_(g.first_lanes(b.select(0U, 1U, wants)) == 0U, [&] { begin = end; });
                        });
                      });
           });
}

}  // namespace

void write_group_visit(KernelWriter& w, const Value& source, const Value& edge, const Value& target,
                       const Value& round, const std::function<void()>& reached) {
  if (!w.functions().visit_checks) return write_visit(w, source, edge, target, round, reached);
  w.b.if_(w.call(&FrontierFunctions::visit, {source, edge, target, round}), reached);
}

void write_queue_edges(GroupWriter& g, const Value& each, bool to_queue) {
  KernelWriter& w = g.w;
  ProgramBuilder& b = g.b;
  const Value count = b.let("count", w.input(control::count));
  g.for_batches(count, each, [&](const Value& begin) {
    const Value at = b.let("at", begin + g.lane);
    const Ref vertex = b.var("vertex", b.u32);
    const Ref there = b.var("there", g.lane < each && at < count);
    b.if_(there, [&] {
      vertex = w.buffer(EngineBuffer::queue)[w.input(control::in_queue) + at];
      w.buffer(EngineBuffer::bits)[w.input(control::in_bits) + (vertex >> 5U)].atomic_store(0U);
    });
    write_vertices(g, b.let("source_vertex", vertex.load()), there, to_queue);
  });
}

void write_group_push(KernelWriter& w, bool from_queue, bool to_queue) {
  GroupWriter g(w);
  ProgramBuilder& b = w.b;
  g.begin_counting();
  if (from_queue) {
    write_queue_edges(g, w.input(control::chunk), to_queue);
  } else {
    const Ref bits = w.buffer(EngineBuffer::bits);
    g.for_words([&](const Value& at, const Value& vertex, const Value&) {
      const Value word = g.first_lanes(bits[w.input(control::in_bits) + at].atomic_load());
      b.if_(word != 0U, [&] {
        const Ref there = b.var("there", ((word >> g.lane) & b.constant(b.u32, 1U)) != 0U);
        write_vertices(g, vertex, there, to_queue);
      });
    });
  }
  g.end_counting();
}

void write_group_hubs(KernelWriter& w, bool to_queue) {
  GroupWriter g(w);
  ProgramBuilder& b = w.b;
  g.begin_counting();
  const Ref pieces = w.buffer(EngineBuffer::pieces);
  const Value count = g.first_lanes(w.word(control::pieces).atomic_load());
  g.for_batches(count, 1U, [&](const Value& piece) {
    const Value vertex = g.first_lanes(pieces[piece * 2U]);
    const Value first = g.first_lanes(pieces[piece * 2U + 1U]);
    const Value last = w.buffer(EngineBuffer::offsets)[vertex + 1U];
    const Value edges = g.first_lanes(min(last - first, kGroupHubSizes.piece_edges));
    b.for_(
        "begin_edge", 0U, edges,
        [&](const Value& begin) {
          const Value number = b.let("own_number", begin + g.lane);
          write_edge(g, vertex, first + number, number < edges, to_queue);
        },
        kSubgroupSize);
  });
  g.end_counting();
}

void write_group_pull(KernelWriter& w, bool with_after) {
  const Ref bits = w.plain_bits();
  GroupWriter g(w);
  ProgramBuilder& b = w.b;
  g.begin_counting();
  const bool counted = with_after || !w.has(&FrontierFunctions::after);
  const Ref in_offsets = w.buffer(EngineBuffer::in_offsets);
  g.for_words([&](const Value& at, const Value& vertex, const Value& inside) {
    const Puller p{b.var("looks", b.boolean), b.var("place", b.u32), b.var("last", b.u32),
                   b.var("hit", b.boolean)};
    b.if_(inside, [&] {
      p.looks = w.call(&FrontierFunctions::wants, {vertex});
      b.if_(p.looks, [&] {
        p.place = in_offsets[vertex];
        p.last = in_offsets[vertex + 1U];
        write_alone(w, p, vertex);
      });
    });
    write_together(g, p, at);
    b.if_(p.hit, [&] {
      if (with_after) {
        p.hit = w.call(&FrontierFunctions::after, {vertex, w.input(control::round)});
      }
      if (counted) b.if_(p.hit, [&] { g.count(vertex); });
    });
    const Value reached = g.ballot(p.hit);
    b.if_(g.lane == 0U, [&] { bits[w.input(control::out_bits) + at] = reached; });
  });
  g.end_counting();
}

void write_group_count_incoming(KernelWriter& w) {
  GroupWriter g(w);
  const Ref columns = w.buffer(EngineBuffer::columns);
  const Ref counts = w.buffer(EngineBuffer::counts);
  const Value count = w.input(control::count);
  const Value step = w.b.let("step", w.input(control::workers) * w.lanes());
  g.for_lanes(count, [&](const Value& edge) {
    counts[columns[edge]].atomic_add(1U);
    // There may be nearly 2^32 edges, where the next step would wrap around.
    w.b.if_(count - edge <= step, [&] { w.b.break_(); });
  });
}

void write_group_fill_incoming(KernelWriter& w) {
  GroupWriter g(w);
  ProgramBuilder& b = w.b;
  const Ref offsets = w.buffer(EngineBuffer::offsets);
  const Value count = w.input(control::count);
  g.for_batches(count, kSubgroupSize, [&](const Value& begin) {
    const Value vertex = b.let("vertex", begin + g.lane);
    const Ref first = b.var("first", b.u32), degree = b.var("degree", b.u32);
    b.if_(vertex < count, [&] {
      first = offsets[vertex];
      degree = offsets[vertex + 1U] - first;
    });
    g.for_edges(vertex, first, degree,
                [&](const Value& source, const Value& edge, const Value& there) {
                  b.if_(there, [&] {
                    const Value target = w.buffer(EngineBuffer::columns)[edge];
                    const Ref next = w.buffer(EngineBuffer::counts)[target];
                    const Value place = b.let("place", next.atomic_add(1U));
                    w.buffer(EngineBuffer::sources)[place] = source;
                    w.buffer(EngineBuffer::origins)[place] = edge;
                  });
                });
  });
}

}  // namespace vyre
