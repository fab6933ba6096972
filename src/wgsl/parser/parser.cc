#include "vyre/wgsl/parser/parser.h"

#include <fmt/format.h>

#include <utility>

#include "vyre/wgsl/parser/lexer.h"
#include "vyre/wgsl/parser/parser_internal.h"

namespace vyre {

using enum TokenKind;

ast::Module parse(const Source& source, Diagnostics& diagnostics, bool lenient) {
  const std::size_t size = source.text().size();
  if (size > Source::kMaxBytes) {
    diagnostics.error({0, 0}, fmt::format("the text has {} bytes; at most {} are accepted", size,
                                          Source::kMaxBytes));
    return {};
  }
  return Parser(source, diagnostics, tokenize(source.text()), lenient).run();
}

ast::Module Parser::run() {
  directives();
  while (!is(end_of_text) && !stopped()) {
    const std::size_t start = at_;
    if (accept(semicolon)) continue;
    if (const ast::Declaration* declared = declaration()) {
      module_.declarations.push_back(declared);
    } else {
      skip_to_next_declaration(start);
    }
  }
  return std::move(module_);
}

Token Parser::take() {
  const Token token = current();
  if (token.kind != end_of_text) ++at_;
  return token;
}

bool Parser::accept(TokenKind kind) {
  if (!is(kind)) return false;
  take();
  return true;
}

bool Parser::expect(TokenKind kind, std::string_view what) {
  if (accept(kind)) return true;
  expected(what);
  return false;
}

bool Parser::expect_semicolon(std::string_view behind_what) {
  if (accept(semicolon)) return true;
  const std::string what = fmt::format("';' after {}", behind_what);
  if (is_invalid(current().kind) || (!begins_line() && !is(brace_right))) {
    expected(what);
    return false;
  }
  const std::uint32_t end = previous().span.end;
  error({end, end}, fmt::format("expected {}, found {}", what, found()));
  return true;
}

std::optional<ast::Name> Parser::expect_name(std::string_view what) {
  if (is(identifier)) {
    const Token token = take();
    return ast::Name{text(token), token.span};
  }
  if (is(reserved_word)) {
    error(current().span,
          fmt::format("expected {}, found '{}', which is a reserved word", what, text(current())));
  } else if (is(reserved_name)) {
    error(current().span, fmt::format("expected {}, found '{}': names cannot begin with two "
                                      "underscores",
                                      what, text(current())));
  } else {
    expected(what);
  }
  return std::nullopt;
}

Token Parser::take_half(TokenKind half) {
  Token& token = tokens_[at_];
  const Token first{half, {token.span.begin, token.span.begin + 1}};
  token = {half, {token.span.begin + 1, token.span.end}};
  return first;
}

bool Parser::begins_line() const {
  if (is(end_of_text) || at_ == 0) return true;
  const Span gap{previous().span.end, current().span.begin};
  return source_.text(gap).find_first_of("\n\r") != std::string_view::npos;
}

}  // namespace vyre
