// A test of many parts asks last for what is known last: each part waits for the one before it, so
// that those which are known early cost no time of their own.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

struct OrderTests : llvm::PassInfoMixin<OrderTests> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
