// Programs without barriers: the launch is cut into rows along x, and each row into gangs. A row is
// tested once: where all accesses that move along with x stay inside, gangs run unchecked and
// unmasked; the rest of the row runs checked and masked.
#include <algorithm>
#include <functional>

#include "vyre/ir/access/column_accesses.h"
#include "vyre/lower/emit/emit_control_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_operation_internal.h"
#include "vyre/lower/emit/store_blocks_internal.h"
#include "vyre/lower/host/host_prologue_internal.h"
#include "vyre/lower/host/host_rows_internal.h"

namespace vyre {

using llvm::Value;

namespace {

class Rows {
 public:
  Rows(EmitContext& e, const ProgramSpreads& spreads, const Variant& variant,
       const PrivateCounts& counts)
      : e_(e),
        b_(e.b),
        spreads_(spreads),
        variant_(variant),
        counts_(counts),
        in_tiles_(e.workgroup[1] > 1 && column_bytes_of(e.program) > 0) {}

  void emit(llvm::Function* function) {
    const auto arguments = emit_host_prologue(e_, function, function->getArg(0));
    for (unsigned i = 0; i < 3; ++i) extent_[i] = arguments.extent[i];
    Value* launch = function->getArg(0);
    Value* copies = function->getArg(3);
    Value* copied = counts_.begin(b_, launch, function->getArg(2), copies);
    counts_.use(e_, copies, copied);
    e_.scratch = counts_.rest_of(e_, copies);
    Value* first = function->getArg(1);
    Value* end = b_.CreateAdd(first, function->getArg(2));
    const Extent& w = e_.workgroup;
    auto* g_at = e_.alloca_of(b_.getInt64Ty(), "group");
    b_.CreateStore(first, g_at);
    // Neighbouring workgroups along x make one row.
    loop_while(
        [&] { return b_.CreateICmpULT(b_.CreateLoad(b_.getInt64Ty(), g_at), end); },
        [&] {
          Value* g = b_.CreateLoad(b_.getInt64Ty(), g_at);
          Value* grid[2] = {wide(e_.grid[0]), wide(e_.grid[1])};
          Value* gx = b_.CreateURem(g, grid[0]);
          Value* rest = b_.CreateUDiv(g, grid[0]);
          Value* gy = b_.CreateURem(rest, grid[1]);
          Value* gz = b_.CreateUDiv(rest, grid[1]);
          Value* n = smaller(b_.CreateSub(end, g), b_.CreateSub(grid[0], gx));
          b_.CreateStore(b_.CreateAdd(g, n), g_at);
          Value* x0 = b_.CreateMul(gx, b_.getInt64(w[0]));
          Value* x1 = smaller(b_.CreateMul(b_.CreateAdd(gx, n), b_.getInt64(w[0])), extent_[0]);
          const auto rows = [&](Value* from, Value* to) {
            axis(gz, 2, [&](Value* z) { axis(gy, 1, [&](Value* y) { row(from, to, y, z); }); });
          };
          if (in_tiles_) return tiles(x0, x1, rows);
          rows(x0, x1);
        });
    end_store_blocks(e_);
    counts_.end(b_, launch, copies, copied);
    b_.CreateRet(b_.getInt32(0));
  }

 private:
  // A line of the cache has so many words.
  static constexpr unsigned kTileLanes = 16;

  Value* wide(Value* v) { return b_.CreateZExt(v, b_.getInt64Ty()); }
  Value* narrow(Value* v) { return b_.CreateTrunc(v, b_.getInt32Ty()); }
  Value* smaller(Value* x, Value* y) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
  }

  void loop_while(const std::function<Value*()>& condition, const std::function<void()>& body) {
    auto* head = e_.new_block("while");
    auto* inside = e_.new_block("do");
    auto* after = e_.new_block("done");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    b_.CreateCondBr(condition(), inside, after);
    b_.SetInsertPoint(inside);
    body();
    b_.CreateBr(head);
    b_.SetInsertPoint(after);
  }

  // Columns of memory are written or read a few lanes of each row at a time, so that a line of the
  // cache is still there when the next row comes to it.
  void tiles(Value* x0, Value* x1, const std::function<void(Value*, Value*)>& rows) {
    auto* from_at = e_.alloca_of(b_.getInt64Ty(), "tile");
    b_.CreateStore(x0, from_at);
    loop_while([&] { return b_.CreateICmpSLT(b_.CreateLoad(b_.getInt64Ty(), from_at), x1); },
               [&] {
                 Value* from = b_.CreateLoad(b_.getInt64Ty(), from_at);
                 Value* to = b_.CreateAdd(from, b_.getInt64(std::max(kTileLanes, e_.width)));
                 rows(from, smaller(to, x1));
                 b_.CreateStore(to, from_at);
               });
  }

