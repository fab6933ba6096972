// Addresses from indices in one instruction. The emitter computes offsets in 32 bits, as a product
// of an index and the size of an element, and adds them to 64-bit addresses: a shift, an extension
// and a sum in two halves. Where the product does not wrap, index times size plus address is one
// wide multiplication and addition of the device.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

struct WideAddresses : llvm::PassInfoMixin<WideAddresses> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
