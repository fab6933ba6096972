#include "vyre/ir/access/value_numbers.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "vyre/ir/access/value_ranges_internal.h"

namespace vyre {
namespace {

constexpr std::int64_t kLargestFactor = std::int64_t{1} << 40;  // so that no sum of them overflows
constexpr std::size_t kMostTerms = 16;
constexpr ValueRange kBool{0, 1};

}  // namespace

ValueRange range_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::boolean: return kBool;
    case ScalarKind::i32: return {-2147483648LL, 2147483647LL};
    case ScalarKind::u32: return {0, 4294967295LL};
    default: return {-kFar, kFar};
  }
}

bool tells_invocations_apart(std::span<const KeyPart> parts) {
  std::int64_t reach = 0;  // the largest difference of two sums of the parts so far
  for (const KeyPart& p : parts) {
    const std::int64_t width = p.range.high - p.range.low;
    if (width > 0 && std::abs(p.factor) <= reach) return false;  // a factor of 0 too
    reach = std::min(sum(reach, product(std::abs(p.factor), std::max<std::int64_t>(width, 0))),
                     p.sum.high - p.sum.low);
  }
  return true;
}

ValueNumber ValueNumbers::intern(std::vector<std::int64_t> key, Node node) {
  const auto [at, fresh] =
      known_.try_emplace(std::move(key), static_cast<ValueNumber>(nodes_.size()));
  if (fresh) nodes_.push_back(std::move(node));
  return at->second;
}

ValueNumber ValueNumbers::linear(LinearForm form) {
  if (form.constant == 0 && form.terms.size() == 1 && form.terms[0].factor == 1) {
    return form.terms[0].value;
  }
  std::vector<std::int64_t> key{static_cast<std::int64_t>(ValueKind::linear), form.constant};
  bool fixed = true;
  for (const LinearForm::Term& t : form.terms) {
    key.push_back(static_cast<std::int64_t>(t.value));
    key.push_back(t.factor);
    fixed = fixed && node(t.value).fixed;
  }
  Node made{.kind = ValueKind::linear,
            .fixed = fixed,
            .natural = {},
            .form = std::move(form),
            .operands = {}};
  return intern(std::move(key), std::move(made));
}

ValueNumber ValueNumbers::constant(std::int64_t value) { return linear(LinearForm{value, {}}); }

ValueNumber ValueNumbers::scalar(Scalar value) {
  if (!is_float(value.kind)) return constant(value.as_int());
  return intern({static_cast<std::int64_t>(ValueKind::bits), static_cast<std::int64_t>(value.kind),
                 static_cast<std::int64_t>(value.bits)},
                Node{.kind = ValueKind::bits,
                     .scalar = value.kind,
                     .natural = range_of(value.kind),
                     .form = {},
                     .operands = {}});
}

ValueNumber ValueNumbers::unknown(ScalarKind kind) {
  return intern({static_cast<std::int64_t>(ValueKind::unknown), unknowns_++},
                Node{.kind = ValueKind::unknown,
                     .scalar = kind,
                     .fixed = false,
                     .natural = range_of(kind),
                     .form = {},
                     .operands = {}});
}

ValueNumber ValueNumbers::loop_round() {
  return intern({static_cast<std::int64_t>(ValueKind::loop_round), unknowns_++},
                Node{.kind = ValueKind::loop_round,
                     .scalar = ScalarKind::u32,
                     .fixed = false,
                     .natural = range_of(ScalarKind::u32),
                     .form = {},
                     .operands = {}});
}

// ---- Ids

ValueNumber ValueNumbers::id(ValueKind kind, std::size_t axis, const Extent& extent,
                             const Extent& workgroup) {
  const std::int64_t size = workgroup[axis];
  const std::int64_t count = extent[axis];
  const std::int64_t last =
      kind == ValueKind::local ? std::min(size, count) - 1 : (count + size - 1) / size - 1;
  if (last <= 0) return constant(0);
  return intern({static_cast<std::int64_t>(kind), static_cast<std::int64_t>(axis), count, size},
                Node{.kind = kind,
                     .what = static_cast<std::int64_t>(axis),
                     .scalar = ScalarKind::u32,
                     .natural = {0, last},
                     .form = {},
                     .operands = {}});
}

