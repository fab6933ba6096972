#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "vyre/lower/gpu/wide_addresses_internal.h"

namespace vyre {
namespace {

namespace match = llvm::PatternMatch;

// index · size + more, in 32 bits without wrapping.
struct Product {
  llvm::Value* index = nullptr;
  std::uint64_t size = 1;
  std::uint64_t more = 0;
};

std::optional<Product> product_of(llvm::Value* offset) {
  llvm::Value* index = nullptr;
  const llvm::APInt* constant = nullptr;
  if (match::match(offset, match::m_NUWShl(match::m_Value(index), match::m_APInt(constant))) &&
      constant->ult(32)) {
    return Product{index, std::uint64_t{1} << constant->getZExtValue(), 0};
  }
  if (match::match(offset, match::m_NUWMul(match::m_Value(index), match::m_APInt(constant)))) {
    return Product{index, constant->getZExtValue(), 0};
  }
  if (match::match(offset, match::m_NUWAdd(match::m_Value(index), match::m_APInt(constant)))) {
    auto out = product_of(index);
    if (out) out->more += constant->getZExtValue();
    return out;
  }
  return std::nullopt;
}

// An offset that is 0 where the index is outside: the index is chosen instead.
std::optional<Product> chosen_product_of(llvm::Value* offset) {
  auto* choice = llvm::dyn_cast<llvm::SelectInst>(offset);
  if (choice == nullptr) return product_of(offset);
  const bool is_first = match::match(choice->getFalseValue(), match::m_Zero());
  if (!is_first && !match::match(choice->getTrueValue(), match::m_Zero())) return std::nullopt;
  auto out = product_of(is_first ? choice->getTrueValue() : choice->getFalseValue());
  if (!out || out->more != 0) return std::nullopt;
  llvm::IRBuilder<> b(choice);
  llvm::Value* zero = b.getInt32(0);
  out->index = is_first ? b.CreateSelect(choice->getCondition(), out->index, zero)
                        : b.CreateSelect(choice->getCondition(), zero, out->index);
  return out;
}

bool is_address_part(const llvm::ZExtInst& offset) {
  return offset.getSrcTy()->isIntegerTy(32) && offset.getDestTy()->isIntegerTy(64) &&
         std::ranges::any_of(offset.users(), [](const llvm::User* user) {
           return llvm::isa<llvm::GetElementPtrInst>(user);
         });
}

}  // namespace

llvm::PreservedAnalyses WideAddresses::run(llvm::Function& function,
                                           llvm::FunctionAnalysisManager&) {
  std::vector<llvm::ZExtInst*> offsets;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (auto* offset = llvm::dyn_cast<llvm::ZExtInst>(&i); offset && is_address_part(*offset)) {
      offsets.push_back(offset);
    }
  }
  for (llvm::ZExtInst* offset : offsets) {
    const auto product = chosen_product_of(offset->getOperand(0));
    if (!product) continue;
    llvm::IRBuilder<> b(offset);
    llvm::Value* wide = b.CreateMul(b.CreateZExt(product->index, b.getInt64Ty()),
                                    b.getInt64(product->size), "", /*HasNUW=*/true, true);
    if (product->more != 0) wide = b.CreateAdd(wide, b.getInt64(product->more), "", true, true);
    offset->replaceAllUsesWith(wide);
  }
  for (llvm::ZExtInst* offset : offsets) {
    if (offset->use_empty()) offset->eraseFromParent();
  }
  if (offsets.empty()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace vyre
