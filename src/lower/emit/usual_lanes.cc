#include <bit>

#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/usual_lanes_internal.h"

namespace vyre {

using llvm::Value;

namespace {

Value* both_hold(llvm::IRBuilder<>& b, Value* x, Value* y) {
  if (x == nullptr) return y;
  return y == nullptr ? x : b.CreateAnd(x, y);
}

// i64: the first and the last lane's value.
struct FirstAndLast {
  Value* first;
  Value* last;
};

FirstAndLast ends_of(EmitContext& e, bool is_signed, const UsualLanes& lanes) {
  auto& b = e.b;
  Value* first = is_signed ? b.CreateSExt(lanes.base, b.getInt64Ty())
                           : b.CreateZExt(lanes.base, b.getInt64Ty());
  const auto further = static_cast<std::uint64_t>(lanes.stride) * (e.width - 1);
  return {first, b.CreateAdd(first, b.getInt64(further))};
}

Value* widened(EmitContext& e, bool is_signed, Value* v) {
  return is_signed ? e.b.CreateSExt(v, e.b.getInt64Ty()) : e.b.CreateZExt(v, e.b.getInt64Ty());
}

bool is_constant(const UsualLanes& lanes) {
  return lanes.base != nullptr && lanes.stride == 0 && lanes.when == nullptr &&
         llvm::isa<llvm::ConstantInt>(lanes.base);
}

UsualLanes sum(EmitContext& e, BinaryOp op, const UsualLanes& x, const UsualLanes& y) {
  const bool adds = op == BinaryOp::add;
  return {adds ? e.b.CreateAdd(x.base, y.base) : e.b.CreateSub(x.base, y.base),
          adds ? x.stride + y.stride : x.stride - y.stride, both_hold(e.b, x.when, y.when)};
}

UsualLanes product(EmitContext& e, const UsualLanes& x, const UsualLanes& y) {
  UsualLanes out{nullptr, 0, both_hold(e.b, x.when, y.when)};
  if (x.stride != 0 && !is_constant(y)) return {};
  if (x.stride != 0) {
    const std::int64_t factor = llvm::cast<llvm::ConstantInt>(y.base)->getSExtValue();
    constexpr std::int64_t kMost = 1 << 16;
    if (factor > kMost || factor < -kMost) return {};
    out.stride = x.stride * factor;
  } else if (y.stride != 0) {
    return product(e, y, x);
  }
  out.base = e.b.CreateMul(x.base, y.base);
  return out;
}

// All lanes have the same quotient: remainders count up together.
UsualLanes divided(EmitContext& e, BinaryOp op, bool is_signed, const UsualLanes& x, Value* by) {
  auto& b = e.b;
  if (x.stride < 0) return {};
  Value* divisor = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, by, b.getInt32(1));
  Value* quotient = b.CreateUDiv(x.base, divisor);
  Value* first = b.CreateSub(x.base, b.CreateMul(quotient, divisor));
  UsualLanes rest{first, x.stride, x.when};
  Value* below = b.CreateICmpULT(ends_of(e, false, rest).last, widened(e, false, by));
  const std::uint64_t limit = is_signed ? 0x7FFFFFFF : 0xFFFFFFFF;
  Value* last = ends_of(e, false, x).last;
  Value* when = b.CreateAnd(below, b.CreateICmpULE(last, b.getInt64(limit)));
  if (is_signed) when = b.CreateAnd(when, b.CreateICmpSGT(by, b.getInt32(0)));
  when = both_hold(b, x.when, when);
  if (op == BinaryOp::rem) return {first, x.stride, when};
  return {quotient, 0, when};
}

// Bit operations that keep lanes in order if x begins at a multiple of the gang width, so that its
// lanes differ only in the low bits.
UsualLanes of_bits(EmitContext& e, BinaryOp op, bool is_signed, const UsualLanes& x, Value* y) {
  auto& b = e.b;
  if (x.stride != 1) return {};
  const std::uint32_t low = e.width - 1;
  const auto low_bits = [&](Value* v, std::uint32_t are) {
    return b.CreateICmpEQ(b.CreateAnd(v, b.getInt32(low)), b.getInt32(are));
  };
  UsualLanes out{nullptr, 1, both_hold(b, x.when, low_bits(x.base, 0))};
  const auto also = [&](Value* condition) { out.when = both_hold(b, out.when, condition); };
  switch (op) {
    case BinaryOp::bit_and:
      also(low_bits(y, low));
      out.base = b.CreateAnd(x.base, y);
      break;
    case BinaryOp::bit_or:
      also(low_bits(y, 0));
      out.base = b.CreateOr(x.base, y);
      break;
    case BinaryOp::bit_xor:
      also(low_bits(y, 0));
      out.base = b.CreateXor(x.base, y);
      break;
    case BinaryOp::shift_right: {
      Value* by = b.CreateAnd(y, b.getInt32(31));
      also(b.CreateICmpUGE(by, b.getInt32(static_cast<std::uint32_t>(std::countr_one(low)))));
      out.base = is_signed ? b.CreateAShr(x.base, by) : b.CreateLShr(x.base, by);
      out.stride = 0;
      break;
    }
    default: return {};
  }
  return out;
}

UsualLanes combined(EmitContext& e, BinaryOp op, bool is_signed, const UsualLanes& x,
                    const UsualLanes& y) {
  const bool y_is_uniform = y.stride == 0 && y.when == nullptr;
  const bool x_is_uniform = x.stride == 0 && x.when == nullptr;
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::sub: return sum(e, op, x, y);
    case BinaryOp::mul: return product(e, x, y);
    case BinaryOp::shift_left: {
      if (!is_constant(y)) {
        if (x.stride != 0 || !y_is_uniform) return {};
        Value* by = e.b.CreateAnd(y.base, e.b.getInt32(31));
        return {e.b.CreateShl(x.base, by), 0, x.when};
      }
      const auto by = llvm::cast<llvm::ConstantInt>(y.base)->getZExtValue() & 31;
      if (by > 16) return {};
      return product(e, x, {e.b.getInt32(1U << by), 0, nullptr});
    }
    case BinaryOp::div:
    case BinaryOp::rem: return y_is_uniform ? divided(e, op, is_signed, x, y.base) : UsualLanes{};
    case BinaryOp::shift_right:
      return y_is_uniform ? of_bits(e, op, is_signed, x, y.base) : UsualLanes{};
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor:
      if (y_is_uniform) return of_bits(e, op, is_signed, x, y.base);
      return x_is_uniform ? of_bits(e, op, is_signed, y, x.base) : UsualLanes{};
    default: return {};
  }
}

