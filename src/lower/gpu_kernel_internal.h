// A GPU kernel around a program: one thread runs one invocation, or several of them.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>
#include <span>

#include "vyre/base/error.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/code.h"
#include "vyre/target/variant.h"

namespace vyre {

struct GpuModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<GpuParameter> parameters;
};

constexpr const char* kGpuEntryName = "vyre_kernel";

Result<GpuModule> emit_gpu_module(llvm::LLVMContext& context, const Kernel& kernel,
                                  const Variant& variant, bool wide_offsets,
                                  std::span<const std::uint32_t> by_value);

}  // namespace vyre
