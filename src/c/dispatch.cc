#include <chrono>
#include <limits>

#include "vyre/c/arguments_internal.h"
#include "vyre/c/objects_internal.h"
#include "vyre/c/stack_internal.h"

namespace vyre {

constexpr std::uint64_t kMaxBindings = 4096;

Outcome<std::vector<Binding>> bindings_of(const SharedSession& session, const vyre_binding* given,
                                          std::uint64_t count) {
  if (given == nullptr && count != 0) return null_pointer("bindings");
  if (count > kMaxBindings) {
    return failure(VYRE_LIMIT, fmt::format("{} bindings; the most is {}", count, kMaxBindings));
  }
  std::vector<Binding> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    const vyre_binding& b = given[i];
    VYRE_TRY(const auto pin, find<BufferObject>(b.buffer));
    if (pin->session.get() != &session) {
      return failure(VYRE_WRONG_SESSION,
                     fmt::format("the buffer for group {}, binding {} is of another session than "
                                 "the kernel",
                                 b.group, b.binding));
    }
    Binding& binding = out.emplace_back(b.group, b.binding, pin->buffer, b.offset);
    if (b.bytes != VYRE_TO_THE_END) binding.bytes = b.bytes;
  }
  return out;
}

Outcome<DispatchSize> size_of(const vyre_grid* grid) {
  if (grid == nullptr) return null_pointer("grid");
  const Extent axes{grid->x, grid->y, grid->z};
  if (grid->unit == VYRE_WORKGROUPS) return DispatchSize::workgroups(axes);
  if (grid->unit == VYRE_INVOCATIONS) return DispatchSize::extent(axes);
  return failure(VYRE_INVALID_INPUT, fmt::format("grid.unit is {}, which is no unit", grid->unit));
}

RunLimits limits_of(std::uint64_t deadline_ns) {
  RunLimits limits;
  if (deadline_ns == VYRE_NO_DEADLINE) return limits;
  // Far enough from the end of the clock to be added to the time of day.
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
  limits.deadline = std::chrono::nanoseconds(
      static_cast<std::int64_t>(std::min<std::uint64_t>(deadline_ns, most)));
  return limits;
}

Outcome<std::optional<TunerMode>> mode_of(std::uint32_t given, std::string_view name) {
  switch (given) {
    case VYRE_TUNER_DEFAULT: return std::optional<TunerMode>();
    case VYRE_TUNER_ONLINE: return TunerMode::natural_gradient;
    case VYRE_TUNER_SWEEP: return TunerMode::sweep;
    case VYRE_TUNER_OFF: return TunerMode::cached_or_default;
    case VYRE_TUNER_FROZEN: return TunerMode::frozen;
    default: break;
  }
  return failure(VYRE_INVALID_INPUT, fmt::format("{} is {}", name, given));
}

namespace {

// What is 0 stays as it is declared.
Outcome<FixedChoices> fixed_choices(const vyre_variant* given) {
  FixedChoices out;
  if (given == nullptr) return out;
  VYRE_CHECK(check_struct(given, "variant"));
  const Extent workgroup{given->workgroup[0], given->workgroup[1], given->workgroup[2]};
  if (workgroup != Extent{0, 0, 0}) {
    if (std::ranges::count(workgroup, 0U) != 0) {
      return failure(VYRE_INVALID_INPUT,
                     fmt::format("variant.workgroup is {}x{}x{}; give all three axes, or none",
                                 workgroup[0], workgroup[1], workgroup[2]));
    }
    out.workgroup = workgroup;
  }
  if (given->items_per_lane != 0) out.items_per_lane = given->items_per_lane;
  if (given->gang_width != 0) out.gang_width = given->gang_width;
  if (given->groups_per_task != 0) out.groups_per_task = given->groups_per_task;
  switch (given->layout) {
    case VYRE_LAYOUT_DEFAULT: break;
    case VYRE_STRIDED: out.layout = ItemLayout::strided; break;
    case VYRE_BLOCKED: out.layout = ItemLayout::blocked; break;
    default:
      return failure(VYRE_INVALID_INPUT,
                     fmt::format("variant.layout is {}, which is no layout", given->layout));
  }
  if (!out.any()) out.bounds = BoundsMode::tested_once;  // a variant was given: nothing is tuned
  return out;
}

Outcome<Dispatch> prepare(const KernelObject& kernel, const vyre_binding* given,
                          std::uint64_t count, const vyre_grid* grid, const vyre_variant* wanted,
                          const RunLimits& limits) {
  const Session& session = kernel.session->session;
  VYRE_TRY(const auto bindings, bindings_of(*kernel.session, given, count));
  VYRE_TRY(const DispatchSize size, size_of(grid));
  VYRE_TRY(const FixedChoices fixed, fixed_choices(wanted));
  return with_enough_stack([&]() -> Outcome<Dispatch> {
    VYRE_TRY(Dispatch dispatch, session.prepare(kernel.kernel, bindings, size, fixed, limits));
    return dispatch;
  });
}

Outcome<Dispatch> prepare_indirect(const KernelObject& kernel, const vyre_binding* given,
                                   std::uint64_t count, const vyre_indirect_grid* grid,
                                   const vyre_variant* wanted, const RunLimits& limits) {
  const Session& session = kernel.session->session;
  VYRE_TRY(const auto bindings, bindings_of(*kernel.session, given, count));
  if (grid == nullptr) return null_pointer("grid");
  VYRE_TRY(const auto pin, find<BufferObject>(grid->buffer));
  if (pin->session != kernel.session) {
    return failure(VYRE_WRONG_SESSION, "the grid's buffer is of another session than the kernel");
  }
  VYRE_TRY(const FixedChoices fixed, fixed_choices(wanted));
  return with_enough_stack([&]() -> Outcome<Dispatch> {
    VYRE_TRY(Dispatch dispatch,
             session.prepare(kernel.kernel, bindings, IndirectGrid{pin->buffer, grid->offset},
                             fixed, limits));
    return dispatch;
  });
}

Outcome<> create_indirect(vyre_kernel id, const vyre_binding* bindings, std::uint64_t count,
                          const vyre_indirect_grid* grid, const vyre_variant* variant,
                          vyre_dispatch* out) {
  VYRE_TRY(const auto pin, find<KernelObject>(id));
  if (out == nullptr) return null_pointer("dispatch");
  VYRE_TRY(Dispatch dispatch,
           prepare_indirect(*pin, bindings, count, grid, variant, pin->session->compiling));
  VYRE_TRY(*out, publish(DispatchObject{pin->session, std::move(dispatch)}));
  return {};
}

Outcome<> create_dispatch(vyre_kernel id, const vyre_binding* bindings, std::uint64_t count,
                          const vyre_grid* grid, const vyre_variant* variant, vyre_dispatch* out) {
  VYRE_TRY(const auto pin, find<KernelObject>(id));
  if (out == nullptr) return null_pointer("dispatch");
  VYRE_TRY(Dispatch dispatch,
           prepare(*pin, bindings, count, grid, variant, pin->session->compiling));
  VYRE_TRY(*out, publish(DispatchObject{pin->session, std::move(dispatch)}));
  return {};
}

Outcome<> dispatch_variant(vyre_dispatch id, vyre_variant* out) {
  VYRE_TRY(const auto pin, find<DispatchObject>(id));
  VYRE_CHECK(check_struct(out, "variant"));
  const Variant& variant = pin->dispatch.variant();
  vyre_variant filled{};
  filled.struct_size = sizeof filled;
  std::ranges::copy(variant.workgroup, filled.workgroup);
  filled.items_per_lane = variant.items_per_lane;
  filled.layout = variant.layout == ItemLayout::strided ? VYRE_STRIDED : VYRE_BLOCKED;
  filled.gang_width = variant.gang_width;
  filled.groups_per_task = variant.groups_per_task;
  *out = filled;
  return {};
}

}  // namespace
}  // namespace vyre

