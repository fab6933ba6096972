// Rounds of small frontiers, one after the other in one launch, by one workgroup. The frontier is
// in workgroup memory: each vertex with the number of edges that leave the vertices before it, so
// that a lane finds the vertex of any edge. A round has two barriers, both of one uniform load.
#include <array>

#include "vyre/frontier/signals.h"
#include "vyre/frontier/synthesis_group_internal.h"
#include "vyre/ir/builder/builder_math.h"

namespace vyre {
namespace {

constexpr std::uint32_t kCapacity = kSoloVertices;
// Entries of a table in workgroup memory, where vertices that were reached are looked up first.
constexpr std::uint32_t kSlotBits = 10, kSlots = 1U << kSlotBits;
// A list's length and the edges before its end are halves of one word, which one atomic changes, so
// that places in the list and edges have the same order. A round reaches fewer than 2^15 vertices.
// The bit between them says that there are more edges than a round of solo may begin with; then the
// number of edges is not complete.
constexpr std::uint32_t kLengthMask = 0x7FFF;
constexpr std::uint32_t kTooMany = 0x8000;
constexpr std::uint32_t kEdgeShift = 16;

enum Count : std::uint32_t { both, edges, largest };  // edges: all of them; largest degree
enum List : std::uint32_t { frontier, ready, reached };
constexpr std::uint32_t kCounts = 3, kLists = 3, kBanks = 3;

class SoloWriter {
 public:
  explicit SoloWriter(KernelWriter& writer) : g(writer), w(writer), b(writer.b) {}

  void write() {
    index_ = b.let("index", b.local_index());
    subgroup_begin_ = b.let("subgroup_begin", (b.local_index() >> 5U) << 5U);
    begin();
    b.loop([&] {
      const Value state = b.let("state", b.uniform_load(count_of(frontier, *now_, both)));
      const Value count = b.let("count", state & kLengthMask);
      b.if_(count == 0U || count > w.input(control::solo_vertices) || (state & kTooMany) != 0U ||
                *done_ >= w.input(control::solo_rounds),
            [&] { b.break_(); });
      if (may_be_tiny()) {
        const Value rounds = write_tiny_rounds(state, count);
        b.if_(rounds != 0U, [&] { b.continue_(); });
      }
      write_round(state, count);
      next_round();
    });
    end();
  }

 private:
  // A list of vertices: its counters, where it is in workgroup memory, and where those are in the
  // queue that do not fit there.
  struct Target {
    List list;
    Value bank, side, half;
    bool with_edges = true;
  };

  void begin() {
    vertices_.emplace(b.workgroup("solo_vertices", b.array(b.u32, 2 * kCapacity)));
    starts_.emplace(b.workgroup("solo_starts", b.array(b.u32, 2 * kCapacity)));
    table_.emplace(b.workgroup("solo_table", b.array(b.atomic(b.u32), 2 * kSlots)));
    tiny_rounds_.emplace(b.workgroup("solo_tiny_rounds", b.u32));
    counts_.emplace(
        b.workgroup("solo_counts", b.array(b.atomic(b.u32), kLists * kBanks * kCounts)));
    const auto var = [&](const char* name, control::Word word) {
      return b.var(name, w.input(word));
    };
    round_.emplace(var("round", control::round));
    in_queue_.emplace(var("in_queue", control::in_queue));
    out_queue_.emplace(var("out_queue", control::out_queue));
    in_bits_.emplace(var("in_bits", control::in_bits));
    out_bits_.emplace(var("out_bits", control::out_bits));
    done_.emplace(b.var("done", b.u32));
    side_.emplace(b.var("side", b.u32));
    table_side_.emplace(b.var("table_side", b.u32));
    now_.emplace(b.var("now", b.u32));
    next_.emplace(b.var("next", 1U));
    free_.emplace(b.var("free", 2U));
    const Value count = w.input(control::count);
    for_all(count, [&](const Value& i, const Value& there) {
      const Ref vertex = b.var("vertex", b.u32), degree = b.var("degree", b.u32);
      b.if_(there, [&] {
        vertex = w.buffer(EngineBuffer::queue)[*in_queue_ + i];
        degree = w.degree(vertex);
      });
      append(target(frontier, *now_, *side_, *in_queue_), there, vertex, degree);
    });
  }

