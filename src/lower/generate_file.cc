#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Pass.h>
#include <llvm/Support/raw_ostream.h>

#include "vyre/base/process/abandonable.h"
#include "vyre/lower/frame_sizes_internal.h"
#include "vyre/lower/generate_file_internal.h"

namespace vyre {
namespace {

// Code generation has no callback that could end it, so a pass of our own asks.
class LeaveWhenUnwanted : public llvm::FunctionPass {
 public:
  LeaveWhenUnwanted() : FunctionPass(id) {}
  bool runOnFunction(llvm::Function&) override {
    if (is_work_unwanted()) abandon_work({Code::limit, "nobody waits for the code any more", {}});
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesAll(); }

 private:
  static char id;  // LLVM tells passes apart by the address
};

char LeaveWhenUnwanted::id = 0;

// The passes of a target, with those of ours between them.
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
  // Left between two passes, everything is whole and is given back. After any other failure it is
  // not, and nothing is touched again.
  if (ran.error().code != Code::limit) abandon_work(ran.error());
  return std::unexpected(ran.error());
}

}  // namespace vyre
