// Functions: headers, parameters and bodies.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/wgsl/sema/sema_attributes.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_features.h"
#include "vyre/wgsl/sema/sema_memory.h"
#include "vyre/wgsl/sema/sema_module.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_stage.h"
#include "vyre/wgsl/sema/sema_stmt.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

using ast::AttributeKind;

bool check_parameter_type(Context& cx, const ast::Parameter& parameter, TypeId type) {
  if (cx.types().is_constructible(type) || cx.handle_info(type) != nullptr) return true;
  if (const auto* pointer = cx.types().get_if<PointerType>(type)) {
    const auto* array = cx.types().get_if<ArrayType>(pointer->pointee);
    const bool by_override = array != nullptr && array->count_expr != kNoExpr;
    if (pointer->memory != MemoryKind::function && pointer->memory != MemoryKind::private_) {
      note_feature(cx, "unrestricted_pointer_parameters");
    }
    if (!by_override || pointer->memory == MemoryKind::workgroup) return true;
  }
  cx.error(parameter.type->span, fmt::format("the parameter '{}' cannot be of type {}",
                                             parameter.name.text, cx.spell(type)));
  return false;
}

// Declares a parameter as a name of the body.
void declare_parameter(Context& cx, const ast::Parameter& parameter, TypeId type) {
  const LocalId local =
      new_local(cx, parameter.name.text, LocalKind::parameter, type, parameter.name.span);
  Symbol symbol;
  if (cx.types().get_if<PointerType>(type) != nullptr) {
    Value pointer = use_let(cx, local, type, parameter.name.span);
    pointer.root = {Root::Kind::parameter, static_cast<std::uint32_t>(local)};
    symbol.what = TreeSymbol{pointer};
  } else {
    symbol.what = LetSymbol{local, type};
  }
  declare(cx, parameter.name, std::move(symbol));
}

bool check_parameters(Context& cx, const ast::Function& written, FunctionInfo& info) {
  bool fine = true;
  if (written.parameters.size() > Limits::kParameters) {
    cx.error(written.name.span,
             fmt::format("'{}' has {} parameters; the limit is {}", written.name.text,
                         written.parameters.size(), Limits::kParameters));
    fine = false;
  }
  // The header cannot refer to parameters: all types are resolved before the first one is declared.
  std::vector<std::optional<TypeId>> types;
  for (const ast::Parameter& parameter : written.parameters) {
    check_attributes(cx, parameter.attributes, "a parameter of a function that is no entry point",
                     {});
    auto type = resolve_type(cx, *parameter.type);
    if (type && !check_parameter_type(cx, parameter, *type)) type.reset();
    types.push_back(type);
    fine = fine && type;
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i]) {
      info.parameters.push_back(*types[i]);
      declare_parameter(cx, written.parameters[i], *types[i]);
    } else {
      declare(cx, written.parameters[i].name, {});
    }
  }
  return fine;
}

bool check_result(Context& cx, const ast::Function& written, FunctionInfo& info) {
  info.result = cx.types().void_type();
  check_attributes(cx, written.return_attributes, "the result of a function that is no entry point",
                   {});
  if (written.return_type == nullptr) {
    if (!info.must_use) return true;
    const auto* attribute = find_attribute(written.attributes, AttributeKind::must_use);
    cx.error(attribute->span,
             fmt::format("'{}' returns nothing that must be used", written.name.text));
    return false;
  }
  const auto type = resolve_type(cx, *written.return_type);
  if (!type) return false;
  if (!cx.types().is_constructible(*type)) {
    cx.error(written.return_type->span,
             fmt::format("a function cannot return {}", cx.spell(*type)));
    return false;
  }
  info.result = *type;
  return true;
}

void check_missing_return(Context& cx, const ast::Function& written, const FunctionInfo& info,
                          Behaviour behaviour) {
  if (info.result == cx.types().void_type() || (behaviour & kNext) == 0 || info.broken) return;
  const std::uint32_t end = written.body->span.end;
  cx.error({end - 1, end}, fmt::format("'{}' can end without returning a value of type {}",
                                       written.name.text, cx.spell(info.result)));
}

bool is_stage(const ast::Attribute& attribute) {
  return attribute.kind == AttributeKind::compute || attribute.kind == AttributeKind::vertex ||
         attribute.kind == AttributeKind::fragment;
}