  Target target(List list, const Ref& bank, const Value& side, const Ref& half) {
    return {list, bank, side, half};
  }

  Ref count_of(List list, const Value& bank, Count which) {
    return (*counts_)[bank * kCounts + (list * kBanks * kCounts + which)];
  }

  // Calls the body for the numbers below `count`, in all lanes of a subgroup together: in lanes
  // whose number is not below `count`, `there` is false. `count` must be the same in all lanes of a
  // subgroup.
  void for_all(const Value& count, const std::function<void(Value, Value)>& body) {
    for_some(subgroup_begin_, g.lane, count, body);
  }
  // The same in all lanes of the workgroup together.
  void for_all_together(const Value& count, const std::function<void(Value, Value)>& body) {
    for_some(b.constant(b.u32, 0U), index_, count, body);
  }
  void for_some(const Value& begin, const Value& own, const Value& count,
                const std::function<void(Value, Value)>& body) {
    b.for_(
        "first", begin, count,
        [&](const Value& first) {
          const Value i = b.let("i", first + own);
          body(i, i < count);
        },
        w.lanes());
  }
  void for_own(const Value& count, const std::function<void(Value)>& body) {
    b.for_("i", index_, count, body, w.lanes());
  }

  // Appends the vertices of the lanes for which `is` holds; the degrees of the others are 0.
  void append(const Target& to, const Value& is, const Value& vertex, const Value& degree) {
    const Value all = b.let("all", g.ballot(is));
    b.if_(all != 0U, [&] {
      const Ref before = b.var("before", b.u32);
      Value sum = b.constant(b.u32, 0U), most = sum;
      if (to.with_edges) {
        b.if_((all & (all - 1U)) != 0U,
              [&] { before = b.subgroup(SubgroupOp::exclusive_add, degree); });
        sum = b.subgroup(SubgroupOp::add, degree);
        most = b.subgroup(SubgroupOp::max, degree);
      }
      const Ref old = b.var("old", b.u32);
      b.if_(g.lane == 0U, [&] {
        const Ref state = count_of(to.list, to.bank, both);
        old = state.atomic_add(count_one_bits(all) + (sum << kEdgeShift));
        if (!to.with_edges) return;
        const Value others = count_of(to.list, to.bank, edges).atomic_add(sum);
        b.if_(others + sum > w.input(control::solo_edges), [&] { state.atomic_or(kTooMany); });
        count_of(to.list, to.bank, largest).atomic_max(most);
      });
      const Value at = g.first_lanes(old);
      const Value place = b.let("place", (at & kLengthMask) + g.rank_in(all));
      b.if_(is, [&] {
        b.if_(
            place < kCapacity,
            [&] {
              (*vertices_)[to.side + place] = vertex;
              if (to.with_edges) (*starts_)[to.side + place] = (at >> kEdgeShift) + before;
            },
            [&] { w.buffer(EngineBuffer::queue)[to.half + place] = vertex; });
      });
    });
  }

  // The vertex's entry of a table, which it shares with other vertices.
  Ref entry(const Value& table, const Value& vertex) {
    return (*table_)[table + ((vertex * 0x9E3779B1U) >> (32U - kSlotBits))];
  }

