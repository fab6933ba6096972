#include <llvm/IR/InlineAsm.h>

#include <numbers>
#include <string>

#include "vyre/lower/gpu/ptx_ops_internal.h"

namespace vyre {

using llvm::Value;

namespace {

char constraint_of(const llvm::Type* type) {
  if (type->isFloatTy()) return 'f';
  if (type->isIntegerTy(64) || type->isPointerTy()) return 'l';
  return 'r';
}

Value* one(llvm::IRBuilder<>& b, llvm::StringRef text, Value* x) {
  return ptx_instruction(b, b.getFloatTy(), text, {x}, PtxEffect::pure);
}

Value* exp2(llvm::IRBuilder<>& b, Value* x) { return one(b, "ex2.approx.ftz.f32 $0, $1;", x); }
Value* log2(llvm::IRBuilder<>& b, Value* x) { return one(b, "lg2.approx.f32 $0, $1;", x); }

Value* number(llvm::IRBuilder<>& b, double v) { return llvm::ConstantFP::get(b.getFloatTy(), v); }

// Subtracts whole turns in three steps, because the instructions are accurate in [-pi, pi].
Value* within_a_turn(llvm::IRBuilder<>& b, Value* x) {
  const auto fma = [&](Value* p, double q, Value* r) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {b.getFloatTy()}, {p, number(b, q), r});
  };
  Value* n = b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven,
                                    b.CreateFMul(x, number(b, 0.5 / std::numbers::pi)));
  Value* r = fma(n, -6.28125, x);
  r = fma(n, -1.935005187988281e-3, r);
  return fma(n, -3.0199158e-7, r);
}

}  // namespace

Value* ptx_instruction(llvm::IRBuilder<>& b, llvm::Type* result, llvm::StringRef text,
                       llvm::ArrayRef<Value*> operands, PtxEffect effect) {
  std::string constraints;
  if (!result->isVoidTy()) constraints = std::string("=") + constraint_of(result);
  llvm::SmallVector<llvm::Type*, 4> types;
  for (Value* v : operands) {
    if (!constraints.empty()) constraints += ',';
    constraints += constraint_of(v->getType());
    types.push_back(v->getType());
  }
  const bool memory = effect == PtxEffect::memory;
  if (memory) constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  auto* type = llvm::FunctionType::get(result, types, false);
  auto* call = b.CreateCall(llvm::InlineAsm::get(type, text, constraints, memory), operands);
  call->setDoesNotThrow();
  if (!memory) call->setDoesNotAccessMemory();
  return call;
}

Value* ptx_divide(llvm::IRBuilder<>& b, Value* x, Value* y) {
  // Division by a power of two is exact.
  if (const auto* c = llvm::dyn_cast<llvm::ConstantFP>(y)) {
    llvm::APFloat inverse(0.0F);
    if (c->getValueAPF().getExactInverse(&inverse)) {
      return b.CreateFMul(x, llvm::ConstantFP::get(b.getContext(), inverse));
    }
  }
  return ptx_instruction(b, b.getFloatTy(), "div.full.f32 $0, $1, $2;", {x, y}, PtxEffect::pure);
}

Value* ptx_square_root(llvm::IRBuilder<>& b, Value* x) {
  return one(b, "sqrt.approx.f32 $0, $1;", x);
}

bool has_ptx_instruction(MathFn fn) {
  switch (fn) {
    case MathFn::inverse_sqrt:
    case MathFn::exp2:
    case MathFn::exp:
    case MathFn::log2:
    case MathFn::sin:
    case MathFn::cos: return true;
    default: return false;
  }
}

Value* ptx_elementary(llvm::IRBuilder<>& b, MathFn fn, llvm::ArrayRef<Value*> a) {
  switch (fn) {
    case MathFn::inverse_sqrt: return one(b, "rsqrt.approx.f32 $0, $1;", a[0]);
    case MathFn::exp2: return exp2(b, a[0]);
    case MathFn::exp: return exp2(b, b.CreateFMul(a[0], number(b, std::numbers::log2e)));
    case MathFn::log2: return log2(b, a[0]);
    case MathFn::sin: return one(b, "sin.approx.f32 $0, $1;", within_a_turn(b, a[0]));
    case MathFn::cos: return one(b, "cos.approx.f32 $0, $1;", within_a_turn(b, a[0]));
    default: return nullptr;
  }
}

Value* ptx_global_timer(llvm::IRBuilder<>& b) {
  return ptx_instruction(b, b.getInt64Ty(), "mov.u64 $0, %globaltimer;", {}, PtxEffect::memory);
}

}  // namespace vyre
