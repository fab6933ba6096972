// The LLVM operations that our code generators are known to handle. Others might end the process
// inside LLVM, or become something else silently.
#pragma once

#include <llvm/IR/Module.h>

#include <string>

#include "vyre/target/target.h"

namespace vyre {

// What the module has that is not on the list; empty when all is.
std::string not_allowed(const llvm::Module& module, TargetKind target);

}  // namespace vyre
