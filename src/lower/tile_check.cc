#include <algorithm>

#include "vyre/lower/tile_check_internal.h"

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

}  // namespace

Value* TileCheck::index_of(Value* row, std::int64_t offset) {
  if (offset == 0 && row == nullptr) return first_;
  Value*& index = indices_[{row, offset}];
  if (index != nullptr) return index;
  index = offset == 0
              ? b_.CreateAdd(first_, row)
              : b_.CreateAdd(index_of(row, 0), b_.getInt32(static_cast<std::uint32_t>(offset)));
  return index;
}

// Without what is said twice, and without elements between two others of the same row, which are
// both inside: an array of less than 2^31 elements has no room for a row that wraps between them.
std::vector<RowRequirement> TileCheck::needed(const std::vector<RowRequirement>& all) const {
  std::vector<RowRequirement> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const RowRequirement& r = all[i];
    const bool again = std::ranges::any_of(out, [&](const RowRequirement& o) {
      return o.count == r.count && o.position == r.position && o.along.known == r.along.known &&
             o.along.row == r.along.row && o.along.offset == r.along.offset;
    });
    if (again) continue;
    bool above = false;
    bool below = false;
    if (!wide_offsets_ && r.position == nullptr) {
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

// Whether a row that begins just below 2^32 has yet to be ruled out. It is where the row itself,
// or what lies before it, is an element of an array.
bool TileCheck::may_wrap(const std::vector<RowRequirement>& all, Value* row,
                         std::int64_t reach) const {
  if (wide_offsets_ || reach >= kSmallOffset) return true;
  return std::ranges::none_of(all, [&](const RowRequirement& r) {
    return r.elements && r.along.row == row && r.along.offset <= 0 && is_small(r);
  });
}

Value* TileCheck::all_inside(const std::vector<RowRequirement>& requirements) {
  std::vector<Comparison> comparisons;
  const auto add = [&](Value* index, Value* count, bool moves) {
    // The largest of the indices of an array is below its count, or an index below the least.
    for (Comparison& c : comparisons) {
      if (c.moves != moves) continue;
      if (c.index == index) {
        c.count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, c.count, count);
        return;
      }
      if (c.count == count) {
        c.index = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, c.index, index);
        return;
      }
    }
    comparisons.push_back({index, count, moves});
  };
  for (const RowRequirement& r : needed(requirements)) {
    if (r.position != nullptr) {
      add(r.position, r.count, false);
    } else {
      add(index_of(r.along.row, r.along.offset), r.count, true);
    }
  }
  Value* inside = b_.getTrue();
  for (const Comparison& c : comparisons) {
    Value* count = c.count;
    if (span_ != 0 && c.moves) {
      count = b_.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, count, b_.getInt32(span_));
    }
    inside = b_.CreateAnd(inside, b_.CreateICmpULT(c.index, count));
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
