#include <fmt/format.h>

#include <cstdint>
#include <unordered_set>

#include "vyre/ir/validate/validate_internal.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

class Rules {
 public:
  Rules(const Program& program, const Function* function)
      : program_(program), types_(program.types), function_(function) {}

  ExprRule of(const Expr& e) const {
    return std::visit([&](const auto& node) { return rule(e, node); }, e.node);
  }

 private:
  // A type that is not in the table cannot be the expression's either.
  ExprRule want(const Type& type) const {
    if (const auto id = types_.find(type)) return {*id, ""};
    return {std::nullopt, "the expression has another type than its operands give"};
  }
  static ExprRule is(TypeId id) { return {id, ""}; }
  template <class... Args>
  static ExprRule no(fmt::format_string<Args...> format, Args&&... args) {
    return {std::nullopt, fmt::format(format, std::forward<Args>(args)...)};
  }

  TypeId type(ExprId id) const { return program_[id].type; }
  std::string spell(ExprId id) const { return types_.spell(type(id)); }
  const PointerType* pointer(ExprId id) const { return types_.get_if<PointerType>(type(id)); }
  std::optional<ScalarKind> kind(ExprId id) const { return types_.scalar_kind(type(id)); }
  bool is_scalar_or_vector(ExprId id) const {
    return types_.get_if<ScalarType>(type(id)) != nullptr ||
           types_.get_if<VectorType>(type(id)) != nullptr;
  }
  // 0 for scalars.
  std::uint32_t lanes(ExprId id) const {
    const auto* v = types_.get_if<VectorType>(type(id));
    return v != nullptr ? v->size : 0;
  }
  ExprRule shaped(ScalarKind k, std::uint32_t lanes) const {
    if (lanes == 0) return want(ScalarType{k});
    return want(VectorType{k, static_cast<std::uint8_t>(lanes)});
  }

  ExprRule rule(const Expr& e, const ConstantExpr& n) const {
    const Constant& c = program_[n.id];
    if (!types_.is_constructible(c.type)) return no("a constant of type {}", types_.spell(c.type));
    if (c.scalars.size() != types_.scalar_count(c.type)) {
      return no("a constant of type {} has {} scalars", types_.spell(c.type), c.scalars.size());
    }
    const auto k = types_.scalar_kind(c.type);
    const std::uint64_t most = k == ScalarKind::boolean ? 1 : k == ScalarKind::f16 ? 0xFFFF : ~0U;
    for (const std::uint64_t s : c.scalars) {
      if (s > most) return no("the bits 0x{:x} are no {}", s, types_.spell(c.type));
    }
    return c.type == e.type ? is(c.type) : no("the constant is {}", types_.spell(c.type));
  }
  ExprRule rule(const Expr& e, const ZeroExpr&) const {
    if (types_.is_constructible(e.type)) return is(e.type);
    return no("there is no zero value of {}", types_.spell(e.type));
  }
  ExprRule rule(const Expr&, const OverrideExpr& n) const { return is(program_[n.id].type); }
  ExprRule rule(const Expr&, const LocalExpr& n) const {
    if (function_ == nullptr) return no("a local outside of a function");
    if (static_cast<std::size_t>(n.id) >= function_->locals.size()) {
      return no("unknown local {}", static_cast<std::uint32_t>(n.id));
    }
    const Local& l = function_->locals[static_cast<std::size_t>(n.id)];
    if (l.kind == LocalKind::var) return no("the variable '{}' is used as a value", l.name);
    return is(l.type);
  }
  ExprRule rule(const Expr&, const LocalPtrExpr& n) const {
    if (function_ == nullptr) return no("a local outside of a function");
    if (static_cast<std::size_t>(n.id) >= function_->locals.size()) {
      return no("unknown local {}", static_cast<std::uint32_t>(n.id));
    }
    const Local& l = function_->locals[static_cast<std::size_t>(n.id)];
    if (l.kind != LocalKind::var) return no("'{}' is not a variable", l.name);
    return want(PointerType{MemoryKind::function, l.type, Access::read_write});
  }
  ExprRule rule(const Expr&, const GlobalPtrExpr& n) const {
    if (function_ == nullptr) return no("memory is named outside of a function");
    const Global& g = program_[n.id];
    return want(PointerType{g.memory, g.type, g.access});
  }

