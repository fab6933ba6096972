#include "vyre/fuse/launch_fusion.h"

#include "replay.h"

namespace vyre {
namespace {

Json error_of(const FusionError& error) {
  Json out{{"error", wire_name(error)}};
  if (const auto* fault = std::get_if<DuplicateStage>(&error)) out["id"] = fault->id;
  if (const auto* fault = std::get_if<StageOverBudget>(&error)) {
    out["id"] = fault->id;
    out["required_bytes"] = fault->required_bytes;
    out["budget_bytes"] = fault->budget_bytes;
  }
  if (const auto* fault = std::get_if<ByteOverflow>(&error)) {
    out["field"] = wire_name(fault->quantity);
  }
  return out;
}

Json replay_plan(const Json& in) {
  std::vector<FusionStage> stages;
  for (const Json& item : to_list(at(in, "stages"))) {
    const auto& fields = to_list(item);
    if (fields.size() != 6) throw MalformedVector("expected six fields, got " + item.dump());
    stages.push_back({to_u32(fields[0]), to_u64(fields[1]), to_u64(fields[2]), to_u64(fields[3]),
                      to_u64(fields[4]), to_bool(fields[5])});
  }
  const auto plan = plan_launch_fusion(stages, to_u64(at(in, "max_group_bytes")));
  if (!plan) return error_of(plan.error());
  Json groups = Json::array();
  for (const FusionGroup& group : plan->groups) {
    Json ids = Json::array();
    for (std::size_t i = 0; i < group.stage_count; ++i) {
      ids.push_back(stages[group.first_stage + i].id);
    }
    groups.push_back({{"stage_ids", ids},
                      {"layout_hash", group.layout_hash},
                      {"required_bytes", group.required_bytes},
                      {"avoided_intermediate_bytes", group.avoided_intermediate_bytes}});
  }
  return {{"groups", groups},
          {"launch_count", plan->launch_count},
          {"avoided_launches", plan->avoided_launches},
          {"avoided_intermediate_bytes", plan->avoided_intermediate_bytes}};
}

const ReplayFamily family{"launch_fusion", {{"plan", replay_plan, "stages"}}};

}  // namespace
}  // namespace vyre
