#include "vyre/ir/fold_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vyre/ir/argument_rules.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

std::string describe_fault(const Program& program, const Expr& expr, Fault fault) {
  std::string_view operation = "expression";
  if (const auto* e = std::get_if<UnaryExpr>(&expr.node)) operation = to_string(e->op);
  if (const auto* e = std::get_if<BinaryExpr>(&expr.node)) operation = to_string(e->op);
  if (const auto* e = std::get_if<MathExpr>(&expr.node)) operation = to_string(e->fn);
  if (std::holds_alternative<ConvertExpr>(expr.node)) operation = "conversion";
  if (std::holds_alternative<BitcastExpr>(expr.node)) operation = "bitcast";
  return fmt::format("'{}' of {}: {}", operation, program.types.spell(expr.type), to_string(fault));
}

}  // namespace

std::string locate(const Program& program, SourcePos pos, const std::string& what) {
  std::string where = program.source_name;
  if (pos.line != 0) {
    where += fmt::format("{}{}:{}", where.empty() ? "" : ":", pos.line, pos.column);
  }
  return where.empty() ? what : fmt::format("{}: {}", where, what);
}

Folder::Folder(Program& program, std::vector<std::optional<Scalar>> given)
    : program_(program),
      overrides_(std::move(given)),
      override_states_(program.overrides.size(), State::unknown),
      states_(program.exprs.size(), State::unknown) {
  overrides_.resize(program.overrides.size());
}

std::unexpected<Error> Folder::fault_at(ExprId id, const std::string& what) const {
  return fail(Code::invalid_input, locate(program_, program_[id].pos, what));
}

Result<void> Folder::fold(ExprId root) {
  strict_ = false;
  VYRE_TRY([[maybe_unused]] const State state, visit(root));
  return {};
}

Result<void> Folder::make_constant(ExprId root) {
  strict_ = true;
  VYRE_TRY(const State state, visit(root));
  if (state == State::varies) {
    return fault_at(root, "a constant or override expression is needed here");
  }
  const ExprNode& node = program_[root].node;
  if (!std::holds_alternative<ConstantExpr>(node) && !std::holds_alternative<ZeroExpr>(node)) {
    store(root, need(root));
  }
  return {};
}

Result<Scalar> Folder::scalar(ExprId root) {
  VYRE_CHECK(make_constant(root));
  return scalar_of(root);
}

Scalar Folder::scalar_of(ExprId id) {
  const ScalarKind kind = program_.types.scalar_kind(program_[id].type).value_or(ScalarKind::u32);
  return {kind, need(id)[0]};
}

const std::vector<std::uint64_t>& Folder::need(ExprId id) {
  const auto key = static_cast<std::uint32_t>(id);
  if (const auto found = values_.find(key); found != values_.end()) return found->second;
  const Expr expr = program_[id];
  std::vector<std::uint64_t> out;
  if (const auto* e = std::get_if<ConstantExpr>(&expr.node)) {
    out = program_[e->id].scalars;
  } else {
    out.assign(program_.types.scalar_count(expr.type), 0);
    if (!std::holds_alternative<ZeroExpr>(expr.node)) compute(expr, out);
  }
  return values_[key] = std::move(out);
}

Result<Folder::State> Folder::visit(ExprId id) {
  if (state(id) == State::busy) return fault_at(id, "the expression contains itself");
  if (state(id) == State::unknown) {
    state(id) = State::busy;
    VYRE_TRY(const State found, visit_node(id));
    state(id) = found;
  }
  return state(id);
}

Result<Folder::State> Folder::visit_node(ExprId id) {
  const ExprNode node = program_[id].node;
  if (std::holds_alternative<ConstantExpr>(node) || std::holds_alternative<ZeroExpr>(node)) {
    return State::constant;
  }
  if (const auto* e = std::get_if<OverrideExpr>(&node)) {
    VYRE_TRY(const Scalar scalar, override_value(e->id));
    store(id, {scalar.bits});
    return State::override_constant;
  }
  if (const auto* e = std::get_if<BinaryExpr>(&node)) {
    if (e->op == BinaryOp::logical_and || e->op == BinaryOp::logical_or) {
      return visit_logical(id, *e);
    }
  }
  return visit_operands(id);
}

