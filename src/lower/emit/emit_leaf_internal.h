// Leaves: single scalars of the gang, uniform, linear in the lane, or varying.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

llvm::Type* scalar_type(EmitContext& e, ScalarKind kind);
llvm::Value* vector_of(EmitContext& e, const Leaf& leaf);  // <W x T>
llvm::Value* value_of(EmitContext& e, const Leaf& leaf);   // scalar or vector, as it is
llvm::Value* lane_numbers(EmitContext& e);                 // <W x i32> 0, 1, ...

Leaf constant_leaf(EmitContext& e, Scalar scalar);
Leaf constant_leaf(EmitContext& e, ScalarKind kind, std::uint64_t bits);
Leaf uniform_leaf(llvm::Value* v);
Leaf varying_leaf(const EmitContext& e, llvm::Value* v);
Leaf linear_leaf(EmitContext& e, llvm::Value* base, std::int64_t stride);

// f(values) with operands made alike: scalars if all are uniform, else vectors.
using LeafFn = llvm::function_ref<llvm::Value*(llvm::ArrayRef<llvm::Value*>)>;
Leaf lift(EmitContext& e, llvm::ArrayRef<Leaf> operands, LeafFn f);

Leaf select_leaf(EmitContext& e, const Leaf& condition, const Leaf& on_true, const Leaf& on_false);
Leaf both(EmitContext& e, const Leaf& x, const Leaf& y);
Leaf either(EmitContext& e, const Leaf& x, const Leaf& y);
Leaf negated(EmitContext& e, const Leaf& x);

llvm::Value* any_lane(EmitContext& e, llvm::Value* lanes);    // i1
llvm::Value* first_lane(EmitContext& e, llvm::Value* lanes);  // i32 index of the first true lane
// The value of a vector in which all running lanes are known to hold the same one.
llvm::Value* agreed(EmitContext& e, const Leaf& value, llvm::Value* lanes);

// While alive, the builder stands before the loop over a row's gangs, if all operands were computed
// there; otherwise it stays.
struct RowInvariant {
  RowInvariant(EmitContext& e, llvm::ArrayRef<const Leaf*> operands);
  ~RowInvariant();
  Leaf mark(Leaf leaf) const;  // marks the result as row-invariant if it is
  bool active = false;

 private:
  EmitContext& e_;
  llvm::BasicBlock* block_;
  llvm::BasicBlock::iterator point_;
};

}  // namespace vyre
