#include <llvm/IR/IntrinsicsNVPTX.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "vyre/lower/emit/elementary_internal.h"
#include "vyre/lower/gpu/ptx_ops_internal.h"

namespace vyre {
namespace {

using llvm::Value;

// f32 arithmetic on values of one type, scalar or vector.
class Floats {
 public:
  Floats(llvm::IRBuilder<>& b, llvm::Type* type, bool gpu) : b(b), type_(type), gpu_(gpu) {}

  Value* operator()(double v) const { return llvm::ConstantFP::get(type_, v); }
  Value* word(std::uint32_t v) const { return llvm::ConstantInt::get(words(), v); }
  llvm::Type* words() const {
    if (auto* t = llvm::dyn_cast<llvm::FixedVectorType>(type_)) {
      return llvm::FixedVectorType::get(b.getInt32Ty(), t->getNumElements());
    }
    return b.getInt32Ty();
  }
  Value* fma(Value* x, Value* y, Value* z) const {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {type_}, {x, y, z});
  }
  Value* call(llvm::Intrinsic::ID id, Value* x) const { return b.CreateUnaryIntrinsic(id, x); }
  Value* abs(Value* x) const { return call(llvm::Intrinsic::fabs, x); }
  Value* sqrt(Value* x) const {
    return gpu_ ? ptx_square_root(b, x) : call(llvm::Intrinsic::sqrt, x);
  }
  Value* div(Value* x, Value* y) const { return gpu_ ? ptx_divide(b, x, y) : b.CreateFDiv(x, y); }
  Value* with_sign(Value* x, Value* sign) const {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, x, sign);
  }
  // Rounds towards zero. Numbers out of range saturate, and NaN becomes 0.
  Value* to_integer(Value* x) const {
    if (gpu_) return b.CreateIntrinsic(llvm::Intrinsic::nvvm_f2i_rz, {}, {x});
    // LLVM's conversion that saturates takes the lanes of a vector one by one.
    Value* inside =
        b.CreateSelect(b.CreateFCmpOLT(x, (*this)(-2147483648.0)), (*this)(-2147483648.0), x);
    inside =
        b.CreateSelect(b.CreateFCmpOGT(x, (*this)(2147483520.0)), (*this)(2147483520.0), inside);
    inside = b.CreateSelect(b.CreateFCmpUNO(x, x), (*this)(0), inside);
    return b.CreateSelect(b.CreateFCmpOGT(x, (*this)(2147483520.0)), word(0x7FFFFFFF),
                          b.CreateFPToSI(inside, words()));
  }
  // c0 + x·(c1 + x·(...))
  Value* polynomial(Value* x, std::initializer_list<double> c) const {
    auto it = std::rbegin(c);
    Value* sum = (*this)(*it++);
    for (; it != std::rend(c); ++it) sum = fma(sum, x, (*this)(*it));
    return sum;
  }
  Value* inf() const { return (*this)(std::numeric_limits<double>::infinity()); }
  Value* nan() const { return (*this)(std::numeric_limits<double>::quiet_NaN()); }

  llvm::IRBuilder<>& b;

 private:
  llvm::Type* type_;
  bool gpu_;
};

// 2^n for whole n in [-150, 129] given as float, applied to p in two steps so that neither factor
// overflows and subnormal results round once more at most.
Value* scale(const Floats& f, Value* p, Value* n) {
  auto& b = f.b;
  Value* i = b.CreateFPToSI(n, f.words());
  Value* half = b.CreateAShr(i, f.word(1));
  const auto power = [&](Value* e) {
    Value* bits = b.CreateShl(b.CreateAdd(e, f.word(127)), f.word(23));
    return b.CreateBitCast(bits, p->getType());
  };
  return b.CreateFMul(b.CreateFMul(p, power(half)), power(b.CreateSub(i, half)));
}

