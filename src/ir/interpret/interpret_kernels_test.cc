// Kernels of the size and kind that people write, against plain C++.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "vyre/ir/interpret/interpret_testing.h"

namespace vyre {
namespace {

void expect_ok(const Result<InterpretReport>& r) {
  ASSERT_TRUE(r) << (r ? "" : describe(r.error()));
}

std::vector<float> random_floats(std::size_t n, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> out(n);
  std::ranges::generate(out, [&] { return uniform(engine); });
  return out;
}

// C = A * B of n by n, one invocation an element.
TEST(Kernels, MatrixProductOf128) {
  constexpr std::uint32_t kN = 128;
  KernelWriter k;
  const ExprId a = k.buffer("a", k.runtime_array(k.f32), Access::read);
  const ExprId b = k.buffer("b", k.runtime_array(k.f32), Access::read);
  const ExprId c = k.buffer("c", k.runtime_array(k.f32));
  k.begin("matmul");
  const ExprId g = k.id(InvocationIdKind::global_invocation);
  const ExprId row = k.let(k.lane(g, 1)), column = k.let(k.lane(g, 0));
  const ExprId sum = k.var(k.f32);
  k.count(k.u(0), k.u(kN), [&](ExprId i) {
    const ExprId x = k.load(k.at(a, k.add(k.mul(row, k.u(kN)), i)));
    const ExprId y = k.load(k.at(b, k.add(k.mul(i, k.u(kN)), column)));
    k.store(sum, k.math(k.f32, MathFn::fma, {x, y, k.load(sum)}));
  });
  k.store(k.at(c, k.add(k.mul(row, k.u(kN)), column)), k.load(sum));
  k.end();
  auto x = random_floats(kN * kN, 1), y = random_floats(kN * kN, 2);
  std::vector<float> got(kN * kN);
  expect_ok(run_with(k.finish({8, 8, 1}), {kN / 8, kN / 8, 1}, x, y, got));
  for (std::uint32_t r = 0; r < kN; ++r) {
    for (std::uint32_t col = 0; col < kN; ++col) {
      float expected = 0;
      for (std::uint32_t i = 0; i < kN; ++i) {
        expected = std::fma(x[r * kN + i], y[i * kN + col], expected);
      }
      ASSERT_EQ(got[r * kN + col], expected);
    }
  }
}

// The same through 16 by 16 tiles in workgroup memory.
TEST(Kernels, TiledMatrixProduct) {
  constexpr std::uint32_t kN = 64, kTile = 16;
  KernelWriter k;
  const ExprId a = k.buffer("a", k.runtime_array(k.f32), Access::read);
  const ExprId b = k.buffer("b", k.runtime_array(k.f32), Access::read);
  const ExprId c = k.buffer("c", k.runtime_array(k.f32));
  const TypeId tile = k.array(k.array(k.f32, kTile), kTile);
  const ExprId left = k.workgroup("left", tile), right = k.workgroup("right", tile);
  k.begin("tiled");
  const ExprId l = k.id(InvocationIdKind::local_invocation);
  const ExprId g = k.id(InvocationIdKind::global_invocation);
  const ExprId x = k.let(k.lane(l, 0)), y = k.let(k.lane(l, 1));
  const ExprId column = k.let(k.lane(g, 0)), row = k.let(k.lane(g, 1));
  const ExprId sum = k.var(k.f32);
  k.count(k.u(0), k.u(kN / kTile), [&](ExprId t) {
    const ExprId first = k.let(k.mul(t, k.u(kTile)));
    k.store(k.at(k.at(left, y), x), k.load(k.at(a, k.add(k.mul(row, k.u(kN)), k.add(first, x)))));
    k.store(k.at(k.at(right, y), x),
            k.load(k.at(b, k.add(k.mul(k.add(first, y), k.u(kN)), column))));
    k.barrier();
    k.count(k.u(0), k.u(kTile), [&](ExprId i) {
      k.store(sum, k.math(k.f32, MathFn::fma,
                          {k.load(k.at(k.at(left, y), i)), k.load(k.at(k.at(right, i), x)),
                           k.load(sum)}));
    });
    k.barrier();
  });
  k.store(k.at(c, k.add(k.mul(row, k.u(kN)), column)), k.load(sum));
  k.end();
  auto p = random_floats(kN * kN, 3), q = random_floats(kN * kN, 4);
  std::vector<float> got(kN * kN);
  expect_ok(run_with(k.finish({kTile, kTile, 1}), {kN / kTile, kN / kTile, 1}, p, q, got));
  for (std::uint32_t r = 0; r < kN; ++r) {
    for (std::uint32_t col = 0; col < kN; ++col) {
      float expected = 0;
      for (std::uint32_t i = 0; i < kN; ++i) {
        expected = std::fma(p[r * kN + i], q[i * kN + col], expected);
      }
      ASSERT_EQ(got[r * kN + col], expected);
    }
  }
}

// One workgroup sorts 4096 numbers in workgroup memory, 16 for each of 256 invocations.
TEST(Kernels, BitonicSortOf4096) {
  constexpr std::uint32_t kN = 4096, kThreads = 256;
  KernelWriter k;
  const ExprId data = k.buffer("data", k.runtime_array(k.u32));
  const ExprId shared = k.workgroup("shared", k.array(k.u32, kN));
  k.begin("sort");
  const ExprId l = k.let(k.local_index());
  const auto each = [&](auto&& body) {
    k.count(k.u(0), k.u(kN / kThreads),
            [&](ExprId n) { body(k.let(k.add(k.mul(n, k.u(kThreads)), l))); });
    k.barrier();
  };
  each([&](ExprId i) { k.store(k.at(shared, i), k.load(k.at(data, i))); });
  const ExprId size = k.var(k.u(2));
  k.loop(
      [&] {
        k.if_(k.binary(BinaryOp::greater, k.load(size), k.u(kN)), [&] { k.break_(); });
        const ExprId distance = k.var(k.div(k.load(size), k.u(2)));
        k.loop(
            [&] {
              k.if_(k.equal(k.load(distance), k.u(0)), [&] { k.break_(); });
              each([&](ExprId i) {
                const ExprId other = k.let(k.binary(BinaryOp::bit_xor, i, k.load(distance)));
                k.if_(k.binary(BinaryOp::greater, other, i), [&] {
                  const ExprId a = k.let(k.load(k.at(shared, i)));
                  const ExprId b = k.let(k.load(k.at(shared, other)));
                  const ExprId up = k.equal(k.binary(BinaryOp::bit_and, i, k.load(size)), k.u(0));
                  k.if_(k.equal(k.binary(BinaryOp::greater, a, b), up), [&] {
                    k.store(k.at(shared, i), b);
                    k.store(k.at(shared, other), a);
                  });
                });
              });
            },
            [&] { k.store(distance, k.div(k.load(distance), k.u(2))); });
      },
      [&] { k.store(size, k.mul(k.load(size), k.u(2))); });
  each([&](ExprId i) { k.store(k.at(data, i), k.load(k.at(shared, i))); });
  k.end();
  std::mt19937 engine(8);
  std::vector<std::uint32_t> values(kN);
  std::ranges::generate(values, [&] { return engine(); });
  auto expected = values;
  std::ranges::sort(expected);
  expect_ok(run_with(k.finish({kThreads, 1, 1}), {1, 1, 1}, values));
  EXPECT_EQ(values, expected);
}

// Gravity between bodies kept as structs, with a called function and vec3 arithmetic.
TEST(Kernels, BodiesAttractEachOther) {
  constexpr std::uint32_t kN = 64;
  KernelWriter k;
  const TypeId vec3 = k.vec(ScalarKind::f32, 3);
  const TypeId body = k.structure("Body", {{"position", vec3}, {"mass", k.f32}});
  const ExprId bodies = k.buffer("bodies", k.runtime_array(body), Access::read);
  const ExprId out = k.buffer("out", k.runtime_array(vec3));
  const FunctionId pull = k.begin("pull", {vec3, body}, vec3);
  const ExprId d = k.let(k.sub(k.member(k.parameter(1), 0), k.parameter(0)));
  const ExprId square = k.let(k.add(k.math(k.f32, MathFn::dot, {d, d}), k.f(0.01F)));
  const ExprId inverse = k.let(k.math(k.f32, MathFn::inverse_sqrt, {square}));
  k.return_(k.mul(d, k.splat(vec3, k.mul(k.member(k.parameter(1), 1),
                                         k.mul(inverse, k.mul(inverse, inverse))))));
  k.end();
  k.begin("gravity");
  const ExprId i = k.let(k.global_x());
  const ExprId me = k.let(k.load(k.member(k.at(bodies, i), 0)));
  const ExprId force = k.var(vec3);
  k.count(k.u(0), k.array_length(bodies),
          [&](ExprId j) { k.add_to(force, k.call(pull, {me, k.load(k.at(bodies, j))})); });
  k.store(k.at(out, i), k.load(force));
  k.end();
  auto state = random_floats(kN * 4, 5);
  std::vector<float> got(kN * 4, 0);
  expect_ok(run_with(k.finish({16, 1, 1}), {kN / 16, 1, 1}, state, got));
  for (std::uint32_t n = 0; n < kN; ++n) {
    double expected[3] = {0, 0, 0};
    for (std::uint32_t j = 0; j < kN; ++j) {
      double d[3], square = 0.01;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = static_cast<double>(state[j * 4 + axis]) - state[n * 4 + axis];
        square += d[axis] * d[axis];
      }
      for (int axis = 0; axis < 3; ++axis) {
        expected[axis] += d[axis] * state[j * 4 + 3] / (square * std::sqrt(square));
      }
    }
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(got[n * 4 + axis], expected[axis], 1e-3 * (1 + std::fabs(expected[axis])));
    }
    EXPECT_EQ(got[n * 4 + 3], 0);
  }
}

}  // namespace
}  // namespace vyre
