// Builtin functions of floats and integers. What WGSL asks to be exact or correctly rounded has the
// bits of the table in vyre/ir/operation.h; the others keep WGSL's accuracy and call no library.
#include <cmath>
#include <numbers>

#include "vyre/lower/call_plan_internal.h"
#include "vyre/lower/emit/elementary_internal.h"
#include "vyre/lower/emit/emit_geometry_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_operation_internal.h"
#include "vyre/lower/emit/usual_lanes_internal.h"

namespace vyre {

using llvm::Value;

namespace {

constexpr auto kF32 = ScalarKind::f32;

Leaf float_constant(EmitContext& e, ScalarKind kind, float v) {
  return kind == ScalarKind::f16 ? constant_leaf(e, Scalar::of_f16(v))
                                 : constant_leaf(e, Scalar::of(v));
}

bool is_elementary(MathFn fn) { return is_large_elementary(fn) || fn == MathFn::inverse_sqrt; }

Leaf intrinsic(EmitContext& e, llvm::Intrinsic::ID id, const Leaf& a) {
  return lift(e, {a}, [&](auto v) { return e.b.CreateUnaryIntrinsic(id, v[0]); });
}

// Rounding functions are exact in f32 for every f16.
Leaf rounding(EmitContext& e, ScalarKind kind, llvm::Intrinsic::ID id, const Leaf& a) {
  return emit_convert(e, kF32, kind, intrinsic(e, id, emit_convert(e, kind, kF32, a)));
}

Leaf pick(EmitContext& e, BinaryOp op, ScalarKind kind, const Leaf& a, const Leaf& b) {
  // b op a ? b : a, so that a NaN or a tie keeps the first.
  return select_leaf(e, emit_binary(e, op, kind, b, a), b, a);
}

Leaf clamp(EmitContext& e, ScalarKind kind, const Leaf& v, const Leaf& low, const Leaf& high) {
  return pick(e, BinaryOp::less, kind, pick(e, BinaryOp::greater, kind, v, low), high);
}

Leaf sign(EmitContext& e, ScalarKind kind, const Leaf& a) {
  const Leaf zero = constant_leaf(e, kind, 0);
  const bool floats = is_float(kind);
  const Leaf one = floats ? float_constant(e, kind, 1) : constant_leaf(e, kind, 1);
  const Leaf minus = floats ? float_constant(e, kind, -1) : constant_leaf(e, kind, 0xFFFFFFFFU);
  Leaf out = select_leaf(e, emit_binary(e, BinaryOp::greater, kind, a, zero), one, zero);
  if (kind == ScalarKind::u32) return out;
  return select_leaf(e, emit_binary(e, BinaryOp::less, kind, a, zero), minus, out);
}

// Rounded once for f16 too: the factor is not a half.
Leaf scaled(EmitContext& e, ScalarKind kind, const Leaf& a, double factor) {
  const Leaf by = float_constant(e, kF32, static_cast<float>(factor));
  return emit_convert(e, kF32, kind,
                      emit_binary(e, BinaryOp::mul, kF32, emit_convert(e, kind, kF32, a), by));
}

Leaf float_component(EmitContext& e, MathFn fn, ScalarKind kind, llvm::ArrayRef<Leaf> a) {
  const auto op = [&](BinaryOp o, const Leaf& x, const Leaf& y) {
    return emit_binary(e, o, kind, x, y);
  };
  const auto constant = [&](float v) { return float_constant(e, kind, v); };
  switch (fn) {
    case MathFn::abs: return intrinsic(e, llvm::Intrinsic::fabs, a[0]);
    case MathFn::ceil: return rounding(e, kind, llvm::Intrinsic::ceil, a[0]);
    case MathFn::floor: return rounding(e, kind, llvm::Intrinsic::floor, a[0]);
    case MathFn::round: return rounding(e, kind, llvm::Intrinsic::roundeven, a[0]);
    case MathFn::trunc: return rounding(e, kind, llvm::Intrinsic::trunc, a[0]);
    case MathFn::fract:
      return op(BinaryOp::sub, a[0], rounding(e, kind, llvm::Intrinsic::floor, a[0]));
    case MathFn::sign: return sign(e, kind, a[0]);
    case MathFn::saturate: return clamp(e, kind, a[0], constant(0), constant(1));
    case MathFn::min: return pick(e, BinaryOp::less, kind, a[0], a[1]);
    case MathFn::max: return pick(e, BinaryOp::greater, kind, a[0], a[1]);
    case MathFn::clamp: return clamp(e, kind, a[0], a[1], a[2]);
    case MathFn::step:
      return select_leaf(e, op(BinaryOp::less_equal, a[0], a[1]), constant(1), constant(0));
    case MathFn::sqrt:
      return emit_convert(e, kF32, kind, lift(e, {emit_convert(e, kind, kF32, a[0])}, [&](auto v) {
                            return emit_square_root(e, v[0]);
                          }));
    case MathFn::degrees: return scaled(e, kind, a[0], 180 / std::numbers::pi);
    case MathFn::radians: return scaled(e, kind, a[0], std::numbers::pi / 180);
    case MathFn::fma: return emit_fma(e, kind, a[0], a[1], a[2]);
    case MathFn::mix:
      return emit_fma(e, kind, a[1], a[2],
                      op(BinaryOp::mul, a[0], op(BinaryOp::sub, constant(1), a[2])));
    case MathFn::smoothstep: {
      const Leaf t = clamp(
          e, kind, op(BinaryOp::div, op(BinaryOp::sub, a[2], a[0]), op(BinaryOp::sub, a[1], a[0])),
          constant(0), constant(1));
      return op(BinaryOp::mul, op(BinaryOp::mul, t, t),
                emit_fma(e, kind, constant(-2), t, constant(3)));
    }
    case MathFn::quantize_to_f16:
      return emit_convert(e, ScalarKind::f16, kF32, emit_convert(e, kF32, ScalarKind::f16, a[0]));
    default: break;
  }
  if (is_elementary(fn)) {
    llvm::SmallVector<Leaf, 2> wide;
    for (const Leaf& x : a) wide.push_back(emit_convert(e, kind, kF32, x));
    return emit_convert(e, kF32, kind,
                        lift(e, wide, [&](auto v) { return emit_elementary_function(e, fn, v); }));
  }
  e.problem = "a builtin function is unknown to the emitter";
  return a[0];
}

Leaf bit_field(EmitContext& e, MathFn fn, bool is_signed, llvm::ArrayRef<Leaf> a) {
  const bool insert = fn == MathFn::insert_bits;
  return lift(e, a, [&](auto v) -> Value* {
    auto& b = e.b;
    llvm::Type* t = v[0]->getType();
    const auto k = [&](std::uint64_t x) { return llvm::ConstantInt::get(t, x); };
    Value* offset = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v[insert ? 2 : 1], k(32));
    Value* count = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, v[insert ? 3 : 2],
                                           b.CreateSub(k(32), offset));
    Value* empty = b.CreateICmpEQ(count, k(0));
    Value* down = b.CreateAnd(b.CreateSub(k(32), count), k(31));
    if (!insert) {
      Value* up = b.CreateAnd(b.CreateSub(b.CreateSub(k(32), offset), count), k(31));
      Value* top = b.CreateShl(v[0], up);
      Value* out = is_signed ? b.CreateAShr(top, down) : b.CreateLShr(top, down);
      return b.CreateSelect(empty, k(0), out);
    }
    Value* by = b.CreateAnd(offset, k(31));
    Value* mask = b.CreateShl(b.CreateLShr(llvm::Constant::getAllOnesValue(t), down), by);
    Value* out =
        b.CreateOr(b.CreateAnd(v[0], b.CreateNot(mask)), b.CreateAnd(b.CreateShl(v[1], by), mask));
    return b.CreateSelect(empty, v[0], out);
  });
}

