#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Operator.h>

#include <vector>

#include "vyre/lower/emit/memory_scopes_internal.h"

namespace vyre {
namespace {

// The address of a plain access; null for anything else.
const llvm::Value* address_of(const llvm::Instruction& i) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) return load->getPointerOperand();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) return store->getPointerOperand();
  if (const auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) return rmw->getPointerOperand();
  if (const auto* x = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) return x->getPointerOperand();
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (call == nullptr) return nullptr;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_gather: return call->getArgOperand(0);
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_scatter: return call->getArgOperand(1);
    default: return nullptr;
  }
}

}  // namespace

void mark_memory_scopes(llvm::Function& function, llvm::ArrayRef<const llvm::Value*> bases) {
  llvm::LLVMContext& context = function.getContext();
  llvm::MDBuilder metadata(context);
  auto* domain = metadata.createAnonymousAliasScopeDomain(function.getName());
  std::vector<llvm::Metadata*> scopes;
  struct Scope {
    std::size_t number = 0;
    llvm::MDNode* own = nullptr;
    llvm::MDNode* others = nullptr;
  };
  llvm::DenseMap<const llvm::Value*, Scope> scope_of;
  for (const llvm::Value* base : bases) {
    if (base == nullptr || !scope_of.try_emplace(base, Scope{scopes.size()}).second) continue;
    scopes.push_back(metadata.createAnonymousAliasScope(domain));
  }
  for (auto& [base, scope] : scope_of) {
    std::vector<llvm::Metadata*> others = scopes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(scope.number));
    scope.own = llvm::MDNode::get(context, {scopes[scope.number]});
    scope.others = llvm::MDNode::get(context, others);
  }
  for (llvm::Instruction& i : llvm::instructions(function)) {
    const llvm::Value* at = address_of(i);
    if (at == nullptr) continue;
    while (!scope_of.contains(at)) {
      const auto* step = llvm::dyn_cast<llvm::GEPOperator>(at);
      if (step == nullptr) break;
      at = step->getPointerOperand();
    }
    const auto found = scope_of.find(at);
    if (found == scope_of.end()) continue;
    i.setMetadata(llvm::LLVMContext::MD_alias_scope, found->second.own);
    i.setMetadata(llvm::LLVMContext::MD_noalias, found->second.others);
  }
}

}  // namespace vyre
