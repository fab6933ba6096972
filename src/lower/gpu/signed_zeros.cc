#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "vyre/lower/gpu/signed_zeros_internal.h"

namespace vyre {
namespace {

bool is_other_than_zero(const llvm::Value* v) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantFP>(v);
  return constant != nullptr && !constant->isZero();
}

}  // namespace

llvm::PreservedAnalyses SignedZeros::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(&i);
    if (choice == nullptr || !choice->getType()->isFPOrFPVectorTy()) continue;
    llvm::Value* x = nullptr;
    llvm::Value* y = nullptr;
    const auto flavour = llvm::matchSelectPattern(choice, x, y).Flavor;
    if (flavour != llvm::SPF_FMINNUM && flavour != llvm::SPF_FMAXNUM) continue;
    if (is_other_than_zero(x) || is_other_than_zero(y)) continue;
    // A choice between other values than were compared, as far as the code generator can see.
    llvm::IRBuilder<> b(choice);
    choice->setTrueValue(b.CreateFreeze(choice->getTrueValue()));
    choice->setFalseValue(b.CreateFreeze(choice->getFalseValue()));
    changed = true;
  }
  if (!changed) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace vyre
