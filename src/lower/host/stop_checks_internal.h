// Stop checks of loops on the host. The emitter marks every loop; when the loops have their final
// shape, marks in loops that end soon by themselves are dropped and the others become a look at the
// launch's stop flag. Until then a mark prevents no optimisation: values move across it, and loops
// are unrolled.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

#include <vector>

namespace vyre {

// Emits a mark. stop_flag: a pointer to an i32. The surrounding function returns an i32, which is 1
// if it was stopped.
void emit_stop_mark(llvm::IRBuilder<>& b, llvm::Value* stop_flag);
// The value that such a function returns at its end. It is 0, but callers cannot know that before
// marks have become checks.
llvm::Value* emit_not_stopped(llvm::IRBuilder<>& b);

// Emits a test of the flag at this place.
void emit_stop_check(llvm::IRBuilder<>& b, llvm::Value* stop_flag);
// Tells LLVM, at the beginning of such a function, that the function may return at once.
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
