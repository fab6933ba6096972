// Moves range checks out of loops: if an index counts up and its last value is inside, a copy of
// the loop without the check runs.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

struct HoistRangeChecks : llvm::PassInfoMixin<HoistRangeChecks> {
  // Copies that keep their checks run rarely, so they are not unrolled.
  bool checked_stay_rolled = false;
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
