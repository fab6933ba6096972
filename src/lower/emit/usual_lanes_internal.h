// Indices that increase evenly from lane to lane in most gangs, but not in all: `min(x + 1, n)`, `i
// % n`, `i / n`, `i ^ 32`, `select(x - 1, n - 1, x == 0)`. One test per gang, while the program
// runs, tells whether they do.
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
// Notes in `out`, which is x op y of integers, the usual values of its lanes.
void add_usual_lanes(EmitContext& e, BinaryOp op, bool is_signed, const Leaf& x, const Leaf& y,
                     Leaf& out);
// The same for the minimum or maximum of x and y.
void add_usual_lanes(EmitContext& e, llvm::Intrinsic::ID id, const Leaf& x, const Leaf& y,
                     Leaf& out);
// The same for x where `condition` holds, and y elsewhere. The usual one of them is that which
// increases from lane to lane, or y.
void add_usual_choice(EmitContext& e, const Leaf& condition, const Leaf& x, const Leaf& y,
                      Leaf& out);

// Notes in `out`, a pointer to element `index` of what `base` points to, the usual places of its
// lanes, and when these are inside. count: i32, the number of elements; null if the index is known
// to be below it.
void add_usual_place(EmitContext& e, const Pointer& base, const Leaf& index, std::uint64_t scale,
                     llvm::Value* count, Pointer& out);

}  // namespace vyre
