// Kernels of the user's own, as a tuner sees them: what they are called, and their candidates.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/tune/evidence/tuning_key.h"

namespace vyre {

// What a tuned choice depends on. Change `version` whenever the kernel's code changes: what was
// measured before is then a hint and no answer.
struct KernelKey {
  std::string name;        // never empty
  std::string version{};   // of the kernel's code, in any words: "3", a commit, a hash
  std::string size{};      // "4096", "1920x1080", "64x64x64"; empty: one choice for all sizes
  std::string device{};    // "NVIDIA H200"; empty: this machine's processor
  std::string driver{};    // or run-time library, where the speed depends on it: "580.159"
  std::string settings{};  // what else matters and is not searched: "type=f32"
};

// As the evidence files it.
TuningKey tuning_key(const KernelKey& key);
// The processor and how many threads it runs: "AMD EPYC 9654, 16 threads".
std::string host_device_text();

// One candidate. It looks into its tuner, and lives no longer than that.
class Choice {
 public:
  Choice(std::uint32_t index, const Configuration& configuration)
      : index_(index), configuration_(&configuration) {}

  std::uint32_t index() const { return index_; }  // in the list that was given
  const Configuration& configuration() const { return *configuration_; }
  std::string text() const { return to_string(*configuration_); }  // "block=256 unroll=4"
  // A parameter by its name. An unknown name, or a text that is no whole number, is an error.
  Result<std::string_view> value(std::string_view name) const;
  Result<std::int64_t> number(std::string_view name) const;

 private:
  std::uint32_t index_;
  const Configuration* configuration_;
};

// A value of a parameter: a whole number or a text.
struct AxisValue {
  template <std::integral Number>
  AxisValue(Number number) : text(std::to_string(number)) {}  // NOLINT(google-explicit-constructor)
  AxisValue(const char* its_text) : text(its_text) {}         // NOLINT(google-explicit-constructor)
  AxisValue(std::string its_text)
      : text(std::move(its_text)) {}  // NOLINT(google-explicit-constructor)

  std::string text;
};

// A parameter and the values to try: {"block", {64, 128, 256}} or {"order", {"row", "column"}}.
struct ParameterAxis {
  std::string name;
  std::vector<AxisValue> values;
};

inline constexpr std::size_t kMaxKernelCandidates = 4096;

// All combinations for which `where` holds, the last axis counting fastest. None, or more than
// kMaxKernelCandidates, is an error.
Result<std::vector<Configuration>> combinations(
    const std::vector<ParameterAxis>& axes, const std::function<bool(const Choice&)>& where = {});

// Whether a tuner can work with them: between 1 and kMaxKernelCandidates, each a configuration that
// can be written and read back, none twice.
Result<void> check_candidates(const std::vector<Configuration>& candidates);

}  // namespace vyre
