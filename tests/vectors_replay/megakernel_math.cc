#include "resident_fields.h"
#include "vyre/resident/autotune.h"
#include "vyre/resident/priority.h"

namespace vyre {
namespace {

std::vector<double> f64_list(const Json& value) {
  std::vector<double> out;
  for (const Json& item : to_list(value)) out.push_back(to_f64(item));
  return out;
}

std::vector<std::uint32_t> u32_list(const Json& value) {
  std::vector<std::uint32_t> out;
  for (const Json& item : to_list(value)) out.push_back(to_u32(item));
  return out;
}

Json natural_gradient_case(const Json& in) {
  const auto delta =
      natural_gradient_delta(f64_list(at(in, "m_inv_sqrt")), f64_list(at(in, "grad")),
                             to_u32(at(in, "n")), to_f64(at(in, "learning_rate")));
  if (!delta) return to_json(delta.error());
  Json out = Json::array();
  for (const double value : *delta) out.push_back(from_f64(value));
  return {{"delta", out}};
}

Json choose(const Json& in, std::string_view fallback) {
  return {{"value", cheapest_candidate(u32_list(at(in, "candidates")), f64_list(at(in, "costs")),
                                       to_u32(at(in, fallback)))}};
}

Json hit_capacity_multiplier_case(const Json& in) { return choose(in, "hit_capacity_multiplier"); }
Json workgroup_size_case(const Json& in) { return choose(in, "current_size"); }

Json requeue_accounting_case(const Json& in) {
  const Json& initial = at(in, "initial");
  PriorityAccounting accounting{to_u64(at(initial, "requeue_count")),
                                to_u64(at(initial, "aged_promotions")),
                                to_u32(at(initial, "max_priority_age"))};
  Json states = Json::array();
  for (const Json& event : to_list(at(in, "events"))) {
    const auto& fields = to_list(event);
    if (fields.size() != 2) throw MalformedVector("an event has two fields: " + event.dump());
    const std::string& name = to_text(fields[0]);
    const std::uint32_t age = to_u32(fields[1]);
    if (name != "requeue" && name != "aged_promotion")
      throw MalformedVector("unknown event " + event.dump());
    const auto counted =
        name == "requeue" ? accounting.record_requeue(age) : accounting.record_aged_promotion(age);
    Json state = counted ? Json::object() : to_json(counted.error());
    state["requeue_count"] = accounting.requeue_count;
    state["aged_promotions"] = accounting.aged_promotions;
    state["max_priority_age"] = accounting.max_priority_age;
    states.push_back(state);
    if (!counted) break;
  }
  return {{"states", states}};
}

const ReplayFamily family{"megakernel_math",
                          {{"natural_gradient_autotune_step", natural_gradient_case},
                           {"autotune_hit_capacity_multiplier", hit_capacity_multiplier_case},
                           {"autotune_workgroup_size", workgroup_size_case},
                           {"requeue_accounting", requeue_accounting_case}}};

}  // namespace
}  // namespace vyre
