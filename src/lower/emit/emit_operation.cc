#include <llvm/IR/IntrinsicsNVPTX.h>

#include <bit>

#include "vyre/lower/emit/elementary_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_operation_internal.h"
#include "vyre/lower/emit/usual_lanes_internal.h"

namespace vyre {

using llvm::Value;

namespace {

llvm::Type* with_scalar(llvm::Type* like, llvm::Type* scalar) {
  if (auto* v = llvm::dyn_cast<llvm::FixedVectorType>(like)) {
    return llvm::FixedVectorType::get(scalar, v->getNumElements());
  }
  return scalar;
}

// f16 arithmetic is f32 arithmetic rounded after each operation.
template <class F>
Value* through_f32(llvm::IRBuilder<>& b, ScalarKind kind, llvm::ArrayRef<Value*> v, F f) {
  if (kind != ScalarKind::f16) return f(v);
  llvm::SmallVector<Value*, 3> wide;
  for (Value* x : v) wide.push_back(b.CreateFPExt(x, with_scalar(x->getType(), b.getFloatTy())));
  Value* out = f(llvm::ArrayRef<Value*>(wide));
  if (!out->getType()->isFPOrFPVectorTy()) return out;
  return b.CreateFPTrunc(out, v[0]->getType());
}

Value* splat(llvm::IRBuilder<>&, llvm::Type* type, std::uint64_t bits) {
  return llvm::ConstantInt::get(type, bits);
}

// Replaces divisors so that WGSL's rules hold: x / 0 = x, MIN / -1 = MIN, both remainders 0.
Value* safe_divisor(llvm::IRBuilder<>& b, bool is_signed, Value* x, Value* y) {
  llvm::Type* t = x->getType();
  Value* bad = b.CreateICmpEQ(y, splat(b, t, 0));
  if (is_signed) {
    Value* overflow = b.CreateAnd(b.CreateICmpEQ(x, splat(b, t, 0x80000000U)),
                                  b.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(t)));
    bad = b.CreateOr(bad, overflow);
  }
  return b.CreateSelect(bad, splat(b, t, 1), y);
}

// There is no vector instruction for integer division; doubles hold 32-bit quotients exactly.
Value* divide(llvm::IRBuilder<>& b, bool is_signed, Value* x, Value* y) {
  Value* d = safe_divisor(b, is_signed, x, y);
  if (!x->getType()->isVectorTy() || llvm::isa<llvm::Constant>(d)) {
    return is_signed ? b.CreateSDiv(x, d) : b.CreateUDiv(x, d);
  }
  llvm::Type* doubles = with_scalar(x->getType(), b.getDoubleTy());
  Value* dx = is_signed ? b.CreateSIToFP(x, doubles) : b.CreateUIToFP(x, doubles);
  Value* dy = is_signed ? b.CreateSIToFP(d, doubles) : b.CreateUIToFP(d, doubles);
  Value* q = b.CreateFDiv(dx, dy);
  return is_signed ? b.CreateFPToSI(q, x->getType()) : b.CreateFPToUI(q, x->getType());
}

Value* remainder(llvm::IRBuilder<>& b, bool is_signed, Value* x, Value* y) {
  Value* d = safe_divisor(b, is_signed, x, y);
  if (!x->getType()->isVectorTy() || llvm::isa<llvm::Constant>(d)) {
    return is_signed ? b.CreateSRem(x, d) : b.CreateURem(x, d);
  }
  return b.CreateSub(x, b.CreateMul(divide(b, is_signed, x, y), d));
}

Value* integer(llvm::IRBuilder<>& b, BinaryOp op, bool is_signed, Value* x, Value* y) {
  using P = llvm::CmpInst::Predicate;
  Value* by = nullptr;
  if (op == BinaryOp::shift_left || op == BinaryOp::shift_right) {
    by = b.CreateAnd(y, splat(b, y->getType(), 31));
  }
  switch (op) {
    case BinaryOp::add: return b.CreateAdd(x, y);
    case BinaryOp::sub: return b.CreateSub(x, y);
    case BinaryOp::mul: return b.CreateMul(x, y);
    case BinaryOp::div: return divide(b, is_signed, x, y);
    case BinaryOp::rem: return remainder(b, is_signed, x, y);
    case BinaryOp::equal: return b.CreateICmpEQ(x, y);
    case BinaryOp::not_equal: return b.CreateICmpNE(x, y);
    case BinaryOp::less: return b.CreateICmp(is_signed ? P::ICMP_SLT : P::ICMP_ULT, x, y);
    case BinaryOp::less_equal: return b.CreateICmp(is_signed ? P::ICMP_SLE : P::ICMP_ULE, x, y);
    case BinaryOp::greater: return b.CreateICmp(is_signed ? P::ICMP_SGT : P::ICMP_UGT, x, y);
    case BinaryOp::greater_equal: return b.CreateICmp(is_signed ? P::ICMP_SGE : P::ICMP_UGE, x, y);
    case BinaryOp::logical_and:
    case BinaryOp::bit_and: return b.CreateAnd(x, y);
    case BinaryOp::logical_or:
    case BinaryOp::bit_or: return b.CreateOr(x, y);
    case BinaryOp::bit_xor: return b.CreateXor(x, y);
    case BinaryOp::shift_left: return b.CreateShl(x, by);
    case BinaryOp::shift_right: return is_signed ? b.CreateAShr(x, by) : b.CreateLShr(x, by);
  }
  return nullptr;
}

Value* floating(EmitContext& e, BinaryOp op, Value* x, Value* y) {
  auto& b = e.b;
  switch (op) {
    case BinaryOp::add: return b.CreateFAdd(x, y);
    case BinaryOp::sub: return b.CreateFSub(x, y);
    case BinaryOp::mul: return b.CreateFMul(x, y);
    case BinaryOp::div: return emit_divide(e, x, y);
    case BinaryOp::rem: return emit_float_remainder(b, x, y, e.gpu.has_value());
    case BinaryOp::equal: return b.CreateFCmpOEQ(x, y);
    case BinaryOp::not_equal: return b.CreateFCmpUNE(x, y);
    case BinaryOp::less: return b.CreateFCmpOLT(x, y);
    case BinaryOp::less_equal: return b.CreateFCmpOLE(x, y);
    case BinaryOp::greater: return b.CreateFCmpOGT(x, y);
    case BinaryOp::greater_equal: return b.CreateFCmpOGE(x, y);
    default: return nullptr;
  }
}

// Infinities and values out of range become the largest value both types hold. NaN stays NaN.
Value* held_to_integers(llvm::IRBuilder<>& b, ScalarKind from, ScalarKind to, Value* x) {
  const bool half = from == ScalarKind::f16;
  const double high = half ? 65504.0 : (to == ScalarKind::i32 ? 2147483520.0 : 4294967040.0);
  Value* most = llvm::ConstantFP::get(x->getType(), high);
  x = b.CreateSelect(b.CreateFCmpOGT(x, most), most, x);
  if (!half) return x;
  Value* least = llvm::ConstantFP::get(x->getType(), -high);
  return b.CreateSelect(b.CreateFCmpOLT(x, least), least, x);
}

std::uint64_t max_of(BinaryOp op, const Leaf& x, const Leaf& y) {
  constexpr std::uint64_t kAny = 0xFFFFFFFFU;
  std::uint64_t m = kAny;
  switch (op) {
    case BinaryOp::add: m = x.max + y.max; break;
    case BinaryOp::mul: m = x.max * y.max; break;
    case BinaryOp::bit_and: m = std::min(x.max, y.max); break;
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor: m = std::bit_ceil(std::max(x.max, y.max) + 1) - 1; break;
    case BinaryOp::rem:
      if (y.value != nullptr && llvm::isa<llvm::ConstantInt>(y.value) && y.max > 0) {
        m = std::min(x.max, y.max - 1);
      }
      break;
    case BinaryOp::div: m = x.max; break;
    case BinaryOp::shift_right:
      if (y.value != nullptr && llvm::isa<llvm::ConstantInt>(y.value)) m = x.max >> (y.max & 31U);
      break;
    case BinaryOp::shift_left:
      if (y.value != nullptr && llvm::isa<llvm::ConstantInt>(y.value)) m = x.max << (y.max & 31U);
      break;
    default: break;
  }
  return m > kAny ? kAny : m;
}

std::optional<std::int64_t> constant_of(const Leaf& leaf) {
  if (leaf.varying || leaf.value == nullptr) return std::nullopt;
  if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(leaf.value)) return c->getSExtValue();
  return std::nullopt;
}

}  // namespace

