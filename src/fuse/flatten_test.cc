#include "vyre/fuse/flatten.h"

#include <gtest/gtest.h>

#include <cstring>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/kernel.h"
#include "vyre/ir/print.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

std::vector<std::uint32_t> run(const Program& program) {
  auto kernel = finish_kernel(program);
  EXPECT_TRUE(kernel) << kernel.error().what << print(program);
  std::vector<std::uint32_t> y(100, 5);
  std::vector<std::byte> bytes(400);
  std::memcpy(bytes.data(), y.data(), 400);
  const BoundBuffer buffers[] = {{0, 0, bytes}};
  EXPECT_TRUE(interpret(*kernel, buffers, {.grid = {2, 1, 1}, .extent = {100, 1, 1}}));
  std::memcpy(y.data(), bytes.data(), 400);
  return y;
}

TEST(Flatten, ReturnsInBranchesLoopsSwitchesAndFunctionsBecomeBranches) {
  ProgramBuilder b("k", {64, 1, 1});
  Ref y = b.storage("y", b.array(b.u32));
  const TypeId place = b.pointer(MemoryKind::storage, b.u32);
  // The first number from `from` on whose square ends in 6; the place remembers how far it went.
  const FunctionId search = b.function(
      "search", b.u32, {{"place", place}, {"from", b.u32}}, [&](std::span<const Value> p) {
        Ref at = b.deref(p[0]);
        b.for_("k", p[1], p[1] + 12U, [&](Value k) {
          at = k;
          b.switch_(k * k % 10U, {{{6}, [&] { b.return_(k); }}, {{5}, [&] { at = 1000U; }}});
          b.if_(k == 91U, [&] { b.return_(b.constant(b.u32, 17U)); });
        });
        b.return_(b.constant(b.u32, 3U));
      });
  Value i = b.global_id().x();
  b.if_(i == 5U, [&] { b.return_(); });
  b.if_(i < 50U, [&] {
    b.if_(i % 2U == 0U, [&] {
      y[i] = 77U;
      b.return_();
    });
    y[i] = 78U;
  });
  Value found = b.call(search, {y[i].address(), i});
  y[i] = y[i] + found * 2000U;
  b.loop([&] {
    b.if_(y[i].load() % 3U == 0U, [&] { b.return_(); });
    y[i] = y[i] + 1U;
  });
  Result<Program> program = std::move(b).build();
  ASSERT_TRUE(program) << program.error().what;
  const auto flat = flatten(*program);
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->functions.size(), 1U);
  for_each_stmt(*flat, flat->functions[0].body, [&](StmtId id) {
    EXPECT_FALSE(std::holds_alternative<ReturnStmt>((*flat)[id].node));
  });
  EXPECT_EQ(run(*flat), run(*program));
}

TEST(Flatten, FunctionsWithoutBuffersStayFunctions) {
  ProgramBuilder b("k", {64, 1, 1});
  Ref y = b.storage("y", b.array(b.u32));
  const FunctionId twice = b.function("twice", b.u32, {{"v", b.u32}},
                                      [&](std::span<const Value> p) { b.return_(p[0] * 2U); });
  y[b.global_id().x()] = b.call(twice, {b.global_id().x()});
  Result<Program> program = std::move(b).build();
  ASSERT_TRUE(program);
  const auto flat = flatten(*program);
  ASSERT_TRUE(flat);
  EXPECT_EQ(flat->functions.size(), 2U);
  EXPECT_EQ(run(*flat), run(*program));
}

}  // namespace
}  // namespace vyre
