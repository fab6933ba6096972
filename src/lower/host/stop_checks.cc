#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <vector>

#include "vyre/lower/host/stop_checks_internal.h"

namespace vyre {
namespace {

constexpr const char* kMark = "vyre_stop_mark";
constexpr const char* kNotStopped = "vyre_not_stopped";
// A loop that, together with the loops inside it, makes at most this many rounds needs no test of
// the stop flag.
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

bool calls_loops(const llvm::BasicBlock& block) {
  return std::ranges::any_of(block, [](const llvm::Instruction& i) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    return call != nullptr && call->getCalledFunction() != nullptr &&
           call->getCalledFunction()->hasFnAttribute(kLoopsAttribute);
  });
}

// The most rounds that loops can take together with those inside them; kFewRounds + 1 for many, and
// for a loop that calls a function with loops. Each loop is looked at once.
class MostRounds {
 public:
  MostRounds(const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution)
      : loops_(loops), evolution_(evolution) {}

  std::uint64_t of(const llvm::Loop& loop) {
    const auto known = known_.find(&loop);
    if (known != known_.end()) return known->second;
    const std::uint64_t rounds = evolution_.getSmallConstantMaxTripCount(&loop);
    std::uint64_t inside = 1;
    for (const llvm::Loop* inner : loop.getSubLoops()) inside = std::max(inside, of(*inner));
    const bool calls = std::ranges::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
      return loops_.getLoopFor(block) == &loop && calls_loops(*block);
    });
    const bool many = rounds == 0 || calls || inside > kFewRounds;
    return known_[&loop] = many ? kFewRounds + 1 : std::min(rounds * inside, kFewRounds + 1);
  }

 private:
  const llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::DenseMap<const llvm::Loop*, std::uint64_t> known_;
};

// All checks leave through one block. If each had its own, LLVM would merge the blocks one by one,
// and walk over the merged ones each time.
void look_at_flag(llvm::CallInst* mark, llvm::BasicBlock* stopped) {
  llvm::BasicBlock* before = mark->getParent();
  llvm::BasicBlock* go_on = llvm::SplitBlock(before, mark->getIterator());
  before->getTerminator()->eraseFromParent();
  llvm::IRBuilder<> b(before);
  auto* flag = b.CreateLoad(b.getInt32Ty(), mark->getArgOperand(0), /*isVolatile=*/true);
  b.CreateCondBr(b.CreateICmpNE(flag, b.getInt32(0)), stopped, go_on,
                 llvm::MDBuilder(mark->getContext()).createUnlikelyBranchWeights());
  mark->eraseFromParent();
}

llvm::BasicBlock* stopped_block(llvm::Function& function) {
  auto* stopped = llvm::BasicBlock::Create(function.getContext(), "stopped", &function);
  llvm::IRBuilder<> b(stopped);
  b.CreateRet(b.getInt32(1));
  return stopped;
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

void emit_stop_check(llvm::IRBuilder<>& b, llvm::Value* stop_flag) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* stopped = llvm::BasicBlock::Create(b.getContext(), "stopped", function);
  auto* go_on = llvm::BasicBlock::Create(b.getContext(), "go_on", function);
  auto* flag = b.CreateLoad(b.getInt32Ty(), stop_flag, /*isVolatile=*/true);
  b.CreateCondBr(b.CreateICmpNE(flag, b.getInt32(0)), stopped, go_on,
                 llvm::MDBuilder(b.getContext()).createUnlikelyBranchWeights());
  b.SetInsertPoint(stopped);
  b.CreateRet(b.getInt32(1));
  b.SetInsertPoint(go_on);
}

// The checks of loops are inserted late. Until then LLVM must not conclude from a loop without an
// end that the function never returns.
void emit_may_stop_at_once(llvm::IRBuilder<>& b) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* at_once = llvm::BasicBlock::Create(b.getContext(), "stopped_at_once", function);
  auto* begin = llvm::BasicBlock::Create(b.getContext(), "begin", function);
  b.CreateCondBr(b.CreateICmpNE(emit_not_stopped(b), b.getInt32(0)), at_once, begin);
  b.SetInsertPoint(at_once);
  b.CreateRet(b.getInt32(1));
  b.SetInsertPoint(begin);
}

std::vector<llvm::CallInst*> stop_marks(const llvm::Loop& loop, const llvm::LoopInfo& loops,
                                        llvm::ScalarEvolution& evolution) {
  std::vector<llvm::CallInst*> out;
  if (MostRounds(loops, evolution).of(loop) <= kFewRounds) return out;
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
  MostRounds rounds(loops, evolution);
  std::vector<llvm::CallInst*> kept, dropped;
  llvm::DenseMap<const llvm::Loop*, std::vector<const llvm::CallInst*>> kept_in;
  std::vector<llvm::Instruction*> ends;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (calls(i, kNotStopped)) ends.push_back(&i);
    if (!calls(i, kMark)) continue;
    const llvm::Loop* loop = loops.getLoopFor(i.getParent());
    const bool soon_over = loop == nullptr || rounds.of(*loop) <= kFewRounds;
    // One test in each round is enough. A loop that was unrolled has several copies of its mark,
    // and inner loops that are tested as a whole have left their marks here.
    const bool again = std::ranges::any_of(kept_in[loop], [&](const llvm::CallInst* other) {
      return dominators.dominates(other, &i);
    });
    auto* mark = llvm::cast<llvm::CallInst>(&i);
    if (soon_over || again) {
      dropped.push_back(mark);
    } else {
      kept.push_back(mark);
      kept_in[loop].push_back(mark);
    }
  }
  if (kept.empty() && dropped.empty() && ends.empty()) return llvm::PreservedAnalyses::all();
  for (llvm::Instruction* end : ends) {
    end->replaceAllUsesWith(llvm::ConstantInt::get(end->getType(), 0));
    end->eraseFromParent();
  }
  for (llvm::CallInst* mark : dropped) mark->eraseFromParent();
  llvm::BasicBlock* stopped = kept.empty() ? nullptr : stopped_block(function);
  for (llvm::CallInst* mark : kept) look_at_flag(mark, stopped);
  return llvm::PreservedAnalyses::none();
}

}  // namespace vyre
