#include "launch_fields.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/specification/logical_launch.h"

namespace vyre {
namespace {

BindingRole role_from(const Json& value) {
  using enum BindingRole;
  for (const BindingRole role : {input, output, input_output, uniform, shared, persistent}) {
    if (to_string(role) == to_text(value)) return role;
  }
  throw MalformedVector("unknown role " + value.dump());
}

std::vector<PlannedBinding> bindings_from(const Json& value) {
  std::vector<PlannedBinding> bindings;
  for (const Json& item : to_list(value)) {
    const auto& fields = to_list(item);
    if (fields.size() != 4) throw MalformedVector("a binding has four fields: " + item.dump());
    PlannedBinding binding;
    binding.slot = to_u32(fields[0]);
    binding.role = role_from(fields[1]);
    binding.element_count = to_u32(fields[2]);
    binding.preferred_alignment = to_u64(fields[3]);
    bindings.push_back(std::move(binding));
  }
  return bindings;
}

Json to_json(const LogicalLaunch& plan) {
  return {{"element_count", plan.element_count},
          {"workgroup", plan.workgroup},
          {"grid", plan.grid},
          {"param_words", plan.param_words},
          {"max_binding_alignment", plan.max_binding_alignment}};
}

// Prepares a new plan and one that was used before: both must come out alike, and an error must
// leave the used one as it was.
Json prepare_case(const Json& in) {
  const ScratchDirectory scratch;
  Adapter adapter = make_adapter(limits_from(at(in, "limits")));
  adapter.decisions = scratch.file("decisions.toml");
  const ProgramFacts program = program_from(at(in, "program"));
  const std::vector<PlannedBinding> bindings = bindings_from(at(in, "bindings"));
  const DispatchConfig config = config_from(at(in, "config"));
  const TunerMode mode = mode_from(at(in, "mode"));
  const LogicalRequest request{program, bindings, config, adapter};
  LaunchFeedback feedback;

  LogicalLaunch fresh;
  const auto prepared = prepare(fresh, request, mode, feedback);
  LogicalLaunch used{7, {7, 7, 7}, {7, 7, 7}, {7, 7, 7, 7, 7, 7, 7}, 7};
  const LogicalLaunch before = used;
  const auto prepared_again = prepare(used, request, mode, feedback);
  if (prepared != prepared_again) return {{"error", "a used plan gives another result"}};
  if (!prepared) {
    if (used != before) return {{"error", "the error changed the plan"}};
    return to_json(prepared.error());
  }
  if (used != fresh) return {{"error", "a used plan comes out differently"}};
  return to_json(fresh);
}

Json infer_grid_case(const Json& in) {
  const auto grid = grid_for_count(to_u32(at(in, "element_count")), to_extent(at(in, "workgroup")));
  if (!grid) return to_json(grid.error());
  return {{"grid", *grid}};
}

const ReplayFamily family{"launch_plan",
                          {{"prepare", prepare_case}, {"infer_grid", infer_grid_case}}};

}  // namespace
}  // namespace vyre
