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
  // The most stack that a call of any function of the module takes, including the functions that it
  // calls; 0: not known for this target.
  std::uint64_t stack_bytes = 0;
};

// Ends between two passes once nobody waits for this thread's work any more.
Result<GeneratedFile> generate_file(llvm::TargetMachine& target, llvm::Module& module,
                                    llvm::CodeGenFileType type);

}  // namespace vyre