  // The workgroup's positions on an axis that lie inside the extent.
  void axis(Value* group, unsigned i, const std::function<void(Value*)>& body) {
    const std::uint32_t size = e_.workgroup[i];
    if (size == 1) {
      return e_.branch(b_.CreateICmpULT(group, extent_[i]), [&] { body(group); }, [] {});
    }
    Value* first = b_.CreateMul(group, b_.getInt64(size));
    auto* at = e_.alloca_of(b_.getInt64Ty(), "axis");
    b_.CreateStore(first, at);
    Value* end = smaller(b_.CreateAdd(first, b_.getInt64(size)), extent_[i]);
    loop_while([&] { return b_.CreateICmpULT(b_.CreateLoad(b_.getInt64Ty(), at), end); },
               [&] {
                 Value* v = b_.CreateLoad(b_.getInt64Ty(), at);
                 body(v);
                 b_.CreateStore(b_.CreateAdd(v, b_.getInt64(1)), at);
               });
  }

  // x, i64: of the gang's first lane. stride: between lanes.
  void set_ids(Value* x, std::int64_t stride, bool tested) {
    const Extent& w = e_.workgroup;
    const unsigned width = e_.width;
    Value* x32 = narrow(x);
    e_.ids.global[0] = linear_leaf(e_, x32, stride);
    if (stride == 1 && e_.row_start != nullptr) e_.ids.global[0].along_row = {true, nullptr, 0};
    e_.row_x64 = x;
    e_.rows_tested = tested;
    Value* position[3] = {x32, y32_, z32_};
    for (unsigned i = 1; i < 3; ++i) {
      e_.ids.global[i] = invariant(position[i]);
      e_.ids.workgroup[i] = invariant(group_of_[i]);
      e_.ids.local[i] = invariant(local_of_[i]);
      e_.ids.local[i].max = w[i] - 1;
    }
    if (stride == 1 && w[0] % width == 0) {
      e_.ids.workgroup[0] = uniform_leaf(b_.CreateUDiv(x32, b_.getInt32(w[0])));
      e_.ids.local[0] = linear_leaf(e_, b_.CreateURem(x32, b_.getInt32(w[0])), 1);
    } else {
      const Leaf size = constant_leaf(e_, Scalar::of(w[0]));
      e_.ids.workgroup[0] = emit_binary(e_, BinaryOp::div, ScalarKind::u32, e_.ids.global[0], size);
      e_.ids.local[0] = emit_binary(e_, BinaryOp::rem, ScalarKind::u32, e_.ids.global[0], size);
    }
    e_.ids.local[0].max = w[0] - 1;
    const auto u32 = ScalarKind::u32;
    Leaf row =
        emit_binary(e_, BinaryOp::mul, u32, e_.ids.local[2], constant_leaf(e_, Scalar::of(w[1])));
    row = emit_binary(e_, BinaryOp::add, u32, row, e_.ids.local[1]);
    row = emit_binary(e_, BinaryOp::mul, u32, row, constant_leaf(e_, Scalar::of(w[0])));
    e_.ids.local_index = emit_binary(e_, BinaryOp::add, u32, row, e_.ids.local[0]);
  }

  Leaf invariant(Value* v) {
    Leaf leaf = uniform_leaf(v);
    leaf.row_invariant = e_.row_start != nullptr;
    return leaf;
  }

  void body() {
    const auto frame = new_frame(e_, *spreads_.entry, nullptr, false);
    begin_frame_in_gang(e_, *frame);
    begin_privates(e_, *frame);
    emit_block(e_, *frame, e_.program.block(frame->function->body));
    if (!e_.ended()) b_.CreateBr(frame->exit);
    b_.SetInsertPoint(frame->exit);
    e_.mask = nullptr;
  }

