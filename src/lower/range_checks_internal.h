// Range checks of loops, decided before them: where an index counts up and its last value is
// inside, a copy of the loop without the check runs.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

struct HoistRangeChecks : llvm::PassInfoMixin<HoistRangeChecks> {
  // Loops that keep their checks run rarely: their code stays small.
  bool checked_stay_rolled = false;
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
