// Random chains of kernels, fused and compiled, against the same chains stage by stage in the
// interpreter.
#include <gtest/gtest.h>

#include <cstdlib>

#include "random_rows.h"
#include "random_stages.h"
#include "support/random.h"
#include "support/runner.h"

namespace vyre {
namespace {

// One of the variants that the device can run the kernel with.
RunKernel on(const Runner& runner, Random random) {
  return [&runner, random](const Kernel& kernel, const std::vector<BoundBytes>& bound,
                           const Extent& extent) mutable -> Result<void> {
    Data data;
    for (const Global* g : resources(*kernel.program)) {
      for (const BoundBytes& b : bound) {
        if (b.group == g->group && b.binding == g->binding) data.push_back(*b.bytes);
      }
    }
    std::vector<Variant> variants = main_variants(runner, kernel);
    const Variant variant =
        random.chance(0.5) ? runner.default_variant(kernel) : random.of(variants);
    VYRE_CHECK(runner.run(kernel, data, extent, variant));
    std::size_t at = 0;
    for (const Global* g : resources(*kernel.program)) {
      for (const BoundBytes& b : bound) {
        if (b.group == g->group && b.binding == g->binding) *b.bytes = data[at];
      }
      ++at;
    }
    return {};
  };
}

void expect_equal_bits(Staged (*make)(std::uint64_t), std::uint64_t usual_count) {
  const char* const number = std::getenv("VYRE_FUSION_CHAINS");
  const std::uint64_t count = number != nullptr ? std::strtoull(number, nullptr, 10) : usual_count;
  for (const std::string& device : devices_to_test()) {
    const auto runner = Runner::open(device, 2);
    if (!runner && runner.error().code == Code::unavailable) continue;
    ASSERT_TRUE(runner) << runner.error().what;
    std::size_t fused_chains = 0;
    for (std::uint64_t seed = 100'000; seed < 100'000 + count; ++seed) {
      const Staged chain = make(seed);
      const auto fused = chain.fuse({.recomputed_operations = 1e9});
      if (!fused) continue;
      ++fused_chains;
      ASSERT_EQ(chain.compare(*fused, on(*runner, Random(seed))), "")
          << device << ", seed " << seed;
    }
    EXPECT_GT(fused_chains, count / 5) << device;
  }
}

TEST(FusionOnDevices, FusedChainsGiveTheInterpretersBits) {
  expect_equal_bits([](std::uint64_t seed) { return random_stages(seed); }, 400);
}

TEST(FusionOnDevices, FusedLoopsAlongRowsGiveTheInterpretersBits) {
  expect_equal_bits(random_rows, 100);
}

}  // namespace

std::vector<RunKernel> runs_on_devices() {
  static const std::vector<Runner> runners = [] {
    std::vector<Runner> out;
    for (const std::string& device : devices_to_test()) {
      auto runner = Runner::open(device, 2);
      if (runner) out.push_back(*std::move(runner));
    }
    return out;
  }();
  std::vector<RunKernel> out;
  for (const Runner& runner : runners) out.push_back(on(runner, Random(out.size())));
  return out;
}

}  // namespace vyre
