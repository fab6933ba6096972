#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ProfDataUtils.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "vyre/lower/host/stop_checks_internal.h"
#include "vyre/lower/range_checks_internal.h"

namespace vyre {
namespace {

// Copying a loop of more instructions costs more than its checks.
constexpr std::size_t kMostInstructions = 600;
constexpr std::size_t kMostInstructionsForMarks = 100;
// A loop of at most this many rounds may run without testing the stop flag.
constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 20;
// A branch is rarely taken if it is taken at most once in this many times.
constexpr std::uint64_t kRare = 1000;
// The most loops of one function that are copied. Each copy takes time in proportion to the
// function.
constexpr int kMostCopies = 100;

// A comparison: first + step * round + more < limit. All are numbers of 32 bits, and `more` is
// small.
struct Check {
  llvm::ICmpInst* compare = nullptr;
  bool when_inside = true;  // the result of the comparison when the index is inside
  const llvm::SCEV* first = nullptr;
  const llvm::SCEV* step = nullptr;
  std::uint64_t more = 0;
  const llvm::SCEV* limit = nullptr;
};

class LoopChecks {
 public:
  LoopChecks(llvm::Loop& loop, llvm::ScalarEvolution& evolution)
      : loop_(loop), evolution_(evolution) {}

  std::vector<Check> find() {
    std::vector<Check> out;
    // The largest number of rounds: a break may end the loop earlier.
    rounds_ = evolution_.getSymbolicMaxBackedgeTakenCount(&loop_);
    if (llvm::isa<llvm::SCEVCouldNotCompute>(rounds_) ||
        evolution_.getTypeSizeInBits(rounds_->getType()) > 64) {
      return {};
    }
    for (llvm::BasicBlock* block : loop_.blocks()) instructions_ += block->size();
    if (instructions_ > kMostInstructions || waits_for_others()) return {};
    for (llvm::BasicBlock* block : loop_.blocks()) {
      for (llvm::Instruction& i : *block) {
        auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&i);
        if (compare == nullptr || !compare->getOperand(0)->getType()->isIntegerTy()) continue;
        if (loop_.isLoopExiting(block) && ends_loop(*compare, *block)) continue;
        if (const auto check = check_of(*compare)) out.push_back(*check);
      }
    }
    return out;
  }

  // Whether the number of rounds is known before the loop starts.
  bool counted() const { return !llvm::isa<llvm::SCEVCouldNotCompute>(rounds_); }
  const llvm::SCEV* rounds() const { return rounds_; }
  std::size_t instructions() const { return instructions_; }

 private:
  static bool ends_loop(const llvm::ICmpInst& compare, const llvm::BasicBlock& block) {
    return std::ranges::any_of(compare.users(), [&](const llvm::User* user) {
      return user == block.getTerminator() || user->getType()->isIntegerTy(1);
    });
  }
  // Lanes that meet at a barrier must not take different branches before it.
  bool waits_for_others() const {
    for (llvm::BasicBlock* block : loop_.blocks()) {
      for (llvm::Instruction& i : *block) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
        if (call != nullptr && call->isConvergent()) return true;
      }
    }
    return false;
  }
  bool fits(const llvm::SCEV* value, unsigned bits) const {
    return evolution_.getUnsignedRangeMax(value).getActiveBits() <= bits;
  }
  bool invariant(const llvm::SCEV* value) const {
    return evolution_.isLoopInvariant(value, &loop_);
  }

