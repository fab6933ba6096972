// Gives rare paths endings of their own. If they shared their last stores with common ones, the
// threads would have to wait there for each other, and addresses could not be computed ahead.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

struct PartEnds : llvm::PassInfoMixin<PartEnds> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