Value* most_of(EmitContext& e, const Leaf& leaf) {
  if (leaf.most != nullptr) return leaf.most;
  if (leaf.row_invariant && !leaf.varying) return leaf.value;
  constexpr std::uint64_t kAny = 0xFFFFFFFFU;
  return leaf.max < kAny ? e.b.getInt32(static_cast<std::uint32_t>(leaf.max)) : nullptr;
}

Leaf emit_unary(EmitContext& e, UnaryOp op, ScalarKind kind, const Leaf& a) {
  if (op == UnaryOp::logical_not) return negated(e, a);
  return lift(e, {a}, [&](auto v) -> Value* {
    if (op == UnaryOp::bit_not) return e.b.CreateNot(v[0]);
    return is_float(kind) ? e.b.CreateFNeg(v[0]) : e.b.CreateNeg(v[0]);
  });
}

namespace {

// Keeps what is known about base + lane·stride through +, - and multiplication by a constant.
Linear linear_result(EmitContext& e, BinaryOp op, const Leaf& x, const Leaf& y) {
  const auto stride_of = [](const Leaf& l) { return l.varying ? l.linear.stride : 0; };
  const auto base_of = [](const Leaf& l) { return l.varying ? l.linear.base : l.value; };
  const auto is_linear = [](const Leaf& l) { return !l.varying || l.linear.base != nullptr; };
  if (!is_linear(x) || !is_linear(y)) return {};
  if (op == BinaryOp::add || op == BinaryOp::sub) {
    const std::int64_t sign = op == BinaryOp::add ? 1 : -1;
    Value* base = op == BinaryOp::add ? e.b.CreateAdd(base_of(x), base_of(y))
                                      : e.b.CreateSub(base_of(x), base_of(y));
    return {base, stride_of(x) + sign * stride_of(y)};
  }
  std::optional<std::int64_t> factor;
  const Leaf* other = &x;
  if (op == BinaryOp::mul) {
    factor = constant_of(y);
    if (!factor) {
      factor = constant_of(x);
      other = &y;
    }
  } else if (op == BinaryOp::shift_left) {
    if (auto by = constant_of(y)) factor = std::int64_t{1} << (*by & 31);
  }
  if (!factor || !other->varying || *factor > 1 << 16 || *factor < -(1 << 16)) return {};
  return {e.b.CreateMul(other->linear.base, e.b.getInt32(static_cast<std::uint32_t>(*factor))),
          other->linear.stride * *factor};
}

AlongRow along_row_result(EmitContext& e, BinaryOp op, const Leaf& x, const Leaf& y) {
  if (op != BinaryOp::add && op != BinaryOp::sub) return {};
  const Leaf* row = &x;
  const Leaf* other = &y;
  if (!row->along_row.known && op == BinaryOp::add) std::swap(row, other);
  if (!row->along_row.known || other->along_row.known || !other->row_invariant || other->varying) {
    return {};
  }
  AlongRow out = row->along_row;
  const std::int64_t sign = op == BinaryOp::add ? 1 : -1;
  if (const auto c = constant_of(*other)) {
    out.offset += sign * *c;
    return out;
  }
  llvm::IRBuilder<>::InsertPointGuard guard(e.b);
  e.b.SetInsertPoint(e.row_start);
  Value* before = out.row != nullptr ? out.row : e.b.getInt32(0);
  out.row = sign > 0 ? e.b.CreateAdd(before, other->value) : e.b.CreateSub(before, other->value);
  return out;
}

// A bound of the exact sum or product holds for the wrapped one too, which is never larger.
Value* most_result(EmitContext& e, BinaryOp op, bool is_signed, const Leaf& x, const Leaf& y) {
  if (!e.rows_tested || (x.row_invariant && y.row_invariant)) return nullptr;
  Value* a = most_of(e, x);
  Value* b = most_of(e, y);
  llvm::IRBuilder<>::InsertPointGuard guard(e.b);
  e.b.SetInsertPoint(e.row_start);
  const auto least = [&](Value* v, Value* w) {
    return e.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v, w);
  };
  const auto below = [&](Value* v, Value* w) {  // v if w is unknown
    return w == nullptr ? v : least(v, w);
  };
  switch (op) {
    case BinaryOp::add:
      if (a == nullptr || b == nullptr) return nullptr;
      return e.b.CreateBinaryIntrinsic(llvm::Intrinsic::uadd_sat, a, b);
    case BinaryOp::mul: {
      if (a == nullptr || b == nullptr) return nullptr;
      llvm::Type* wide = e.b.getInt64Ty();
      Value* product = e.b.CreateMul(e.b.CreateZExt(a, wide), e.b.CreateZExt(b, wide));
      return e.b.CreateTrunc(least(product, e.b.getInt64(0xFFFFFFFFU)), e.b.getInt32Ty());
    }
    case BinaryOp::bit_and:
      if (a == nullptr) return b;
      return below(a, b);
    case BinaryOp::rem:  // x % 0 is 0
      if (is_signed || b == nullptr) return nullptr;
      return below(e.b.CreateSub(b, e.b.getInt32(1)), a);
    case BinaryOp::div:
    case BinaryOp::shift_right: return is_signed ? nullptr : a;
    default: return nullptr;
  }
}

