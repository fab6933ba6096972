#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "vyre/base/overloaded.h"
#include "vyre/ir/builder/builder_internal.h"

namespace vyre {
namespace {

bool is_comparison(BinaryOp op) { return op >= BinaryOp::equal && op <= BinaryOp::greater_equal; }

bool is_shift(BinaryOp op) { return op == BinaryOp::shift_left || op == BinaryOp::shift_right; }

bool is_arithmetic(BinaryOp op) { return op <= BinaryOp::rem; }

// Empty if the kind cannot hold the number: integers must fit, and floats only become floats.
std::optional<Scalar> scalar_of(const Arg& arg, ScalarKind kind) {
  if (const auto* v = std::get_if<bool>(&arg.what)) {
    if (kind == ScalarKind::boolean) return Scalar::of(*v);
    return std::nullopt;
  }
  if (const auto* v = std::get_if<double>(&arg.what)) {
    if (kind == ScalarKind::f32) return Scalar::of(static_cast<float>(*v));
    if (kind == ScalarKind::f16) return Scalar{ScalarKind::f16, double_to_f16(*v)};
    return std::nullopt;
  }
  std::int64_t number = 0;
  if (const auto* v = std::get_if<std::int64_t>(&arg.what)) number = *v;
  if (const auto* v = std::get_if<std::uint32_t>(&arg.what)) number = *v;
  switch (kind) {
    case ScalarKind::i32:
      if (number < std::numeric_limits<std::int32_t>::min() ||
          number > std::numeric_limits<std::int32_t>::max()) {
        return std::nullopt;
      }
      return Scalar::of(static_cast<std::int32_t>(number));
    case ScalarKind::u32:
      if (number < 0) return std::nullopt;
      return Scalar::of(static_cast<std::uint32_t>(number));
    case ScalarKind::f32: return Scalar::of(static_cast<float>(number));
    case ScalarKind::f16:
      return Scalar{ScalarKind::f16, double_to_f16(static_cast<double>(number))};
    case ScalarKind::boolean:
    case ScalarKind::abstract_int:
    case ScalarKind::abstract_float: break;
  }
  return std::nullopt;
}

ScalarKind own_kind(const Arg& arg) {
  if (std::holds_alternative<bool>(arg.what)) return ScalarKind::boolean;
  if (std::holds_alternative<std::uint32_t>(arg.what)) return ScalarKind::u32;
  if (std::holds_alternative<double>(arg.what)) return ScalarKind::f32;
  return ScalarKind::i32;
}

BuilderState* any_state(std::initializer_list<const Arg*> arguments) {
  for (const Arg* arg : arguments) {
    if (BuilderState* state = BuilderState::state_of(*arg)) return state;
  }
  return nullptr;
}

Value binary(BinaryOp op, const Arg& a, const Arg& b) {
  BuilderState* state = any_state({&a, &b});
  if (state == nullptr) return {};
  return state->wrap(state->binary(op, a, b));
}

Value unary(UnaryOp op, const Arg& a) {
  BuilderState* state = BuilderState::state_of(a);
  if (state == nullptr) return {};
  return state->wrap(state->unary(op, a));
}

}  // namespace

std::uint32_t BuilderState::number(const Arg& arg, ScalarKind kind) {
  const auto scalar = scalar_of(arg, kind);
  if (!scalar) {
    error(arg.where, fmt::format("the number cannot be {}", to_string(kind)));
    return 0;
  }
  const TypeId type = program.types.scalar(kind);
  const auto id = static_cast<ConstantId>(program.constants.size());
  program.constants.push_back({type, {scalar->bits}});
  return leaf(type, ConstantExpr{id});
}

std::uint32_t BuilderState::value_of(const Value& value, Where where) {
  if (value.state_ == this && value.id_ != 0) return value.id_;
  if (value.state_ == nullptr) error(where, "an empty value is used");
  if (value.state_ != nullptr && value.state_ != this) {
    error(where, "a value of another program is used");
  }
  return 0;
}

std::uint32_t BuilderState::value_of(const Arg& arg, TypeId like) {
  if (const auto* value = std::get_if<Value>(&arg.what)) return value_of(*value, arg.where);
  if (const auto* ref = std::get_if<Ref>(&arg.what)) {
    if (ref->state_ == this) return load(ref->id_, arg.where);
    error(arg.where, "a place of another program is used");
    return 0;
  }
  const auto kind = program.types.scalar_kind(like);
  const std::uint32_t scalar = number(arg, kind ? *kind : own_kind(arg));
  const bool spreads = scalar != 0 && program.types.get_if<VectorType>(like) != nullptr;
  return spreads ? spread(scalar, like, arg.where) : scalar;
}

std::uint32_t BuilderState::spread(std::uint32_t scalar, TypeId vector, Where where) {
  return computed(vector, SplatExpr{use(scalar, where)}, {scalar}, where);
}

std::uint32_t BuilderState::unary(UnaryOp op, const Arg& a) {
  const std::uint32_t operand = value_of(a);
  if (operand == 0) return 0;
  return computed(type(operand), UnaryExpr{op, use(operand, a.where)}, {operand}, a.where);
}

std::uint32_t BuilderState::binary(BinaryOp op, const Arg& a, const Arg& b) {
  TypeTable& types = program.types;
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  if (is_number(a)) {
    right = value_of(b);
    if (right == 0) return 0;
    // A number beside a matrix stays a scalar.
    left = value_of(a, is_shift(op) ? TypeId{0} : type(right));
  } else {
    left = value_of(a);
    if (left == 0) return 0;
    TypeId like = type(left);
    if (is_shift(op) && is_number(b)) {
      const auto* v = types.get_if<VectorType>(like);
      like = v != nullptr ? types.vector(ScalarKind::u32, v->size) : types.scalar(ScalarKind::u32);
    }
    right = value_of(b, like);
  }
  if (left == 0 || right == 0) return 0;
  const bool left_vector = types.get_if<VectorType>(type(left)) != nullptr;
  const bool right_vector = types.get_if<VectorType>(type(right)) != nullptr;
  if (is_arithmetic(op) && types.scalar_kind(type(left)) == types.scalar_kind(type(right))) {
    const bool left_scalar = types.get_if<ScalarType>(type(left)) != nullptr;
    const bool right_scalar = types.get_if<ScalarType>(type(right)) != nullptr;
    if (left_scalar && right_vector) left = spread(left, type(right), a.where);
    if (right_scalar && left_vector) right = spread(right, type(left), b.where);
    if (left == 0 || right == 0) return 0;
  }
  TypeId result = type(left);
  if (is_comparison(op)) {
    const auto* v = types.get_if<VectorType>(result);
    result = v != nullptr ? types.vector(ScalarKind::boolean, v->size)
                          : types.scalar(ScalarKind::boolean);
  } else if (op == BinaryOp::mul) {
    const auto* lm = types.get_if<MatrixType>(type(left));
    const auto* rm = types.get_if<MatrixType>(type(right));
    if (lm != nullptr && rm != nullptr) {
      result = types.matrix(lm->kind, rm->columns, lm->rows);
    } else if (lm != nullptr && right_vector) {
      result = types.vector(lm->kind, lm->rows);
    } else if (rm != nullptr) {
      result = left_vector ? types.vector(rm->kind, rm->columns) : type(right);
    }
  }
  const ExprId left_expr = use(left, a.where);
  const ExprId right_expr = use(right, b.where);
  return computed(result, BinaryExpr{op, left_expr, right_expr}, {left, right}, a.where);
}

// ---- Value ----

Value Value::swizzle(std::string_view lanes, std::source_location where) const {
  if (state_ == nullptr) return {};
  const std::uint32_t vector = state_->value_of(*this, where);
  if (vector == 0) return state_->wrap(0);
  TypeTable& types = state_->program.types;
  const auto kind = types.scalar_kind(state_->type(vector));
  SwizzleExpr node{kNoExpr, static_cast<std::uint8_t>(lanes.size()), {}};
  bool good = kind && !lanes.empty() && lanes.size() <= 4;
  for (std::size_t i = 0; good && i < lanes.size(); ++i) {
    std::size_t lane = std::string_view("xyzw").find(lanes[i]);
    if (lane == std::string_view::npos) lane = std::string_view("rgba").find(lanes[i]);
    good = lane != std::string_view::npos;
    if (good) node.lanes[i] = static_cast<std::uint8_t>(lane);
  }
  if (!good) {
    state_->error(
        where, fmt::format("{} has no components '{}'", types.spell(state_->type(vector)), lanes));
    return state_->wrap(0);
  }
  const auto size = static_cast<std::uint32_t>(lanes.size());
  const TypeId type = size == 1 ? types.scalar(*kind) : types.vector(*kind, size);
  node.vector = state_->use(vector, where);
  return state_->wrap(state_->computed(type, node, {vector}, where));
}

Value Value::member(std::string_view name, std::source_location where) const {
  if (state_ == nullptr) return {};
  const std::uint32_t base = state_->value_of(*this, where);
  if (base == 0) return state_->wrap(0);
  const auto* s = state_->program.types.get_if<StructType>(state_->type(base));
  for (std::uint32_t i = 0; s != nullptr && i < s->members.size(); ++i) {
    if (s->members[i].name != name) continue;
    const TypeId type = s->members[i].type;
    const MemberExpr node{state_->use(base, where), i};
    return state_->wrap(state_->computed(type, node, {base}, where));
  }
  state_->error(where, fmt::format("{} has no member '{}'",
                                   state_->program.types.spell(state_->type(base)), name));
  return state_->wrap(0);
}

Value Value::operator[](const Arg& index) const {
  if (state_ == nullptr) return {};
  TypeTable& types = state_->program.types;
  const std::uint32_t base = state_->value_of(*this, index.where);
  const std::uint32_t at = state_->value_of(index, types.scalar(ScalarKind::u32));
  if (base == 0 || at == 0) return state_->wrap(0);
  const ExprId base_expr = state_->use(base, index.where);
  const IndexExpr node{base_expr, state_->use(at, index.where)};
  const TypeId type = types.component(state_->type(base));
  return state_->wrap(state_->computed(type, node, {base, at}, index.where));
}

Value operator+(const Arg& a, const Arg& b) { return binary(BinaryOp::add, a, b); }
Value operator-(const Arg& a, const Arg& b) { return binary(BinaryOp::sub, a, b); }
Value operator*(const Arg& a, const Arg& b) { return binary(BinaryOp::mul, a, b); }
Value operator/(const Arg& a, const Arg& b) { return binary(BinaryOp::div, a, b); }
Value operator%(const Arg& a, const Arg& b) { return binary(BinaryOp::rem, a, b); }
Value operator==(const Arg& a, const Arg& b) { return binary(BinaryOp::equal, a, b); }
Value operator!=(const Arg& a, const Arg& b) { return binary(BinaryOp::not_equal, a, b); }
Value operator<(const Arg& a, const Arg& b) { return binary(BinaryOp::less, a, b); }
Value operator<=(const Arg& a, const Arg& b) { return binary(BinaryOp::less_equal, a, b); }
Value operator>(const Arg& a, const Arg& b) { return binary(BinaryOp::greater, a, b); }
Value operator>=(const Arg& a, const Arg& b) { return binary(BinaryOp::greater_equal, a, b); }
Value operator&&(const Arg& a, const Arg& b) { return binary(BinaryOp::logical_and, a, b); }
Value operator||(const Arg& a, const Arg& b) { return binary(BinaryOp::logical_or, a, b); }
Value operator&(const Arg& a, const Arg& b) { return binary(BinaryOp::bit_and, a, b); }
Value operator|(const Arg& a, const Arg& b) { return binary(BinaryOp::bit_or, a, b); }
Value operator^(const Arg& a, const Arg& b) { return binary(BinaryOp::bit_xor, a, b); }
Value operator<<(const Arg& a, const Arg& b) { return binary(BinaryOp::shift_left, a, b); }
Value operator>>(const Arg& a, const Arg& b) { return binary(BinaryOp::shift_right, a, b); }
Value operator-(const Arg& a) { return unary(UnaryOp::negate, a); }
Value operator!(const Arg& a) { return unary(UnaryOp::logical_not, a); }
Value operator~(const Arg& a) { return unary(UnaryOp::bit_not, a); }

}  // namespace vyre
