// The last part of a compilation: from optimised LLVM IR to machine code or text.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "vyre/base/error.h"

namespace vyre {

// Ends between two passes once nobody waits for the work that this thread is in.
Result<llvm::SmallVector<char, 0>> generate_file(llvm::TargetMachine& target, llvm::Module& module,
                                                 llvm::CodeGenFileType type);

}  // namespace vyre
