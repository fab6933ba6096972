// Recorded tuning spaces: every configuration with its time, from a file, so that a search can be
// replayed without a device.
//
// Two formats of the auto-tuning community are read:
//
// - Kernel Tuner's cache: an object with "tune_params_keys" (names in order), "tune_params" (values
//   by name) and "cache": an object of entries whose keys are the values joined by commas. An entry
//   has "time" (ms, or a text such as "CompilationFailedConfig" for one that failed; so does a time
//   of 1e20 or more), and may have "times", "compile_time" and "benchmark_time" (all ms).
// - T4 results: an object with "results", an array of objects with "configuration" (value by name),
//   "times" ("compilation", "runtimes"), "invalidity" ("correct", or why not) and "measurements"
//   (the one named by "objectives", as a rule "time"). The unit is metadata.timeunit, or ms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/tune/search/search_space.h"

namespace vyre {

struct Recording {
  std::optional<double> cost_ns;  // absent: it did not compile, did not run, or was wrong
  std::vector<float> samples_ns;  // single runs; may be empty
  double compile_ns = 0;
  double benchmark_ns = 0;  // the whole time of benchmarking, including overheads

  bool operator==(const Recording&) const = default;
};

struct RecordedSpace {
  std::string kernel, device;  // empty if the file does not name them
  SearchSpace space;
  std::vector<Recording> recordings;  // by configuration
  std::uint32_t best = 0;             // the configuration of least cost

  double best_ns() const { return *recordings[best].cost_ns; }
  std::uint32_t failures() const;
};

// Requires that at least one configuration ran. Errors name the place in the file, such as
// $.cache["16,1"].time. The last entry of a configuration counts.
Result<RecordedSpace> parse_recorded_space(std::string_view json);

}  // namespace vyre
