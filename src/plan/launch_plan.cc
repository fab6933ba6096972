#include "vyre/plan/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/slots.h"
#include "vyre/plan/bindings/extent_volume.h"
#include "vyre/plan/bindings/kernel_bindings.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/kernel_facts.h"
#include "vyre/plan/variants/variant_legality.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

// Generated GPU code counts in 32 bits to the end of its last tile.
constexpr std::uint32_t kMostGpuInvocations = 0xFFFF0000U;

// The buffers that the caller binds, as the specification counts them: in whole elements, possibly
// longer than declared. A writable buffer that was never written counts as an output.
std::vector<KernelInput> inputs_of(const Program& program, std::span<const BindingBytes> bindings) {
  std::vector<KernelInput> out;
  for (const GlobalId id : slots_of(program)) {
    const Global& global = program[id];
    const auto given = std::ranges::find_if(bindings, [&](const BindingBytes& b) {
      return b.group == global.group && b.binding == global.binding;
    });
    if (given == bindings.end()) continue;
    if (is_written(global) && !given->initialised) continue;
    const BufferLayout layout = buffer_layout(program.types, global.type);
    // A buffer may be longer than its type; bytes after the last whole element do not count.
    const std::uint64_t elements =
        layout.runtime_sized ? layout.elements_in(given->bytes) : layout.count;
    const std::uint64_t bytes = layout.bytes_for(elements).value_or(given->bytes);
    out.push_back({global.group, global.binding, {.bytes = bytes, .device_resident = true}});
  }
  return out;
}

Result<std::vector<BoundBinding>> bind(const LaunchRequest& request, const Kernel& kernel) {
  const Program& program = *kernel.program;
  auto planned = plan_kernel_bindings(kernel, inputs_of(program, request.bindings));
  if (!planned) return std::unexpected(to_error(planned.error()));
  std::vector<BoundBinding> out;
  const std::vector<GlobalId> slots = slots_of(program);
  for (PlannedBinding& binding : planned->bindings) {
    BoundBinding& bound = out.emplace_back();
    bound.planned = std::move(binding);
    if (bound.planned.slot >= slots.size()) continue;  // workgroup memory
    const Global& global = program[slots[bound.planned.slot]];
    bound.group = global.group;
    bound.binding = global.binding;
    for (const BindingBytes& b : request.bindings) {
      if (b.group == global.group && b.binding == global.binding) bound.bytes = b.bytes;
    }
  }
  return out;
}

// The specification's plan of the same launch, with the chosen workgroup as its explicit override.
std::optional<LogicalLaunch> logical_of(const LaunchPlan& plan, const Kernel& kernel,
                                        const PlanDevice& device) {
  const auto elements = volume_in_32_bits(plan.extent);
  if (!elements || *elements == 0) return std::nullopt;
  DispatchConfig config;
  config.workgroup_override = plan.variant.workgroup;
  config.element_count = elements;
  config.global_size = plan.extent;
  std::vector<PlannedBinding> bindings;
  for (const BoundBinding& b : plan.bindings) bindings.push_back(b.planned);
  LaunchFeedback feedback;  // unused, because the workgroup is given
  const Adapter adapter{.limits = device.limits, .identity = {}, .id = {}, .decisions = {}};
  LogicalLaunch out;
  if (!prepare(out, {facts_of(kernel), bindings, config, adapter}, plan.mode, feedback)) {
    return std::nullopt;
  }
  return out;
}

std::string workgroup_why(const LaunchRequest& request, const Kernel& kernel) {
  if (request.grid_in_buffer) return "as declared: a buffer counts workgroups of this size";
  if (request.size.in_workgroups) return "as declared: the launch counts workgroups of this size";
  const std::string_view fixed = why_shape_is_fixed(kernel);
  return fixed.empty() ? "as declared" : fmt::format("as declared: the program {}", fixed);
}

