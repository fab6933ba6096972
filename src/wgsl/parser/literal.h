// Numeric literals: their length and their value.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "vyre/ir/scalar.h"

namespace vyre {

// The number of bytes of the longest numeric literal at the front of the text. The text begins with
// a digit, or with a point and a digit.
std::size_t scan_number(std::string_view text);

// The value of a literal that scan_number measured, or what is wrong with it: out of range, or not
// exact where it must be.
std::expected<Scalar, std::string> number_value(std::string_view literal);

// Why a number with text directly after it is invalid: "leading zeros", "invalid suffix", ...
std::string explain_malformed_number(std::string_view text);

}  // namespace vyre
