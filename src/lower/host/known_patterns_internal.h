// Gathers and scatters whose lanes are at known distances, as in a tree over workgroup memory once
// its rounds are unrolled: wide loads and stores, and shuffles.
#pragma once

#include <llvm/IR/PassManager.h>

namespace vyre {

// The attribute of a pointer argument to memory that only this call of the code accesses: words
// between those of a scatter may be loaded and stored again.
constexpr const char* kOwnMemory = "vyre-own-memory";

struct UseKnownPatterns : llvm::PassInfoMixin<UseKnownPatterns> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
