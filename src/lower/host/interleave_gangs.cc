#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "vyre/lower/host/interleave_gangs_internal.h"

namespace vyre {
namespace {

constexpr const char* kTag = "vyre.gangs";
// Copying a loop of more instructions costs more than waiting.
constexpr std::size_t kMostInstructions = 300;

bool is_arithmetic(const llvm::Instruction& i) {
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i)) {
    return call->getIntrinsicID() == llvm::Intrinsic::fma;
  }
  return i.getType()->isFPOrFPVectorTy() && i.isBinaryOp();
}

// Whether this is memory of the function itself, which one gang after the other uses.
bool is_own_memory(const llvm::Value* at) {
  while (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(at)) at = step->getPointerOperand();
  return llvm::isa<llvm::AllocaInst>(at);
}

class Interleaver {
 public:
  Interleaver(llvm::Loop& loop, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution)
      : loop_(loop), loops_(loops), evolution_(evolution) {}

  // Whether all gangs take the same path through the loop and pass nothing to the next gang but a
  // count.
  bool possible() {
    std::size_t instructions = 0;
    for (llvm::BasicBlock* block : loop_.blocks()) instructions += block->size();
    if (instructions > kMostInstructions || !find_counters()) return false;
    find_own();
    for (llvm::BasicBlock* block : loop_.blocks()) {
      const auto* way = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (way == nullptr) return false;
      if (block == loop_.getLoopLatch()) continue;
      if (way->isConditional() && own_.contains(way->getCondition())) return false;
      for (const llvm::BasicBlock* next : way->successors()) {
        if (!loop_.contains(next) && !llvm::isa<llvm::ReturnInst>(next->getTerminator())) {
          return false;
        }
      }
    }
    for (const llvm::Instruction* i : ordered_) {
      if (i->mayWriteToMemory() && std::ranges::any_of(i->operands(), [](const llvm::Use& u) {
            return is_own_memory(u.get());
          })) {
        return false;
      }
      for (const llvm::User* user : i->users()) {
        if (!loop_.contains(llvm::cast<llvm::Instruction>(user)->getParent())) return false;
      }
    }
    return loop_.isLoopExiting(loop_.getLoopLatch());
  }

  // Whether most of the time goes into operations that wait for each other.
  bool worthwhile() const {
    for (llvm::BasicBlock* block : loop_.blocks()) {
      const llvm::Loop* around = loops_.getLoopFor(block);
      const bool inner = around != &loop_ && around->isInnermost();
      const auto [arithmetic, chain] = chain_of(*block, inner);
      // A processor has eight operations under way: two start in each cycle, and each takes four.
      if (inner ? chain > 0 && arithmetic < 8 * chain : chain >= 8 && arithmetic <= 2 * chain) {
        return true;
      }
    }
    return false;
  }

  // The number of vectors that live at the same time with this many gangs.
  std::size_t registers(std::size_t gangs) const {
    std::size_t most = 0;
    for (llvm::BasicBlock* block : loop_.blocks()) {
      const auto [shared, own] = vectors_in(*block);
      most = std::max(most, shared + gangs * own);
    }
    return most;
  }

  void run(std::size_t gangs) {
    std::vector<llvm::ValueToValueMapTy> copies(gangs);
    llvm::IRBuilder<> b(&*loop_.getHeader()->getFirstInsertionPt());
    for (auto& [phi, step] : counters_) {
      for (std::size_t g = 1; g < gangs; ++g) {
        copies[g][phi] = b.CreateAdd(phi, b.getInt(step * g));
      }
    }
    for (llvm::Instruction* i : ordered_) {
      llvm::Instruction* after = i;
      for (std::size_t g = 1; g < gangs; ++g) {
        llvm::Instruction* copy = i->clone();
        copy->insertAfter(after);
        copies[g][i] = copy;
        after = copy;
      }
    }
    // Done when all copies exist, because phis name values that come later.
    const auto flags = llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals;
    for (llvm::Instruction* i : ordered_) {
      for (std::size_t g = 1; g < gangs; ++g) {
        llvm::RemapInstruction(llvm::cast<llvm::Instruction>(copies[g][i]), copies[g], flags);
      }
    }
    // The last gang of a round increments the count.
    llvm::BasicBlock* latch = loop_.getLoopLatch();
    auto& last = copies[gangs - 1];
    llvm::RemapInstruction(latch->getTerminator(), last, flags);
    for (auto& [phi, step] : counters_) {
      const auto back = static_cast<unsigned>(phi->getBasicBlockIndex(latch));
      const auto found = last.find(phi->getIncomingValue(back));
      if (found != last.end()) phi->setIncomingValue(back, found->second);
    }
  }

