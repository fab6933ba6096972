#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "vyre/lower/gpu/overlap_loads_internal.h"

namespace vyre {
namespace {

constexpr unsigned kRounds = 4;
// LLVM itself unrolls a shorter round as often, or more often.
constexpr unsigned kLeastInstructions = 19;
// A longer round has enough other work while a load is under way.
constexpr unsigned kMostInstructions = 64;
constexpr unsigned kGlobalMemory = 1;  // of NVPTX's address spaces

bool has_own_count(const llvm::Loop& loop) {
  const llvm::MDNode* id = loop.getLoopID();
  if (id == nullptr) return false;
  for (const llvm::MDOperand& operand : llvm::drop_begin(id->operands())) {
    const auto* node = llvm::dyn_cast<llvm::MDNode>(operand);
    const auto* name = node == nullptr || node->getNumOperands() == 0
                           ? nullptr
                           : llvm::dyn_cast<llvm::MDString>(node->getOperand(0));
    if (name != nullptr && name->getString().starts_with("llvm.loop.unroll.")) return true;
  }
  return false;
}

bool loads_from_storage(const llvm::Loop& loop) {
  unsigned instructions = 0;
  bool loads = false;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& i : *block) {
      if (llvm::isa<llvm::DbgInfoIntrinsic>(i) || llvm::isa<llvm::PHINode>(i)) continue;
      if (++instructions > kMostInstructions) return false;
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i);
      loads = loads || (load != nullptr && load->getPointerAddressSpace() == kGlobalMemory);
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
      if (call != nullptr && (call->isConvergent() || call->cannotDuplicate())) return false;
    }
  }
  return loads && instructions >= kLeastInstructions;
}

}  // namespace

llvm::PreservedAnalyses OverlapLoads::run(llvm::Function& function,
                                          llvm::FunctionAnalysisManager& analyses) {
  const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    // Rounds with several ends cannot be counted before they run.
    if (!loop->isInnermost() || loop->getExitingBlock() == nullptr) continue;
    if (has_own_count(*loop) || !loads_from_storage(*loop)) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", kRounds);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace vyre
