// Unrolls loops over storage so that the loads of several rounds are under way at once. LLVM's own
// limit for NVPTX counts instructions alone: a round of 30 is unrolled twice at most, and a thread
// of a small launch then waits for memory most of the time.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

struct OverlapLoads : llvm::PassInfoMixin<OverlapLoads> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
