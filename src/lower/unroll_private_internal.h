// Unrolls loops that walk along a private array and make a small, constant number of rounds. The
// elements can then be kept in registers; an array that is indexed by a variable must be in memory,
// where every access waits for the one before.
#pragma once

#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>

namespace vyre {

// Runs just before LLVM unrolls loops completely and looks for arrays that it can split into
// scalars.
struct UnrollPrivateArrays : llvm::PassInfoMixin<UnrollPrivateArrays> {
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& known, llvm::LPMUpdater& updater);
};

}  // namespace vyre
