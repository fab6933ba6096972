// The parts of Unicode that WGSL's lexical rules need: UTF-8 decoding, blankspace, line breaks and
// the identifier classes of Unicode 14.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace vyre {

// One code point and its number of bytes. An invalid sequence is kInvalid and takes one byte.
struct CodePoint {
  static constexpr char32_t kInvalid = 0xFFFFFFFF;

  char32_t value = kInvalid;
  std::uint32_t bytes = 1;

  bool valid() const { return value != kInvalid; }
};

// `at` must be inside the text. Overlong forms, surrogates and values beyond U+10FFFF are invalid.
CodePoint decode_utf8(std::string_view text, std::size_t at);

constexpr bool is_blankspace(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0x200E || c == 0x200F ||
         c == 0x2028 || c == 0x2029;
}

// CR counts even before LF; callers that count lines join the two.
constexpr bool is_line_break(char32_t c) {
  return (c >= '\n' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool is_xid_start(char32_t c);
bool is_xid_continue(char32_t c);

}  // namespace vyre