Value* held(const Floats& f, Value* x, double low, double high) {
  auto& b = f.b;
  // NaN passes through.
  Value* up = b.CreateSelect(b.CreateFCmpOLT(x, f(low)), f(low), x);
  return b.CreateSelect(b.CreateFCmpOGT(up, f(high)), f(high), up);
}

// NaN must not reach the conversion to an integer.
Value* keep_nan(const Floats& f, Value* x, Value* result) {
  return f.b.CreateSelect(f.b.CreateFCmpUNO(x, x), x, result);
}
Value* number_or_zero(const Floats& f, Value* x) {
  return f.b.CreateSelect(f.b.CreateFCmpUNO(x, x), f(0), x);
}

// e^r for |r| <= ln(2)/2
Value* exp_near_zero(const Floats& f, Value* r) {
  return f.polynomial(r, {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040});
}

Value* exp(const Floats& f, Value* x) {
  auto& b = f.b;
  Value* v = number_or_zero(f, held(f, x, -104, 89));
  Value* n = f.call(llvm::Intrinsic::roundeven, b.CreateFMul(v, f(std::numbers::log2e)));
  const double high = 0.693145751953125;  // ln 2 in few bits, so that n·high is exact
  Value* r = f.fma(n, f(-high), v);
  r = f.fma(n, f(-(std::numbers::ln2 - high)), r);
  return keep_nan(f, x, scale(f, exp_near_zero(f, r), n));
}

Value* exp2(const Floats& f, Value* x) {
  auto& b = f.b;
  Value* v = number_or_zero(f, held(f, x, -151, 129));
  Value* n = f.call(llvm::Intrinsic::roundeven, v);
  Value* r = b.CreateFMul(b.CreateFSub(v, n), f(std::numbers::ln2));
  return keep_nan(f, x, scale(f, exp_near_zero(f, r), n));
}

struct Logarithm {
  Value* exponent;  // float
  Value* mantissa;  // ln of the rest, |.| <= ln(2)/2
};

Logarithm split_log(const Floats& f, Value* x) {
  auto& b = f.b;
  Value* tiny = b.CreateFCmpOLT(x, f(std::numeric_limits<float>::min()));
  Value* v = b.CreateSelect(tiny, b.CreateFMul(x, f(8388608.0)), x);
  Value* bits = b.CreateSub(b.CreateBitCast(v, f.words()), f.word(0x3F3504F3U));  // sqrt(1/2)
  Value* e = b.CreateSIToFP(b.CreateAShr(bits, f.word(23)), x->getType());
  e = b.CreateFSub(e, b.CreateSelect(tiny, f(23), f(0)));
  Value* m = b.CreateBitCast(
      b.CreateAdd(b.CreateAnd(bits, f.word(0x007FFFFFU)), f.word(0x3F3504F3U)), x->getType());
  // ln(1+g) = 2·artanh(g/(2+g))
  Value* g = b.CreateFSub(m, f(1));
  Value* s = f.div(g, b.CreateFAdd(g, f(2)));
  Value* z = b.CreateFMul(s, s);
  Value* tail = f.polynomial(z, {2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11});
  Value* ln = f.fma(b.CreateFMul(s, z), tail, b.CreateFMul(s, f(2)));
  return {e, ln};
}

Value* log_ends(const Floats& f, Value* x, Value* result) {
  auto& b = f.b;
  Value* out = b.CreateSelect(b.CreateFCmpOEQ(x, f.inf()), x, result);
  out = b.CreateSelect(b.CreateFCmpOEQ(x, f(0)), b.CreateFNeg(f.inf()), out);
  return b.CreateSelect(b.CreateFCmpULT(x, f(0)), f.nan(), out);
}

Value* log(const Floats& f, Value* x) {
  const auto l = split_log(f, x);
  return log_ends(f, x, f.fma(l.exponent, f(std::numbers::ln2), l.mantissa));
}

Value* log2(const Floats& f, Value* x) {
  const auto l = split_log(f, x);
  return log_ends(f, x, f.fma(l.mantissa, f(std::numbers::log2e), l.exponent));
}

