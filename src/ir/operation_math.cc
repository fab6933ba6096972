// Builtin functions of floats, component by component, and the dispatch of all builtin functions.
//
// Where WGSL requires correct rounding, results are correctly rounded. Transcendental functions are
// computed in double and rounded once. Functions that WGSL describes by a formula of sums,
// products, quotients and square roots follow it step by step in the type itself, sums of products
// as fused chains.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "vyre/ir/argument_rules.h"
#include "vyre/ir/operation_internal.h"

namespace vyre {
namespace {

bool in(double low, double v, double high) { return v >= low && v <= high; }

// A function of one real, in double. `fault` says when the argument is outside its domain.
double transcendental(MathFn fn, double v, Fault& fault) {
  const auto within = [&](bool inside) {
    if (!inside) note(fault, Fault::domain);
  };
  constexpr double kEnd = std::numeric_limits<double>::infinity();
  switch (fn) {
    case MathFn::acos: within(in(-1, v, 1)); return std::acos(v);
    case MathFn::acosh: within(in(1, v, kEnd)); return std::acosh(v);
    case MathFn::asin: within(in(-1, v, 1)); return std::asin(v);
    case MathFn::asinh: return std::asinh(v);
    case MathFn::atan: return std::atan(v);
    case MathFn::atanh: within(in(-1, v, 1)); return std::atanh(v);
    case MathFn::cos: return std::cos(v);
    case MathFn::cosh: return std::cosh(v);
    case MathFn::exp: return std::exp(v);
    case MathFn::exp2: return std::exp2(v);
    case MathFn::inverse_sqrt: within(in(0, v, kEnd)); return 1.0 / std::sqrt(v);
    case MathFn::log: within(in(0, v, kEnd)); return std::log(v);
    case MathFn::log2: within(in(0, v, kEnd)); return std::log2(v);
    case MathFn::sin: return std::sin(v);
    case MathFn::sinh: return std::sinh(v);
    case MathFn::tan: return std::tan(v);
    case MathFn::tanh: return std::tanh(v);
    default: assert(!"not a function of one real"); return 0;
  }
}

// exp2(y * log2(x)). WGSL leaves powers of negative bases open. Where the exponent is a whole
// number they are what multiplication gives, because programs square by pow(x, 2); elsewhere they
// are NaN. Constant expressions may have neither, nor a base of zero unless the exponent is
// positive.
double power(double x, double y, Fault& fault) {
  if (x < 0 || (x == 0 && y <= 0)) note(fault, Fault::domain);
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  if (x < 0 && std::trunc(y) != y) return std::numeric_limits<double>::quiet_NaN();
  const double size = std::pow(std::fabs(x), y);
  return x < 0 && std::fabs(std::fmod(y, 2)) == 1 ? -size : size;
}

// The double holds x * 2^n exactly for every f32 and f16 once n is held to a range beyond which the
// result is zero or infinite anyway.
template <class N>
typename N::Value load_exponent(typename N::Value x, std::int64_t n) {
  const std::int64_t limit = N::kIsAbstract ? 5000 : 400;
  return N::from_double(std::ldexp(double{x}, static_cast<int>(std::clamp(n, -limit, limit))));
}

// Half to even, whatever the rounding mode of the host.
template <class T>
T round_half_even(T v) {
  const T down = std::floor(v), rest = v - down;
  T out = down;
  if (rest > T(0.5) || (rest == T(0.5) && std::fmod(down, T(2)) != 0)) out = down + 1;
  return std::copysign(out, v);
}

template <class N>
typename N::Value smoothstep(typename N::Value low, typename N::Value high, typename N::Value x) {
  const auto t = N::clamp(N::div(N::sub(x, low), N::sub(high, low)), 0, 1);
  return N::mul(N::mul(t, t), N::fma(-2, t, 3));
}

template <class N>
typename N::Value quantize(typename N::Value v, Fault& fault) {
  if (!(std::fabs(v) <= F16Number::kMax)) note(fault, Fault::does_not_fit);
  return static_cast<typename N::Value>(F16Number::from_double(v));
}

template <class N, class At>
typename N::Value component(MathFn fn, const At& at, Fault& fault) {
  using T = typename N::Value;
  const T a = at(0);
  switch (fn) {
    case MathFn::abs: return std::fabs(a);
    case MathFn::ceil: return std::ceil(a);
    case MathFn::floor: return std::floor(a);
    case MathFn::round: return round_half_even(a);
    case MathFn::trunc: return std::trunc(a);
    case MathFn::fract: return N::sub(a, std::floor(a));
    case MathFn::sign: return a > 0 ? T(1) : a < 0 ? T(-1) : T(0);
    case MathFn::saturate: return N::clamp(a, 0, 1);
    case MathFn::min: return N::min(a, at(1));
    case MathFn::max: return N::max(a, at(1));
    case MathFn::clamp: return N::clamp(a, at(1), at(2));
    case MathFn::step: return a <= at(1) ? T(1) : T(0);
    case MathFn::sqrt:
      if (a < 0) note(fault, Fault::domain);
      return N::sqrt(a);
    case MathFn::degrees: return N::mul(a, T(180 / std::numbers::pi));
    case MathFn::radians: return N::mul(a, T(std::numbers::pi / 180));
    case MathFn::fma: return N::fma(a, at(1), at(2));
    case MathFn::mix: return N::fma(at(1), at(2), N::mul(a, N::sub(1, at(2))));
    case MathFn::smoothstep: return smoothstep<N>(a, at(1), at(2));
    case MathFn::quantize_to_f16: return quantize<N>(a, fault);
    case MathFn::atan2: return N::from_double(std::atan2(double{a}, double{at(1)}));
    case MathFn::pow: return N::from_double(power(a, at(1), fault));
    default: return N::from_double(transcendental(fn, a, fault));
  }
}

// A scalar among vectors stands for all of its components.
Bits component_bits(const Operand& operand, std::size_t i) {
  return operand.scalars[operand.scalars.size() == 1 ? 0 : i];
}

template <class N>
Fault each_component(MathFn fn, std::span<const Operand> arguments, std::span<Bits> out) {
  Fault fault = Fault::none;
  for (std::size_t i = 0; i < arguments[0].scalars.size(); ++i) {
    const auto at = [&](std::size_t k) { return N::load(component_bits(arguments[k], i)); };
    const auto v = component<N>(fn, at, fault);
    note(fault, finite_or_fault(v));
    out[i] = N::store(v);
  }
  return fault;
}

template <class N>
Fault ldexp_components(bool abstract_exponent, std::span<const Operand> arguments,
                       std::span<Bits> out) {
  Fault fault = Fault::none;
  for (std::size_t i = 0; i < arguments[0].scalars.size(); ++i) {
    const Bits bits = component_bits(arguments[1], i);
    const std::int64_t n =
        abstract_exponent ? AbstractIntNumber::load(bits) : std::int64_t{I32Number::load(bits)};
    const auto v = load_exponent<N>(N::load(arguments[0].scalars[i]), n);
    note(fault, finite_or_fault(v));
    out[i] = N::store(v);
  }
  return fault;
}

// {fract, exp} of frexp and {fract, whole} of modf, flattened: all of the first member, then all of
// the second.
template <class N>
Fault split_components(MathFn fn, std::span<const Operand> arguments, std::span<Bits> out) {
  const auto in = arguments[0].scalars;
  Fault fault = Fault::none;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto v = N::load(in[i]);
    note(fault, finite_or_fault(v));
    if (fn == MathFn::modf) {
      out[i] = N::store(v - std::trunc(v));
      out[in.size() + i] = N::store(std::trunc(v));
      continue;
    }
    int exponent = 0;
    const auto fraction = std::isfinite(v) ? std::frexp(v, &exponent) : v;
    out[i] = N::store(fraction);
    out[in.size() + i] =
        N::kIsAbstract ? AbstractIntNumber::store(exponent) : I32Number::store(exponent);
  }
  return fault;
}

}  // namespace

