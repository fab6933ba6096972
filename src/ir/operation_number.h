// The numbers behind a Scalar's bits, one struct for each numeric kind: how a value is loaded and
// stored, and the arithmetic in which `apply` is defined. The interpreter's quick paths call the
// same functions, so that every meaning has one definition.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "vyre/ir/operation.h"

namespace vyre {

// The first fault of several wins.
inline void note(Fault& fault, Fault next) {
  if (fault == Fault::none) fault = next;
}

// ---- Integers --------------------------------------------------------------------------------

template <class T, bool kChecked>
struct IntegerNumber {
  using Value = T;
  using Unsigned = std::make_unsigned_t<T>;
  static constexpr bool kIsFloat = false;
  static constexpr unsigned kWidth = sizeof(T) * 8;
  static constexpr bool kIsAbstract = kChecked;  // an abstract integer may not overflow
  static constexpr T kMin = std::numeric_limits<T>::min();

  static T load(std::uint64_t bits) { return static_cast<T>(static_cast<Unsigned>(bits)); }
  static std::uint64_t store(T v) { return static_cast<Unsigned>(v); }

  static T add(T a, T b, Fault& fault) {
    T out;
    if (__builtin_add_overflow(a, b, &out) && kChecked) note(fault, Fault::overflow);
    return out;
  }
  static T sub(T a, T b, Fault& fault) {
    T out;
    if (__builtin_sub_overflow(a, b, &out) && kChecked) note(fault, Fault::overflow);
    return out;
  }
  static T mul(T a, T b, Fault& fault) {
    T out;
    if (__builtin_mul_overflow(a, b, &out) && kChecked) note(fault, Fault::overflow);
    return out;
  }
  static T div(T a, T b, Fault& fault) {
    if (b == 0) {
      note(fault, Fault::division_by_zero);
      return a;
    }
    if constexpr (std::is_signed_v<T>) {
      if (a == kMin && b == -1) {
        note(fault, Fault::overflow);
        return a;
      }
    }
    return static_cast<T>(a / b);
  }
  static T rem(T a, T b, Fault& fault) {
    if (b == 0) {
      note(fault, Fault::division_by_zero);
      return 0;
    }
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) {
        if (a == kMin) note(fault, Fault::overflow);
        return 0;
      }
    }
    return static_cast<T>(a % b);
  }
  // The lowest value is its own negative, in constant expressions too.
  static T negate(T a) { return static_cast<T>(Unsigned{0} - static_cast<Unsigned>(a)); }

  static T shift_left(T a, std::uint32_t by, Fault& fault) {
    if (by >= kWidth) {
      if (!kChecked || a != 0) note(fault, Fault::shift_too_large);
      if constexpr (kChecked) return 0;
      by %= kWidth;
    }
    const T out = static_cast<T>(static_cast<Unsigned>(static_cast<Unsigned>(a) << by));
    if (static_cast<T>(out >> by) != a) note(fault, Fault::shift_loses_bits);
    return out;
  }
  static T shift_right(T a, std::uint32_t by, Fault& fault) {
    if (by >= kWidth) {
      if constexpr (kChecked) return a < 0 ? T{-1} : T{0};
      note(fault, Fault::shift_too_large);
      by %= kWidth;
    }
    return static_cast<T>(a >> by);
  }
};

using I32Number = IntegerNumber<std::int32_t, false>;
using U32Number = IntegerNumber<std::uint32_t, false>;
using AbstractIntNumber = IntegerNumber<std::int64_t, true>;

// ---- Floats ----------------------------------------------------------------------------------

struct F32Format {
  using Value = float;
  static constexpr bool kIsAbstract = false;
  static constexpr int kBias = 127;
  static constexpr double kMax = std::numeric_limits<float>::max();
  static float load(std::uint64_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
  static std::uint64_t store(float v) { return std::bit_cast<std::uint32_t>(v); }
  static float round(float v) { return v; }
  static float from_double(double v) { return static_cast<float>(v); }
};

// Values are floats that a binary16 holds.
struct F16Format {
  using Value = float;
  static constexpr bool kIsAbstract = false;
  static constexpr int kBias = 15;
  static constexpr double kMax = 65504;
  static float load(std::uint64_t bits) { return f16_to_float(static_cast<std::uint16_t>(bits)); }
  static std::uint64_t store(float v) { return float_to_f16(v); }
  static float round(float v) { return f16_to_float(float_to_f16(v)); }
  static float from_double(double v) { return f16_to_float(double_to_f16(v)); }
};

struct AbstractFloatFormat {
  using Value = double;
  static constexpr bool kIsAbstract = true;
  static constexpr int kBias = 1023;
  static constexpr double kMax = std::numeric_limits<double>::max();
  static double load(std::uint64_t bits) { return std::bit_cast<double>(bits); }
  static std::uint64_t store(double v) { return std::bit_cast<std::uint64_t>(v); }
  static double round(double v) { return v; }
  static double from_double(double v) { return v; }
};

// Arithmetic of a format: each operation rounded once, to nearest, ties to even.
template <class Format>
struct FloatNumber : Format {
  using T = typename Format::Value;
  static constexpr bool kIsFloat = true;

  static T add(T a, T b) { return Format::round(a + b); }
  static T sub(T a, T b) { return Format::round(a - b); }
  static T mul(T a, T b) { return Format::round(a * b); }
  static T div(T a, T b) { return Format::round(a / b); }
  // a - b * trunc(a / b) without rounding in between, which is always representable.
  static T rem(T a, T b) { return std::fmod(a, b); }
  static T fma(T a, T b, T c) { return Format::round(std::fma(a, b, c)); }
  static T sqrt(T a) { return Format::round(std::sqrt(a)); }
  static T negate(T a) { return -a; }
  static T min(T a, T b) { return b < a ? b : a; }
  static T max(T a, T b) { return a < b ? b : a; }
  static T clamp(T v, T low, T high) { return min(max(v, low), high); }
};

using F32Number = FloatNumber<F32Format>;
using F16Number = FloatNumber<F16Format>;
using AbstractFloatNumber = FloatNumber<AbstractFloatFormat>;

// ---- Dispatch --------------------------------------------------------------------------------

// Calls fn with the number struct of a float kind. Other kinds are not expected here and fall to
// the last case.
template <class Fn>
decltype(auto) with_float(ScalarKind kind, Fn&& fn) {
  switch (kind) {
    case ScalarKind::f32: return fn(F32Number{});
    case ScalarKind::f16: return fn(F16Number{});
    default: return fn(AbstractFloatNumber{});
  }
}
template <class Fn>
decltype(auto) with_integer(ScalarKind kind, Fn&& fn) {
  switch (kind) {
    case ScalarKind::i32: return fn(I32Number{});
    case ScalarKind::u32: return fn(U32Number{});
    default: return fn(AbstractIntNumber{});
  }
}
template <class Fn>
decltype(auto) with_number(ScalarKind kind, Fn&& fn) {
  return is_float(kind) ? with_float(kind, fn) : with_integer(kind, fn);
}

inline Fault finite_or_fault(double v) {
  return std::isfinite(v) ? Fault::none : Fault::not_finite;
}

}  // namespace vyre