// If the left operand decides, the right operand and its errors do not count.
Result<Folder::State> Folder::visit_logical(ExprId id, const BinaryExpr& node) {
  VYRE_TRY(const State left, visit(node.left));
  if (left != State::varies) {
    const bool decided = scalar_of(node.left).as_bool();
    if (decided == (node.op == BinaryOp::logical_or)) {
      if (left == State::override_constant) {
        store(id, {decided ? 1U : 0U});
      } else {
        values_[static_cast<std::uint32_t>(id)] = {decided ? 1U : 0U};
      }
      return left;
    }
  }
  return visit_operands(id);
}

Result<Folder::State> Folder::visit_operands(ExprId id) {
  const ExprNode node = program_[id].node;
  bool constant = true;
  bool from_override = false;
  std::vector<ExprId> operands;
  for_each_operand(program_, node, [&](ExprId operand) { operands.push_back(operand); });
  for (const ExprId operand : operands) {
    VYRE_TRY(const State found, visit(operand));
    constant = constant && found != State::varies;
    from_override = from_override || found == State::override_constant;
  }
  const bool foldable = !operands.empty() && !std::holds_alternative<LoadExpr>(node) &&
                        !std::holds_alternative<ArrayLengthExpr>(node) &&
                        !std::holds_alternative<ViewExpr>(node);
  if (!constant || !foldable) {
    if (from_override || is_sized_late(node)) VYRE_CHECK(check_partly_constant(id));
    return State::varies;
  }
  if (from_override || strict_) VYRE_CHECK(evaluate(id));
  if (!from_override) return State::constant;
  store(id, need(id));
  return State::override_constant;
}

Result<Scalar> Folder::override_value(OverrideId id) {
  const auto index = static_cast<std::size_t>(id);
  if (overrides_[index]) return *overrides_[index];
  const Override& o = program_.overrides[index];
  if (o.initial == kNoExpr) {
    return fail(Code::invalid_input,
                locate(program_, o.pos, fmt::format("override '{}' has no value", o.name)),
                fmt::format("give '{}' a value", o.name));
  }
  if (override_states_[index] == State::busy) {
    return fail(Code::invalid_input,
                locate(program_, o.pos, fmt::format("override '{}' depends on itself", o.name)));
  }
  override_states_[index] = State::busy;
  const bool outer = std::exchange(strict_, true);
  VYRE_TRY(const State found, visit(o.initial));
  strict_ = outer;
  if (found == State::varies) {
    return fault_at(o.initial, fmt::format("override '{}' has no constant initialiser", o.name));
  }
  overrides_[index] = scalar_of(o.initial);
  override_states_[index] = State::constant;
  return *overrides_[index];
}

// One operand is from an override, the other is known only at run time.
Result<void> Folder::check_partly_constant(ExprId id) {
  const ExprNode node = program_[id].node;
  if (const auto* e = std::get_if<IndexExpr>(&node)) return check_index(id, *e);
  Fault fault = Fault::none;
  if (const auto* e = std::get_if<BinaryExpr>(&node);
      e != nullptr && state(e->right) == State::override_constant) {
    fault = right_side_fault(e->op, program_.types, operand(e->right));
  } else if (const auto* call = std::get_if<MathExpr>(&node)) {
    std::vector<Operand> arguments;
    for (const ExprId argument : program_.list(call->arguments)) {
      const bool known = state(argument) != State::varies;
      arguments.push_back(known ? operand(argument) : Operand{program_[argument].type, {}});
    }
    fault = argument_fault(call->fn, program_.types, arguments);
  }
  if (fault == Fault::none) return {};
  return fault_at(id, describe_fault(program_, program_[id], fault));
}

TypeId Folder::indexed_type(const IndexExpr& node) const {
  const TypeId type = program_[node.base].type;
  const auto* pointer = program_.types.get_if<PointerType>(type);
  return pointer == nullptr ? type : pointer->pointee;
}

bool Folder::is_sized_late(const ExprNode& node) const {
  const auto* index = std::get_if<IndexExpr>(&node);
  return index != nullptr &&
         sized_arrays_.contains(static_cast<std::uint32_t>(indexed_type(*index)));
}

Result<void> Folder::check_index(ExprId id, const IndexExpr& node) {
  const TypeId composite = indexed_type(node);
  const State index_state = state(node.index);
  const bool known = index_state == State::override_constant ||
                     (index_state == State::constant && is_sized_late(node));
  if (!known) return {};
  const std::uint32_t count = program_.types.component_count(composite);
  const Scalar index = scalar_of(node.index);
  const bool sized = count != 0;
  if (index.as_int() >= 0 && (!sized || index.as_int() < count)) return {};
  return fault_at(id, fmt::format("index {} is outside of {}", index.as_int(),
                                  program_.types.spell(composite)));
}