  // Sets the vertex's bit in the next frontier, and loads its degree if it is new. Workgroup memory
  // tells whether the vertex was already reached, unless another vertex has taken its entry.
  void reach(const Value& vertex, const Ref& fresh, const Ref& degree) {
    const Value bit = b.let("bit", b.constant(b.u32, 1U) << (vertex & 31U));
    const Ref word = w.buffer(EngineBuffer::bits)[*out_bits_ + (vertex >> 5U)];
    if (!has_after()) degree = w.degree(vertex);
    const Value mine = b.let("mine", vertex + 1U);
    const Value old =
        b.let("holder",
              entry(*table_side_, vertex).atomic_compare_exchange(0U, mine).member("old_value"));
    b.if_(
        old == 0U,
        [&] {
          word.atomic_or(bit);
          fresh = b.constant(b.boolean, true);
        },
        [&] { b.if_(old != mine, [&] { fresh = (word.atomic_or(bit) & bit) == 0U; }); });
    if (!has_after()) b.if_(!fresh, [&] { degree = 0U; });
  }

  // A vertex of this frontier, which was reached in the round before.
  void leave(const Value& vertex) {
    w.buffer(EngineBuffer::bits)[*in_bits_ + (vertex >> 5U)].atomic_store(0U);
    entry(b.constant(b.u32, kSlots) - *table_side_, vertex).atomic_store(0U);
  }

  void write_round(const Value& state, const Value& count) {
    b.if_(index_ == 0U, [&] {
      const Ref records = w.buffer(EngineBuffer::records);
      const Value at = b.let("record", kSoloResults + *done_ * kSoloRecordWords);
      records[at] = count;
      records[at + 1U] = state >> kEdgeShift;
    });
    // The bank that was used in the round before is used again after the next one.
    b.if_(index_ < kLists * kCounts, [&] {
      const Value list = index_ / kCounts;
      (*counts_)[(list * kBanks + *free_) * kCounts + index_ % kCounts].atomic_store(0U);
    });
    for_own(count, [&](const Value& i) { leave(b.let("vertex", (*vertices_)[*side_ + i])); });
    if (w.has(&FrontierFunctions::waits)) {
      write_waits(count);
      const Value rest = b.let("rest", b.uniform_load(count_of(ready, *now_, both)));
      write_edges(rest & kLengthMask, rest >> kEdgeShift, ready);
    } else {
      write_edges(count, state >> kEdgeShift, frontier);
    }
    if (has_after()) write_after();
  }

  bool may_be_tiny() const { return !has_after() && !w.has(&FrontierFunctions::waits); }

  // The first subgroup goes on alone while each edge has a lane of its own: frontiers are in its
  // registers, and nobody waits. Returns the number of rounds, in all lanes.
  Value write_tiny_rounds(const Value& state, const Value& count) {
    const Value tiny =
        b.let("tiny", count <= kSubgroupSize && (state >> kEdgeShift) <= kSubgroupSize);
    const Ref rounds = b.var("rounds", b.u32);
    b.if_(tiny, [&] {
      b.if_(subgroup_begin_ == 0U, [&] { write_tiny_loop(count); });
      rounds = b.uniform_load(*tiny_rounds_);
      b.if_((rounds & 1U) != 0U, [&] {
        swap(*in_queue_, *out_queue_);
        b.if_(subgroup_begin_ != 0U, [&] {
          swap(*in_bits_, *out_bits_);
          *table_side_ = b.constant(b.u32, kSlots) - *table_side_;
        });
      });
      b.if_(subgroup_begin_ != 0U, [&] { *round_ += rounds; });
      *done_ += rounds;
    });
    return rounds.load();
  }

