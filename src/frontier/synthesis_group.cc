// The parts that all kernels of workgroups share, and the kernels that run over vertices.
#include "vyre/frontier/synthesis_group_internal.h"
#include "vyre/ir/builder/builder_math.h"

namespace vyre {
namespace {

constexpr std::uint32_t kLastLane = kSubgroupSize - 1;
constexpr std::uint32_t kLaneBits = 5;

void write_group_init(KernelWriter& w) {
  GroupWriter g(w);
  g.for_lanes(w.input(control::count),
              [&](const Value& vertex) { w.call(&FrontierFunctions::init, {vertex}); });
}

// Whether this lane's vertex is in a word of bits.
Value bit_of_lane(GroupWriter& g, const Value& bits) {
  return ((bits >> g.lane) & g.b.constant(g.b.u32, 1U)) != 0U;
}

void write_group_start(KernelWriter& w) {
  GroupWriter g(w);
  g.begin_counting();
  g.for_words([&](const Value& at, const Value& vertex, const Value& inside) {
    const Value bits = w.buffer(EngineBuffer::bits)[w.input(control::out_bits) + at].atomic_load();
    w.b.if_(inside && bit_of_lane(g, bits), [&] {
      if (w.has(&FrontierFunctions::start)) w.call(&FrontierFunctions::start, {vertex});
      g.count(vertex);
    });
  });
  g.end_counting();
}

// Each lane takes a word, so that one atomic appends the vertices of many words.
void write_group_fill_queue(KernelWriter& w) {
  GroupWriter g(w);
  ProgramBuilder& b = w.b;
  const Value words = w.input(control::count);
  g.for_batches(words, kSubgroupSize, [&](const Value& begin) {
    const Value at = b.let("at", begin + g.lane);
    const Ref bits = b.var("word", b.u32);
    b.if_(at < words, [&] {
      bits = w.buffer(EngineBuffer::bits)[w.input(control::in_bits) + at].atomic_load();
    });
    const Value own = b.let("own", count_one_bits(bits.load()));
    const Value before = b.subgroup(SubgroupOp::exclusive_add, own);
    const Value all = b.subgroup(SubgroupOp::add, own);
    b.if_(all != 0U, [&] {
      const Ref place = b.var("place", g.add_once(w.word(control::appended), all) + before);
      w.for_bits(at, bits.load(), [&](const Value& vertex) {
        b.if_(place < w.input(control::capacity),
              [&] { w.buffer(EngineBuffer::queue)[w.input(control::out_queue) + place] = vertex; });
        place += 1U;
      });
    });
  });
}

// The vertices were appended by the kernels before this one.
void write_group_after_queue(KernelWriter& w) {
  GroupWriter g(w);
  ProgramBuilder& b = w.b;
  g.begin_counting();
  const Ref queue = w.buffer(EngineBuffer::queue);
  const Ref bits = w.buffer(EngineBuffer::bits);
  const Value count = g.first_lanes(w.word(control::appended).atomic_load());
  g.for_batches(count, kSubgroupSize, [&](const Value& begin) {
    const Value at = b.let("at", begin + g.lane);
    const Ref keep = b.var("keep", b.boolean), vertex = b.var("vertex", b.u32);
    b.if_(at < count, [&] {
      vertex = queue[w.input(control::in_queue) + at];
      keep = w.call(&FrontierFunctions::after, {vertex, w.input(control::round)});
      b.if_(
          keep, [&] { g.count(vertex); },
          [&] {
            const Value bit = b.constant(b.u32, 1U) << (vertex & kLastLane);
            bits[w.input(control::out_bits) + (vertex >> kLaneBits)].atomic_and(~bit);
          });
    });
    g.append(keep, vertex, control::kept, w.input(control::out_queue));
  });
  g.end_counting();
}

void write_group_after_bits(KernelWriter& w) {
  GroupWriter g(w);
  ProgramBuilder& b = w.b;
  g.begin_counting();
  const Ref bits = w.plain_bits();
  g.for_words([&](const Value& at, const Value& vertex, const Value& inside) {
    const Ref word = bits[w.input(control::out_bits) + at];
    const Ref keep = b.var("keep", b.boolean);
    b.if_(inside && bit_of_lane(g, word), [&] {
      keep = w.call(&FrontierFunctions::after, {vertex, w.input(control::round)});
      b.if_(keep, [&] { g.count(vertex); });
    });
    const Value kept = g.ballot(keep);
    b.if_(g.lane == 0U, [&] { word = kept; });
  });
  g.end_counting();
}

// A sum is made by one lane, in the order of the edges.
void write_group_gather(KernelWriter& w) {
  GroupWriter g(w);
  const Ref sums = w.buffer(EngineBuffer::sums);
  const Ref in_offsets = w.buffer(EngineBuffer::in_offsets);
  g.for_lanes(w.input(control::count), [&](const Value& target) {
    const Ref sum = w.b.var("sum", w.sum_type());
    const Value first = w.b.let("first", in_offsets[target]);
    const Value last = w.b.let("last", in_offsets[target + 1U]);
    w.b.for_("place", first, last,
             [&](const Value& place) { sum = write_gather_call(w, target, place, sum); });
    sums[target] = sum;
  });
}

void write_group_apply(KernelWriter& w) {
  GroupWriter g(w);
  g.begin_counting();
  const Ref sums = w.buffer(EngineBuffer::sums);
  g.for_lanes(w.input(control::count), [&](const Value& target) {
    const Value goes_on =
        w.call(&FrontierFunctions::apply, {target, sums[target], w.input(control::round)});
    w.b.if_(goes_on, [&] { g.count(target); });
  });
  g.end_counting();
}

}  // namespace

void write_for_groups(KernelWriter& w, FrontierKernel kernel) {
  switch (kernel) {
    case FrontierKernel::init: return write_group_init(w);
    case FrontierKernel::start: return write_group_start(w);
    case FrontierKernel::fill_queue: return write_group_fill_queue(w);
    case FrontierKernel::push_queue: return write_group_push(w, true, true);
    case FrontierKernel::push_hybrid: return write_group_push(w, true, false);
    case FrontierKernel::push_bits: return write_group_push(w, false, false);
    case FrontierKernel::hubs_queue: return write_group_hubs(w, true);
    case FrontierKernel::hubs_bits: return write_group_hubs(w, false);
    case FrontierKernel::pull: return write_group_pull(w, false);
    case FrontierKernel::pull_after: return write_group_pull(w, true);
    case FrontierKernel::after_queue: return write_group_after_queue(w);
    case FrontierKernel::after_bits: return write_group_after_bits(w);
    case FrontierKernel::gather: return write_group_gather(w);
    case FrontierKernel::apply: return write_group_apply(w);
    case FrontierKernel::solo: return write_group_solo(w);
    case FrontierKernel::count_incoming: return write_group_count_incoming(w);
    case FrontierKernel::sum_blocks: return write_sum_blocks(w);
    case FrontierKernel::place_blocks: return write_place_blocks(w);
    case FrontierKernel::fill_incoming: return write_group_fill_incoming(w);
    case FrontierKernel::sort_incoming: return write_sort_incoming(w);
    case FrontierKernel::crowd: return write_group_crowd(w);
  }
}

GroupWriter::GroupWriter(KernelWriter& writer, Order order) : w(writer), b(writer.b) {
  clear_next_bank();
  b.if_(b.workgroup_id().x() >= w.input(control::workers), [&] { b.return_(); });
  const std::uint32_t each = w.lanes() / kSubgroupSize;
  lane = b.let("lane", b.local_index() & kLastLane);
  const Value own = b.local_index() >> kLaneBits, group = b.workgroup_id().x();
  subgroup_ = b.let("subgroup", order == Order::within ? group * each + own
                                                       : own * w.input(control::workers) + group);
  subgroups = b.let("subgroups", w.input(control::workers) * each);
}

void GroupWriter::clear_next_bank() {
  const Value index = b.global_id().x();
  b.if_(index < control::kBankWords, [&] {
    const Value next = (w.input(control::bank) + 1U) % control::kBanks;
    w.buffer(EngineBuffer::control)[next * control::kBankWords + index].atomic_store(0U);
  });
}

void GroupWriter::for_batches(const Value& count, const Arg& batch,
                              const std::function<void(Value)>& body) {
  b.for_("begin", subgroup_ * batch, count, body, subgroups * batch);
}

void GroupWriter::for_lanes(const Value& count, const std::function<void(Value)>& body) {
  b.for_("item", b.global_id().x(), count, body, w.input(control::workers) * w.lanes());
}

void GroupWriter::for_words(const std::function<void(Value, Value, Value)>& body) {
  for_batches(w.input(control::count), 1U, [&](const Value& at) {
    const Value vertex = b.let("vertex", (at << kLaneBits) + lane);
    body(at, vertex, vertex < w.input(control::vertices));
  });
}

Value GroupWriter::ballot(const Arg& is) { return b.subgroup(SubgroupOp::ballot, is).x(); }

Value GroupWriter::rank_in(const Value& ballot) {
  return count_one_bits(ballot & ((b.constant(b.u32, 1U) << lane) - 1U));
}

Value GroupWriter::shuffle(const Value& value, const Arg& from) {
  return b.subgroup(SubgroupOp::shuffle, value, from);
}

Value GroupWriter::first_lanes(const Value& value) {
  return b.subgroup(SubgroupOp::broadcast_first, value);
}

Value GroupWriter::add_once(const Ref& word, const Value& amount) {
  const Ref old = b.var("old", b.u32);
  b.if_(lane == 0U, [&] { old = word.atomic_add(amount); });
  return first_lanes(old);
}

void GroupWriter::append(const Value& is, const Value& vertex, control::Word counter,
                         const Value& half) {
  const Value all = b.let("all", ballot(is));
  b.if_(all != 0U, [&] {
    const Value first = add_once(w.word(counter), count_one_bits(all));
    const Value place = b.let("place", first + rank_in(all));
    b.if_(is && place < w.input(control::capacity),
          [&] { w.buffer(EngineBuffer::queue)[half + place] = vertex; });
  });
}

void GroupWriter::begin_counting(Counted counted) {
  reached_.emplace(b.var("reached", b.u32));
  edges_.emplace(b.var("edges", b.u32));
  counted_ = counted;
  // Only programs without `after` have crowds, which hubs keep from running.
  const bool has_crowds = w.has(&FrontierFunctions::visit) && !w.has(&FrontierFunctions::after);
  if (has_crowds) largest_.emplace(b.var("largest", b.u32));
}

void GroupWriter::count(const Value& vertex) {
  const Value degree = b.let("degree_of_it", w.degree(vertex));
  *reached_ += 1U;
  *edges_ += degree;
  if (largest_) *largest_ = max(*largest_, degree);
}

void GroupWriter::end_counting() {
  const Value reached = b.subgroup(SubgroupOp::add, *reached_);
  const Value edges = b.subgroup(SubgroupOp::add, *edges_);
  const Value largest = largest_ ? b.subgroup(SubgroupOp::max, *largest_) : Value();
  b.if_(lane == 0U && reached != 0U, [&] {
    if (counted_ == Counted::both) w.word(control::reached).atomic_add(reached);
    w.word(control::edges).atomic_add(edges);
    if (!largest_) return;
    b.if_(largest > kGroupHubSizes.edges, [&] { w.word(control::largest).atomic_max(largest); });
  });
}

void GroupWriter::reach(const Value& vertex, const Ref& fresh) {
  const Value bit = b.let("bit", b.constant(b.u32, 1U) << (vertex & kLastLane));
  const Ref word = w.buffer(EngineBuffer::bits)[w.input(control::out_bits) + (vertex >> kLaneBits)];
  fresh = (word.atomic_or(bit) & bit) == 0U;
}

// The edges of all lanes are numbered consecutively; those of a lane's vertex begin with number
// `before`. A lane without edges has the same `before` as the lane after it, so an edge belongs to
// the last lane whose `before` is not larger.
void GroupWriter::for_edges(const Value& vertex, const Value& first, const Value& degree,
                            const std::function<void(Value, Value, Value)>& body) {
  const Value before = b.subgroup(SubgroupOp::exclusive_add, degree);
  const Value all = b.subgroup(SubgroupOp::add, degree);
  const Value base = b.let("base", first - before);
  b.for_(
      "number", 0U, all,
      [&](const Value& begin) {
        const Value number = b.let("own_number", begin + lane);
        const Ref owner = b.var("owner", b.u32);
        for (std::uint32_t step = kSubgroupSize / 2; step != 0; step /= 2) {
          const Value ahead = shuffle(before, owner + step);
          b.if_(ahead <= number, [&] { owner += step; });
        }
        const Value source = shuffle(vertex, owner);
        const Value edge = b.let("edge", shuffle(base, owner) + number);
        body(source, edge, number < all);
      },
      kSubgroupSize);
}

}  // namespace vyre
