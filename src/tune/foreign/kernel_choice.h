// The user's own kernels as a tuner sees them: their key and their candidates.
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

// What a tuned choice depends on. Change `version` whenever the kernel's code changes: earlier
// choices are then only hints.
struct KernelKey {
  std::string name;        // never empty
  std::string version{};   // of the kernel's code, as any text: "3", a commit, a hash
  std::string size{};      // "4096", "1920x1080", "64x64x64"; empty: one choice for all sizes
  std::string device{};    // "NVIDIA H200"; empty: this machine's processor
  std::string driver{};    // the driver or run-time library, if the speed depends on it: "580.159"
  std::string settings{};  // other settings that matter and are not searched: "type=f32"
};

// The key under which the evidence is stored.
TuningKey tuning_key(const KernelKey& key);
// The processor and its number of threads: "AMD EPYC 9654, 16 threads".
std::string host_device_text();

// One candidate. It refers to its tuner, which must outlive it.
class Choice {
 public:
  Choice(std::uint32_t index, const Configuration& configuration)
      : index_(index), configuration_(&configuration) {}

  std::uint32_t index() const { return index_; }  // in the list that was given
  const Configuration& configuration() const { return *configuration_; }
  std::string text() const { return to_string(*configuration_); }  // "block=256 unroll=4"
  // The value of a parameter. An unknown name, or a text that is not a whole number, is an error.
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

// All combinations for which `where` holds, with the last axis varying fastest. No combination, or
// more than kMaxKernelCandidates, is an error.
Result<std::vector<Configuration>> combinations(
    const std::vector<ParameterAxis>& axes, const std::function<bool(const Choice&)>& where = {});

// Checks that there are between 1 and kMaxKernelCandidates, that each can be written as text and
// read back, and that none occurs twice.
Result<void> check_candidates(const std::vector<Configuration>& candidates);

}  // namespace vyre
