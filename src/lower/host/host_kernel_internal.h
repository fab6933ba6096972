// The host's loops around a program: rows of gangs without barriers, workgroups with them.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>

#include "vyre/base/error.h"
#include "vyre/ir/kernel.h"
#include "vyre/target/variant.h"

namespace vyre {

struct HostModule {
  std::unique_ptr<llvm::Module> module;
  std::uint64_t scratch_bytes = 0;
};

constexpr const char* kHostEntryName = "vyre_kernel";

Result<HostModule> emit_host_module(llvm::LLVMContext& context, const Kernel& kernel,
                                    const Variant& variant, bool wide_offsets);

}  // namespace vyre
