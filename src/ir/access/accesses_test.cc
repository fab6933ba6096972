#include "vyre/ir/access/accesses.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/builder/builder_math.h"

namespace vyre {
namespace {

struct Found {
  Program program;
  ValueNumbers numbers;
  LaunchFacts facts;
  Accesses accesses;
  const MemoryAccess& operator[](std::size_t i) const { return accesses.all.at(i); }
  bool own(std::size_t i) const {
    return accesses.all.at(i).key && tells_invocations_apart(*accesses.all.at(i).key);
  }
};

// Buffers are written unless `fixed` names them by position.
Found find(ProgramBuilder b, Extent extent, std::vector<std::size_t> fixed = {},
           std::span<const std::byte> contents = {}) {
  Found out;
  Result<Program> program = std::move(b).build();
  EXPECT_TRUE(program) << program.error().what;
  out.program = *program;
  out.facts.extent = extent;
  out.facts.workgroup = out.program.workgroup;
  for (std::uint32_t g = 0; g < out.program.globals.size(); ++g) {
    out.facts.buffers.push_back({.identity = g, .bytes = 400, .contents = {}, .written = true});
  }
  for (const std::size_t g : fixed) {
    out.facts.buffers[g].written = false;
    out.facts.buffers[g].contents = contents;
  }
  out.accesses = find_accesses(out.program, out.facts, out.numbers);
  return out;
}

TEST(Accesses, AnIndexIsFollowedThroughLetsVariablesAndCalls) {
  ProgramBuilder b("k", {64, 1, 1});
  Ref x = b.storage("x", b.array(b.f32));
  const FunctionId next = b.function("next", b.u32, {{"v", b.u32}},
                                     [&](std::span<const Value> p) { b.return_(p[0] + 1U); });
  Ref i = b.var("i", b.u32);
  i = b.global_id().x();
  Value at = b.let("at", i.load());
  x[at] = x[b.call(next, {at})];
  i = 7U;
  x[i] = 1.0F;
  const Found f = find(std::move(b), {1000, 1, 1});
  ASSERT_EQ(f.accesses.all.size(), 3U);
  EXPECT_EQ(f.numbers.as_linear(f[0].index()).constant, 1);
  EXPECT_EQ(f[0].kind, AccessKind::load);
  EXPECT_TRUE(f.own(1));
  EXPECT_EQ(f[1].index_range, (ValueRange{0, 999}));
  EXPECT_FALSE(f.own(2));
  EXPECT_EQ(f.numbers.known(f[2].index()), 7);
}

TEST(Accesses, AVariableIsUnknownBehindABranchOrALoopThatStoresIt) {
  ProgramBuilder b("k", {64, 1, 1});
  Ref x = b.storage("x", b.array(b.f32));
  Ref i = b.var("i", b.global_id().x());
  b.if_(x[i].load() > 0.0F, [&] { i = 3U; });
  x[i] = 1.0F;
  const Found f = find(std::move(b), {1000, 1, 1});
  EXPECT_TRUE(f.own(0));
  EXPECT_FALSE(f[1].key);
}

TEST(Accesses, ALoopsCounterIsASumOfItsRounds) {
  ProgramBuilder b("k", {64, 1, 1});
  Ref x = b.storage("x", b.array(b.f32));
  b.for_(
      "j", b.local_id().x(), 200U, [&](Value j) { x[b.workgroup_id().x() * 200U + j] = 1.0F; },
      64U);
  const Found f = find(std::move(b), {640, 1, 1});
  ASSERT_EQ(f.accesses.all.size(), 1U);
  EXPECT_TRUE(f.own(0));
  EXPECT_GT(f[0].times, 2);
  EXPECT_LT(f[0].times, 5);
}

TEST(Accesses, WhatFollowsAnEarlyReturnIsGuarded) {
  ProgramBuilder b("k", {64, 1, 1});
  Ref x = b.storage("x", b.array(b.f32));
  Ref n = b.storage_read("n", b.array(b.u32));
  Value i = b.global_id().x();
  b.if_(i >= n[0], [&] { b.return_(); });
  x[i] = 1.0F;
  b.if_(i < n[0], [&] { x[i] = 2.0F; });
  const Found f = find(std::move(b), {1000, 1, 1}, {1});
  const MemoryAccess& first = f[1];
  const MemoryAccess& second = f[3];
  ASSERT_EQ(first.kind, AccessKind::store);
  ASSERT_EQ(first.guard.size(), 1U);
  EXPECT_EQ(first.guard, second.guard) << "the second test asks what is known already";
}

TEST(Accesses, UniformFieldsHaveTheirContents) {
  const std::array<std::uint32_t, 2> words{100, 30};
  ProgramBuilder b("k", {8, 8, 1});
  Ref view = b.uniform("view", b.structure("View", {{"w", b.u32}, {"h", b.u32}}));
  Ref x = b.storage("x", b.array(b.f32));
  Value id = b.global_id();
  x[id.y() * view.member("w") + id.x()] = 1.0F;
  const Found f = find(std::move(b), {100, 30, 1}, {0}, std::as_bytes(std::span(words)));
  EXPECT_TRUE(f.own(0));
  EXPECT_EQ(f[0].index_range, (ValueRange{0, 2999}));
}

TEST(Accesses, AtomicsSayWhetherTheirResultIsUsed) {
  ProgramBuilder b("k", {64, 1, 1});
  Ref c = b.storage("c", b.array(b.atomic(b.u32)));
  c[0].atomic_add(1U);
  c[c[1].atomic_add(1U)].atomic_max(2U);
  const Found f = find(std::move(b), {64, 1, 1});
  ASSERT_EQ(f.accesses.all.size(), 3U);
  EXPECT_FALSE(f[0].result_used);
  EXPECT_TRUE(f[1].result_used);
  EXPECT_EQ(f[2].atomic, AtomicOp::max);
}

// The bounds of loads of one row and its neighbours, by how the neighbour is found.
TEST(Accesses, NeighboursOfAPlaceAreBoundedAlongTheSlowestAxis) {
  constexpr std::int64_t kWidth = 30, kHeight = 20;
  const auto bounds = [&](Extent extent, auto&& index) {
    ProgramBuilder b("k", {8, 4, 1});
    Ref x = b.storage("x", b.array(b.f32));
    Ref y = b.storage("y", b.array(b.f32));
    const Value at = b.let("at", index(b));
    y[b.global_id().x()] = x[at];
    const Found f = find(std::move(b), extent);
    EXPECT_EQ(f.accesses.all.size(), 2U);
    return f[0].along_slowest;
  };
  const auto row = [&](ProgramBuilder& b, const Value& y) {
    return y * static_cast<std::uint32_t>(kWidth) + b.global_id().x();
  };
  const Extent picture{kWidth, kHeight, 1};
  EXPECT_EQ(bounds(picture, [&](ProgramBuilder& b) { return row(b, b.global_id().y()); }),
            (AxisBounds{kWidth, 0, kWidth - 1}));
  EXPECT_EQ(bounds(picture, [&](ProgramBuilder& b) { return row(b, b.global_id().y() + 2U); }),
            (AxisBounds{kWidth, 2 * kWidth, 3 * kWidth - 1}));
  const auto clamped = [&](ProgramBuilder& b, std::int32_t by) {
    const Value y = b.convert(b.i32, b.global_id().y()) + by;
    return row(b, b.convert(b.u32, clamp(y, 0, static_cast<std::int32_t>(kHeight) - 1)));
  };
  EXPECT_EQ(bounds(picture, [&](ProgramBuilder& b) { return clamped(b, -1); }),
            (AxisBounds{kWidth, -kWidth, kWidth - 1}));
  EXPECT_EQ(bounds(picture, [&](ProgramBuilder& b) { return clamped(b, 1); }),
            (AxisBounds{kWidth, 0, 2 * kWidth - 1}));
  EXPECT_EQ(bounds(picture,
                   [&](ProgramBuilder& b) {
                     return row(
                         b, min(b.global_id().y() + 3U, static_cast<std::uint32_t>(kHeight) - 1U));
                   }),
            (AxisBounds{kWidth, 0, 4 * kWidth - 1}));
  // The place goes along with two rows, wraps around, or does not go along at all.
  EXPECT_EQ(bounds(picture, [&](ProgramBuilder& b) { return row(b, b.global_id().y() * 2U); }),
            (AxisBounds{2 * kWidth, 0, kWidth - 1}));
  EXPECT_EQ(
      bounds(picture, [&](ProgramBuilder& b) { return row(b, (b.global_id().y() + 1U) % 20U); }),
      (AxisBounds{0, 0, kWidth * kHeight - 1}));
  EXPECT_EQ(bounds(picture, [&](ProgramBuilder& b) { return b.global_id().x() + 7U; }),
            (AxisBounds{0, 7, kWidth + 6}));
  // What turns round at the other end comes from everywhere.
  EXPECT_EQ(bounds(picture, [&](ProgramBuilder& b) { return row(b, 19U - b.global_id().y()); }),
            (AxisBounds{-kWidth, 19 * kWidth, 20 * kWidth - 1}));
  // Other axes are the slowest where these have no length.
  EXPECT_EQ(bounds({100, 1, 1}, [&](ProgramBuilder& b) { return b.global_id().x() + 5U; }),
            (AxisBounds{1, 5, 5}));
  EXPECT_EQ(bounds({10, 3, 6},
                   [&](ProgramBuilder& b) {
                     return b.global_id().z() * 30U + b.global_id().y() * 10U + b.global_id().x();
                   }),
            (AxisBounds{30, 0, 29}));
}

}  // namespace
}  // namespace vyre
