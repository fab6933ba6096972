#include "vyre/plan/bindings/kernel_bindings.h"

#include <algorithm>
#include <utility>

#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/slots.h"

namespace vyre {
namespace {

void describe_elements(const TypeTable& types, TypeId type, BufferDecl& decl) {
  const BufferLayout layout = buffer_layout(types, type);
  decl.element.kind = ElementKind::wgsl;
  decl.element.bytes = layout.stride;
  decl.element.alignment = types.layout(layout.element).align;
  decl.header_bytes = layout.header_bytes;
  decl.count = static_cast<std::uint32_t>(layout.count);
}

BufferAccess access_of(MemoryKind memory, Access access, bool has_data) {
  if (memory == MemoryKind::uniform) return BufferAccess::uniform;
  if (access == Access::read) return BufferAccess::read_only;
  if (access == Access::write || !has_data) return BufferAccess::write_only;
  return BufferAccess::read_write;
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
  decl.access = access_of(global.memory, global.access, has_data);
  decl.alignment_hint = global.alignment;
  describe_elements(program.types, global.type, decl);
  return decl;
}

}  // namespace

BindingRole role_of(MemoryKind memory, Access access, bool has_data) {
  BufferDecl decl;
  decl.access = access_of(memory, access, has_data);
  return *role_of(decl);
}

KernelBuffers kernel_buffers(const Kernel& kernel, std::span<const KernelInput> data) {
  const Program& program = *kernel.program;
  KernelBuffers out;
  std::uint32_t slot = 0;
  for (const GlobalId id : slots_of(program)) {
    const Global& global = program[id];
    const KernelInput* given = find_data(data, global);
    BufferDecl decl = buffer_decl(program, global, given != nullptr);
    decl.slot = slot++;
    if (given != nullptr && decl.access != BufferAccess::write_only)
      out.inputs.push_back(given->length);
    out.buffers.push_back(std::move(decl));
  }
  for (const Global& global : program.globals) {
    if (global.memory != MemoryKind::workgroup) continue;
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
