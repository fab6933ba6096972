// The features of WGSL that a module uses, and what they require of a device, as data for `vyre
// check --features`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/json_text.h"
#include "vyre/device/device.h"
#include "vyre/wgsl/features.h"

namespace vyre {

struct NeededLimit {
  std::string_view name;  // of WebGPU
  std::uint64_t needed = 0;
  std::uint64_t guaranteed = 0;  // on every WebGPU device
};

struct EntryNeeds {
  EntryFeatures uses;
  enum class Runs : std::uint8_t { yes, no, unknown } runs = Runs::yes;
  std::string why;                    // unless it runs
  std::vector<std::string> features;  // WebGPU's names: "shader-f16", ...
  std::vector<NeededLimit> limits;    // of compute entry points; only those that are known
};

struct FeatureReport {
  ModuleFeatures module;
  std::string device;
  std::vector<EntryNeeds> entries;
};

FeatureReport report_features(const ModuleFeatures& uses, const Module& module,
                              const std::vector<Setting>& settings, const Device& device);
void print_features(Output& out, const FeatureReport& report);
Json to_json(const FeatureReport& report);

}  // namespace vyre