  void write_tiny_loop(const Value& count_before) {
    const Ref count = b.var("tiny_count", count_before), rounds = b.var("own_rounds", b.u32);
    const Ref vertex = b.var("tiny_vertex", b.u32), first = b.var("tiny_first", b.u32);
    const Ref degree = b.var("tiny_degree", b.u32), all_edges = b.var("tiny_edges", b.u32);
    const Ref most = b.var("tiny_most", b.u32);
    const Ref offsets = w.buffer(EngineBuffer::offsets);
    b.if_(g.lane < count, [&] {
      vertex = (*vertices_)[*side_ + g.lane];
      first = offsets[vertex];
      degree = offsets[vertex + 1U] - first;
    });
    b.loop([&] {
      most = b.subgroup(SubgroupOp::max, degree);
      all_edges = b.subgroup(SubgroupOp::add, degree);
      const Value shift =
          b.let("shift", b.constant(b.u32, 32U) - count_leading_zeros(max(most, 1U) - 1U));
      b.if_(count == 0U || most > kSubgroupSize || (count << (shift & 7U)) > kSubgroupSize ||
                count > w.input(control::solo_vertices) ||
                all_edges > w.input(control::solo_edges) ||
                *done_ + rounds >= w.input(control::solo_rounds),
            [&] { b.break_(); });
      write_tiny_round(count, rounds, shift, vertex, first, degree, all_edges);
      rounds += 1U;
    });
    const Value before = b.subgroup(SubgroupOp::exclusive_add, degree);
    b.if_(g.lane < count, [&] {
      (*vertices_)[*side_ + g.lane] = vertex;
      (*starts_)[*side_ + g.lane] = before;
    });
    b.if_(g.lane == 0U, [&] {
      const Value over = b.select(0U, kTooMany, all_edges > w.input(control::solo_edges));
      count_of(frontier, *now_, both).atomic_store(count | over | (all_edges << kEdgeShift));
      count_of(frontier, *now_, edges).atomic_store(all_edges);
      count_of(frontier, *now_, largest).atomic_store(most);
      *tiny_rounds_ = rounds.load();
    });
  }

  // A lane has a vertex, the place of its first edge and its degree, and in a round one edge.
  void write_tiny_round(const Ref& count, const Ref& rounds, const Value& shift, const Ref& vertex,
                        const Ref& first, const Ref& degree, const Ref& all_edges) {
    const Ref offsets = w.buffer(EngineBuffer::offsets);
    const Ref records = w.buffer(EngineBuffer::records);
    b.if_(g.lane == 0U, [&] {
      const Value at = b.let("record", kSoloResults + (*done_ + rounds) * kSoloRecordWords);
      records[at] = count;
      records[at + 1U] = all_edges;
    });
    b.if_(g.lane < count, [&] { leave(vertex); });
    const Value owner = b.let("owner", g.lane >> shift);
    const Value offset = b.let("offset", g.lane & ((b.constant(b.u32, 1U) << shift) - 1U));
    const Value source = g.shuffle(vertex, owner), from = g.shuffle(first, owner);
    const Value its_degree = g.shuffle(degree, owner);
    const Ref fresh = b.var("fresh", b.boolean), target = b.var("target", b.u32);
    const Ref unused = b.var("unused", b.u32);
    b.if_(owner < count && offset < its_degree, [&] {
      const Value edge = b.let("edge", from + offset);
      const Value there = b.let("there", w.buffer(EngineBuffer::columns)[edge]);
      target = there;
      write_group_visit(w, source, edge, there, round_->load(),
                        [&] { reach(there, fresh, unused); });
    });
    const Value all = b.let("all", g.ballot(fresh));
    const Ref next_first = b.var("next_first", b.u32), next_degree = b.var("next_degree", b.u32);
    b.if_(fresh, [&] {
      next_first = offsets[target];
      next_degree = offsets[target + 1U] - next_first;
    });
    count = count_one_bits(all);
    // The lane that has the vertex number `lane` of those that were reached.
    const Ref at = b.var("at", b.u32);
    for (std::uint32_t step = kSubgroupSize / 2; step != 0; step /= 2) {
      const Value ahead = b.let("ahead", at + step);
      const Value before = count_one_bits(all & ((b.constant(b.u32, 1U) << ahead) - 1U));
      at = b.select(at, ahead, before <= g.lane);
    }
    const Value holder = b.let("holder_lane", at.load());
    vertex = g.shuffle(target, holder);
    first = g.shuffle(next_first, holder);
    degree = b.select(0U, g.shuffle(next_degree, holder), g.lane < count);
    swap(*in_bits_, *out_bits_);
    *table_side_ = b.constant(b.u32, kSlots) - *table_side_;
    *round_ += 1U;
  }

