// Small buffers that a launch only counts in.
//
// Threads that change the same few cache lines with atomic operations wait for each other. Where
// all that a kernel does with a buffer are atomic operations of one kind whose results nothing
// uses, their order cannot be seen. Each call of the kernel's code then works on a copy in its
// scratch memory with plain operations, and combines the copy with the buffer at its end.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "vyre/ir/program.h"
#include "vyre/lower/call_plan_internal.h"

namespace vyre {

struct EmitContext;

struct BufferOfCounts {
  GlobalId global{};
  AtomicOp op = AtomicOp::add;
  bool is_signed = false;
};

// The copies begin at the start of the scratch memory.
class PrivateCounts {
 public:
  PrivateCounts() = default;  // no buffer has copies
  // lanes: invocations of a workgroup.
  PrivateCounts(const Program& program, const CallPlan& plan, std::uint64_t lanes);

  std::uint64_t scratch_bytes() const;

  // At the beginning and end of the entry function. A bit of the result, an i32, says for each
  // buffer whether this call has a copy: the buffer is small, beside the number of invocations too.
  llvm::Value* begin(llvm::IRBuilder<>& b, llvm::Value* launch, llvm::Value* groups,
                     llvm::Value* scratch) const;
  void end(llvm::IRBuilder<>& b, llvm::Value* launch, llvm::Value* scratch,
           llvm::Value* copied) const;
  // The scratch memory behind the copies.
  llvm::Value* rest_of(EmitContext& e, llvm::Value* scratch) const;
  // In every function with statements, once its globals are known.
  void use(EmitContext& e, llvm::Value* scratch, llvm::Value* copied) const;

 private:
  std::vector<BufferOfCounts> buffers_;
  std::vector<std::uint64_t> slots_;  // of the buffers among the bindings
  std::uint64_t lanes_ = 1;
};

}  // namespace vyre
