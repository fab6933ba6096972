// Compiling takes time in proportion to the program, not to what it would be with every call
// expanded.
#include <gtest/gtest.h>

#include <ctime>
#include <utility>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/kernel.h"
#include "vyre/lower/gpu_compile.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

Kernel built(ProgramBuilder&& b) {
  auto program = std::move(b).build();
  EXPECT_TRUE(program.has_value()) << describe(program.error());
  auto kernel = make_kernel(*std::move(program));
  EXPECT_TRUE(kernel.has_value()) << describe(kernel.error());
  return *std::move(kernel);
}

// Each function calls the next one twice.
Kernel tree(int depth) {
  ProgramBuilder b("tree", {64, 1, 1});
  Ref y = b.storage("y", b.array(b.u32));
  FunctionId f = b.function("leaf", b.u32, {{"x", b.u32}},
                            [&](std::span<const Value> p) { b.return_(p[0] * 3); });
  for (int i = 0; i < depth; ++i) {
    f = b.function("node", b.u32, {{"x", b.u32}}, [&](std::span<const Value> p) {
      b.return_(b.call(f, {p[0]}) + b.call(f, {p[0] + 1}));
    });
  }
  const Value i = b.global_id().x();
  y[i] = b.call(f, {y[i]});
  return built(std::move(b));
}

// x = x·1.01 + sin(x), so many times.
Kernel sines(int lines) {
  ProgramBuilder b("sines", {64, 1, 1});
  Ref y = b.storage("y", b.array(b.f32));
  const Value i = b.global_id().x();
  Ref x = b.var("x", y[i]);
  for (int line = 0; line < lines; ++line) x = x * 1.01F + math(MathFn::sin, {x});
  y[i] = x;
  return built(std::move(b));
}

// About 10^12 paths lead through the lets to the value of the last one.
template <class Use>
Kernel fibonacci(Use use) {
  ProgramBuilder b("fibonacci", {64, 1, 1});
  Ref x = b.storage_read("x", b.array(b.u32));
  Ref y = b.storage("y", b.array(b.u32));
  const Value i = b.global_id().x();
  Value before = b.let("c", i), last = b.let("c", i + 1U);
  for (int line = 0; line < 60; ++line) {
    const Value next = b.let("c", last + before);
    before = std::exchange(last, next);
  }
  use(b, x, y, last);
  return built(std::move(b));
}

struct Compiled {
  std::size_t bytes = 0;
  bool brief = false;
  double seconds = 0;  // of the processor
};

Compiled on_host(const Kernel& kernel) {
  Variant v;
  v.workgroup = {64, 1, 1};
  v.gang_width = 16;
  const std::clock_t begin = std::clock();
  const auto object = compile_host(kernel, v);
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_TRUE(object.has_value()) << describe(object.error());
  return object ? Compiled{object->object.size(), object->brief, seconds} : Compiled{};
}

Compiled for_gpu(const Kernel& kernel) {
  Variant v;
  v.workgroup = {64, 1, 1};
  const std::clock_t begin = std::clock();
  const auto code = compile_gpu(kernel, v, {.processor = "sm_90"});
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_TRUE(code.has_value()) << describe(code.error());
  return code ? Compiled{code->ptx.size(), code->brief, seconds} : Compiled{};
}

TEST(CompileTime, CallTreesMakeCodeInProportionToTheirDepth) {
  for (const auto compile : {on_host, for_gpu}) {
    const Compiled shallow = compile(tree(12));
    const Compiled deep = compile(tree(24));
    EXPECT_LT(deep.bytes, 4 * shallow.bytes);
    EXPECT_FALSE(deep.brief);
  }
}

TEST(CompileTime, LetsThatNameEachOtherAreFollowedOnce) {
  const auto walk = [](ProgramBuilder& b, Ref& x, Ref& y, const Value& last) {
    Ref sum = b.var("sum", 0U);
    b.for_("k", 0U, 100U, [&](const Value&) { sum += x[last]; });
    y[b.global_id().x()] = sum;
  };
  const auto wait = [](ProgramBuilder& b, Ref& x, Ref& y, const Value& last) {
    Ref shared = b.workgroup("shared", b.array(b.u32, 64));
    shared[b.local_index()] = last;
    b.workgroup_barrier();
    y[b.global_id().x()] = last + shared[x[last]];
  };
  for (const auto compile : {on_host, for_gpu}) {
    EXPECT_LT(compile(fibonacci(walk)).seconds, 5);
    EXPECT_LT(compile(fibonacci(wait)).seconds, 5);
  }
}

TEST(CompileTime, LongProgramsTakeTheBriefPipelineAndSaySo) {
  const Kernel few = sines(20);
  const Kernel many = sines(2000);
  for (const auto compile : {on_host, for_gpu}) {
    EXPECT_FALSE(compile(few).brief);
    EXPECT_TRUE(compile(many).brief);
  }
}

// A thousandfold would be quadratic. Times are those of a busy machine.
TEST(CompileTime, GrowsWithTheLengthOfProgramsNotItsSquare) {
  for (const auto compile : {on_host, for_gpu}) {
    const Compiled some = compile(sines(3000));
    const Compiled more = compile(sines(12000));
    EXPECT_LT(more.seconds, 10 * some.seconds + 0.5);
    EXPECT_LT(more.bytes, 5 * some.bytes);
  }
}

// Where an elementary function occurs often, its code is there once.
TEST(CompileTime, ElementaryFunctionsAreEmittedOnce) {
  Variant v;
  v.workgroup = {64, 1, 1};
  v.gang_width = 16;
  const auto text = host_text(sines(200), v, HostText::llvm);
  ASSERT_TRUE(text.has_value()) << describe(text.error());
  EXPECT_NE(text->find("<16 x float> @sin_16("), std::string::npos);
  const auto rarely = host_text(sines(2), v, HostText::llvm);
  ASSERT_TRUE(rarely.has_value()) << describe(rarely.error());
  EXPECT_EQ(rarely->find("@sin_16("), std::string::npos);
}

}  // namespace
}  // namespace vyre
