#include "vyre/ir/subgroup.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/fingerprint.h"
#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/kernel.h"
#include "vyre/ir/print.h"
#include "vyre/ir/validate/validate.h"

namespace vyre {
namespace {

constexpr std::uint32_t kAll = 0xFFFF'FFFFU;

LaneBits counted() {
  LaneBits out{};
  for (std::uint32_t i = 0; i < kSubgroupSize; ++i) out[i] = i + 1;
  return out;
}

LaneBits floats(float (*f)(std::uint32_t)) {
  LaneBits out{};
  for (std::uint32_t i = 0; i < kSubgroupSize; ++i) out[i] = Scalar::of(f(i)).bits;
  return out;
}

float as_float(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

TEST(Subgroups, ReduceWhatIsActive) {
  const auto reduced = [](SubgroupOp op, std::uint32_t active) {
    return apply_subgroup(op, ScalarKind::u32, active, counted(), {})[3];
  };
  EXPECT_EQ(reduced(SubgroupOp::add, kAll), 528U);
  EXPECT_EQ(reduced(SubgroupOp::add, 0b1001), 5U);
  EXPECT_EQ(reduced(SubgroupOp::mul, 0b1110), 24U);
  EXPECT_EQ(reduced(SubgroupOp::min, 0b11000), 4U);
  EXPECT_EQ(reduced(SubgroupOp::max, 0b11000), 5U);
  EXPECT_EQ(reduced(SubgroupOp::bit_and, 0b1100), 0U);
  EXPECT_EQ(reduced(SubgroupOp::bit_or, 0b1010), 6U);
  EXPECT_EQ(reduced(SubgroupOp::bit_xor, 0b1011), 1U ^ 2U ^ 4U);
  EXPECT_EQ(apply_subgroup(SubgroupOp::min, ScalarKind::i32, 0b11, {0xFFFFFFFFU, 1}, {})[0],
            0xFFFFFFFFU);
}

TEST(Subgroups, SumsOfFloatsHaveOneOrder) {
  // 1e8 of lane 0 meets -1e8 of lane 16 first; every other order would lose some of the ones.
  const LaneBits values = floats([](std::uint32_t i) {
    return i == 0 ? 1e8F : i == 16 ? -1e8F : 1.0F;
  });
  const LaneBits sum = apply_subgroup(SubgroupOp::add, ScalarKind::f32, kAll, values, {});
  for (const std::uint64_t bits : sum) EXPECT_EQ(as_float(bits), 30.0F);
  // Inclusive: lane 1 is 1e8 + 1, which rounds to 1e8.
  const LaneBits scan =
      apply_subgroup(SubgroupOp::inclusive_add, ScalarKind::f32, kAll, values, {});
  EXPECT_EQ(as_float(scan[1]), 1e8F);
}

TEST(Subgroups, ScansOfFloatsNumberTheActiveLanes) {
  // Numbers 0 to 3: (1e8 + -1e8) + (1 + 1), whatever lies between the lanes. Lane by lane, 1e8 and
  // -1e8 would not meet first.
  LaneBits values{};
  const std::uint32_t lanes[] = {1, 4, 9, 30};
  const float numbers[] = {1e8F, -1e8F, 1.0F, 1.0F};
  std::uint32_t active = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    values[lanes[i]] = Scalar::of(numbers[i]).bits;
    active |= 1U << lanes[i];
  }
  const LaneBits scan =
      apply_subgroup(SubgroupOp::inclusive_add, ScalarKind::f32, active, values, {});
  EXPECT_EQ(as_float(scan[4]), 0.0F);
  EXPECT_EQ(as_float(scan[30]), 2.0F);
}

TEST(Subgroups, NothingLeavesNegativeZeroAlone) {
  const LaneBits zeros = floats([](std::uint32_t) { return -0.0F; });
  const auto one = [&](SubgroupOp op) {
    return apply_subgroup(op, ScalarKind::f32, 0b100, zeros, {})[2];
  };
  EXPECT_EQ(one(SubgroupOp::add), Scalar::of(-0.0F).bits);
  EXPECT_EQ(one(SubgroupOp::exclusive_add), Scalar::of(0.0F).bits);
  EXPECT_EQ(one(SubgroupOp::exclusive_mul), Scalar::of(1.0F).bits);
}

TEST(Subgroups, ScansSkipLanesThatAreNotActive) {
  const std::uint32_t active = 0b1101;
  const LaneBits inclusive =
      apply_subgroup(SubgroupOp::inclusive_add, ScalarKind::i32, active, counted(), {});
  const LaneBits exclusive =
      apply_subgroup(SubgroupOp::exclusive_add, ScalarKind::i32, active, counted(), {});
  EXPECT_EQ(inclusive[0], 1U);
  EXPECT_EQ(inclusive[2], 4U);
  EXPECT_EQ(inclusive[3], 8U);
  EXPECT_EQ(exclusive[0], 0U);
  EXPECT_EQ(exclusive[2], 1U);
  EXPECT_EQ(exclusive[3], 4U);
}

TEST(Subgroups, ShufflesKeepTheOwnValueWithoutASource) {
  LaneBits distance{};
  distance.fill(2);
  const auto moved = [&](SubgroupOp op, std::uint32_t active, std::uint32_t lane) {
    return apply_subgroup(op, ScalarKind::u32, active, counted(), distance)[lane];
  };
  EXPECT_EQ(moved(SubgroupOp::shuffle_up, kAll, 5), 4U);
  EXPECT_EQ(moved(SubgroupOp::shuffle_up, kAll, 1), 2U);
  EXPECT_EQ(moved(SubgroupOp::shuffle_down, kAll, 5), 8U);
  EXPECT_EQ(moved(SubgroupOp::shuffle_down, kAll, 30), 31U);
  EXPECT_EQ(moved(SubgroupOp::shuffle_xor, kAll, 5), 8U);
  EXPECT_EQ(moved(SubgroupOp::shuffle, kAll, 5), 3U);
  EXPECT_EQ(moved(SubgroupOp::shuffle, ~0b100U, 5), 6U);
  EXPECT_EQ(moved(SubgroupOp::broadcast_first, ~0b1U, 5), 2U);
  EXPECT_EQ(moved(SubgroupOp::quad_broadcast, kAll, 5), 7U);
  EXPECT_EQ(moved(SubgroupOp::quad_swap_x, kAll, 5), 5U);
  EXPECT_EQ(moved(SubgroupOp::quad_swap_y, kAll, 5), 8U);
  EXPECT_EQ(moved(SubgroupOp::quad_swap_diagonal, kAll, 5), 7U);
  distance.fill(0xFFFF'FFFFU);
  EXPECT_EQ(moved(SubgroupOp::shuffle, kAll, 5), 6U);
  EXPECT_EQ(moved(SubgroupOp::shuffle_down, kAll, 5), 6U);
}

TEST(Subgroups, VotesLookAtActiveLanes) {
  LaneBits votes{};
  votes[1] = votes[3] = 1;
  const auto vote = [&](SubgroupOp op, std::uint32_t active) {
    return apply_subgroup(op, ScalarKind::boolean, active, votes, {})[1];
  };
  EXPECT_EQ(vote(SubgroupOp::all, kAll), 0U);
  EXPECT_EQ(vote(SubgroupOp::all, 0b1010), 1U);
  EXPECT_EQ(vote(SubgroupOp::any, kAll), 1U);
  EXPECT_EQ(vote(SubgroupOp::any, 0b0111'0100), 0U);
  EXPECT_EQ(vote(SubgroupOp::ballot, 0b0110), 0b0010U);
  EXPECT_EQ(vote(SubgroupOp::elect, 0b0110), 1U);
  EXPECT_EQ(vote(SubgroupOp::elect, 0b0111), 0U);
}

TEST(Subgroups, AreBuiltPrintedAndTold) {
  const auto built = [](SubgroupOp op) {
    ProgramBuilder b("f", {64, 1, 1});
    Ref out = b.storage("out", b.array(b.u32));
    out[b.global_id().x()] = b.subgroup(op, b.global_id().x());
    Result<Program> program = std::move(b).build();
    EXPECT_TRUE(program) << (program ? "" : program.error().what);
    return program ? *program : Program();
  };
  const Program sum = built(SubgroupOp::add);
  EXPECT_TRUE(validate(sum).empty());
  EXPECT_NE(print(sum).find("subgroupAdd("), std::string::npos);
  EXPECT_NE(fingerprint(sum), fingerprint(built(SubgroupOp::max)));
  const Result<Kernel> kernel = make_kernel(sum);
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->stats.subgroup_operations, 1U);
  EXPECT_FALSE(kernel->stats.uses_local_id);
  EXPECT_TRUE(reads_workgroup_ids(kernel->stats));
  EXPECT_FALSE(kernel->stats.pointwise);
  std::vector<std::uint32_t> out(64);
  const BoundBuffer buffer{.bytes = std::as_writable_bytes(std::span(out))};
  ASSERT_TRUE(interpret(*kernel, {&buffer, 1}, LaunchShape{}));
  EXPECT_EQ(out[0], 31U * 32 / 2);
  EXPECT_EQ(out[63], 31U * 32 / 2 + 32 * 32);
}

TEST(Subgroups, WrongOperandsAreReported) {
  ProgramBuilder b("f");
  b.subgroup(SubgroupOp::bit_and, 1.5F);
  EXPECT_FALSE(std::move(b).build());
}

}  // namespace
}  // namespace vyre
