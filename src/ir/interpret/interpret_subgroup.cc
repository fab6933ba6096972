#include "vyre/ir/interpret/interpret_subgroup.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "vyre/ir/subgroup.h"

namespace vyre {
namespace {

// The position of an invocation in the program: for each function from the entry on, the enclosing
// loops with their iterations, then the instruction. A smaller position executes earlier, and
// invocations at equal positions execute together.
using Progress = std::vector<std::uint32_t>;

std::uint32_t word(const Invocation& invocation, Slot slot) {
  std::uint32_t out;
  std::memcpy(&out, invocation.memory + slot, sizeof(out));
  return out;
}

Progress progress(const FlatCode& code, const Invocation& invocation) {
  std::vector<Progress> frames;
  for (std::uint32_t at = invocation.next - 1;;) {
    const Site& site = code.sites.at(at);
    Progress& frame = frames.emplace_back();
    for (const Site::Loop& loop : site.loops) {
      frame.push_back(loop.start);
      frame.push_back(word(invocation, loop.iterations));
    }
    frame.push_back(at);
    if (site.return_address == 0) break;
    at = word(invocation, site.return_address) - 1;
  }
  Progress out;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    out.insert(out.end(), frame->begin(), frame->end());
  }
  return out;
}

std::uint64_t read_scalar(const std::byte* at, ScalarKind kind) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, kind == ScalarKind::f16 ? 2 : 4);
  return bits;
}

void write_scalar(std::byte* at, ScalarKind kind, std::uint64_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  std::memcpy(at, &bits, kind == ScalarKind::f16 ? 2 : 4);
}

void execute(const SubgroupCall& call, std::span<Invocation* const> together) {
  std::uint32_t active = 0;
  LaneBits lanes{};
  for (const Invocation* invocation : together) {
    const std::uint32_t lane = word(*invocation, kLocalIndexSlot) % kSubgroupSize;
    active |= 1U << lane;
    lanes[lane] = word(*invocation, call.lane);
  }
  for (std::size_t i = 0; i < call.result.scalars.size(); ++i) {
    const ScalarPlace& to = call.result.scalars[i];
    const bool has_value = i < call.value.scalars.size();
    const ScalarPlace from = has_value ? call.value.scalars[i] : ScalarPlace{};
    LaneBits value{};
    for (const Invocation* invocation : together) {
      if (!has_value) break;
      const std::uint32_t lane = word(*invocation, kLocalIndexSlot) % kSubgroupSize;
      value[lane] = read_scalar(invocation->memory + call.value.at + from.offset, from.kind);
    }
    // Only the first component of a ballot has lanes.
    const bool empty = call.op == SubgroupOp::ballot && i != 0;
    const LaneBits out =
        empty ? LaneBits{} : apply_subgroup(call.op, from.kind, active, value, lanes);
    for (const Invocation* invocation : together) {
      const std::uint32_t lane = word(*invocation, kLocalIndexSlot) % kSubgroupSize;
      write_scalar(invocation->memory + call.result.at + to.offset, to.kind, out[lane]);
    }
  }
}

}  // namespace

bool run_subgroups(const FlatCode& code, std::span<Invocation> all) {
  std::map<std::uint32_t, std::map<Progress, std::vector<Invocation*>>> waiting;
  for (Invocation& invocation : all) {
    if (invocation.ended || !invocation.in_subgroup) continue;
    const std::uint32_t subgroup = word(invocation, kLocalIndexSlot) / kSubgroupSize;
    waiting[subgroup][progress(code, invocation)].push_back(&invocation);
  }
  for (const auto& [subgroup, places] : waiting) {
    const std::vector<Invocation*>& together = places.begin()->second;
    const Instr& instr = code.instrs[together.front()->next - 1];
    execute(code.subgroups[instr.wide], together);
    for (Invocation* invocation : together) invocation->in_subgroup = false;
  }
  return !waiting.empty();
}

}  // namespace vyre
