// Atomic operations that read, change and write a word.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "vyre/ir/program.h"

namespace vyre {

llvm::AtomicRMWInst::BinOp read_modify_write_of(AtomicOp op, bool is_signed);

// The i32 with which an operation changes nothing; of add, sub, max, min, and, or, xor.
llvm::Constant* identity_of(llvm::IRBuilder<>& b, AtomicOp op, bool is_signed);

}  // namespace vyre
