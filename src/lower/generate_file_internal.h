// The last part of a compilation: from optimised LLVM IR to machine code or text.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>

#include "vyre/base/error.h"

namespace vyre {

struct GeneratedFile {
  llvm::SmallVector<char, 0> bytes;
  // The most stack that a call of any function of the module takes, with all that it calls; 0: for
  // this target it is not known.
  std::uint64_t stack_bytes = 0;
};

// Ends between two passes once nobody waits for the work that this thread is in.
Result<GeneratedFile> generate_file(llvm::TargetMachine& target, llvm::Module& module,
                                    llvm::CodeGenFileType type);

}  // namespace vyre
