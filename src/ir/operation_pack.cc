// Builtin functions that put several numbers into a u32 and take them out again.
#include <algorithm>

#include "vyre/ir/operation_internal.h"

namespace vyre {
namespace {

float to_float(Bits bits) { return F32Number::load(bits); }

// floor(0.5 + scale * v), v held to [low, 1]. The double holds the product exactly, so only the sum
// can be inexact, and not near a multiple of a half where it would matter. NaN counts as low.
std::uint32_t normalized(float v, float low, double scale) {
  const float held = std::isnan(v) ? low : F32Number::clamp(v, low, 1.0F);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::floor(0.5 + scale * held)));
}

template <class Fn>
Bits pack(std::span<const Bits> parts, unsigned width, Fn&& encode) {
  const std::uint32_t mask = (1U << width) - 1U;
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 32 / width; ++i) word |= (encode(parts[i]) & mask) << (width * i);
  return word;
}

template <class Fn>
Fault unpack(Bits word, unsigned width, std::span<Bits> out, Fn&& decode) {
  const std::uint32_t mask = (1U << width) - 1U;
  for (unsigned i = 0; i < 32 / width; ++i) {
    out[i] = decode((static_cast<std::uint32_t>(word) >> (width * i)) & mask);
  }
  return Fault::none;
}

std::int32_t sign_extend(std::uint32_t v, unsigned width) {
  return static_cast<std::int32_t>(v << (32 - width)) >> (32 - width);
}

Bits unorm(std::uint32_t v, double scale) {
  return F32Number::store(static_cast<float>(v / scale));
}
Bits snorm(std::uint32_t v, unsigned width, double scale) {
  return F32Number::store(static_cast<float>(std::max(sign_extend(v, width) / scale, -1.0)));
}

Bits dot4(Bits a, Bits b, bool is_signed) {
  std::int32_t sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    const auto x = static_cast<std::uint32_t>(a >> shift) & 0xFFU;
    const auto y = static_cast<std::uint32_t>(b >> shift) & 0xFFU;
    sum += is_signed ? sign_extend(x, 8) * sign_extend(y, 8) : static_cast<std::int32_t>(x * y);
  }
  return I32Number::store(sum);
}

}  // namespace

Fault apply_pack(MathFn fn, std::span<const Operand> arguments, std::span<Bits> out) {
  const auto in = arguments[0].scalars;
  const auto low8 = [](Bits v) { return static_cast<std::uint32_t>(v); };
  Fault fault = Fault::none;
  switch (fn) {
    case MathFn::dot4_u8_packed: out[0] = dot4(in[0], arguments[1].scalars[0], false); break;
    case MathFn::dot4_i8_packed: out[0] = dot4(in[0], arguments[1].scalars[0], true); break;

    case MathFn::pack4x8_snorm:
      out[0] = pack(in, 8, [](Bits v) { return normalized(to_float(v), -1.0F, 127.0); });
      break;
    case MathFn::pack4x8_unorm:
      out[0] = pack(in, 8, [](Bits v) { return normalized(to_float(v), 0.0F, 255.0); });
      break;
    case MathFn::pack2x16_snorm:
      out[0] = pack(in, 16, [](Bits v) { return normalized(to_float(v), -1.0F, 32767.0); });
      break;
    case MathFn::pack2x16_unorm:
      out[0] = pack(in, 16, [](Bits v) { return normalized(to_float(v), 0.0F, 65535.0); });
      break;
    case MathFn::pack4x_i8:
    case MathFn::pack4x_u8: out[0] = pack(in, 8, low8); break;
    case MathFn::pack4x_i8_clamp:
      out[0] = pack(in, 8, [](Bits v) {
        return static_cast<std::uint32_t>(std::clamp(I32Number::load(v), -128, 127));
      });
      break;
    case MathFn::pack4x_u8_clamp:
      out[0] = pack(in, 8, [](Bits v) { return std::min(U32Number::load(v), 255U); });
      break;
    case MathFn::pack2x16_float:
      out[0] = pack(in, 16, [&](Bits v) -> std::uint32_t {
        if (!(std::fabs(to_float(v)) <= F16Number::kMax)) note(fault, Fault::does_not_fit);
        return float_to_f16(to_float(v));
      });
      break;

    case MathFn::unpack4x8_snorm:
      return unpack(in[0], 8, out, [](std::uint32_t v) { return snorm(v, 8, 127.0); });
    case MathFn::unpack4x8_unorm:
      return unpack(in[0], 8, out, [](std::uint32_t v) { return unorm(v, 255.0); });
    case MathFn::unpack2x16_snorm:
      return unpack(in[0], 16, out, [](std::uint32_t v) { return snorm(v, 16, 32767.0); });
    case MathFn::unpack2x16_unorm:
      return unpack(in[0], 16, out, [](std::uint32_t v) { return unorm(v, 65535.0); });
    case MathFn::unpack4x_i8:
      return unpack(in[0], 8, out,
                    [](std::uint32_t v) { return I32Number::store(sign_extend(v, 8)); });
    case MathFn::unpack4x_u8: return unpack(in[0], 8, out, [](std::uint32_t v) { return Bits{v}; });
    case MathFn::unpack2x16_float:
      unpack(in[0], 16, out, [&](std::uint32_t v) {
        const float value = f16_to_float(static_cast<std::uint16_t>(v));
        note(fault, finite_or_fault(value));
        return F32Number::store(value);
      });
      break;
    default: assert(!"not a packing function"); break;
  }
  return fault;
}

}  // namespace vyre
