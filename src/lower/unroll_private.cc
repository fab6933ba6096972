#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "vyre/lower/unroll_private_internal.h"

namespace vyre {
namespace {

constexpr unsigned kMostRounds = 64;
constexpr unsigned kMostInstructions = 4096;  // the most instructions of all rounds together
constexpr std::uint64_t kMostBytes =
    512;  // the most bytes of an array, because there are few registers

// The access is to a small array of the invocation's own, at an index that changes with the loop.
bool walks_along(const llvm::Value* pointer, const llvm::Loop& loop, llvm::ScalarEvolution& rounds,
                 const llvm::DataLayout& layout) {
  const auto* array = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
  if (array == nullptr || loop.isLoopInvariant(pointer)) return false;
  const auto size = array->getAllocationSize(layout);
  if (!size || size->isScalable() || size->getFixedValue() > kMostBytes) return false;
  return !rounds.isLoopInvariant(rounds.getSCEV(const_cast<llvm::Value*>(pointer)), &loop);
}

}  // namespace

llvm::PreservedAnalyses UnrollPrivateArrays::run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                                                 llvm::LoopStandardAnalysisResults& known,
                                                 llvm::LPMUpdater&) {
  const unsigned rounds = known.SE.getSmallConstantTripCount(&loop);
  if (rounds < 2 || rounds > kMostRounds || !loop.isInnermost()) {
    return llvm::PreservedAnalyses::all();
  }
  const llvm::DataLayout& layout = loop.getHeader()->getDataLayout();
  unsigned instructions = 0;
  bool walks = false;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& i : *block) {
      if (llvm::isa<llvm::DbgInfoIntrinsic>(i)) continue;
      ++instructions;
      const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&i);
      walks = walks || (pointer != nullptr && walks_along(pointer, loop, known.SE, layout));
    }
  }
  if (walks && instructions * rounds <= kMostInstructions) {
    llvm::addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace vyre
