// Errors of the parser, and recovery from them.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vyre/wgsl/parser/literal.h"
#include "vyre/wgsl/parser/parser_internal.h"
#include "vyre/wgsl/unicode.h"

namespace vyre {

using enum TokenKind;

namespace {

constexpr std::size_t kShownBytes = 40;

// The text of a token for a message.
std::string shown(std::string_view text) {
  if (text.size() <= kShownBytes) return std::string(text);
  std::size_t end = kShownBytes;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

struct Lexical {
  std::string message;
  std::string fix;
};

Lexical explain_character(std::string_view text) {
  const char32_t c = decode_utf8(text, 0).value;
  const bool printable = c > ' ' && c != 0x7F && !(c >= 0x80 && c < 0xA0);
  std::string message = printable && c < 0x2000 ? fmt::format("unexpected character '{}'", text)
                                                : fmt::format("unexpected character U+{:04X}",
                                                              static_cast<std::uint32_t>(c));
  switch (c) {
    case '?': return {std::move(message), "use select(if_false, if_true, condition)"};
    case '#': return {std::move(message), "WGSL has no preprocessor"};
    case '"':
    case '\'': return {std::move(message), "WGSL has no strings and no characters"};
    case 0xFEFF:
      return {"a byte order mark is no part of WGSL", "save the text as UTF-8 without one"};
    default: return {std::move(message), {}};
  }
}

// The error for a token of one of the invalid kinds; empty for other kinds.
Lexical explain_invalid(TokenKind kind, std::string_view text) {
  switch (kind) {
    case invalid_utf8: return {"the text is not valid UTF-8 here", {}};
    case nul_character: return {"the text contains a NUL character", {}};
    case unterminated_comment: return {"this block comment is not closed", "end it with '*/'"};
    case malformed_number: return {explain_malformed_number(shown(text)), {}};
    case unknown_character: return explain_character(text);
    default: return {};
  }
}

constexpr bool begins_statement(TokenKind kind) {
  switch (kind) {
    case kw_break:
    case kw_const:
    case kw_const_assert:
    case kw_continue:
    case kw_continuing:
    case kw_discard:
    case kw_for:
    case kw_if:
    case kw_let:
    case kw_loop:
    case kw_return:
    case kw_switch:
    case kw_var:
    case kw_while: return true;
    default: return false;
  }
}

// Keywords of declarations that are only allowed at module scope.
constexpr bool never_in_function(TokenKind kind) {
  switch (kind) {
    case kw_alias:
    case kw_enable:
    case kw_fn:
    case kw_override:
    case kw_requires:
    case kw_struct: return true;
    default: return false;
  }
}

}  // namespace

std::string Parser::found() const {
  if (is(end_of_text)) return "the end of the text";
  return fmt::format("'{}'", shown(text(current())));
}

Diagnostic& Parser::expected(std::string_view what) {
  if (Lexical lexical = explain_invalid(current().kind, text(current()));
      !lexical.message.empty()) {
    if (is(unterminated_comment)) lost_ = true;
    return error(current().span, std::move(lexical.message)).with_fix(std::move(lexical.fix));
  }
  Diagnostic& diagnostic =
      error(current().span, fmt::format("expected {}, found {}", what, found()));
  const bool behind_template = at_ != 0 && previous().kind == template_end;
  if (behind_template || is(template_begin)) {
    diagnostic.with_fix(
        "'<' and '>' around an expression are read as a template list: put a comparison into "
        "parentheses");
  }
  return diagnostic;
}

bool Parser::begins_declaration() const {
  if (!is(at)) return never_in_function(current().kind);
  // Looks past the attributes, as far as they extend in real programs.
  constexpr std::size_t kLookahead = 64;
  std::size_t depth = 0;
  for (std::size_t i = at_; i < std::min(at_ + kLookahead, tokens_.size()); ++i) {
    const TokenKind kind = tokens_[i].kind;
    if (kind == paren_left) ++depth;
    if (kind == paren_right && depth != 0) --depth;
    const bool attribute = kind == at || kind == identifier || kind == kw_const ||
                           kind == kw_diagnostic || kind == paren_right;
    if (depth == 0 && !attribute) return never_in_function(kind);
  }
  return false;
}

void Parser::skip_balanced(TokenKind open, TokenKind close) {
  std::size_t depth = 0;
  do {
    if (is(open)) ++depth;
    if (is(close)) --depth;
    take();
  } while (depth != 0 && !is(end_of_text) && !begins_declaration());
}

void Parser::skip_to_next_declaration(std::size_t start) {
  if (at_ == start) take();
  while (!is(end_of_text) && !begins_declaration()) {
    const bool on_new_line = begins_line();
    if (on_new_line && (is(at) || is(kw_var) || is(kw_const) || is(kw_const_assert))) return;
    if (is(brace_left)) {
      skip_balanced(brace_left, brace_right);
      return;
    }
    const TokenKind kind = take().kind;
    if (kind == semicolon || kind == brace_right) return;
  }
}

void Parser::skip_to_next_statement(std::size_t start) {
  if (at_ == start && !is(brace_right)) {
    if (is(brace_left)) return skip_balanced(brace_left, brace_right);
    if (take().kind == semicolon) return;
  }
  while (!is(end_of_text) && !is(brace_right) && !begins_declaration()) {
    if (begins_statement(current().kind) && begins_line()) return;
    if (is(brace_left)) {
      skip_balanced(brace_left, brace_right);
      // Also skips what belongs to the block: `else`, and the end of a `do` loop of other
      // languages.
      if (is(kw_else) || (is(kw_while) && !begins_line())) continue;
      return;
    }
    if (take().kind == semicolon) return;
  }
}

void Parser::skip_to_body(bool over_semicolons) {
  while (!is(brace_left) && !is(brace_right) && !is(end_of_text) && !begins_declaration()) {
    if (is(semicolon) && !over_semicolons) return;
    take();
  }
}

void Parser::skip_to_next_clause() {
  while (!is(brace_right) && !is(end_of_text) && !begins_declaration()) {
    if (is(kw_case) || (is(kw_default) && previous().kind != comma)) return;
    if (is(brace_left)) {
      skip_balanced(brace_left, brace_right);
    } else {
      take();
    }
  }
}

void Parser::skip_to_close() {
  while (!is(brace_right) && !is(end_of_text) && !begins_declaration()) {
    if (is(brace_left)) {
      skip_balanced(brace_left, brace_right);
    } else {
      take();
    }
  }
}

void Parser::skip_to_next_member() {
  std::size_t depth = 0;
  while (!is(brace_right) && !is(end_of_text) && !begins_declaration()) {
    if (depth == 0 && (is(comma) || is(semicolon))) return;
    if (is(paren_left) || is(template_begin)) ++depth;
    if (depth != 0 && (is(paren_right) || is(template_end))) --depth;
    take();
  }
}

}  // namespace vyre
