#include "vyre/ir/kernel.h"

#include <gtest/gtest.h>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/print.h"

namespace vyre {
namespace {

Program sum_of_squares() {
  ProgramBuilder b("squares");
  Value n = b.override_("n", b.u32, 4);
  Ref x = b.storage("x", b.array(b.f32));
  Value i = b.global_id().x();
  x[i] = x[i] * x[i] + b.convert(b.f32, n);
  auto program = std::move(b).build();
  EXPECT_TRUE(program) << (program ? "" : program.error().what);
  return program ? *std::move(program) : Program();
}

TEST(Kernel, IsSpecialisedAndContracted) {
  const auto kernel = make_kernel(sum_of_squares());
  ASSERT_TRUE(kernel) << kernel.error().what;
  EXPECT_EQ(print(*kernel->program), R"(program squares
workgroup 64, 1, 1

@group(0) @binding(0) storage read_write @x: array<f32>

entry fn squares() {
  let %_0: u32 = global_invocation_id.x
  @x[%_0] = fma(load @x[%_0], load @x[%_0], 4f)
}
)");
  EXPECT_EQ(kernel->stats.stores, 1U);
  EXPECT_TRUE(kernel->stats.pointwise);
}

TEST(Kernel, OverridesMakeDifferentKernels) {
  const OverrideValue five[] = {{"n", 5}};
  const OverrideValue four[] = {{"n", 4}};
  const auto by_default = make_kernel(sum_of_squares());
  const auto with_four = make_kernel(sum_of_squares(), four);
  const auto with_five = make_kernel(sum_of_squares(), five);
  ASSERT_TRUE(by_default && with_four && with_five);
  EXPECT_EQ(by_default->fingerprint, with_four->fingerprint);
  EXPECT_NE(by_default->fingerprint, with_five->fingerprint);
}

TEST(Kernel, SaysTheFirstErrorAndHowManyMore) {
  Program program = sum_of_squares();
  program.workgroup = {0, 0, 1};
  program.source_name = "squares.cc";
  const auto kernel = make_kernel(program);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, Code::invalid_input);
  EXPECT_EQ(kernel.error().what,
            "squares.cc: workgroup size x is 0; it must be at least 1 (and 1 more)");
}

TEST(Kernel, LimitsHoldForSizesOutOfOverrides) {
  ProgramBuilder b("f");
  Value n = b.override_("n", b.u32, 4);
  Ref tile = b.workgroup("tile", b.array(b.f32, n));
  tile[0u] = 1.0F;
  auto program = std::move(b).build();
  ASSERT_TRUE(program);
  const OverrideValue huge[] = {{"n", 4294967295.0}};
  const auto kernel = make_kernel(*program, huge);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, Code::limit);
}

}  // namespace
}  // namespace vyre