Result<void> Folder::evaluate(ExprId id) {
  const Expr expr = program_[id];
  if (const auto* e = std::get_if<IndexExpr>(&expr.node)) {
    const std::uint32_t count = program_.types.component_count(program_[e->base].type);
    const Scalar index = scalar_of(e->index);
    if (index.as_int() < 0 || index.as_int() >= count) {
      return fault_at(id, fmt::format("index {} is outside of {}", index.as_int(),
                                      program_.types.spell(program_[e->base].type)));
    }
  }
  std::vector<std::uint64_t> out(program_.types.scalar_count(expr.type), 0);
  const Fault fault = compute(expr, out);
  if (fault != Fault::none) return fault_at(id, describe_fault(program_, expr, fault));
  values_[static_cast<std::uint32_t>(id)] = std::move(out);
  return {};
}

void Folder::join(std::span<const ExprId> parts, std::vector<std::uint64_t>& out) {
  std::size_t at = 0;
  for (const ExprId part : parts) {
    for (const std::uint64_t scalar : need(part)) {
      if (at < out.size()) out[at++] = scalar;
    }
  }
}

Fault Folder::compute(const Expr& expr, std::vector<std::uint64_t>& out) {
  const TypeTable& types = program_.types;
  const auto copy_from = [&](ExprId base, std::uint64_t first) {
    const auto& from = need(base);
    for (std::size_t i = 0; i < out.size() && first + i < from.size(); ++i)
      out[i] = from[first + i];
    return Fault::none;
  };
  return std::visit(Overloaded{
                        [&](const MemberExpr& e) {
                          std::uint64_t first = 0;
                          for (std::uint32_t i = 0; i < e.member; ++i) {
                            first += types.scalar_count(types.component(program_[e.base].type, i));
                          }
                          return copy_from(e.base, first);
                        },
                        [&](const IndexExpr& e) {
                          const std::uint64_t index = need(e.index)[0];
                          const bool inside = index < types.component_count(program_[e.base].type);
                          return inside ? copy_from(e.base, index * out.size()) : Fault::none;
                        },
                        [&](const SwizzleExpr& e) {
                          const auto& from = need(e.vector);
                          for (std::size_t i = 0; i < out.size(); ++i) out[i] = from[e.lanes[i]];
                          return Fault::none;
                        },
                        [&](const ConstructExpr& e) {
                          join(program_.list(e.parts), out);
                          return Fault::none;
                        },
                        [&](const SplatExpr& e) {
                          std::ranges::fill(out, need(e.scalar)[0]);
                          return Fault::none;
                        },
                        [&](const UnaryExpr& e) {
                          return apply(e.op, types, expr.type, operand(e.operand), out);
                        },
                        [&](const BinaryExpr& e) {
                          return apply(e.op, types, expr.type, operand(e.left), operand(e.right),
                                       out);
                        },
                        [&](const SelectExpr& e) {
                          const auto& condition = need(e.condition);
                          for (std::size_t i = 0; i < out.size(); ++i) {
                            const bool chosen = condition[condition.size() == 1 ? 0 : i] != 0;
                            out[i] = need(chosen ? e.on_true : e.on_false)[i];
                          }
                          return Fault::none;
                        },
                        [&](const ConvertExpr& e) {
                          return apply_convert(types, expr.type, operand(e.value), out);
                        },
                        [&](const BitcastExpr& e) {
                          return apply_bitcast(types, expr.type, operand(e.value), out);
                        },
                        [&](const MathExpr& e) {
                          std::vector<Operand> arguments;
                          for (const ExprId id : program_.list(e.arguments))
                            arguments.push_back(operand(id));
                          return apply(e.fn, types, expr.type, arguments, out);
                        },
                        [](const auto&) { return Fault::none; },
                    },
                    expr.node);
}

void Folder::store(ExprId id, std::vector<std::uint64_t> scalars) {
  const auto constant = static_cast<ConstantId>(program_.constants.size());
  program_.constants.push_back(Constant{program_[id].type, scalars});
  program_[id].node = ConstantExpr{constant};
  values_[static_cast<std::uint32_t>(id)] = std::move(scalars);
}

}  // namespace vyre
