#include "vyre/ir/interpret/interpret.h"

#include <gtest/gtest.h>

#include <numeric>

#include "vyre/ir/interpret/interpret_testing.h"

namespace vyre {
namespace {

std::vector<float> iota(std::size_t n, float first = 0) {
  std::vector<float> out(n);
  std::iota(out.begin(), out.end(), first);
  return out;
}

TEST(Interpret, RunsSaxpyOverTheWholeGrid) {
  KernelWriter k;
  const ExprId x = k.buffer("x", k.runtime_array(k.f32), Access::read);
  const ExprId y = k.buffer("y", k.runtime_array(k.f32));
  k.begin("saxpy");
  const ExprId i = k.let(k.global_x());
  k.if_(k.less(i, k.array_length(y)),
        [&] { k.store(k.at(y, i), k.add(k.mul(k.f(2), k.load(k.at(x, i))), k.load(k.at(y, i)))); });
  k.end();
  auto xs = iota(1000), ys = iota(1000, 5);
  const auto report = run_with(k.finish({64, 1, 1}), {16, 1, 1}, xs, ys);
  ASSERT_TRUE(report) << describe(report.error());
  EXPECT_EQ(report->invocations, 1024U);
  for (std::size_t n = 0; n < ys.size(); ++n) EXPECT_EQ(ys[n], 3 * static_cast<float>(n) + 5);
}

}  // namespace
}  // namespace vyre
