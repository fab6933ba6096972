#include "vyre/ir/argument_rules.h"

#include <algorithm>

#include "vyre/ir/operation_internal.h"

namespace vyre {
namespace {

bool low_at_most_high(ScalarKind kind, Bits low, Bits high) {
  return with_number(kind, [&]<class N>(N) { return !(N::load(low) > N::load(high)); });
}

bool edges_differ(ScalarKind kind, Bits low, Bits high) {
  return with_float(kind, [&]<class N>(N) { return N::load(low) != N::load(high); });
}

bool bits_exist(ScalarKind, Bits offset, Bits count) { return offset + count <= 32; }

// At most one more than the bias of the format that is scaled.
bool exponent_exists(ScalarKind kind, Bits exponent, Bits) {
  const std::int64_t n = AbstractIntNumber::load(exponent);
  return with_float(kind, [&]<class N>(N) { return n <= N::kBias + 1; });
}

// A rule compares two arguments (or one with itself), component by component. `kind` is the kind of
// the function's first argument.
struct Rule {
  MathFn fn;
  std::uint8_t first, second;
  bool (*holds)(ScalarKind kind, Bits first, Bits second);
};
constexpr Rule kRules[] = {
    {MathFn::clamp, 1, 2, low_at_most_high},  {MathFn::smoothstep, 0, 1, edges_differ},
    {MathFn::extract_bits, 1, 2, bits_exist}, {MathFn::insert_bits, 2, 3, bits_exist},
    {MathFn::ldexp, 1, 1, exponent_exists},
};

}  // namespace

Fault argument_fault(MathFn fn, const TypeTable& types, std::span<const Operand> arguments) {
  const auto* rule = std::ranges::find(kRules, fn, &Rule::fn);
  if (rule == std::end(kRules)) return Fault::none;
  const ScalarKind kind = shape_of(types, arguments[0].type).kind;
  const auto first = arguments[rule->first].scalars, second = arguments[rule->second].scalars;
  const bool narrow =
      fn == MathFn::ldexp && shape_of(types, arguments[1].type).kind == ScalarKind::i32;
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    const Bits a = narrow ? AbstractIntNumber::store(I32Number::load(first[i])) : first[i];
    if (!rule->holds(kind, a, second[i])) return Fault::order;
  }
  return Fault::none;
}

std::uint32_t lane_limit(SubgroupOp op) { return op == SubgroupOp::quad_broadcast ? 4 : 128; }

Fault right_side_fault(BinaryOp op, const TypeTable& types, Operand right) {
  const bool divides = op == BinaryOp::div || op == BinaryOp::rem;
  if (divides && is_integer(shape_of(types, right.type).kind) &&
      std::ranges::find(right.scalars, Bits{0}) != right.scalars.end()) {
    return Fault::division_by_zero;
  }
  const bool shifts = op == BinaryOp::shift_left || op == BinaryOp::shift_right;
  if (shifts && std::ranges::any_of(right.scalars, [](Bits n) { return n >= 32; })) {
    return Fault::shift_too_large;
  }
  return Fault::none;
}

}  // namespace vyre
