#include <algorithm>

#include "vyre/lower/emit/emit_gpu_internal.h"
#include "vyre/lower/gpu/tile_check_internal.h"

namespace vyre {

using llvm::Value;

namespace {

// Offsets below this neither wrap nor reach across an array.
constexpr std::int64_t kSmallOffset = std::int64_t{1} << 30;

bool is_small(const RowRequirement& r) {
  return r.along.offset > -kSmallOffset && r.along.offset < kSmallOffset;
}

bool same_array(const RowRequirement& a, const RowRequirement& b) {
  return a.elements && b.elements && a.along.row == b.along.row && a.count == b.count;
}

// Whether two values are computed in the same way, loads of data that nothing writes included.
bool same_value(const Value* a, const Value* b) {
  if (a == b) return true;
  const auto* x = llvm::dyn_cast<llvm::LoadInst>(a);
  const auto* y = llvm::dyn_cast<llvm::LoadInst>(b);
  if (x == nullptr || y == nullptr || x->getType() != y->getType() ||
      !x->hasMetadata(llvm::LLVMContext::MD_invariant_load) ||
      !y->hasMetadata(llvm::LLVMContext::MD_invariant_load)) {
    return false;
  }
  const llvm::DataLayout& layout = x->getModule()->getDataLayout();
  llvm::APInt x_offset(64, 0);
  llvm::APInt y_offset(64, 0);
  const Value* x_base = x->getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, x_offset, /*AllowNonInbounds=*/true);
  const Value* y_base = y->getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, y_offset, /*AllowNonInbounds=*/true);
  return x_base == y_base && x_offset == y_offset;
}

// Whether some requirement compares an index with this number, which is then not 0.
bool is_positive(const std::vector<RowRequirement>& all, const Value* number) {
  return std::ranges::any_of(all,
                             [&](const RowRequirement& r) { return same_value(r.count, number); });
}

// The requirements without duplicates.
std::vector<RowRequirement> once(const std::vector<RowRequirement>& all) {
  std::vector<RowRequirement> out;
  for (const RowRequirement& r : all) {
    const auto same = std::ranges::find_if(out, [&](const RowRequirement& o) {
      return o.count == r.count && o.position == r.position && o.along.known == r.along.known &&
             o.along.row == r.along.row && o.along.offset == r.along.offset;
    });
    if (same == out.end()) {
      out.push_back(r);
    } else {
      same->elements = same->elements || r.elements;
    }
  }
  return out;
}

}  // namespace

std::optional<RowStep> step_of(Value* row) {
  const auto* sum = llvm::dyn_cast_or_null<llvm::BinaryOperator>(row);
  if (sum == nullptr) return std::nullopt;
  const bool back = sum->getOpcode() == llvm::Instruction::Sub;
  if (!back && sum->getOpcode() != llvm::Instruction::Add) return std::nullopt;
  Value* from = sum->getOperand(0);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(from);
  return RowStep{constant != nullptr && constant->isZero() ? nullptr : from, sum->getOperand(1),
                 back};
}

// Whether the array contains the rows at equal distances before and behind this one. This row's
// element and its two neighbours are then inside as well, provided that their indices are below
// 2^31: the three rows' indices differ by one and the same number, which is not 0.
bool TileCheck::in_middle(const std::vector<RowRequirement>& all, const RowRequirement& r) const {
  if (e_.wide_offsets || r.position != nullptr || !r.elements || r.along.offset < -1 ||
      r.along.offset > 1) {
    return false;
  }
  // An element further before the row and one further behind it prove the same.
  const auto inside = [&](const RowStep& step, bool back, bool above) {
    return std::ranges::any_of(all, [&](const RowRequirement& o) {
      if (!o.elements || o.count != r.count || !is_small(o)) return false;
      const auto other = step_of(o.along.row);
      return other && other->from == r.along.row && other->back == back &&
             same_value(other->by, step.by) && (above ? o.along.offset >= 0 : o.along.offset <= 0);
    });
  };
  return std::ranges::any_of(all, [&](const RowRequirement& o) {
    if (!o.elements || o.count != r.count) return false;
    const auto step = step_of(o.along.row);
    return step && step->from == r.along.row && is_positive(all, step->by) &&
           inside(*step, false, false) && inside(*step, false, true) &&
           inside(*step, true, false) && inside(*step, true, true);
  });
}

// The one element that is compared for all elements in the middle of this row: preferably the
// element of another array, which must be compared in any case.
const RowRequirement* TileCheck::middle(const std::vector<RowRequirement>& all, Value* row) const {
  const RowRequirement* out = nullptr;
  for (const RowRequirement& r : all) {
    if (r.position != nullptr || !r.elements || r.along.row != row || r.along.offset != 0) continue;
    if (!in_middle(all, r)) return &r;
    if (out == nullptr) out = &r;
  }
  return out;
}

