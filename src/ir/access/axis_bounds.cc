// Bounds of values along an axis of the ids.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "vyre/ir/access/value_numbers.h"
#include "vyre/ir/access/value_ranges_internal.h"

namespace vyre {

constexpr int kDeepest = 8;  // of operations inside of each other
// Far from where sums saturate, which would make bounds too narrow.
constexpr std::int64_t kLargestBound = std::int64_t{1} << 58;
constexpr std::int64_t kLargestFactor = std::int64_t{1} << 26;

AxisBounds ValueNumbers::bounds_along(ValueNumber n, std::size_t axis, const Extent& extent,
                                      const Extent& workgroup) {
  return bounds_of(n,
                   {.workgroup = workgroup_id(axis, extent, workgroup),
                    .local = local_id(axis, extent, workgroup),
                    .global = global_id(axis, extent, workgroup),
                    .size = workgroup[axis]},
                   kDeepest);
}

// The same bounds with another factor, which makes them wider.
AxisBounds ValueNumbers::bounds_by(AxisBounds b, std::int64_t factor, const Along& axis) const {
  const ValueRange more = scaled(range(axis.global), sum(b.factor, -factor));
  return {factor, sum(b.low, more.low), sum(b.high, more.high)};
}

AxisBounds ValueNumbers::bounds_of(ValueNumber n, const Along& axis, int depth) const {
  const ValueRange all = range(n);
  const AxisBounds fixed{0, all.low, all.high};
  if (depth <= 0 || all.low == all.high) return fixed;
  const Node& made = node(n);
  AxisBounds out = fixed;
  if (n == axis.global) {
    out = {1, 0, 0};
  } else if (made.kind == ValueKind::linear) {
    out = bounds_of_sum(made.form, axis, depth - 1);
  } else if ((made.kind == ValueKind::math || made.kind == ValueKind::select) &&
             !is_float(made.scalar)) {
    const bool selects = made.kind == ValueKind::select;
    const auto fn = static_cast<MathFn>(made.what);
    const std::size_t count = selects || fn == MathFn::min || fn == MathFn::max ? 2
                              : fn == MathFn::clamp                             ? 3
                                                                                : 0;
    if (count == 0 || made.operands.size() < count) return fixed;
    std::array<AxisBounds, 3> of{};
    std::int64_t factor = 0;
    for (std::size_t i = 0; i < count; ++i) {
      of[i] = bounds_of(made.operands[i], axis, depth - 1);
      if (factor == 0) factor = of[i].factor;
    }
    if (factor == 0) return fixed;
    for (std::size_t i = 0; i < count; ++i) of[i] = bounds_by(of[i], factor, axis);
    const auto least = [&](const AxisBounds& a, const AxisBounds& b) -> AxisBounds {
      return {factor, std::min(a.low, b.low), std::min(a.high, b.high)};
    };
    const auto most = [&](const AxisBounds& a, const AxisBounds& b) -> AxisBounds {
      return {factor, std::max(a.low, b.low), std::max(a.high, b.high)};
    };
    if (selects) {
      out = {factor, std::min(of[0].low, of[1].low), std::max(of[0].high, of[1].high)};
    } else if (fn == MathFn::min) {
      out = least(of[0], of[1]);
    } else if (fn == MathFn::max) {
      out = most(of[0], of[1]);
    } else {
      out = least(most(of[0], of[1]), of[2]);
    }
  }
  if (out.factor == 0 || std::abs(out.factor) > kLargestFactor) return fixed;
  const AxisBounds other = bounds_by(fixed, out.factor, axis);
  return {out.factor, std::max(out.low, other.low), std::min(out.high, other.high)};
}

// The factor 0 stands for nothing better than the range.
AxisBounds ValueNumbers::bounds_of_sum(const LinearForm& form, const Along& axis, int depth) const {
  const auto factor_of = [&](ValueNumber id) {
    const auto at = std::ranges::find(form.terms, id, &LinearForm::Term::value);
    return at == form.terms.end() ? std::int64_t{0} : at->factor;
  };
  const std::int64_t by_group = known(axis.workgroup) ? 0 : factor_of(axis.workgroup);
  const std::int64_t by_local = known(axis.local) ? 0 : factor_of(axis.local);
  // Where one of the two ids is always 0, the other one tells the place.
  std::int64_t own = 0;
  if (by_group != 0 && known(axis.local)) {
    own = axis.size == 1 ? by_group : 0;
  } else if (by_local != 0 && known(axis.workgroup)) {
    own = by_local;
  } else if (by_local != 0 && by_group == product(by_local, axis.size)) {
    own = by_local;
  }
  AxisBounds out{own, 0, 0};
  LinearForm rest{form.constant, {}};  // what does not go along with the axis
  for (const LinearForm::Term& t : form.terms) {
    if (own != 0 && (t.value == axis.workgroup || t.value == axis.local)) continue;
    const AxisBounds of = bounds_of(t.value, axis, depth);
    if (of.factor == 0) {
      rest.terms.push_back(t);
      continue;
    }
    const ValueRange beside = scaled({of.low, of.high}, t.factor);
    if (beside.low < -kLargestBound || beside.high > kLargestBound) return {};
    out.factor = sum(out.factor, product(of.factor, t.factor));
    out.low = sum(out.low, beside.low);
    out.high = sum(out.high, beside.high);
  }
  const ValueRange beside = linear_range(rest, depth);
  if (beside.low < -kLargestBound || beside.high > kLargestBound) return {};
  return {out.factor, sum(out.low, beside.low), sum(out.high, beside.high)};
}

}  // namespace vyre
