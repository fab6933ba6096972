// Indices whose lanes follow each other in most gangs, though not in all: `min(x + 1, n)`, `i % n`,
// `i / n`, `i ^ 32`. One test for the gang, made where the program runs, tells which.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// base + lane·stride where `when` holds (i1; null: always). A null base: nothing is known.
struct UsualLanes {
  llvm::Value* base = nullptr;
  std::int64_t stride = 0;
  llvm::Value* when = nullptr;
};

UsualLanes usual_lanes(const Leaf& leaf);
// Adds to `out`, x op y of integers, what its lanes usually are.
void add_usual_lanes(EmitContext& e, BinaryOp op, bool is_signed, const Leaf& x, const Leaf& y,
                     Leaf& out);
// The same for the minimum or maximum of x and y.
void add_usual_lanes(EmitContext& e, llvm::Intrinsic::ID id, const Leaf& x, const Leaf& y,
                     Leaf& out);

// Adds to `out`, element `index` of what `base` points to, where its lanes usually lie and that
// they are inside. count: i32, the number of elements; null where the index is known to be below
// it.
void add_usual_place(EmitContext& e, const Pointer& base, const Leaf& index, std::uint64_t scale,
                     llvm::Value* count, Pointer& out);

}  // namespace vyre