// Adds what a comparison of base + lane with a uniform value says about all lanes at once.
void add_lane_knowledge(EmitContext& e, BinaryOp op, bool is_signed, const Leaf& x, const Leaf& y,
                        Leaf& out) {
  const bool left = x.varying && x.linear.base != nullptr && x.linear.stride == 1 && !y.varying;
  if (!left) return;
  auto& b = e.b;
  // The comparison is made in 64 bits, because the last lane may wrap in 32 bits; nothing is known
  // then.
  const auto widen = [&](Value* v) {
    return is_signed ? b.CreateSExt(v, b.getInt64Ty()) : b.CreateZExt(v, b.getInt64Ty());
  };
  Value* first = widen(x.linear.base);
  Value* last = b.CreateAdd(first, b.getInt64(e.width - 1));
  Value* limit = is_signed ? b.getInt64(0x7FFFFFFF) : b.getInt64(0xFFFFFFFFU);
  Value* no_wrap = b.CreateICmpSLE(last, limit);
  Value* n = widen(y.value);
  switch (op) {
    case BinaryOp::less:
      out.all = b.CreateAnd(no_wrap, b.CreateICmpSLT(last, n));
      out.none = b.CreateAnd(no_wrap, b.CreateICmpSGE(first, n));
      break;
    case BinaryOp::less_equal:
      out.all = b.CreateAnd(no_wrap, b.CreateICmpSLE(last, n));
      out.none = b.CreateAnd(no_wrap, b.CreateICmpSGT(first, n));
      break;
    case BinaryOp::greater_equal:
      out.all = b.CreateAnd(no_wrap, b.CreateICmpSGE(first, n));
      out.none = b.CreateAnd(no_wrap, b.CreateICmpSLT(last, n));
      break;
    case BinaryOp::greater:
      out.all = b.CreateAnd(no_wrap, b.CreateICmpSGT(first, n));
      out.none = b.CreateAnd(no_wrap, b.CreateICmpSLE(last, n));
      break;
    default: break;
  }
}

