// Whether a running kernel should get a wider or a narrower workgroup, from a window of feedback.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace vyre {

struct ResizePolicy {
  std::uint32_t adapter_max_workgroup_x = 1024;
  std::uint32_t minimum_workgroup_x = 32;
  double saturation_threshold_per_us = 1.0;
  std::uint64_t idle_shrink_us = 100'000;

  bool operator==(const ResizePolicy&) const = default;
};

struct OpcodeCount {
  std::uint32_t opcode = 0;
  std::uint64_t count = 0;

  bool operator==(const OpcodeCount&) const = default;
};

// Opcode counts and wall time are informative only.
struct FeedbackWindow {
  std::vector<OpcodeCount> opcode_counts;
  std::uint64_t wall_time_us = 0;
  std::uint64_t idle_us = 0;
  std::uint32_t observed_workgroup_x = 0;
  double observed_throughput_per_us = 0.0;

  bool operator==(const FeedbackWindow&) const = default;
};

// The suggested width, if it should change. Long idling halves it; otherwise a throughput below the
// threshold doubles it.
std::optional<std::uint32_t> suggest_resize(const ResizePolicy& policy,
                                            const FeedbackWindow& window);

}  // namespace vyre
