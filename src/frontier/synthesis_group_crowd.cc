// Rounds of frontiers that are too large for one workgroup, one after the other in one launch.
// Workgroups run together and wait for each other after each round, at a word that counts up.
#include "vyre/frontier/synthesis_group_internal.h"
#include "vyre/ir/builder/builder_math.h"

namespace vyre {
namespace {

constexpr std::uint32_t kGoesOn =
    0x80000000;  // a flag beside the number of vertices: the rounds go on

void swap(ProgramBuilder& b, const Ref& left, const Ref& right) {
  const Value was = b.let("was", left.load());
  left = right;
  right = was;
}

// Returns when every workgroup has called it `times` times. What they stored before is then
// visible.
void write_wait(KernelWriter& w, const Value& times) {
  ProgramBuilder& b = w.b;
  const Ref arrived = w.buffer(EngineBuffer::control)[control::kCrowdWord];
  const Value all = b.let("all_arrived", times * w.input(control::workers));
  arrived.atomic_add(1U, Order::acquire_release);
  b.while_([&] { return arrived.atomic_load(Order::acquire) < all; }, [] {});
}

}  // namespace

void write_group_crowd(KernelWriter& w) {
  GroupWriter g(w, GroupWriter::Order::across);
  ProgramBuilder& b = w.b;
  const Ref round = w.make_variable(control::round, "round");
  const Ref count = w.make_variable(control::count, "count");
  const Ref bank = w.make_variable(control::bank, "bank");
  const Ref in_queue = w.make_variable(control::in_queue, "in_queue");
  const Ref out_queue = w.make_variable(control::out_queue, "out_queue");
  const Ref in_bits = w.make_variable(control::in_bits, "in_bits");
  const Ref out_bits = w.make_variable(control::out_bits, "out_bits");
  // Nobody would take the pieces of a hub. The host starts no crowd for a frontier that has one.
  const Ref hub = w.make_variable(control::hub, "hub");
  hub = 0xFFFFFFFFU;
  const Ref done = b.var("done", b.u32);
  const Ref edges = b.var("frontier_edges", w.input(control::frontier_edges));
  const Ref largest = b.var("largest_left", b.u32);
  const Ref next = b.workgroup("crowd_next", b.u32);
  const Ref shared_edges = b.workgroup("crowd_edges", b.u32);
  b.if_(b.local_index() == 0U, [&] { shared_edges = edges; });
  b.workgroup_barrier();
  const Ref records = w.buffer(EngineBuffer::records);
  const Value leads = b.let("leads", b.global_id().x() == 0U);
  b.loop([&] {
    b.if_(leads, [&] {
      const Value at = b.let("record", kSoloResults + done * kSoloRecordWords);
      records[at] = count;
      records[at + 1U] = edges;
    });
    g.clear_next_bank();
    g.begin_counting(GroupWriter::Counted::edges);
    // A subgroup takes as many vertices at a time as give each lane an edge, or more if there are
    // few subgroups.
    const Value all_edges = g.first_lanes(shared_edges);
    const Value filling = count * kSubgroupSize / max(all_edges, 1U);
    const Value each = b.let("each", clamp(max(count / g.subgroups, filling), 1U, kSubgroupSize));
    write_queue_edges(g, each, true);
    g.end_counting();
    b.storage_barrier();
    b.if_(b.local_index() == 0U, [&] {
      write_wait(w, done + 1U);
      const Value vertices = b.let("vertices", w.word(control::appended).atomic_load());
      edges = w.word(control::edges).atomic_load();
      shared_edges = edges;
      largest = w.word(control::largest).atomic_load();
      const Value goes_on =
          vertices > w.input(control::chunk) && vertices <= w.input(control::solo_vertices) &&
          edges <= w.input(control::solo_edges) && largest <= kGroupHubSizes.edges &&
          done + 1U < w.input(control::solo_rounds);
      next = vertices | b.select(0U, kGoesOn, goes_on);
    });
    const Value state = b.let("state", b.uniform_load(next));
    count = state & (kGoesOn - 1U);
    swap(b, in_queue, out_queue);
    swap(b, in_bits, out_bits);
    round += 1U;
    done += 1U;
    bank = (bank + 1U) % control::kBanks;
    b.if_((state & kGoesOn) == 0U, [&] { b.break_(); });
  });
  b.if_(leads, [&] {
    records[kSoloLeft] = count;
    records[kSoloLeftEdges] = edges;
    records[kSoloLeftLargest] = largest;
    records[kSoloDone] = done;
  });
}

}  // namespace vyre