  ExprRule component(ExprId base, TypeId of) const {
    const PointerType* p = pointer(base);
    return p == nullptr ? is(of) : want(PointerType{p->memory, of, p->access});
  }
  ExprRule rule(const Expr&, const MemberExpr& n) const {
    const PointerType* p = pointer(n.base);
    const TypeId of = p != nullptr ? p->pointee : type(n.base);
    const auto* s = types_.get_if<StructType>(of);
    if (s == nullptr) return no("{} has no members", types_.spell(of));
    if (n.member >= s->members.size()) return no("struct {} has no member {}", s->name, n.member);
    return component(n.base, s->members[n.member].type);
  }
  ExprRule rule(const Expr&, const IndexExpr& n) const {
    const PointerType* p = pointer(n.base);
    const TypeId of = p != nullptr ? p->pointee : type(n.base);
    if (types_.get_if<ArrayType>(of) == nullptr && types_.get_if<VectorType>(of) == nullptr &&
        types_.get_if<MatrixType>(of) == nullptr) {
      return no("{} cannot be indexed", types_.spell(of));
    }
    if (types_.get_if<ScalarType>(type(n.index)) == nullptr || !is_integer(*kind(n.index))) {
      return no("an index is i32 or u32, not {}", spell(n.index));
    }
    return component(n.base, types_.component(of));
  }
  ExprRule rule(const Expr&, const LoadExpr& n) const {
    const PointerType* p = pointer(n.pointer);
    if (p == nullptr) return no("{} is not a pointer to load from", spell(n.pointer));
    if (p->access == Access::write) return no("a load from memory that can only be written");
    if (!types_.is_constructible(p->pointee)) {
      return no("{} cannot be loaded as a whole", types_.spell(p->pointee));
    }
    return is(p->pointee);
  }
  ExprRule rule(const Expr&, const SwizzleExpr& n) const {
    const std::uint32_t size = lanes(n.vector);
    if (size == 0) return no("{} has no components to pick", spell(n.vector));
    if (n.size < 1 || n.size > 4) return no("a swizzle of {} components", n.size);
    for (std::size_t i = 0; i < n.size; ++i) {
      if (n.lanes[i] >= size) return no("{} has no component {}", spell(n.vector), n.lanes[i]);
    }
    return shaped(*kind(n.vector), n.size == 1 ? 0 : n.size);
  }

