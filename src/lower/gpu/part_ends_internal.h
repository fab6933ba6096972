// What hardly ever runs ends by itself. Where it shared its last stores with what runs mostly, the
// threads would have to wait there for each other, and addresses could not be computed ahead.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

struct PartEnds : llvm::PassInfoMixin<PartEnds> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