ValueNumber ValueNumbers::local_id(std::size_t axis, const Extent& extent,
                                   const Extent& workgroup) {
  return id(ValueKind::local, axis, extent, workgroup);
}

ValueNumber ValueNumbers::workgroup_id(std::size_t axis, const Extent& extent,
                                       const Extent& workgroup) {
  return id(ValueKind::workgroup, axis, extent, workgroup);
}

ValueNumber ValueNumbers::global_id(std::size_t axis, const Extent& extent,
                                    const Extent& workgroup) {
  const ValueNumber group = workgroup_id(axis, extent, workgroup);
  const ValueNumber local = local_id(axis, extent, workgroup);
  const ValueNumber global = plus(local, workgroup[axis], group);
  const bool both = !known(group) && !known(local);
  if (both && std::ranges::none_of(axes_, [&](const Axis& a) { return a.global == global; })) {
    axes_.push_back({group, local, global, workgroup[axis]});
    refined_.emplace(global, ValueRange{0, std::int64_t{extent[axis]} - 1});
  }
  return global;
}

// ---- Operations

const LinearForm* ValueNumbers::linear(ValueNumber n) const {
  return node(n).kind == ValueKind::linear ? &node(n).form : nullptr;
}

LinearForm ValueNumbers::as_linear(ValueNumber n) const {
  if (const LinearForm* form = linear(n)) return *form;
  return LinearForm{0, {{n, 1}}};
}

std::optional<std::int64_t> ValueNumbers::known(ValueNumber n) const {
  const LinearForm* form = linear(n);
  if (form == nullptr || !form->terms.empty()) return std::nullopt;
  return form->constant;
}

ValueNumber ValueNumbers::plus(ValueNumber a, std::int64_t factor, ValueNumber b) {
  LinearForm out = as_linear(a);
  const LinearForm more = as_linear(b);
  out.constant = sum(out.constant, product(more.constant, factor));
  for (const LinearForm::Term& t : more.terms) {
    const auto at = std::ranges::lower_bound(out.terms, t.value, {}, &LinearForm::Term::value);
    const std::int64_t part = product(t.factor, factor);
    if (at == out.terms.end() || at->value != t.value) {
      out.terms.insert(at, {t.value, part});
    } else if ((at->factor += part) == 0) {
      out.terms.erase(at);
    }
  }
  return linear(std::move(out));
}

ValueNumber ValueNumbers::operation(ValueKind kind, std::int64_t what, ScalarKind result,
                                    std::span<const ValueNumber> operands) {
  std::vector<std::int64_t> key{static_cast<std::int64_t>(kind), what,
                                static_cast<std::int64_t>(result)};
  bool fixed = true;
  for (const ValueNumber n : operands) {
    key.push_back(static_cast<std::int64_t>(n));
    fixed = fixed && node(n).fixed;
  }
  return intern(std::move(key), Node{.kind = kind,
                                     .what = what,
                                     .scalar = result,
                                     .fixed = fixed,
                                     .natural = range_of(result),
                                     .form = {},
                                     .operands = {operands.begin(), operands.end()}});
}

ValueNumber ValueNumbers::commuting(ValueKind kind, std::int64_t what, ScalarKind result,
                                    ValueNumber a, ValueNumber b) {
  const ValueNumber operands[] = {std::min(a, b), std::max(a, b)};
  return operation(kind, what, result, operands);
}

ValueNumber ValueNumbers::negated(ValueNumber condition) {
  if (const auto value = known(condition)) return constant(*value == 0 ? 1 : 0);
  const Node& n = node(condition);
  if (n.kind == ValueKind::unary && n.what == static_cast<std::int64_t>(UnaryOp::logical_not)) {
    return n.operands[0];
  }
  return operation(ValueKind::unary, static_cast<std::int64_t>(UnaryOp::logical_not),
                   ScalarKind::boolean, std::span(&condition, 1));
}

