// The recursive-descent parser behind `parse`. Private to the parser's own files.
//
// A function that fails has reported the error, and returns null or false. Its callers do the same
// until a loop over statements, members or declarations skips to a place where parsing can
// continue. If the text after an error is unambiguous, parsing continues at once with a stand-in,
// because the tree of a module with errors is not used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/wgsl/diagnostics.h"
#include "vyre/wgsl/parser/ast.h"
#include "vyre/wgsl/parser/token.h"
#include "vyre/wgsl/source.h"

namespace vyre {

class Parser {
 public:
  Parser(const Source& source, Diagnostics& diagnostics, std::vector<Token> tokens, bool lenient)
      : source_(source), diagnostics_(diagnostics), tokens_(std::move(tokens)), lenient_(lenient) {}

  ast::Module run();

 private:
  // ---- Tokens (parser.cc)
  const Token& current() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  const Token& previous() const { return tokens_[at_ == 0 ? 0 : at_ - 1]; }
  bool is(TokenKind kind) const { return current().kind == kind; }
  Token take();                 // the current token; end_of_text stays
  bool accept(TokenKind kind);  // takes the current token if it is of this kind
  // Takes the token, or reports "expected <what>, found ...".
  bool expect(TokenKind kind, std::string_view what);
  // The same for ';'. If it is missing at the end of a line or block, parsing continues as if it
  // were there.
  bool expect_semicolon(std::string_view behind_what);
  std::optional<ast::Name> expect_name(std::string_view what);
  // The first of the two characters of the current token, which becomes its second: `&&` to `&`.
  Token take_half(TokenKind half);
  bool begins_line() const;  // the current token is the first of its line
  std::string_view text(const Token& token) const { return source_.text(token.span); }
  Span since(const Token& first) const { return {first.span.begin, previous().span.end}; }

  // ---- Errors and recovery (parser_recovery.cc)
  Diagnostic& expected(std::string_view what);  // reports it at the current token
  Diagnostic& error(Span span, std::string message) {
    return diagnostics_.error(span, std::move(message));
  }
  std::string found() const;  // the current token, for people
  // A keyword that is only allowed at module scope, or the attributes before one.
  bool begins_declaration() const;
  void skip_balanced(TokenKind open, TokenKind close);  // from an `open` to behind its `close`
  void skip_to_next_declaration(std::size_t start);
  void skip_to_next_statement(std::size_t start);
  void skip_to_body(bool over_semicolons);  // to the next '{' of this statement or header
  void skip_to_next_member();
  void skip_to_next_clause();  // of a switch
  void skip_to_close();        // to the '}' of the block whose inside this is
  bool stopped() const { return diagnostics_.full() || lost_; }

  // ---- Expressions (parser_expression.cc)
  // The operator that was read last on the current level, for messages about mixing.
  struct Operators {
    std::optional<Token> last;
  };
  const ast::Expr* expression();
  // An expression of operators with at least the precedence `least`, with the precedence of C.
  // `top` is its top operator, if that is outside of parentheses.
  const ast::Expr* loose_expression(int least, std::optional<Token>& top);
  const ast::Expr* bitwise(const ast::Expr* left, Operators& seen);
  const ast::Expr* short_circuit(const ast::Expr* left, Operators& seen);
  const ast::Expr* relational(const ast::Expr* left, Operators& seen);
  const ast::Expr* shift(const ast::Expr* left, Operators& seen);
  const ast::Expr* additive(const ast::Expr* left, Operators& seen);
  const ast::Expr* multiplicative(const ast::Expr* left, Operators& seen);
  const ast::Expr* unary();
  const ast::Expr* primary();
  const ast::Expr* parenthesised(const ast::Expr* (Parser::*inner)());
  const ast::Expr* literal();
  const ast::Expr* identifier_or_call();
  const ast::Expr* postfix(const ast::Expr* object);
  const ast::Expr* left_side();  // of an assignment
  const ast::Expr* left_side_core();
  const ast::Expr* type();
  std::optional<ast::Identifier> templated_identifier(std::string_view what);
  std::optional<ast::ExprList> template_list();
  std::optional<ast::ExprList> arguments();
  const ast::Expr* make_expr(Span span, decltype(ast::Expr::node) node);
  const ast::Expr* make_unary(const Token& op, const ast::Expr* operand);
  const ast::Expr* make_binary(const Token& op, const ast::Expr* left, const ast::Expr* right);
  const ast::Expr* stand_in();  // for an expression whose error has been reported
  bool at_decrement_statement();
  std::optional<Token> take_prefix_operator();
  bool expression_too_deep();
  void report_mixing(const Token& first);
  void warn_of_mixing(const Token& outer, const std::optional<Token>& inner, bool left);

