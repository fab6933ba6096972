// Control flow and functions.
#include <gtest/gtest.h>

#include "vyre/ir/interpret/interpret_testing.h"

namespace vyre {
namespace {

// A kernel that stores what `body` gives for each global id into one buffer of u32.
template <class Body>
std::vector<std::uint32_t> run_u32(std::size_t n, Body&& body) {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  body(k, out);
  std::vector<std::uint32_t> result(n, 0xDEADBEEF);
  const auto report =
      run_with(k.finish({8, 1, 1}), {static_cast<std::uint32_t>(n / 8), 1, 1}, result);
  EXPECT_TRUE(report) << (report ? "" : describe(report.error()));
  return result;
}

TEST(ControlFlow, IfTakesOneBranch) {
  const auto got = run_u32(32, [](KernelWriter& k, ExprId out) {
    k.begin("main");
    const ExprId i = k.let(k.global_x());
    k.if_(
        k.equal(k.rem(i, k.u(3)), k.u(0)), [&] { k.store(k.at(out, i), k.u(100)); },
        [&] {
          k.if_(k.equal(k.rem(i, k.u(3)), k.u(1)), [&] { k.store(k.at(out, i), k.u(200)); });
        });
    k.end();
  });
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(got[i], i % 3 == 0 ? 100U : i % 3 == 1 ? 200U : 0xDEADBEEFU);
  }
}

TEST(ControlFlow, LoopsRunTheirContinuingAfterContinue) {
  // Sums the odd numbers below i.
  const auto got = run_u32(32, [](KernelWriter& k, ExprId out) {
    k.begin("main");
    const ExprId i = k.let(k.global_x());
    const ExprId sum = k.var(k.u32), n = k.var(k.u(0));
    k.loop(
        [&] {
          k.if_(k.greater_equal(k.load(n), i), [&] { k.break_(); });
          k.if_(k.equal(k.rem(k.load(n), k.u(2)), k.u(0)), [&] { k.continue_(); });
          k.add_to(sum, k.load(n));
        },
        [&] { k.add_to(n, k.u(1)); });
    k.store(k.at(out, i), k.load(sum));
    k.end();
  });
  for (std::uint32_t i = 0; i < 32; ++i) {
    std::uint32_t sum = 0;
    for (std::uint32_t n = 1; n < i; n += 2) sum += n;
    EXPECT_EQ(got[i], sum);
  }
}

TEST(ControlFlow, BreakIfLooksAtTheStateAfterContinuing) {
  const auto got = run_u32(16, [](KernelWriter& k, ExprId out) {
    k.begin("main");
    const ExprId i = k.let(k.global_x());
    const ExprId n = k.var(k.u(0));
    // The body always runs once.
    const Block body = k.block([&] { k.store(k.at(out, i), k.load(n)); });
    const Block continuing = k.block([&] { k.add_to(n, k.u(1)); });
    k.writer.stmt(LoopStmt{body, continuing, k.greater_equal(k.load(n), i)});
    k.end();
  });
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(got[i], i == 0 ? 0 : i - 1);
}

TEST(ControlFlow, NestedLoopsBreakAndContinueTheInnermost) {
  const auto got = run_u32(16, [](KernelWriter& k, ExprId out) {
    k.begin("main");
    const ExprId i = k.let(k.global_x());
    const ExprId hits = k.var(k.u32);
    k.count(k.u(0), i, [&](ExprId a) {
      k.count(k.u(0), k.u(100), [&](ExprId b) {
        k.if_(k.less(a, b), [&] { k.break_(); });
        k.if_(k.equal(k.rem(k.add(a, b), k.u(2)), k.u(1)), [&] { k.continue_(); });
        k.add_to(hits, k.u(1));
      });
    });
    k.store(k.at(out, i), k.load(hits));
    k.end();
  });
  for (std::uint32_t i = 0; i < 16; ++i) {
    std::uint32_t hits = 0;
    for (std::uint32_t a = 0; a < i; ++a) {
      for (std::uint32_t b = 0; b <= a; ++b) hits += (a + b) % 2 == 0 ? 1 : 0;
    }
    EXPECT_EQ(got[i], hits);
  }
}

TEST(ControlFlow, SwitchRunsExactlyOneCase) {
  const auto got = run_u32(16, [](KernelWriter& k, ExprId out) {
    k.begin("main");
    const ExprId i = k.let(k.global_x());
    const ExprId n = k.var(k.u(1000));
    // The default stands in the middle; one case breaks half way.
    std::vector<SwitchCase> cases;
    cases.push_back({{7, 3}, false, k.block([&] { k.store(n, k.u(37)); })});
    cases.push_back({{0xFFFFFFFF}, true, k.block([&] { k.add_to(n, i); })});
    cases.push_back({{5}, false, k.block([&] {
                       k.store(n, k.u(50));
                       k.if_(k.b(true), [&] { k.break_(); });
                       k.store(n, k.u(51));
                     })});
    cases.push_back({{9}, false, {}});
    const auto first = static_cast<std::uint32_t>(k.program.switch_cases.size());
    for (auto& c : cases) k.program.switch_cases.push_back(c);
    k.writer.stmt(SwitchStmt{i, first, static_cast<std::uint32_t>(cases.size())});
    k.store(k.at(out, i), k.load(n));
    k.end();
  });
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(got[i], i == 3 || i == 7 ? 37U : i == 5 ? 50U : i == 9 ? 1000U : 1000 + i);
  }
}

