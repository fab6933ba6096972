// The brief pipeline, for programs that are too large for all optimisations. It takes time in
// proportion to their size.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

namespace vyre {

// Some optimisations, and some parts of code generation, take time that grows faster than the code.
// Code of more than some ten thousand instructions does without them, and its facts say so.
bool is_large(const llvm::Module& module);

// Turns memory into registers where that takes little time, and removes repeated computations.
llvm::FunctionPassManager brief_passes();

}  // namespace vyre
