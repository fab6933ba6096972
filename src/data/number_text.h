// Numbers as people type them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/ir/scalar.h"

namespace vyre {

// Text from the user for a message: quoted, truncated if long, without control bytes.
std::string quote(std::string_view text);

// The pieces between separators; "a,,b" has an empty one in the middle, "" is one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

// A whole number from 0 to `most`: decimal, or hexadecimal with 0x.
Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t most = UINT64_MAX);

// A decimal number with optional sign, or inf, or nan, in any case. Empty: none of these.
std::optional<double> parse_decimal(std::string_view text);

// A value of the kind: i32 and u32 whole and in range; f32 and f16 any decimal number (rounded to
// the nearest; a finite number that would become infinite is refused), inf or nan; bool true/false.
Result<Scalar> parse_scalar(std::string_view text, ScalarKind kind);

// 1,234,567
std::string with_commas(std::uint64_t value);
// "1 buffer", "3 buffers".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace vyre