// Sets the bound of min(x, y) or max(x, y), as unsigned bits, from the bounds of the operands.
void add_range(EmitContext& e, llvm::Intrinsic::ID id, const Leaf& x, const Leaf& y, Leaf& out) {
  constexpr std::uint64_t kMostPositive = 0x7FFFFFFFU;
  if (id == llvm::Intrinsic::umax) {
    out.max = std::max(x.max, y.max);
    return;
  }
  if (id == llvm::Intrinsic::smax) {
    if (std::min(x.max, y.max) <= kMostPositive) out.max = kMostPositive;
    return;
  }
  // The minimum is at most either operand. As signed integers this holds for an operand whose
  // partner may not be negative; a negative operand would itself be the result.
  const auto limit = [&](const Leaf& by, const Leaf& beside) {
    if (id == llvm::Intrinsic::smin && beside.max > kMostPositive) return;
    out.max = std::min(out.max, by.max);
    if (out.most == nullptr && e.rows_tested && !out.row_invariant) out.most = most_of(e, by);
  };
  limit(y, x);
  limit(x, y);
}

Leaf integer_component(EmitContext& e, MathFn fn, ScalarKind kind, llvm::ArrayRef<Leaf> a) {
  auto& b = e.b;
  const bool is_signed = kind == ScalarKind::i32;
  const auto counted = [&](llvm::Intrinsic::ID id) {
    return lift(e, {a[0]}, [&](auto v) { return b.CreateBinaryIntrinsic(id, v[0], b.getFalse()); });
  };
  const auto picked = [&](llvm::Intrinsic::ID id, const Leaf& x, const Leaf& y) {
    Leaf out = lift(e, {x, y}, [&](auto v) { return b.CreateBinaryIntrinsic(id, v[0], v[1]); });
    add_range(e, id, x, y, out);
    add_usual_lanes(e, id, x, y, out);
    return out;
  };
  const auto low = is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin;
  const auto high = is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax;
  switch (fn) {
    case MathFn::abs:
      if (!is_signed) return a[0];
      return lift(e, {a[0]}, [&](auto v) {
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::abs, v[0], b.getFalse());
      });
    case MathFn::sign: return sign(e, kind, a[0]);
    case MathFn::min: return picked(low, a[0], a[1]);
    case MathFn::max: return picked(high, a[0], a[1]);
    case MathFn::clamp: return picked(low, picked(high, a[0], a[1]), a[2]);
    case MathFn::count_leading_zeros: return counted(llvm::Intrinsic::ctlz);
    case MathFn::count_trailing_zeros: return counted(llvm::Intrinsic::cttz);
    case MathFn::count_one_bits: return intrinsic(e, llvm::Intrinsic::ctpop, a[0]);
    case MathFn::reverse_bits: return intrinsic(e, llvm::Intrinsic::bitreverse, a[0]);
    case MathFn::first_leading_bit:
      // 31 - leading zeros; for 0, with 32 of them, this is -1.
      return lift(e, {a[0]}, [&](auto v) {
        Value* x = v[0];
        llvm::Type* t = x->getType();
        if (is_signed) x = b.CreateXor(x, b.CreateAShr(x, llvm::ConstantInt::get(t, 31)));
        Value* zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, x, b.getFalse());
        return b.CreateSub(llvm::ConstantInt::get(t, 31), zeros);
      });
    case MathFn::first_trailing_bit:
      return lift(e, {a[0]}, [&](auto v) {
        llvm::Type* t = v[0]->getType();
        Value* zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, v[0], b.getFalse());
        return b.CreateSelect(b.CreateICmpEQ(v[0], llvm::ConstantInt::get(t, 0)),
                              llvm::Constant::getAllOnesValue(t), zeros);
      });
    case MathFn::extract_bits:
    case MathFn::insert_bits: return bit_field(e, fn, is_signed, a);
    default: e.problem = "a builtin function is unknown to the emitter"; return a[0];
  }
}

