// Builtin functions of integers.
#include <algorithm>
#include <bit>

#include "vyre/ir/operation_internal.h"

namespace vyre {
namespace {

// min(offset, 32) and min(count, 32 - offset); asking for more is an error in constants.
struct BitField {
  std::uint32_t offset, count;
  std::uint32_t mask() const {
    return count == 0 ? 0 : (count == 32 ? ~0U : ((1U << count) - 1U)) << offset;
  }
};
BitField bit_field(Bits offset, Bits count) {
  BitField field{};
  field.offset = static_cast<std::uint32_t>(std::min<Bits>(offset, 32));
  field.count = static_cast<std::uint32_t>(std::min<Bits>(count, 32 - field.offset));
  return field;
}

Bits extract_bits(bool sign_extends, std::uint32_t e, BitField field) {
  if (field.count == 0) return 0;
  const std::uint32_t top = e << (32 - field.offset - field.count);
  const std::uint32_t down = 32 - field.count;
  if (!sign_extends) return top >> down;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(top) >> down);
}

std::uint32_t insert_bits(std::uint32_t e, std::uint32_t bits, BitField field) {
  const std::uint32_t mask = field.mask();
  return field.count == 0 ? e : (e & ~mask) | ((bits << field.offset) & mask);
}

std::uint32_t reverse_bits(std::uint32_t e) {
  e = ((e >> 1) & 0x55555555U) | ((e & 0x55555555U) << 1);
  e = ((e >> 2) & 0x33333333U) | ((e & 0x33333333U) << 2);
  e = ((e >> 4) & 0x0F0F0F0FU) | ((e & 0x0F0F0F0FU) << 4);
  e = ((e >> 8) & 0x00FF00FFU) | ((e & 0x00FF00FFU) << 8);
  return (e >> 16) | (e << 16);
}

// Position of the highest bit that differs from the sign; all ones when there is none.
std::uint32_t first_leading_bit(bool is_signed, std::uint32_t e) {
  if (is_signed && (e >> 31) != 0) e = ~e;
  return e == 0 ? ~0U : 31U - static_cast<std::uint32_t>(std::countl_zero(e));
}

template <class N>
typename N::Value abs_of(typename N::Value v) {
  if constexpr (std::is_signed_v<typename N::Value>) return v < 0 ? N::negate(v) : v;
  return v;
}

template <class N>
typename N::Value sign_of(typename N::Value v) {
  if constexpr (std::is_signed_v<typename N::Value>) {
    if (v < 0) return -1;
  }
  return v > 0 ? 1 : 0;
}

template <class N>
Fault numeric(MathFn fn, std::span<const Operand> arguments, std::span<Bits> out) {
  const std::size_t count = arguments[0].scalars.size();
  Fault fault = Fault::none;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = [&](std::size_t k) { return N::load(arguments[k].scalars[i]); };
    const auto a = at(0);
    typename N::Value v{};
    switch (fn) {
      case MathFn::abs: v = abs_of<N>(a); break;
      case MathFn::sign: v = sign_of<N>(a); break;
      case MathFn::min: v = std::min(a, at(1)); break;
      case MathFn::max: v = std::max(a, at(1)); break;
      case MathFn::clamp: v = std::min(std::max(a, at(1)), at(2)); break;
      default: assert(!"not a function of integers"); break;
    }
    out[i] = N::store(v);
  }
  return fault;
}

template <class N>
Fault dot(std::span<const Operand> arguments, std::span<Bits> out) {
  Fault fault = Fault::none;
  typename N::Value sum = 0;
  for (std::size_t i = 0; i < arguments[0].scalars.size(); ++i) {
    const auto a = N::load(arguments[0].scalars[i]), b = N::load(arguments[1].scalars[i]);
    sum = N::add(sum, N::mul(a, b, fault), fault);
  }
  out[0] = N::store(sum);
  return fault;
}

}  // namespace

Fault apply_integer_math(MathFn fn, ScalarKind kind, std::span<const Operand> arguments,
                         std::span<Bits> out) {
  if (fn == MathFn::dot) {
    return with_integer(kind, [&]<class N>(N) { return dot<N>(arguments, out); });
  }
  Fault fault = Fault::none;
  const auto each = [&](auto&& component) {
    for (std::size_t i = 0; i < arguments[0].scalars.size(); ++i) {
      out[i] = component(static_cast<std::uint32_t>(arguments[0].scalars[i]), i);
    }
    return fault;
  };
  const bool is_signed = kind == ScalarKind::i32;
  switch (fn) {
    case MathFn::count_leading_zeros:
      return each([](std::uint32_t e, std::size_t) { return std::countl_zero(e); });
    case MathFn::count_trailing_zeros:
      return each([](std::uint32_t e, std::size_t) { return std::countr_zero(e); });
    case MathFn::count_one_bits:
      return each([](std::uint32_t e, std::size_t) { return std::popcount(e); });
    case MathFn::reverse_bits:
      return each([](std::uint32_t e, std::size_t) { return reverse_bits(e); });
    case MathFn::first_leading_bit:
      return each([&](std::uint32_t e, std::size_t) { return first_leading_bit(is_signed, e); });
    case MathFn::first_trailing_bit:
      return each([](std::uint32_t e, std::size_t) {
        return e == 0 ? ~0U : static_cast<std::uint32_t>(std::countr_zero(e));
      });
    case MathFn::extract_bits: {
      const auto field = bit_field(arguments[1].scalars[0], arguments[2].scalars[0]);
      return each([&](std::uint32_t e, std::size_t) { return extract_bits(is_signed, e, field); });
    }
    case MathFn::insert_bits: {
      const auto field = bit_field(arguments[2].scalars[0], arguments[3].scalars[0]);
      return each([&](std::uint32_t e, std::size_t i) {
        return insert_bits(e, static_cast<std::uint32_t>(arguments[1].scalars[i]), field);
      });
    }
    default: return with_integer(kind, [&]<class N>(N) { return numeric<N>(fn, arguments, out); });
  }
}

}  // namespace vyre
