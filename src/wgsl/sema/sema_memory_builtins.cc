// Builtin functions that take pointers or act on the workgroup: arrayLength, atomics, barriers,
// workgroupUniformLoad.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "vyre/wgsl/sema/sema_buffer_view.h"
#include "vyre/wgsl/sema/sema_builtins.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_memory.h"
#include "vyre/wgsl/sema/sema_overload.h"
#include "vyre/wgsl/sema/sema_stage.h"

namespace vyre::sema {
namespace {

bool takes(Context& cx, std::string_view name, Arguments& arguments, std::size_t count, Span span) {
  if (arguments.size() == count) return true;
  cx.error(span, fmt::format("'{}' takes {} argument{}; {} given", name, count,
                             count == 1 ? "" : "s", arguments.size()));
  return false;
}

Value no_value(Span span) {
  Value none;
  none.kind = Value::Kind::none;
  none.span = span;
  return none;
}

bool inside_function(Context& cx, std::string_view name, Span span) {
  if (cx.body != nullptr) return true;
  cx.error(span, fmt::format("'{}' cannot be called outside of functions", name));
  return false;
}

const PointerType* pointer_to(Context& cx, const Value& argument, std::string_view name,
                              std::string_view what) {
  const auto* pointer = cx.types().get_if<PointerType>(argument.type);
  if (pointer != nullptr) return pointer;
  cx.error(argument.span, fmt::format("'{}' takes a pointer to {}; this is {}", name, what,
                                      cx.spell(argument.type)))
      .with_fix("write '&' in front of the variable");
  return nullptr;
}

Value call_array_length(Context& cx, Arguments& arguments, Span span) {
  if (!takes(cx, "arrayLength", arguments, 1, span)) return failed(span);
  const Value& argument = arguments[0];
  const PointerType* pointer = pointer_to(cx, argument, "arrayLength", "a run-time sized array");
  if (pointer == nullptr) return failed(span);
  const auto* array = cx.types().get_if<ArrayType>(pointer->pointee);
  if (array == nullptr || array->count != 0 || array->count_expr != kNoExpr) {
    cx.error(argument.span, fmt::format("'arrayLength' takes a pointer to a run-time sized array; "
                                        "this points to {}",
                                        cx.spell(pointer->pointee)));
    return failed(span);
  }
  return computed(cx, cx.types().scalar(ScalarKind::u32), ArrayLengthExpr{argument.expr},
                  Phase::runtime, argument.reads, span);
}

struct AtomicTarget {
  AtomicType type;
  MemoryKind memory;
};

std::optional<AtomicTarget> atomic_target(Context& cx, std::string_view name,
                                          const Value& argument) {
  const PointerType* pointer = pointer_to(cx, argument, name, "an atomic");
  if (pointer == nullptr) return std::nullopt;
  const auto* atomic = cx.types().get_if<AtomicType>(pointer->pointee);
  if (atomic == nullptr) {
    cx.error(argument.span, fmt::format("'{}' takes a pointer to an atomic; this points to {}",
                                        name, cx.spell(pointer->pointee)));
    return std::nullopt;
  }
  if (pointer->access != Access::read_write) {
    cx.error(argument.span, fmt::format("'{}' needs memory that can be read and written", name));
    return std::nullopt;
  }
  return AtomicTarget{*atomic, pointer->memory};
}

// Emits the statement, with the arguments evaluated where it stands.
Value emit_atomic(Context& cx, const SpecialEntry& builtin, const AtomicTarget& target,
                  Arguments& arguments, TypeId result, Span span) {
  if (builtin.op != AtomicOp::store) note_read(cx, arguments[0].root);
  if (builtin.op != AtomicOp::load) note_write(cx, arguments[0].root);
  arguments.release();
  flush(cx);
  AtomicStmt stmt{.op = builtin.op,
                  .scope = target.memory == MemoryKind::storage ? Scope::device : Scope::workgroup,
                  .order = Order::relaxed,
                  .pointer = arguments[0].expr};
  if (builtin.op == AtomicOp::compare_exchange) {
    stmt.compare = emit(cx, arguments[1]);
    stmt.value = emit(cx, arguments[2]);
  } else if (builtin.op != AtomicOp::load) {
    stmt.value = emit(cx, arguments[1]);
  }
  if (builtin.op != AtomicOp::store) {
    stmt.result = new_result(cx, "old", result, span);
  }
  cx.at(span);
  cx.writer.stmt(stmt);
  return builtin.op == AtomicOp::store ? no_value(span) : use_let(cx, stmt.result, result, span);
}

Value call_atomic(Context& cx, const SpecialEntry& builtin, Arguments& arguments, Span span) {
  const bool exchange = builtin.op == AtomicOp::compare_exchange;
  const std::size_t count = exchange ? 3 : builtin.op == AtomicOp::load ? 1 : 2;
  if (!takes(cx, builtin.name, arguments, count, span)) return failed(span);
  const auto target = atomic_target(cx, builtin.name, arguments[0]);
  if (!target) return failed(span);
  if (target->type.size != 1) {
    cx.error(arguments[0].span, fmt::format("'{}' takes an atomic<i32> or atomic<u32>; an "
                                            "atomic<vec2u> has atomicStoreMin and atomicStoreMax",
                                            builtin.name));
    return failed(span);
  }
  const TypeId scalar = cx.types().scalar(target->type.kind);
  for (std::size_t i = 1; i < count; ++i) {
    arguments[i] = coerce(cx, std::move(arguments[i]), scalar,
                          fmt::format("argument {} of '{}'", i + 1, builtin.name));
    if (arguments[i].failed()) return failed(span);
  }
  const TypeId result = exchange ? compare_exchange_result(cx.types(), target->type.kind) : scalar;
  return emit_atomic(cx, builtin, *target, arguments, result, span);
}

// atomicStoreMin and atomicStoreMax.
Value call_wide_atomic(Context& cx, const SpecialEntry& builtin, Arguments& arguments, Span span) {
  if (!cx.needs_extension("atomic_vec2u_min_max", builtin.name, span) ||
      !takes(cx, builtin.name, arguments, 2, span)) {
    return failed(span);
  }
  const auto target = atomic_target(cx, builtin.name, arguments[0]);
  if (!target) return failed(span);
  if (target->type.size != 2 || target->memory != MemoryKind::storage) {
    cx.error(arguments[0].span,
             fmt::format("'{}' takes a pointer to an atomic<vec2u> in storage memory; this is {}",
                         builtin.name, cx.spell(arguments[0].type)));
    return failed(span);
  }
  arguments[1] = coerce(cx, std::move(arguments[1]), cx.types().vector(ScalarKind::u32, 2),
                        fmt::format("argument 2 of '{}'", builtin.name));
  if (arguments[1].failed()) return failed(span);
  note_read(cx, arguments[0].root);
  note_write(cx, arguments[0].root);
  arguments.release();
  flush(cx);
  AtomicStmt stmt{.op = builtin.op,
                  .scope = Scope::device,
                  .order = Order::relaxed,
                  .pointer = arguments[0].expr};
  stmt.value = emit(cx, arguments[1]);
  cx.at(span);
  cx.writer.stmt(stmt);
  return no_value(span);
}

Value call_barrier(Context& cx, std::string_view name, SpecialBuiltin which, Arguments& arguments,
                   Span span) {
  if (!takes(cx, name, arguments, 0, span)) return failed(span);
  flush(cx);
  cx.at(span);
  cx.writer.stmt(BarrierStmt{which == SpecialBuiltin::workgroup_barrier,
                             which == SpecialBuiltin::storage_barrier});
  return no_value(span);
}

Value call_uniform_load(Context& cx, Arguments& arguments, Span span) {
  constexpr std::string_view kName = "workgroupUniformLoad";
  if (!takes(cx, kName, arguments, 1, span)) return failed(span);
  const Value& argument = arguments[0];
  const PointerType* pointer = pointer_to(cx, argument, kName, "workgroup memory");
  if (pointer == nullptr) return failed(span);
  if (pointer->memory != MemoryKind::workgroup) {
    cx.error(argument.span, fmt::format("'{}' takes a pointer to workgroup memory; this is {}",
                                        kName, cx.spell(argument.type)));
    return failed(span);
  }
  TypeId result = pointer->pointee;
  if (const auto* atomic = cx.types().get_if<AtomicType>(result);
      atomic != nullptr && atomic->size == 1) {
    result = cx.types().held(*atomic);
  }
  if (!cx.types().is_constructible(result)) {
    cx.error(argument.span, fmt::format("a value of type {} cannot be loaded", cx.spell(result)));
    return failed(span);
  }
  note_read(cx, argument.root);
  arguments.release();
  flush(cx);
  const LocalId local = new_result(cx, "uniform", result, span);
  cx.at(span);
  cx.writer.stmt(UniformLoadStmt{local, argument.expr});
  return use_let(cx, local, result, span);
}

}  // namespace

Value call_special(Context& cx, const ast::Call& node, Arguments& arguments, Span span) {
  const SpecialEntry& builtin = *find_special(node.callee.name.text);
  switch (builtin.which) {
    case SpecialBuiltin::select: return call_select(cx, arguments, span);
    case SpecialBuiltin::bitcast: return call_bitcast(cx, node, arguments, span);
    default: break;
  }
  if (!inside_function(cx, builtin.name, span)) return failed(span);
  if (is_buffer_function(builtin.which)) {
    return call_buffer_function(cx, node, builtin, arguments, span);
  }
  const bool atomic = builtin.which == SpecialBuiltin::atomic ||
                      builtin.which == SpecialBuiltin::atomic_compare_exchange ||
                      builtin.which == SpecialBuiltin::atomic_wide;
  if (builtin.which != SpecialBuiltin::array_length) {
    need_stage(cx, atomic ? kCompute | kFragment : kCompute, fmt::format("'{}'", builtin.name),
               span);
  }
  switch (builtin.which) {
    case SpecialBuiltin::array_length: return call_array_length(cx, arguments, span);
    case SpecialBuiltin::atomic:
    case SpecialBuiltin::atomic_compare_exchange: return call_atomic(cx, builtin, arguments, span);
    case SpecialBuiltin::atomic_wide: return call_wide_atomic(cx, builtin, arguments, span);
    case SpecialBuiltin::workgroup_uniform_load: return call_uniform_load(cx, arguments, span);
    default: return call_barrier(cx, builtin.name, builtin.which, arguments, span);
  }
}

}  // namespace vyre::sema
