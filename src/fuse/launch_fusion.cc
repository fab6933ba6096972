#include "vyre/fuse/launch_fusion.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

#include "vyre/base/arithmetic.h"

namespace vyre {

// Ids in ascending order have no duplicates. Any others are sorted, byte by byte of the id: linear
// whatever the ids are, and stable, so that equal ids come out in the order of their positions.
class DuplicateSearch {
 public:
  explicit DuplicateSearch(FusionScratch& scratch) : scratch_(scratch) {}

  std::expected<void, FusionError> run(std::span<const FusionStage> stages) {
    if (ascending(stages)) return {};
    try {
      scratch_.tagged_.resize(stages.size());
      scratch_.other_.resize(stages.size());
    } catch (const std::exception& fault) {
      return std::unexpected(StorageReserve{"duplicate search", stages.size(), fault.what()});
    }
    for (std::size_t i = 0; i < stages.size(); ++i) scratch_.tagged_[i] = {stages[i].id, i};
    for (unsigned shift = 0; shift < 32; shift += 8) sort_by_byte(shift);
    return report_earliest();
  }

 private:
  static bool ascending(std::span<const FusionStage> stages) {
    for (std::size_t i = 1; i < stages.size(); ++i) {
      if (stages[i].id <= stages[i - 1].id) return false;
    }
    return true;
  }

  void sort_by_byte(unsigned shift) {
    const auto byte_of = [shift](const auto& entry) { return entry.id >> shift & 0xff; };
    std::array<std::size_t, 256> place{};
    for (const auto& entry : scratch_.tagged_) ++place[byte_of(entry)];
    if (place[byte_of(scratch_.tagged_.front())] == scratch_.tagged_.size()) return;
    std::size_t before = 0;
    for (std::size_t& count : place) before += std::exchange(count, before);
    for (const auto& entry : scratch_.tagged_) scratch_.other_[place[byte_of(entry)]++] = entry;
    std::swap(scratch_.tagged_, scratch_.other_);
  }

  std::expected<void, FusionError> report_earliest() const {
    std::size_t earliest = std::numeric_limits<std::size_t>::max();
    std::uint32_t id = 0;
    for (std::size_t i = 1; i < scratch_.tagged_.size(); ++i) {
      const auto& entry = scratch_.tagged_[i];
      if (entry.id != scratch_.tagged_[i - 1].id || entry.position >= earliest) continue;
      earliest = entry.position;
      id = entry.id;
    }
    if (earliest == std::numeric_limits<std::size_t>::max()) return {};
    return std::unexpected(DuplicateStage{id});
  }