Value* TileCheck::index_of(Value* row, std::int64_t offset) {
  Value* start = gpu_row_index(e_, row);
  if (offset == 0) return start;
  Value*& index = indices_[{row, offset}];
  if (index == nullptr) {
    index = b_.CreateAdd(start, b_.getInt32(static_cast<std::uint32_t>(offset)));
  }
  return index;
}

// The requirements that must be compared. Elements in the middle of rows are left out, and so are
// elements between two others of the same row that are both inside: in an array of less than 2^31
// elements, a row cannot wrap between them.
std::vector<RowRequirement> TileCheck::needed(const std::vector<RowRequirement>& all) const {
  std::vector<RowRequirement> out;
  for (const RowRequirement& r : all) {
    if (in_middle(all, r)) {
      if (const RowRequirement* one = middle(all, r.along.row)) {
        if (one == &r) out.push_back(r);
        continue;
      }
    }
    bool above = false;
    bool below = false;
    if (!e_.wide_offsets && r.position == nullptr) {
      for (const RowRequirement& o : all) {
        if (!same_array(r, o) || !is_small(o)) continue;
        above = above || o.along.offset > r.along.offset;
        below = below || o.along.offset < r.along.offset;
      }
    }
    if (!(above && below)) out.push_back(r);
  }
  return out;
}

// Whether it must still be ruled out that a row begins just below 2^32. It is ruled out if the row
// itself, or a place before it, is an element of an array.
bool TileCheck::may_wrap(const std::vector<RowRequirement>& all, Value* row,
                         std::int64_t reach) const {
  if (e_.wide_offsets || reach >= kSmallOffset) return true;
  return std::ranges::none_of(all, [&](const RowRequirement& r) {
    return r.elements && r.along.row == row && r.along.offset <= 0 && is_small(r);
  });
}

Value* TileCheck::is_inside(const Comparison& c) {
  const bool has_span = span_ != 0 && c.moves;
  // Computing the smaller of two counts takes as long as comparing twice, and two comparisons need
  // not wait for each other.
  if (c.counts.size() == 2 && !has_span) {
    return b_.CreateAnd(b_.CreateICmpULT(c.index, c.counts[1]),
                        b_.CreateICmpULT(c.index, c.counts[0]));
  }
  Value* count = c.counts[0];
  for (std::size_t i = 1; i < c.counts.size(); ++i) {
    count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, count, c.counts[i]);
  }
  if (has_span) {
    count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, count, b_.getInt32(span_));
  }
  return b_.CreateICmpULT(c.index, count);
}

Value* TileCheck::all_inside(const std::vector<RowRequirement>& requirements) {
  std::vector<Comparison> comparisons;
  const auto add = [&](Value* index, Value* count, bool moves) {
    // One comparison serves indices with one count (their largest) or one index (the least count).
    for (Comparison& c : comparisons) {
      if (c.moves != moves) continue;
      if (c.index == index) {
        c.counts.push_back(count);
        return;
      }
      if (c.counts.size() == 1 && c.counts[0] == count) {
        c.index = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, c.index, index);
        return;
      }
    }
    comparisons.push_back({index, {count}, moves});
  };
  for (const RowRequirement& r : needed(once(requirements))) {
    if (r.position != nullptr) {
      add(r.position, r.count, false);
    } else {
      add(index_of(r.along.row, r.along.offset), r.count, true);
    }
  }
  Value* inside = b_.getTrue();
  for (const Comparison& c : comparisons) {
    inside = b_.CreateAnd(inside, is_inside(c));
  }
  std::vector<Value*> rows;
  for (const RowRequirement& r : requirements) {
    if (r.position != nullptr || r.along.offset <= 0) continue;
    if (std::ranges::find(rows, r.along.row) != rows.end()) continue;
    rows.push_back(r.along.row);
    std::int64_t reach = 0;
    for (const RowRequirement& o : requirements) {
      if (o.position == nullptr && o.along.row == r.along.row) {
        reach = std::max(reach, o.along.offset);
      }
    }
    if (!may_wrap(requirements, r.along.row, reach)) continue;
    const auto most = static_cast<std::uint32_t>(0xFFFFFFFFU - static_cast<std::uint64_t>(reach));
    inside = b_.CreateAnd(inside, b_.CreateICmpULE(index_of(r.along.row, 0), b_.getInt32(most)));
  }
  return inside;
}

}  // namespace vyre
