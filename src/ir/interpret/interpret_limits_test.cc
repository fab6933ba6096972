// What ends a run early, and what is refused before it starts.
#include <gtest/gtest.h>

#include "vyre/ir/interpret/interpret_testing.h"

namespace vyre {
namespace {

using Words = std::vector<std::uint32_t>;

void expect_error(const Result<InterpretReport>& report, Code code,
                  std::initializer_list<const char*> words) {
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, code);
  for (const char* word : words) {
    EXPECT_NE(report.error().what.find(word), std::string::npos) << report.error().what;
  }
}

TEST(StepBudget, StopsEndlessLoopsAlsoEmptyOnes) {
  for (int form = 0; form < 4; ++form) {
    KernelWriter k;
    const FunctionId nothing = k.begin("nothing", {}, k.program.types.void_type());
    k.end();
    k.begin("forever");
    const ExprId n = k.var(k.u(0));
    switch (form) {
      case 0: k.loop([] {}); break;
      case 1: k.loop([&] { k.continue_(); }); break;
      case 2: k.loop([] {}, [&] { k.add_to(n, k.u(1)); }, k.b(false)); break;
      default: k.loop([&] { k.call(nothing); }); break;
    }
    k.end();
    expect_error(interpret(k.finish(), {}, {}, {.step_budget = 100000, .cancelled = {}}),
                 Code::limit, {"`forever`", "budget"});
  }
}

TEST(StepBudget, CountsStatements) {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  k.begin("main");
  const ExprId i = k.let(k.global_x());
  k.store(k.at(out, i), i);
  k.end();
  const Kernel kernel = k.finish({4, 1, 1});
  Words got(16);
  // Two statements and the end, for each of 16.
  const auto report = run_with(kernel, {4, 1, 1}, got);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->steps, 48U);
  EXPECT_TRUE(
      run_with(kernel, LaunchShape{.grid = {4, 1, 1}}, {.step_budget = 48, .cancelled = {}}, got));
  expect_error(
      run_with(kernel, LaunchShape{.grid = {4, 1, 1}}, {.step_budget = 47, .cancelled = {}}, got),
      Code::limit, {"budget"});
}

TEST(StepBudget, StopsManyEmptyInvocations) {
  KernelWriter k;
  k.begin("empty");
  k.end();
  const std::uint32_t huge = 0xFFFFFFFF;
  expect_error(interpret(k.finish({1, 1, 1}), {}, {.grid = {huge, huge, huge}},
                         {.step_budget = 1000, .cancelled = {}}),
               Code::limit, {"`empty`"});
}

TEST(StepBudget, StopsCallsThatMultiply) {
  // Each of 40 functions calls the one before it twice.
  KernelWriter k;
  FunctionId callee = k.begin("f0", {}, k.program.types.void_type());
  k.end();
  for (int i = 0; i < 40; ++i) {
    const FunctionId f = k.begin("f", {}, k.program.types.void_type());
    k.call(callee);
    k.call(callee);
    k.end();
    callee = f;
  }
  k.begin("main");
  k.call(callee);
  k.end();
  expect_error(interpret(k.finish(), {}, {}, {.step_budget = 50000, .cancelled = {}}), Code::limit,
               {"`main`"});
}

TEST(StepBudget, CoversInvocationsThatWaitAtBarriers) {
  KernelWriter k;
  k.begin("together");
  k.loop([&] { k.barrier(); });
  k.end();
  expect_error(interpret(k.finish({8, 1, 1}), {}, {}, {.step_budget = 10000, .cancelled = {}}),
               Code::limit, {"`together`"});
}

TEST(Cancellation, EndsTheRunWithAnError) {
  KernelWriter k;
  k.begin("forever");
  k.loop([] {});
  k.end();
  int asked = 0;
  expect_error(
      interpret(k.finish(), {}, {}, {.step_budget = 0, .cancelled = [&] { return ++asked > 3; }}),
      Code::limit, {"`forever`", "cancelled"});
  EXPECT_EQ(asked, 4);
}

// ---- Bindings ----------------------------------------------------------------------------------

Kernel copy_kernel(Access first = Access::read) {
  KernelWriter k;
  const TypeId header = k.structure("Header", {{"n", k.u32}, {"list", k.runtime_array(k.u32)}});
  const ExprId in = k.buffer("in", header, first);
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  k.begin("copy");
  k.store(k.at(out, k.global_x()), k.load(k.at(k.member(in, 1), k.global_x())));
  k.end();
  return k.finish();
}

