// Runs several gangs of a region in step where one alone would wait for itself: a long chain of
// operations, each on the result before, leaves a processor idle that four such chains side by side
// keep busy. Between barriers gangs have no order, so any interleaving is one that may happen.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

namespace vyre {

// Says of the branch back of a loop that its rounds are gangs, which `next` counts. Optimisations
// may leave what is said of a branch with a loop around its own; nobody else counts like this.
void mark_gang_loop(llvm::Value* next, llvm::BranchInst* back);

struct InterleaveGangs : llvm::PassInfoMixin<InterleaveGangs> {
  std::size_t vector_registers = 16;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
