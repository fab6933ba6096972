#include "vyre/tune/online/recorded_noise_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace vyre {

Recording read_recording(const std::string& path) {
  std::ifstream file(path);
  Recording out;
  for (double ns = 0; file >> ns;) out.push_back(ns);
  EXPECT_GT(out.size(), 1000U) << path;
  std::vector<double> sorted = out;
  std::ranges::nth_element(sorted, sorted.begin() + std::ssize(sorted) / 2);
  const double median = sorted[sorted.size() / 2];
  for (double& each : out) each /= median;
  return out;
}

std::vector<std::string> quiet_recordings() {
  return {"quiet_gpu.txt", "quiet_gpu_short_calls.txt"};
}

std::vector<std::string> noisy_recordings() {
  return {"virtual_machine.txt", "two_shared_cores.txt", "two_busy_cores.txt", "stands_still.txt"};
}

std::vector<std::string> all_recordings() {
  std::vector<std::string> out = quiet_recordings();
  std::ranges::copy(noisy_recordings(), std::back_inserter(out));
  return out;
}

double RecordedNoise::next() {
  at_ = random_() % 500 == 0 ? random_() % recording_.size() : (at_ + 1) % recording_.size();
  return recording_[at_];
}

}  // namespace vyre