struct SinCos {
  Value* sin;
  Value* cos;
};

// Subtracts quarter turns in three steps, then evaluates a short series.
SinCos sincos(const Floats& f, Value* x) {
  auto& b = f.b;
  Value* n = f.call(llvm::Intrinsic::roundeven, b.CreateFMul(x, f(2 / std::numbers::pi)));
  Value* r = f.fma(n, f(-1.5703125), x);
  r = f.fma(n, f(-4.837512969970703e-4), r);
  r = f.fma(n, f(-7.549789415861596e-8), r);
  // Beyond 2^24 the remainder has no correct digits, but the result stays within [-1, 1].
  r = held(f, r, -1, 1);
  Value* z = b.CreateFMul(r, r);
  Value* s = f.fma(b.CreateFMul(r, z),
                   f.polynomial(z, {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880}), r);
  Value* c = f.fma(z, f.polynomial(z, {-0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320}), f(1));
  Value* q = f.to_integer(n);
  Value* odd = b.CreateICmpNE(b.CreateAnd(q, f.word(1)), f.word(0));
  Value* sin_negative = b.CreateICmpNE(b.CreateAnd(q, f.word(2)), f.word(0));
  Value* cos_negative =
      b.CreateICmpNE(b.CreateAnd(b.CreateAdd(q, f.word(1)), f.word(2)), f.word(0));
  Value* sin = b.CreateSelect(odd, c, s);
  Value* cos = b.CreateSelect(odd, s, c);
  return {b.CreateSelect(sin_negative, b.CreateFNeg(sin), sin),
          b.CreateSelect(cos_negative, b.CreateFNeg(cos), cos)};
}

// arctan of a in [0, 1]
Value* atan_unit(const Floats& f, Value* a) {
  auto& b = f.b;
  Value* large = b.CreateFCmpOGT(a, f(0.41421356237));  // tan(pi/8)
  Value* t = f.div(b.CreateFSub(a, f(1)), b.CreateFAdd(a, f(1)));
  Value* x = b.CreateSelect(large, t, a);
  Value* z = b.CreateFMul(x, x);
  Value* tail =
      f.polynomial(z, {-1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15});
  Value* r = f.fma(b.CreateFMul(x, z), tail, x);
  return b.CreateSelect(large, b.CreateFAdd(r, f(std::numbers::pi / 4)), r);
}

Value* atan2(const Floats& f, Value* y, Value* x) {
  auto& b = f.b;
  Value* ax = f.abs(x);
  Value* ay = f.abs(y);
  Value* steep = b.CreateFCmpOGT(ay, ax);
  Value* small = b.CreateSelect(steep, ax, ay);
  Value* big = b.CreateSelect(steep, ay, ax);
  Value* ratio = f.div(small, big);
  ratio = b.CreateSelect(b.CreateFCmpOEQ(big, f(0)), f(0), ratio);
  ratio = b.CreateSelect(b.CreateFCmpOEQ(small, f.inf()), f(1), ratio);
  Value* r = atan_unit(f, ratio);
  r = b.CreateSelect(steep, b.CreateFSub(f(std::numbers::pi / 2), r), r);
  Value* sign = b.CreateICmpSLT(b.CreateBitCast(x, f.words()), f.word(0));
  r = b.CreateSelect(sign, b.CreateFSub(f(std::numbers::pi), r), r);
  r = f.with_sign(r, y);
  return b.CreateSelect(b.CreateFCmpUNO(x, y), f.nan(), r);
}

Value* leg(const Floats& f, Value* x) {  // sqrt(1 - x²)
  auto& b = f.b;
  return f.sqrt(b.CreateFMul(b.CreateFSub(f(1), x), b.CreateFAdd(f(1), x)));
}