// Whether indices that usually follow each other get code of their own.
bool looks_at_lanes(const EmitContext& e) { return e.width > 1 && e.emits_usual && !e.at_row_end; }

void set_usual(Leaf& out, const UsualLanes& lanes) {
  if (lanes.base == nullptr || lanes.when == nullptr) return;
  out.usual = {lanes.base, lanes.stride};
  out.usual_if = lanes.when;
}

}  // namespace

UsualLanes usual_lanes(const Leaf& leaf) {
  if (!leaf.varying) return {leaf.value, 0, nullptr};
  if (leaf.linear.base != nullptr) return {leaf.linear.base, leaf.linear.stride, nullptr};
  return {leaf.usual.base, leaf.usual.stride, leaf.usual_if};
}

void add_usual_lanes(EmitContext& e, BinaryOp op, bool is_signed, const Leaf& x, const Leaf& y,
                     Leaf& out) {
  if (!looks_at_lanes(e) || !out.varying || out.linear.base != nullptr) return;
  const UsualLanes left = usual_lanes(x);
  const UsualLanes right = usual_lanes(y);
  if (left.base == nullptr || right.base == nullptr) return;
  set_usual(out, combined(e, op, is_signed, left, right));
}

void add_usual_lanes(EmitContext& e, llvm::Intrinsic::ID id, const Leaf& x, const Leaf& y,
                     Leaf& out) {
  if (!looks_at_lanes(e) || !out.varying) return;
  UsualLanes lanes = usual_lanes(x);
  UsualLanes other = usual_lanes(y);
  if (lanes.base == nullptr || other.base == nullptr) return;
  if (lanes.stride == 0 && lanes.when == nullptr) std::swap(lanes, other);
  if (other.stride != 0 || other.when != nullptr || lanes.stride < 0) return;
  auto& b = e.b;
  const bool is_signed = id == llvm::Intrinsic::smin || id == llvm::Intrinsic::smax;
  const bool is_min = id == llvm::Intrinsic::smin || id == llvm::Intrinsic::umin;
  const auto [first, last] = ends_of(e, is_signed, lanes);
  Value* bound = widened(e, is_signed, other.base);
  Value* when = is_min ? b.CreateICmpSLE(last, bound) : b.CreateICmpSGE(first, bound);
  const std::uint64_t limit = is_signed ? 0x7FFFFFFF : 0xFFFFFFFF;
  if (!is_min) when = b.CreateAnd(when, b.CreateICmpSLE(last, b.getInt64(limit)));
  lanes.when = both_hold(b, lanes.when, when);
  set_usual(out, lanes);
}

