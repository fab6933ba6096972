#include <fmt/format.h>

#include "vyre/ir/builder/builder_internal.h"

namespace vyre {

// ---- Values ----

Value ProgramBuilder::constant(TypeId type, const Arg& number) {
  return state_->wrap(state_->value_of(number, type));
}

Value ProgramBuilder::zero(TypeId type, Where where) {
  if (state_->program.types.is_constructible(type)) {
    return state_->wrap(state_->leaf(type, ZeroExpr{}));
  }
  state_->error(where,
                fmt::format("there is no zero value of {}", state_->program.types.spell(type)));
  return state_->wrap(0);
}

Value ProgramBuilder::make(TypeId type, std::initializer_list<Arg> parts, Where where) {
  const TypeTable& types = state_->program.types;
  const bool vector = types.get_if<VectorType>(type) != nullptr;
  const bool matrix = types.get_if<MatrixType>(type) != nullptr;
  const auto kind = types.scalar_kind(type);
  const TypeId scalar = kind ? *types.find(ScalarType{*kind}) : types.void_type();
  std::vector<std::uint32_t> values;
  for (const Arg& part : parts) {
    const auto index = static_cast<std::uint32_t>(values.size());
    const TypeId like = vector || matrix ? scalar : types.component(type, index);
    values.push_back(state_->value_of(part, like));
    if (values.back() == 0) return state_->wrap(0);
  }
  if (vector && values.size() == 1 && state_->type(values[0]) == scalar) {
    return state_->wrap(state_->spread(values[0], type, where));
  }
  std::vector<ExprId> exprs;
  for (const std::uint32_t value : values) exprs.push_back(state_->use(value, where));
  const ConstructExpr node{state_->list(exprs)};
  return state_->wrap(state_->computed(type, node, values, where));
}

Value ProgramBuilder::convert(TypeId type, const Arg& value) {
  const std::uint32_t from = state_->value_of(value);
  if (from == 0) return state_->wrap(0);
  const ConvertExpr node{state_->use(from, value.where)};
  return state_->wrap(state_->computed(type, node, {from}, value.where));
}

Value ProgramBuilder::bitcast(TypeId type, const Arg& value) {
  const std::uint32_t from = state_->value_of(value);
  if (from == 0) return state_->wrap(0);
  const BitcastExpr node{state_->use(from, value.where)};
  return state_->wrap(state_->computed(type, node, {from}, value.where));
}

Value ProgramBuilder::select(const Arg& on_false, const Arg& on_true, const Arg& condition) {
  const bool number_first = state_->is_number(on_false);
  const std::uint32_t known = state_->value_of(number_first ? on_true : on_false);
  if (known == 0) return state_->wrap(0);
  const std::uint32_t other =
      state_->value_of(number_first ? on_false : on_true, state_->type(known));
  const std::uint32_t chosen_by = state_->value_of(condition);
  if (other == 0 || chosen_by == 0) return state_->wrap(0);
  const std::uint32_t no = number_first ? other : known;
  const std::uint32_t yes = number_first ? known : other;
  const ExprId no_expr = state_->use(no, on_false.where);
  const ExprId yes_expr = state_->use(yes, on_true.where);
  const SelectExpr node{no_expr, yes_expr, state_->use(chosen_by, condition.where)};
  return state_->wrap(
      state_->computed(state_->type(no), node, {no, yes, chosen_by}, condition.where));
}

// ---- Locals ----

Value ProgramBuilder::let(std::string name, const Arg& value) {
  const std::uint32_t from = state_->value_of(value);
  if (from == 0) return state_->wrap(0);
  const TypeId type = state_->type(from);
  const ExprId expr = state_->use(from, value.where);
  const LocalId id = state_->local(std::move(name), LocalKind::let, type, value.where);
  state_->stmt(LetStmt{id, expr}, value.where, false);
  return state_->wrap(state_->scoped_leaf(type, LocalExpr{id}));
}

Ref BuilderState::add_var(std::string name, TypeId type, ExprId initial, Where where) {
  Place place;
  place.kind = Place::Kind::local;
  place.type = type;
  place.memory = MemoryKind::function;
  place.access = Access::read_write;
  place.local = local(std::move(name), LocalKind::var, type, where);
  place.frame = frame().id;
  place.where = where;
  stmt(VarStmt{place.local, initial}, where, false);
  return wrap_ref(add_place(place));
}

Ref ProgramBuilder::var(std::string name, TypeId type, Where where) {
  return state_->add_var(std::move(name), type, kNoExpr, where);
}

Ref ProgramBuilder::var(std::string name, const Arg& initial) {
  const std::uint32_t value = state_->value_of(initial);
  if (value == 0) return state_->wrap_ref(0);
  const ExprId expr = state_->use(value, initial.where);
  return state_->add_var(std::move(name), state_->type(value), expr, initial.where);
}

Ref ProgramBuilder::deref(const Value& pointer, Where where) {
  const std::uint32_t value = state_->value_of(pointer, where);
  if (value == 0) return state_->wrap_ref(0);
  const auto* type = state_->program.types.get_if<PointerType>(state_->type(value));
  if (type == nullptr) {
    state_->error(where, fmt::format("{} is not a pointer",
                                     state_->program.types.spell(state_->type(value))));
    return state_->wrap_ref(0);
  }
  BuilderState::Place place;
  place.kind = BuilderState::Place::Kind::pointer;
  place.type = type->pointee;
  place.memory = type->memory;
  place.access = type->access;
  place.value = value;
  place.where = where;
  return state_->wrap_ref(state_->add_place(place));
}

// ---- Control flow ----

ExprId BuilderState::condition(const Arg& arg) {
  const std::uint32_t value = value_of(arg);
  const TypeId boolean = program.types.scalar(ScalarKind::boolean);
  if (value != 0 && type(value) != boolean) {
    error(arg.where, fmt::format("a condition is bool, not {}", program.types.spell(type(value))));
  }
  return use(value, arg.where);
}

void ProgramBuilder::if_(const Arg& condition, const Body& then, const Body& otherwise) {
  IfStmt node{state_->condition(condition), {}, {}};
  node.then = state_->block(then);
  node.otherwise = state_->block(otherwise);
  state_->stmt(node, condition.where, true);
}

void ProgramBuilder::loop(const Body& body, const Body& continuing,
                          const std::function<Value()>& break_if, Where where) {
  LoopStmt node;
  state_->open();
  if (body) body();
  // The continuing part is inside the scope of the body, so its block is closed first.
  state_->open();
  if (continuing) continuing();
  if (break_if) node.break_if = state_->condition(Arg(break_if(), where));
  node.continuing = state_->close();
  node.body = state_->close();
  state_->stmt(node, where, true);
}

void ProgramBuilder::while_(const std::function<Value()>& condition, const Body& body,
                            Where where) {
  loop(
      [&] {
        if_(!Arg(condition(), where), [&] { break_(where); });
        if (body) body();
      },
      {}, {}, where);
}

void ProgramBuilder::for_(const std::string& name, const Arg& begin, const Arg& end,
                          const std::function<void(Value)>& body, const Arg& step) {
  // Numbers take the type of whichever bound has one.
  std::uint32_t first = state_->is_number(begin) ? 0 : state_->value_of(begin);
  const std::uint32_t last = state_->value_of(end, state_->type(first));
  if (state_->is_number(begin)) first = state_->value_of(begin, state_->type(last));
  if (first == 0 || last == 0) return;
  const Value limit = state_->wrap(last);
  const Ref i = var(name, Arg(state_->wrap(first), begin.where));
  loop(
      [&] {
        if_(!Arg(Arg(i, begin.where) < Arg(limit, end.where), begin.where),
            [&] { break_(begin.where); });
        if (body) body(let(name, Arg(i, begin.where)));
      },
      [&] { i += step; }, {}, begin.where);
}

void ProgramBuilder::switch_(const Arg& selector, const std::vector<SwitchArm>& arms,
                             const Body& otherwise) {
  const std::uint32_t value = state_->value_of(selector);
  if (value == 0) return;
  SwitchStmt node{state_->use(value, selector.where)};
  std::vector<SwitchCase> cases;
  for (const SwitchArm& arm : arms) {
    SwitchCase c;
    for (const std::int64_t v : arm.values) c.values.push_back(static_cast<std::uint32_t>(v));
    c.body = state_->block(arm.body);
    cases.push_back(std::move(c));
  }
  SwitchCase rest;
  rest.is_default = true;
  rest.body = state_->block(otherwise);
  cases.push_back(std::move(rest));
  node.first_case = static_cast<std::uint32_t>(state_->program.switch_cases.size());
  node.case_count = static_cast<std::uint32_t>(cases.size());
  for (SwitchCase& c : cases) state_->program.switch_cases.push_back(std::move(c));
  state_->stmt(node, selector.where, true);
}

void ProgramBuilder::break_(Where where) { state_->stmt(BreakStmt{}, where, false); }
void ProgramBuilder::continue_(Where where) { state_->stmt(ContinueStmt{}, where, false); }
void ProgramBuilder::return_(Where where) { state_->stmt(ReturnStmt{}, where, false); }
void ProgramBuilder::return_(const Arg& value) {
  const std::uint32_t result = state_->value_of(value, state_->function().result);
  if (result == 0) return;
  state_->stmt(ReturnStmt{state_->use(result, value.where)}, value.where, false);
}

// ---- Cooperation ----

void ProgramBuilder::workgroup_barrier(Where where) {
  state_->stmt(BarrierStmt{true, false}, where, true);
}
void ProgramBuilder::storage_barrier(Where where) {
  state_->stmt(BarrierStmt{false, true}, where, true);
}
Value ProgramBuilder::uniform_load(const Ref& from, Where where) {
  return state_->wrap(state_->uniform_load(from, where));
}

std::uint32_t BuilderState::uniform_load(const Ref& from, Where where) {
  if (from.id_ == 0) return 0;
  TypeId type = places_[from.id_].type;
  if (const auto* atomic = program.types.get_if<AtomicType>(type)) {
    type = program.types.scalar(atomic->kind);
  }
  UniformLoadStmt node{kNoLocal, pointer_expr(from.id_, where)};
  const std::uint32_t result = result_local(type, where, node.result);
  stmt(node, where, true);
  return result;
}

Value ProgramBuilder::subgroup(SubgroupOp op, const Arg& value, Where where) {
  return state_->wrap(state_->subgroup(op, &value, nullptr, where));
}
Value ProgramBuilder::subgroup(SubgroupOp op, const Arg& value, const Arg& lane, Where where) {
  return state_->wrap(state_->subgroup(op, &value, &lane, where));
}
Value ProgramBuilder::subgroup_elect(Where where) {
  return state_->wrap(state_->subgroup(SubgroupOp::elect, nullptr, nullptr, where));
}

std::uint32_t BuilderState::subgroup(SubgroupOp op, const Arg* value, const Arg* lane,
                                     Where where) {
  SubgroupStmt node{.op = op};
  TypeId result = program.types.scalar(ScalarKind::boolean);
  if (value != nullptr) {
    const std::uint32_t given = value_of(*value);
    if (given == 0) return 0;
    result = type(given);
    node.value = use(given, value->where);
  }
  if (lane != nullptr) {
    const std::uint32_t given = value_of(*lane, program.types.scalar(ScalarKind::u32));
    if (given == 0) return 0;
    node.lane = use(given, lane->where);
  }
  if (op == SubgroupOp::ballot) result = program.types.vector(ScalarKind::u32, 4);
  const std::uint32_t out = result_local(result, where, node.result);
  stmt(node, where, true);
  return out;
}

}  // namespace vyre
