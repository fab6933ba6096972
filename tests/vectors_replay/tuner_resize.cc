#include "replay.h"
#include "vyre/tune/decisions/candidates.h"
#include "vyre/tune/decisions/workgroup_resize.h"

namespace vyre {
namespace {

Json replay_suggest_resize(const Json& in) {
  const Json& policy_in = at(in, "policy");
  const Json& feedback = at(in, "feedback");
  const ResizePolicy policy{
      .adapter_max_workgroup_x = to_u32(at(policy_in, "adapter_max_workgroup_size_x")),
      .minimum_workgroup_x = to_u32(at(policy_in, "minimum_workgroup_size_x")),
      .saturation_threshold_per_us = to_f64(at(policy_in, "saturation_threshold_per_us")),
      .idle_shrink_us = to_u64(at(policy_in, "idle_shrink_us"))};
  FeedbackWindow window{
      .opcode_counts = {},
      .wall_time_us = to_u64(at(feedback, "wall_time_us")),
      .idle_us = to_u64(at(feedback, "idle_us")),
      .observed_workgroup_x = to_u32(at(feedback, "observed_workgroup_size_x")),
      .observed_throughput_per_us = to_f64(at(feedback, "observed_throughput_per_us"))};
  for (const Json& item : to_list(at(feedback, "per_opcode_counts"))) {
    const auto& pair = to_list(item);
    if (pair.size() != 2) throw MalformedVector("expected [opcode, count], got " + item.dump());
    window.opcode_counts.push_back({to_u32(pair[0]), to_u64(pair[1])});
  }
  const auto resize = suggest_resize(policy, window);
  return {{"resize", resize ? Json(*resize) : Json(nullptr)}};
}

Json replay_candidates_for(const Json& in) {
  const auto candidates = candidates_for(to_u32(at(in, "max_invocations")));
  return {{"candidates", std::vector<std::uint32_t>(candidates.begin(), candidates.end())}};
}

const ReplayFamily family{
    "tuner_resize",
    {{"suggest_resize", replay_suggest_resize}, {"candidates_for", replay_candidates_for}}};

}  // namespace
}  // namespace vyre
