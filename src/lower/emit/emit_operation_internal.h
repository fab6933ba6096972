// Operators, conversions and builtin functions of leaves.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

Leaf emit_unary(EmitContext& e, UnaryOp op, ScalarKind kind, const Leaf& a);
Leaf emit_binary(EmitContext& e, BinaryOp op, ScalarKind kind, const Leaf& x, const Leaf& y);
Leaf emit_convert(EmitContext& e, ScalarKind from, ScalarKind to, const Leaf& a);
Leaf emit_fma(EmitContext& e, ScalarKind kind, const Leaf& x, const Leaf& y, const Leaf& z);
Val emit_bitcast(EmitContext& e, const Val& a, TypeId result);

// An upper bound of an integer's bits, as an i32 that was computed before the row; null if none is
// known.
llvm::Value* most_of(EmitContext& e, const Leaf& leaf);

// emit_math.cc
Val emit_math(EmitContext& e, MathFn fn, TypeId result, llvm::ArrayRef<Val> arguments);
// emit_pack.cc: packing and unpacking of small formats, and dot products of packed bytes.
Val emit_pack(EmitContext& e, MathFn fn, TypeId result, llvm::ArrayRef<Val> arguments);

// emit_gpu.cc: f32, by the GPU's own instructions there.
llvm::Value* emit_divide(EmitContext& e, llvm::Value* x, llvm::Value* y);
llvm::Value* emit_square_root(EmitContext& e, llvm::Value* x);
// emit_function.cc: sin, pow and the like, where they stand or as a function.
llvm::Value* emit_elementary_function(EmitContext& e, MathFn fn,
                                      llvm::ArrayRef<llvm::Value*> arguments);

}  // namespace vyre