  ExprRule all_are(TypeId whole, TypeId part, std::span<const ExprId> parts,
                   std::uint64_t count) const {
    for (const ExprId id : parts) {
      if (type(id) != part) {
        return no("a part of {} is {}, not {}", types_.spell(whole), spell(id), types_.spell(part));
      }
    }
    if (parts.size() == count) return is(whole);
    return no("{} is made of {} parts, not {}", types_.spell(whole), count, parts.size());
  }
  ExprRule rule(const Expr& e, const ConstructExpr& n) const {
    const auto parts = program_.list(n.parts);
    if (!types_.is_constructible(e.type) || types_.get_if<ScalarType>(e.type) != nullptr) {
      return no("{} is not made of parts", types_.spell(e.type));
    }
    if (const auto* v = types_.get_if<VectorType>(e.type)) {
      std::uint64_t count = 0;
      for (const ExprId id : parts) {
        if (!is_scalar_or_vector(id) || kind(id) != v->kind) {
          return no("a part of {} is {}", types_.spell(e.type), spell(id));
        }
        count += lanes(id) == 0 ? 1 : lanes(id);
      }
      if (count == v->size) return is(e.type);
      return no("{} is made of {} components, not {}", types_.spell(e.type), v->size, count);
    }
    if (const auto* m = types_.get_if<MatrixType>(e.type)) {
      const TypeId column = types_.component(e.type);
      const bool columns = !parts.empty() && type(parts[0]) == column;
      if (columns) return all_are(e.type, column, parts, m->columns);
      return all_are(e.type, types_.component(column), parts, std::uint64_t{m->columns} * m->rows);
    }
    if (const auto* a = types_.get_if<ArrayType>(e.type)) {
      return all_are(e.type, a->element, parts, a->count);
    }
    const auto* s = types_.get_if<StructType>(e.type);
    if (s == nullptr) return no("{} is not made of parts", types_.spell(e.type));
    if (parts.size() != s->members.size()) {
      return no("struct {} has {} members, not {}", s->name, s->members.size(), parts.size());
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (type(parts[i]) != s->members[i].type) {
        return no("member '{}' of struct {} is {}, not {}", s->members[i].name, s->name,
                  types_.spell(s->members[i].type), spell(parts[i]));
      }
    }
    return is(e.type);
  }
  ExprRule rule(const Expr& e, const SplatExpr& n) const {
    const auto* v = types_.get_if<VectorType>(e.type);
    const auto* s = types_.get_if<ScalarType>(type(n.scalar));
    if (v == nullptr || s == nullptr || v->kind != s->kind) {
      return no("{} cannot be spread to {}", spell(n.scalar), types_.spell(e.type));
    }
    return is(e.type);
  }

  ExprRule rule(const Expr&, const UnaryExpr& n) const {
    const auto k = kind(n.operand);
    bool good = is_scalar_or_vector(n.operand);
    if (good) {
      switch (n.op) {
        case UnaryOp::negate: good = is_signed(*k); break;
        case UnaryOp::logical_not: good = *k == ScalarKind::boolean; break;
        case UnaryOp::bit_not: good = is_integer(*k); break;
        default: good = false;
      }
    }
    return good ? is(type(n.operand)) : no("'{}' of {}", to_string(n.op), spell(n.operand));
  }

  ExprRule mismatch(const BinaryExpr& n) const {
    return no("'{}' of {} and {}", to_string(n.op), spell(n.left), spell(n.right));
  }
  ExprRule product(const BinaryExpr& n) const {
    const auto* lm = types_.get_if<MatrixType>(type(n.left));
    const auto* rm = types_.get_if<MatrixType>(type(n.right));
    const bool scalar_left = types_.get_if<ScalarType>(type(n.left)) != nullptr;
    const bool scalar_right = types_.get_if<ScalarType>(type(n.right)) != nullptr;
    if (kind(n.left) != kind(n.right)) return mismatch(n);
    if (lm != nullptr && rm != nullptr) {
      if (lm->columns != rm->rows) return mismatch(n);
      return want(MatrixType{lm->kind, rm->columns, lm->rows});
    }
    if (lm != nullptr && scalar_right) return is(type(n.left));
    if (rm != nullptr && scalar_left) return is(type(n.right));
    if (lm != nullptr && lanes(n.right) == lm->columns) return shaped(lm->kind, lm->rows);
    if (rm != nullptr && lanes(n.left) == rm->rows) return shaped(rm->kind, rm->columns);
    return mismatch(n);
  }
  ExprRule rule(const Expr&, const BinaryExpr& n) const {
    const bool matrix_left = types_.get_if<MatrixType>(type(n.left)) != nullptr;
    const bool matrix_right = types_.get_if<MatrixType>(type(n.right)) != nullptr;
    if (n.op == BinaryOp::mul && (matrix_left || matrix_right)) return product(n);
    const bool plain = is_scalar_or_vector(n.left) && is_scalar_or_vector(n.right);
    if (!plain && !(matrix_left && matrix_right)) return mismatch(n);
    const ScalarKind k = *kind(n.left);
    const bool boolean = k == ScalarKind::boolean;
    const bool same = type(n.left) == type(n.right);
    switch (n.op) {
      case BinaryOp::add:
      case BinaryOp::sub: return same && !boolean ? is(type(n.left)) : mismatch(n);
      case BinaryOp::mul:
      case BinaryOp::div:
      case BinaryOp::rem: return plain && same && !boolean ? is(type(n.left)) : mismatch(n);
      case BinaryOp::equal:
      case BinaryOp::not_equal:
        return plain && same ? shaped(ScalarKind::boolean, lanes(n.left)) : mismatch(n);
      case BinaryOp::less:
      case BinaryOp::less_equal:
      case BinaryOp::greater:
      case BinaryOp::greater_equal:
        return plain && same && !boolean ? shaped(ScalarKind::boolean, lanes(n.left)) : mismatch(n);
      case BinaryOp::logical_and:
      case BinaryOp::logical_or:
        return same && boolean && lanes(n.left) == 0 ? is(type(n.left)) : mismatch(n);
      case BinaryOp::bit_and:
      case BinaryOp::bit_or:
        return same && (boolean || is_integer(k)) ? is(type(n.left)) : mismatch(n);
      case BinaryOp::bit_xor: return same && is_integer(k) ? is(type(n.left)) : mismatch(n);
      case BinaryOp::shift_left:
      case BinaryOp::shift_right: {
        const bool good = plain && is_integer(k) && *kind(n.right) == ScalarKind::u32 &&
                          lanes(n.left) == lanes(n.right);
        return good ? is(type(n.left)) : mismatch(n);
      }
    }
    return mismatch(n);
  }

