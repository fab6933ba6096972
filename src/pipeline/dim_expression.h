// Sizes as a pipeline file writes them: "ceil(width / 2) * height".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "vyre/base/error.h"

namespace vyre {

// Numbers are exact fractions, so that a division loses nothing.
struct Fraction {
  std::int64_t above = 0;
  std::int64_t below = 1;  // greater than 0, and without a common divisor with `above`
  bool operator==(const Fraction&) const = default;
  double as_double() const { return static_cast<double>(above) / static_cast<double>(below); }
};

using FindDim = std::function<Result<std::uint64_t>(std::string_view name)>;

// Whole numbers, names of dims, + - * / with parentheses, ceil(a), floor(a), min(a, b), max(a, b).
// Errors: an unknown name, a division by zero, numbers beyond 64 bits, anything else in the text.
Result<Fraction> evaluate(std::string_view expression, const FindDim& dim);
// The same for a size, which must be a whole number from 1 to `most`.
Result<std::uint64_t> evaluate_size(std::string_view expression, const FindDim& dim,
                                    std::uint64_t most);

}  // namespace vyre
