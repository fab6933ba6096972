// const, override and var at module scope.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "vyre/wgsl/sema/sema_attributes.h"
#include "vyre/wgsl/sema/sema_builtins.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_features.h"
#include "vyre/wgsl/sema/sema_module.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_stmt.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

using ast::AttributeKind;

std::optional<std::uint16_t> check_id(Context& cx, const ast::Variable& variable) {
  const auto* attribute = find_attribute(variable.attributes, AttributeKind::id);
  if (attribute == nullptr) return std::nullopt;
  const auto id = attribute_number(cx, *attribute, 0, 65'535);
  if (!id) return std::nullopt;
  const auto same = std::ranges::find(
      cx.program.overrides, std::optional(static_cast<std::uint16_t>(*id)), &Override::id);
  if (same != cx.program.overrides.end()) {
    cx.error(attribute->span, fmt::format("the override '{}' has @id({}) too", same->name, *id))
        .note(cx.span_of(same->pos), "declared here");
  }
  return static_cast<std::uint16_t>(*id);
}

Symbol check_override(Context& cx, const ast::Variable& variable) {
  check_attributes(cx, variable.attributes, "an override", {AttributeKind::id});
  const Declared declared = check_declared(cx, variable, false);
  const auto id = check_id(cx, variable);
  if (!declared.fine) return {};
  if (cx.types().get_if<ScalarType>(declared.type) == nullptr) {
    cx.error(variable.name.span,
             fmt::format("an override is a bool, i32, u32, f32 or f16; '{}' is {}",
                         variable.name.text, cx.spell(declared.type)));
    return {};
  }
  ExprId initial = kNoExpr;
  if (declared.initial.kind == Value::Kind::value) {
    if (declared.initial.phase == Phase::runtime) {
      cx.error(declared.initial.span,
               "an override is initialised by a constant or override expression");
      return {};
    }
    initial = emit(cx, declared.initial);
  }
  const OverrideId index{static_cast<std::uint32_t>(cx.program.overrides.size())};
  cx.at(variable.name.span);
  cx.program.overrides.push_back(
      {std::string(variable.name.text), id, declared.type, initial, cx.writer.pos});
  return {.declared = {}, .what = OverrideSymbol{index, declared.type}};
}

Symbol check_const(Context& cx, const ast::Variable& variable) {
  check_attributes(cx, variable.attributes, "a constant", {});
  const Declared declared = check_declared(cx, variable, true);
  if (!declared.fine) return {};
  if (!declared.initial.is_constant()) {
    cx.error(
        variable.initializer->span,
        fmt::format("'{}' is const; its value must be a constant expression", variable.name.text));
    return {};
  }
  return {.declared = {}, .what = ConstSymbol{declared.initial}};
}

// ---- Variables

struct Space {
  MemoryKind memory;
  Access access;
};

std::optional<Space> check_space(Context& cx, const ast::Variable& variable) {
  if (variable.template_args.empty()) {
    // Only textures and samplers have no address space.
    Diagnostic& error =
        cx.error(variable.name.span,
                 fmt::format("the variable '{}' has no address space", variable.name.text));
    error.with_fix("write var<storage>, var<uniform>, var<workgroup> or var<private>");
    return std::nullopt;
  }
  const ast::Expr& written = *variable.template_args[0];
  const auto name = enumerant(cx, written, "an address space");
  if (!name) return std::nullopt;
  const auto memory = find_memory_kind(*name);
  if (const std::string_view why = refusal(*name); !why.empty()) {
    cx.error(written.span, fmt::format("'{}' is not available: {}", *name, why));
    return std::nullopt;
  }
  if (!memory || *memory == MemoryKind::function) {
    cx.error(written.span,
             fmt::format("'{}' is not an address space for variables outside of functions; there "
                         "are storage, uniform, workgroup, private and immediate",
                         *name));
    return std::nullopt;
  }
  Space space{*memory, Access::read_write};
  if (*memory == MemoryKind::storage || *memory == MemoryKind::uniform ||
      *memory == MemoryKind::immediate) {
    space.access = Access::read;
  }
  if (variable.template_args.size() == 1) return space;
  const ast::Expr& mode = *variable.template_args[1];
  const auto mode_name = enumerant(cx, mode, "an access mode");
  if (!mode_name) return std::nullopt;
  const auto access = find_access(*mode_name);
  if (*memory != MemoryKind::storage || variable.template_args.size() > 2) {
    cx.error(mode.span, "only storage variables take an access mode, and only one");
    return std::nullopt;
  }
  if (!access || *access == Access::write) {
    cx.error(mode.span, fmt::format("storage memory is read or read_write, not '{}'", *mode_name));
    return std::nullopt;
  }
  space.access = *access;
  return space;
}

bool check_store_type(Context& cx, const ast::Variable& variable, const Space& space, TypeId type) {
  const TypeTable& types = cx.types();
  const auto refuse = [&](std::string_view why) {
    cx.error(variable.name.span,
             fmt::format("'{}' cannot be {} {} variable of type {}: {}", variable.name.text,
                         space.memory == MemoryKind::immediate ? "an" : "a",
                         to_string(space.memory), cx.spell(type), why));
    return false;
  };
  if (types.get_if<BufferType>(type) != nullptr) {
    if (types.contains_runtime_array(type) && space.memory != MemoryKind::storage) {
      return refuse("its size must be known");
    }
    if (can_live_in(types, type, space.memory)) return true;
    return refuse(
        "a buffer lives in storage, uniform or workgroup memory, and only the last can "
        "be sized by overrides");
  }
  const auto* array = types.get_if<ArrayType>(type);
  const bool by_override = array != nullptr && array->count_expr != kNoExpr;
  switch (space.memory) {
    case MemoryKind::storage:
      if (!types.is_host_shareable(type)) return refuse("it cannot be shared with the host");
      if (space.access == Access::read && types.contains_atomic(type)) {
        return refuse("atomics need var<storage, read_write>");
      }
      return true;
    case MemoryKind::uniform:
      if (types.contains_runtime_array(type)) return refuse("its size must be known");
      if (types.contains_atomic(type)) return refuse("atomics need memory that can be written");
      if (!types.is_host_shareable(type)) return refuse("it cannot be shared with the host");
      return true;
    case MemoryKind::workgroup:
      if (types.contains_runtime_array(type)) return refuse("its size must be known");
      if (types.get_if<PointerType>(type) || types.get_if<HandleType>(type)) {
        return refuse("memory does not hold pointers, textures or samplers");
      }
      return true;
    case MemoryKind::private_:
      if (by_override) return refuse("only workgroup variables are sized by overrides");
      if (!types.is_constructible(type)) return refuse("it is not a plain value");
      return true;
    case MemoryKind::immediate:
      if (!can_live_in(types, type, space.memory)) {
        return refuse("it is made of numbers, vectors, matrices and structs without arrays");
      }
      return true;
    case MemoryKind::function: break;
  }
  return false;
}

bool check_binding(Context& cx, const ast::Variable& variable, const Space& space, Global& global) {
  const auto* group = find_attribute(variable.attributes, AttributeKind::group);
  const auto* binding = find_attribute(variable.attributes, AttributeKind::binding);
  const bool resource = space.memory == MemoryKind::storage || space.memory == MemoryKind::uniform;
  if (!resource) {
    const auto* wrong = group != nullptr ? group : binding;
    if (wrong == nullptr) return true;
    cx.error(wrong->span, fmt::format("@{} stands on storage and uniform variables only",
                                      to_string(wrong->kind)));
    return false;
  }
  if (group == nullptr || binding == nullptr) {
    cx.error(variable.name.span, fmt::format("the {} variable '{}' needs @group and @binding",
                                             to_string(space.memory), variable.name.text));
    return false;
  }
  const auto group_number = attribute_number(cx, *group, 0);
  const auto binding_number = attribute_number(cx, *binding, 0);
  if (!group_number || !binding_number) return false;
  global.group = *group_number;
  global.binding = *binding_number;
  return true;
}

// Textures and samplers are the variables without an address space.
Symbol check_handle(Context& cx, const ast::Variable& variable, TypeId type) {
  Handle handle{.name = variable.name.text, .type = type, .declared = variable.name.span};
  const auto* group = find_attribute(variable.attributes, AttributeKind::group);
  const auto* binding = find_attribute(variable.attributes, AttributeKind::binding);
  if (variable.initializer != nullptr) {
    cx.error(variable.initializer->span, "a texture or sampler takes no initial value");
    return {};
  }
  if (group == nullptr || binding == nullptr) {
    cx.error(variable.name.span,
             fmt::format("the variable '{}' needs @group and @binding", variable.name.text));
    return {};
  }
  const auto group_number = attribute_number(cx, *group, 0);
  const auto binding_number = attribute_number(cx, *binding, 0);
  if (!group_number || !binding_number) return {};
  handle.group = *group_number;
  handle.binding = *binding_number;
  cx.handles.push_back(handle);
  return {.declared = {}, .what = HandleSymbol{static_cast<std::uint32_t>(cx.handles.size() - 1)}};
}

Symbol check_var(Context& cx, const ast::Variable& variable) {
  check_attributes(cx, variable.attributes, "a variable",
                   {AttributeKind::group, AttributeKind::binding});
  if (variable.template_args.empty() && variable.type != nullptr) {
    const auto type = resolve_type(cx, *variable.type);
    if (!type) return {};
    if (cx.handle_info(*type) != nullptr) return check_handle(cx, variable, *type);
  }
  const auto space = check_space(cx, variable);
  const Declared declared = check_declared(cx, variable, false);
  if (!space || !declared.fine) return {};
  Global global;
  global.name = std::string(variable.name.text);
  global.memory = space->memory;
  global.access = space->access;
  global.type = declared.type;
  const bool bound = check_binding(cx, variable, *space, global);
  if (!check_store_type(cx, variable, *space, declared.type) || !bound) return {};
  if (space->memory == MemoryKind::uniform) note_uniform_layout(cx, declared.type);
  if (space->memory == MemoryKind::immediate) note_feature(cx, "immediate_address_space");
  if (declared.initial.kind == Value::Kind::value) {
    if (space->memory != MemoryKind::private_) {
      cx.error(variable.initializer->span,
               fmt::format("a {} variable takes no initial value", to_string(space->memory)));
      return {};
    }
    if (declared.initial.phase == Phase::runtime) {
      cx.error(variable.initializer->span,
               "a private variable is initialised by a constant or override expression");
      return {};
    }
    global.initial = emit(cx, declared.initial);
  }
  if (cx.program.globals.size() >= Limits::kModuleVariables) {
    cx.error(variable.name.span,
             fmt::format("a module has at most {} variables", Limits::kModuleVariables));
    return {};
  }
  cx.at(variable.name.span);
  global.pos = cx.writer.pos;
  cx.program.globals.push_back(std::move(global));
  return {
      .declared = {},
      .what = GlobalSymbol{GlobalId{static_cast<std::uint32_t>(cx.program.globals.size() - 1)}}};
}

}  // namespace

void check_global(Context& cx, const ast::Variable& variable) {
  switch (variable.kind) {
    case ast::VariableKind::const_: return declare(cx, variable.name, check_const(cx, variable));
    case ast::VariableKind::override_:
      return declare(cx, variable.name, check_override(cx, variable));
    case ast::VariableKind::var: return declare(cx, variable.name, check_var(cx, variable));
    case ast::VariableKind::let:
      cx.error(variable.name.span, "'let' cannot be declared outside of functions")
          .with_fix("use 'const'");
      return declare(cx, variable.name, {});
  }
}

}  // namespace vyre::sema
