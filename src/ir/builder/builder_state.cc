#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/arithmetic.h"
#include "vyre/ir/builder/builder_internal.h"
#include "vyre/ir/validate/validate_internal.h"
#include "vyre/ir/walk.h"

namespace vyre {

BuilderState::BuilderState(std::string name, Extent workgroup, Where where)
    : writer_(program), file_(where.file_name()), values_(1), places_(1) {
  program.name = std::move(name);
  program.workgroup = workgroup;
  program.source_name = file_;
  open_function(program.name, program.types.void_type(), where);
}

void BuilderState::error(Where where, const std::string& what) {
  errors.push_back(fmt::format("{}:{}: {}", where.file_name(), where.line(), what));
}

SourcePos BuilderState::pos(Where where) const {
  if (file_ != where.file_name()) return {};
  return {where.line(), where.column()};
}

// ---- Values ----

BuilderState* BuilderState::state_of(const Arg& arg) {
  if (const auto* value = std::get_if<Value>(&arg.what)) return value->state_;
  if (const auto* ref = std::get_if<Ref>(&arg.what)) return ref->state_;
  return nullptr;
}

std::uint32_t BuilderState::add_value(ValueInfo info) {
  info.when = ++now_;
  info.effects = effects_;
  values_.push_back(info);
  return static_cast<std::uint32_t>(values_.size() - 1);
}

std::uint32_t BuilderState::leaf(TypeId type, ExprNode node) {
  const bool constant = std::holds_alternative<ConstantExpr>(node) ||
                        std::holds_alternative<ZeroExpr>(node) ||
                        std::holds_alternative<OverrideExpr>(node);
  return add_value({.type = type,
                    .expr = writer_.expr(type, node),
                    .leaf = true,
                    .constant = constant,
                    .frame = kAnywhere});
}

std::uint32_t BuilderState::scoped_leaf(TypeId type, ExprNode node) {
  return add_value(
      {.type = type, .expr = writer_.expr(type, node), .leaf = true, .frame = frame().id});
}

std::uint32_t BuilderState::computed(TypeId type, ExprNode node,
                                     std::initializer_list<std::uint32_t> operands, Where where) {
  return computed(type, node, std::span(operands.begin(), operands.size()), where);
}

std::uint32_t BuilderState::computed(TypeId type, ExprNode node,
                                     std::span<const std::uint32_t> operands, Where where) {
  writer_.pos = pos(where);
  ValueInfo info{.type = type, .expr = writer_.expr(type, node)};
  info.constant =
      !std::holds_alternative<LoadExpr>(node) && !std::holds_alternative<ArrayLengthExpr>(node);
  for (const std::uint32_t operand : operands) {
    const ValueInfo& from = values_[operand];
    info.constant = info.constant && from.constant;
    info.reads = info.reads || from.reads;
    info.nodes = saturating_add(info.nodes, from.nodes);
  }
  info.constant = info.constant && info.nodes <= kMaxConstantNodes;
  info.frame = info.constant ? kAnywhere : frame().id;
  const ExprRule rule = rule_of(program, program[info.expr], nullptr);
  if (!rule.type) {
    error(where, rule.issue);
    return 0;
  }
  if (*rule.type != type) {
    error(where, fmt::format("the result is {}, not {}", program.types.spell(*rule.type),
                             program.types.spell(type)));
    return 0;
  }
  if (const auto* load = std::get_if<LoadExpr>(&node)) {
    const auto* p = program.types.get_if<PointerType>(program[load->pointer].type);
    info.reads = info.reads || p->access != Access::read;
  }
  return add_value(info);
}

BuilderState::Frame* BuilderState::find_frame(std::uint32_t id) {
  for (Frame& frame : functions_.back().frames) {
    if (frame.id == id) return &frame;
  }
  return nullptr;
}

ExprId BuilderState::copy_tree(ExprId id) {
  const Expr from = program[id];
  ExprNode node = from.node;
  const auto copy = [&](ExprId& operand) { operand = copy_tree(operand); };
  const auto copy_list = [&](ExprRange& range) {
    std::vector<ExprId> ids;
    for (const ExprId part :
         std::vector<ExprId>(program.list(range).begin(), program.list(range).end())) {
      ids.push_back(copy_tree(part));
    }
    range = writer_.list(ids);
  };
  std::visit(Overloaded{
                 [&](UnaryExpr& e) { copy(e.operand); },
                 [&](BinaryExpr& e) {
                   copy(e.left);
                   copy(e.right);
                 },
                 [&](SelectExpr& e) {
                   copy(e.on_false);
                   copy(e.on_true);
                   copy(e.condition);
                 },
                 [&](ConvertExpr& e) { copy(e.value); },
                 [&](BitcastExpr& e) { copy(e.value); },
                 [&](SplatExpr& e) { copy(e.scalar); },
                 [&](SwizzleExpr& e) { copy(e.vector); },
                 [&](MemberExpr& e) { copy(e.base); },
                 [&](IndexExpr& e) {
                   copy(e.base);
                   copy(e.index);
                 },
                 [&](ConstructExpr& e) { copy_list(e.parts); },
                 [&](MathExpr& e) { copy_list(e.arguments); },
                 [](auto&) {},
             },
             node);
  writer_.pos = from.pos;
  return writer_.expr(from.type, node);
}

// Inserts a let where the value was made, and replaces earlier uses of the value by it.
void BuilderState::make_let(ValueInfo& info, Frame& at) {
  const Expr expr = program[info.expr];
  const auto id = static_cast<LocalId>(function().locals.size());
  function().locals.push_back({"", LocalKind::let, info.type, expr.pos});
  writer_.pos = expr.pos;
  const ExprId moved = writer_.expr(info.type, expr.node);
  program[info.expr].node = LocalExpr{id};
  const auto after = std::ranges::upper_bound(at.stmts, info.when, {},
                                              [](const auto& entry) { return entry.first; });
  at.stmts.insert(after, {info.when, writer_.stmt(LetStmt{id, moved})});
  info.leaf = true;
}

ExprId BuilderState::use(std::uint32_t value, Where where) {
  if (value == 0) return leaf_expr_of_error(program.types.scalar(ScalarKind::u32));
  ValueInfo& info = values_[value];
  Frame* made_in = info.frame == kAnywhere ? nullptr : find_frame(info.frame);
  if (info.frame != kAnywhere && made_in == nullptr) {
    error(where, "a value is used outside of the block or function it was made in");
    return leaf_expr_of_error(info.type);
  }
  if (info.constant) return copy_tree(info.expr);
  if (!info.leaf) {
    const bool here = made_in == &frame();
    const bool unchanged = !info.reads || info.effects == effects_;
    if (!info.used && here && unchanged) {
      info.used = true;
      return info.expr;
    }
    make_let(info, *made_in);
  }
  const Expr expr = program[info.expr];
  writer_.pos = pos(where);
  return writer_.expr(expr.type, expr.node);
}

// A placeholder after an error, so that building can continue.
ExprId BuilderState::leaf_expr_of_error(TypeId type) { return writer_.expr(type, ZeroExpr{}); }

ExprId BuilderState::use_constant(std::uint32_t value, Where where) {
  if (value == 0) return leaf_expr_of_error(program.types.scalar(ScalarKind::u32));
  if (!values_[value].constant) {
    error(where, "only constants and overrides can be used here");
    return leaf_expr_of_error(values_[value].type);
  }
  return copy_tree(values_[value].expr);
}

// ---- Places ----

std::uint32_t BuilderState::add_place(Place place) {
  places_.push_back(place);
  return static_cast<std::uint32_t>(places_.size() - 1);
}

std::uint32_t BuilderState::member_place(std::uint32_t base, std::string_view name, Where where) {
  if (base == 0) return 0;
  Place part = places_[base];
  const auto* s = program.types.get_if<StructType>(part.type);
  for (std::uint32_t i = 0; s != nullptr && i < s->members.size(); ++i) {
    if (s->members[i].name != name) continue;
    part.where = where;
    part.kind = Place::Kind::member;
    part.base = base;
    part.member = i;
    part.type = s->members[i].type;
    return add_place(part);
  }
  error(where, fmt::format("{} has no member '{}'", program.types.spell(part.type), name));
  return 0;
}

std::uint32_t BuilderState::index_place(std::uint32_t base, const Arg& index) {
  const std::uint32_t at = value_of(index, program.types.scalar(ScalarKind::u32));
  if (base == 0 || at == 0) return 0;
  Place part = places_[base];
  const Type& type = program.types[part.type];
  if (!std::holds_alternative<ArrayType>(type) && !std::holds_alternative<VectorType>(type) &&
      !std::holds_alternative<MatrixType>(type)) {
    error(index.where, fmt::format("{} cannot be indexed", program.types.spell(part.type)));
    return 0;
  }
  part.where = index.where;
  part.kind = Place::Kind::index;
  part.base = base;
  part.value = at;
  part.type = program.types.component(part.type);
  return add_place(part);
}

ExprId BuilderState::pointer_expr(std::uint32_t id, Where where) {
  const Place place = places_[id];
  const TypeId type = pointer_type(place);
  writer_.pos = pos(where);
  switch (place.kind) {
    case Place::Kind::bad: break;
    case Place::Kind::global: return writer_.expr(type, GlobalPtrExpr{place.global});
    case Place::Kind::local:
      if (find_frame(place.frame) == nullptr) {
        error(where, "a variable is used outside of the block or function it was made in");
      }
      return writer_.expr(type, LocalPtrExpr{place.local});
    case Place::Kind::pointer: return use(place.value, where);
    case Place::Kind::member: {
      const ExprId base = pointer_expr(place.base, where);
      return writer_.expr(type, MemberExpr{base, place.member});
    }
    case Place::Kind::index: {
      const ExprId base = pointer_expr(place.base, where);
      const ExprId index = use(place.value, where);
      return writer_.expr(type, IndexExpr{base, index});
    }
  }
  return leaf_expr_of_error(type);
}

std::vector<std::uint32_t> BuilderState::indices_of(std::uint32_t id) const {
  std::vector<std::uint32_t> out;
  for (; places_[id].base != 0; id = places_[id].base) {
    if (places_[id].kind == Place::Kind::index) out.push_back(places_[id].value);
  }
  return out;
}

std::uint32_t BuilderState::load(std::uint32_t id, Where where) {
  if (id == 0) return 0;
  const TypeId type = places_[id].type;
  return computed(type, LoadExpr{pointer_expr(id, where)}, indices_of(id), where);
}

std::uint32_t BuilderState::length(std::uint32_t id, Where where) {
  if (id == 0) return 0;
  const TypeId type = program.types.scalar(ScalarKind::u32);
  return computed(type, ArrayLengthExpr{pointer_expr(id, where)}, indices_of(id), where);
}

// A pointer is a value that determines its place.
std::uint32_t BuilderState::address(std::uint32_t id, Where where) {
  if (id == 0) return 0;
  const Place& place = places_[id];
  if (place.kind == Place::Kind::pointer) return place.value;
  ValueInfo info{.type = pointer_type(place), .expr = pointer_expr(id, where)};
  info.frame = frame().id;
  for (const std::uint32_t index : indices_of(id)) info.reads = info.reads || values_[index].reads;
  return add_value(info);
}

void BuilderState::store(std::uint32_t id, const Arg& value) {
  if (id == 0) return;
  const Place place = places_[id];
  const std::uint32_t stored = value_of(value, place.type);
  if (stored == 0) return;
  if (place.access == Access::read) {
    error(value.where, "a store to memory that can only be read");
    return;
  }
  if (type(stored) != place.type) {
    error(value.where, fmt::format("a store of {} to {}", program.types.spell(type(stored)),
                                   program.types.spell(place.type)));
    return;
  }
  const ExprId pointer = pointer_expr(id, value.where);
  stmt(StoreStmt{pointer, use(stored, value.where)}, value.where, true);
}

// ---- Statements ----

void BuilderState::stmt(StmtNode node, Where where, bool effect) {
  writer_.pos = pos(where);
  frame().stmts.emplace_back(++now_, writer_.stmt(node));
  if (effect) ++effects_;
}

LocalId BuilderState::local(std::string name, LocalKind kind, TypeId type, Where where) {
  function().locals.push_back({std::move(name), kind, type, pos(where)});
  return static_cast<LocalId>(function().locals.size() - 1);
}

std::uint32_t BuilderState::result_local(TypeId type, Where where, LocalId& id) {
  id = local("", LocalKind::let, type, where);
  return scoped_leaf(type, LocalExpr{id});
}

void BuilderState::open() { functions_.back().frames.push_back({next_frame_++, {}}); }

Block BuilderState::close() {
  const Frame done = std::move(frame());
  functions_.back().frames.pop_back();
  const Block out{static_cast<std::uint32_t>(program.block_stmts.size()),
                  static_cast<std::uint32_t>(done.stmts.size())};
  for (const auto& [when, id] : done.stmts) program.block_stmts.push_back(id);
  return out;
}

Block BuilderState::block(const Body& body) {
  open();
  if (body) body();
  return close();
}

void BuilderState::open_function(std::string name, TypeId result, Where where) {
  OpenFunction opened;
  opened.function.name = std::move(name);
  opened.function.result = result;
  opened.function.pos = pos(where);
  functions_.push_back(std::move(opened));
  open();
}

FunctionId BuilderState::close_function() {
  function().body = close();
  program.functions.push_back(std::move(function()));
  functions_.pop_back();
  return static_cast<FunctionId>(program.functions.size() - 1);
}

}  // namespace vyre