  std::optional<Check> check_of(llvm::ICmpInst& compare) const {
    llvm::Value* index = compare.getOperand(0);
    llvm::Value* limit = compare.getOperand(1);
    auto predicate = compare.getPredicate();
    if (loop_.isLoopInvariant(index)) {
      std::swap(index, limit);
      predicate = llvm::CmpInst::getSwappedPredicate(predicate);
    }
    if (predicate != llvm::CmpInst::ICMP_ULT && predicate != llvm::CmpInst::ICMP_UGE) {
      return std::nullopt;
    }
    Check out;
    out.compare = &compare;
    out.when_inside = predicate == llvm::CmpInst::ICMP_ULT;
    out.limit = evolution_.getSCEV(limit);
    if (!invariant(out.limit) || !fits(out.limit, 32)) return std::nullopt;
    const llvm::SCEV* value = evolution_.getSCEV(index);
    if (const auto* sum = llvm::dyn_cast<llvm::SCEVAddExpr>(value);
        sum != nullptr && sum->getNumOperands() == 2) {
      const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(sum->getOperand(0));
      if (constant != nullptr && index->getType()->isIntegerTy(64) && fits(constant, 24) &&
          fits(sum->getOperand(1), 32)) {
        out.more = constant->getAPInt().getZExtValue();
        value = sum->getOperand(1);
      }
    }
    if (const auto* wide = llvm::dyn_cast<llvm::SCEVZeroExtendExpr>(value)) {
      value = wide->getOperand();
    }
    const auto* counted = llvm::dyn_cast<llvm::SCEVAddRecExpr>(value);
    if (counted == nullptr || counted->getLoop() != &loop_ || !counted->isAffine()) {
      return std::nullopt;
    }
    out.first = counted->getStart();
    out.step = counted->getStepRecurrence(evolution_);
    // An index that counts down would need its first value compared, and its last one with 0.
    if (evolution_.isKnownNegative(out.step)) return std::nullopt;
    // The check is computed in 64 bits, where a sum that would wrap in 32 bits is beyond the limit.
    if (!invariant(out.step) || !invariant(out.first) || !fits(out.first, 32) ||
        !fits(out.step, 32)) {
      return std::nullopt;
    }
    return out;
  }

  llvm::Loop& loop_;
  llvm::ScalarEvolution& evolution_;
  const llvm::SCEV* rounds_ = nullptr;
  std::size_t instructions_ = 0;
};

bool same_index(const Check& a, const Check& b) {
  return a.first == b.first && a.step == b.step && a.more == b.more;
}

// Whether all checks hold in all rounds, computed before `at`.
llvm::Value* all_inside(const std::vector<Check>& checks, const llvm::SCEV* rounds,
                        llvm::ScalarEvolution& evolution, llvm::Instruction* at) {
  llvm::IRBuilder<> b(at);
  llvm::SCEVExpander expander(evolution, at->getModule()->getDataLayout(), "range");
  const auto wide = [&](const llvm::SCEV* value) {
    llvm::Value* v = expander.expandCodeFor(value, value->getType(), at);
    return b.CreateFreeze(b.CreateZExtOrTrunc(v, b.getInt64Ty()));
  };
  llvm::Value* last = wide(rounds);
  // With so few rounds neither the product nor the sum overflows 64 bits.
  llvm::Value* all = b.CreateICmpULT(last, b.getInt64(kMostRounds));
  std::vector<bool> done(checks.size());
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (done[i]) continue;
    const Check& c = checks[i];
    // Equal indices are compared once, with the smallest limit.
    llvm::Value* limit = wide(c.limit);
    for (std::size_t j = i + 1; j < checks.size(); ++j) {
      if (!same_index(c, checks[j])) continue;
      done[j] = true;
      if (checks[j].limit == c.limit) continue;
      limit = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, limit, wide(checks[j].limit));
    }
    llvm::Value* furthest = b.CreateAdd(wide(c.first), b.CreateMul(wide(c.step), last));
    if (c.more != 0) furthest = b.CreateAdd(furthest, b.getInt64(c.more));
    all = b.CreateAnd(all, b.CreateICmpULT(furthest, limit));
  }
  return all;
}

bool expandable(const std::vector<Check>& checks, const llvm::SCEV* rounds,
                llvm::ScalarEvolution& evolution, llvm::Instruction* at) {
  llvm::SCEVExpander expander(evolution, at->getModule()->getDataLayout(), "range");
  const auto safe = [&](const llvm::SCEV* value) { return expander.isSafeToExpandAt(value, at); };
  if (!safe(rounds)) return false;
  for (const Check& c : checks) {
    if (!safe(c.first) || !safe(c.step) || !safe(c.limit)) return false;
  }
  return true;
}