Value* tanh(const Floats& f, Value* x) {
  auto& b = f.b;
  Value* z = b.CreateFMul(x, x);
  Value* near =
      f.fma(b.CreateFMul(x, z), f.polynomial(z, {-1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835}), x);
  Value* e = exp(f, b.CreateFMul(held(f, x, -15, 15), f(2)));
  Value* far = b.CreateFSub(f(1), f.div(f(2), b.CreateFAdd(e, f(1))));
  return b.CreateSelect(b.CreateFCmpOLT(f.abs(x), f(0.25)), near, far);
}

Value* sinh(const Floats& f, Value* x) {
  auto& b = f.b;
  Value* z = b.CreateFMul(x, x);
  Value* near =
      f.fma(b.CreateFMul(x, z), f.polynomial(z, {1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880}), x);
  // Computes half the power first, so that the largest results do not overflow early.
  Value* big = exp(f, b.CreateFSub(f.abs(x), f(std::numbers::ln2)));
  Value* far = b.CreateFSub(big, f.div(f(0.25), big));
  return b.CreateSelect(b.CreateFCmpOLT(f.abs(x), f(1)), near, f.with_sign(far, x));
}

Value* cosh(const Floats& f, Value* x) {
  auto& b = f.b;
  Value* big = exp(f, b.CreateFSub(f.abs(x), f(std::numbers::ln2)));
  return b.CreateFAdd(big, f.div(f(0.25), big));
}

Value* asinh(const Floats& f, Value* x) {
  auto& b = f.b;
  Value* a = f.abs(x);
  Value* root = f.sqrt(f.fma(a, a, f(1)));
  Value* usual = log(f, b.CreateFAdd(a, root));
  Value* large = b.CreateFAdd(log(f, a), f(std::numbers::ln2));
  Value* z = b.CreateFMul(a, a);
  Value* near = f.fma(b.CreateFMul(a, z),
                      f.polynomial(z, {-1.0 / 6, 3.0 / 40, -15.0 / 336, 105.0 / 3456}), a);
  Value* r = b.CreateSelect(b.CreateFCmpOGT(a, f(1e18)), large, usual);
  r = b.CreateSelect(b.CreateFCmpOLT(a, f(0.25)), near, r);
  return f.with_sign(r, x);
}

Value* acosh(const Floats& f, Value* x) {
  auto& b = f.b;
  Value* root = f.sqrt(b.CreateFMul(b.CreateFSub(x, f(1)), b.CreateFAdd(x, f(1))));
  Value* usual = log(f, b.CreateFAdd(x, root));
  Value* large = b.CreateFAdd(log(f, x), f(std::numbers::ln2));
  Value* r = b.CreateSelect(b.CreateFCmpOGT(x, f(1e18)), large, usual);
  return b.CreateSelect(b.CreateFCmpULT(x, f(1)), f.nan(), r);
}

Value* atanh(const Floats& f, Value* x) {
  auto& b = f.b;
  Value* usual = b.CreateFMul(log(f, f.div(b.CreateFAdd(f(1), x), b.CreateFSub(f(1), x))), f(0.5));
  Value* z = b.CreateFMul(x, x);
  Value* near =
      f.fma(b.CreateFMul(x, z), f.polynomial(z, {1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11}), x);
  return b.CreateSelect(b.CreateFCmpOLT(f.abs(x), f(0.25)), near, usual);
}

// x^n for n from 1, by squaring.
Value* whole_power(const Floats& f, Value* x, unsigned n) {
  Value* out = nullptr;
  for (Value* square = x;; square = f.b.CreateFMul(square, square)) {
    if ((n & 1U) != 0) out = out == nullptr ? square : f.b.CreateFMul(out, square);
    n >>= 1U;
    if (n == 0) return out;
  }
}

