#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Pass.h>
#include <llvm/Support/raw_ostream.h>

#include "vyre/base/process/abandonable.h"
#include "vyre/lower/frame_sizes_internal.h"
#include "vyre/lower/generate_file_internal.h"

namespace vyre {
namespace {

// Code generation has no callback that could end it, so this pass tests whether the work is still
// wanted.
class LeaveWhenUnwanted : public llvm::FunctionPass {
 public:
  LeaveWhenUnwanted() : FunctionPass(id) {}
  bool runOnFunction(llvm::Function&) override {
    if (is_work_unwanted()) abandon_work({Code::limit, "nobody waits for the code any more", {}});
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesAll(); }

 private:
  static char id;  // LLVM identifies a pass by this address
};

char LeaveWhenUnwanted::id = 0;

// The passes of a target, with our own passes between them.
class WatchedPasses : public llvm::legacy::PassManager {
 public:
  explicit WatchedPasses(FrameSizes& frames) : frames_(frames) {}
  void add(llvm::Pass* pass) override {
    const bool is_of_functions = pass->getPassKind() == llvm::PT_Function;
    const bool has_frames = lays_out_frames(*pass);
    PassManager::add(pass);  // may delete it
    if (has_frames) PassManager::add(note_frame_sizes(frames_));
    if (is_of_functions) PassManager::add(new LeaveWhenUnwanted);
  }

 private:
  FrameSizes& frames_;
};

}  // namespace

Result<GeneratedFile> generate_file(llvm::TargetMachine& target, llvm::Module& module,
                                    llvm::CodeGenFileType type) {
  GeneratedFile out;
  llvm::raw_svector_ostream stream(out.bytes);
  FrameSizes frames;
  WatchedPasses passes(frames);
  if (target.addPassesToEmitFile(passes, stream, nullptr, type)) {
    return fail(Code::internal, "the code generator writes no such file");
  }
  const auto ran = attempt_work([&] { passes.run(module); });
  if (ran) {
    out.stack_bytes = deepest_stack(module, frames);
    return out;
  }
  // If the work ended between two passes, all objects are in a valid state and are destroyed. After
  // any other failure they may be half changed, so none of them is touched again.
  if (ran.error().code != Code::limit) abandon_work(ran.error());
  return std::unexpected(ran.error());
}

}  // namespace vyre
