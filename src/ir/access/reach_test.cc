#include "vyre/ir/access/reach.h"

#include <gtest/gtest.h>

#include "vyre/ir/builder/builder.h"

namespace vyre {
namespace {

std::optional<std::vector<BufferReach>> reach_of(ProgramBuilder b, Extent extent) {
  Result<Program> program = std::move(b).build();
  EXPECT_TRUE(program) << program.error().what;
  LaunchFacts facts{.extent = extent, .workgroup = program->workgroup, .buffers = {}};
  facts.buffers.resize(program->globals.size());
  return find_reach(*program, facts);
}

TEST(Reach, AccessesOfOneKindAreOneReachInBytes) {
  ProgramBuilder b("k", {8, 4, 1});
  Ref x = b.storage("x", b.array(b.vec(b.f32, 2)));
  Ref y = b.storage("y", b.array(b.f32));
  const Value i = b.let("i", b.global_id().y() * 10U + b.global_id().x());
  y[i] = Value(x[i + 10U].x()) + Value(x[i].y());
  const auto reach = reach_of(std::move(b), {10, 20, 1});
  ASSERT_TRUE(reach);
  ASSERT_EQ(reach->size(), 2U);
  EXPECT_EQ((*reach)[0], (BufferReach{.global = GlobalId{0}, .factor = 80, .low = 0, .high = 160}));
  EXPECT_EQ((*reach)[1],
            (BufferReach{.global = GlobalId{1}, .writes = true, .factor = 40, .high = 40}));
}

TEST(Reach, AtomicsThatCommuteSaySoUnlessTheirResultIsUsed) {
  ProgramBuilder b("k", {64, 1, 1});
  Ref n = b.storage("n", b.array(b.atomic(b.u32)));
  Ref y = b.storage("y", b.array(b.u32));
  const Value i = b.let("i", b.global_id().x());
  n[i % 4U].atomic_add(1U);
  y[i] = n[5U].atomic_add(1U);
  const auto reach = reach_of(std::move(b), {100, 1, 1});
  ASSERT_TRUE(reach);
  ASSERT_EQ(reach->size(), 3U);
  EXPECT_EQ((*reach)[0], (BufferReach{.global = GlobalId{0},
                                      .writes = true,
                                      .commutes = 1,
                                      .factor = 0,
                                      .low = 0,
                                      .high = 16}));
  EXPECT_EQ((*reach)[1].commutes, 0);
  EXPECT_EQ((*reach)[1].low, 20);
  EXPECT_EQ((*reach)[2].factor, 4);
}

TEST(Reach, WhatIsNoElementOfAnArrayIsTheWholeBuffer) {
  ProgramBuilder b("k", {64, 1, 1});
  Ref one = b.storage("one", b.f32);
  Ref y = b.storage("y", b.array(b.f32));
  // Backwards, the first rows come from the end.
  y[99U - b.global_id().x()] = one;
  const auto reach = reach_of(std::move(b), {100, 1, 1});
  ASSERT_TRUE(reach);
  EXPECT_EQ((*reach)[0], (BufferReach{.global = GlobalId{0}, .high = kWholeBuffer}));
  EXPECT_EQ((*reach)[1],
            (BufferReach{.global = GlobalId{1}, .writes = true, .high = kWholeBuffer}));
}

}  // namespace
}  // namespace vyre
