#include <llvm/IR/MDBuilder.h>

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

using llvm::Value;

EmitContext::EmitContext(const Program& program, const ProgramSpreads& spreads,
                         llvm::Function* function, unsigned width, Extent workgroup)
    : b(function->getContext()),
      program(program),
      spreads(spreads),
      function(function),
      width(width),
      workgroup(workgroup) {}

llvm::BasicBlock* EmitContext::new_block(const char* name) {
  return llvm::BasicBlock::Create(context(), name, function);
}

llvm::AllocaInst* EmitContext::alloca_of(llvm::Type* type, const char* name) {
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(allocas, allocas->begin());
  return b.CreateAlloca(type, nullptr, name);
}

llvm::Type* EmitContext::lanes_of(llvm::Type* scalar) {
  return wide() ? llvm::FixedVectorType::get(scalar, width) : scalar;
}

Value* EmitContext::all_on() {
  return wide() ? llvm::Constant::getAllOnesValue(lanes_of(b.getInt1Ty()))
                : static_cast<Value*>(b.getTrue());
}
Value* EmitContext::zero_mask() { return llvm::Constant::getNullValue(lanes_of(b.getInt1Ty())); }
Value* EmitContext::mask_or_all() { return mask == nullptr ? all_on() : mask; }

void EmitContext::branch(Value* condition, llvm::function_ref<void()> then,
                         llvm::function_ref<void()> otherwise, bool likely) {
  auto* yes = new_block("then");
  auto* no = new_block("else");
  auto* join = new_block("join");
  b.CreateCondBr(condition, yes, no,
                 likely ? llvm::MDBuilder(context()).createLikelyBranchWeights() : nullptr);
  b.SetInsertPoint(yes);
  then();
  if (!ended()) b.CreateBr(join);
  b.SetInsertPoint(no);
  otherwise();
  if (!ended()) b.CreateBr(join);
  b.SetInsertPoint(join);
}

}  // namespace vyre
