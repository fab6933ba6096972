// Blocks and statements.
#include <fmt/format.h>

#include <utility>

#include "vyre/wgsl/parser/parser_internal.h"

namespace vyre {

using enum TokenKind;

namespace {

std::optional<ast::BinaryOp> compound_assignment(TokenKind kind) {
  switch (kind) {
    case plus_equal: return ast::BinaryOp::add;
    case minus_equal: return ast::BinaryOp::subtract;
    case star_equal: return ast::BinaryOp::multiply;
    case slash_equal: return ast::BinaryOp::divide;
    case percent_equal: return ast::BinaryOp::remainder;
    case and_equal: return ast::BinaryOp::bit_and;
    case or_equal: return ast::BinaryOp::bit_or;
    case xor_equal: return ast::BinaryOp::bit_xor;
    case shift_left_equal: return ast::BinaryOp::shift_left;
    case shift_right_equal: return ast::BinaryOp::shift_right;
    default: return std::nullopt;
  }
}

std::string what_was_parsed(const ast::Statement& statement) {
  if (statement.get_if<ast::Variable>() != nullptr) return "variable declaration";
  if (statement.get_if<ast::CallStatement>() != nullptr) return "call";
  if (const auto* step = statement.get_if<ast::Increment>()) return step->up ? "'++'" : "'--'";
  return "assignment";
}

}  // namespace

template <class Node>
const ast::Statement* Parser::make_statement(const Token& first, Node node) {
  return module_.arena.make(ast::Statement{since(first), std::move(node)});
}

// ---- Blocks

const ast::Block* Parser::block(std::string_view of_what) {
  const Nesting braces(brace_depth_);
  const Nesting statement(statement_depth_);
  const ast::AttributeList attributes = this->attributes();
  if (!is(brace_left)) {
    expected(fmt::format("'{{' {}", of_what));
    return nullptr;
  }
  if (nested_too_deeply()) return nullptr;
  const Token open = take();
  const auto list = statements(open, Inside::block);
  if (!close_block(open)) return nullptr;
  return module_.arena.make(ast::Block{since(open), attributes, list});
}

// Called before a '{' that has been counted. The braces of the function itself do not count.
bool Parser::nested_too_deeply() {
  if (brace_depth_ <= ast::Limits::kBraceDepth + 1 &&
      statement_depth_ <= ast::Limits::kStatementDepth) {
    return false;
  }
  error(current().span,
        fmt::format("statements are nested too deeply: at most {} blocks within blocks",
                    ast::Limits::kBraceDepth));
  lost_ = true;  // one such error is enough
  return true;
}

ast::List<const ast::Statement*> Parser::statements(const Token& open, Inside inside) {
  std::vector<const ast::Statement*> list;
  while (!is(brace_right) && !is(end_of_text) && !stopped()) {
    if (accept(semicolon)) continue;
    if (inside == Inside::loop && is(kw_continuing)) break;
    if (inside == Inside::continuing && is(kw_break) && next().kind == kw_if) break;
    if (begins_declaration()) {
      unclosed_block_ = true;
      expected("a statement or '}'").note(open.span, "to close this '{'");
      break;
    }
    const std::size_t start = at_;
    if (const ast::Statement* parsed = statement()) {
      list.push_back(parsed);
    } else {
      skip_to_next_statement(start);
    }
  }
  return keep(list);
}

bool Parser::close_block(const Token& open) {
  if (accept(brace_right)) return true;
  if (!stopped()) expected("'}'").note(open.span, "to close this '{'");
  return false;
}

const ast::Block* Parser::continuing_block(const ast::Expr*& break_if) {
  const Nesting braces(brace_depth_);
  const Nesting statement(statement_depth_);
  const ast::AttributeList attributes = this->attributes();
  if (!is(brace_left)) {
    expected("'{' after 'continuing'");
    return nullptr;
  }
  if (nested_too_deeply()) return nullptr;
  const Token open = take();
  const auto list = statements(open, Inside::continuing);
  if (accept(kw_break)) {
    take();  // `if`
    break_if = expression();
    const bool ended = break_if != nullptr && expect_semicolon("the condition of 'break if'");
    if (ended && !is(brace_right)) expected("'}': nothing can follow 'break if'");
    skip_to_close();
  }
  if (!close_block(open)) return nullptr;
  return module_.arena.make(ast::Block{since(open), attributes, list});
}

// ---- Statements

const ast::Statement* Parser::statement() {
  const Token first = current();
  const ast::AttributeList attributes = this->attributes();
  switch (current().kind) {
    case kw_if: return if_statement(first, attributes);
    case kw_switch: return switch_statement(first, attributes);
    case kw_loop: return loop_statement(first, attributes);
    case kw_for: return for_statement(first, attributes);
    case kw_while: return while_statement(first, attributes);
    case brace_left: {
      const ast::Block* body = block("");
      if (body == nullptr) return nullptr;
      return make_statement(first, ast::Block{body->span, attributes, body->statements});
    }
    default: refuse_attributes(attributes, "this statement"); return plain_statement();
  }
}

// A statement that ends with a semicolon.
const ast::Statement* Parser::plain_statement() {
  const Token first = current();
  switch (first.kind) {
    case kw_break: return break_statement();
    case kw_return: return return_statement();
    case kw_continue:
      take();
      if (!expect_semicolon("'continue'")) return nullptr;
      return make_statement(first, ast::Continue{});
    case kw_discard:
      take();
      if (!expect_semicolon("'discard'")) return nullptr;
      return make_statement(first, ast::Discard{});
    case kw_const_assert: {
      const auto assertion = const_assert();
      if (!assertion || !expect_semicolon("const_assert")) return nullptr;
      return make_statement(first, *assertion);
    }
    case kw_continuing:
      error(first.span, "'continuing' can only end the body of a 'loop'");
      return nullptr;
    case kw_else: error(first.span, "'else' without an 'if' before it"); return nullptr;
    case kw_case:
    case kw_default:
      error(first.span, fmt::format("'{}' outside of a 'switch'", text(first)));
      return nullptr;
    default: break;
  }
  const ast::Statement* parsed = simple_statement(true);
  if (parsed == nullptr || !expect_semicolon(what_was_parsed(*parsed))) return nullptr;
  return parsed;
}

const ast::Statement* Parser::simple_statement(bool may_declare) {
  const Token first = current();
  if (!is(kw_var) && !is(kw_let) && !is(kw_const)) return update_statement();
  if (!may_declare) {
    error(first.span, "the last part of a 'for' header cannot declare anything");
    return nullptr;
  }
  const auto declared = variable({});
  return declared ? make_statement(first, *declared) : nullptr;
}

const ast::Statement* Parser::update_statement() {
  const Token first = current();
  if (accept(underscore)) {
    if (!expect(equal, "'=' after '_'")) return nullptr;
    const ast::Expr* right = expression();
    if (right == nullptr) return nullptr;
    return make_statement(first, ast::Assign{nullptr, std::nullopt, right});
  }
  if (is(plus_plus) || is(minus_minus)) {
    error(first.span, fmt::format("'{}' stands behind what it changes", text(first)))
        .with_fix(fmt::format("write 'x{}'", text(first)));
    return nullptr;
  }
  const ast::Expr* left = left_side();
  if (left == nullptr) return nullptr;
  if (is(plus_plus) || is(minus_minus)) {
    const bool up = take().kind == plus_plus;
    return make_statement(first, ast::Increment{left, up});
  }
  const auto op = compound_assignment(current().kind);
  if (op || is(equal)) {
    take();
    const ast::Expr* right = expression();
    if (right == nullptr) return nullptr;
    return make_statement(first, ast::Assign{left, op, right});
  }
  if (left->get_if<ast::Call>() != nullptr && first.kind == identifier) {
    return make_statement(first, ast::CallStatement{left});
  }
  const bool name = left->get_if<ast::Identifier>() != nullptr;
  expected(name ? "'=', '(' or another part of a statement" : "'=', '++' or '--'");
  return nullptr;
}

const ast::Statement* Parser::break_statement() {
  const Token first = take();
  if (is(kw_if)) {
    error(join(first.span, current().span), "'break if' can only end a 'continuing' block")
        .with_fix("write 'if condition { break; }'");
    return nullptr;
  }
  if (!expect_semicolon("'break'")) return nullptr;
  return make_statement(first, ast::Break{});
}

const ast::Statement* Parser::return_statement() {
  const Token first = take();
  const ast::Expr* value = nullptr;
  if (!is(semicolon) && !(begins_line() && is(brace_right))) {
    value = expression();
    if (value == nullptr) return nullptr;
  }
  if (!expect_semicolon("'return'")) return nullptr;
  return make_statement(first, ast::Return{value});
}

// ---- Statements with bodies

const ast::Expr* Parser::condition() {
  if (const ast::Expr* parsed = expression()) return parsed;
  skip_to_body(false);
  return is(brace_left) ? stand_in() : nullptr;
}

const ast::Statement* Parser::if_statement(const Token& first, ast::AttributeList attributes) {
  const std::uint32_t depth = statement_depth_;
  std::vector<ast::IfArm> arms;
  const ast::Block* else_body = nullptr;
  bool failed = false;
  do {
    take();  // `if`
    const ast::Expr* condition = this->condition();
    const ast::Block* body =
        condition == nullptr ? nullptr : block("or an operator after the condition");
    failed = failed || body == nullptr;
    if (body == nullptr && !is(kw_else)) break;
    arms.push_back({condition, body});
    if (!accept(kw_else)) break;
    if (!is(kw_if)) {
      else_body = block("or 'if' after 'else'");
      failed = failed || else_body == nullptr;
      break;
    }
    ++statement_depth_;  // what follows is inside the `else`
  } while (true);
  statement_depth_ = depth;
  if (failed) return nullptr;
  return make_statement(first, ast::If{attributes, keep(arms), else_body});
}

const ast::Statement* Parser::switch_statement(const Token& first, ast::AttributeList attributes) {
  take();
  const ast::Expr* selector = condition();
  if (selector == nullptr) return nullptr;
  const Nesting braces(brace_depth_);
  const Nesting statement(statement_depth_);
  const ast::AttributeList body_attributes = this->attributes();
  const Token open = current();
  if (is(brace_left) && nested_too_deeply()) return nullptr;
  if (!expect(brace_left, "'{' or an operator after the selector")) return nullptr;
  if (is(brace_right)) error(open.span, "the switch has no 'default' clause");
  std::vector<ast::SwitchClause> clauses;
  while (is(kw_case) || is(kw_default)) {
    if (const auto clause = switch_clause()) {
      clauses.push_back(*clause);
      continue;
    }
    skip_to_next_clause();
  }
  if (!is(brace_right)) {
    if (!stopped()) expected("'case', 'default' or '}'").note(open.span, "in this switch");
    skip_to_close();
  }
  if (!close_block(open)) return nullptr;
  return make_statement(first, ast::Switch{attributes, selector, body_attributes, keep(clauses)});
}

std::optional<ast::SwitchClause> Parser::switch_clause() {
  const Token first = take();
  std::vector<const ast::Expr*> selectors;
  if (first.kind == kw_default) {
    selectors.push_back(nullptr);
  } else {
    do {
      if (is(colon) || is(brace_left) || is(at)) break;  // behind a trailing comma
      const ast::Expr* selector = nullptr;
      if (!accept(kw_default)) {
        selector = expression();
        if (selector == nullptr) return std::nullopt;
      }
      selectors.push_back(selector);
    } while (accept(comma));
    if (selectors.empty()) {
      expected("a value after 'case'");
      return std::nullopt;
    }
  }
  accept(colon);
  const ast::Block* body = block(first.kind == kw_default ? "after 'default'" : "after the case");
  if (body == nullptr) return std::nullopt;
  return ast::SwitchClause{since(first), keep(selectors), body};
}

const ast::Statement* Parser::loop_statement(const Token& first, ast::AttributeList attributes) {
  take();
  const Nesting braces(brace_depth_);
  const Nesting statement(statement_depth_);
  const ast::AttributeList body_attributes = this->attributes();
  const Token open = current();
  if (is(brace_left) && nested_too_deeply()) return nullptr;
  if (!expect(brace_left, "'{' after 'loop'")) return nullptr;
  const auto list = statements(open, Inside::loop);
  const Span body_span = since(open);
  ast::Loop loop;
  loop.attributes = attributes;
  if (accept(kw_continuing)) {
    loop.continuing = continuing_block(loop.break_if);
    if (loop.continuing != nullptr && !is(brace_right) && !stopped()) {
      expected("'}': nothing can follow 'continuing' in a loop");
      skip_to_close();
    }
  }
  if (!close_block(open)) return nullptr;
  loop.body = module_.arena.make(ast::Block{body_span, body_attributes, list});
  return make_statement(first, loop);
}

const ast::Statement* Parser::for_statement(const Token& first, ast::AttributeList attributes) {
  take();
  ast::For loop;
  loop.attributes = attributes;
  if (!for_header(loop)) skip_to_body(true);
  loop.body = block("after the header of 'for'");
  return loop.body == nullptr ? nullptr : make_statement(first, loop);
}

bool Parser::for_header(ast::For& header) {
  if (!expect(paren_left, "'(' after 'for'")) return false;
  if (!is(semicolon)) {
    header.init = simple_statement(true);
    if (header.init == nullptr) return false;
  }
  if (!expect(semicolon, "';' after the first part of the 'for' header")) return false;
  if (!is(semicolon)) {
    header.condition = expression();
    if (header.condition == nullptr) return false;
  }
  if (!expect(semicolon, "';' after the condition of the 'for' header")) return false;
  if (!is(paren_right)) {
    header.update = simple_statement(false);
    if (header.update == nullptr) return false;
  }
  return expect(paren_right, "')' after the header of 'for'");
}

const ast::Statement* Parser::while_statement(const Token& first, ast::AttributeList attributes) {
  take();
  const ast::Expr* condition = this->condition();
  if (condition == nullptr) return nullptr;
  const ast::Block* body = block("or an operator after the condition");
  if (body == nullptr) return nullptr;
  return make_statement(first, ast::While{attributes, condition, body});
}

}  // namespace vyre