TEST(Bindings, AMissingOneIsNamed) {
  Words a(4);
  expect_error(run_with(copy_kernel(), {1, 1, 1}, a), Code::invalid_input,
               {"`copy`", "`out`", "group 0, binding 1"});
}

TEST(Bindings, OneGivenTwiceIsRefused) {
  Words a(4), b(4), c(4);
  const std::vector<BoundBuffer> bound{{0, 0, std::as_writable_bytes(std::span(a))},
                                       {0, 1, std::as_writable_bytes(std::span(b))},
                                       {0, 1, std::as_writable_bytes(std::span(c))}};
  expect_error(interpret(copy_kernel(), bound, {}), Code::invalid_input, {"binding 1", "twice"});
}

TEST(Bindings, ATooSmallOneIsRefusedWithBothSizes) {
  Words a(1), b(4);
  expect_error(run_with(copy_kernel(), {1, 1, 1}, a, b), Code::invalid_input,
               {"`in`", "4 bytes", "at least 8"});
  Words enough(2);
  EXPECT_TRUE(run_with(copy_kernel(), {1, 1, 1}, enough, b));
}

TEST(Bindings, AnArrayMayBeginRightBehindAVectorOfThree) {
  KernelWriter k;
  const TypeId three = k.vec(ScalarKind::f32, 3);
  const ExprId in = k.buffer(
      "in", k.structure("S", {{"v", three}, {"list", k.runtime_array(k.f32)}}), Access::read);
  const ExprId out = k.buffer("out", k.runtime_array(k.f32));
  k.begin("copy");
  k.store(k.at(out, k.global_x()), k.load(k.at(k.member(in, 1), k.global_x())));
  k.end();
  const Kernel kernel = k.finish();
  Words small(3), enough(4), b(4);
  expect_error(run_with(kernel, {1, 1, 1}, small, b), Code::invalid_input,
               {"12 bytes", "at least 16"});
  EXPECT_TRUE(run_with(kernel, {1, 1, 1}, enough, b));
}

TEST(Bindings, OthersAreLeftAlone) {
  Words a(4), b(4), c(4, 3);
  const std::vector<BoundBuffer> bound{{0, 0, std::as_writable_bytes(std::span(a))},
                                       {0, 1, std::as_writable_bytes(std::span(b))},
                                       {5, 1, std::as_writable_bytes(std::span(c))}};
  EXPECT_TRUE(interpret(copy_kernel(), bound, {}));
  EXPECT_EQ(c, Words(4, 3));
}

TEST(Bindings, SharedMemoryIsRefusedOnlyWhenWritable) {
  Words memory(8);
  const auto bytes = std::as_writable_bytes(std::span(memory));
  const std::vector<BoundBuffer> overlapping{{0, 0, bytes.first(20)}, {0, 1, bytes.last(16)}};
  expect_error(interpret(copy_kernel(), overlapping, {}), Code::invalid_input,
               {"`in`", "`out`", "share memory"});
  const std::vector<BoundBuffer> apart{{0, 0, bytes.first(16)}, {0, 1, bytes.last(16)}};
  EXPECT_TRUE(interpret(copy_kernel(), apart, {}));

  KernelWriter k;
  const ExprId a = k.buffer("a", k.u32, Access::read), b = k.buffer("b", k.u32, Access::read);
  k.begin("read");
  k.let(k.add(k.load(a), k.load(b)));
  k.end();
  const std::vector<BoundBuffer> same{{0, 0, bytes}, {0, 1, bytes}};
  EXPECT_TRUE(interpret(k.finish(), same, {}));
}

TEST(Sizes, TooMuchMemoryForAWorkgroupIsAnErrorNotACrash) {
  KernelWriter k;
  const ExprId big = k.workgroup("big", k.array(k.array(k.u32, 65536), 65536));
  k.begin("main");
  k.store(k.at(k.at(big, 0), 0), k.u(1));
  k.end();
  expect_error(interpret(k.finish({1, 1, 1}, false), {}, {}), Code::limit, {"`main`"});

  KernelWriter local;
  local.begin("main");
  local.var(local.array(local.array(local.u32, 65536), 65536));
  local.end();
  expect_error(interpret(local.finish({1, 1, 1}, false), {}, {}), Code::limit, {"`main`"});

  KernelWriter many;
  many.begin("main");
  many.var(many.array(many.u32, 1U << 24));
  many.barrier();
  many.end();
  expect_error(interpret(many.finish({1024, 1, 1}, false), {}, {}), Code::limit, {"`main`"});
}

}  // namespace
}  // namespace vyre
