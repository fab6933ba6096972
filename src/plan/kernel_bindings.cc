#include "vyre/plan/kernel_bindings.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "vyre/plan/kernel_walk.h"

namespace vyre {
namespace {

bool is_buffer(const Global& global) {
  return global.memory == MemoryKind::storage || global.memory == MemoryKind::uniform;
}

// The elements of a buffer: those of the array it is, or of the run-time sized array its struct
// ends in, or itself, once.
void describe_elements(const TypeTable& types, TypeId type, BufferDecl& decl) {
  const auto set_element = [&](TypeId element, std::uint64_t bytes) {
    decl.element.kind = ElementKind::wgsl;
    decl.element.bytes = bytes;
    decl.element.alignment = types.layout(element).align;
  };
  if (const auto* structure = types.get_if<StructType>(type);
      structure != nullptr && types.contains_runtime_array(type)) {
    const Member& last = structure->members.back();
    const TypeId element = types.component(last.type);
    decl.header_bytes = last.offset;
    set_element(element, types.stride(element));
    return;
  }
  if (const auto* array = types.get_if<ArrayType>(type)) {
    decl.count = array->count;
    set_element(array->element, types.stride(array->element));
    return;
  }
  decl.count = 1;
  set_element(type, types.layout(type).size);
}

BufferAccess access_of(const Global& global, bool has_data) {
  if (global.memory == MemoryKind::uniform) return BufferAccess::uniform;
  if (global.access == Access::read) return BufferAccess::read_only;
  if (global.access == Access::write || !has_data) return BufferAccess::write_only;
  return BufferAccess::read_write;
}

std::vector<const Global*> used_buffers(const Program& program, const std::vector<bool>& used) {
  std::vector<const Global*> out;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] && is_buffer(program.globals[i])) out.push_back(&program.globals[i]);
  }
  std::ranges::sort(out, {},
                    [](const Global* global) { return std::pair(global->group, global->binding); });
  return out;
}

const KernelInput* find_data(std::span<const KernelInput> data, const Global& global) {
  const auto at = std::ranges::find_if(data, [&](const KernelInput& input) {
    return input.group == global.group && input.binding == global.binding;
  });
  return at == data.end() ? nullptr : &*at;
}

BufferDecl buffer_decl(const Program& program, const Global& global, bool has_data) {
  BufferDecl decl;
  decl.name = global.name;
  decl.access = access_of(global, has_data);
  decl.alignment_hint = global.alignment;
  describe_elements(program.types, global.type, decl);
  return decl;
}

}  // namespace

KernelBuffers kernel_buffers(const Kernel& kernel, std::span<const KernelInput> data) {
  const Program& program = *kernel.program;
  const std::vector<bool> used = globals_used(program);
  KernelBuffers out;
  std::uint32_t slot = 0;
  for (const Global* global : used_buffers(program, used)) {
    const KernelInput* given = find_data(data, *global);
    BufferDecl decl = buffer_decl(program, *global, given != nullptr);
    decl.slot = slot++;
    if (given != nullptr && decl.access != BufferAccess::write_only)
      out.inputs.push_back(given->length);
    out.buffers.push_back(std::move(decl));
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Global& global = program.globals[i];
    if (!used[i] || global.memory != MemoryKind::workgroup) continue;
    BufferDecl decl = buffer_decl(program, global, false);
    decl.kind = BufferKind::shared;
    decl.slot = slot++;
    out.buffers.push_back(std::move(decl));
  }
  return out;
}

PlanResult<BindingPlan> plan_kernel_bindings(const Kernel& kernel,
                                             std::optional<std::span<const KernelInput>> data) {
  const KernelBuffers described =
      kernel_buffers(kernel, data.value_or(std::span<const KernelInput>{}));
  if (!data) return plan_bindings(described.buffers);
  return plan_bindings(described.buffers, described.inputs);
}

}  // namespace vyre
