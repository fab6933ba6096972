// Loads before stores, where nothing forbids it: several items of one thread then wait for memory
// once instead of one after the other.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

struct HoistLoads : llvm::PassInfoMixin<HoistLoads> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
