// The specification's plan of which neighbouring stages become one launch. It considers only bytes,
// layouts and host boundaries. fuse_kernels.h decides whether the programs of a group can be fused,
// and keeps the output of a stage that needs host materialization.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vyre/base/error.h"

namespace vyre {

struct FusionStage {
  std::uint32_t id = 0;
  std::uint64_t layout_hash = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;
  std::uint64_t scratch_bytes = 0;
  bool needs_host_materialization = false;  // never joins the group before it

  bool operator==(const FusionStage&) const = default;
};

// Why a group begins where it does.
enum class FusionBoundary : std::uint8_t {
  first_stage,
  host_materialization,  // the host must see what the group before made
  layout_differs,        // its layout hash is not that of the group before
  over_budget,           // the group before would have needed more than the budget
};

std::string_view to_string(FusionBoundary boundary);

// Stages first_stage .. first_stage + stage_count - 1 of the list, by position.
struct FusionGroup {
  std::size_t first_stage = 0;
  std::size_t stage_count = 0;
  std::uint64_t layout_hash = 0;
  std::uint64_t required_bytes = 0;
  std::uint64_t avoided_intermediate_bytes = 0;
  FusionBoundary boundary = FusionBoundary::first_stage;
  // With over_budget: the bytes that the group before would have needed with this group's first
  // stage.
  std::uint64_t refused_bytes = 0;

  bool operator==(const FusionGroup&) const = default;
};

// Groups in stage order. A plan may be made again in the same storage.
struct FusionPlan {
  std::vector<FusionGroup> groups;
  std::uint64_t budget_bytes = 0;
  std::uint32_t launch_count = 0;
  std::uint32_t avoided_launches = 0;
  std::uint64_t avoided_intermediate_bytes = 0;

  bool operator==(const FusionPlan&) const = default;
};

enum class FusionQuantity : std::uint8_t {
  stage_input_plus_output,
  stage_total,
  fused_scratch,
  fused_output,
  group_avoided,
  total_avoided,
  launch_count,
  avoided_launches,
};

struct ZeroBudget {
  bool operator==(const ZeroBudget&) const = default;
};
// The id at the earliest position that repeats an earlier one.
struct DuplicateStage {
  std::uint32_t id = 0;
  bool operator==(const DuplicateStage&) const = default;
};
struct StageOverBudget {
  std::uint32_t id = 0;
  std::uint64_t required_bytes = 0;
  std::uint64_t budget_bytes = 0;
  bool operator==(const StageOverBudget&) const = default;
};
struct ByteOverflow {
  FusionQuantity quantity{};
  bool operator==(const ByteOverflow&) const = default;
};
struct StorageReserve {
  std::string_view field;
  std::size_t entries = 0;
  std::string detail;  // what the allocator said
  bool operator==(const StorageReserve&) const = default;
};
using FusionError =
    std::variant<ZeroBudget, DuplicateStage, StageOverBudget, ByteOverflow, StorageReserve>;

// The spelling in vectors and JSON.
std::string_view wire_name(FusionQuantity quantity);
std::string_view wire_name(const FusionError& error);
Error to_error(const FusionError& error);

// Room to look for duplicate ids in. Reused between plans, it saves their allocation.
class FusionScratch {
 public:
  FusionScratch() = default;

 private:
  friend class DuplicateSearch;
  struct Tagged {
    std::uint32_t id;
    std::size_t position;
  };
  std::vector<Tagged> tagged_;
  std::vector<Tagged> other_;
};

// Greedy, left to right, in time linear in the number of stages. `plan` is empty after an error.
std::expected<void, FusionError> plan_launch_fusion(std::span<const FusionStage> stages,
                                                    std::uint64_t budget_bytes,
                                                    FusionScratch& scratch, FusionPlan& plan);

std::expected<FusionPlan, FusionError> plan_launch_fusion(std::span<const FusionStage> stages,
                                                          std::uint64_t budget_bytes);

}  // namespace vyre
