// Stop checks of loops on the host. The emitter marks every loop; when the loops have their final
// shape, marks in loops that end soon by themselves are dropped and the others become a look at the
// launch's stop flag. Until then a mark is in nobody's way: values move across it, loops unroll.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace vyre {

// stop_flag: ptr to i32. The function around it returns i32, and 1 when it was stopped.
void emit_stop_mark(llvm::IRBuilder<>& b, llvm::Value* stop_flag);
// What such a function returns at its end: 0, which callers cannot know before marks are checks.
llvm::Value* emit_not_stopped(llvm::IRBuilder<>& b);

// Looks at the flag here and now.
void emit_stop_check(llvm::IRBuilder<>& b, llvm::Value* stop_flag);
// Says at the beginning of such a function that it may return at once.
void emit_may_stop_at_once(llvm::IRBuilder<>& b);
// The attribute of a function with loops, which counts as a loop where it is called.
constexpr const char* kLoopsAttribute = "vyre-loops";

// The marks of a loop that may run for long; none of one that is over soon.
std::vector<llvm::CallInst*> stop_marks(const llvm::Loop& loop, const llvm::LoopInfo& loops,
                                        llvm::ScalarEvolution& evolution);

struct PlaceStopChecks : llvm::PassInfoMixin<PlaceStopChecks> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace vyre