// x < n and x >= n, where x moves along the row and n does not: known for all x once x < n was
// tested for the last of them. Likewise for a thread's y and z.
void add_held(EmitContext& e, BinaryOp op, const Leaf& x, const Leaf& n, Leaf& out) {
  if (!e.rows_tested || !n.row_invariant || n.varying) return;
  if (op != BinaryOp::less && op != BinaryOp::greater_equal) return;
  RowRequirement held;
  held.count = n.value;
  if (x.along_row.known) {
    held.along = x.along_row;
  } else if (e.gpu && (x.value == e.ids.global[1].value || x.value == e.ids.global[2].value)) {
    held.position = x.value;
  } else {
    return;
  }
  out.held = std::make_shared<std::vector<RowRequirement>>(1, held);
  out.rest = e.b.getInt1(op == BinaryOp::less);
}

BinaryOp mirrored(BinaryOp op) {
  switch (op) {
    case BinaryOp::less: return BinaryOp::greater;
    case BinaryOp::less_equal: return BinaryOp::greater_equal;
    case BinaryOp::greater: return BinaryOp::less;
    case BinaryOp::greater_equal: return BinaryOp::less_equal;
    default: return op;
  }
}

}  // namespace

Leaf emit_binary(EmitContext& e, BinaryOp op, ScalarKind kind, const Leaf& x, const Leaf& y) {
  if (is_float(kind)) {
    return lift(e, {x, y}, [&](auto v) {
      return through_f32(e.b, kind, v, [&](auto w) { return floating(e, op, w[0], w[1]); });
    });
  }
  if (kind == ScalarKind::boolean) {
    if (op == BinaryOp::bit_and || op == BinaryOp::logical_and) return both(e, x, y);
    if (op == BinaryOp::bit_or || op == BinaryOp::logical_or) return either(e, x, y);
  }
  const bool is_signed_kind = kind == ScalarKind::i32;
  Leaf out;
  if (x.varying || y.varying) {
    if (const Linear linear = linear_result(e, op, x, y); linear.base != nullptr) {
      out.varying = true;
      out.linear = linear;
      if (linear.stride == 0) out = uniform_leaf(linear.base);
    }
  }
  if (out.value == nullptr && out.linear.base == nullptr) {
    out = lift(e, {x, y}, [&](auto v) { return integer(e.b, op, is_signed_kind, v[0], v[1]); });
  }
  if (kind == ScalarKind::u32) out.max = max_of(op, x, y);
  if (is_integer(kind)) {
    out.along_row = along_row_result(e, op, x, y);
    out.most = most_result(e, op, is_signed_kind, x, y);
    add_usual_lanes(e, op, is_signed_kind, x, y, out);
  }
  if (kind == ScalarKind::u32) {
    add_held(e, op, x, y, out);
    if (!out.held) add_held(e, mirrored(op), y, x, out);
  }
  if (out.varying) {
    add_lane_knowledge(e, op, is_signed_kind, x, y, out);
    if (out.all == nullptr) add_lane_knowledge(e, mirrored(op), is_signed_kind, y, x, out);
  }
  return out;
}