using namespace vyre;

vyre_code vyre_dispatch_create(vyre_kernel kernel, const vyre_binding* bindings,
                               uint64_t binding_count, const vyre_grid* grid,
                               const vyre_variant* variant, vyre_dispatch* dispatch) {
  return guarded(
      [&] { return create_dispatch(kernel, bindings, binding_count, grid, variant, dispatch); });
}

vyre_code vyre_dispatch_free(vyre_dispatch dispatch) {
  return guarded([&] { return release<DispatchObject>(dispatch); });
}

vyre_code vyre_dispatch_variant(vyre_dispatch dispatch, vyre_variant* variant) {
  return guarded([&] { return dispatch_variant(dispatch, variant); });
}

vyre_code vyre_dispatch_plan_text(vyre_dispatch dispatch, char* text, uint64_t capacity,
                                  uint64_t* length) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<DispatchObject>(dispatch));
    return give_text(plan_text(pin->dispatch.plan()), text, capacity, length);
  });
}

vyre_code vyre_dispatch_plan_json(vyre_dispatch dispatch, char* text, uint64_t capacity,
                                  uint64_t* length) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<DispatchObject>(dispatch));
    return give_text(plan_json(pin->dispatch.plan()), text, capacity, length);
  });
}

vyre_code vyre_dispatch_run(vyre_dispatch dispatch, uint64_t deadline_ns) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<DispatchObject>(dispatch));
    VYRE_CHECK(pin->session->session.run(pin->dispatch, limits_of(deadline_ns)));
    return {};
  });
}

vyre_code vyre_dispatch_submit(vyre_dispatch dispatch, uint64_t deadline_ns) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<DispatchObject>(dispatch));
    VYRE_CHECK(pin->session->session.submit(pin->dispatch, limits_of(deadline_ns)));
    return {};
  });
}

vyre_code vyre_run(vyre_kernel kernel, const vyre_binding* bindings, uint64_t binding_count,
                   const vyre_grid* grid, const vyre_variant* variant, uint64_t deadline_ns) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<KernelObject>(kernel));
    const auto begin = std::chrono::steady_clock::now();
    const RunLimits limits = limits_of(deadline_ns);
    VYRE_TRY(const Dispatch dispatch,
             prepare(*pin, bindings, binding_count, grid, variant, limits));
    VYRE_CHECK(pin->session->session.run(dispatch, limits.counted_from(begin)));
    return {};
  });
}

vyre_code vyre_dispatch_create_indirect(vyre_kernel kernel, const vyre_binding* bindings,
                                        uint64_t binding_count, const vyre_indirect_grid* grid,
                                        const vyre_variant* variant, vyre_dispatch* dispatch) {
  return guarded(
      [&] { return create_indirect(kernel, bindings, binding_count, grid, variant, dispatch); });
}

vyre_code vyre_run_indirect(vyre_kernel kernel, const vyre_binding* bindings,
                            uint64_t binding_count, const vyre_indirect_grid* grid,
                            const vyre_variant* variant, uint64_t deadline_ns) {
  return guarded([&]() -> Outcome<> {
    VYRE_TRY(const auto pin, find<KernelObject>(kernel));
    const auto begin = std::chrono::steady_clock::now();
    const RunLimits limits = limits_of(deadline_ns);
    VYRE_TRY(const Dispatch dispatch,
             prepare_indirect(*pin, bindings, binding_count, grid, variant, limits));
    VYRE_CHECK(pin->session->session.run(dispatch, limits.counted_from(begin)));
    return {};
  });
}
