#include "vyre/wgsl/sema/sema_memory.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "vyre/ir/copy_nodes.h"
#include "vyre/ir/walk.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_swizzle.h"

namespace vyre::sema {
namespace {

// Small trees without loads, which are cheaper to compute again than to store.
bool is_cheap(const Program& program, ExprId id) {
  const ExprNode& node = program[id].node;
  if (const auto* swizzle = std::get_if<SwizzleExpr>(&node)) {
    return is_cheap(program, swizzle->vector);
  }
  return std::holds_alternative<ConstantExpr>(node) || std::holds_alternative<LocalExpr>(node) ||
         std::holds_alternative<OverrideExpr>(node) ||
         std::holds_alternative<InvocationIdExpr>(node);
}

bool has_load(const Program& program, ExprId id) {
  bool found = false;
  for_each_subexpr(program, id, [&](ExprId part) {
    found = found || std::holds_alternative<LoadExpr>(program[part].node);
  });
  return found;
}

// Whether the value is known once overrides have values.
bool is_known_early(const Program& program, ExprId id) {
  bool known = true;
  for_each_subexpr(program, id, [&](ExprId part) {
    const ExprNode& node = program[part].node;
    known = known && !std::holds_alternative<LocalExpr>(node) &&
            !std::holds_alternative<LoadExpr>(node) &&
            !std::holds_alternative<InvocationIdExpr>(node) &&
            !std::holds_alternative<ArrayLengthExpr>(node);
  });
  return known;
}

// A number on which an access depends: an index, or the place of a view.
struct NumberAt {
  ExprId access;
  ExprId IndexExpr::* index = nullptr;
  ExprId ViewExpr::* place = nullptr;
};
ExprId& number_at(Program& program, const NumberAt& at) {
  ExprNode& node = program[at.access].node;
  return at.index != nullptr ? std::get<IndexExpr>(node).*at.index
                             : std::get<ViewExpr>(node).*at.place;
}

// Replaces the numbers of a chain of accesses for which `chosen` holds by lets, outermost object
// first.
template <class F>
void freeze_indices(Context& cx, ExprId chain, F&& chosen) {
  std::vector<NumberAt> numbers;
  for (ExprId at = chain;;) {
    const ExprNode& node = cx.program[at].node;
    if (const auto* member = std::get_if<MemberExpr>(&node)) {
      at = member->base;
    } else if (const auto* index = std::get_if<IndexExpr>(&node)) {
      numbers.push_back({.access = at, .index = &IndexExpr::index});
      at = index->base;
    } else if (const auto* view = std::get_if<ViewExpr>(&node)) {
      if (view->size != kNoExpr) numbers.push_back({.access = at, .place = &ViewExpr::size});
      numbers.push_back({.access = at, .place = &ViewExpr::offset});
      at = view->buffer;
    } else {
      break;
    }
  }
  for (auto at = numbers.rbegin(); at != numbers.rend(); ++at) {
    const ExprId number = number_at(cx.program, *at);
    if (!chosen(number)) continue;
    const Expr old = cx.program[number];
    cx.writer.pos = old.pos;
    const LocalId local{static_cast<std::uint32_t>(cx.body->function.locals.size())};
    cx.body->function.locals.push_back({"index", LocalKind::let, old.type, old.pos});
    cx.writer.stmt(LetStmt{local, number});
    const ExprId use = cx.writer.expr(old.type, LocalExpr{local});
    number_at(cx.program, *at) = use;
  }
}

bool is_view(const Context& cx, const Value& value) {
  return value.is_reference() || value.is_swizzle() ||
         cx.types().get_if<PointerType>(value.type) != nullptr;
}

}  // namespace

Hold::Hold(Context& cx, Value& value) : cx_(cx) {
  if (cx.body != nullptr) cx.body->pending.push_back(&value);
}

Hold::~Hold() {
  if (cx_.body != nullptr) cx_.body->pending.pop_back();
}

void flush(Context& cx) {
  Body& body = *cx.body;
  for (std::size_t i = body.pending_base; i < body.pending.size(); ++i) spill(cx, *body.pending[i]);
}

void spill(Context& cx, Value& value) {
  if (value.failed() || !value.reads) return;
  if (is_view(cx, value)) {
    freeze_indices(cx, value.expr, [&](ExprId index) { return has_load(cx.program, index); });
    value.reads = false;
    return;
  }
  const Span span = value.span;
  value = emit_let(cx, "value", value);
  value.span = span;
}

void freeze(Context& cx, Value& view) {
  if (view.failed() || cx.body == nullptr) return;
  freeze_indices(cx, view.expr, [&](ExprId index) {
    return !is_cheap(cx.program, index) && !is_known_early(cx.program, index);
  });
  view.reads = false;
}

ExprId clone(Context& cx, ExprId tree, Span span) {
  const Expr original = cx.program[tree];
  const ExprNode node = with_operands(cx.program, cx.writer, original.node,
                                      [&](ExprId operand) { return clone(cx, operand, span); });
  cx.at(span);
  return cx.writer.expr(original.type, node);
}

LocalId new_local(Context& cx, std::string_view name, LocalKind kind, TypeId type, Span span) {
  cx.at(span);
  std::vector<Local>& locals = cx.body->function.locals;
  locals.push_back({std::string(name), kind, type, cx.writer.pos});
  return static_cast<LocalId>(locals.size() - 1);
}

LocalId new_result(Context& cx, std::string_view name, TypeId type, Span span) {
  const LocalId local = new_local(cx, name, LocalKind::let, type, span);
  cx.body->temporaries.insert(static_cast<std::uint32_t>(local));
  return local;
}

Value use_let(Context& cx, LocalId local, TypeId type, Span span) {
  return computed(cx, type, LocalExpr{local}, Phase::runtime, false, span);
}

Value emit_let(Context& cx, std::string_view name, const Value& value) {
  const ExprId expr = emit(cx, value);
  const LocalId local = new_local(cx, name, LocalKind::let, value.type, value.span);
  cx.writer.stmt(LetStmt{local, expr});
  return use_let(cx, local, value.type, value.span);
}

bool mentions_override(const Context& cx, ExprId tree) {
  const auto is_sized_late = [&](const IndexExpr& index) {
    const auto* pointer = cx.types().get_if<PointerType>(cx.program[index.base].type);
    const auto* array =
        pointer == nullptr ? nullptr : cx.types().get_if<ArrayType>(pointer->pointee);
    return array != nullptr && array->count_expr != kNoExpr;
  };
  bool found = false;
  for_each_subexpr(cx.program, tree, [&](ExprId part) {
    const auto* index = std::get_if<IndexExpr>(&cx.program[part].node);
    const auto* pointer = cx.types().get_if<PointerType>(cx.program[part].type);
    const auto* buffer =
        pointer == nullptr ? nullptr : cx.types().get_if<BufferType>(pointer->pointee);
    found = found || std::holds_alternative<OverrideExpr>(cx.program[part].node) ||
            (buffer != nullptr && buffer->bytes_expr != kNoExpr) ||
            (index != nullptr && is_sized_late(*index));
  });
  return found;
}

void keep_overrides(Context& cx, const Value& value) {
  if (value.expr == kNoExpr || !mentions_override(cx, value.expr)) return;
  const auto* pointer = cx.types().get_if<PointerType>(value.type);
  if (pointer == nullptr) {
    emit_let(cx, "unused", value);
  } else if (std::holds_alternative<ViewExpr>(cx.program[value.expr].node)) {
    Value view = value;
    view.expr = clone(cx, value.expr, value.span);
    emit_let(cx, "unused", view);
  } else if (cx.types().is_constructible(pointer->pointee) && pointer->access != Access::write) {
    const TypeId type = pointer->pointee;
    const ExprId copy = clone(cx, value.expr, value.span);
    emit_let(cx, "unused", computed(cx, type, LoadExpr{copy}, Phase::runtime, false, value.span));
  }
}

TypeId held_type(Context& cx, const Value& reference) {
  const auto* atomic = cx.types().get_if<AtomicType>(reference.type);
  return atomic == nullptr ? reference.type : cx.types().held(*atomic);
}

bool is_plain_atomic(Context& cx, const Value& reference) {
  const auto* type = cx.types().get_if<AtomicType>(reference.type);
  const bool atomic = type != nullptr && type->size == 1;
  if (!atomic || !cx.lenient || cx.body == nullptr) return false;
  cx.diagnostics
      .warning(reference.span,
               "an atomic is loaded or stored like a plain variable, which WGSL "
               "does not allow")
      .with_fix("use atomicLoad and atomicStore");
  return true;
}

void emit_plain_atomic(Context& cx, const Value& reference, ExprId value, LocalId result,
                       Span span) {
  const bool device = reference.memory == MemoryKind::storage;
  cx.at(span);
  cx.writer.stmt(AtomicStmt{.op = value == kNoExpr ? AtomicOp::load : AtomicOp::store,
                            .scope = device ? Scope::device : Scope::workgroup,
                            .order = Order::relaxed,
                            .pointer = reference.expr,
                            .value = value,
                            .result = result});
}

Value load(Context& cx, Value value) {
  if (value.is_swizzle()) return load_swizzle(cx, value);
  if (!value.is_reference()) return value;
  if (value.access == Access::write) {
    cx.error(value.span, "this memory is write-only and cannot be read");
    return failed(value.span);
  }
  if (is_plain_atomic(cx, value)) {
    note_read(cx, value.root);
    flush(cx);
    const TypeId type = held_type(cx, value);
    const LocalId result = new_result(cx, "old", type, value.span);
    emit_plain_atomic(cx, value, kNoExpr, result, value.span);
    return use_let(cx, result, type, value.span);
  }
  if (!cx.types().is_constructible(value.type)) {
    const bool atomic = cx.types().get_if<AtomicType>(value.type) != nullptr;
    Diagnostic& error = cx.error(
        value.span, fmt::format("a value of type {} cannot be loaded", cx.spell(value.type)));
    if (atomic) error.with_fix("use atomicLoad with a pointer: atomicLoad(&...)");
    return failed(value.span);
  }
  note_read(cx, value.root);
  const bool can_change = value.memory != MemoryKind::uniform && value.access != Access::read;
  return computed(cx, value.type, LoadExpr{value.expr}, Phase::runtime, can_change || value.reads,
                  value.span);
}

Value address_of(Context& cx, const Value& reference, Span span) {
  if (reference.failed()) return failed(span);
  if (!reference.is_reference()) {
    cx.error(span, fmt::format("'&' needs a variable or a part of one; this is a value of type {}",
                               cx.spell(reference.type)));
    return failed(span);
  }
  if (reference.vector_component) {
    cx.error(span, "a pointer to one component of a vector cannot be made");
    return failed(span);
  }
  Value pointer = reference;
  pointer.kind = Value::Kind::value;
  pointer.type = cx.types().pointer(reference.memory, reference.type, reference.access);
  pointer.span = span;
  return pointer;
}

Value dereference(Context& cx, const Value& pointer, Span span) {
  const auto* type = cx.types().get_if<PointerType>(pointer.type);
  Value reference = pointer;
  reference.kind = Value::Kind::reference;
  reference.memory = type->memory;
  reference.access = type->access;
  reference.type = type->pointee;
  reference.span = span;
  return reference;
}

void note_read(Context& cx, const Root& root) {
  if (cx.body == nullptr) return;
  if (root.kind == Root::Kind::global) cx.body->info.reads_global.add(root.index);
  if (root.kind == Root::Kind::parameter) cx.body->info.reads_parameter.add(root.index);
}

void note_write(Context& cx, const Root& root) {
  if (cx.body == nullptr) return;
  if (root.kind == Root::Kind::global) cx.body->info.writes_global.add(root.index);
  if (root.kind == Root::Kind::parameter) cx.body->info.writes_parameter.add(root.index);
}

}  // namespace vyre::sema