Leaf emit_fma(EmitContext& e, ScalarKind kind, const Leaf& x, const Leaf& y, const Leaf& z) {
  return lift(e, {x, y, z}, [&](auto v) {
    return through_f32(e.b, kind, v, [&](auto w) {
      return e.b.CreateIntrinsic(llvm::Intrinsic::fma, {w[0]->getType()}, {w[0], w[1], w[2]});
    });
  });
}

Leaf emit_convert(EmitContext& e, ScalarKind from, ScalarKind to, const Leaf& a) {
  if (from == to) return a;
  if (is_integer(from) && is_integer(to)) {  // the same bits
    Leaf out = a;
    if (to == ScalarKind::i32 && a.max > 0x7FFFFFFFU) out.max = 0xFFFFFFFFU;
    return out;
  }
  Leaf out = lift(e, {a}, [&](auto v) -> Value* {
    Value* x = v[0];
    llvm::Type* type = with_scalar(x->getType(), scalar_type(e, to));
    llvm::Type* floats = with_scalar(x->getType(), e.b.getFloatTy());
    if (to == ScalarKind::boolean) {
      if (is_float(from)) return e.b.CreateFCmpUNE(x, llvm::Constant::getNullValue(x->getType()));
      return e.b.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType()));
    }
    if (from == ScalarKind::boolean) {
      return is_float(to) ? e.b.CreateUIToFP(x, type) : e.b.CreateZExt(x, type);
    }
    if (is_float(from) && is_float(to)) {
      return to == ScalarKind::f32 ? e.b.CreateFPExt(x, type) : e.b.CreateFPTrunc(x, type);
    }
    if (is_float(from)) {
      if (from == ScalarKind::f16) x = e.b.CreateFPExt(x, floats);
      x = held_to_integers(e.b, from, to, x);
      if (e.gpu) {  // the instruction saturates, and makes 0 of NaN
        return e.b.CreateIntrinsic(
            to == ScalarKind::i32 ? llvm::Intrinsic::nvvm_f2i_rz : llvm::Intrinsic::nvvm_f2ui_rz,
            {}, {x});
      }
      // LLVM's conversions that saturate take the lanes of a vector one by one.
      Value* zero = llvm::ConstantFP::get(x->getType(), 0);
      if (to == ScalarKind::u32) {
        return e.b.CreateFPToUI(e.b.CreateSelect(e.b.CreateFCmpOGT(x, zero), x, zero), type);
      }
      Value* least = llvm::ConstantFP::get(x->getType(), -2147483648.0);
      x = e.b.CreateSelect(e.b.CreateFCmpOLT(x, least), least, x);
      x = e.b.CreateSelect(e.b.CreateFCmpUNO(x, zero), zero, x);
      return e.b.CreateFPToSI(x, type);
    }
    return from == ScalarKind::i32 ? e.b.CreateSIToFP(x, type) : e.b.CreateUIToFP(x, type);
  });
  if (from == ScalarKind::boolean && is_integer(to)) out.max = 1;
  return out;
}

