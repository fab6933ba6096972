// Unrolls loops that walk along a private array, where the number of rounds is a small constant: the
// elements are then values of their own, in registers. An array that is indexed by a variable is in
// memory, and every access to it waits for the one before.
#pragma once

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace vyre {

// Just before LLVM unrolls loops whole, and looks for arrays that it can take apart.
struct UnrollPrivateArrays : llvm::PassInfoMixin<UnrollPrivateArrays> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& known, llvm::LPMUpdater& updater);
};

}  // namespace vyre
