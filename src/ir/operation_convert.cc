// Value conversions and reinterpretation of bits.
#include <array>

#include "vyre/ir/operation_internal.h"

namespace vyre {
namespace {

// The value of `To` closest to trunc(v) that the float type of v also holds: an f32 above the range
// of i32 gives 2147483520. NaN gives 0.
template <class To, class From>
Bits float_to_integer(typename From::Value v) {
  using Integer = typename To::Value;
  using Float = typename From::Value;
  constexpr int kDigits = std::numeric_limits<Float>::digits;
  constexpr int kBits = std::numeric_limits<Integer>::digits;
  constexpr int kLost = kBits > kDigits ? kBits - kDigits : 0;
  constexpr Integer kHigh = std::numeric_limits<Integer>::max() >> kLost << kLost;
  constexpr Integer kLow = std::numeric_limits<Integer>::min();
  if (std::isnan(v)) return 0;
  if constexpr (std::is_same_v<From, F16Number>) {
    v = From::clamp(v, -65504.0F, 65504.0F);  // infinities
  }
  if (v >= static_cast<Float>(kHigh)) return To::store(kHigh);
  if (v <= static_cast<Float>(kLow)) return To::store(kLow);
  return To::store(static_cast<Integer>(v));
}

template <class To>
Bits real_to_float(double v, Fault& fault) {
  // The largest values are often written with fewer digits, a little beyond what they round to.
  const auto rounded = To::from_double(v);
  if (!std::isfinite(rounded)) note(fault, Fault::does_not_fit);
  return To::store(rounded);
}

// Through a double only where it holds every value of the source, so that rounding happens once.
template <class To, class From>
Bits integer_to_float(typename From::Value v, Fault& fault) {
  if constexpr (std::is_same_v<To, F16Number>) {
    // Every integer beyond 2^53 is far outside the range of f16.
    return real_to_float<To>(static_cast<double>(v), fault);
  } else {
    return To::store(static_cast<typename To::Value>(v));
  }
}

template <class To, class From>
Bits integer_to_integer(typename From::Value v, Fault& fault) {
  const auto out = static_cast<typename To::Value>(v);
  // Between i32 and u32 the bits stay; an abstract value must be representable.
  if constexpr (From::kIsAbstract) {
    if (static_cast<std::int64_t>(out) != v) note(fault, Fault::does_not_fit);
  }
  return To::store(out);
}

template <class To, class From>
Bits convert_number(Bits bits, Fault& fault) {
  const auto v = From::load(bits);
  if constexpr (To::kIsFloat) {
    if constexpr (From::kIsFloat) {
      return real_to_float<To>(v, fault);
    } else {
      return integer_to_float<To, From>(v, fault);
    }
  } else if constexpr (From::kIsFloat) {
    return float_to_integer<To, From>(v);
  } else {
    return integer_to_integer<To, From>(v, fault);
  }
}

Bits convert_bits(Bits bits, ScalarKind from, ScalarKind to, Fault& fault) {
  if (from == to) return bits;
  if (to == ScalarKind::boolean) {
    return with_number(from, [&]<class N>(N) -> Bits { return N::load(bits) != 0; });
  }
  if (from == ScalarKind::boolean) {
    return with_number(to, [&]<class N>(N) {
      return N::store(static_cast<typename N::Value>(bits != 0 ? 1 : 0));
    });
  }
  return with_number(to, [&]<class To>(To) {
    return with_number(from,
                       [&]<class From>(From) { return convert_number<To, From>(bits, fault); });
  });
}

unsigned bytes_of(ScalarKind kind) { return kind == ScalarKind::f16 ? 2 : 4; }

}  // namespace

Fault convert(Scalar value, ScalarKind to, Scalar& out) {
  Fault fault = Fault::none;
  out = {to, convert_bits(value.bits, value.kind, to, fault)};
  return fault;
}

Fault apply_convert(const TypeTable& types, TypeId result, Operand value,
                    std::span<std::uint64_t> out) {
  const Shape from = shape_of(types, value.type), to = shape_of(types, result);
  Fault fault = Fault::none;
  for (std::size_t i = 0; i < to.count(); ++i) {
    out[i] = convert_bits(value.scalars[i], from.kind, to.kind, fault);
  }
  return fault;
}

Fault apply_bitcast(const TypeTable& types, TypeId result, Operand value,
                    std::span<std::uint64_t> out) {
  const Shape from = shape_of(types, value.type), to = shape_of(types, result);
  if (is_abstract(from.kind)) return apply_convert(types, result, value, out);

  // All of it as bytes, little end first: 16 hold the largest, a vec4 of a 32-bit kind.
  std::array<std::uint8_t, 16> bytes{};
  std::size_t at = 0;
  for (std::size_t i = 0; i < from.count(); ++i) {
    for (unsigned b = 0; b < bytes_of(from.kind); ++b) {
      bytes[at++] = static_cast<std::uint8_t>(value.scalars[i] >> (8 * b));
    }
  }
  at = 0;
  Fault fault = Fault::none;
  for (std::size_t i = 0; i < to.count(); ++i) {
    Bits bits = 0;
    for (unsigned b = 0; b < bytes_of(to.kind); ++b) bits |= Bits{bytes[at++]} << (8 * b);
    if (is_float(to.kind)) note(fault, finite_or_fault(Scalar{to.kind, bits}.as_double()));
    out[i] = bits;
  }
  return fault;
}

}  // namespace vyre
