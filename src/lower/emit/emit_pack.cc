// Packs several numbers into one word, and unpacks them.
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_operation_internal.h"

namespace vyre {

using llvm::Value;

namespace {

llvm::Type* like(Value* v, llvm::Type* scalar) {
  if (auto* t = llvm::dyn_cast<llvm::FixedVectorType>(v->getType())) {
    return llvm::FixedVectorType::get(scalar, t->getNumElements());
  }
  return scalar;
}

Value* word(llvm::IRBuilder<>& b, Value* v, std::uint64_t c) {
  return llvm::ConstantInt::get(like(v, b.getInt32Ty()), c);
}

// floor(0.5 + scale·v) with v held to [low, 1]; NaN counts as low.
Value* normalized(llvm::IRBuilder<>& b, Value* v, double low, double scale) {
  llvm::Type* t = v->getType();
  Value* lowest = llvm::ConstantFP::get(t, low);
  Value* one = llvm::ConstantFP::get(t, 1.0);
  Value* held = b.CreateSelect(b.CreateFCmpOGT(v, lowest), v, lowest);
  held = b.CreateSelect(b.CreateFCmpOLT(held, one), held, one);
  llvm::Type* doubles = like(v, b.getDoubleTy());
  Value* product =
      b.CreateFMul(b.CreateFPExt(held, doubles), llvm::ConstantFP::get(doubles, scale));
  Value* sum = b.CreateFAdd(product, llvm::ConstantFP::get(doubles, 0.5));
  return b.CreateFPToSI(b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, sum),
                        like(v, b.getInt32Ty()));
}

Value* part_of(llvm::IRBuilder<>& b, Value* v, unsigned i, unsigned width, bool is_signed) {
  Value* up = b.CreateShl(v, word(b, v, 32 - width * (i + 1)));
  Value* down = word(b, v, 32 - width);
  return is_signed ? b.CreateAShr(up, down) : b.CreateLShr(up, down);
}

unsigned width_of(MathFn fn) {
  switch (fn) {
    case MathFn::pack2x16_snorm:
    case MathFn::pack2x16_unorm:
    case MathFn::pack2x16_float:
    case MathFn::unpack2x16_snorm:
    case MathFn::unpack2x16_unorm:
    case MathFn::unpack2x16_float: return 16;
    default: return 8;
  }
}

Value* encode(llvm::IRBuilder<>& b, MathFn fn, Value* v) {
  const auto held = [&](llvm::Intrinsic::ID id, std::int64_t c) {
    return b.CreateBinaryIntrinsic(id, v, llvm::ConstantInt::getSigned(v->getType(), c));
  };
  switch (fn) {
    case MathFn::pack4x8_snorm: return normalized(b, v, -1, 127);
    case MathFn::pack4x8_unorm: return normalized(b, v, 0, 255);
    case MathFn::pack2x16_snorm: return normalized(b, v, -1, 32767);
    case MathFn::pack2x16_unorm: return normalized(b, v, 0, 65535);
    case MathFn::pack2x16_float: {
      Value* half = b.CreateFPTrunc(v, like(v, b.getHalfTy()));
      Value* bits = b.CreateBitCast(half, like(v, b.getInt16Ty()));
      return b.CreateZExt(bits, like(v, b.getInt32Ty()));
    }
    case MathFn::pack4x_i8_clamp:
      v = held(llvm::Intrinsic::smax, -128);
      return held(llvm::Intrinsic::smin, 127);
    case MathFn::pack4x_u8_clamp: return held(llvm::Intrinsic::umin, 255);
    default: return v;
  }
}

Value* decode(llvm::IRBuilder<>& b, MathFn fn, Value* v, unsigned i) {
  const unsigned width = width_of(fn);
  const bool is_signed =
      fn == MathFn::unpack4x8_snorm || fn == MathFn::unpack2x16_snorm || fn == MathFn::unpack4x_i8;
  Value* part = part_of(b, v, i, width, is_signed);
  llvm::Type* floats = like(v, b.getFloatTy());
  switch (fn) {
    case MathFn::unpack4x8_unorm:
    case MathFn::unpack2x16_unorm:
      return b.CreateFDiv(b.CreateUIToFP(part, floats),
                          llvm::ConstantFP::get(floats, width == 8 ? 255.0 : 65535.0));
    case MathFn::unpack4x8_snorm:
    case MathFn::unpack2x16_snorm: {
      Value* q = b.CreateFDiv(b.CreateSIToFP(part, floats),
                              llvm::ConstantFP::get(floats, width == 8 ? 127.0 : 32767.0));
      Value* minus = llvm::ConstantFP::get(floats, -1.0);
      return b.CreateSelect(b.CreateFCmpOLT(q, minus), minus, q);
    }
    case MathFn::unpack2x16_float: {
      Value* bits = b.CreateTrunc(part, like(v, b.getInt16Ty()));
      return b.CreateFPExt(b.CreateBitCast(bits, like(v, b.getHalfTy())), floats);
    }
    default: return part;
  }
}

}  // namespace

Val emit_pack(EmitContext& e, MathFn fn, TypeId result, llvm::ArrayRef<Val> arguments) {
  auto& b = e.b;
  Val out;
  out.type = result;
  const auto& a = arguments[0].leaves;
  if (fn == MathFn::dot4_u8_packed || fn == MathFn::dot4_i8_packed) {
    const bool is_signed = fn == MathFn::dot4_i8_packed;
    out.leaves.push_back(lift(e, {a[0], arguments[1].leaves[0]}, [&](auto v) {
      Value* sum = nullptr;
      for (unsigned i = 0; i < 4; ++i) {
        Value* product =
            b.CreateMul(part_of(b, v[0], i, 8, is_signed), part_of(b, v[1], i, 8, is_signed));
        sum = sum == nullptr ? product : b.CreateAdd(sum, product);
      }
      return sum;
    }));
    return out;
  }
  const unsigned width = width_of(fn);
  const unsigned parts = 32 / width;
  if (fn <= MathFn::pack2x16_float) {
    out.leaves.push_back(lift(e, a, [&](auto v) {
      Value* all = nullptr;
      for (unsigned i = 0; i < parts; ++i) {
        Value* code = encode(b, fn, v[i]);
        code = b.CreateAnd(code, word(b, code, (1U << width) - 1));
        code = b.CreateShl(code, word(b, code, width * i));
        all = all == nullptr ? code : b.CreateOr(all, code);
      }
      return all;
    }));
    return out;
  }
  for (unsigned i = 0; i < parts; ++i) {
    out.leaves.push_back(lift(e, {a[0]}, [&](auto v) { return decode(b, fn, v[0], i); }));
  }
  return out;
}

}  // namespace vyre
