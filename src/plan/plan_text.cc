// A launch plan as lines for people and as JSON for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "vyre/plan/launch_plan.h"

namespace vyre {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Extent& e) { return Json::array({e[0], e[1], e[2]}); }

std::string invocations_text(const Extent& e) {
  std::uint64_t count = 1;
  for (const std::uint32_t axis : e) {
    if (axis != 0 && count > UINT64_MAX / axis) return "more than 64 bits count";
    count *= axis;
  }
  return fmt::format("{} invocation{}", count, count == 1 ? "" : "s");
}

Json to_json(const Variant& v) {
  Json out{{"text", to_string(v)},
           {"workgroup", to_json(v.workgroup)},
           {"items_per_lane", v.items_per_lane},
           {"layout", to_string(v.layout)},
           {"gang_width", v.gang_width},
           {"groups_per_task", v.groups_per_task},
           {"overrides", Json::object()}};
  for (const OverrideSetting& o : v.overrides) out["overrides"][o.name] = o.value;
  return out;
}

Json to_json(const BoundBinding& b) {
  const PlannedBinding& p = b.planned;
  const bool shared = p.role == BindingRole::shared;
  const auto index = [](const std::optional<std::uint32_t>& i) { return i ? Json(*i) : Json(); };
  return {{"slot", shared ? Json() : Json(p.slot)},
          {"group", shared ? Json() : Json(b.group)},
          {"binding", shared ? Json() : Json(b.binding)},
          {"name", p.name},
          {"role", to_string(p.role)},
          {"bytes", shared ? Json() : Json(b.bytes)},
          {"element_count", p.element_count},
          {"element_bytes", p.element_size},
          {"alignment", p.preferred_alignment},
          {"input_index", index(p.input_index)},
          {"output_index", index(p.output_index)}};
}

}  // namespace

std::string decision_text(Authority by, std::string_view why) {
  return by == Authority::declared ? std::string(why) : fmt::format("{}: {}", to_string(by), why);
}

std::string plan_line(const LaunchPlan& plan) {
  const std::string grid = plan.grid_in_buffer ? "as many workgroups as the buffer says"
                                               : size_text(plan.grid) + " workgroups";
  return fmt::format("{} in {}; {}", to_string(plan.variant), grid,
                     decision_text(plan.by, plan.why));
}

std::string plan_text(const LaunchPlan& plan) {
  std::string out =
      fmt::format("{} on {}, mode {}\n", plan.kernel, plan.device, mode_word(plan.mode));
  const auto line = [&](std::string_view what, std::string_view value, std::string_view why) {
    out += fmt::format("  {:<15} {:<16}{}{}\n", what, value, why.empty() ? "" : "  ", why);
  };
  if (!plan.grid_in_buffer) {
    line("extent", size_text(plan.extent), invocations_text(plan.extent));
  }
  for (const PlanChoice& c : plan.choices) {
    line(c.part, c.value, decision_text(c.by, c.why));
  }
  const std::string variant = fmt::format("the variant is {}", to_string(plan.variant));
  if (plan.grid_in_buffer) {
    line("grid", "from a buffer", "read when the launch begins; " + variant);
  } else {
    line("grid", size_text(plan.grid), "workgroups; " + variant);
  }
  if (plan.logical) {
    line("alignment", fmt::format("{} bytes", plan.logical->max_binding_alignment),
         "the largest of the bindings");
    line("parameters", fmt::format("{}", fmt::join(plan.logical->param_words, " ")),
         "the element count, then the count of each slot");
  }
  if (plan.bindings.empty()) return out;
  std::size_t name = 4;
  for (const BoundBinding& b : plan.bindings) name = std::max(name, b.planned.name.size());
  out += fmt::format("  bindings\n    slot  {:<{}}  {:<12}  {:>12}  {:>12}  {:>13}\n", "name", name,
                     "role", "bytes", "elements", "element bytes");
  for (const BoundBinding& b : plan.bindings) {
    const PlannedBinding& p = b.planned;
    const bool shared = p.role == BindingRole::shared;
    out += fmt::format("    {:>4}  {:<{}}  {:<12}  {:>12}  {:>12}  {:>13}\n",
                       shared ? "-" : fmt::format("{}", p.slot), p.name, name, to_string(p.role),
                       shared ? "-" : fmt::format("{}", b.bytes),
                       p.element_count == 0 ? "as launched" : fmt::format("{}", p.element_count),
                       p.element_size);
  }
  return out;
}

std::string plan_json(const LaunchPlan& plan) {
  Json json{{"kernel", plan.kernel},
            {"device", plan.device},
            {"mode", wire_name(plan.mode)},
            {"declared_workgroup", to_json(plan.declared)},
            {"extent", plan.grid_in_buffer ? Json() : to_json(plan.extent)},
            {"variant", to_json(plan.variant)},
            {"decided_by", to_string(plan.by)},
            {"why", plan.why},
            {"grid", plan.grid_in_buffer ? Json() : to_json(plan.grid)},
            {"grid_from_buffer", plan.grid_in_buffer}};
  json["choices"] = Json::array();
  for (const PlanChoice& c : plan.choices) {
    json["choices"].push_back(
        {{"part", c.part}, {"value", c.value}, {"by", to_string(c.by)}, {"why", c.why}});
  }
  json["element_count"] = plan.logical ? Json(plan.logical->element_count) : Json();
  json["logical_grid"] = plan.logical ? to_json(plan.logical->grid) : Json();
  json["param_words"] = plan.logical ? Json(plan.logical->param_words) : Json();
  json["max_binding_alignment"] = plan.logical ? Json(plan.logical->max_binding_alignment) : Json();
  json["bindings"] = Json::array();
  for (const BoundBinding& b : plan.bindings) json["bindings"].push_back(to_json(b));
  return json.dump(2);
}

}  // namespace vyre
