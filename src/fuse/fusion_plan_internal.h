// What the pass found out about a group of stages, and what it decided.
#pragma once

#include <deque>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "vyre/fuse/fuse_kernels.h"
#include "vyre/ir/access/accesses.h"

namespace vyre {

constexpr std::size_t kNoBuffer = static_cast<std::size_t>(-1);

struct StageAnalysis {
  Program program;                  // flattened
  std::vector<std::size_t> buffer;  // of each global, or kNoBuffer
  LaunchFacts facts;
  Accesses accesses;
  bool recomputed =
      false;  // its results are computed where they are read; it does not run as a stage
};

// How one access is made in the fused kernel.
struct AccessPlan {
  bool through_register = false;
  bool through_memory = true;
  bool tests_bounds = false;  // a store outside of the buffer must not reach the register
};

struct GroupPlan {
  std::deque<StageAnalysis> stages;
  ValueNumbers numbers;
  std::vector<BufferFate> fates;
  // By stage and the id of the pointer expression. Accesses that are not listed go through memory.
  std::map<std::pair<std::size_t, ExprId>, AccessPlan> accesses;
  // For each recomputed buffer, the stage that computes it.
  std::map<std::size_t, std::size_t> producer;
};

// Decides whether and how the stages become one.
std::expected<GroupPlan, FusionRefusal> plan_group(std::span<const KernelStage> stages,
                                                   std::span<const FusedBuffer> buffers,
                                                   const FusionLimits& limits);

// Writes the program that was decided on, and the buffers that it binds.
struct WrittenGroup {
  Program program;
  std::vector<std::size_t> bindings;
};
WrittenGroup write_group(const GroupPlan& plan, std::span<const KernelStage> stages,
                         std::span<const FusedBuffer> buffers);

}  // namespace vyre
