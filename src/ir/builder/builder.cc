#include "vyre/ir/builder/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/ir/builder/builder_internal.h"
#include "vyre/ir/copy_program.h"
#include "vyre/ir/fold_constants.h"
#include "vyre/ir/validate/validate.h"

namespace vyre {

ProgramBuilder::ProgramBuilder(std::string name, Extent workgroup, Where where)
    : state_(std::make_unique<BuilderState>(std::move(name), workgroup, where)) {
  TypeTable& types = state_->program.types;
  none = types.void_type();
  boolean = types.scalar(ScalarKind::boolean);
  i32 = types.scalar(ScalarKind::i32);
  u32 = types.scalar(ScalarKind::u32);
  f32 = types.scalar(ScalarKind::f32);
  f16 = types.scalar(ScalarKind::f16);
}
ProgramBuilder::ProgramBuilder(ProgramBuilder&&) noexcept = default;
ProgramBuilder& ProgramBuilder::operator=(ProgramBuilder&&) noexcept = default;
ProgramBuilder::~ProgramBuilder() = default;

// ---- Types ----

TypeId ProgramBuilder::vec(TypeId scalar, std::uint32_t size) {
  TypeTable& types = state_->program.types;
  return types.vector(types.scalar_kind(scalar).value_or(ScalarKind::f32), size);
}
TypeId ProgramBuilder::mat(TypeId scalar, std::uint32_t columns, std::uint32_t rows) {
  TypeTable& types = state_->program.types;
  return types.matrix(types.scalar_kind(scalar).value_or(ScalarKind::f32), columns, rows);
}
TypeId ProgramBuilder::array(TypeId element) {
  return state_->program.types.runtime_array(element);
}
TypeId ProgramBuilder::array(TypeId element, std::uint32_t count) {
  return state_->program.types.array(element, count);
}
TypeId ProgramBuilder::array(TypeId element, const Value& count) {
  const Where where;
  const ExprId size = state_->use_constant(state_->value_of(count, where), where);
  return state_->program.types.intern(ArrayType{element, 0, size});
}
TypeId ProgramBuilder::atomic(TypeId scalar) {
  TypeTable& types = state_->program.types;
  return types.atomic(types.scalar_kind(scalar).value_or(ScalarKind::u32));
}
TypeId ProgramBuilder::structure(std::string name, std::vector<Field> members) {
  std::vector<Member> laid_out;
  for (Field& f : members) laid_out.push_back({.name = std::move(f.name), .type = f.type});
  return state_->program.types.structure(std::move(name), std::move(laid_out));
}
TypeId ProgramBuilder::pointer(MemoryKind memory, TypeId pointee, Access access) {
  return state_->program.types.pointer(memory, pointee, access);
}

// ---- Memory ----

Ref BuilderState::add_global(Global global, Where where) {
  global.pos = pos(where);
  const auto id = static_cast<GlobalId>(program.globals.size());
  Place place;
  place.kind = Place::Kind::global;
  place.type = global.type;
  place.memory = global.memory;
  place.access = global.access;
  place.global = id;
  place.where = where;
  program.globals.push_back(std::move(global));
  return wrap_ref(add_place(place));
}

Ref BuilderState::add_buffer(std::string name, MemoryKind memory, Access access, TypeId type,
                             std::optional<BindingPoint> at, Where where) {
  if (!at) {
    at = BindingPoint{0, 0};
    const auto taken = [&](const Global& g) {
      const bool buffer = g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform;
      return buffer && g.group == at->group && g.binding == at->binding;
    };
    while (std::ranges::any_of(program.globals, taken)) ++at->binding;
  }
  return add_global({.name = std::move(name),
                     .memory = memory,
                     .access = access,
                     .type = type,
                     .group = at->group,
                     .binding = at->binding},
                    where);
}

Ref ProgramBuilder::storage(std::string name, TypeId type, std::optional<BindingPoint> at,
                            Where where) {
  return state_->add_buffer(std::move(name), MemoryKind::storage, Access::read_write, type, at,
                            where);
}
Ref ProgramBuilder::storage_read(std::string name, TypeId type, std::optional<BindingPoint> at,
                                 Where where) {
  return state_->add_buffer(std::move(name), MemoryKind::storage, Access::read, type, at, where);
}
Ref ProgramBuilder::uniform(std::string name, TypeId type, std::optional<BindingPoint> at,
                            Where where) {
  return state_->add_buffer(std::move(name), MemoryKind::uniform, Access::read, type, at, where);
}
Ref ProgramBuilder::workgroup(std::string name, TypeId type, Where where) {
  return state_->add_global({.name = std::move(name),
                             .memory = MemoryKind::workgroup,
                             .access = Access::read_write,
                             .type = type},
                            where);
}
Ref ProgramBuilder::private_(std::string name, TypeId type, Where where) {
  return state_->add_global({.name = std::move(name),
                             .memory = MemoryKind::private_,
                             .access = Access::read_write,
                             .type = type},
                            where);
}
Ref ProgramBuilder::private_(std::string name, const Arg& initial) {
  const std::uint32_t value = state_->value_of(initial);
  return state_->add_global({.name = std::move(name),
                             .memory = MemoryKind::private_,
                             .access = Access::read_write,
                             .type = state_->type(value),
                             .initial = state_->use_constant(value, initial.where)},
                            initial.where);
}

// ---- Overrides ----

Value ProgramBuilder::override_(std::string name, TypeId type, Where where) {
  const auto id = static_cast<OverrideId>(state_->program.overrides.size());
  state_->program.overrides.push_back(
      {.name = std::move(name), .id = {}, .type = type, .pos = state_->pos(where)});
  return state_->wrap(state_->leaf(type, OverrideExpr{id}));
}
Value ProgramBuilder::override_(std::string name, TypeId type, const Arg& initial,
                                std::optional<std::uint16_t> id) {
  const ExprId value = state_->use_constant(state_->value_of(initial, type), initial.where);
  const Value out = override_(std::move(name), type, initial.where);
  state_->program.overrides.back().initial = value;
  state_->program.overrides.back().id = id;
  return out;
}
void ProgramBuilder::workgroup_size(std::size_t axis, const Arg& size) {
  if (axis >= 3) {
    state_->error(size.where, fmt::format("a workgroup has no axis {}", axis));
    return;
  }
  const std::uint32_t value = state_->value_of(size, u32);
  state_->program.workgroup_exprs[axis] = state_->use_constant(value, size.where);
}

// ---- Ids ----

Value BuilderState::invocation_id(InvocationIdKind kind) {
  const TypeId type = kind == InvocationIdKind::local_invocation_index
                          ? program.types.scalar(ScalarKind::u32)
                          : program.types.vector(ScalarKind::u32, 3);
  return wrap(leaf(type, InvocationIdExpr{kind}));
}
Value ProgramBuilder::global_id() {
  return state_->invocation_id(InvocationIdKind::global_invocation);
}
Value ProgramBuilder::local_id() {
  return state_->invocation_id(InvocationIdKind::local_invocation);
}
Value ProgramBuilder::local_index() {
  return state_->invocation_id(InvocationIdKind::local_invocation_index);
}
Value ProgramBuilder::workgroup_id() { return state_->invocation_id(InvocationIdKind::workgroup); }
Value ProgramBuilder::workgroup_count() {
  return state_->invocation_id(InvocationIdKind::workgroup_count);
}

// ---- Functions ----

FunctionId ProgramBuilder::function(std::string name, TypeId result,
                                    const std::vector<Field>& parameters,
                                    const std::function<void(std::span<const Value>)>& body,
                                    Where where) {
  state_->open_function(std::move(name), result, where);
  std::vector<Value> values;
  for (const Field& p : parameters) {
    const LocalId id = state_->local(p.name, LocalKind::parameter, p.type, where);
    values.push_back(state_->wrap(state_->scoped_leaf(p.type, LocalExpr{id})));
  }
  state_->function().parameters = static_cast<std::uint32_t>(parameters.size());
  if (body) body(values);
  return state_->close_function();
}

std::vector<FunctionId> ProgramBuilder::copy_functions(const Program& from,
                                                       std::span<const FunctionId> functions) {
  ProgramCopy copy(from, state_->program);
  std::vector<FunctionId> out;
  for (const FunctionId id : functions) out.push_back(copy.function(id));
  return out;
}

Value ProgramBuilder::call(FunctionId function, std::initializer_list<Arg> arguments, Where where) {
  return state_->wrap(state_->call(function, {arguments.begin(), arguments.size()}, where));
}

std::uint32_t BuilderState::call(FunctionId id, std::span<const Arg> arguments, Where where) {
  if (static_cast<std::size_t>(id) >= program.functions.size()) {
    error(where, "a call of a function that is not written yet");
    return 0;
  }
  const std::uint32_t wanted = program[id].parameters;
  if (arguments.size() != wanted) {
    error(where, fmt::format("'{}' takes {} arguments, not {}", program[id].name, wanted,
                             arguments.size()));
    return 0;
  }
  std::vector<ExprId> exprs;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TypeId parameter = program[id].locals[i].type;
    const auto* ref = std::get_if<Ref>(&arguments[i].what);
    const bool by_pointer =
        ref != nullptr && program.types.get_if<PointerType>(parameter) != nullptr;
    const std::uint32_t value =
        by_pointer ? address(ref->id_, arguments[i].where) : value_of(arguments[i], parameter);
    if (value == 0) return 0;
    if (type(value) != parameter) {
      error(arguments[i].where,
            fmt::format("argument {} of '{}' is {}, not {}", i + 1, program[id].name,
                        program.types.spell(parameter), program.types.spell(type(value))));
      return 0;
    }
    exprs.push_back(use(value, arguments[i].where));
  }
  CallStmt node{id, writer_.list(exprs), kNoLocal};
  std::uint32_t result = 0;
  if (program[id].result != program.types.void_type()) {
    result = result_local(program[id].result, where, node.result);
  }
  stmt(node, where, true);
  return result;
}

// ---- The end ----

Result<Program> ProgramBuilder::build() && {
  state_->program.entry = state_->close_function();
  std::vector<std::string> errors = std::move(state_->errors);
  if (errors.empty()) {
    for (const ProgramIssue& issue : validate(state_->program)) {
      errors.push_back(locate(state_->program, issue.pos, issue.what));
      for (const ProgramNote& note : issue.notes) {
        errors.back() += "\n  " + locate(state_->program, note.pos, note.what);
      }
    }
  }
  if (errors.empty()) return std::move(state_->program);
  std::string what = fmt::format("program '{}' has {} error{}", state_->program.name, errors.size(),
                                 errors.size() == 1 ? "" : "s");
  for (const std::string& error : errors) what += "\n" + error;
  return fail(Code::invalid_input, std::move(what));
}

}  // namespace vyre