  ExprRule rule(const Expr&, const SelectExpr& n) const {
    if (type(n.on_false) != type(n.on_true)) {
      return no("select of {} and {}", spell(n.on_false), spell(n.on_true));
    }
    const bool boolean =
        is_scalar_or_vector(n.condition) && kind(n.condition) == ScalarKind::boolean;
    const bool fits = lanes(n.condition) == 0 || lanes(n.condition) == lanes(n.on_true);
    if (!boolean || !fits || !types_.is_constructible(type(n.on_true))) {
      return no("select of {} by {}", spell(n.on_true), spell(n.condition));
    }
    return is(type(n.on_true));
  }
  ExprRule rule(const Expr& e, const ConvertExpr& n) const {
    const Type& to = types_[e.type];
    const Type& from = types_[type(n.value)];
    bool good = std::holds_alternative<ScalarType>(to) && std::holds_alternative<ScalarType>(from);
    if (const auto* v = std::get_if<VectorType>(&to)) good = v->size == lanes(n.value);
    if (const auto* m = std::get_if<MatrixType>(&to)) {
      const auto* f = std::get_if<MatrixType>(&from);
      good = f != nullptr && f->columns == m->columns && f->rows == m->rows;
    }
    return good ? is(e.type) : no("{} converted to {}", spell(n.value), types_.spell(e.type));
  }
  // 0 when the type has no bits to reinterpret.
  std::uint32_t bit_width(TypeId id) const {
    const auto k = types_.scalar_kind(id);
    if (types_.get_if<ScalarType>(id) == nullptr && types_.get_if<VectorType>(id) == nullptr) {
      return 0;
    }
    if (*k == ScalarKind::boolean) return 0;
    return static_cast<std::uint32_t>(types_.scalar_count(id)) * (*k == ScalarKind::f16 ? 16 : 32);
  }
  ExprRule rule(const Expr& e, const BitcastExpr& n) const {
    const std::uint32_t width = bit_width(type(n.value));
    if (width != 0 && width == bit_width(e.type)) return is(e.type);
    return no("bitcast of {} to {}", spell(n.value), types_.spell(e.type));
  }
  ExprRule rule(const Expr& e, const MathExpr& n) const {
    std::string issue = check_math(program_, n.fn, program_.list(n.arguments), e.type);
    if (issue.empty()) return is(e.type);
    return {std::nullopt, std::move(issue)};
  }
  ExprRule rule(const Expr&, const ArrayLengthExpr& n) const {
    const PointerType* p = pointer(n.pointer);
    const auto* a = p != nullptr ? types_.get_if<ArrayType>(p->pointee) : nullptr;
    const bool buffer = p != nullptr && types_.get_if<BufferType>(p->pointee) != nullptr;
    if (!buffer && (a == nullptr || a->count != 0 || a->count_expr != kNoExpr)) {
      return no("{} has no run-time length", spell(n.pointer));
    }
    return want(ScalarType{ScalarKind::u32});
  }
  bool is_integer_scalar(ExprId id) const {
    return types_.get_if<ScalarType>(type(id)) != nullptr && is_integer(*kind(id));
  }
  ExprRule rule(const Expr& e, const ViewExpr& n) const {
    const PointerType* from = pointer(n.buffer);
    const auto* to = types_.get_if<PointerType>(e.type);
    if (from == nullptr || types_.get_if<BufferType>(from->pointee) == nullptr || to == nullptr ||
        to->memory != from->memory || to->access != from->access) {
      return no("a view of {} is {}", spell(n.buffer), types_.spell(e.type));
    }
    if (!is_integer_scalar(n.offset) || (n.size != kNoExpr && !is_integer_scalar(n.size))) {
      return no("the place of a view is i32 or u32");
    }
    const bool sized = !types_.contains_runtime_array(to->pointee);
    if (!types_.is_host_shareable(to->pointee) || types_.contains_atomic(to->pointee) ||
        types_.get_if<BufferType>(to->pointee) != nullptr || (sized && n.size != kNoExpr)) {
      return no("there is no such view as {}", types_.spell(e.type));
    }
    return is(e.type);
  }
  ExprRule rule(const Expr&, const InvocationIdExpr& n) const {
    if (function_ == nullptr) return no("an invocation's id outside of a function");
    if (n.kind > InvocationIdKind::workgroup_count) return no("an unknown id");
    return shaped(ScalarKind::u32, n.kind == InvocationIdKind::local_invocation_index ? 0 : 3);
  }