TEST(ControlFlow, ContinueInsideASwitchBelongsToTheLoop) {
  const auto got = run_u32(8, [](KernelWriter& k, ExprId out) {
    k.begin("main");
    const ExprId i = k.let(k.global_x());
    const ExprId sum = k.var(k.u32);
    k.count(k.u(0), k.u(10), [&](ExprId n) {
      std::vector<SwitchCase> cases;
      cases.push_back({{2, 4}, false, k.block([&] { k.continue_(); })});
      cases.push_back({{}, true, k.block([&] { k.break_(); })});
      const auto first = static_cast<std::uint32_t>(k.program.switch_cases.size());
      for (auto& c : cases) k.program.switch_cases.push_back(c);
      k.writer.stmt(SwitchStmt{n, first, 2});
      k.add_to(sum, n);
    });
    k.store(k.at(out, i), k.load(sum));
    k.end();
  });
  for (const std::uint32_t v : got) EXPECT_EQ(v, 45U - 2 - 4);
}

TEST(ControlFlow, AVariableIsFreshEachTimeItsDeclarationRuns) {
  const auto got = run_u32(8, [](KernelWriter& k, ExprId out) {
    k.begin("main");
    const ExprId i = k.let(k.global_x());
    const ExprId sum = k.var(k.u32);
    k.count(k.u(0), k.u(4), [&](ExprId) {
      const ExprId fresh = k.var(k.u32);
      k.add_to(fresh, k.u(5));
      k.add_to(sum, k.load(fresh));
    });
    k.store(k.at(out, i), k.load(sum));
    k.end();
  });
  for (const std::uint32_t v : got) EXPECT_EQ(v, 20U);
}

TEST(Functions, ReturnEarlyAndCallEachOther) {
  const auto got = run_u32(32, [](KernelWriter& k, ExprId out) {
    // Steps of the Collatz sequence, at most 50; `step` is called from `length`.
    const FunctionId step = k.begin("step", {k.u32}, k.u32);
    k.if_(k.equal(k.rem(k.parameter(0), k.u(2)), k.u(0)),
          [&] { k.return_(k.div(k.parameter(0), k.u(2))); });
    k.return_(k.add(k.mul(k.parameter(0), k.u(3)), k.u(1)));
    k.end();

    const FunctionId length = k.begin("length", {k.u32}, k.u32);
    const ExprId n = k.var(k.parameter(0));
    k.count(k.u(0), k.u(50), [&](ExprId steps) {
      k.if_(k.binary(BinaryOp::less_equal, k.load(n), k.u(1)), [&] { k.return_(steps); });
      k.store(n, k.call(step, {k.load(n)}));
    });
    k.return_(k.u(999));
    k.end();

    k.begin("main");
    const ExprId i = k.let(k.global_x());
    k.store(k.at(out, i), k.add(k.call(length, {i}), k.call(length, {k.u(6)})));
    k.end();
  });
  for (std::uint32_t i = 0; i < 32; ++i) {
    std::uint32_t steps = 0;
    for (std::uint32_t n = i; n > 1 && steps < 50; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    EXPECT_EQ(got[i], (steps == 50 ? 999 : steps) + 8);
  }
}

TEST(Functions, PassCompositesByValue) {
  const auto got = run_u32(8, [](KernelWriter& k, ExprId out) {
    const TypeId list = k.array(k.u32, 4);
    // Takes a copy: its own changes do not reach the caller's.
    const FunctionId change = k.begin("change", {list}, list);
    const ExprId copy = k.var(k.parameter(0));
    k.store(k.at(copy, 1), k.u(70));
    k.return_(k.load(copy));
    k.end();

    k.begin("main");
    const ExprId i = k.let(k.global_x());
    const ExprId mine = k.var(k.construct(list, {i, k.u(20), k.u(30), k.u(40)}));
    const ExprId theirs = k.call(change, {k.load(mine)});
    k.store(k.at(out, i),
            k.add(k.mul(k.load(k.at(mine, 1)), k.u(100)), k.add(k.at(theirs, 1), k.at(theirs, 0))));
    k.end();
  });
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(got[i], 2000 + 70 + i);
}

TEST(Functions, MayBeCalledInsideLoopsOfOtherCalls) {
  const auto got = run_u32(8, [](KernelWriter& k, ExprId out) {
    const FunctionId square = k.begin("square", {k.u32}, k.u32);
    k.return_(k.mul(k.parameter(0), k.parameter(0)));
    k.end();
    const FunctionId sum = k.begin("sum", {k.u32, k.u32}, k.u32);
    const ExprId total = k.var(k.u32);
    k.count(k.parameter(0), k.parameter(1),
            [&](ExprId n) { k.add_to(total, k.call(square, {n})); });
    k.return_(k.load(total));
    k.end();
    k.begin("main");
    const ExprId i = k.let(k.global_x());
    const ExprId a = k.call(sum, {k.u(0), i});
    const ExprId b = k.call(sum, {i, k.call(square, {k.u(4)})});
    k.store(k.at(out, i), k.add(k.mul(a, k.u(10000)), b));
    k.end();
  });
  for (std::uint32_t i = 0; i < 8; ++i) {
    std::uint32_t below = 0, above = 0;
    for (std::uint32_t n = 0; n < 16; ++n) (n < i ? below : above) += n * n;
    EXPECT_EQ(got[i], below * 10000 + above);
  }
}

TEST(Functions, TheSameExpressionInTwoPlacesIsTheSameValue) {
  // Chains in which every expression is used twice.
  const auto got = run_u32(8, [](KernelWriter& k, ExprId out) {
    k.begin("main");
    const ExprId i = k.let(k.global_x());
    ExprId e = i;
    for (int n = 0; n < 14; ++n) e = k.add(e, e);
    ExprId f = i;
    for (int n = 0; n < 10; ++n) f = k.add(f, f);
    k.store(k.at(out, i), k.add(e, f));
    k.end();
  });
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(got[i], i * (16384 + 1024));
}

}  // namespace
}  // namespace vyre
