// A simulated kernel, which consists of times only, and tuners for it with a temporary evidence
// file.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/tune/foreign/kernel_tuner.h"

namespace vyre {

struct SimulatedKernel {
  std::vector<double> ns;
  double noise = 0.01;
  std::mt19937 random{11};

  double run(std::uint32_t candidate) {
    std::normal_distribution<double> normal(0, noise);
    return ns[candidate] * std::exp(normal(random));
  }
  std::uint32_t best() const {
    return static_cast<std::uint32_t>(std::ranges::min_element(ns) - ns.begin());
  }
};

inline SimulatedKernel twelve_candidates() {
  return {{2.6e6, 2.75e6, 2.4e6, 2.5e6, 2.3e6, 2.1e6, 2.05e6, 1.88e6, 1.95e6, 2.2e6, 3e6, 4e6}};
}

inline std::vector<Configuration> numbered(std::size_t count) {
  std::vector<AxisValue> values;
  for (std::size_t i = 0; i < count; ++i) values.emplace_back(i);
  return combinations({{"c", values}}).value();
}

inline KernelKey kernel_key(std::string name = "saxpy") {
  return {.name = std::move(name), .version = "1", .size = "4096", .device = "simulated"};
}

class KernelTunerTest : public testing::Test {
 protected:
  KernelTuner open(std::size_t count, KernelTunerOptions options = {},
                   KernelKey its_key = kernel_key()) {
    if (!options.store && options.path.empty()) options.path = file();
    if (!options.mode) options.mode = TunerMode::natural_gradient;
    auto tuner = KernelTuner::open(its_key, numbered(count), std::move(options));
    EXPECT_TRUE(tuner) << describe(tuner.error());
    return *std::move(tuner);
  }
  std::filesystem::path file() const { return folder_.path() / "evidence.jsonl"; }

  TemporaryFolder folder_;
};

// Makes this number of calls, and returns the sum of their times.
inline double work(KernelTuner& tuner, SimulatedKernel& kernel, int calls) {
  double total = 0;
  for (int i = 0; i < calls; ++i) {
    const KernelCall call = tuner.next();
    const double ns = kernel.run(call.choice.index());
    total += ns;
    const auto reported = tuner.report(call, ns);
    EXPECT_TRUE(reported) << describe(reported.error());
  }
  return total;
}

}  // namespace vyre