void add_usual_choice(EmitContext& e, const Leaf& condition, const Leaf& x, const Leaf& y,
                      Leaf& out) {
  if (!looks_at_lanes(e) || !out.varying || !condition.varying) return;
  const UsualLanes on = usual_lanes(x);
  const UsualLanes off = usual_lanes(y);
  const bool takes_on =
      on.base != nullptr && on.stride != 0 && (off.base == nullptr || off.stride == 0);
  UsualLanes lanes = takes_on ? on : off;
  if (lanes.base == nullptr || !lanes.base->getType()->isIntegerTy(32)) return;
  auto& b = e.b;
  llvm::Type* bits = b.getIntNTy(e.width);
  Value* holds = b.CreateBitCast(vector_of(e, condition), bits);
  Value* when = b.CreateICmpEQ(
      holds, takes_on ? llvm::Constant::getAllOnesValue(bits) : llvm::Constant::getNullValue(bits));
  lanes.when = both_hold(b, lanes.when, when);
  set_usual(out, lanes);
}

void add_usual_place(EmitContext& e, const Pointer& base, const Leaf& index, std::uint64_t scale,
                     Value* count, Pointer& out) {
  out.usual = {};
  out.usual_if = nullptr;
  if (!looks_at_lanes(e) || e.wide_offsets || base.kind != Pointer::Kind::shared) return;
  const UsualLanes steps = usual_lanes(index);
  if (steps.base == nullptr || steps.stride < 0) return;
  UsualLanes from{base.usual.base, base.usual.stride, base.usual_if};
  if (from.base == nullptr) {
    if (base.inside.varying || base.pending.base != nullptr) return;
    from = usual_lanes(base.offset);
    if (from.base == nullptr || from.stride < 0) return;
  }
  if (steps.when == nullptr && from.when == nullptr) return;
  auto& b = e.b;
  Value* when = both_hold(b, from.when, steps.when);
  if (base.usual.base == nullptr) when = both_hold(b, when, base.inside.value);
  if (count != nullptr) {
    Value* below = b.CreateICmpULT(ends_of(e, false, steps).last, widened(e, false, count));
    when = b.CreateAnd(when, below);
  }
  out.usual = {b.CreateAdd(from.base,
                           b.CreateMul(steps.base, b.getInt32(static_cast<std::uint32_t>(scale)))),
               from.stride + steps.stride * static_cast<std::int64_t>(scale)};
  out.usual_if = when;
}

}  // namespace vyre