  // The list that the edges' targets go to.
  Target reached_list() {
    const Value other = b.let("other_side", b.constant(b.u32, kCapacity) - *side_);
    if (!has_after()) return target(frontier, *next_, other, *out_queue_);
    Target to = target(reached, *now_, other, *in_queue_);
    to.with_edges = false;
    return to;
  }

  // Vertices that wait are in the next frontier; the others stay in the list, at its beginning.
  void write_waits(const Value& count) {
    const Target waiting = reached_list();
    for_all_together(count, [&](const Value& i, const Value& there) {
      const Ref vertex = b.var("vertex", b.u32), goes = b.var("goes", b.boolean);
      const Ref own_degree = b.var("own_degree", b.u32), fresh = b.var("fresh", b.boolean);
      const Ref degree = b.var("degree", b.u32);
      b.if_(there, [&] { vertex = (*vertices_)[*side_ + i]; });
      b.workgroup_barrier();
      b.if_(there, [&] {
        b.if_(
            w.call(&FrontierFunctions::waits, {vertex, *round_}),
            [&] { reach(vertex, fresh, degree); },
            [&] {
              goes = b.constant(b.boolean, true);
              own_degree = w.degree(vertex);
            });
      });
      append(waiting, fresh, vertex, degree);
      append(target(ready, *now_, *side_, *in_queue_), goes, vertex, own_degree);
    });
  }

  // The vertices have `all` edges together. Where their degrees are much alike, each vertex gets as
  // many numbers as the largest degree needs, rounded up to a power of two; otherwise numbers are
  // those of edges, and the vertex is searched for.
  void write_edges(const Value& count, const Value& all, List list) {
    // There are at most twice as many numbers; subgroups that would have none do nothing.
    b.if_(subgroup_begin_ < all * 2U, [&] { write_some_edges(count, all, list); });
  }
  void write_some_edges(const Value& count, const Value& all, List list) {
    const Value most = g.first_lanes(count_of(list, *now_, largest).atomic_load());
    const Value shift =
        b.let("shift", b.constant(b.u32, 32U) - count_leading_zeros(max(most, 1U) - 1U));
    const Value spread = b.let("spread", count << (shift & 15U));
    const Value alike = b.let("alike", shift < 12U && spread <= all * 2U);
    const Value numbers = b.let("numbers", b.select(all, spread, alike));
    const Value first_step = b.let(
        "first_step", b.constant(b.u32, 0x80000000U) >> count_leading_zeros(max(count, 2U) - 1U));
    const Target to = reached_list();
    for_all(numbers, [&](const Value& number, const Value& there) {
      const Ref owner = b.var("owner", b.u32), offset = b.var("offset", b.u32);
      const Ref has_edge = b.var("has_edge", there);
      b.if_(
          alike,
          [&] {
            owner = number >> shift;
            offset = number & ((b.constant(b.u32, 1U) << shift) - 1U);
            b.if_(there, [&] {
              const Value next = b.let("after_it", owner + 1U);
              const Ref end = b.var("end", all);
              b.if_(next < count, [&] { end = (*starts_)[*side_ + next]; });
              has_edge = offset < end - (*starts_)[*side_ + owner];
            });
          },
          [&] {
            const Ref step = b.var("step", first_step);
            b.while_([&] { return step != 0U; },
                     [&] {
                       const Value ahead = b.let("ahead", owner + step);
                       b.if_(ahead < count, [&] {
                         b.if_((*starts_)[*side_ + ahead] <= number, [&] { owner = ahead; });
                       });
                       step = step >> 1U;
                     });
            offset = number - (*starts_)[*side_ + owner];
          });
      const Ref fresh = b.var("fresh", b.boolean), reached_one = b.var("reached_one", b.u32);
      const Ref degree = b.var("degree", b.u32);
      b.if_(has_edge, [&] {
        const Value source = b.let("source", (*vertices_)[*side_ + owner]);
        const Value edge = b.let("edge", w.buffer(EngineBuffer::offsets)[source] + offset);
        const Value vertex = b.let("vertex", w.buffer(EngineBuffer::columns)[edge]);
        reached_one = vertex;
        write_group_visit(w, source, edge, vertex, round_->load(),
                          [&] { reach(vertex, fresh, degree); });
      });
      append(to, fresh, reached_one, degree);
    });
  }

