// The stack that generated code needs, as the code generator lays it out.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Pass.h>

#include <cstdint>
#include <map>

namespace vyre {

// Bytes of the stack frame of each function, with its return address.
using FrameSizes = std::map<const llvm::Function*, std::uint64_t>;

// Whether frames have their final size after this pass of the code generator.
bool lays_out_frames(const llvm::Pass& pass);
// A pass that follows it and notes the size of every frame.
llvm::FunctionPass* note_frame_sizes(FrameSizes& sizes);
// The most that the frames of a function and of the functions it calls, directly or not, take at
// once, for any function of the module. Functions do not call themselves.
std::uint64_t deepest_stack(const llvm::Module& module, const FrameSizes& sizes);

}  // namespace vyre
