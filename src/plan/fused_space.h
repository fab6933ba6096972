// A fused launch that may also run as its stages, one after the other: all ways to run it are
// candidates of one space, in which the order of authority decides once.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "vyre/plan/planner.h"

namespace vyre {

struct FusedSpace {
  LaunchSpace space;  // the fused kernel's candidates, and after them those that run the stages
  std::vector<std::vector<Variant>>
      apart;  // for each candidate that runs the stages: the variants of these

  std::size_t fused() const { return space.candidates.size() - apart.size(); }
  bool is_apart(std::size_t candidate) const { return candidate >= fused(); }
};

// `fused.identity` names the group of stages in the evidence. The choice is for exactly this size.
// Where nobody has measured it and the code of the fused kernel spills registers, but that of no
// stage does, the stages serve first, and those variants of the fused kernel that have at least as
// many lanes and items are no candidates.
Result<FusedSpace> plan_fused_space(const LaunchRequest& fused,
                                    std::span<const LaunchRequest> stages, const PlanDevice& device,
                                    const PlanMemory& memory);

// Whether the text of a candidate is one of those that run the stages.
bool runs_apart(std::string_view candidate);

}  // namespace vyre
