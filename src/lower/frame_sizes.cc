#include <llvm/CodeGen/MachineFrameInfo.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "vyre/lower/frame_sizes_internal.h"

namespace vyre {
namespace {

constexpr std::uint64_t kReturnAddressBytes = 8;

class NoteFrameSizes : public llvm::MachineFunctionPass {
 public:
  explicit NoteFrameSizes(FrameSizes& sizes) : MachineFunctionPass(id), sizes_(sizes) {}
  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const llvm::MachineFrameInfo& frame = function.getFrameInfo();
    // An aligned frame may begin up to its alignment further down the stack.
    sizes_[&function.getFunction()] =
        frame.getStackSize() + frame.getMaxAlign().value() + kReturnAddressBytes;
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

 private:
  static char id;  // LLVM identifies a pass by this address
  FrameSizes& sizes_;
};

char NoteFrameSizes::id = 0;

std::uint64_t stack_of(const llvm::Function& function, const FrameSizes& sizes,
                       FrameSizes& deepest) {
  if (const auto known = deepest.find(&function); known != deepest.end()) return known->second;
  std::uint64_t below = 0;
  for (const llvm::Instruction& i : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
    const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
    if (callee == nullptr || callee->isDeclaration()) continue;
    below = std::max(below, stack_of(*callee, sizes, deepest));
  }
  const auto own = sizes.find(&function);
  return deepest[&function] = below + (own == sizes.end() ? 0 : own->second);
}

}  // namespace

bool lays_out_frames(const llvm::Pass& pass) {
  return pass.getPassID() == &llvm::PrologEpilogCodeInserterID;
}

llvm::FunctionPass* note_frame_sizes(FrameSizes& sizes) { return new NoteFrameSizes(sizes); }

std::uint64_t deepest_stack(const llvm::Module& module, const FrameSizes& sizes) {
  FrameSizes deepest;
  std::uint64_t out = 0;
  for (const llvm::Function& f : module) {
    if (!f.isDeclaration()) out = std::max(out, stack_of(f, sizes, deepest));
  }
  return out;
}

}  // namespace vyre