ValueNumber ValueNumbers::unary(UnaryOp op, ScalarKind kind, ValueNumber a) {
  if (op == UnaryOp::logical_not) return negated(a);
  if (op == UnaryOp::negate && kind == ScalarKind::i32 &&
      within(scaled(range(a), -1), range_of(kind))) {
    return plus(constant(0), -1, a);
  }
  return operation(ValueKind::unary, static_cast<std::int64_t>(op), kind, std::span(&a, 1));
}

ValueNumber ValueNumbers::binary(BinaryOp op, ScalarKind kind, ValueNumber a, ValueNumber b) {
  const auto what = static_cast<std::int64_t>(op);
  const ValueNumber pair[] = {a, b};
  // `kind` is that of the operands.
  if (is_float(kind)) {
    const bool compares = op >= BinaryOp::equal && op <= BinaryOp::greater_equal;
    // Comparisons of floats have kinds of their own: with a NaN, none of them is another's
    // opposite.
    return operation(ValueKind::binary, what + (compares ? 64 : 0),
                     compares ? ScalarKind::boolean : kind, pair);
  }
  const ValueRange ra = range(a);
  const ValueRange rb = range(b);
  const ValueRange all = range_of(kind);
  const auto sums_stay_small = [&](std::int64_t factor) {
    const LinearForm x = as_linear(a);
    const LinearForm y = as_linear(b);
    const auto small = [&](const LinearForm& f, std::int64_t by) {
      return std::ranges::all_of(f.terms, [&](const LinearForm::Term& t) {
        return std::abs(product(t.factor, by)) < kLargestFactor;
      });
    };
    return x.terms.size() + y.terms.size() <= kMostTerms && small(x, 1) && small(y, factor);
  };
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::sub: {
      const std::int64_t factor = op == BinaryOp::add ? 1 : -1;
      if (sums_stay_small(factor)) {
        const ValueNumber exact = plus(a, factor, b);
        if (within(range(exact), all)) return exact;
      }
      if (op == BinaryOp::add) return commuting(ValueKind::binary, what, kind, a, b);
      break;
    }
    case BinaryOp::mul: {
      if (known(a)) std::swap(a, b);
      const auto factor = known(b);
      if (factor && within(scaled(range(a), *factor), all)) {
        const LinearForm form = as_linear(a);
        const bool small = std::ranges::all_of(form.terms, [&](const LinearForm::Term& t) {
          return std::abs(product(t.factor, *factor)) < kLargestFactor;
        });
        if (small) return plus(constant(0), *factor, a);
      }
      return commuting(ValueKind::binary, what, kind, a, b);
    }
    case BinaryOp::shift_left: {
      const auto by = known(b);
      if (by && *by >= 0 && *by < 32) {
        const ValueNumber factor = constant(std::int64_t{1} << *by);
        if (within(scaled(ra, std::int64_t{1} << *by), all)) {
          return binary(BinaryOp::mul, kind, a, factor);
        }
      }
      break;
    }
    case BinaryOp::less:
      if (ra.high < rb.low) return constant(1);
      if (ra.low >= rb.high) return constant(0);
      return operation(ValueKind::binary, what, ScalarKind::boolean, pair);
    case BinaryOp::greater: return binary(BinaryOp::less, kind, b, a);
    case BinaryOp::less_equal: return negated(binary(BinaryOp::less, kind, b, a));
    case BinaryOp::greater_equal: return negated(binary(BinaryOp::less, kind, a, b));
    case BinaryOp::equal:
      if (a == b) return constant(1);
      if (is_empty(overlap(ra, rb))) return constant(0);
      return commuting(ValueKind::binary, what, ScalarKind::boolean, a, b);
    case BinaryOp::not_equal: return negated(binary(BinaryOp::equal, kind, a, b));
    case BinaryOp::logical_and:
      if (is_bool_false(a) || is_bool_false(b)) return constant(0);
      if (is_bool_true(a)) return b;
      if (is_bool_true(b)) return a;
      return commuting(ValueKind::binary, what, ScalarKind::boolean, a, b);
    case BinaryOp::logical_or:
      if (is_bool_true(a) || is_bool_true(b)) return constant(1);
      if (is_bool_false(a)) return b;
      if (is_bool_false(b)) return a;
      return commuting(ValueKind::binary, what, ScalarKind::boolean, a, b);
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor: return commuting(ValueKind::binary, what, kind, a, b);
    default: break;
  }
  return operation(ValueKind::binary, what, kind, pair);
}

