// Noise as real machines made it, for simulated searches: autocorrelated, skewed, with pauses.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace vyre {

// Factors of a typical time, in the order in which they were recorded.
using Recording = std::vector<double>;

// A file with one time a line.
Recording read_recording(const std::string& path);
// The names of the files in online/noise/: those of quiet machines, those of noisy ones, and both.
std::vector<std::string> quiet_recordings();
std::vector<std::string> noisy_recordings();
std::vector<std::string> all_recordings();

// The factor of one call after the other, in blocks of about 500 calls from anywhere in the
// recording. The same seed gives the same factors.
class RecordedNoise {
 public:
  RecordedNoise(const Recording& recording, std::uint64_t seed)
      : recording_(recording), random_(seed), at_(random_() % recording.size()) {}

  double next();

 private:
  const Recording& recording_;
  std::mt19937_64 random_;
  std::size_t at_;
};

// The share of searches of which `is_true` is true, given their seeds from 1.
template <typename IsTrue>
double share_of(std::uint32_t searches, IsTrue&& is_true) {
  std::uint32_t count = 0;
  for (std::uint32_t seed = 1; seed <= searches; ++seed) count += is_true(seed) ? 1 : 0;
  return double(count) / searches;
}

}  // namespace vyre