// The stage of an entry point; null for other functions.
const ast::Attribute* find_stage(const ast::Function& function) {
  const auto stage = std::ranges::find_if(function.attributes, is_stage);
  return stage == function.attributes.end() ? nullptr : &*stage;
}

bool check_stage(Context& cx, const ast::Function& function, const ast::Attribute* stage) {
  check_attributes(cx, function.attributes, "a function",
                   {AttributeKind::compute, AttributeKind::vertex, AttributeKind::fragment,
                    AttributeKind::workgroup_size, AttributeKind::subgroup_size,
                    AttributeKind::must_use, AttributeKind::diagnostic});
  for (const AttributeKind kind : {AttributeKind::workgroup_size, AttributeKind::subgroup_size}) {
    const auto* size = find_attribute(function.attributes, kind);
    if (size == nullptr || (stage != nullptr && stage->kind == AttributeKind::compute)) continue;
    Diagnostic& error = cx.error(
        size->span,
        fmt::format("@{} stands on compute entry points only{}", to_string(kind),
                    stage != nullptr ? "" : fmt::format("; '{}' is none", function.name.text)));
    if (stage == nullptr) error.with_fix("write @compute in front");
  }
  if (stage == nullptr) return true;
  for (const ast::Attribute& other : function.attributes) {
    if (!is_stage(other) || other.kind == stage->kind) continue;
    cx.error(other.span, fmt::format("'{}' cannot be both a {} and a {} shader", function.name.text,
                                     to_string(stage->kind), to_string(other.kind)));
    return false;
  }
  return true;
}

Stages stage_of(const ast::Attribute& attribute) {
  if (attribute.kind == AttributeKind::compute) return kCompute;
  return attribute.kind == AttributeKind::vertex ? kVertex : kFragment;
}

void check_body(Context& cx, const ast::Function& written, FunctionInfo& info, Function& function) {
  const FilterScope filters(cx, written.body->attributes);
  check_attributes(cx, written.body->attributes, "a function's body", {AttributeKind::diagnostic});
  const Behaviour behaviour = check_statements(cx, written.body->statements);
  function.body = cx.writer.close();
  check_missing_return(cx, written, info, behaviour);
}

}  // namespace

void check_function(Context& cx, const ast::Function& written) {
  FunctionInfo info;
  info.ast = &written;
  info.declared = written.name.span;
  info.must_use = find_attribute(written.attributes, AttributeKind::must_use) != nullptr;
  info.result = cx.types().void_type();
  const ast::Attribute* stage = find_stage(written);
  info.entry = stage != nullptr;
  info.broken = !check_stage(cx, written, stage);
  Function function;
  function.name = std::string(written.name.text);
  function.result = info.result;
  cx.at(written.name.span);
  function.pos = cx.writer.pos;
  if (!info.broken) {
    Body body{.info = info, .function = function};
    cx.body = &body;
    push_scope(cx);
    const FilterScope filters(cx, written.attributes);
    cx.writer.open();
    EntryPoint entry;
    if (info.entry) entry.stage = stage_of(*stage);
    if (info.entry && entry.stage != kCompute) {
      info.broken = !check_graphics_entry(cx, written, entry.stage, info);
    } else if (info.entry) {
      info.broken = !check_entry(cx, written, entry);
    } else {
      const bool result = check_result(cx, written, info);
      info.broken = !check_parameters(cx, written, info) || !result;
    }
    function.parameters = static_cast<std::uint32_t>(info.parameters.size());
    function.result = info.result;
    check_body(cx, written, info, function);
    pop_scope(cx);
    cx.body = nullptr;
    if (info.entry && !info.broken) check_needs(cx, info, entry.stage);
    entry.function = static_cast<std::uint32_t>(cx.functions.size());
    if (info.entry) cx.entries.push_back(entry);
  }
  if (cx.functions.size() == Limits::kFunctions) {
    cx.error(written.name.span,
             fmt::format("a module has at most {} functions", Limits::kFunctions));
    info.broken = true;
  }
  if (cx.entries.size() > Limits::kEntryPoints) {
    cx.error(written.name.span,
             fmt::format("a module has at most {} entry points", Limits::kEntryPoints));
  }
  const auto index = static_cast<std::uint32_t>(cx.functions.size());
  info.id = FunctionId{index};
  cx.functions.push_back(std::move(info));
  cx.program.functions.push_back(std::move(function));
  declare(cx, written.name, {.declared = {}, .what = FunctionSymbol{index}});
}

}  // namespace vyre::sema
