#include "vyre/ir/argument_rules.h"

#include <gtest/gtest.h>

#include <vector>

namespace vyre {
namespace {

class Rules : public ::testing::Test {
 protected:
  // Values of a scalar, or of a vector if there are several; none for a value of run time.
  Operand known(ScalarKind kind, std::vector<std::uint64_t> bits) {
    const auto n = static_cast<std::uint32_t>(bits.size());
    const TypeId type = n > 1 ? types_.vector(kind, n) : types_.scalar(kind);
    kept_.push_back(std::move(bits));
    return {type, kept_.back()};
  }
  Operand u32(std::uint32_t v) { return known(ScalarKind::u32, {v}); }
  Operand i32(std::int32_t v) { return known(ScalarKind::i32, {Scalar::of(v).bits}); }
  Operand f32(float v) { return known(ScalarKind::f32, {Scalar::of(v).bits}); }
  Operand varies(ScalarKind kind) { return known(kind, {}); }
  Fault call(MathFn fn, std::vector<Operand> arguments) {
    return argument_fault(fn, types_, arguments);
  }

  TypeTable types_;
  std::vector<std::vector<std::uint64_t>> kept_ = [] {
    std::vector<std::vector<std::uint64_t>> v;
    v.reserve(64);  // operands point into it
    return v;
  }();
};

TEST_F(Rules, LookAtTheArgumentsThatAreKnown) {
  const Operand any_int = varies(ScalarKind::i32), any_float = varies(ScalarKind::f32);
  EXPECT_EQ(call(MathFn::clamp, {any_int, i32(1), i32(0)}), Fault::order);
  EXPECT_EQ(call(MathFn::clamp, {any_int, i32(-1), i32(0)}), Fault::none);
  EXPECT_EQ(call(MathFn::clamp, {any_float, f32(1), f32(-2)}), Fault::order);
  EXPECT_EQ(call(MathFn::clamp, {i32(3), any_int, i32(0)}), Fault::none);
  EXPECT_EQ(call(MathFn::smoothstep, {f32(2), f32(2), any_float}), Fault::order);
  EXPECT_EQ(call(MathFn::smoothstep, {f32(3), f32(2), any_float}), Fault::none);
  EXPECT_EQ(call(MathFn::extract_bits, {any_int, u32(5), u32(28)}), Fault::order);
  EXPECT_EQ(call(MathFn::extract_bits, {any_int, u32(5), u32(27)}), Fault::none);
  EXPECT_EQ(call(MathFn::insert_bits, {any_int, any_int, u32(0xFFFF'FFFF), u32(1)}), Fault::order);
  EXPECT_EQ(call(MathFn::min, {any_int, i32(1)}), Fault::none);
}

TEST_F(Rules, HoldExponentsToTheFormat) {
  const Operand any_float = varies(ScalarKind::f32), any_half = varies(ScalarKind::f16);
  EXPECT_EQ(call(MathFn::ldexp, {any_float, i32(128)}), Fault::none);
  EXPECT_EQ(call(MathFn::ldexp, {any_float, i32(129)}), Fault::order);
  EXPECT_EQ(call(MathFn::ldexp, {any_float, i32(-5000)}), Fault::none);
  EXPECT_EQ(call(MathFn::ldexp, {any_half, i32(17)}), Fault::order);
  const Operand one = known(ScalarKind::abstract_float, {Scalar::of(1.0F).bits});
  EXPECT_EQ(call(MathFn::ldexp, {one, i32(1024)}), Fault::none);
  EXPECT_EQ(call(MathFn::ldexp, {one, known(ScalarKind::abstract_int, {1025})}), Fault::order);
}

TEST_F(Rules, LookAtEveryComponent) {
  const Operand low = known(ScalarKind::u32, {0, 9}), high = known(ScalarKind::u32, {8, 8});
  EXPECT_EQ(call(MathFn::clamp, {{low.type, {}}, low, high}), Fault::order);
  EXPECT_EQ(right_side_fault(BinaryOp::div, types_, low), Fault::division_by_zero);
  EXPECT_EQ(right_side_fault(BinaryOp::shift_left, types_, known(ScalarKind::u32, {1, 32})),
            Fault::shift_too_large);
}

TEST_F(Rules, LetFloatsBeDividedByZero) {
  EXPECT_EQ(right_side_fault(BinaryOp::div, types_, f32(0)), Fault::none);
  EXPECT_EQ(right_side_fault(BinaryOp::rem, types_, i32(0)), Fault::division_by_zero);
  EXPECT_EQ(right_side_fault(BinaryOp::mul, types_, i32(0)), Fault::none);
}

}  // namespace
}  // namespace vyre
