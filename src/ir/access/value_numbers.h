// Numbers for the values that a kernel computes: two values with the same number are equal in every
// invocation. Integers are sums of multiples of other values wherever no operation can wrap, so
// that `y * w + x` has the same number however it is written, and so that one can tell whether
// different invocations compute different values.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vyre/base/extent.h"
#include "vyre/ir/operation.h"
#include "vyre/ir/scalar.h"

namespace vyre {

enum class ValueNumber : std::uint32_t {};

struct ValueRange {  // both ends belong to it
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool operator==(const ValueRange&) const = default;
};
ValueRange range_of(ScalarKind kind);

// constant + sum of factor * value, where no value is itself a sum.
struct LinearForm {
  struct Term {
    ValueNumber value;
    std::int64_t factor;
    bool operator==(const Term&) const = default;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;  // by value, no factor is 0
  bool operator==(const LinearForm&) const = default;
};

// Bounds of a value along an axis of the ids: in each invocation the value lies between
// factor * id + low and factor * id + high, both included.
struct AxisBounds {
  std::int64_t factor = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool operator==(const AxisBounds&) const = default;
};

// What a value is made by. The operations of the IR, and what has no operands.
enum class ValueKind : std::uint8_t {
  linear,      // a constant, or a sum
  workgroup,   // the workgroup's id along an axis
  local,       // the id inside of the workgroup along an axis
  loop_round,  // how often a loop has gone round; differs from execution to execution
  unknown,     // may differ from execution to execution
  bits,        // a float, by its bits
  load,        // from memory that no stage writes
  length,      // of a run-time sized array
  binary,
  unary,
  math,
  select,
  convert,
  other,  // any other pure operation
};

// A part of a linear form that tells invocations apart, or does not: an axis of the ids, or a loop.
struct KeyPart {
  enum class What : std::uint8_t { global, workgroup, local, round };
  What what{};
  std::uint8_t axis = 0;
  std::int64_t factor = 0;
  ValueRange range;
  ValueRange sum;  // of this part and all before it, each with its factor
};
// Whether equal sums mean equal parts, for all parts of which a value is an id. A sum in which
// larger factors outweigh everything that smaller ones can add up to has this property. Parts are
// given by growing factors.
bool tells_invocations_apart(std::span<const KeyPart> parts);

class ValueNumbers {
 public:
  // Ids of a launch with this extent and workgroup.
  ValueNumber global_id(std::size_t axis, const Extent& extent, const Extent& workgroup);
  ValueNumber local_id(std::size_t axis, const Extent& extent, const Extent& workgroup);
  ValueNumber workgroup_id(std::size_t axis, const Extent& extent, const Extent& workgroup);

  ValueNumber constant(std::int64_t value);
  ValueNumber scalar(Scalar value);
  ValueNumber unknown(ScalarKind kind);
  ValueNumber loop_round();
  // A pure function of its operands; `what` tells functions of one kind apart.
  ValueNumber operation(ValueKind kind, std::int64_t what, ScalarKind result,
                        std::span<const ValueNumber> operands);

  ValueNumber binary(BinaryOp op, ScalarKind kind, ValueNumber a, ValueNumber b);
  ValueNumber unary(UnaryOp op, ScalarKind kind, ValueNumber a);
  ValueNumber math(MathFn fn, ScalarKind kind, std::span<const ValueNumber> operands);
  ValueNumber select(ScalarKind kind, ValueNumber no, ValueNumber yes, ValueNumber condition);
  // Between i32, u32 and bool; the bits of integers stay as they are.
  ValueNumber convert(ScalarKind from, ScalarKind to, ValueNumber a);
  ValueNumber plus(ValueNumber a, std::int64_t factor, ValueNumber b);  // a + factor * b, exactly

  const LinearForm* linear(ValueNumber n) const;
  LinearForm as_linear(ValueNumber n) const;
  std::optional<std::int64_t> known(ValueNumber n) const;  // of a constant
  bool is_bool_true(ValueNumber n) const { return known(n) == 1; }
  bool is_bool_false(ValueNumber n) const { return known(n) == 0; }
  ValueNumber negated(ValueNumber condition);
  // Made of ids, constants and memory that does not change: the same whenever it is computed.
  bool is_fixed(ValueNumber n) const { return node(n).fixed; }

  ValueRange range(ValueNumber n, int depth = 4) const;

  // The value by the global id of an axis, as tight as sums, minima, maxima and choices allow: the
  // row y of a picture and its neighbours, clamped or not, have the factor 1.
  AxisBounds bounds_along(ValueNumber n, std::size_t axis, const Extent& extent,
                          const Extent& workgroup);

  // ---- What is known at a place of the program. `forget` goes back to an earlier `mark`.
  // The condition holds. `holding` lists all that is known to hold, each with its truth.
  using Fact = std::pair<ValueNumber, bool>;
  void assume(ValueNumber condition, bool truth);
  std::size_t mark() const { return undo_.size(); }
  void forget(std::size_t mark);
  const std::vector<Fact>& holding() const { return holding_; }

  // The sum as parts, by growing factors: all axes of the ids, and loops. Nothing when anything
  // else adds to it.
  std::optional<std::vector<KeyPart>> key_parts(ValueNumber n, const Extent& extent,
                                                const Extent& workgroup);

 private:
  struct Node {
    ValueKind kind{};
    std::int64_t what = 0;
    ScalarKind scalar{};
    bool fixed = true;
    ValueRange natural;
    LinearForm form;  // of kind linear
    std::vector<ValueNumber> operands;
  };
  struct Undo {
    bool fact;  // else a range
    ValueNumber value{};
    std::optional<ValueRange> before;
  };

  const Node& node(ValueNumber n) const { return nodes_[static_cast<std::size_t>(n)]; }
  struct Along {  // an axis, for bounds_along
    ValueNumber workgroup, local, global;
    std::int64_t size;
  };

  AxisBounds bounds_of(ValueNumber n, const Along& axis, int depth) const;
  AxisBounds bounds_of_sum(const LinearForm& form, const Along& axis, int depth) const;
  AxisBounds bounds_by(AxisBounds b, std::int64_t factor, const Along& axis) const;
  ValueNumber intern(std::vector<std::int64_t> key, Node node);
  ValueNumber linear(LinearForm form);
  ValueNumber id(ValueKind kind, std::size_t axis, const Extent& extent, const Extent& workgroup);
  ValueNumber commuting(ValueKind kind, std::int64_t what, ScalarKind result, ValueNumber a,
                        ValueNumber b);
  ValueRange operation_range(const Node& n, int depth) const;
  ValueRange linear_range(const LinearForm& form, int depth) const;
  std::vector<Fact> assume_one(Fact fact);
  void refine(ValueNumber n, ValueRange range);
  void refine_parts(const LinearForm& form, ValueRange range);

  std::vector<Node> nodes_;
  std::map<std::vector<std::int64_t>, ValueNumber> known_;
  std::map<ValueNumber, ValueRange> refined_;
  // local id -> the global id it is a part of, for ranges of sums
  struct Axis {
    ValueNumber workgroup, local, global;
    std::int64_t size;
  };
  std::vector<Axis> axes_;
  std::vector<Fact> holding_;
  std::vector<Undo> undo_;
  std::int64_t unknowns_ = 0;
};

}  // namespace vyre