ValueNumber ValueNumbers::math(MathFn fn, ScalarKind kind, std::span<const ValueNumber> operands) {
  return operation(ValueKind::math, static_cast<std::int64_t>(fn), kind, operands);
}

ValueNumber ValueNumbers::select(ScalarKind kind, ValueNumber no, ValueNumber yes,
                                 ValueNumber condition) {
  if (no == yes || is_bool_false(condition)) return no;
  if (is_bool_true(condition)) return yes;
  const ValueNumber operands[] = {no, yes, condition};
  return operation(ValueKind::select, 0, kind, operands);
}

ValueNumber ValueNumbers::convert(ScalarKind from, ScalarKind to, ValueNumber a) {
  if (from == to) return a;
  const bool integers = !is_float(from) && !is_float(to) && to != ScalarKind::boolean;
  if (integers && within(range(a), range_of(to))) return a;
  return operation(ValueKind::convert, static_cast<std::int64_t>(from), to, std::span(&a, 1));
}

// ---- Ranges

ValueRange ValueNumbers::range(ValueNumber n, int depth) const {
  const Node& made = node(n);
  ValueRange out = made.kind == ValueKind::linear ? linear_range(made.form, depth)
                                                  : operation_range(made, depth);
  const auto known = refined_.find(n);
  if (known != refined_.end()) out = overlap(out, known->second);
  return out;
}

ValueRange ValueNumbers::linear_range(const LinearForm& form, int depth) const {
  ValueRange out{form.constant, form.constant};
  std::vector<LinearForm::Term> left = form.terms;
  for (const Axis& axis : axes_) {
    const auto group = std::ranges::find(left, axis.workgroup, &LinearForm::Term::value);
    const auto local = std::ranges::find(left, axis.local, &LinearForm::Term::value);
    if (group == left.end() || local == left.end()) continue;
    if (group->factor != product(local->factor, axis.size)) continue;
    const ValueRange whole =
        overlap(added(scaled(range(axis.workgroup), axis.size), range(axis.local)),
                refined_.at(axis.global));
    out = added(out, scaled(whole, local->factor));
    std::erase_if(left, [&](const LinearForm::Term& t) {
      return t.value == axis.workgroup || t.value == axis.local;
    });
  }
  for (const LinearForm::Term& t : left) {
    out = added(out, scaled(range(t.value, depth - 1), t.factor));
  }
  return out;
}

ValueRange ValueNumbers::operation_range(const Node& n, int depth) const {
  if (depth <= 0 || n.operands.empty() || is_float(n.scalar)) return n.natural;
  const auto operand = [&](std::size_t i) { return range(n.operands[i], depth - 1); };
  const auto both = [](ValueRange a, ValueRange b) {
    return ValueRange{std::min(a.low, b.low), std::max(a.high, b.high)};
  };
  const auto least = [](ValueRange a, ValueRange b) {
    return ValueRange{std::min(a.low, b.low), std::min(a.high, b.high)};
  };
  const auto most = [](ValueRange a, ValueRange b) {
    return ValueRange{std::max(a.low, b.low), std::max(a.high, b.high)};
  };
  if (n.kind == ValueKind::select) return both(operand(0), operand(1));
  if (n.kind == ValueKind::math) {
    switch (static_cast<MathFn>(n.what)) {
      case MathFn::min: return least(operand(0), operand(1));
      case MathFn::max: return most(operand(0), operand(1));
      case MathFn::clamp: return least(most(operand(0), operand(1)), operand(2));
      default: return n.natural;
    }
  }
  if (n.kind != ValueKind::binary || n.what >= 64 || n.operands.size() != 2) return n.natural;
  const ValueRange a = operand(0);
  const ValueRange b = operand(1);
  if (a.low < 0 || b.low < 0) return n.natural;
  switch (static_cast<BinaryOp>(n.what)) {
    case BinaryOp::div:
      if (b.low < 1) return n.natural;  // x / 0 is x
      return {a.low / b.high, a.high / b.low};
    case BinaryOp::rem:
      if (b.low < 1) return n.natural;
      return {0, std::min(a.high, b.high - 1)};
    case BinaryOp::bit_and: return {0, std::min(a.high, b.high)};
    case BinaryOp::shift_right:
      if (b.low != b.high || b.high > 31) return {0, a.high};
      return {a.low >> b.low, a.high >> b.low};
    default: return n.natural;
  }
}

