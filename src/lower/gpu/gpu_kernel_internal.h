// A GPU kernel around a program: one thread runs one invocation, or several of them.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>

#include "vyre/base/error.h"
#include "vyre/ir/kernel.h"
#include "vyre/lower/gpu_compile.h"
#include "vyre/target/code.h"
#include "vyre/target/variant.h"

namespace vyre {

struct GpuModule {
  std::unique_ptr<llvm::Module> module;
  std::vector<GpuParameter> parameters;
};

constexpr const char* kGpuEntryName = "vyre_kernel";

Result<GpuModule> emit_gpu_module(llvm::LLVMContext& context, const Kernel& kernel,
                                  const Variant& variant, const GpuOptions& options);

}  // namespace vyre