  const Program& program_;
  const TypeTable& types_;
  const Function* function_;
};

class TreeCheck {
 public:
  TreeCheck(const Program& program, const TypeRules& rules, const Function* function,
            Issues& issues)
      : program_(program), rules_(rules), function_(function), issues_(issues) {}

  bool run(ExprId id) {
    const Expr& e = program_[id];
    bool good = true;
    for_each_operand(program_, e.node, [&](ExprId operand) { good = run(operand) && good; });
    if (!good) return false;
    if (const std::string& issue = rules_.issue(e.type); !issue.empty()) {
      issues_.push_back({issue, e.pos});
      return false;
    }
    const bool memory = std::holds_alternative<LoadExpr>(e.node);
    if (function_ == nullptr && memory) {
      issues_.push_back({"only constants and overrides can be used outside of functions", e.pos});
      return false;
    }
    const ExprRule rule = rule_of(program_, e, function_);
    if (!rule.type) {
      issues_.push_back({rule.issue, e.pos});
    } else if (*rule.type != e.type) {
      issues_.push_back(
          {fmt::format("an expression of type {} is marked as {}", program_.types.spell(*rule.type),
                       program_.types.spell(e.type)),
           e.pos});
    }
    return rule.type && *rule.type == e.type;
  }

 private:
  const Program& program_;
  const TypeRules& rules_;
  const Function* function_;
  Issues& issues_;
};

}  // namespace

ExprRule rule_of(const Program& program, const Expr& expr, const Function* function) {
  return Rules(program, function).of(expr);
}

bool check_expr_tree(const Program& program, const TypeRules& rules, const Function* function,
                     ExprId root, Issues& issues) {
  return TreeCheck(program, rules, function, issues).run(root);
}

}  // namespace vyre
