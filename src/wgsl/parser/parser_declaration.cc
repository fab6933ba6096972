// Directives and declarations.
#include <fmt/format.h>

#include <utility>

#include "vyre/wgsl/parser/parser_internal.h"

namespace vyre {

using enum TokenKind;

namespace {

template <class Node>
const ast::Declaration* make_declaration(Arena& arena, Span span, std::optional<Node> node) {
  if (!node) return nullptr;
  return arena.make(ast::Declaration{span, *std::move(node)});
}

constexpr bool is_directive(TokenKind kind) {
  return kind == kw_enable || kind == kw_requires || kind == kw_diagnostic;
}

// The names of the keyword in older dialects and other languages.
std::string_view modern_spelling(std::string_view word) {
  if (word == "type" || word == "typedef" || word == "using") return "write 'alias Name = Type;'";
  if (word == "static_assert") return "write 'const_assert'";
  if (word == "import") return "WGSL has no imports";
  return "";
}

}  // namespace

// ---- Directives

void Parser::directives() {
  while (is_directive(current().kind) && !stopped()) {
    const std::size_t start = at_;
    if (!directive()) skip_to_next_declaration(start);
  }
}

bool Parser::directive() {
  const Token first = take();
  if (first.kind == kw_diagnostic) {
    const auto control = diagnostic_control();
    if (!control) return false;
    module_.diagnostics.push_back(*control);
    return expect_semicolon("diagnostic directive");
  }
  const bool enable = first.kind == kw_enable;
  if (!name_list(enable ? module_.enables : module_.requirements,
                 enable ? "the name of an extension after 'enable'"
                        : "the name of a language feature after 'requires'")) {
    return false;
  }
  return expect_semicolon(enable ? "enable directive" : "requires directive");
}

bool Parser::name_list(std::vector<ast::Name>& names, std::string_view what) {
  do {
    const auto name = expect_name(what);
    if (!name) return false;
    names.push_back(*name);
  } while (accept(comma) && !is(semicolon));
  return true;
}

// ---- Declarations

const ast::Declaration* Parser::declaration() {
  const Token first = current();
  const ast::AttributeList attributes = this->attributes();
  const TokenKind kind = current().kind;
  Arena& arena = module_.arena;
  switch (kind) {
    case kw_fn: {
      const auto parsed = function(attributes);
      return make_declaration(arena, since(first), parsed);
    }
    case kw_struct: {
      refuse_attributes(attributes, "a struct declaration");
      const auto parsed = structure();
      return make_declaration(arena, since(first), parsed);
    }
    case kw_const: refuse_attributes(attributes, "a const declaration"); [[fallthrough]];
    case kw_var:
    case kw_override: {
      const auto parsed = variable(attributes);
      const Span span = since(first);
      if (!parsed || !expect_semicolon("variable declaration")) return nullptr;
      return make_declaration(arena, span, parsed);
    }
    case kw_alias: {
      refuse_attributes(attributes, "an alias declaration");
      const auto parsed = alias();
      const Span span = since(first);
      if (!parsed || !expect_semicolon("alias declaration")) return nullptr;
      return make_declaration(arena, span, parsed);
    }
    case kw_const_assert: {
      refuse_attributes(attributes, "const_assert");
      const auto parsed = const_assert();
      const Span span = since(first);
      if (!parsed || !expect_semicolon("const_assert")) return nullptr;
      return make_declaration(arena, span, parsed);
    }
    default: report_no_declaration(attributes); return nullptr;
  }
}

void Parser::report_no_declaration(ast::AttributeList attributes) {
  const Token token = current();
  if (unclosed_block_) {  // already reported; the text that follows was meant to be inside
    lost_ = true;
    return;
  }
  if (is_directive(token.kind)) {
    error(token.span, fmt::format("'{}' must come before all declarations", text(token)));
  } else if (token.kind == kw_let) {
    error(token.span, "'let' can only be used in a function").with_fix("use 'const' or 'override'");
  } else if (token.kind == brace_right) {
    error(token.span, "'}' without a '{' before it");
  } else if (token.kind == bracket_left && next().kind == bracket_left) {
    error(token.span, "expected a declaration, found '[['").with_fix("write attributes as '@name'");
  } else if (token.kind == reserved_word && !modern_spelling(text(token)).empty()) {
    expected("a declaration").with_fix(std::string(modern_spelling(text(token))));
  } else if (attributes.empty()) {
    expected("a declaration (fn, struct, alias, var, const, override or const_assert)");
  } else {
    expected("fn, var or override after the attributes");
  }
}

std::optional<ast::Variable> Parser::variable(ast::AttributeList attributes) {
  const Token keyword = take();
  ast::Variable variable;
  variable.attributes = attributes;
  switch (keyword.kind) {
    case kw_var: variable.kind = ast::VariableKind::var; break;
    case kw_let: variable.kind = ast::VariableKind::let; break;
    case kw_const: variable.kind = ast::VariableKind::const_; break;
    default: variable.kind = ast::VariableKind::override_; break;
  }
  if (variable.kind == ast::VariableKind::var && is(template_begin)) {
    const auto list = template_list();
    if (!list) return std::nullopt;
    variable.template_args = *list;
  }
  const auto name = expect_name(fmt::format("a name after '{}'", text(keyword)));
  if (!name) return std::nullopt;
  variable.name = *name;
  if (accept(colon)) {
    variable.type = type();
    if (variable.type == nullptr) return std::nullopt;
  }
  if (accept(equal)) {
    variable.initializer = expression();
    if (variable.initializer == nullptr) return std::nullopt;
    return variable;
  }
  const bool needs_value =
      variable.kind == ast::VariableKind::let || variable.kind == ast::VariableKind::const_;
  if (needs_value) {
    expected(fmt::format("'=' and a value for '{}'", name->text));
    return std::nullopt;
  }
  if (variable.type == nullptr) {
    expected(fmt::format("':' and a type, or '=' and a value, for '{}'", name->text));
    return std::nullopt;
  }
  return variable;
}

std::optional<ast::Alias> Parser::alias() {
  take();
  const auto name = expect_name("a name after 'alias'");
  if (!name || !expect(equal, "'=' after the alias's name")) return std::nullopt;
  const ast::Expr* type = this->type();
  if (type == nullptr) return std::nullopt;
  return ast::Alias{*name, type};
}

std::optional<ast::ConstAssert> Parser::const_assert() {
  take();
  const ast::Expr* condition = expression();
  if (condition == nullptr) return std::nullopt;
  return ast::ConstAssert{condition};
}

// ---- Structs

std::optional<ast::Struct> Parser::structure() {
  take();
  const auto name = expect_name("a name after 'struct'");
  if (!name) return std::nullopt;
  const Token open = current();
  if (!expect(brace_left, "'{' after the struct's name")) return std::nullopt;
  std::vector<ast::StructMember> members;
  bool semicolon_reported = false;
  while (!is(brace_right) && !is(end_of_text) && !begins_declaration() && !stopped()) {
    if (const auto member = struct_member()) {
      members.push_back(*member);
      if (accept(comma) || is(brace_right)) continue;
      if (!is(semicolon)) {
        expected("',' or '}' after the member");
      } else if (!std::exchange(semicolon_reported, true)) {
        expected("',' or '}' after the member").with_fix("separate members with ','");
      }
    }
    skip_to_next_member();
    if (!accept(comma)) accept(semicolon);
  }
  if (!is(brace_right)) {
    if (!stopped()) expected("a member or '}'").note(open.span, "to close this '{'");
    return std::nullopt;
  }
  take();
  if (members.empty() && !diagnostics_.has_errors()) {
    error(name->span, fmt::format("struct '{}' has no members", name->text));
    return std::nullopt;
  }
  return ast::Struct{*name, keep(members)};
}

std::optional<ast::StructMember> Parser::struct_member() {
  const ast::AttributeList attributes = this->attributes();
  const auto name = expect_name("a member's name");
  if (!name || !expect(colon, "':' after the member's name")) return std::nullopt;
  const ast::Expr* type = this->type();
  if (type == nullptr) return std::nullopt;
  return ast::StructMember{attributes, *name, type};
}

// ---- Functions

std::optional<ast::Function> Parser::function(ast::AttributeList attributes) {
  take();
  ast::Function function;
  function.attributes = attributes;
  if (!function_header(function)) {
    skip_to_body(false);
    if (!is(brace_left)) return std::nullopt;
  }
  function.body = block("before the function's body");
  if (function.body == nullptr) return std::nullopt;
  return function;
}

bool Parser::function_header(ast::Function& function) {
  const auto name = expect_name("a function's name after 'fn'");
  if (!name || !expect(paren_left, "'(' after the function's name")) return false;
  function.name = *name;
  if (!parameters(function)) return false;
  if (!accept(arrow)) return true;
  function.return_attributes = this->attributes();
  function.return_type = type();
  return function.return_type != nullptr;
}

bool Parser::parameters(ast::Function& function) {
  std::vector<ast::Parameter> list;
  while (!is(paren_right)) {
    const ast::AttributeList attributes = this->attributes();
    const auto name = expect_name("a parameter's name");
    if (!name || !expect(colon, "':' after the parameter's name")) return false;
    const ast::Expr* type = this->type();
    if (type == nullptr) return false;
    list.push_back({attributes, *name, type});
    if (!accept(comma)) break;
  }
  if (!expect(paren_right, "',' or ')' after the parameter")) return false;
  function.parameters = keep(list);
  return true;
}

}  // namespace vyre
