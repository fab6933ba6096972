#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/kernel.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

std::uint32_t native() { return std::max(8U, host_vector_width()); }

std::uint32_t width_of(ProgramBuilder b) {
  auto program = std::move(b).build();
  EXPECT_TRUE(program.has_value()) << describe(program.error());
  const auto kernel = make_kernel(*std::move(program));
  EXPECT_TRUE(kernel.has_value());
  return host_default_gang(*kernel);
}

TEST(HostDefaultVariant, TakesNativeVectorsWhereLanesGoTogether) {
  ProgramBuilder b("sum", {64, 1, 1});
  Ref x = b.storage_read("x", b.array(b.f32));
  Ref y = b.storage("y", b.array(b.f32));
  const Value i = b.global_id().x();
  Ref sum = b.var("sum", 0.0F);
  b.for_("k", 0U, 100U, [&](const Value& k) { sum += x[k * 64U + i]; });
  y[i] = sum;
  EXPECT_EQ(width_of(std::move(b)), native());
}

TEST(HostDefaultVariant, TakesOneLaneWhereLanesPartAndMostlyGather) {
  ProgramBuilder b("rows", {64, 1, 1});
  Ref starts = b.storage_read("starts", b.array(b.u32));
  Ref columns = b.storage_read("columns", b.array(b.u32));
  Ref x = b.storage_read("x", b.array(b.f32));
  Ref y = b.storage("y", b.array(b.f32));
  const Value i = b.global_id().x();
  Ref sum = b.var("sum", 0.0F);
  const Value end = starts[i + 1U];
  b.for_("k", starts[i], end, [&](const Value& k) { sum += x[columns[k]]; });
  y[i] = sum;
  EXPECT_EQ(width_of(std::move(b)), 1U);
}

TEST(HostDefaultVariant, TakesOneLaneWhereShortLoopsSearch) {
  ProgramBuilder b("lengths", {64, 1, 1});
  Ref x = b.storage_read("x", b.array(b.u32));
  Ref y = b.storage("y", b.array(b.u32));
  const Value i = b.global_id().x();
  Ref length = b.var("length", 0U);
  b.while_([&] { return length < 128U; },
           [&] {
             const Value word = b.let("word", x[(i * 128U + length) / 4U]);
             b.if_(((word >> (length % 4U * 8U)) & 255U) == 116U, [&] { b.break_(); });
             length += 1U;
           });
  y[i] = length;
  EXPECT_EQ(width_of(std::move(b)), 1U);
}

// There are about 10^12 paths through these lets.
TEST(HostDefaultVariant, FollowsLetsThatNameEachOtherOnce) {
  ProgramBuilder b("search", {64, 1, 1});
  Ref y = b.storage("y", b.array(b.u32));
  const Value i = b.global_id().x();
  Value before = b.let("c", i), last = b.let("c", i + 1U);
  for (int line = 0; line < 60; ++line) {
    const Value next = b.let("c", last + before);
    before = std::exchange(last, next);
  }
  Ref sum = b.var("sum", 0U);
  b.for_("k", 0U, 100U, [&](const Value& k) {
    sum += k;
    b.if_(sum > last, [&] { b.break_(); });
  });
  y[i] = sum;
  EXPECT_EQ(width_of(std::move(b)), 2 * native());
}

TEST(HostDefaultVariant, TakesTwoVectorsWhereLanesPartAndOnlyCompute) {
  ProgramBuilder b("rounds", {64, 1, 1});
  Ref y = b.storage("y", b.array(b.f32));
  const Value i = b.global_id().x();
  Ref z = b.var("z", 1.0F);
  b.for_("k", 0U, i, [&](const Value&) { z = z * 0.5F + 1.0F; });
  y[i] = z;
  EXPECT_EQ(width_of(std::move(b)), 2 * native());
}

TEST(HostDefaultVariant, HasNoMoreLanesThanARowOfAWorkgroupThatWaits) {
  ProgramBuilder b("waits", {8, 8, 1});
  Ref y = b.storage("y", b.array(b.f32));
  Ref shared = b.workgroup("shared", b.array(b.f32, 64));
  const Value lane = b.local_index();
  shared[lane] = 1.0F;
  b.workgroup_barrier();
  y[lane] = shared[63U - lane];
  EXPECT_EQ(width_of(std::move(b)), 8U);
}

}  // namespace
}  // namespace vyre