// x·2^n, rounded once: the double holds the product exactly.
Leaf load_exponent(EmitContext& e, ScalarKind kind, const Leaf& x, const Leaf& n) {
  auto& b = e.b;
  const Leaf out = lift(e, {emit_convert(e, kind, kF32, x), n}, [&](auto v) {
    llvm::Type* words = v[1]->getType();
    const auto like = [&](llvm::Type* s) {
      auto* t = llvm::dyn_cast<llvm::FixedVectorType>(words);
      return t != nullptr ? llvm::FixedVectorType::get(s, t->getNumElements()) : s;
    };
    llvm::Type* longs = like(b.getInt64Ty());
    Value* held =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, v[1], llvm::ConstantInt::get(words, 400));
    held = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, held,
                                   llvm::ConstantInt::getSigned(words, -400));
    Value* bits =
        b.CreateShl(b.CreateAdd(b.CreateSExt(held, longs), llvm::ConstantInt::get(longs, 1023)),
                    llvm::ConstantInt::get(longs, 52));
    Value* scale = b.CreateBitCast(bits, like(b.getDoubleTy()));
    Value* product = b.CreateFMul(b.CreateFPExt(v[0], like(b.getDoubleTy())), scale);
    return b.CreateFPTrunc(product, v[0]->getType());
  });
  return emit_convert(e, kF32, kind, out);
}

struct Split {
  Leaf fraction, exponent;
};

