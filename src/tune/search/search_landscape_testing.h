// Tuning spaces made up for tests, with the traits of real ones: parameters that act alone and in
// pairs, values with a kink, and configurations that fail.
#pragma once

#include <cstdint>
#include <string>

#include "vyre/tune/search/recorded_space.h"

namespace vyre {

struct LandscapeOptions {
  std::uint64_t seed = 1;
  std::uint32_t parameters = 6;
  std::uint32_t values = 5;  // of each parameter
  double missing = 0.2;      // share of combinations that are not valid
  double failing = 0.0;      // share of the valid ones that fail
};

RecordedSpace make_landscape(const LandscapeOptions& options);

// The space as a cache file of Kernel Tuner, and as T4 results.
std::string kernel_tuner_text(const RecordedSpace& space);
std::string t4_text(const RecordedSpace& space);

}  // namespace vyre
