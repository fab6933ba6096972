// The buffers of a kernel of our IR, as planning takes them. Sizes and strides are WGSL's. Slots
// are those of ir/slots.h. A writable buffer
// that is given no data counts as an output. Workgroup memory comes last, as shared buffers.
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
  std::vector<InputLength> inputs;  // for the buffers that consume input, in their order
};

// Data for a buffer that the program does not have is left out. A buffer that is only read and has
// no data gets no input, which plan_bindings then reports.
KernelBuffers kernel_buffers(const Kernel& kernel, std::span<const KernelInput> data);

// Both steps at once. With no data at all (absent), nothing about inputs is checked, and writable
// buffers count as outputs.
PlanResult<BindingPlan> plan_kernel_bindings(
    const Kernel& kernel, std::optional<std::span<const KernelInput>> data = std::nullopt);

}  // namespace vyre
