#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>

#include "vyre/lower/gpu/hoist_loads_internal.h"

namespace vyre {
namespace {

// Moving more loads would only use up registers.
constexpr std::size_t kMostHoisted = 64;
// The most instructions of a block that are examined between its first store and later loads, in
// all, which bounds the time for long straight-line programs.
constexpr std::size_t kMostLooks = 1 << 18;

// Moves the computation of a load's address along with it, if it has no side effects.
bool collect(llvm::Instruction* from, llvm::Instruction* target, llvm::AAResults& aliases,
             std::vector<llvm::Instruction*>& moved, std::set<llvm::Instruction*>& seen,
             std::size_t& looks) {
  if (from->getParent() != target->getParent() || from->comesBefore(target)) return true;
  if (!seen.insert(from).second) return true;
  if (llvm::isa<llvm::PHINode>(from) || from->mayHaveSideEffects() ||
      moved.size() >= kMostHoisted) {
    return false;
  }
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(from)) {
    if (!load->isUnordered()) return false;
    const auto where = llvm::MemoryLocation::get(load);
    for (auto it = target->getIterator(); &*it != load; ++it) {
      if (++looks > kMostLooks) return false;
      if (it->mayWriteToMemory() && llvm::isModSet(aliases.getModRefInfo(&*it, where)))
        return false;
    }
  } else if (from->mayReadFromMemory()) {
    return false;
  }
  for (llvm::Value* operand : from->operands()) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(operand);
    if (instruction != nullptr && !collect(instruction, target, aliases, moved, seen, looks)) {
      return false;
    }
  }
  moved.push_back(from);  // after its operands
  return true;
}

}  // namespace

llvm::PreservedAnalyses HoistLoads::run(llvm::Function& function,
                                        llvm::FunctionAnalysisManager& analyses) {
  llvm::AAResults& aliases = analyses.getResult<llvm::AAManager>(function);
  bool changed = false;
  for (llvm::BasicBlock& block : function) {
    const auto store = std::ranges::find_if(
        block, [](const llvm::Instruction& i) { return llvm::isa<llvm::StoreInst>(i); });
    if (store == block.end()) continue;
    llvm::Instruction* target = &*store;
    std::vector<llvm::LoadInst*> loads;
    for (auto it = store; it != block.end(); ++it) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&*it);
      if (call != nullptr && call->isConvergent()) break;
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&*it)) loads.push_back(load);
    }
    std::size_t looks = 0;
    for (llvm::LoadInst* load : loads) {
      if (looks > kMostLooks) break;
      std::vector<llvm::Instruction*> moved;
      std::set<llvm::Instruction*> seen;
      if (!collect(load, target, aliases, moved, seen, looks)) continue;
      for (llvm::Instruction* instruction : moved) instruction->moveBefore(target);
      changed = true;
    }
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace vyre
