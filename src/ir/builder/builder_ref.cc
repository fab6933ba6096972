#include <fmt/format.h>

#include "vyre/ir/builder/builder_internal.h"

namespace vyre {
namespace {

// {old_value, exchanged}
TypeId compare_exchange_type(TypeTable& types, ScalarKind kind) {
  return types.structure(fmt::format("__atomic_compare_exchange_result_{}", to_string(kind)),
                         {{.name = "old_value", .type = types.scalar(kind)},
                          {.name = "exchanged", .type = types.scalar(ScalarKind::boolean)}});
}

}  // namespace

// NOLINTNEXTLINE(bugprone-unhandled-self-assignment): a value may be stored where it is.
Ref& Ref::operator=(const Ref& value) {
  state_->store(id_, Arg(value, value.state_->place(value).where));
  return *this;
}

const Ref& Ref::operator=(const Arg& value) const {
  state_->store(id_, value);
  return *this;
}
const Ref& Ref::operator+=(const Arg& value) const { return *this = *this + value; }
const Ref& Ref::operator-=(const Arg& value) const { return *this = *this - value; }
const Ref& Ref::operator*=(const Arg& value) const { return *this = *this * value; }
const Ref& Ref::operator/=(const Arg& value) const { return *this = *this / value; }

Value Ref::load(Where where) const { return state_->wrap(state_->load(id_, where)); }
Ref::operator Value() const { return load(state_->place(*this).where); }

Ref Ref::operator[](const Arg& index) const {
  return state_->wrap_ref(state_->index_place(id_, index));
}
Ref Ref::member(std::string_view name, Where where) const {
  return state_->wrap_ref(state_->member_place(id_, name, where));
}
Ref Ref::component(std::uint32_t i, Where where) const {
  const auto* v = state_->program.types.get_if<VectorType>(state_->place(*this).type);
  if (id_ != 0 && (v == nullptr || i >= v->size)) {
    state_->error(where,
                  fmt::format("{} has no component '{}'",
                              state_->program.types.spell(state_->place(*this).type), "xyzw"[i]));
    return state_->wrap_ref(0);
  }
  return state_->wrap_ref(state_->index_place(id_, Arg(i, where)));
}

Value Ref::length(Where where) const { return state_->wrap(state_->length(id_, where)); }

Value Ref::address(Where where) const { return state_->wrap(state_->address(id_, where)); }

Value BuilderState::atomic(AtomicOp op, const Ref& at, const Arg* compare, const Arg* value,
                           Order order, Where where) {
  if (at.id_ == 0) return wrap(0);
  const Place place = places_[at.id_];
  const auto* atomic = program.types.get_if<AtomicType>(place.type);
  if (atomic == nullptr) {
    error(where, fmt::format("{} is not atomic", program.types.spell(place.type)));
    return wrap(0);
  }
  const ScalarKind kind = atomic->kind;
  const TypeId scalar = program.types.scalar(kind);
  AtomicStmt node{.op = op,
                  .scope = place.memory == MemoryKind::workgroup ? Scope::workgroup : Scope::device,
                  .order = order,
                  .pointer = kNoExpr};
  const auto operand = [&](const Arg* arg, ExprId& out) {
    if (arg == nullptr) return true;
    const std::uint32_t id = value_of(*arg, scalar);
    if (id == 0) return false;
    if (type(id) != scalar) {
      error(arg->where, fmt::format("{} for an atomic of {}", program.types.spell(type(id)),
                                    program.types.spell(scalar)));
      return false;
    }
    out = use(id, arg->where);
    return true;
  };
  if (!operand(compare, node.compare) || !operand(value, node.value)) return wrap(0);
  node.pointer = pointer_expr(at.id_, where);
  std::uint32_t result = 0;
  if (op != AtomicOp::store) {
    const bool exchange = op == AtomicOp::compare_exchange;
    result = result_local(exchange ? compare_exchange_type(program.types, kind) : scalar, where,
                          node.result);
  }
  stmt(node, where, true);
  return wrap(result);
}

Value Ref::atomic_load(Order order, Where where) const {
  return state_->atomic(AtomicOp::load, *this, nullptr, nullptr, order, where);
}
void Ref::atomic_store(const Arg& value, Order order) const {
  state_->atomic(AtomicOp::store, *this, nullptr, &value, order, value.where);
}
Value Ref::atomic_add(const Arg& value, Order order) const {
  return state_->atomic(AtomicOp::add, *this, nullptr, &value, order, value.where);
}
Value Ref::atomic_sub(const Arg& value, Order order) const {
  return state_->atomic(AtomicOp::sub, *this, nullptr, &value, order, value.where);
}
Value Ref::atomic_max(const Arg& value, Order order) const {
  return state_->atomic(AtomicOp::max, *this, nullptr, &value, order, value.where);
}
Value Ref::atomic_min(const Arg& value, Order order) const {
  return state_->atomic(AtomicOp::min, *this, nullptr, &value, order, value.where);
}
Value Ref::atomic_and(const Arg& value, Order order) const {
  return state_->atomic(AtomicOp::bit_and, *this, nullptr, &value, order, value.where);
}
Value Ref::atomic_or(const Arg& value, Order order) const {
  return state_->atomic(AtomicOp::bit_or, *this, nullptr, &value, order, value.where);
}
Value Ref::atomic_xor(const Arg& value, Order order) const {
  return state_->atomic(AtomicOp::bit_xor, *this, nullptr, &value, order, value.where);
}
Value Ref::atomic_exchange(const Arg& value, Order order) const {
  return state_->atomic(AtomicOp::exchange, *this, nullptr, &value, order, value.where);
}
Value Ref::atomic_compare_exchange(const Arg& compare, const Arg& value, Order order) const {
  return state_->atomic(AtomicOp::compare_exchange, *this, &compare, &value, order, value.where);
}

}  // namespace vyre