Value* pow(const Floats& f, Value* x, Value* y) {
  auto& b = f.b;
  if (const int n = small_whole_exponent(y); n != 0) {
    Value* power = whole_power(f, x, static_cast<unsigned>(std::abs(n)));
    return n < 0 ? f.div(f(1), power) : power;
  }
  Value* r = exp2(f, b.CreateFMul(y, log2(f, f.abs(x))));
  r = b.CreateSelect(b.CreateAnd(b.CreateFCmpOEQ(y, f(0)), b.CreateFCmpORD(x, x)), f(1), r);
  // A negative base has a real power only if the exponent is a whole number.
  const auto is_whole = [&](Value* v) {
    return b.CreateFCmpOEQ(f.call(llvm::Intrinsic::trunc, v), v);
  };
  Value* even = is_whole(b.CreateFMul(y, f(0.5)));
  Value* of_negative = b.CreateSelect(even, r, b.CreateFNeg(r));
  of_negative = b.CreateSelect(is_whole(y), of_negative, f.nan());
  return b.CreateSelect(b.CreateFCmpOLT(x, f(0)), of_negative, r);
}

}  // namespace

int small_whole_exponent(const Value* y) {
  constexpr double kMost = 8;
  const auto* constant = llvm::dyn_cast<llvm::Constant>(y);
  if (constant != nullptr && y->getType()->isVectorTy()) constant = constant->getSplatValue();
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
  if (number == nullptr) return 0;
  const double value = number->getValueAPF().convertToFloat();
  return std::trunc(value) == value && std::fabs(value) <= kMost ? static_cast<int>(value) : 0;
}

Value* emit_elementary(llvm::IRBuilder<>& b, MathFn fn, llvm::ArrayRef<Value*> a, bool gpu) {
  if (gpu) {
    if (Value* quick = ptx_elementary(b, fn, a)) return quick;
  }
  const Floats f(b, a[0]->getType(), gpu);
  Value* x = a[0];
  switch (fn) {
    case MathFn::exp: return exp(f, x);
    case MathFn::exp2: return exp2(f, x);
    case MathFn::log: return log(f, x);
    case MathFn::log2: return log2(f, x);
    case MathFn::pow: return pow(f, x, a[1]);
    case MathFn::sin: return sincos(f, x).sin;
    case MathFn::cos: return sincos(f, x).cos;
    case MathFn::tan: {
      const auto sc = sincos(f, x);
      return f.div(sc.sin, sc.cos);
    }
    case MathFn::atan: return atan2(f, x, f(1));
    case MathFn::atan2: return atan2(f, x, a[1]);
    case MathFn::asin: return atan2(f, x, leg(f, x));
    case MathFn::acos: return atan2(f, leg(f, x), x);
    case MathFn::sinh: return sinh(f, x);
    case MathFn::cosh: return cosh(f, x);
    case MathFn::tanh: return tanh(f, x);
    case MathFn::asinh: return asinh(f, x);
    case MathFn::acosh: return acosh(f, x);
    case MathFn::atanh: return atanh(f, x);
    case MathFn::inverse_sqrt: return f.div(f(1), f.sqrt(x));
    default: return x;
  }
}

Value* emit_float_remainder(llvm::IRBuilder<>& b, Value* x, Value* y, bool gpu) {
  const Floats f(b, x->getType(), gpu);
  Value* q = f.call(llvm::Intrinsic::trunc, f.div(x, y));
  Value* r = f.fma(b.CreateFNeg(q), y, x);
  // The quotient may have been rounded up to the next whole number, or down from it.
  Value* step = f.with_sign(y, x);
  Value* across = b.CreateAnd(
      b.CreateFCmpUNE(r, f(0)),
      b.CreateICmpSLT(b.CreateXor(b.CreateBitCast(r, f.words()), b.CreateBitCast(x, f.words())),
                      f.word(0)));
  r = b.CreateSelect(across, b.CreateFAdd(r, step), r);
  r = b.CreateSelect(b.CreateFCmpOGE(f.abs(r), f.abs(y)), b.CreateFSub(r, step), r);
  r = f.with_sign(r, x);
  Value* finite = b.CreateFCmpOLT(f.abs(x), f.inf());
  Value* endless = b.CreateAnd(b.CreateFCmpOEQ(f.abs(y), f.inf()), finite);
  return b.CreateSelect(endless, x, r);
}

}  // namespace vyre
