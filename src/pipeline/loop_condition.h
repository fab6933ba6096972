// When a loop of a pipeline ends: "moved == 0", "error[1] < 0.001".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/ir/scalar.h"

namespace vyre {

enum class CompareWith : std::uint8_t { equal, not_equal, less, at_most, more, at_least };

// A condition as it is written: one element of a buffer, compared with a number.
struct ConditionText {
  std::string buffer;
  std::uint64_t index = 0;
  CompareWith compare = CompareWith::equal;
  double number = 0;
};
Result<ConditionText> parse_condition(std::string_view text);

// A condition that was looked up: it compares this scalar of a buffer.
struct LoopCondition {
  std::size_t buffer = 0;
  std::uint64_t offset = 0;
  ScalarKind kind = ScalarKind::u32;
  CompareWith compare = CompareWith::equal;
  double number = 0;

  std::uint32_t bytes() const { return kind == ScalarKind::f16 ? 2 : 4; }
  // `scalar` are the bytes at the offset. A comparison with a NaN holds only as "is not equal".
  bool holds(std::span<const std::byte> scalar) const;
};

}  // namespace vyre