// If a checked index is the loop's own counter, the counter does not wrap: its last value is below
// a limit that leaves room for one more step. Addresses can then be counted along with it.
void mark_counters(const std::vector<Check>& checks, const llvm::Loop& loop,
                   llvm::ScalarEvolution& evolution) {
  const auto is_half = [&](const llvm::SCEV* value) {
    return evolution.getUnsignedRangeMax(value).getActiveBits() < 32;
  };
  for (const Check& c : checks) {
    if (!is_half(c.limit) || !is_half(c.step)) continue;
    for (llvm::Value* operand : c.compare->operands()) {
      const auto* counter = llvm::dyn_cast<llvm::PHINode>(operand);
      if (counter == nullptr || counter->getParent() != loop.getHeader()) continue;
      auto* next = llvm::dyn_cast<llvm::BinaryOperator>(
          counter->getIncomingValueForBlock(loop.getLoopLatch()));
      if (next == nullptr || next->getOpcode() != llvm::Instruction::Add) continue;
      if (next->getOperand(0) == counter || next->getOperand(1) == counter) {
        next->setHasNoUnsignedWrap();
      }
    }
  }
}

// Returns a copy of the loop that keeps its checks; the loop itself loses them. `copies` maps the
// values of the loop to those of the copy.
llvm::Loop* split(llvm::Loop& loop, const std::vector<Check>& checks, llvm::Value* all,
                  llvm::LoopInfo& loops, llvm::DominatorTree& dominators,
                  llvm::ValueToValueMapTy& copies) {
  llvm::BasicBlock* before = loop.getLoopPreheader();
  llvm::BasicBlock* preheader =
      llvm::SplitBlock(before, before->getTerminator(), &dominators, &loops, nullptr, "unchecked");
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks;
  llvm::Loop* checked = llvm::cloneLoopWithPreheader(preheader, before, &loop, copies, ".checked",
                                                     &loops, &dominators, blocks);
  llvm::remapInstructionsInBlocks(blocks, copies);
  llvm::Instruction* old = before->getTerminator();
  llvm::IRBuilder<> b(old);
  b.CreateCondBr(all, preheader, llvm::cast<llvm::BasicBlock>(copies[preheader]));
  old->eraseFromParent();

  llvm::SmallVector<llvm::BasicBlock*, 4> exits;
  loop.getUniqueExitBlocks(exits);
  for (llvm::BasicBlock* exit : exits) {
    for (llvm::PHINode& phi : exit->phis()) {
      const unsigned n = phi.getNumIncomingValues();
      for (unsigned i = 0; i < n; ++i) {
        llvm::BasicBlock* from = phi.getIncomingBlock(i);
        if (!loop.contains(from)) continue;
        llvm::Value* value = phi.getIncomingValue(i);
        const auto copied = copies.find(value);
        phi.addIncoming(copied == copies.end() ? value : static_cast<llvm::Value*>(copied->second),
                        llvm::cast<llvm::BasicBlock>(copies[from]));
      }
    }
  }
  for (const Check& c : checks) {
    c.compare->replaceAllUsesWith(
        llvm::ConstantInt::getBool(c.compare->getContext(), c.when_inside));
  }
  return checked;
}

// Whether running a part of a round twice changes no result, and the loop will not be vectorised
// anyway, because a sum of floats must keep its order.
bool can_begin_round_again(llvm::Loop& loop) {
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& i : *block) {
      if (i.mayHaveSideEffects()) return false;
    }
  }
  return std::ranges::any_of(loop.getHeader()->phis(), [](const llvm::PHINode& phi) {
    return phi.getType()->isFloatingPointTy();
  });
}

// A branch between blocks of the loop that rarely takes its successor `leaves`, which has other
// predecessors as well.
struct RareEdge {
  llvm::BranchInst* branch = nullptr;
  unsigned leaves = 0;  // the successor
};

