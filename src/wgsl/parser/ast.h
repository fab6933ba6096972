// The syntax tree of a WGSL module, as written: names are not resolved, types are expressions, and
// features that vyre does not run (graphics stages, textures, samplers) are represented as well.
//
// Nodes are plain data in the module's arena: trivially destructible, never moved, linked by const
// pointers and spans. A pointer is never null unless its comment says so. Names are views into the
// Source, which must outlive the Module.
//
// The height of the tree is bounded (see Limits), so that recursive passes need no further limit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "vyre/ir/scalar.h"
#include "vyre/wgsl/arena.h"
#include "vyre/wgsl/source.h"

namespace vyre::ast {

struct Limits {
  static constexpr std::uint32_t kBraceDepth = 127;       // blocks within blocks, in one function
  static constexpr std::uint32_t kStatementDepth = 511;   // the same, also counting each `else if`
  static constexpr std::uint32_t kExpressionDepth = 511;  // height of an expression's tree
};

struct Expr;
struct Statement;

template <class T>
using List = std::span<const T>;
using ExprList = List<const Expr*>;

// A name at a place: a declared name, a member, an extension.
struct Name {
  std::string_view text;
  Span span;
};

// ---- Expressions (and types)

// `value.kind` says what was written: 1 abstract_int, 1i i32, 1u u32, 1.0 abstract_float, 1f f32,
// 1h f16, true boolean.
struct Literal {
  Scalar value;
};

// A name in an expression, with its template list if it has one: `x`, `vec3f`, `array<f32, 4>`.
struct Identifier {
  Name name;
  ExprList template_args;  // an empty template list is a syntax error, so empty means none
};

// A function call, value constructor or conversion: sema knows which.
struct Call {
  Identifier callee;
  ExprList arguments;
};

struct Index {
  const Expr* object;
  const Expr* index;
};

// A struct member or a swizzle.
struct Member {
  const Expr* object;
  Name member;
};

enum class UnaryOp : std::uint8_t { negate, logical_not, complement, indirection, address_of };

struct Unary {
  UnaryOp op;
  const Expr* operand;
};

enum class BinaryOp : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  logical_and,  // short-circuiting
  logical_or,   // short-circuiting
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
};

struct Binary {
  BinaryOp op;
  Span op_span;
  const Expr* left;
  const Expr* right;
};

// Parentheses leave no node: they belong to the span of the expression inside them.
struct Expr {
  Span span;
  std::uint16_t height = 1;  // longest path down to a leaf, counted in nodes
  std::variant<Literal, Identifier, Call, Index, Member, Unary, Binary> node;

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&node);
  }
};

std::string_view to_string(UnaryOp op);   // "-", "!", "~", "*", "&"
std::string_view to_string(BinaryOp op);  // "+", "<<", ...

// ---- Attributes and diagnostic controls

// diagnostic(off, derivative_uniformity), or with a rule of two names: diagnostic(off, a.b).
struct DiagnosticControl {
  Name severity;
  Name rule;                      // the first name, or the only one
  std::optional<Name> rule_tail;  // the name after the dot
};

enum class AttributeKind : std::uint8_t {
  align,
  binding,
  blend_src,
  builtin,
  compute,
  const_,
  diagnostic,
  fragment,
  group,
  id,
  interpolate,
  invariant,
  location,
  must_use,
  size,
  subgroup_size,
  vertex,
  workgroup_size,
};

std::string_view to_string(AttributeKind kind);  // WGSL's spelling, without '@'

// The number of arguments is checked: one for align, binding, blend_src, builtin, group, id,
// location, size, subgroup_size; one or two for interpolate; one to three for workgroup_size; none
// for the others. The arguments of builtin and interpolate are plain names.
// Sema checks where an attribute is allowed, and how often.
struct Attribute {
  AttributeKind kind;
  Span span;                                      // from '@' to the end of the arguments
  ExprList arguments;                             // empty for `diagnostic`
  const DiagnosticControl* diagnostic = nullptr;  // only for `diagnostic`
};

using AttributeList = List<Attribute>;

// ---- Declarations of values

