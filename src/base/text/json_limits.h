// Limits for JSON that others wrote. They are checked before it is parsed: a parser keeps tens of
// bytes for a value that is two bytes of the text.
#pragma once

#include <cstdint>
#include <string_view>

#include "vyre/base/error.h"

namespace vyre {

inline constexpr std::uint64_t kMaxJsonNesting = 64;
inline constexpr std::uint64_t kMaxJsonValues = std::uint64_t{1} << 24;

// Code::limit, with a sentence about "it", where the text is nested deeper or has more values. The
// text need not be JSON: finding that out is left to the parser.
Result<void> check_json_limits(std::string_view text, std::uint64_t max_values = kMaxJsonValues);

}  // namespace vyre
