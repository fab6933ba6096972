#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <algorithm>

#include "vyre/lower/brief_pipeline_internal.h"

namespace vyre {
namespace {

// LLVM's own pass may walk over all blocks behind the first use of each variable, which takes too
// long in large functions.
struct MemoryToRegisters : llvm::PassInfoMixin<MemoryToRegisters> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    constexpr std::size_t kMostWork = 20'000'000;
    const auto variables = std::ranges::count_if(
        llvm::instructions(function),
        [](const llvm::Instruction& i) { return llvm::isa<llvm::AllocaInst>(i); });
    if (static_cast<std::size_t>(variables) * function.size() > kMostWork) {
      return llvm::PreservedAnalyses::all();
    }
    return llvm::SROAPass(llvm::SROAOptions::ModifyCFG).run(function, analyses);
  }
};

}  // namespace

bool is_large(const llvm::Module& module) {
  constexpr unsigned kMostInstructions = 20'000;
  return module.getInstructionCount() > kMostInstructions;
}

llvm::FunctionPassManager brief_passes() {
  llvm::FunctionPassManager out;
  out.addPass(llvm::SimplifyCFGPass());
  out.addPass(MemoryToRegisters());
  out.addPass(llvm::EarlyCSEPass());
  out.addPass(llvm::SimplifyCFGPass());
  return out;
}

}  // namespace vyre
