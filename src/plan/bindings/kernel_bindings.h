// The buffers of a kernel as the planner takes them, with the sizes and strides of WGSL and the
// slots of ir/slots.h. A writable buffer without data counts as an output. Workgroup memory comes
// last, as shared buffers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vyre/ir/kernel.h"
#include "vyre/plan/bindings/binding_plan.h"

namespace vyre {

// Data that the caller binds to a buffer.
struct KernelInput {
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  InputLength length;
};

struct KernelBuffers {
  std::vector<BufferDecl> buffers;  // by slot
  std::vector<InputLength> inputs;  // of the buffers that take input, in their order
};

// The role of a storage or uniform variable, which the caller has filled or not.
BindingRole role_of(MemoryKind memory, Access access, bool has_data);

// Data for a buffer that the program does not have is ignored. A read-only buffer without data gets
// no input, which plan_bindings then reports.
KernelBuffers kernel_buffers(const Kernel& kernel, std::span<const KernelInput> data);

// Both steps at once. If `data` is absent, inputs are not checked, and writable buffers count as
// outputs.
PlanResult<BindingPlan> plan_kernel_bindings(
    const Kernel& kernel, std::optional<std::span<const KernelInput>> data = std::nullopt);

}  // namespace vyre
