#include "vyre/wgsl/sema/sema_buffer_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "vyre/ir/views/view_rules.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_features.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

// The pointer to a buffer that every one of these functions takes first.
const PointerType* buffer_pointer(Context& cx, const Value& argument, std::string_view name) {
  const auto* pointer = cx.types().get_if<PointerType>(argument.type);
  if (pointer != nullptr && cx.types().get_if<BufferType>(pointer->pointee) != nullptr) {
    return pointer;
  }
  cx.error(argument.span, fmt::format("'{}' takes a pointer to a buffer; this is {}", name,
                                      cx.spell(argument.type)))
      .with_fix("write '&' in front of a variable of the type 'buffer'");
  return nullptr;
}

std::optional<TypeId> viewed_type(Context& cx, const ast::Call& node, const PointerType& pointer,
                                  bool needs_array) {
  const std::string_view name = node.callee.name.text;
  if (node.callee.template_args.size() != 1) {
    cx.error(node.callee.name.span,
             fmt::format("'{}' takes one template argument, the type of the view", name));
    return std::nullopt;
  }
  const ast::Expr& written = *node.callee.template_args[0];
  const auto type = resolve_type(cx, written);
  if (!type) return std::nullopt;
  const TypeTable& types = cx.types();
  std::string_view why;
  if (types.get_if<BufferType>(*type) != nullptr) {
    why = "that is a buffer itself";
  } else if (types.contains_atomic(*type)) {
    why = "views hold no atomics";
  } else if (!types.is_host_shareable(*type)) {
    why = "it cannot be shared with the host";
  } else if (needs_array && !types.contains_runtime_array(*type)) {
    why = "it needs a run-time sized array";
  }
  if (!why.empty()) {
    cx.error(written.span,
             fmt::format("'{}' gives no view of type {}: {}", name, cx.spell(*type), why));
    return std::nullopt;
  }
  if (pointer.memory == MemoryKind::uniform) note_uniform_layout(cx, *type);
  return type;
}

bool make_integer(Context& cx, Value& value, std::string_view what) {
  value = concretize(cx, std::move(value));
  if (value.failed()) return false;
  const auto* scalar = cx.types().get_if<ScalarType>(value.type);
  if (scalar != nullptr && is_integer(scalar->kind)) return true;
  cx.error(value.span,
           fmt::format("the {} of a view is i32 or u32; this is {}", what, cx.spell(value.type)));
  return false;
}

std::optional<std::int64_t> known_number(const Context& cx, const Value& value) {
  if (!value.is_constant()) return std::nullopt;
  return Scalar{*cx.types().scalar_kind(value.type), value.bits()}.as_int();
}

// Records that the buffer behind a pointer parameter must have at least this many bytes.
void need_bytes(Context& cx, const Root& root, std::uint64_t bytes) {
  if (root.kind != Root::Kind::parameter) return;
  std::uint64_t& needed = cx.body->info.buffer_needs[root.index];
  needed = std::max(needed, bytes);
}

Value call_view(Context& cx, const ast::Call& node, Arguments& arguments, bool sized, Span span) {
  const std::string_view name = node.callee.name.text;
  const PointerType* pointer = buffer_pointer(cx, arguments[0], name);
  if (pointer == nullptr) return failed(span);
  const PointerType from = *pointer;
  const std::uint32_t bytes = cx.types().get_if<BufferType>(from.pointee)->bytes;
  const auto type = viewed_type(cx, node, from, sized);
  bool fine = make_integer(cx, arguments[1], "offset");
  if (sized) fine = make_integer(cx, arguments[2], "size") && fine;
  if (!type || !fine) return failed(span);
  const ViewShape shape = view_shape(cx.types(), *type);
  const KnownView known{.buffer_bytes = bytes,
                        .offset = known_number(cx, arguments[1]),
                        .size = sized ? known_number(cx, arguments[2]) : std::nullopt};
  if (const std::string issue = view_issue(shape, known); !issue.empty()) {
    cx.error(span, issue);
    return failed(span);
  }
  need_bytes(cx, arguments[0].root, least_buffer(shape, known));
  bool reads = arguments[1].reads;
  ViewExpr view{.buffer = arguments[0].expr, .offset = emit(cx, arguments[1])};
  if (sized) {
    view.size = emit(cx, arguments[2]);
    reads = reads || arguments[2].reads;
  }
  const TypeId result = cx.types().pointer(from.memory, *type, from.access);
  Value out = computed(cx, result, view, Phase::runtime, reads, span);
  out.root = arguments[0].root;
  return out;
}

}  // namespace

Value call_buffer_function(Context& cx, const ast::Call& node, const SpecialEntry& builtin,
                           Arguments& arguments, Span span) {
  const bool sized = builtin.which == SpecialBuiltin::buffer_array_view;
  const std::size_t count = builtin.which == SpecialBuiltin::buffer_length ? 1 : sized ? 3 : 2;
  if (arguments.size() != count) {
    cx.error(span, fmt::format("'{}' takes {} argument{}; {} given", builtin.name, count,
                               count == 1 ? "" : "s", arguments.size()));
    return failed(span);
  }
  if (count != 1) return call_view(cx, node, arguments, sized, span);
  if (buffer_pointer(cx, arguments[0], builtin.name) == nullptr) return failed(span);
  return computed(cx, cx.types().scalar(ScalarKind::u32), ArrayLengthExpr{arguments[0].expr},
                  Phase::runtime, false, span);
}

bool pass_buffers(Context& cx, const FunctionInfo& callee, std::span<const Value> arguments) {
  for (const auto& [parameter, bytes] : callee.buffer_needs) {
    const Value& argument = arguments[parameter];
    const auto* pointer = cx.types().get_if<PointerType>(argument.type);
    const auto* buffer =
        pointer == nullptr ? nullptr : cx.types().get_if<BufferType>(pointer->pointee);
    if (buffer == nullptr) continue;
    if (buffer->bytes != 0 && buffer->bytes < bytes) {
      cx.error(argument.span,
               fmt::format("a view in the function needs a buffer of {} bytes; this one has {}",
                           bytes, buffer->bytes));
      return false;
    }
    need_bytes(cx, argument.root, bytes);
  }
  return true;
}

}  // namespace vyre::sema
