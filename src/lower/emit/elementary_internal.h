// Elementary functions of f32 as straight-line LLVM IR, scalars and vectors alike: no library
// calls, accurate to what WGSL asks. On a GPU division, square root and the functions that it has
// instructions for are its own.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "vyre/ir/operation.h"

namespace vyre {

llvm::Value* emit_elementary(llvm::IRBuilder<>& b, MathFn fn,
                             llvm::ArrayRef<llvm::Value*> arguments, bool gpu);
// The exponent that makes pow a few multiplications: a constant whole number of at most 8 in size;
// 0 for every other.
int small_whole_exponent(const llvm::Value* y);
// x - y·trunc(x/y), exact while the quotient is below 2^24.
llvm::Value* emit_float_remainder(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y, bool gpu);

}  // namespace vyre