  // ---- Attributes (parser_attribute.cc)
  ast::AttributeList attributes();
  std::optional<ast::Attribute> attribute();
  std::optional<ast::ExprList> attribute_arguments(ast::AttributeKind kind, std::string_view name);
  const ast::Expr* attribute_argument(ast::AttributeKind kind);
  std::optional<ast::DiagnosticControl> diagnostic_control();
  void refuse_attributes(ast::AttributeList attributes, std::string_view where);

  // ---- Statements (parser_statement.cc)
  const ast::Block* block(std::string_view of_what);
  const ast::Block* continuing_block(const ast::Expr*& break_if);
  const ast::Statement* statement();
  const ast::Statement* plain_statement();
  const ast::Statement* simple_statement(bool may_declare);  // what a `for` header may hold
  const ast::Statement* update_statement();
  const ast::Statement* if_statement(const Token& first, ast::AttributeList attributes);
  const ast::Statement* switch_statement(const Token& first, ast::AttributeList attributes);
  std::optional<ast::SwitchClause> switch_clause();
  const ast::Statement* loop_statement(const Token& first, ast::AttributeList attributes);
  const ast::Statement* for_statement(const Token& first, ast::AttributeList attributes);
  bool for_header(ast::For& header);
  const ast::Statement* while_statement(const Token& first, ast::AttributeList attributes);
  const ast::Statement* break_statement();
  const ast::Statement* return_statement();
  const ast::Expr* condition();  // before a body: errors are skipped up to its '{'
  // The statements between a '{' and its '}'. Stops before `continuing` and `break if` if the flags
  // allow them.
  enum class Inside : std::uint8_t { block, loop, continuing };
  ast::List<const ast::Statement*> statements(const Token& open, Inside inside);
  bool close_block(const Token& open);
  bool nested_too_deeply();
  template <class Node>
  const ast::Statement* make_statement(const Token& first, Node node);

  // ---- Declarations (parser_declaration.cc)
  void directives();
  bool directive();
  bool name_list(std::vector<ast::Name>& names, std::string_view what);
  const ast::Declaration* declaration();
  void report_no_declaration(ast::AttributeList attributes);
  std::optional<ast::Variable> variable(ast::AttributeList attributes);
  std::optional<ast::Alias> alias();
  std::optional<ast::Struct> structure();
  std::optional<ast::StructMember> struct_member();
  std::optional<ast::Function> function(ast::AttributeList attributes);
  bool function_header(ast::Function& function);
  bool parameters(ast::Function& function);
  std::optional<ast::ConstAssert> const_assert();

  template <class T>
  ast::List<T> keep(const std::vector<T>& list) {
    return module_.arena.copy(ast::List<T>(list));
  }

  const Source& source_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  const bool lenient_;
  std::size_t at_ = 0;
  ast::Module module_;
  std::uint32_t expression_depth_ = 0;
  std::uint32_t brace_depth_ = 0;
  std::uint32_t statement_depth_ = 0;
  bool unclosed_block_ = false;  // a declaration began inside a block
  bool lost_ = false;            // further errors would be consequences of this one
};

// Counts a level of nesting while it lives.
class Nesting {
 public:
  explicit Nesting(std::uint32_t& depth) : depth_(depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  std::uint32_t& depth_;
};

}  // namespace vyre