  // Vertices that `after` keeps go to the place of this round's frontier.
  void write_after() {
    const Value state = b.uniform_load(count_of(reached, *now_, both));
    const Target from = reached_list();
    const Value count = b.let("were_reached", state & kLengthMask);
    for_all(count, [&](const Value& i, const Value& there) {
      const Ref vertex = b.var("vertex", b.u32), keep = b.var("keep", b.boolean);
      const Ref degree = b.var("degree", b.u32);
      b.if_(there, [&] {
        b.if_(
            i < kCapacity, [&] { vertex = (*vertices_)[from.side + i]; },
            [&] { vertex = w.buffer(EngineBuffer::queue)[from.half + i]; });
        keep = w.call(&FrontierFunctions::after, {vertex, *round_});
        b.if_(
            keep, [&] { degree = w.degree(vertex); },
            [&] {
              const Value bit = b.constant(b.u32, 1U) << (vertex & 31U);
              w.buffer(EngineBuffer::bits)[*out_bits_ + (vertex >> 5U)].atomic_and(~bit);
              entry(*table_side_, vertex).atomic_store(0U);
            });
      });
      append(target(frontier, *next_, *side_, *out_queue_), keep, vertex, degree);
    });
  }

  void swap(const Ref& a, const Ref& c) {
    const Value was = b.let("was", a.load());
    a = c;
    c = was;
  }

  void next_round() {
    swap(*in_queue_, *out_queue_);
    swap(*in_bits_, *out_bits_);
    if (!has_after()) *side_ = b.constant(b.u32, kCapacity) - *side_;
    *table_side_ = b.constant(b.u32, kSlots) - *table_side_;
    swap(*now_, *free_);
    swap(*now_, *next_);
    *round_ += 1U;
    *done_ += 1U;
  }

  void end() {
    const Value count = b.let("count_left", count_of(frontier, *now_, both).atomic_load()) &
                        b.constant(b.u32, kLengthMask);
    for_own(min(count, kCapacity), [&](const Value& i) {
      w.buffer(EngineBuffer::queue)[*in_queue_ + i] = (*vertices_)[*side_ + i];
    });
    b.if_(index_ == 0U, [&] {
      const Ref records = w.buffer(EngineBuffer::records);
      records[kSoloLeft] = count;
      records[kSoloLeftEdges] = count_of(frontier, *now_, edges).atomic_load();
      records[kSoloLeftLargest] = count_of(frontier, *now_, largest).atomic_load();
      records[kSoloDone] = *done_;
    });
  }

  bool has_after() const { return w.has(&FrontierFunctions::after); }

  GroupWriter g;
  KernelWriter& w;
  ProgramBuilder& b;
  Value index_;           // of the lane in the workgroup
  Value subgroup_begin_;  // the index of the subgroup's first lane
  std::optional<Ref> vertices_, starts_, table_, counts_, tiny_rounds_;
  std::optional<Ref> round_, done_, in_queue_, out_queue_, in_bits_, out_bits_;
  std::optional<Ref> table_side_;         // where the table of the next frontier begins
  std::optional<Ref> side_;               // where the frontier begins in workgroup memory
  std::optional<Ref> now_, next_, free_;  // banks of counters
};

}  // namespace

void write_group_solo(KernelWriter& w) { SoloWriter(w).write(); }

}  // namespace vyre