// ---- What holds

void ValueNumbers::assume(ValueNumber condition, bool truth) {
  // A condition can be part of several others.
  std::set<Fact> seen;
  std::vector<Fact> open{{condition, truth}};
  while (!open.empty()) {
    const Fact fact = open.back();
    open.pop_back();
    if (!seen.insert(fact).second) continue;
    for (const Fact& part : assume_one(fact)) open.push_back(part);
  }
}

// Gives the facts that take the place of a conjunction or a negation, the first one last.
std::vector<ValueNumbers::Fact> ValueNumbers::assume_one(Fact fact) {
  auto [condition, truth] = fact;
  if (const auto value = known(condition)) {
    if ((*value != 0) == truth) return {};
    // Control never gets here. Nothing that holds elsewhere may imply that it does.
    condition = unknown(ScalarKind::boolean);
  }
  const Node& n = node(condition);
  if (n.kind == ValueKind::unary && n.what == static_cast<std::int64_t>(UnaryOp::logical_not)) {
    return {{n.operands[0], !truth}};
  }
  if (n.kind == ValueKind::binary && n.scalar == ScalarKind::boolean && n.what < 64) {
    const ValueNumber a = n.operands[0];
    const ValueNumber b = n.operands[1];
    const auto op = static_cast<BinaryOp>(n.what);
    if (op == (truth ? BinaryOp::logical_and : BinaryOp::logical_or)) {
      return {{b, truth}, {a, truth}};
    }
    const ValueRange ra = range(a);
    const ValueRange rb = range(b);
    if (op == BinaryOp::less && truth) {
      refine(a, {ra.low, rb.high - 1});
      refine(b, {ra.low + 1, rb.high});
    } else if (op == BinaryOp::less) {
      refine(a, {rb.low, ra.high});
      refine(b, {rb.low, ra.high});
    } else if (op == BinaryOp::equal && truth) {
      refine(a, rb);
      refine(b, ra);
    }
  }
  if (std::ranges::find(holding_, Fact{condition, truth}) != holding_.end()) return {};
  holding_.emplace_back(condition, truth);
  undo_.push_back({.fact = true, .value = {}, .before = {}});
  return {};
}

void ValueNumbers::refine(ValueNumber n, ValueRange bound) {
  if (known(n)) return;
  const ValueRange before = range(n);
  const ValueRange now = overlap(before, bound);
  if (now == before || is_empty(now)) return;  // an empty one is of code that never runs
  const auto at = refined_.find(n);
  undo_.push_back({.fact = false,
                   .value = n,
                   .before = at == refined_.end() ? std::nullopt : std::optional(at->second)});
  refined_[n] = now;
  if (const LinearForm* form = linear(n)) refine_parts(LinearForm(*form), now);
}

// What is left for each value when the others are as small, or as large, as they can be. Ids of
// whole axes count as one value.
void ValueNumbers::refine_parts(const LinearForm& form, ValueRange bound) {
  const ValueRange all = linear_range(form, 4);
  const auto narrow = [&](ValueNumber value, std::int64_t factor) {
    const ValueRange own = scaled(range(value), factor);
    const std::int64_t least_others = all.low - own.low;
    const std::int64_t most_others = all.high - own.high;
    const std::int64_t high = bound.high - least_others;  // of factor * value
    const std::int64_t low = bound.low - most_others;
    const ValueRange now = range(value);
    if (factor > 0) {
      refine(value, {std::max(now.low, -floor_div(-low, factor)),
                     std::min(now.high, floor_div(high, factor))});
    } else {
      refine(value, {std::max(now.low, -floor_div(high, -factor)),
                     std::min(now.high, floor_div(-low, -factor))});
    }
  };
  for (const LinearForm::Term& t : form.terms) {
    const auto axis = std::ranges::find_if(
        axes_, [&](const Axis& a) { return a.workgroup == t.value || a.local == t.value; });
    if (axis == axes_.end()) {
      narrow(t.value, t.factor);
      continue;
    }
    const auto group = std::ranges::find(form.terms, axis->workgroup, &LinearForm::Term::value);
    const auto local = std::ranges::find(form.terms, axis->local, &LinearForm::Term::value);
    const bool pair = group != form.terms.end() && local != form.terms.end() &&
                      group->factor == product(local->factor, axis->size);
    if (!pair) {
      narrow(t.value, t.factor);
    } else if (t.value == axis->local) {
      narrow(axis->global, local->factor);
    }
  }
}

