// Tuning spaces that someone measured as a whole, read from files: every configuration with its
// time, so that searching can be replayed without a device.
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
  std::optional<double> cost_ns;  // nothing: it failed to compile, to run, or to be correct
  std::vector<float> samples_ns;  // single runs; may be empty
  double compile_ns = 0;
  double benchmark_ns = 0;  // all of the timing, with what goes with it

  bool operator==(const Recording&) const = default;
};

struct RecordedSpace {
  std::string kernel, device;  // as far as the file tells
  SearchSpace space;
  std::vector<Recording> recordings;  // by configuration
  std::uint32_t best = 0;             // the configuration of least cost

  double best_ns() const { return *recordings[best].cost_ns; }
  std::uint32_t failures() const;
};

// At least one configuration ran. Errors name the place in the file, like $.cache["16,1"].time. A
// configuration that is there twice counts as it was measured last.
Result<RecordedSpace> parse_recorded_space(std::string_view json);

}  // namespace vyre
