#include "vyre/wgsl/sema/sema_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "vyre/wgsl/sema/sema_attributes.h"
#include "vyre/wgsl/sema/sema_stage.h"
#include "vyre/wgsl/sema/sema_subgroup.h"
#include "vyre/wgsl/sema/sema_texture.h"

namespace vyre::sema {
namespace {

bool is_packed_integer(std::string_view name) {
  return name.starts_with("dot4") || name.starts_with("pack4x") || name.starts_with("unpack4x");
}
// Those of them that came with packed_4x8_integer_dot_product.
bool needs_packed_feature(std::string_view name) {
  return is_packed_integer(name) && !name.ends_with("norm");
}

// The group in which the specification lists the function.
std::string_view group_of(std::string_view name) {
  if (name == "all" || name == "any" || name == "select") return "logical";
  if (name == "arrayLength") return "array";
  if (name.starts_with("buffer")) return "buffer view";
  if (name == "bitcast") return "bit reinterpretation";
  if (name.ends_with("Barrier") || name == "workgroupUniformLoad") return "synchronization";
  if (name.starts_with("atomic")) return "atomic";
  if (name.starts_with("quad")) return "quad";
  if (is_subgroup_function(name)) return "subgroup";
  if (is_texture_function(name)) return "texture";
  if (is_derivative(name)) return "derivative";
  if (name.starts_with("pack")) return "data packing";
  return name.starts_with("unpack") ? "data unpacking" : "numeric";
}

bool uses_f16(const TypeTable& types, TypeId type) {
  if (types.scalar_kind(type) == ScalarKind::f16) return true;
  if (const auto* pointer = types.get_if<PointerType>(type)) {
    return uses_f16(types, pointer->pointee);
  }
  if (const auto* array = types.get_if<ArrayType>(type)) return uses_f16(types, array->element);
  const auto* structure = types.get_if<StructType>(type);
  return structure != nullptr && std::ranges::any_of(structure->members, [&](const Member& m) {
           return uses_f16(types, m.type);
         });
}

bool uses_f16(const Program& program) {
  const TypeTable& types = program.types;
  const auto used = [&](const auto& item) { return uses_f16(types, item.type); };
  return std::ranges::any_of(program.globals, used) || std::ranges::any_of(program.exprs, used) ||
         std::ranges::any_of(program.functions, [&](const Function& f) {
           return std::ranges::any_of(f.locals, used);
         });
}

bool waits_for_override(const TypeTable& types, TypeId type) {
  const auto* array = types.get_if<ArrayType>(type);
  const auto* buffer = types.get_if<BufferType>(type);
  return (array != nullptr && array->count_expr != kNoExpr) ||
         (buffer != nullptr && buffer->bytes_expr != kNoExpr);
}

std::optional<std::uint64_t> workgroup_bytes(const Program& program) {
  std::uint64_t sum = 0;
  for (const Global& global : program.globals) {
    if (global.memory != MemoryKind::workgroup) continue;
    if (waits_for_override(program.types, global.type)) return std::nullopt;
    sum += program.types.layout(global.type).size;
  }
  return sum;
}

std::vector<BindingUse> bindings_of(const Context& cx, const FunctionInfo& info,
                                    const Program& program) {
  std::vector<BindingUse> out;
  for (const Global& global : program.globals) {
    if (global.memory != MemoryKind::storage && global.memory != MemoryKind::uniform) continue;
    std::string space(to_string(global.memory));
    if (global.memory == MemoryKind::storage)
      space += fmt::format(", {}", to_string(global.access));
    out.push_back({global.group, global.binding, global.name, std::move(space),
                   program.types.spell(global.type)});
  }
  for (const std::uint32_t index : info.handles) {
    const Handle& handle = cx.handles[index];
    out.push_back(
        {handle.group, handle.binding, std::string(handle.name), "handle", cx.spell(handle.type)});
  }
  std::ranges::sort(out, {}, [](const BindingUse& b) { return std::pair(b.group, b.binding); });
  return out;
}

std::vector<BuiltinGroup> grouped(const std::set<std::string_view>& builtins) {
  std::map<std::string_view, std::vector<std::string>> groups;
  for (const std::string_view name : builtins) groups[group_of(name)].emplace_back(name);
  std::vector<BuiltinGroup> out;
  for (auto& [name, functions] : groups) out.push_back({std::string(name), std::move(functions)});
  return out;
}

std::vector<std::string> written(const std::vector<ast::Name>& names) {
  std::vector<std::string> out;
  for (const ast::Name& name : names) {
    if (std::ranges::find(out, name.text) == out.end()) out.emplace_back(name.text);
  }
  return out;
}

}  // namespace

void note_builtin(Context& cx, std::string_view name) {
  if (needs_packed_feature(name)) note_feature(cx, "packed_4x8_integer_dot_product");
  if (name.starts_with("buffer")) note_feature(cx, "buffer_view");
  if (cx.body != nullptr) cx.body->info.uses.builtins.insert(name);
}

void note_feature(Context& cx, std::string_view name) {
  cx.features.insert(name);
  if (cx.body != nullptr) cx.body->info.uses.features.insert(name);
}

// Without the feature, arrays in uniform memory have strides that are multiples of 16 bytes, and
// members that are arrays or structs begin at multiples of 16 bytes, as does what follows a struct.
void note_uniform_layout(Context& cx, TypeId type) {
  constexpr std::uint32_t kUnit = 16;
  if (const auto* array = cx.types().get_if<ArrayType>(type)) {
    if (cx.types().stride(array->element) % kUnit != 0) {
      note_feature(cx, "uniform_buffer_standard_layout");
    }
    return note_uniform_layout(cx, array->element);
  }
  const auto* structure = cx.types().get_if<StructType>(type);
  if (structure == nullptr) return;
  std::uint64_t struct_end = 0;  // of a struct that is the member before
  for (const Member& member : structure->members) {
    const bool inner = cx.types().get_if<StructType>(member.type) != nullptr;
    const bool aligned = inner || cx.types().get_if<ArrayType>(member.type) != nullptr;
    if ((aligned && member.offset % kUnit != 0) || member.offset < struct_end) {
      note_feature(cx, "uniform_buffer_standard_layout");
    }
    const std::uint64_t size = cx.types().layout(member.type).size;
    struct_end = inner ? member.offset + (size + kUnit - 1) / kUnit * kUnit : 0;
    note_uniform_layout(cx, member.type);
  }
}

ModuleFeatures module_features(const Context& cx) {
  ModuleFeatures out;
  out.enabled = written(cx.module.enables);
  out.required = written(cx.module.requirements);
  for (const std::string_view name : cx.features) {
    (is_extension(name) ? out.extensions : out.language_features).emplace_back(name);
  }
  return out;
}

EntryFeatures entry_features(const Context& cx, const EntryPoint& entry, const Program& program) {
  const FunctionInfo& info = cx.functions[entry.function];
  EntryFeatures out;
  out.name = program.name;
  out.stage = stage_name(entry.stage);
  std::set<std::string_view> extensions;
  if (uses_f16(program)) extensions.insert("f16");
  std::ranges::copy_if(info.uses.features, std::inserter(extensions, extensions.end()),
                       is_extension);
  out.extensions.assign(extensions.begin(), extensions.end());
  out.builtins = grouped(info.uses.builtins);
  out.bindings = bindings_of(cx, info, program);
  out.workgroup_bytes = workgroup_bytes(program);
  return out;
}

}  // namespace vyre::sema
