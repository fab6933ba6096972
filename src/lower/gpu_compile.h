// Kernels to PTX for NVIDIA GPUs. Needs neither a driver nor a toolkit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/process/abandonable.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/code.h"
#include "vyre/target/limits.h"
#include "vyre/target/variant.h"

namespace vyre {

struct GpuOptions {
  std::string processor = "sm_70";  // as the device calls itself; newer ones than known are clamped
  bool wide_offsets = false;        // for launches that bind 2 GiB or more as one buffer
  WorkLimits limits{};              // end compiling when the caller no longer waits
  // The kernel tests its deadline when it begins, for grids that take long even without a loop.
  bool check_at_start = false;
  std::vector<std::uint32_t> by_value{};  // slots of uniforms that come as parameters, ascending
};

// Changes whenever the same kernel and variant may give different code.
std::string gpu_generator_version();

// Requires a variant that can run the kernel (plan/variants/variant_legality.h).
Result<GpuCode> compile_gpu(const Kernel& kernel, const Variant& variant,
                            const GpuOptions& options);
// Slots of uniforms that are small enough to come as parameters, and their bytes.
struct ByValue {
  std::uint32_t slot = 0;
  std::uint32_t bytes = 0;
};
std::vector<ByValue> gpu_by_value(const Kernel& kernel, std::uint32_t most_bytes);

// The optimised LLVM IR that the PTX is made of.
Result<std::string> gpu_llvm_text(const Kernel& kernel, const Variant& variant,
                                  const GpuOptions& options);

}  // namespace vyre
