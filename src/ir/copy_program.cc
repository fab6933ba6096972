#include "vyre/ir/copy_program.h"

#include <utility>

#include "vyre/base/overloaded.h"
#include "vyre/ir/copy_nodes.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

}  // namespace

ProgramCopy::ProgramCopy(const Program& from, Program& to)
    : from_(from),
      to_(to),
      writer_(to),
      types_(from.types.size()),
      overrides_(from.overrides.size()),
      globals_(from.globals.size()),
      functions_(from.functions.size()) {}

TypeId ProgramCopy::type(TypeId id) {
  if (types_[index(id)]) return *types_[index(id)];
  Type copy = from_.types[id];
  if (auto* array = std::get_if<ArrayType>(&copy)) {
    array->element = type(array->element);
    if (array->count_expr != kNoExpr) array->count_expr = count(array->count_expr);
  } else if (auto* buffer = std::get_if<BufferType>(&copy)) {
    if (buffer->bytes_expr != kNoExpr) buffer->bytes_expr = count(buffer->bytes_expr);
  } else if (auto* pointer = std::get_if<PointerType>(&copy)) {
    pointer->pointee = type(pointer->pointee);
  } else if (auto* structure = std::get_if<StructType>(&copy)) {
    for (Member& member : structure->members) member.type = type(member.type);
  }
  const TypeId mapped = to_.types.intern(copy);
  types_[index(id)] = mapped;
  return mapped;
}

// Arrays of one type share their count.
ExprId ProgramCopy::count(ExprId id) {
  const auto key = static_cast<std::uint32_t>(id);
  const auto known = counts_.find(key);
  if (known != counts_.end()) return known->second;
  const ExprId copy = expr(id);
  counts_.emplace(key, copy);
  return copy;
}

ConstantId ProgramCopy::constant(ConstantId id) {
  const auto key = static_cast<std::uint32_t>(id);
  const auto known = constants_.find(key);
  if (known != constants_.end()) return known->second;
  Constant copy = from_[id];
  copy.type = type(copy.type);
  const auto mapped = static_cast<ConstantId>(to_.constants.size());
  to_.constants.push_back(std::move(copy));
  constants_.emplace(key, mapped);
  return mapped;
}

OverrideId ProgramCopy::override_(OverrideId id) {
  if (overrides_[index(id)]) return *overrides_[index(id)];
  Override copy = from_[id];
  copy.type = type(copy.type);
  copy.initial = maybe(copy.initial);
  const auto mapped = static_cast<OverrideId>(to_.overrides.size());
  to_.overrides.push_back(std::move(copy));
  overrides_[index(id)] = mapped;
  return mapped;
}

GlobalId ProgramCopy::global(GlobalId id) {
  if (globals_[index(id)]) return *globals_[index(id)];
  Global copy = from_[id];
  copy.type = type(copy.type);
  copy.initial = maybe(copy.initial);
  const auto mapped = static_cast<GlobalId>(to_.globals.size());
  to_.globals.push_back(std::move(copy));
  globals_[index(id)] = mapped;
  return mapped;
}

void ProgramCopy::use_global(GlobalId id, GlobalId known) { globals_[index(id)] = known; }

FunctionId ProgramCopy::function(FunctionId id) {
  if (functions_[index(id)]) return *functions_[index(id)];
  const Function& original = from_[id];
  for_each_stmt(from_, original.body, [&](StmtId stmt) {
    if (const auto* call = std::get_if<CallStmt>(&from_[stmt].node)) function(call->callee);
  });
  Function copy;
  copy.name = original.name;
  copy.result = type(original.result);
  copy.parameters = original.parameters;
  copy.pos = original.pos;
  for (const Local& l : original.locals) {
    copy.locals.push_back({l.name, l.kind, type(l.type), l.pos});
  }
  copy.body = block(original.body);
  const auto mapped = static_cast<FunctionId>(to_.functions.size());
  to_.functions.push_back(std::move(copy));
  functions_[index(id)] = mapped;
  return mapped;
}

ExprId ProgramCopy::expr(ExprId id) {
  const Expr& original = from_[id];
  ExprNode node =
      with_operands(from_, writer_, original.node, [&](ExprId operand) { return expr(operand); });
  if (auto* e = std::get_if<ConstantExpr>(&node)) e->id = constant(e->id);
  if (auto* e = std::get_if<OverrideExpr>(&node)) e->id = override_(e->id);
  if (auto* e = std::get_if<GlobalPtrExpr>(&node)) e->id = global(e->id);
  if (auto* e = std::get_if<LocalExpr>(&node)) e->id = local(e->id);
  if (auto* e = std::get_if<LocalPtrExpr>(&node)) e->id = local(e->id);
  const TypeId mapped = type(original.type);
  writer_.pos = original.pos;
  return writer_.expr(mapped, node);
}

Block ProgramCopy::block(Block original) {
  writer_.open();
  statements(original);
  return writer_.close();
}

void ProgramCopy::statements(Block original) {
  for (const StmtId id : from_.block(original)) stmt(from_[id]);
}

void ProgramCopy::stmt(const Stmt& original) {
  StmtNode node = original.node;
  std::visit(Overloaded{
                 [&](LetStmt& s) {
                   s.value = expr(s.value);
                   s.local = local(s.local);
                 },
                 [&](VarStmt& s) {
                   s.initial = maybe(s.initial);
                   s.local = local(s.local);
                 },
                 [&](StoreStmt& s) {
                   s.pointer = expr(s.pointer);
                   s.value = expr(s.value);
                 },
                 [&](IfStmt& s) {
                   s.condition = expr(s.condition);
                   s.then = block(s.then);
                   s.otherwise = block(s.otherwise);
                 },
                 [&](LoopStmt& s) {
                   s.body = block(s.body);
                   s.continuing = block(s.continuing);
                   s.break_if = maybe(s.break_if);
                 },
                 [&](SwitchStmt& s) { switch_cases(s); },
                 [](BreakStmt&) {},
                 [](ContinueStmt&) {},
                 [&](ReturnStmt& s) { s.value = maybe(s.value); },
                 [](BarrierStmt&) {},
                 [&](UniformLoadStmt& s) {
                   s.pointer = expr(s.pointer);
                   s.result = local(s.result);
                 },
                 [&](AtomicStmt& s) {
                   s.pointer = expr(s.pointer);
                   s.compare = maybe(s.compare);
                   s.value = maybe(s.value);
                   s.result = maybe(s.result);
                 },
                 [&](SubgroupStmt& s) {
                   s.value = maybe(s.value);
                   s.lane = maybe(s.lane);
                   s.result = local(s.result);
                 },
                 [&](CallStmt& s) {
                   std::vector<ExprId> arguments;
                   for (const ExprId id : from_.list(s.arguments)) arguments.push_back(expr(id));
                   s.arguments = writer_.list(arguments);
                   s.callee = function(s.callee);
                   s.result = maybe(s.result);
                 },
             },
             node);
  writer_.pos = original.pos;
  writer_.stmt(node);
}

void ProgramCopy::switch_cases(SwitchStmt& s) {
  s.selector = expr(s.selector);
  std::vector<SwitchCase> cases;
  for (const SwitchCase& original : from_.cases(s)) {
    cases.push_back({original.values, original.is_default, block(original.body)});
  }
  s.first_case = static_cast<std::uint32_t>(to_.switch_cases.size());
  for (SwitchCase& c : cases) to_.switch_cases.push_back(std::move(c));
}

}  // namespace vyre
