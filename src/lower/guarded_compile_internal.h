// The work of host_compile.h and gpu_compile.h without the guard: here LLVM ends the process if
// memory runs out, and cannot be interrupted.
#pragma once

#include <llvm/IR/PassInstrumentation.h>

#include "vyre/lower/gpu_compile.h"
#include "vyre/lower/host_compile.h"

namespace vyre {

Result<HostObject> unguarded_compile_host(const Kernel& kernel, const Variant& variant,
                                          const HostOptions& options);
Result<HostCode> unguarded_load_host(const HostObject& object);
Result<std::string> unguarded_host_text(const Kernel& kernel, const Variant& variant, HostText what,
                                        const HostOptions& options);
Result<GpuCode> unguarded_compile_gpu(const Kernel& kernel, const Variant& variant,
                                      const GpuOptions& options);
Result<std::string> unguarded_gpu_llvm_text(const Kernel& kernel, const Variant& variant,
                                            const GpuOptions& options);

// From now on LLVM's fatal errors and failed allocations end abandonable work, and not the process.
void handle_llvm_failures();
// Once the caller has left, passes that only improve the code are skipped.
void skip_passes_when_unwanted(llvm::PassInstrumentationCallbacks& callbacks);

}  // namespace vyre
