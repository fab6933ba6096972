// The stack that compiled code says it takes.
#include <gtest/gtest.h>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/kernel.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

std::uint64_t stack_of(ProgramBuilder&& b) {
  auto program = std::move(b).build();
  EXPECT_TRUE(program.has_value()) << describe(program.error());
  const auto kernel = make_kernel(*std::move(program));
  EXPECT_TRUE(kernel.has_value()) << describe(kernel.error());
  Variant v;
  v.workgroup = {64, 1, 1};
  v.gang_width = 16;
  const auto object = compile_host(*kernel, v);
  EXPECT_TRUE(object.has_value()) << describe(object.error());
  return object ? object->stack_bytes : 0;
}

// A chain of branches, whose condition is another one each time.
ProgramBuilder branches(int count) {
  ProgramBuilder b("branches", {64, 1, 1});
  Ref y = b.storage("y", b.array(b.f32));
  const Value i = b.global_id().x();
  Ref x = b.var("x", y[i]);
  for (int k = 0; k < count; ++k) {
    const auto limit = static_cast<float>(k);
    b.if_(x > limit, [&] { x = x * 0.5F + limit; });
  }
  y[i] = x;
  return b;
}

// A function that keeps an array of f32 for each lane, and calls the next one while it does.
ProgramBuilder chain(int depth, std::uint32_t length) {
  ProgramBuilder b("chain", {64, 1, 1});
  Ref y = b.storage("y", b.array(b.u32));
  FunctionId f =
      b.function("leaf", b.u32, {{"x", b.u32}}, [&](std::span<const Value> p) { b.return_(p[0]); });
  for (int d = 0; d < depth; ++d) {
    f = b.function("node", b.u32, {{"x", b.u32}}, [&](std::span<const Value> p) {
      Ref kept = b.var("kept", b.array(b.u32, length));
      kept[p[0] % length] = p[0];
      b.return_(b.call(f, {p[0] + 1}) + b.call(f, {p[0] + 2}) + kept[(p[0] + 3) % length]);
    });
  }
  const Value i = b.global_id().x();
  y[i] = b.call(f, {y[i]});
  return b;
}

TEST(FrameSizes, AreSmallForSmallKernels) {
  const std::uint64_t bytes = stack_of(branches(1));
  EXPECT_GT(bytes, 0U);
  EXPECT_LT(bytes, 4096U);
}

TEST(FrameSizes, GrowWithWhatTheCodeKeeps) {
  // The brief pipeline spills at least one vector of 16 lanes for each branch.
  EXPECT_GT(stack_of(branches(4000)), 4000U * 16);
}

TEST(FrameSizes, AddUpThroughCalls) {
  // The chain is too large to be expanded, and each function keeps 64 words for each of 16 lanes.
  constexpr std::uint64_t kFrame = 64 * 4 * 16;
  EXPECT_GT(stack_of(chain(12, 64)), 12 * kFrame);
  EXPECT_LT(stack_of(chain(12, 64)), 40 * kFrame);
}

}  // namespace
}  // namespace vyre
