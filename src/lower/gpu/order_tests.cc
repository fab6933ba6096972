#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>

#include "vyre/lower/gpu/order_tests_internal.h"

namespace vyre {
namespace {

using Parts = llvm::SmallVector<llvm::Value*, 8>;

// The parts that are combined by `and` into the condition, each of them once.
Parts parts_of(llvm::Value* condition) {
  Parts out;
  Parts open{condition};
  llvm::SmallPtrSet<llvm::Value*, 16> seen;
  while (!open.empty()) {
    llvm::Value* v = open.pop_back_val();
    if (!seen.insert(v).second) continue;
    llvm::Value* a = nullptr;
    llvm::Value* b = nullptr;
    if (llvm::PatternMatch::match(v, llvm::PatternMatch::m_And(llvm::PatternMatch::m_Value(a),
                                                               llvm::PatternMatch::m_Value(b)))) {
      open.push_back(b);
      open.push_back(a);
    } else {
      out.push_back(v);
    }
  }
  return out;
}

// The length of the longest chain of instructions in the block for which each instruction waits.
llvm::DenseMap<const llvm::Value*, unsigned> depths_in(const llvm::BasicBlock& block) {
  llvm::DenseMap<const llvm::Value*, unsigned> out;
  for (const llvm::Instruction& i : block) {
    unsigned depth = 0;
    for (const llvm::Value* operand : i.operands()) depth = std::max(depth, out.lookup(operand));
    out[&i] = depth + 1;
  }
  return out;
}

bool order(llvm::BranchInst& branch) {
  llvm::Value* condition = branch.getCondition();
  Parts parts = parts_of(condition);
  if (parts.size() < 3) return false;
  const auto depths = depths_in(*branch.getParent());
  std::ranges::stable_sort(parts, {}, [&](llvm::Value* v) { return depths.lookup(v); });
  llvm::IRBuilder<> b(&branch);
  llvm::Value* all = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) all = b.CreateAnd(all, parts[i]);
  branch.setCondition(all);
  llvm::RecursivelyDeleteTriviallyDeadInstructions(condition);
  return true;
}

}  // namespace

llvm::PreservedAnalyses OrderTests::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
    if (branch != nullptr && branch->isConditional()) changed = order(*branch) || changed;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace vyre