Val emit_bitcast(EmitContext& e, const Val& a, TypeId result) {
  const auto from = *e.program.types.scalar_kind(a.type);
  const auto to = *e.program.types.scalar_kind(result);
  Val out;
  out.type = result;
  const auto width_of = [](ScalarKind k) { return k == ScalarKind::f16 ? 16U : 32U; };
  const auto bits = [&](const Leaf& leaf, ScalarKind kind) {
    return lift(e, {leaf}, [&](auto v) -> Value* {
      llvm::Type* t = with_scalar(v[0]->getType(), e.b.getIntNTy(width_of(kind)));
      return is_float(kind) ? e.b.CreateBitCast(v[0], t) : v[0];
    });
  };
  const auto typed = [&](const Leaf& leaf) {
    return lift(e, {leaf}, [&](auto v) -> Value* {
      return is_float(to)
                 ? e.b.CreateBitCast(v[0], with_scalar(v[0]->getType(), scalar_type(e, to)))
                 : v[0];
    });
  };
  if (width_of(from) == width_of(to)) {
    for (const Leaf& leaf : a.leaves) {
      if (is_float(from) == is_float(to)) {
        out.leaves.push_back(leaf);
      } else {
        out.leaves.push_back(typed(bits(leaf, from)));
      }
    }
    return out;
  }
  if (from == ScalarKind::f16) {  // two halves make a word, low first
    for (std::size_t i = 0; i + 1 < a.leaves.size(); i += 2) {
      out.leaves.push_back(
          typed(lift(e, {bits(a.leaves[i], from), bits(a.leaves[i + 1], from)}, [&](auto v) {
            llvm::Type* words = with_scalar(v[0]->getType(), e.b.getInt32Ty());
            Value* high = e.b.CreateShl(e.b.CreateZExt(v[1], words), splat(e.b, words, 16));
            return e.b.CreateOr(e.b.CreateZExt(v[0], words), high);
          })));
    }
    return out;
  }
  for (const Leaf& leaf : a.leaves) {
    const Leaf word = bits(leaf, from);
    for (unsigned half = 0; half < 2; ++half) {
      out.leaves.push_back(typed(lift(e, {word}, [&](auto v) {
        Value* shifted = e.b.CreateLShr(v[0], splat(e.b, v[0]->getType(), half * 16));
        return e.b.CreateTrunc(shifted, with_scalar(v[0]->getType(), e.b.getInt16Ty()));
      })));
    }
  }
  return out;
}

}  // namespace vyre
