#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <vector>

#include "vyre/lower/stop_checks_internal.h"

namespace vyre {
namespace {

constexpr const char* kMark = "vyre_stop_mark";
constexpr const char* kNotStopped = "vyre_not_stopped";
// Rounds, of a loop and those inside it together, that nobody minds waiting for.
constexpr std::uint64_t kFewRounds = 1 << 16;

bool calls(const llvm::Instruction& i, const char* name) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
  return call != nullptr && call->getCalledFunction() != nullptr &&
         call->getCalledFunction()->getName() == name;
}

llvm::Function* placeholder(llvm::IRBuilder<>& b, const char* name, llvm::FunctionType* type,
                            llvm::MemoryEffects effects) {
  llvm::Module& module = *b.GetInsertBlock()->getModule();
  auto* f = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
  f->setMemoryEffects(effects);
  for (const auto attribute :
       {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoSync,
        llvm::Attribute::NoFree, llvm::Attribute::NoCallback}) {
    f->addFnAttr(attribute);
  }
  return f;
}

// The most rounds that this loop and those inside it can take; kFewRounds + 1 for many.
std::uint64_t most_rounds(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  std::uint64_t rounds = evolution.getSmallConstantMaxTripCount(&loop);
  if (rounds == 0) return kFewRounds + 1;
  std::uint64_t inside = 1;
  for (const llvm::Loop* inner : loop.getSubLoops()) {
    inside = std::max(inside, most_rounds(*inner, evolution));
  }
  return std::min(rounds * inside, kFewRounds + 1);
}

void look_at_flag(llvm::CallInst* mark) {
  llvm::IRBuilder<> b(mark);
  auto* flag = b.CreateLoad(b.getInt32Ty(), mark->getArgOperand(0), /*isVolatile=*/true);
  auto* stopped = llvm::SplitBlockAndInsertIfThen(
      b.CreateICmpNE(flag, b.getInt32(0)), mark, /*Unreachable=*/true,
      llvm::MDBuilder(mark->getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(stopped);
  b.CreateRet(b.getInt32(1));
  stopped->eraseFromParent();
  mark->eraseFromParent();
}

}  // namespace

void emit_stop_mark(llvm::IRBuilder<>& b, llvm::Value* stop_flag) {
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  b.CreateCall(placeholder(b, kMark, type, llvm::MemoryEffects::inaccessibleMemOnly()),
               {stop_flag});
}

llvm::Value* emit_not_stopped(llvm::IRBuilder<>& b) {
  auto* type = llvm::FunctionType::get(b.getInt32Ty(), false);
  return b.CreateCall(placeholder(b, kNotStopped, type, llvm::MemoryEffects::none()));
}

std::vector<llvm::CallInst*> stop_marks(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  std::vector<llvm::CallInst*> out;
  if (most_rounds(loop, evolution) <= kFewRounds) return out;
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& i : *block) {
      if (calls(i, kMark)) out.push_back(llvm::cast<llvm::CallInst>(&i));
    }
  }
  return out;
}

llvm::PreservedAnalyses PlaceStopChecks::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  const auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  std::vector<llvm::CallInst*> kept, dropped;
  std::vector<llvm::Instruction*> ends;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (calls(i, kNotStopped)) ends.push_back(&i);
    if (!calls(i, kMark)) continue;
    const llvm::Loop* loop = loops.getLoopFor(i.getParent());
    const bool soon_over = loop == nullptr || most_rounds(*loop, evolution) <= kFewRounds;
    // One look in each round will do: a loop that was unrolled has its mark several times, and
    // loops inside that were tested as a whole have left theirs here.
    const bool again = std::ranges::any_of(kept, [&](const llvm::CallInst* other) {
      return loops.getLoopFor(other->getParent()) == loop && dominators.dominates(other, &i);
    });
    (soon_over || again ? dropped : kept).push_back(llvm::cast<llvm::CallInst>(&i));
  }
  if (kept.empty() && dropped.empty() && ends.empty()) return llvm::PreservedAnalyses::all();
  for (llvm::Instruction* end : ends) {
    end->replaceAllUsesWith(llvm::ConstantInt::get(end->getType(), 0));
    end->eraseFromParent();
  }
  for (llvm::CallInst* mark : dropped) mark->eraseFromParent();
  for (llvm::CallInst* mark : kept) look_at_flag(mark);
  return llvm::PreservedAnalyses::none();
}

}  // namespace vyre
