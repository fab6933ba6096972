// Grids, workgroups, barriers and atomics.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "vyre/ir/interpret/interpret_testing.h"

namespace vyre {
namespace {

using Words = std::vector<std::uint32_t>;

void expect_ok(const Result<InterpretReport>& r) {
  ASSERT_TRUE(r) << (r ? "" : describe(r.error()));
}

TEST(Grid, EveryIdIsRightInThreeDimensions) {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  k.begin("main");
  const ExprId global = k.id(InvocationIdKind::global_invocation);
  const ExprId local = k.id(InvocationIdKind::local_invocation);
  const ExprId group = k.id(InvocationIdKind::workgroup);
  const ExprId groups = k.id(InvocationIdKind::workgroup_count);
  // Threads are 6 x 4 x 10: x fastest.
  const ExprId linear =
      k.let(k.add(k.mul(k.add(k.mul(k.lane(global, 2), k.u(4)), k.lane(global, 1)), k.u(6)),
                  k.lane(global, 0)));
  const ExprId slot = k.let(k.mul(linear, k.u(11)));
  for (std::uint8_t axis = 0; axis < 3; ++axis) {
    k.store(k.at(out, k.add(slot, k.u(axis))), k.lane(local, axis));
    k.store(k.at(out, k.add(slot, k.u(3U + axis))), k.lane(group, axis));
    k.store(k.at(out, k.add(slot, k.u(6U + axis))), k.lane(groups, axis));
  }
  k.store(k.at(out, k.add(slot, k.u(9))), k.local_index());
  k.add_to(k.at(out, k.add(slot, k.u(10))), k.u(1));
  k.end();
  Words got(6 * 4 * 10 * 11, 0);
  expect_ok(run_with(k.finish({3, 2, 5}), {2, 2, 2}, got));
  for (std::uint32_t z = 0; z < 10; ++z) {
    for (std::uint32_t y = 0; y < 4; ++y) {
      for (std::uint32_t x = 0; x < 6; ++x) {
        const auto* at = &got[((z * 4 + y) * 6 + x) * 11];
        const Words expected{
            x % 3, y % 2, z % 5, x / 3, y / 2, z / 5, 2, 2, 2, (z % 5 * 2 + y % 2) * 3 + x % 3, 1};
        ASSERT_EQ(Words(at, at + 11), expected) << x << " " << y << " " << z;
      }
    }
  }
}

// Counts how often each invocation of a 12 x 12 x 12 field runs.
KernelWriter counting_kernel() {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  k.begin("count");
  const ExprId g = k.id(InvocationIdKind::global_invocation);
  const ExprId linear =
      k.add(k.mul(k.add(k.mul(k.lane(g, 2), k.u(12)), k.lane(g, 1)), k.u(12)), k.lane(g, 0));
  k.add_to(k.at(out, linear), k.u(1));
  k.end();
  return k;
}

TEST(Grid, ExactlyTheInvocationsInsideTheExtentRun) {
  KernelWriter k = counting_kernel();
  const Kernel kernel = k.finish({4, 3, 2});
  for (const Extent extent : {Extent{12, 12, 12}, Extent{5, 7, 3}, Extent{1, 1, 1}, Extent{0, 4, 4},
                              Extent{4, 4, 0}, Extent{9, 1, 11}, Extent{0xFFFFFFFF, 2, 2}}) {
    Words got(12 * 12 * 12, 0);
    const auto report = run_with(kernel, LaunchShape{.grid = {3, 4, 6}, .extent = extent}, {}, got);
    expect_ok(report);
    std::uint64_t expected_count = 0;
    for (std::uint32_t z = 0; z < 12; ++z) {
      for (std::uint32_t y = 0; y < 12; ++y) {
        for (std::uint32_t x = 0; x < 12; ++x) {
          const bool inside = x < extent[0] && y < extent[1] && z < extent[2];
          expected_count += inside ? 1 : 0;
          ASSERT_EQ(got[(z * 12 + y) * 12 + x], inside ? 1U : 0U);
        }
      }
    }
    EXPECT_EQ(report->invocations, expected_count);
  }
}

TEST(Grid, AnEmptyGridRunsNothing) {
  KernelWriter k = counting_kernel();
  const Kernel kernel = k.finish({4, 3, 2});
  for (const Extent grid : {Extent{0, 1, 1}, Extent{1, 0, 1}, Extent{1, 1, 0}, Extent{0, 0, 0}}) {
    Words got(12 * 12 * 12, 0);
    const auto report = run_with(kernel, grid, got);
    expect_ok(report);
    EXPECT_EQ(report->invocations, 0U);
    EXPECT_EQ(got, Words(12 * 12 * 12, 0));
  }
}

TEST(Grid, AHugeGridWithASmallExtentTakesNoTime) {
  KernelWriter k = counting_kernel();
  Words got(12 * 12 * 12, 0);
  const std::uint32_t huge = 0xFFFFFFFF;
  const auto report = run_with(
      k.finish({4, 3, 2}), LaunchShape{.grid = {huge, huge, huge}, .extent = {5, 5, 5}}, {}, got);
  expect_ok(report);
  EXPECT_EQ(report->invocations, 125U);
}

// ---- Barriers ----------------------------------------------------------------------------------

// Sums each workgroup's 64 elements by halving.
TEST(Barriers, ReduceInWorkgroupMemory) {
  KernelWriter k;
  const ExprId in = k.buffer("in", k.runtime_array(k.u32), Access::read);
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  const ExprId shared = k.workgroup("shared", k.array(k.u32, 64));
  k.begin("reduce");
  const ExprId l = k.let(k.local_index());
  k.store(k.at(shared, l), k.load(k.at(in, k.global_x())));
  k.barrier();
  const ExprId step = k.var(k.u(32));
  k.loop(
      [&] {
        k.if_(k.equal(k.load(step), k.u(0)), [&] { k.break_(); });
        k.if_(k.less(l, k.load(step)),
              [&] { k.add_to(k.at(shared, l), k.load(k.at(shared, k.add(l, k.load(step))))); });
        k.barrier();
      },
      [&] { k.store(step, k.div(k.load(step), k.u(2))); });
  k.if_(k.equal(l, k.u(0)), [&] {
    k.store(k.at(out, k.lane(k.id(InvocationIdKind::workgroup), 0)), k.load(k.at(shared, 0)));
  });
  k.end();
  Words values(64 * 10), sums(10);
  std::iota(values.begin(), values.end(), 3);
  expect_ok(run_with(k.finish({64, 1, 1}), {10, 1, 1}, values, sums));
  for (std::size_t g = 0; g < 10; ++g) {
    EXPECT_EQ(sums[g], std::accumulate(&values[g * 64], &values[g * 64] + 64, 0U));
  }
}

// An inclusive scan whose steps, with their barriers, are in a called function.
TEST(Barriers, ScanWithBarriersInCalledFunctions) {
  KernelWriter k;
  const ExprId data = k.buffer("data", k.runtime_array(k.u32));
  const ExprId shared = k.workgroup("shared", k.array(k.u32, 32));
  const FunctionId step = k.begin("step", {k.u32, k.u32}, k.program.types.void_type());
  const ExprId l = k.parameter(0), distance = k.parameter(1);
  const ExprId other = k.var(k.u(0));
  k.if_(k.greater_equal(l, distance),
        [&] { k.store(other, k.load(k.at(shared, k.sub(l, distance)))); });
  k.barrier();
  k.add_to(k.at(shared, l), k.load(other));
  k.barrier();
  k.end();
  k.begin("scan");
  const ExprId mine = k.let(k.local_index());
  k.store(k.at(shared, mine), k.load(k.at(data, k.global_x())));
  k.barrier();
  const ExprId distance_var = k.var(k.u(1));
  k.loop(
      [&] {
        k.if_(k.greater_equal(k.load(distance_var), k.u(32)), [&] { k.break_(); });
        k.call(step, {mine, k.load(distance_var)});
      },
      [&] { k.store(distance_var, k.mul(k.load(distance_var), k.u(2))); });
  k.store(k.at(data, k.global_x()), k.load(k.at(shared, mine)));
  k.end();
  Words values(96), expected(96);
  std::iota(values.begin(), values.end(), 1);
  for (std::size_t g = 0; g < 3; ++g) {
    std::partial_sum(&values[g * 32], &values[g * 32] + 32, &expected[g * 32]);
  }
  expect_ok(run_with(k.finish({32, 1, 1}), {3, 1, 1}, values));
  EXPECT_EQ(values, expected);
}

TEST(Barriers, WorkgroupMemoryStartsAtZeroForEveryWorkgroup) {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  const ExprId shared = k.workgroup("shared", k.array(k.u32, 4));
  k.begin("main");
  const ExprId l = k.let(k.local_index());
  k.store(k.at(out, k.global_x()), k.load(k.at(shared, l)));
  k.barrier();
  k.store(k.at(shared, l), k.u(99));
  k.end();
  Words got(16, 1);
  expect_ok(run_with(k.finish({4, 1, 1}), {4, 1, 1}, got));
  EXPECT_EQ(got, Words(16, 0));
}

TEST(Barriers, LocalsKeepTheirValuesAcrossBarriers) {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  const ExprId shared = k.workgroup("shared", k.array(k.u32, 8));
  k.begin("rotate");
  const ExprId l = k.let(k.local_index());
  const ExprId mine = k.var(k.mul(l, l));
  const ExprId pointer = k.let(k.at(shared, k.rem(k.add(l, k.u(1)), k.u(8))));
  k.count(k.u(0), k.u(3), [&](ExprId) {
    k.store(pointer, k.load(mine));
    k.barrier();
    k.store(mine, k.load(k.at(shared, l)));
    k.barrier();
  });
  k.store(k.at(out, k.global_x()), k.load(mine));
  k.end();
  Words got(8);
  expect_ok(run_with(k.finish({8, 1, 1}), {1, 1, 1}, got));
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(got[i], (i + 5) % 8 * ((i + 5) % 8));
}

TEST(Barriers, UniformLoadSeesWhatWasStoredBefore) {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  const ExprId shared = k.workgroup("shared", k.u32);
  const ExprId count = k.workgroup("count", k.program.types.atomic(ScalarKind::u32));
  k.begin("main");
  const ExprId l = k.let(k.local_index());
  k.if_(k.equal(l, k.u(3)), [&] { k.store(shared, k.u(42)); });
  k.atomic(AtomicOp::add, count, k.u(1));
  const ExprId a = k.uniform_load(shared);
  const ExprId b = k.uniform_load(count);
  k.if_(k.equal(l, k.u(0)), [&] { k.store(shared, k.u(1)); });
  k.store(k.at(out, l), k.add(k.mul(a, k.u(100)), b));
  k.end();
  Words got(8);
  expect_ok(run_with(k.finish({8, 1, 1}), {1, 1, 1}, got));
  EXPECT_EQ(got, Words(8, 4208));
}

TEST(Barriers, SurplusInvocationsTakeNoPart) {
  KernelWriter k;
  const ExprId out = k.buffer("out", k.runtime_array(k.u32));
  const ExprId total = k.workgroup("total", k.program.types.atomic(ScalarKind::u32));
  k.begin("main");
  k.atomic(AtomicOp::add, total, k.u(1));
  k.barrier();
  k.store(k.at(out, k.global_x()), k.atomic(AtomicOp::load, total));
  k.end();
  Words got(16, 77);
  expect_ok(
      run_with(k.finish({8, 1, 1}), LaunchShape{.grid = {2, 1, 1}, .extent = {11, 1, 1}}, {}, got));
  EXPECT_EQ(got, (Words{8, 8, 8, 8, 8, 8, 8, 8, 3, 3, 3, 77, 77, 77, 77, 77}));
}

TEST(Barriers, NotReachedByAllIsAnError) {
  for (const bool some_end : {true, false}) {
    KernelWriter k;
    k.begin("odd");
    const ExprId first = k.equal(k.rem(k.local_index(), k.u(2)), k.u(0));
    k.writer.pos = {12, 5};
    if (some_end) {
      k.if_(first, [&] { k.return_(); });
      k.barrier();
    } else {
      k.if_(first, [&] { k.barrier(); }, [&] { k.barrier(); });
    }
    k.end();
    k.program.source_name = "odd.wgsl";
    const Kernel kernel = k.finish({4, 1, 1}, false);
    const auto report = interpret(kernel, {}, {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Code::invalid_input);
    EXPECT_NE(report.error().what.find("`odd`"), std::string::npos);
    EXPECT_NE(report.error().what.find("odd.wgsl:12:5"), std::string::npos) << report.error().what;
    EXPECT_NE(report.error().what.find("2 of 4"), std::string::npos) << report.error().what;
  }
}

// ---- Atomics -----------------------------------------------------------------------------------

TEST(Atomics, EveryOperationReturnsTheOldValue) {
  struct Case {
    AtomicOp op;
    std::uint32_t old, value, expected_u32, expected_i32;
  };
  const Case cases[] = {
      {AtomicOp::load, 7, 0, 7, 7},
      {AtomicOp::store, 7, 9, 9, 9},
      {AtomicOp::add, 0xFFFFFFFF, 3, 2, 2},
      {AtomicOp::sub, 2, 3, 0xFFFFFFFF, 0xFFFFFFFF},
      {AtomicOp::max, 0xFFFFFFFF, 5, 0xFFFFFFFF, 5},
      {AtomicOp::max, 3, 5, 5, 5},
      {AtomicOp::min, 0xFFFFFFFF, 5, 5, 0xFFFFFFFF},
      {AtomicOp::min, 3, 5, 3, 3},
      {AtomicOp::bit_and, 0b1100, 0b1010, 0b1000, 0b1000},
      {AtomicOp::bit_or, 0b1100, 0b1010, 0b1110, 0b1110},
      {AtomicOp::bit_xor, 0b1100, 0b1010, 0b0110, 0b0110},
      {AtomicOp::exchange, 4, 6, 6, 6},
  };
  for (const ScalarKind kind : {ScalarKind::u32, ScalarKind::i32}) {
    for (const Case& c : cases) {
      for (const bool in_workgroup : {false, true}) {
        KernelWriter k;
        const TypeId scalar = k.program.types.scalar(kind);
        const TypeId atomic = k.program.types.atomic(kind);
        const ExprId cell = k.buffer("cell", atomic);
        const ExprId out = k.buffer("out", scalar);
        const ExprId shared = k.workgroup("shared", atomic);
        k.begin("main");
        ExprId target = cell;
        if (in_workgroup) {
          target = shared;
          k.atomic(AtomicOp::store, shared, k.atomic(AtomicOp::load, cell));
        }
        const ExprId value =
            c.op == AtomicOp::load ? kNoExpr : k.writer.constant(Scalar{kind, c.value});
        const ExprId old = k.atomic(c.op, target, value);
        if (old != kNoExpr) k.store(out, old);
        if (in_workgroup) k.atomic(AtomicOp::store, cell, k.atomic(AtomicOp::load, shared));
        k.end();
        Words memory{c.old}, result{c.old};
        expect_ok(run_with(k.finish(), {1, 1, 1}, memory, result));
        EXPECT_EQ(memory[0], kind == ScalarKind::u32 ? c.expected_u32 : c.expected_i32);
        EXPECT_EQ(result[0], c.old);
      }
    }
  }
}

TEST(Atomics, CompareExchangeStoresOnlyOnAMatch) {
  KernelWriter k;
  const ExprId cell = k.buffer("cell", k.program.types.atomic(ScalarKind::i32));
  const ExprId out = k.buffer("out", k.runtime_array(k.i32));
  const TypeId result = k.structure("R", {{"old_value", k.i32}, {"exchanged", k.boolean}});
  k.begin("main");
  const ExprId i = k.let(k.global_x());
  const ExprId r = k.atomic(AtomicOp::compare_exchange, cell, k.sub(k.convert(k.i32, i), k.i(10)),
                            k.i(-9), result);
  k.store(k.at(out, k.mul(i, k.u(2))), k.member(r, 0));
  k.store(k.at(out, k.add(k.mul(i, k.u(2)), k.u(1))), k.convert(k.i32, k.member(r, 1)));
  k.end();
  std::vector<std::int32_t> memory{-9}, got(8);
  expect_ok(run_with(k.finish(), {4, 1, 1}, memory, got));
  // The first swaps -9 for -10; then nothing matches.
  EXPECT_EQ(memory[0], -10);
  EXPECT_EQ(got, (std::vector<std::int32_t>{-9, 1, -10, 0, -10, 0, -10, 0}));
}

TEST(Atomics, HistogramCountsEverything) {
  KernelWriter k;
  const ExprId in = k.buffer("in", k.runtime_array(k.u32), Access::read);
  const ExprId bins = k.buffer("bins", k.runtime_array(k.program.types.atomic(ScalarKind::u32)));
  const ExprId local = k.workgroup("local", k.array(k.program.types.atomic(ScalarKind::u32), 16));
  k.begin("histogram");
  const ExprId i = k.let(k.global_x());
  const ExprId l = k.let(k.local_index());
  k.if_(k.less(i, k.array_length(in)),
        [&] { k.atomic(AtomicOp::add, k.at(local, k.rem(k.load(k.at(in, i)), k.u(16))), k.u(1)); });
  k.barrier();
  k.if_(k.less(l, k.u(16)),
        [&] { k.atomic(AtomicOp::add, k.at(bins, l), k.atomic(AtomicOp::load, k.at(local, l))); });
  k.end();
  Words values(1000), counts(16, 0), expected(16, 0);
  for (std::uint32_t n = 0; n < 1000; ++n) {
    values[n] = n * n * 7 + n;
    ++expected[values[n] % 16];
  }
  expect_ok(run_with(k.finish({32, 1, 1}), {32, 1, 1}, values, counts));
  EXPECT_EQ(counts, expected);
}

}  // namespace
}  // namespace vyre
