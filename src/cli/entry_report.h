// Everything that `vyre check` prints about an entry point, as data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vyre/cli/command.h"
#include "vyre/cli/json_text.h"
#include "vyre/device/device.h"

namespace vyre {

struct BufferReport {
  std::uint32_t slot = 0;  // rank among the (group, binding) pairs of the entry
  std::uint32_t group = 0, binding = 0;
  std::string name, role, type;
  bool runtime_sized = false;
  std::uint64_t header_bytes = 0;      // in front of a run-time sized array
  std::uint64_t stride = 0;            // of an element, when run-time sized
  std::optional<std::uint64_t> bytes;  // absent: run-time sized, or unknown until overrides are set
};

struct OverrideReport {
  std::string name, type;
  std::optional<std::uint16_t> id;
  std::string default_value;  // empty: it has none
  std::optional<double> set;
};

struct EntryReport {
  std::string name;
  // An axis is absent while it depends on an override that has no value.
  std::array<std::optional<std::uint32_t>, 3> workgroup;
  std::vector<BufferReport> buffers;
  std::vector<OverrideReport> overrides;
  std::vector<std::string> unset;  // overrides that need a value before the entry can run
  Stats stats;
  std::optional<std::uint64_t> workgroup_bytes;
  std::string fingerprint;  // empty while overrides are unset
  // The parts of a launch that a search may change, on "cpu" and "gpu" or on the given device.
  // `workgroup_reason` says why it may not change the workgroup, or why that is not known; empty:
  // it may.
  std::vector<std::pair<std::string, std::vector<std::string>>> tunable_parts;
  std::string workgroup_reason;
  std::string ir;  // the IR as text
};

// Overrides get the values of the settings. What depends on an override without a value is unknown.
// If a device is given, an entry beyond its limits is an error.
Result<EntryReport> report_entry(const Program& program, const std::vector<Setting>& settings,
                                 bool with_ir, const Device* device);

// Names of the ids that the entry reads.
std::vector<std::string> ids_used(const Stats& stats);

void print_entry(Output& out, const EntryReport& entry);
Json to_json(const EntryReport& entry, bool with_ir);

}  // namespace vyre
