// Keeps the sign of zeros in a minimum or maximum. The emitter writes them as a comparison and a
// choice, whose result for 0 and -0 is fixed. LLVM makes `min` or `max` of PTX out of a choice
// where an operand cannot be NaN, such as a constant 0, and these order -0 before 0.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

// Must be the last pass, because a later pass could undo it.
struct SignedZeros : llvm::PassInfoMixin<SignedZeros> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
