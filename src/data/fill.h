// Generated data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/data/npy/packed_elements.h"

namespace vyre {

// Scalars are numbered 0, 1, 2, ... through the buffer in memory order.
struct Fill {
  enum class Kind : std::uint8_t {
    zeros,
    iota,      // scalar i is i (modulo 2^32 for integers, rounded for floats)
    constant,  // every scalar is `value`
    random,    // scalar i is a function of `seed` and i alone
  };
  Kind kind = Kind::zeros;
  std::string value;
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> elements;  // of a run-time sized array
  bool operator==(const Fill&) const = default;
};

// zeros[:N] | iota[:N] | const=V[:N] | random=SEED[:N]
Result<Fill> parse_fill(std::string_view text);
// "fill:iota"
std::string describe(const Fill& fill);

// Fills the whole buffer. Fails when a constant does not fit a scalar of the buffer.
Result<void> apply_fill(const TypeTable& types, const BufferLayout& layout, const Fill& fill,
                        std::span<std::byte> memory);

// Scalar i of the sequence of a seed: the output of SplitMix64 for the state seed + (i+1) * the
// golden gamma. Integers take its high 32 bits; f32 the high 24 and f16 the high 11 as a fraction
// in [0, 1).
Scalar random_scalar(std::uint64_t seed, std::uint64_t i, ScalarKind kind);

}  // namespace vyre
