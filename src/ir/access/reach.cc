#include "vyre/ir/access/reach.h"

#include <algorithm>

#include "vyre/ir/buffer_layout.h"

namespace vyre {
namespace {

// The bytes of an access inside of its buffer.
BufferReach reach_of(const Program& program, const ValueNumbers& numbers, const MemoryAccess& a) {
  BufferReach out{.global = a.global, .high = kWholeBuffer};
  out.writes =
      a.kind == AccessKind::store || (a.kind == AccessKind::atomic && a.atomic != AtomicOp::load);
  if (a.kind == AccessKind::atomic && !a.result_used) {
    out.commutes = static_cast<std::uint8_t>(order_class(a.atomic));
  }
  const TypeTable& types = program.types;
  const TypeId type = program[a.global].type;
  const BufferLayout layout = buffer_layout(types, type);
  bool is_element = layout.is_array && a.element == 1;
  if (!layout.is_array && layout.runtime_sized && a.element == 2) {
    const auto* whole = types.get_if<StructType>(type);
    const auto member = numbers.known(a.path[0]);
    is_element = whole != nullptr && member &&
                 *member + 1 == static_cast<std::int64_t>(whole->members.size());
  }
  if (!is_element) return out;
  const AxisBounds& at = a.along_slowest;
  const auto stride = static_cast<std::int64_t>(layout.stride);
  const auto header = static_cast<std::int64_t>(layout.header_bytes);
  std::int64_t factor = 0, low = 0, high = 0;
  if (__builtin_mul_overflow(at.factor, stride, &factor) ||
      __builtin_mul_overflow(at.low, stride, &low) ||
      __builtin_mul_overflow(at.high + 1, stride, &high) || factor < 0 || factor > kWholeBuffer ||
      low < -kWholeBuffer || high > kWholeBuffer - header) {
    return out;
  }
  out.factor = factor;
  out.low = header + low;
  out.high = header + high;
  return out;
}

}  // namespace

int order_class(AtomicOp op) {
  switch (op) {
    case AtomicOp::add:
    case AtomicOp::sub: return 1;
    case AtomicOp::max: return 2;
    case AtomicOp::min: return 3;
    case AtomicOp::bit_and: return 4;
    case AtomicOp::bit_or: return 5;
    case AtomicOp::bit_xor: return 6;
    default: return 0;
  }
}

std::optional<std::vector<BufferReach>> find_reach(const Program& program,
                                                   const LaunchFacts& facts) {
  ValueNumbers numbers;
  const Accesses accesses = find_accesses(program, facts, numbers);
  if (!accesses.complete) return std::nullopt;
  std::vector<BufferReach> out;
  const auto add = [&](const BufferReach& more) {
    const auto known = std::ranges::find_if(out, [&](const BufferReach& r) {
      return r.global == more.global && r.writes == more.writes && r.commutes == more.commutes &&
             r.factor == more.factor;
    });
    if (known == out.end()) {
      out.push_back(more);
    } else {
      known->low = std::min(known->low, more.low);
      known->high = std::max(known->high, more.high);
    }
  };
  for (std::uint32_t g = 0; g < program.globals.size(); ++g) {
    if (program.globals[g].memory != MemoryKind::uniform) continue;
    add({.global = GlobalId{g}, .high = kWholeBuffer});
  }
  for (const MemoryAccess& a : accesses.all) add(reach_of(program, numbers, a));
  return out;
}

}  // namespace vyre