enum class VariableKind : std::uint8_t { var, let, const_, override_ };

std::string_view to_string(VariableKind kind);  // "var", "let", "const", "override"

// One struct for `var`, `let`, `const` and `override`, at module scope and in functions. Checked by
// the parser: `let` and `const` have an initializer, `override` and module-scope `var` have a type
// or an initializer (or both), only `var` has a template list.
struct Variable {
  VariableKind kind;
  AttributeList attributes;  // empty in functions
  ExprList template_args;    // var<storage, read_write>: address space and access mode
  Name name;
  const Expr* type = nullptr;         // null when not written
  const Expr* initializer = nullptr;  // null when not written
};

struct ConstAssert {
  const Expr* condition;
};

// ---- Statements

struct Block {
  Span span;  // '{' to '}'
  AttributeList attributes;
  List<const Statement*> statements;
};

// left = right, left op= right, and `_ = right`.
struct Assign {
  const Expr* left;            // null for the phony assignment `_ = right`
  std::optional<BinaryOp> op;  // of a compound assignment
  const Expr* right;
};

// left++ and left--.
struct Increment {
  const Expr* left;
  bool up;
};

struct CallStatement {
  const Expr* call;  // always a Call
};

struct IfArm {
  const Expr* condition;
  const Block* body;
};

// if, and its `else if`s, in order.
struct If {
  AttributeList attributes;
  List<IfArm> arms;                  // at least one
  const Block* else_body = nullptr;  // null when not written
};

// `case 1, 2, default: {...}`, or `default: {...}`.
struct SwitchClause {
  Span span;
  ExprList selectors;  // a null pointer is `default`
  const Block* body;
};

// Sema checks that there is exactly one `default`.
struct Switch {
  AttributeList attributes;
  const Expr* selector;
  AttributeList body_attributes;
  List<SwitchClause> clauses;
};

// `body` has the statements before `continuing`.
struct Loop {
  AttributeList attributes;
  const Block* body;
  const Block* continuing = nullptr;  // null when not written; without the `break if`
  const Expr* break_if = nullptr;     // null when not written
};

struct For {
  AttributeList attributes;
  const Statement* init = nullptr;    // null, Variable, Assign, Increment or CallStatement
  const Expr* condition = nullptr;    // null when not written
  const Statement* update = nullptr;  // null, Assign, Increment or CallStatement
  const Block* body;
};

struct While {
  AttributeList attributes;
  const Expr* condition;
  const Block* body;
};

struct Break {};
struct Continue {};
struct Discard {};

struct Return {
  const Expr* value = nullptr;  // null when not written
};

// Empty statements (`;`) leave no node.
struct Statement {
  Span span;
  std::variant<Block, Variable, Assign, Increment, CallStatement, If, Switch, Loop, For, While,
               Break, Continue, Return, Discard, ConstAssert>
      node;

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&node);
  }
};

// ---- Module scope

struct Alias {
  Name name;
  const Expr* type;
};

struct StructMember {
  AttributeList attributes;
  Name name;
  const Expr* type;
};

struct Struct {
  Name name;
  List<StructMember> members;  // at least one
};

struct Parameter {
  AttributeList attributes;
  Name name;
  const Expr* type;
};

struct Function {
  AttributeList attributes;
  Name name;
  List<Parameter> parameters;
  AttributeList return_attributes;
  const Expr* return_type = nullptr;  // null when nothing is returned
  const Block* body;
};

// Variable is var, const or override here.
struct Declaration {
  Span span;
  std::variant<Variable, Alias, Struct, Function, ConstAssert> node;

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&node);
  }
};

// enable a, b; and requires a, b; as written; sema interprets the names.
struct Module {
  std::vector<Name> enables;
  std::vector<Name> requirements;
  std::vector<DiagnosticControl> diagnostics;
  std::vector<const Declaration*> declarations;  // in the order of the text
  Arena arena;                                   // holds every node
};

static_assert(std::is_trivially_destructible_v<Expr>);
static_assert(std::is_trivially_destructible_v<Statement>);
static_assert(std::is_trivially_destructible_v<Declaration>);

}  // namespace vyre::ast
