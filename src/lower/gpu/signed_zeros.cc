#include <llvm/ADT/SmallVector.h>
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
  llvm::SmallVector<llvm::SelectInst*> chosen;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    auto* choice = llvm::dyn_cast<llvm::SelectInst>(&i);
    if (choice == nullptr || !choice->getType()->isFPOrFPVectorTy()) continue;
    llvm::Value* x = nullptr;
    llvm::Value* y = nullptr;
    const auto flavour = llvm::matchSelectPattern(choice, x, y).Flavor;
    if (flavour != llvm::SPF_FMINNUM && flavour != llvm::SPF_FMAXNUM) continue;
    if (is_other_than_zero(x) || is_other_than_zero(y)) continue;
    chosen.push_back(choice);
  }
  // A choice between integers with the same bits is not recognised as a choice between the compared
  // numbers.
  for (llvm::SelectInst* choice : chosen) {
    llvm::IRBuilder<> b(choice);
    llvm::Type* type = choice->getType();
    llvm::Type* bits = type->getWithNewType(b.getIntNTy(type->getScalarSizeInBits()));
    llvm::Value* yes = b.CreateBitCast(choice->getTrueValue(), bits);
    llvm::Value* no = b.CreateBitCast(choice->getFalseValue(), bits);
    llvm::Value* picked = b.CreateBitCast(b.CreateSelect(choice->getCondition(), yes, no), type);
    choice->replaceAllUsesWith(picked);
    choice->eraseFromParent();
  }
  if (chosen.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace vyre
