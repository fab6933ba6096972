// Single PTX instructions that LLVM has no operation for, or gets wrong. All are pure unless said.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "vyre/ir/operation.h"

namespace vyre {

llvm::Value* ptx_divide(llvm::IRBuilder<>& b, llvm::Value* x, llvm::Value* y);  // f32, 2 ULP
llvm::Value* ptx_square_root(llvm::IRBuilder<>& b, llvm::Value* x);             // f32
// The elementary functions that the hardware approximates well enough; null for the others.
bool has_ptx_instruction(MathFn fn);
llvm::Value* ptx_elementary(llvm::IRBuilder<>& b, MathFn fn, llvm::ArrayRef<llvm::Value*> a);
llvm::Value* ptx_global_timer(llvm::IRBuilder<>& b);  // i64 nanoseconds; never moved or joined

// An instruction with one result (void: none) in PTX, operands $0 (result), $1, ...
enum class PtxEffect : std::uint8_t { pure, memory };
llvm::Value* ptx_instruction(llvm::IRBuilder<>& b, llvm::Type* result, llvm::StringRef text,
                             llvm::ArrayRef<llvm::Value*> operands, PtxEffect effect);

}  // namespace vyre