 private:
  bool find_counters() {
    bool counts_gangs = false;
    for (llvm::PHINode& phi : loop_.getHeader()->phis()) {
      if (!phi.getType()->isIntegerTy()) return false;
      const auto* counted = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(&phi));
      if (counted == nullptr || counted->getLoop() != &loop_ || !counted->isAffine()) return false;
      const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(counted->getStepRecurrence(evolution_));
      if (step == nullptr) return false;
      counters_.emplace_back(&phi, step->getAPInt());
      own_.insert(&phi);
      const auto* next =
          llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValueForBlock(loop_.getLoopLatch()));
      counts_gangs = counts_gangs || (next != nullptr && next->getMetadata(kTag) != nullptr);
    }
    return counts_gangs;
  }

  // Finds the instructions that each gang needs for itself: those that depend on its number, and
  // those with effects. All others, loads included, are the same for all gangs.
  void find_own() {
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::BasicBlock* block : loop_.blocks()) {
        for (llvm::Instruction& i : *block) {
          if (i.isTerminator() || own_.contains(&i)) continue;
          const bool flag = llvm::isa<llvm::LoadInst>(i) && i.isVolatile();
          const bool own = (!flag && (i.mayHaveSideEffects() || i.isAtomic())) ||
                           std::ranges::any_of(i.operands(), [&](const llvm::Use& u) {
                             return own_.contains(u.get());
                           });
          if (!own) continue;
          own_.insert(&i);
          changed = true;
        }
      }
    }
    for (llvm::BasicBlock* block : loop_.blocks()) {
      for (llvm::Instruction& i : *block) {
        const bool counter = block == loop_.getHeader() && llvm::isa<llvm::PHINode>(i);
        if (own_.contains(&i) && !counter) ordered_.push_back(&i);
      }
    }
  }

  struct Chain {
    std::size_t arithmetic = 0, chain = 0;
  };
  // In an inner loop the chain goes from round to round.
  Chain chain_of(llvm::BasicBlock& block, bool inner) const {
    Chain out;
    std::map<const llvm::Value*, std::size_t> chains;
    for (llvm::Instruction& i : block) {
      if (llvm::isa<llvm::PHINode>(i)) {
        if (i.getType()->isFPOrFPVectorTy()) chains[&i] = 0;
        continue;
      }
      bool chained = !inner;
      std::size_t chain = 0;
      for (const llvm::Value* operand : i.operands()) {
        const auto found = chains.find(operand);
        if (found == chains.end()) continue;
        chained = true;
        chain = std::max(chain, found->second);
      }
      if (is_arithmetic(i)) ++out.arithmetic, ++chain;
      if (!chained) continue;
      chains[&i] = chain;
      out.chain = std::max(out.chain, chain);
    }
    return out;
  }

  struct Vectors {
    std::size_t shared = 0, own = 0;
  };
  Vectors vectors_in(llvm::BasicBlock& block) const {
    std::map<const llvm::Value*, std::size_t> last_use;
    std::set<const llvm::Value*> shared, carried;
    std::size_t at = 0;
    for (const llvm::Instruction& i : block) {
      // The operand of a phi lives in another block until the phi does.
      for (const llvm::Value* operand : i.operands()) {
        if (!operand->getType()->isVectorTy() || llvm::isa<llvm::Constant>(operand) ||
            llvm::isa<llvm::PHINode>(i)) {
          continue;
        }
        const auto* defined = llvm::dyn_cast<llvm::Instruction>(operand);
        const bool here = defined != nullptr && defined->getParent() == &block;
        if (!own_.contains(operand)) {
          shared.insert(operand);
        } else if (here) {
          last_use[operand] = at;
        } else {
          carried.insert(operand);
        }
      }
      ++at;
    }
    Vectors out{shared.size(), 0};
    std::multiset<std::size_t> living;
    at = 0;
    for (const llvm::Instruction& i : block) {
      while (!living.empty() && *living.begin() <= at) living.erase(living.begin());
      const auto use = last_use.find(&i);
      // A scalar for all lanes is broadcast from memory by the operation that uses it; a value seen
      // as another type is the same register.
      const bool free =
          llvm::isa<llvm::ShuffleVectorInst, llvm::InsertElementInst, llvm::BitCastInst>(i);
      if (use != last_use.end() && !free && i.getType()->isVectorTy()) living.insert(use->second);
      out.own = std::max(out.own, living.size());
      ++at;
    }
    out.own += carried.size();
    return out;
  }

  llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  std::vector<std::pair<llvm::PHINode*, llvm::APInt>> counters_;
  std::set<const llvm::Value*> own_;
  std::vector<llvm::Instruction*> ordered_;
};

}  // namespace

void mark_gang_loop(llvm::Value* next, llvm::BranchInst* back) {
  auto& context = back->getContext();
  if (auto* count = llvm::dyn_cast<llvm::Instruction>(next)) {
    count->setMetadata(kTag, llvm::MDNode::get(context, {}));
  }
  auto* tag = llvm::MDNode::get(context, {llvm::MDString::get(context, kTag)});
  auto* id = llvm::MDNode::getDistinct(context, {nullptr, tag});
  id->replaceOperandWith(0, id);
  back->setMetadata(llvm::LLVMContext::MD_loop, id);
}

llvm::PreservedAnalyses InterleaveGangs::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isLoopSimplifyForm() || !llvm::findStringMetadataForLoop(loop, kTag)) continue;
    const unsigned gangs = evolution.getSmallConstantTripCount(loop);
    Interleaver interleaver(*loop, loops, evolution);
    if (gangs < 2 || !interleaver.possible() || !interleaver.worthwhile()) continue;
    std::size_t together = 16;
    while (together > 1 &&
           (gangs % together != 0 || interleaver.registers(together) > vector_registers)) {
      together /= 2;
    }
    if (together < 2) continue;
    interleaver.run(together);
    evolution.forgetLoop(loop);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace vyre
