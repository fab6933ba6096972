// Parts of composites: indices and members, of values and of memory.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_features.h"
#include "vyre/wgsl/sema/sema_memory.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_swizzle.h"

namespace vyre::sema {
namespace {

// Pointers to composites are accessed like the composites themselves.
Value check_object(Context& cx, const ast::Expr& expr) {
  Value object = check(cx, expr);
  if (object.kind == Value::Kind::none) {
    cx.error(expr.span, "this function returns nothing; a value is needed here");
    return failed(expr.span);
  }
  const bool pointer = !object.failed() && cx.types().get_if<PointerType>(object.type) != nullptr;
  if (!pointer) return object;
  note_feature(cx, "pointer_composite_access");
  return dereference(cx, load(cx, std::move(object)), expr.span);
}

bool is_indexable(const Context& cx, TypeId type) {
  return cx.types().get_if<VectorType>(type) != nullptr ||
         cx.types().get_if<MatrixType>(type) != nullptr ||
         cx.types().get_if<ArrayType>(type) != nullptr;
}

std::optional<ScalarKind> index_kind(Context& cx, const Value& index) {
  if (index.failed()) return std::nullopt;
  const auto* scalar = cx.types().get_if<ScalarType>(index.type);
  if (scalar != nullptr && is_integer(scalar->kind)) return scalar->kind;
  cx.error(index.span, fmt::format("an index is i32 or u32; this is {}", cx.spell(index.type)));
  return std::nullopt;
}

// Sizes that are not known now (run-time and override-sized arrays) only exclude negative indices.
bool check_bounds(Context& cx, TypeId composite, std::int64_t index, Span span) {
  const std::uint32_t count = cx.types().component_count(composite);
  if (index >= 0 && (count == 0 || index < count)) return true;
  if (cx.unevaluated) return false;
  if (count == 0) {
    cx.error(span, fmt::format("index {} is negative", index));
  } else {
    cx.error(span, fmt::format("index {} is outside {}: the last is {}", index, cx.spell(composite),
                               count - 1));
  }
  return false;
}

Value index_value(Context& cx, const Value& object, const Value& index, std::uint32_t at,
                  Span span) {
  if (index.is_constant()) {
    if (object.is_constant()) return constant_component(cx, object, at, span);
    if (cx.types().get_if<VectorType>(object.type) != nullptr) {
      const auto lane = static_cast<std::uint8_t>(at);
      return swizzle(cx, object, {&lane, 1}, span);
    }
  }
  const TypeId part = cx.types().component(object.type);
  const ExprId base = emit(cx, object);
  const ExprId chosen = emit(cx, index);
  return computed(cx, part, IndexExpr{base, chosen}, later(object.phase, index.phase),
                  object.reads || index.reads, span);
}

std::optional<std::uint32_t> find_member(Context& cx, TypeId type, const ast::Name& name) {
  const auto& structure = std::get<StructType>(cx.types()[type]);
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; i < structure.members.size(); ++i) {
    if (structure.members[i].name == name.text) return i;
    names.push_back(structure.members[i].name);
  }
  const std::string_view near = closest(name.text, names);
  cx.error(name.span, near.empty() ? fmt::format("{} has no member '{}'", structure.name, name.text)
                                   : fmt::format("{} has no member '{}'; did you mean '{}'?",
                                                 structure.name, name.text, near));
  return std::nullopt;
}

Value struct_member(Context& cx, const Value& object, const ast::Name& name, Span span) {
  const auto member = find_member(cx, object.type, name);
  if (!member) return failed(span);
  const TypeId part = cx.types().component(object.type, *member);
  if (object.is_reference()) {
    return view_of_part(cx, object, part, MemberExpr{object.expr, *member}, object.reads, span);
  }
  if (object.is_constant()) return constant_component(cx, object, *member, span);
  // A member of a struct that is constructed here is the value it was constructed from. A struct
  // with a run-time value has no members that are known once overrides have values.
  if (const auto* made = std::get_if<ConstructExpr>(&cx.program[object.expr].node);
      made != nullptr && (object.phase != Phase::runtime ||
                          !mentions_override(cx, cx.program.list(made->parts)[*member]))) {
    Value v = object;
    v.type = part;
    v.expr = cx.program.list(made->parts)[*member];
    v.span = span;
    return v;
  }
  return computed(cx, part, MemberExpr{object.expr, *member}, object.phase, object.reads, span);
}

}  // namespace

Value view_of_part(Context& cx, const Value& object, TypeId part, ExprNode node, bool reads,
                   Span span) {
  const TypeId pointer = cx.types().pointer(object.memory, part, object.access);
  Value v = computed(cx, part, node, Phase::runtime, reads, span);
  cx.program[v.expr].type = pointer;
  v.kind = Value::Kind::reference;
  v.memory = object.memory;
  v.access = object.access;
  v.root = object.root;
  v.vector_component = cx.types().get_if<VectorType>(object.type) != nullptr;
  return v;
}

Value check_index(Context& cx, const ast::Expr& expr, const ast::Index& node) {
  Value object = check_object(cx, *node.object);
  if (object.is_swizzle()) object = load(cx, std::move(object));
  Value index;
  {
    const Hold hold(cx, object);
    index = check_value(cx, *node.index);
  }
  const auto kind = index_kind(cx, index);
  if (object.failed() || !kind) return failed(expr.span);
  if (!is_indexable(cx, object.type)) {
    cx.error(expr.span, fmt::format("{} cannot be indexed", cx.spell(object.type)));
    return failed(expr.span);
  }
  std::int64_t at = 0;
  if (index.is_constant()) {
    at = Scalar{*kind, index.bits()}.as_int();
    if (!check_bounds(cx, object.type, at, index.span)) {
      if (!cx.unevaluated) return failed(expr.span);
      at = 0;
      index = make_zero(index.type, index.span);
    }
  } else {
    object = concretize(cx, std::move(object));
    if (object.failed()) return failed(expr.span);
  }
  // An index beyond 32 bits can only have passed where the size is unknown.
  index = concretize(cx, std::move(index));
  if (index.failed()) return failed(expr.span);
  if (!object.is_reference()) {
    return index_value(cx, object, index, static_cast<std::uint32_t>(at), expr.span);
  }
  const TypeId part = cx.types().component(object.type);
  const ExprId chosen = emit(cx, index);
  return view_of_part(cx, object, part, IndexExpr{object.expr, chosen}, object.reads || index.reads,
                      expr.span);
}

Value check_member(Context& cx, const ast::Expr& expr, const ast::Member& node) {
  const Value object = check_object(cx, *node.object);
  if (object.failed()) return failed(expr.span);
  if (cx.types().get_if<StructType>(object.type) != nullptr) {
    return struct_member(cx, object, node.member, expr.span);
  }
  if (cx.types().get_if<VectorType>(object.type) != nullptr) {
    return vector_member(cx, object, node.member, expr.span);
  }
  cx.error(node.member.span, fmt::format("{} has no members", cx.spell(object.type)));
  return failed(expr.span);
}

}  // namespace vyre::sema
