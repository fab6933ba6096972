// Reorders a test of many parts so that the parts that are known last are tested last. Each part
// waits for the one before it, so parts that are known early then cost no additional time.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

struct OrderTests : llvm::PassInfoMixin<OrderTests> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
