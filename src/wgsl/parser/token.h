// Tokens of WGSL.
#pragma once

#include <cstdint>
#include <string_view>

#include "vyre/wgsl/source.h"

namespace vyre {

enum class TokenKind : std::uint8_t {
  end_of_text,
  identifier,
  reserved_word,
  reserved_name,  // begins with two underscores
  number,         // any numeric literal

  // Text that is not a token. The parser reports it.
  invalid_utf8,
  nul_character,
  unknown_character,
  unterminated_comment,
  malformed_number,

  // Keywords
  kw_alias,
  kw_break,
  kw_case,
  kw_const,
  kw_const_assert,
  kw_continue,
  kw_continuing,
  kw_default,
  kw_diagnostic,
  kw_discard,
  kw_else,
  kw_enable,
  kw_false,
  kw_fn,
  kw_for,
  kw_if,
  kw_let,
  kw_loop,
  kw_override,
  kw_requires,
  kw_return,
  kw_struct,
  kw_switch,
  kw_true,
  kw_var,
  kw_while,

  // Punctuation
  at,
  brace_left,
  brace_right,
  bracket_left,
  bracket_right,
  paren_left,
  paren_right,
  colon,
  comma,
  period,
  semicolon,
  underscore,
  arrow,
  bang,
  tilde,
  template_begin,  // the '<' and '>' around a template list
  template_end,

  // Binary operators
  plus,
  minus,
  star,
  slash,
  percent,
  ampersand,
  pipe,
  caret,
  shift_left,
  shift_right,
  and_and,
  or_or,
  equal_equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,

  // Assignments
  equal,
  plus_equal,
  minus_equal,
  star_equal,
  slash_equal,
  percent_equal,
  and_equal,
  or_equal,
  xor_equal,
  shift_left_equal,
  shift_right_equal,
  plus_plus,
  minus_minus,
};

constexpr bool is_invalid(TokenKind kind) {
  return kind >= TokenKind::invalid_utf8 && kind <= TokenKind::malformed_number;
}

struct Token {
  TokenKind kind = TokenKind::end_of_text;
  Span span;
};

}  // namespace vyre