  FusionScratch& scratch_;
};

namespace {

std::unexpected<FusionError> overflow(FusionQuantity quantity) {
  return std::unexpected<FusionError>(ByteOverflow{quantity});
}

// Opens a group with this stage.
std::expected<FusionGroup, FusionError> open_group(const FusionStage& stage, std::size_t position,
                                                   std::uint64_t budget_bytes) {
  const auto io = checked_add(stage.input_bytes, stage.output_bytes);
  if (!io) return overflow(FusionQuantity::stage_input_plus_output);
  const auto required = checked_add(*io, stage.scratch_bytes);
  if (!required) return overflow(FusionQuantity::stage_total);
  if (*required > budget_bytes) {
    return std::unexpected<FusionError>(StageOverBudget{stage.id, *required, budget_bytes});
  }
  return FusionGroup{.first_stage = position,
                     .stage_count = 1,
                     .layout_hash = stage.layout_hash,
                     .required_bytes = *required};
}

struct Refusal {
  FusionBoundary boundary;
  std::uint64_t refused_bytes = 0;
};

// Appends the stage behind `previous`, or says why it begins a group of its own.
std::expected<std::optional<Refusal>, FusionError> append_stage(FusionGroup& group,
                                                                const FusionStage& previous,
                                                                const FusionStage& stage,
                                                                std::uint64_t budget_bytes) {
  if (stage.needs_host_materialization) return Refusal{FusionBoundary::host_materialization};
  if (stage.layout_hash != group.layout_hash) return Refusal{FusionBoundary::layout_differs};
  const auto with_scratch = checked_add(group.required_bytes, stage.scratch_bytes);
  if (!with_scratch) return overflow(FusionQuantity::fused_scratch);
  const auto total = checked_add(*with_scratch, stage.output_bytes);
  if (!total) return overflow(FusionQuantity::fused_output);
  if (*total > budget_bytes) return Refusal{FusionBoundary::over_budget, *total};
  const auto avoided = checked_add(group.avoided_intermediate_bytes, previous.output_bytes);
  if (!avoided) return overflow(FusionQuantity::group_avoided);
  group.required_bytes = *total;
  group.avoided_intermediate_bytes = *avoided;
  ++group.stage_count;
  return std::nullopt;
}

// Makes the groups of the whole list, which is not empty.
std::expected<void, FusionError> make_groups(std::span<const FusionStage> stages,
                                             FusionPlan& plan) {
  auto group = open_group(stages[0], 0, plan.budget_bytes);
  if (!group) return std::unexpected(group.error());
  for (std::size_t i = 1; i < stages.size(); ++i) {
    const auto refusal = append_stage(*group, stages[i - 1], stages[i], plan.budget_bytes);
    if (!refusal) return std::unexpected(refusal.error());
    if (!*refusal) continue;
    plan.groups.push_back(*group);
    group = open_group(stages[i], i, plan.budget_bytes);
    if (!group) return std::unexpected(group.error());
    group->boundary = (*refusal)->boundary;
    group->refused_bytes = (*refusal)->refused_bytes;
  }
  plan.groups.push_back(*group);
  return {};
}

std::expected<void, FusionError> add_up(std::size_t stage_count, FusionPlan& plan) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  const std::size_t launches = plan.groups.size();
  if (launches > kMost) return overflow(FusionQuantity::launch_count);
  if (stage_count - launches > kMost) return overflow(FusionQuantity::avoided_launches);
  plan.launch_count = static_cast<std::uint32_t>(launches);
  plan.avoided_launches = static_cast<std::uint32_t>(stage_count - launches);
  for (const FusionGroup& group : plan.groups) {
    const auto total =
        checked_add(plan.avoided_intermediate_bytes, group.avoided_intermediate_bytes);
    if (!total) return overflow(FusionQuantity::total_avoided);
    plan.avoided_intermediate_bytes = *total;
  }
  return {};
}

std::expected<void, FusionError> fill_plan(std::span<const FusionStage> stages,
                                           FusionScratch& scratch, FusionPlan& plan) {
  if (plan.budget_bytes == 0) return std::unexpected(ZeroBudget{});
  if (stages.empty()) return {};
  if (auto unique = DuplicateSearch(scratch).run(stages); !unique) return unique;
  try {
    if (auto made = make_groups(stages, plan); !made) return made;
  } catch (const std::exception& fault) {
    return std::unexpected(StorageReserve{"groups", stages.size(), fault.what()});
  }
  return add_up(stages.size(), plan);
}

void clear(FusionPlan& plan, std::uint64_t budget_bytes) {
  plan.groups.clear();
  plan.budget_bytes = budget_bytes;
  plan.launch_count = 0;
  plan.avoided_launches = 0;
  plan.avoided_intermediate_bytes = 0;
}

}  // namespace

std::expected<void, FusionError> plan_launch_fusion(std::span<const FusionStage> stages,
                                                    std::uint64_t budget_bytes,
                                                    FusionScratch& scratch, FusionPlan& plan) {
  clear(plan, budget_bytes);
  auto filled = fill_plan(stages, scratch, plan);
  if (!filled) clear(plan, budget_bytes);
  return filled;
}

std::expected<FusionPlan, FusionError> plan_launch_fusion(std::span<const FusionStage> stages,
                                                          std::uint64_t budget_bytes) {
  FusionScratch scratch;
  FusionPlan plan;
  if (auto made = plan_launch_fusion(stages, budget_bytes, scratch, plan); !made) {
    return std::unexpected(made.error());
  }
  return plan;
}

}  // namespace vyre
