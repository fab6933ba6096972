#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

#include "vyre/lower/gpu/part_ends_internal.h"

namespace vyre {
namespace {

using Blocks = llvm::SmallVector<llvm::BasicBlock*, 8>;

// Longer endings are shared: copying them would nearly double the program.
constexpr std::size_t kMostInstructions = 24;
// A successor is rare if the branch takes it at most once in this many executions.
constexpr std::uint64_t kRare = 1000;

// The rare successor of a block, if the block is its only predecessor; else null.
llvm::BasicBlock* rare_successor(const llvm::BasicBlock& block) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
  std::uint64_t yes = 0;
  std::uint64_t no = 0;
  if (branch == nullptr || !llvm::extractBranchWeights(*branch, yes, no) ||
      std::max(yes, no) < kRare * std::min(yes, no)) {
    return nullptr;
  }
  llvm::BasicBlock* rare = branch->getSuccessor(yes < no ? 0 : 1);
  return rare->getSinglePredecessor() == &block ? rare : nullptr;
}

bool may_be_copied(const llvm::BasicBlock& block) {
  if (!llvm::isa<llvm::BranchInst, llvm::ReturnInst>(block.getTerminator())) return false;
  return std::ranges::none_of(block, [](const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    return call != nullptr && (call->isConvergent() || call->cannotDuplicate());
  });
}

// The blocks from the first that others than `rare` lead to, up to the returns; none when they are
// too much to copy.
Blocks shared_end(llvm::BasicBlock* rare, const llvm::DominatorTree& dominators) {
  Blocks out;
  Blocks open{rare};
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen{rare};
  std::size_t instructions = 0;
  while (!open.empty()) {
    llvm::BasicBlock* block = open.pop_back_val();
    if (!dominators.dominates(rare, block)) {
      instructions += block->size();
      if (instructions > kMostInstructions || !may_be_copied(*block)) return {};
      out.push_back(block);
    }
    for (llvm::BasicBlock* next : llvm::successors(block)) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  return out;
}

// Whether the common path has a loop. The time is spent there, and ptxas, which unrolls loops
// before the place where all threads meet, leaves those alone that end apart.
bool loops_mostly(const llvm::LoopInfo& loops, const llvm::BasicBlock* rare,
                  const llvm::DominatorTree& dominators) {
  return std::ranges::any_of(
      loops, [&](const llvm::Loop* l) { return !dominators.dominates(rare, l->getHeader()); });
}

bool part(llvm::Function& function, llvm::BasicBlock* rare, const llvm::DominatorTree& dominators) {
  Blocks shared = shared_end(rare, dominators);
  if (shared.empty()) return false;
  // These blocks lead only to each other, so no block behind them uses their values.
  llvm::ValueToValueMapTy copies;
  Blocks copied;
  for (llvm::BasicBlock* block : shared) {
    auto* copy = llvm::CloneBasicBlock(block, copies, ".rare", &function);
    copies[block] = copy;
    copied.push_back(copy);
  }
  Blocks rare_entries;
  for (llvm::BasicBlock* block : shared) {
    for (llvm::BasicBlock* from : llvm::predecessors(block)) {
      if (dominators.dominates(rare, from) && !llvm::is_contained(rare_entries, from)) {
        rare_entries.push_back(from);
      }
    }
  }
  for (llvm::BasicBlock* block : shared) {
    const auto comes_rarely = [&](llvm::BasicBlock* from) {
      return llvm::is_contained(rare_entries, from);
    };
    for (llvm::PHINode& phi : block->phis()) {
      auto* copy = llvm::cast<llvm::PHINode>(copies[&phi]);
      for (unsigned i = phi.getNumIncomingValues(); i-- > 0;) {
        llvm::BasicBlock* from = phi.getIncomingBlock(i);
        if (comes_rarely(from)) {
          phi.removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
        } else if (copies.find(from) == copies.end()) {
          copy->removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
        }
      }
    }
  }
  llvm::remapInstructionsInBlocks(copied, copies);
  for (llvm::BasicBlock* from : rare_entries) {
    llvm::Instruction* end = from->getTerminator();
    for (unsigned i = 0; i < end->getNumSuccessors(); ++i) {
      const auto copy = copies.find(end->getSuccessor(i));
      if (copy != copies.end()) end->setSuccessor(i, llvm::cast<llvm::BasicBlock>(copy->second));
    }
  }
  for (auto* blocks : {&shared, &copied}) {
    for (llvm::BasicBlock* block : *blocks) {
      if (block->getSinglePredecessor() != nullptr) llvm::FoldSingleEntryPHINodes(block);
    }
  }
  return true;
}

}  // namespace

llvm::PreservedAnalyses PartEnds::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  Blocks rare;
  for (const llvm::BasicBlock& block : function) {
    if (llvm::BasicBlock* found = rare_successor(block)) rare.push_back(found);
  }
  for (llvm::BasicBlock* block : rare) {
    if (loops_mostly(loops, block, dominators)) {
      // The blocks, too, stay in the order in which ptxas finds the loops.
      block->getSinglePredecessor()->getTerminator()->setMetadata(llvm::LLVMContext::MD_prof,
                                                                  nullptr);
      continue;
    }
    if (!part(function, block, dominators)) continue;
    dominators.recalculate(function);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace vyre