Fault apply_float_math(MathFn fn, ScalarKind kind, std::span<const Operand> arguments,
                       std::span<Bits> out) {
  return with_float(kind, [&]<class N>(N) {
    switch (fn) {
      case MathFn::frexp:
      case MathFn::modf: return split_components<N>(fn, arguments, out);
      default: return each_component<N>(fn, arguments, out);
    }
  });
}

namespace {

Fault apply_ldexp(const TypeTable& types, std::span<const Operand> arguments, std::span<Bits> out) {
  const bool abstract_exponent = is_abstract(shape_of(types, arguments[1].type).kind);
  return with_float(shape_of(types, arguments[0].type).kind, [&]<class N>(N) {
    return ldexp_components<N>(abstract_exponent, arguments, out);
  });
}

Fault compute(MathFn fn, const TypeTable& types, std::span<const Operand> arguments,
              std::span<std::uint64_t> out) {
  const auto is_set = [](Bits v) { return v != 0; };
  const ScalarKind kind = shape_of(types, arguments[0].type).kind;
  switch (fn) {
    case MathFn::all: out[0] = std::ranges::all_of(arguments[0].scalars, is_set); break;
    case MathFn::any: out[0] = std::ranges::any_of(arguments[0].scalars, is_set); break;

    case MathFn::ldexp: return apply_ldexp(types, arguments, out);

    case MathFn::dot:
      if (!is_float(kind)) return apply_integer_math(fn, kind, arguments, out);
      [[fallthrough]];
    case MathFn::cross:
    case MathFn::determinant:
    case MathFn::distance:
    case MathFn::face_forward:
    case MathFn::length:
    case MathFn::normalize:
    case MathFn::reflect:
    case MathFn::refract:
    case MathFn::transpose: return apply_geometry(fn, types, arguments, out);

    case MathFn::dot4_u8_packed:
    case MathFn::dot4_i8_packed:
    case MathFn::pack4x8_snorm:
    case MathFn::pack4x8_unorm:
    case MathFn::pack4x_i8:
    case MathFn::pack4x_u8:
    case MathFn::pack4x_i8_clamp:
    case MathFn::pack4x_u8_clamp:
    case MathFn::pack2x16_snorm:
    case MathFn::pack2x16_unorm:
    case MathFn::pack2x16_float:
    case MathFn::unpack4x8_snorm:
    case MathFn::unpack4x8_unorm:
    case MathFn::unpack4x_i8:
    case MathFn::unpack4x_u8:
    case MathFn::unpack2x16_snorm:
    case MathFn::unpack2x16_unorm:
    case MathFn::unpack2x16_float: return apply_pack(fn, arguments, out);

    default:
      return is_float(kind) ? apply_float_math(fn, kind, arguments, out)
                            : apply_integer_math(fn, kind, arguments, out);
  }
  return Fault::none;
}

}  // namespace

Fault apply(MathFn fn, const TypeTable& types, TypeId, std::span<const Operand> arguments,
            std::span<std::uint64_t> out) {
  Fault fault = argument_fault(fn, types, arguments);
  note(fault, compute(fn, types, arguments, out));
  return fault;
}

}  // namespace vyre