void ValueNumbers::forget(std::size_t mark) {
  while (undo_.size() > mark) {
    const Undo& last = undo_.back();
    if (last.fact) {
      holding_.pop_back();
    } else if (last.before) {
      refined_[last.value] = *last.before;
    } else {
      refined_.erase(last.value);
    }
    undo_.pop_back();
  }
}

std::optional<std::vector<KeyPart>> ValueNumbers::key_parts(ValueNumber n, const Extent& extent,
                                                            const Extent& workgroup) {
  std::vector<LinearForm::Term> left = as_linear(n).terms;
  const auto take = [&](ValueNumber value) {
    const auto at = std::ranges::find(left, value, &LinearForm::Term::value);
    if (at == left.end()) return std::int64_t{0};
    const std::int64_t factor = at->factor;
    left.erase(at);
    return factor;
  };
  struct Part {
    KeyPart part;
    std::vector<LinearForm::Term> terms;
  };
  std::vector<Part> parts;
  const auto add = [&](KeyPart::What what, std::uint8_t axis, std::int64_t factor, ValueNumber n,
                       std::vector<LinearForm::Term> terms) {
    std::erase_if(terms, [](const LinearForm::Term& t) { return t.factor == 0; });
    parts.push_back({{what, axis, factor, range(n), {}}, std::move(terms)});
  };
  for (std::uint8_t axis = 0; axis < 3; ++axis) {
    const ValueNumber group = workgroup_id(axis, extent, workgroup);
    const ValueNumber local = local_id(axis, extent, workgroup);
    const ValueNumber global = global_id(axis, extent, workgroup);
    const LinearForm::Term by_group{group, take(group)};
    const LinearForm::Term by_local{local, take(local)};
    const bool one_group = known(group).has_value();
    const bool one_local = known(local).has_value();
    if (one_group || one_local || by_group.factor == product(by_local.factor, workgroup[axis])) {
      add(KeyPart::What::global, axis, one_local ? by_group.factor : by_local.factor, global,
          {by_group, by_local});
    } else {
      add(KeyPart::What::workgroup, axis, by_group.factor, group, {by_group});
      add(KeyPart::What::local, axis, by_local.factor, local, {by_local});
    }
  }
  for (const LinearForm::Term& t : left) {
    if (node(t.value).kind != ValueKind::loop_round) return std::nullopt;
    add(KeyPart::What::round, 0, t.factor, t.value, {t});
  }
  std::ranges::sort(parts, {}, [](const Part& p) {
    return std::tuple(std::abs(p.part.factor), p.part.factor, p.part.what, p.part.axis);
  });
  // What is known of a sum, say of a loop's counter, may be less than what its parts allow.
  std::vector<KeyPart> out;
  LinearForm so_far;
  for (const Part& p : parts) {
    so_far.terms.insert(so_far.terms.end(), p.terms.begin(), p.terms.end());
    std::ranges::sort(so_far.terms, {}, &LinearForm::Term::value);
    out.push_back(p.part);
    out.back().sum = linear_range(so_far, 4);
    for (const auto& [number, bound] : refined_) {
      const LinearForm* form = linear(number);
      if (form == nullptr || form->terms != so_far.terms) continue;
      out.back().sum =
          overlap(out.back().sum, {bound.low - form->constant, bound.high - form->constant});
    }
  }
  return out;
}

}  // namespace vyre
