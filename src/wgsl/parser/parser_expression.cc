// Expressions. WGSL's operators have no single order of precedence: bitwise operators take unary
// operands only, shifts too, comparisons do not chain, and `&&` does not mix with `||`.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vyre/wgsl/parser/literal.h"
#include "vyre/wgsl/parser/parser_internal.h"

namespace vyre {

using enum TokenKind;

namespace {

constexpr bool is_binary_operator(TokenKind kind) { return kind >= plus && kind <= greater_equal; }

constexpr bool is_comparison(TokenKind kind) {
  return kind >= equal_equal && kind <= greater_equal;
}

static_assert(greater_equal > plus && static_cast<int>(greater_equal) - static_cast<int>(plus) ==
                                          static_cast<int>(ast::BinaryOp::greater_equal));

// Both enumerations list the operators in the same order.
constexpr ast::BinaryOp binary_op(TokenKind kind) {
  return static_cast<ast::BinaryOp>(static_cast<int>(kind) - static_cast<int>(plus));
}

std::optional<ast::UnaryOp> unary_op(TokenKind kind) {
  switch (kind) {
    case minus: return ast::UnaryOp::negate;
    case bang: return ast::UnaryOp::logical_not;
    case tilde: return ast::UnaryOp::complement;
    case star: return ast::UnaryOp::indirection;
    case ampersand: return ast::UnaryOp::address_of;
    default: return std::nullopt;
  }
}

// The precedence of a binary operator in C and in naga; 0 for other tokens.
int strength(TokenKind kind) {
  switch (kind) {
    case or_or: return 1;
    case and_and: return 2;
    case pipe: return 3;
    case caret: return 4;
    case ampersand: return 5;
    case equal_equal:
    case not_equal: return 6;
    case less:
    case less_equal:
    case greater:
    case greater_equal: return 7;
    case shift_left:
    case shift_right: return 8;
    case plus:
    case minus:
    case minus_minus: return 9;
    case star:
    case slash:
    case percent: return 10;
    default: return 0;
  }
}

// Whether WGSL allows an operator as an operand of another one without parentheses.
bool may_stand_beside(TokenKind outer, TokenKind inner, bool left) {
  const int o = strength(outer), i = strength(inner);
  if (o <= 2) return (left && outer == inner) || i >= 6;  // && and ||
  if (o <= 5) return left && outer == inner;              // bitwise
  if (o <= 7) return i >= 8;                              // comparisons
  if (o == 8) return false;                               // shifts
  return i >= 9;                                          // sums and products, by precedence
}

std::uint32_t height(const ast::Expr* expr) { return expr->height; }

std::uint32_t height(ast::ExprList list) {
  std::uint32_t most = 0;
  for (const ast::Expr* expr : list) most = std::max(most, height(expr));
  return most;
}

struct HeightOfChildren {
  std::uint32_t operator()(const ast::Literal&) const { return 0; }
  std::uint32_t operator()(const ast::Identifier& n) const { return height(n.template_args); }
  std::uint32_t operator()(const ast::Call& n) const {
    return std::max(height(n.callee.template_args), height(n.arguments));
  }
  std::uint32_t operator()(const ast::Index& n) const {
    return std::max(height(n.object), height(n.index));
  }
  std::uint32_t operator()(const ast::Member& n) const { return height(n.object); }
  std::uint32_t operator()(const ast::Unary& n) const { return height(n.operand); }
  std::uint32_t operator()(const ast::Binary& n) const {
    return std::max(height(n.left), height(n.right));
  }
};

std::string too_deep() {
  return fmt::format("the expression is nested more than {} levels deep",
                     ast::Limits::kExpressionDepth);
}

}  // namespace

const ast::Expr* Parser::make_expr(Span span, decltype(ast::Expr::node) node) {
  const std::uint32_t height = 1 + std::visit(HeightOfChildren{}, node);
  if (height > ast::Limits::kExpressionDepth) {
    error(span, too_deep()).with_fix("name parts of it with 'let'");
    return nullptr;
  }
  return module_.arena.make(ast::Expr{span, static_cast<std::uint16_t>(height), std::move(node)});
}

const ast::Expr* Parser::make_unary(const Token& op, const ast::Expr* operand) {
  if (operand == nullptr) return nullptr;
  return make_expr({op.span.begin, previous().span.end}, ast::Unary{*unary_op(op.kind), operand});
}

const ast::Expr* Parser::make_binary(const Token& op, const ast::Expr* left,
                                     const ast::Expr* right) {
  if (left == nullptr || right == nullptr) return nullptr;
  return make_expr({left->span.begin, previous().span.end},
                   ast::Binary{binary_op(op.kind), op.span, left, right});
}

const ast::Expr* Parser::stand_in() { return make_expr({}, ast::Literal{}); }

// ---- Operators

const ast::Expr* Parser::expression() {
  const Nesting nesting(expression_depth_);
  if (expression_too_deep()) return nullptr;
  if (lenient_) {
    std::optional<Token> top;
    return loose_expression(1, top);
  }
  Operators seen;
  const ast::Expr* left = unary();
  if (left == nullptr) return nullptr;
  if (is(ampersand) || is(pipe) || is(caret)) {
    left = bitwise(left, seen);
  } else {
    left = relational(left, seen);
    if (is(and_and) || is(or_or)) left = short_circuit(left, seen);
  }
  if (left != nullptr && seen.last && is_binary_operator(current().kind)) {
    report_mixing(*seen.last);
    return nullptr;
  }
  return left;
}

const ast::Expr* Parser::loose_expression(int least, std::optional<Token>& top) {
  const ast::Expr* left = unary();
  while (left != nullptr && strength(current().kind) >= least) {
    if (is(minus_minus) && at_decrement_statement()) return nullptr;
    const Token op = is(minus_minus) ? take_half(minus) : take();
    std::optional<Token> right_top;
    const ast::Expr* right = loose_expression(strength(op.kind) + 1, right_top);
    warn_of_mixing(op, top, true);
    warn_of_mixing(op, right_top, false);
    left = make_binary(op, left, right);
    top = op;
  }
  return left;
}

void Parser::warn_of_mixing(const Token& outer, const std::optional<Token>& inner, bool left) {
  if (!inner || may_stand_beside(outer.kind, inner->kind, left)) return;
  diagnostics_
      .warning(outer.span, fmt::format("'{}' and '{}' are mixed without parentheses, which WGSL "
                                       "does not allow",
                                       text(*inner), text(outer)))
      .with_fix("put what is to be evaluated first into parentheses");
}

void Parser::report_mixing(const Token& first) {
  const std::string_view a = text(first);
  const std::string_view b = text(current());
  if (is_comparison(first.kind) && is_comparison(current().kind)) {
    error(current().span, "comparisons cannot be chained")
        .note(first.span, fmt::format("'{}' is the first one", a))
        .with_fix("join two comparisons with '&&', or use parentheses");
    return;
  }
  error(current().span,
        a == b ? fmt::format("'{}' cannot be chained without parentheses", a)
               : fmt::format("'{}' and '{}' cannot be mixed without parentheses", a, b))
      .note(first.span, fmt::format("'{}' is here", a))
      .with_fix("put what is to be evaluated first into parentheses");
}

const ast::Expr* Parser::bitwise(const ast::Expr* left, Operators& seen) {
  const TokenKind kind = current().kind;
  while (left != nullptr && is(kind)) {
    const Token op = take();
    seen.last = op;
    left = make_binary(op, left, unary());
  }
  return left;
}

const ast::Expr* Parser::short_circuit(const ast::Expr* left, Operators& seen) {
  const TokenKind kind = current().kind;
  while (left != nullptr && is(kind)) {
    const Token op = take();
    seen.last = op;
    const ast::Expr* right = relational(unary(), seen);
    left = make_binary(op, left, right);
    if (is_binary_operator(current().kind) && !is(and_and) && !is(or_or)) break;
    seen.last = op;
  }
  return left;
}

const ast::Expr* Parser::relational(const ast::Expr* left, Operators& seen) {
  left = shift(left, seen);
  if (left == nullptr || !is_comparison(current().kind)) return left;
  const Token op = take();
  seen.last = op;
  const ast::Expr* right = shift(unary(), seen);
  if (!is_binary_operator(current().kind) || is_comparison(current().kind)) seen.last = op;
  return make_binary(op, left, right);
}

const ast::Expr* Parser::shift(const ast::Expr* left, Operators& seen) {
  if (left == nullptr) return nullptr;
  if (!is(shift_left) && !is(shift_right)) return additive(left, seen);
  const Token op = take();
  seen.last = op;
  return make_binary(op, left, unary());
}

const ast::Expr* Parser::additive(const ast::Expr* left, Operators& seen) {
  left = multiplicative(left, seen);
  while (left != nullptr && (is(plus) || is(minus) || is(minus_minus))) {
    if (is(minus_minus) && at_decrement_statement()) return nullptr;
    const Token op = is(minus_minus) ? take_half(minus) : take();
    seen.last = op;
    left = make_binary(op, left, multiplicative(unary(), seen));
  }
  return left;
}

// `a--b` is a - (-b), but `a--` with nothing after it was meant as a statement.
bool Parser::at_decrement_statement() {
  switch (next().kind) {
    case semicolon:
    case comma:
    case paren_right:
    case bracket_right:
    case brace_left:
    case end_of_text:
      error(current().span, "'--' is a statement and cannot be part of an expression");
      return true;
    default: return false;
  }
}

const ast::Expr* Parser::multiplicative(const ast::Expr* left, Operators& seen) {
  while (left != nullptr && (is(star) || is(slash) || is(percent))) {
    const Token op = take();
    seen.last = op;
    left = make_binary(op, left, unary());
  }
  return left;
}

const ast::Expr* Parser::unary() {
  const auto op = take_prefix_operator();
  if (!op) return postfix(primary());
  const Nesting nesting(expression_depth_);
  return expression_too_deep() ? nullptr : make_unary(*op, unary());
}

// Where an operand begins, `--` and `&&` can only be two operators.
std::optional<Token> Parser::take_prefix_operator() {
  if (is(minus_minus)) return take_half(minus);
  if (is(and_and)) return take_half(ampersand);
  if (unary_op(current().kind)) return take();
  return std::nullopt;
}

bool Parser::expression_too_deep() {
  if (expression_depth_ <= ast::Limits::kExpressionDepth) return false;
  error(current().span, too_deep());
  return true;
}

// ---- Operands

const ast::Expr* Parser::primary() {
  switch (current().kind) {
    case number:
    case kw_true:
    case kw_false: return literal();
    case paren_left: return parenthesised(&Parser::expression);
    case identifier:
    case reserved_word:
    case reserved_name: return identifier_or_call();
    case plus_plus:
      error(current().span, "'++' is a statement and cannot be part of an expression");
      return nullptr;
    case plus:
      error(current().span, "WGSL has no unary '+'").with_fix("remove the '+'");
      return nullptr;
    case underscore: error(current().span, "'_' can only stand on the left of '='"); return nullptr;
    default: expected("an expression"); return nullptr;
  }
}

const ast::Expr* Parser::parenthesised(const ast::Expr* (Parser::*inner)()) {
  const Token open = take();
  const ast::Expr* expr = (this->*inner)();
  if (expr == nullptr) return nullptr;
  if (accept(paren_right)) {
    return module_.arena.make(ast::Expr{since(open), expr->height, expr->node});
  }
  Diagnostic& diagnostic = expected("')'");
  if (is(equal)) {
    diagnostic.with_fix("compare with '=='");
  } else {
    diagnostic.note(open.span, "to close this '('");
  }
  return nullptr;
}

const ast::Expr* Parser::literal() {
  const Token token = take();
  if (token.kind != number) {
    return make_expr(token.span, ast::Literal{Scalar::of(token.kind == kw_true)});
  }
  const auto value = number_value(text(token));
  if (value) return make_expr(token.span, ast::Literal{*value});
  error(token.span, value.error());
  return stand_in();
}

const ast::Expr* Parser::identifier_or_call() {
  const Token first = current();
  const auto name = templated_identifier("an expression");
  if (!name) return nullptr;
  if (!is(paren_left)) return make_expr(since(first), *name);
  const auto list = arguments();
  if (!list) return nullptr;
  return make_expr(since(first), ast::Call{*name, *list});
}

const ast::Expr* Parser::postfix(const ast::Expr* object) {
  while (object != nullptr) {
    const std::uint32_t begin = object->span.begin;
    if (is(bracket_left)) {
      const Token open = take();
      const ast::Expr* index = expression();
      if (index == nullptr) return nullptr;
      if (!is(bracket_right)) {
        expected("']' after the index").note(open.span, "to close this '['");
        return nullptr;
      }
      take();
      object = make_expr({begin, previous().span.end}, ast::Index{object, index});
    } else if (is(period)) {
      take();
      const auto member = expect_name("a member name after '.'");
      if (!member) return nullptr;
      object = make_expr({begin, previous().span.end}, ast::Member{object, *member});
    } else {
      return object;
    }
  }
  return nullptr;
}

const ast::Expr* Parser::left_side() {
  const Nesting nesting(expression_depth_);
  if (expression_too_deep()) return nullptr;
  const bool prefixed = is(star) || is(ampersand) || is(and_and);
  if (!prefixed) return postfix(left_side_core());
  const auto op = take_prefix_operator();
  return make_unary(*op, left_side());
}

const ast::Expr* Parser::left_side_core() {
  if (is(paren_left)) return parenthesised(&Parser::left_side);
  const Token first = current();
  const auto name = templated_identifier("a statement");
  if (!name) return nullptr;
  if (is(paren_left)) {
    const auto list = arguments();
    if (!list) return nullptr;
    return make_expr(since(first), ast::Call{*name, *list});
  }
  if (!name->template_args.empty()) {
    expected("'(' after the template list");
    return nullptr;
  }
  return make_expr(since(first), *name);
}

// ---- Types, template lists, arguments

const ast::Expr* Parser::type() {
  const Token first = current();
  const auto name = templated_identifier("a type");
  if (!name) return nullptr;
  return make_expr(since(first), *name);
}

std::optional<ast::Identifier> Parser::templated_identifier(std::string_view what) {
  const auto name = expect_name(what);
  if (!name) return std::nullopt;
  if (!is(template_begin)) return ast::Identifier{*name, {}};
  const auto list = template_list();
  if (!list) return std::nullopt;
  return ast::Identifier{*name, *list};
}

std::optional<ast::ExprList> Parser::template_list() {
  take();
  std::vector<const ast::Expr*> list;
  while (!is(template_end)) {
    const ast::Expr* argument = expression();
    if (argument == nullptr) return std::nullopt;
    list.push_back(argument);
    if (!accept(comma)) break;
  }
  if (list.empty()) {
    error(current().span, "the template list is empty");
    return std::nullopt;
  }
  if (!expect(template_end, "',' or '>' in the template list")) return std::nullopt;
  return keep(list);
}

std::optional<ast::ExprList> Parser::arguments() {
  const Token open = take();
  std::vector<const ast::Expr*> list;
  while (!is(paren_right)) {
    const ast::Expr* argument = expression();
    if (argument == nullptr) return std::nullopt;
    list.push_back(argument);
    if (!accept(comma)) break;
  }
  if (!is(paren_right)) {
    expected("',' or ')' after the argument").note(open.span, "the arguments begin here");
    return std::nullopt;
  }
  take();
  return keep(list);
}

}  // namespace vyre
