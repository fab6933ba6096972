// The LLVM operations that our code generators are known to handle. Others might end the process
// inside LLVM, or become something else silently.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "vyre/target/target.h"

namespace vyre {

// The first operation of the module that is not on the list; empty if all are.
std::string not_allowed(const llvm::Module& module, TargetKind target);

}  // namespace vyre