  void row(Value* x0, Value* x1, Value* y, Value* z) {
    const Extent& w = e_.workgroup;
    y32_ = narrow(y);
    z32_ = narrow(z);
    Value* position[3] = {nullptr, y32_, z32_};
    for (unsigned i = 1; i < 3; ++i) {
      group_of_[i] = b_.CreateUDiv(position[i], b_.getInt32(w[i]));
      local_of_[i] = b_.CreateURem(position[i], b_.getInt32(w[i]));
    }
    auto* x_at = e_.alloca_of(b_.getInt64Ty(), "x");
    b_.CreateStore(x0, x_at);
    const auto load_x = [&] { return b_.CreateLoad(b_.getInt64Ty(), x_at); };

    // Row-invariant code, and the range in which gangs run unchecked, are filled in before these
    // two marks, once the bodies are known.
    auto* before = e_.new_block("row");
    auto* head = e_.new_block("row_rest");
    b_.CreateBr(before);
    b_.SetInsertPoint(before);
    auto* range_end = b_.CreateBr(head);
    e_.row_start = range_end;
    auto* low_at = e_.alloca_of(b_.getInt64Ty(), "quick_from");
    auto* last_at = e_.alloca_of(b_.getInt64Ty(), "quick_last");

    const std::uint64_t step = std::uint64_t{e_.width} * variant_.items_per_lane;
    const bool quick_exists = variant_.bounds == BoundsMode::tested_once && !spreads_.plan.one_body;
    auto* choose = e_.new_block("choose");
    auto* quick = e_.new_block("quick");
    auto* careful = e_.new_block("careful");
    auto* after = e_.new_block("row_done");
    b_.SetInsertPoint(head);
    b_.CreateCondBr(b_.CreateICmpSLT(load_x(), x1), choose, after);
    b_.SetInsertPoint(choose);
    Value* x = load_x();
    Value* fits = b_.CreateICmpSLE(x, b_.CreateLoad(b_.getInt64Ty(), last_at));
    Value* from = b_.CreateICmpSGE(x, b_.CreateLoad(b_.getInt64Ty(), low_at));
    b_.CreateCondBr(quick_exists ? b_.CreateAnd(fits, from) : b_.getFalse(), quick, careful);

    e_.requirements.clear();
    b_.SetInsertPoint(quick);
    if (quick_exists) {
      Value* qx = load_x();
      for (std::uint32_t item = 0; item < variant_.items_per_lane; ++item) {
        const bool blocked = variant_.layout == ItemLayout::blocked && variant_.items_per_lane > 1;
        const std::uint64_t offset = blocked ? item : std::uint64_t{item} * e_.width;
        e_.mask = nullptr;
        set_ids(b_.CreateAdd(qx, b_.getInt64(offset)), blocked ? variant_.items_per_lane : 1, true);
        body();
      }
      Value* next = b_.CreateAdd(qx, b_.getInt64(step));
      b_.CreateStore(next, x_at);
      Value* again = b_.CreateICmpSLE(next, b_.CreateLoad(b_.getInt64Ty(), last_at));
      b_.CreateCondBr(again, quick, head);
    } else {
      b_.CreateBr(head);
    }
    const auto requirements = e_.requirements;

    b_.SetInsertPoint(careful);
    Value* cx = load_x();
    if (e_.wide()) {
      Value* left = smaller(b_.CreateSub(x1, cx), b_.getInt64(e_.width));
      Value* limit = b_.CreateVectorSplat(e_.width, narrow(left));
      e_.mask = b_.CreateICmpULT(lane_numbers(e_), limit);
    }
    set_ids(cx, 1, false);
    e_.at_row_end = quick_exists && e_.wide();
    body();
    e_.at_row_end = false;
    b_.CreateStore(b_.CreateAdd(cx, b_.getInt64(e_.width)), x_at);
    b_.CreateBr(head);

    // low <= x and x + step <= high, so x <= high - step: every required index is inside.
    b_.SetInsertPoint(range_end);
    Value* low = x0;
    Value* high = x1;
    for (const auto& r : requirements) {
      if (r.position != nullptr) {
        Value* holds = b_.CreateICmpULT(r.position, r.count);
        high = b_.CreateSelect(holds, high, b_.getInt64(0));
        continue;
      }
      Value* shift = b_.getInt64(static_cast<std::uint64_t>(r.along.offset));
      if (r.along.row != nullptr) shift = b_.CreateAdd(shift, wide(r.along.row));
      low = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, low, b_.CreateNeg(shift));
      high = smaller(high, b_.CreateSub(wide(r.count), shift));
    }
    b_.CreateStore(low, low_at);
    b_.CreateStore(b_.CreateSub(high, b_.getInt64(step)), last_at);
    e_.row_start = nullptr;
    e_.rows_tested = false;
    b_.SetInsertPoint(after);
  }

  EmitContext& e_;
  llvm::IRBuilder<>& b_;
  const ProgramSpreads& spreads_;
  const Variant& variant_;
  const PrivateCounts& counts_;
  bool in_tiles_;
  Value* extent_[3] = {};
  Value* y32_ = nullptr;
  Value* z32_ = nullptr;
  Value* group_of_[3] = {};
  Value* local_of_[3] = {};
};

}  // namespace

void emit_rows(EmitContext& e, const ProgramSpreads& spreads, const Variant& variant,
               const PrivateCounts& counts, llvm::Function* function) {
  Rows(e, spreads, variant, counts).emit(function);
}

}  // namespace vyre
