// Interleaves several gangs of a region if one alone would wait for its own results: a long chain
// of operations, each on the previous result, leaves a processor mostly idle, and four such chains
// side by side keep it busy. Between two barriers gangs have no order, so every interleaving is
// allowed.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

namespace vyre {

// Marks the back branch of a loop whose rounds are gangs, counted by `next`. Optimisations may move
// the mark to the branch of a surrounding loop; only a loop of gangs has such a counter.
void mark_gang_loop(llvm::Value* next, llvm::BranchInst* back);

struct InterleaveGangs : llvm::PassInfoMixin<InterleaveGangs> {
  std::size_t vector_registers = 16;

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