std::vector<PlanChoice> choices_of(const LaunchRequest& request, const Kernel& kernel,
                                   const PlanDevice& device, const Variant& v, Authority by,
                                   std::string_view why) {
  std::vector<PlanChoice> out;
  const auto add = [&](std::string part, std::string value, bool fixed, std::string otherwise) {
    if (fixed) {
      out.push_back({std::move(part), std::move(value), Authority::caller, "fixed by the caller"});
    } else if (by == Authority::declared || by == Authority::caller) {
      out.push_back({std::move(part), std::move(value), Authority::declared, std::move(otherwise)});
    } else {
      out.push_back({std::move(part), std::move(value), by, std::string(why)});
    }
  };
  const FixedChoices& fixed = request.fixed;
  add("workgroup", size_text(v.workgroup), fixed.workgroup.has_value(),
      workgroup_why(request, kernel));
  if (device.kind == TargetKind::host) {
    add("gang", fmt::format("{}", v.gang_width), fixed.gang_width.has_value(),
        "suits the code best before anything is measured");
    const bool automatic = v.groups_per_task == 1;
    add("groups per task", automatic ? "auto" : fmt::format("{}", v.groups_per_task),
        fixed.groups_per_task.has_value(), "chosen at each launch by its size");
    if (automatic && fixed.groups_per_task) {
      out.back().why = "1 leaves the choice to each launch";
    }
  }
  if (device.kind == TargetKind::nvptx || v.items_per_lane != 1) {
    add("items per lane", fmt::format("{}", v.items_per_lane), fixed.items_per_lane.has_value(),
        "as declared: one invocation a lane");
  }
  if (v.items_per_lane != 1) {
    add("layout", std::string(to_string(v.layout)), fixed.layout.has_value(), "the default");
  }
  for (const OverrideSetting& o : v.overrides) {
    add(o.name, o.value, false, "as the program says");
  }
  return out;
}

}  // namespace

std::string_view to_string(Authority authority) {
  constexpr std::array<std::string_view, 8> kWords = {
      "caller", "pin", "evidence", "decision file", "hint", "model", "declared", "cold start"};
  return kWords[static_cast<std::size_t>(authority)];
}

Result<Extent> grid_for_covers(const Extent& extent, const Extent& covers,
                               const PlanDevice& device) {
  const std::uint32_t most = device.kind == TargetKind::nvptx ? kMostGpuInvocations : UINT32_MAX;
  const Extent grid = grid_covering(extent, covers);
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (extent[axis] > most) {
      return fail(Code::limit, fmt::format("axis {} has {} invocations; the most is {}", axis,
                                           extent[axis], most));
    }
    if (grid[axis] > device.limits.max_grid_dim[axis]) {
      return fail(Code::limit,
                  fmt::format("axis {} has {} workgroups; {} allows {}", axis, grid[axis],
                              device.name, device.limits.max_grid_dim[axis]),
                  "use a larger workgroup, or put the long axis first");
    }
  }
  return grid;
}

Result<Extent> grid_for(const Extent& extent, const Variant& variant, const PlanDevice& device) {
  return grid_for_covers(extent, covered_by(variant, device.kind), device);
}

Result<LaunchPlan> lay_out(const LaunchRequest& request, const PlanDevice& device,
                           std::size_t kernel_index, const Variant& variant, Authority by,
                           std::string_view why, TunerMode mode) {
  const Kernel& kernel = request.kernels[kernel_index].kernel;
  if (const std::string reason = why_not(kernel, variant, device.kind, device.limits);
      !reason.empty()) {
    return fail(Code::invalid_input, fmt::format("kernel '{}' cannot run as {}: {}",
                                                 kernel.program->name, to_string(variant), reason));
  }
  LaunchPlan out;
  out.kernel = kernel.program->name;
  out.device = device.name;
  out.kind = device.kind;
  out.mode = mode;
  out.declared = kernel.program->workgroup;
  out.grid_in_buffer = request.grid_in_buffer;
  out.variant = variant;
  out.by = request.fixed.any() ? Authority::caller : by;
  out.why = out.by == Authority::caller ? "fixed by the caller" : std::string(why);
  out.choices = choices_of(request, kernel, device, variant, by, why);
  VYRE_TRY(out.bindings, bind(request, kernel));
  if (out.grid_in_buffer) {
    out.extent = out.grid = {0, 0, 0};
    return out;
  }
  VYRE_TRY(out.extent, extent_of(request));
  VYRE_TRY(out.grid, grid_for(out.extent, variant, device));
  out.logical = logical_of(out, kernel, device);
  return out;
}

}  // namespace vyre