Split split_exponent(EmitContext& e, ScalarKind kind, const Leaf& x) {
  auto& b = e.b;
  const Leaf wide = emit_convert(e, kind, kF32, x);
  const auto parts = [&](bool exponent) {
    return lift(e, {wide}, [&](auto v) -> Value* {
      llvm::Type* floats = v[0]->getType();
      llvm::Type* t = floats;
      if (auto* fixed = llvm::dyn_cast<llvm::FixedVectorType>(floats)) {
        t = llvm::FixedVectorType::get(b.getInt32Ty(), fixed->getNumElements());
      } else {
        t = b.getInt32Ty();
      }
      const auto k = [&](std::uint64_t c) { return llvm::ConstantInt::get(t, c); };
      Value* raw = b.CreateBitCast(v[0], t);
      Value* tiny = b.CreateICmpEQ(b.CreateAnd(raw, k(0x7F800000U)), k(0));
      Value* scaled = b.CreateFMul(v[0], llvm::ConstantFP::get(floats, 16777216.0));
      Value* bits = b.CreateSelect(tiny, b.CreateBitCast(scaled, t), raw);
      Value* field = b.CreateAnd(b.CreateLShr(bits, k(23)), k(0xFF));
      Value* zero = b.CreateICmpEQ(b.CreateAnd(raw, k(0x7FFFFFFFU)), k(0));
      Value* special = b.CreateICmpEQ(b.CreateAnd(raw, k(0x7F800000U)), k(0x7F800000U));
      Value* keep = b.CreateOr(zero, special);
      if (exponent) {
        Value* value = b.CreateSub(field, k(126));
        value = b.CreateSub(value, b.CreateSelect(tiny, k(24), k(0)));
        return b.CreateSelect(keep, k(0), value);
      }
      Value* fraction = b.CreateOr(b.CreateAnd(bits, k(0x807FFFFFU)), k(0x3F000000U));
      return b.CreateSelect(keep, v[0], b.CreateBitCast(fraction, floats));
    });
  };
  return {emit_convert(e, kF32, kind, parts(false)), parts(true)};
}

}  // namespace

Val emit_math(EmitContext& e, MathFn fn, TypeId result, llvm::ArrayRef<Val> arguments) {
  const auto kind = *e.program.types.scalar_kind(arguments[0].type);
  Val out;
  out.type = result;
  const std::size_t n = arguments[0].leaves.size();
  switch (fn) {
    case MathFn::all:
    case MathFn::any: {
      Leaf v = arguments[0].leaves[0];
      for (std::size_t i = 1; i < n; ++i) {
        v = fn == MathFn::all ? both(e, v, arguments[0].leaves[i])
                              : either(e, v, arguments[0].leaves[i]);
      }
      out.leaves.push_back(v);
      return out;
    }
    case MathFn::dot:
    case MathFn::cross:
    case MathFn::determinant:
    case MathFn::distance:
    case MathFn::face_forward:
    case MathFn::length:
    case MathFn::normalize:
    case MathFn::reflect:
    case MathFn::refract:
    case MathFn::transpose: return emit_geometry(e, fn, result, arguments);
    case MathFn::ldexp:
      for (std::size_t i = 0; i < n; ++i) {
        const auto& by = arguments[1].leaves;
        out.leaves.push_back(
            load_exponent(e, kind, arguments[0].leaves[i], by[by.size() == 1 ? 0 : i]));
      }
      return out;
    case MathFn::frexp:
    case MathFn::modf: {
      llvm::SmallVector<Leaf, 4> second;
      for (const Leaf& x : arguments[0].leaves) {
        if (fn == MathFn::frexp) {
          const auto split = split_exponent(e, kind, x);
          out.leaves.push_back(split.fraction);
          second.push_back(split.exponent);
        } else {
          const Leaf whole = rounding(e, kind, llvm::Intrinsic::trunc, x);
          out.leaves.push_back(emit_binary(e, BinaryOp::sub, kind, x, whole));
          second.push_back(whole);
        }
      }
      out.leaves.append(second.begin(), second.end());
      return out;
    }
    default: break;
  }
  if (fn >= MathFn::pack4x8_snorm || fn == MathFn::dot4_u8_packed || fn == MathFn::dot4_i8_packed) {
    return emit_pack(e, fn, result, arguments);
  }
  for (std::size_t i = 0; i < n; ++i) {
    llvm::SmallVector<Leaf, 4> leaves;
    for (const Val& a : arguments) leaves.push_back(a.leaves[a.leaves.size() == 1 ? 0 : i]);
    out.leaves.push_back(is_float(kind) ? float_component(e, fn, kind, leaves)
                                        : integer_component(e, fn, kind, leaves));
  }
  return out;
}

}  // namespace vyre