std::vector<RareEdge> rare_edges(llvm::Loop& loop) {
  std::vector<RareEdge> out;
  for (llvm::BasicBlock* block : loop.blocks()) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
    std::uint64_t yes = 0;
    std::uint64_t no = 0;
    if (branch == nullptr || loop.isLoopExiting(block) ||
        !llvm::extractBranchWeights(*branch, yes, no) ||
        std::max(yes, no) < kRare * std::min(yes, no)) {
      continue;
    }
    const unsigned leaves = yes < no ? 0 : 1;
    llvm::BasicBlock* to = branch->getSuccessor(leaves);
    if (to == loop.getHeader() || to->getSinglePredecessor() != nullptr) continue;
    out.push_back({branch, leaves});
  }
  return out;
}

// Redirects rare branches of the loop without checks (an index that is outside) to the copy with
// checks, at the beginning of the same round. Then the loop has no paths that join again.
void leave_rarely(llvm::Loop& loop, const llvm::ValueToValueMapTy& copies, llvm::LoopInfo& loops) {
  if (!can_begin_round_again(loop)) return;
  const auto edges = rare_edges(loop);
  if (edges.empty()) return;
  llvm::BasicBlock* header = loop.getHeader();
  auto* entry = llvm::cast<llvm::BasicBlock>(copies.lookup(loop.getLoopPreheader()));
  llvm::BasicBlock* before = entry->getSinglePredecessor();
  auto* leave = llvm::BasicBlock::Create(header->getContext(), "leave", header->getParent(), entry);
  llvm::BranchInst::Create(entry, leave);
  if (llvm::Loop* parent = loop.getParentLoop()) parent->addBasicBlockToLoop(leave, loops);
  for (llvm::PHINode& phi : header->phis()) {
    auto* copy = llvm::cast<llvm::PHINode>(copies.lookup(&phi));
    llvm::IRBuilder<> b(leave, leave->begin());
    auto* current = b.CreatePHI(phi.getType(), static_cast<unsigned>(edges.size()));
    for (const RareEdge& edge : edges) current->addIncoming(&phi, edge.branch->getParent());
    b.SetInsertPoint(entry, entry->begin());
    auto* first = b.CreatePHI(phi.getType(), 2);
    first->addIncoming(copy->getIncomingValueForBlock(entry), before);
    first->addIncoming(current, leave);
    copy->setIncomingValueForBlock(entry, first);
  }
  for (const RareEdge& edge : edges) {
    edge.branch->getSuccessor(edge.leaves)
        ->removePredecessor(edge.branch->getParent(), /*KeepOneInputPHIs=*/true);
    edge.branch->setSuccessor(edge.leaves, leave);
  }
}

}  // namespace

llvm::PreservedAnalyses HoistRangeChecks::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto& dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  int copied = 0;
  llvm::SmallVector<llvm::Loop*, 8> innermost;
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (loop->isInnermost()) innermost.push_back(loop);
  }
  for (llvm::Loop* loop : innermost) {
    if (!loop->isLoopSimplifyForm() || copied == kMostCopies) continue;
    LoopChecks found(*loop, evolution);
    const auto checks = found.find();
    const auto marks = stop_marks(*loop, loops, evolution);
    const bool only_marks = checks.empty() && !marks.empty() && found.counted() &&
                            found.instructions() <= kMostInstructionsForMarks;
    if (checks.empty() && !only_marks) continue;
    llvm::Instruction* at = loop->getLoopPreheader()->getTerminator();
    if (!expandable(checks, found.rounds(), evolution, at)) continue;
    llvm::Value* all = all_inside(checks, found.rounds(), evolution, at);
    llvm::formLCSSA(*loop, dominators, &loops, &evolution);
    llvm::ValueToValueMapTy copies;
    llvm::Loop* checked = split(*loop, checks, all, loops, dominators, copies);
    mark_counters(checks, *loop, evolution);
    if (checked_stay_rolled) checked->setLoopAlreadyUnrolled();
    // One test of the stop flag before the loop takes the place of one in each round.
    for (std::size_t i = 1; i < marks.size(); ++i) marks[i]->eraseFromParent();
    if (!marks.empty()) marks[0]->moveBefore(loop->getLoopPreheader()->getTerminator());
    leave_rarely(*loop, copies, loops);
    // The exits are now reached from two loops.
    dominators.recalculate(function);
    evolution.forgetAllLoops();
    ++copied;
  }
  return copied != 0 ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace vyre
