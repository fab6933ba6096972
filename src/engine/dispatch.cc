// Information about a dispatch, and the plans of its launches.
#include <fmt/format.h>

#include <algorithm>

#include "vyre/engine/session.h"
#include "vyre/engine/tuned/tuned_kernel_internal.h"
#include "vyre/ir/slots.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {

std::vector<BindingBytes> bytes_of(std::span<const Binding> bindings) {
  std::vector<BindingBytes> out;
  for (const Binding& b : bindings) {
    const std::uint64_t bytes = b.bytes.value_or(b.buffer.size() - b.offset);
    out.push_back({b.group, b.binding, bytes, b.initialised});
  }
  return out;
}

Decided decided_now(const TunedKernel& t) {
  const std::uint32_t best = t.tuner.best();
  if (best != t.start) {
    const std::vector<CandidateView> all = t.tuner.view();
    const CandidateView& start = all[t.start];
    const bool is_decided = t.tuner.settled() && all[best].time.ns != 0;
    if (best == t.declared && start.stage == CandidateStage::dropped && !is_decided) {
      return {Authority::declared, fmt::format("{} was dropped: {}", start.text, start.dropped)};
    }
    return {Authority::evidence, t.tuner.reason()};
  }
  if (t.settled_before || !t.tuner.settled()) return {t.start_by, t.start_why};
  const bool untunable = !t.tuner.untunable().empty();
  return {untunable ? Authority::declared : Authority::evidence, t.tuner.reason()};
}

Result<std::vector<LaunchPlan>> plans_of(const LaunchStep& step, const TunedCandidate& candidate,
                                         const Decided& decided, TunerMode mode) {
  // Which buffers the caller has not written. Stages of a fused launch find all of theirs written.
  const auto is_output = [&](const Global& global) {
    return candidate.launches.size() == 1 &&
           std::ranges::any_of(step.plan.bindings, [&](const BoundBinding& b) {
             return b.group == global.group && b.binding == global.binding &&
                    b.planned.role == BindingRole::output;
           });
  };
  std::vector<LaunchPlan> out;
  for (const CandidateLaunch& launch : candidate.launches) {
    const Program& program = *launch.kernel.program;
    const KernelChoice kernel{launch.kernel, launch.variant.overrides};
    std::vector<BindingBytes> bindings;
    for (const GlobalId id : slots_of(program)) {
      const std::size_t own = bindings.size();
      const std::size_t slot = launch.slots.empty() ? own : launch.slots[own];
      bindings.push_back({program[id].group, program[id].binding, step.bindings[slot].bytes,
                          !is_output(program[id])});
    }
    const DispatchSize size = launch.extent ? DispatchSize::extent(*launch.extent) : step.size;
    VYRE_TRY(
        out.emplace_back(),
        lay_out(
            {.identity = {}, .kernels = std::span(&kernel, 1), .bindings = bindings, .size = size},
            *step.plan_device, 0, launch.variant, decided.by, decided.why, mode));
  }
  return out;
}

const Variant& Dispatch::variant() const {
  return step_.tuned == nullptr ? step_.plan.variant : step_.tuned->incumbent().first().variant;
}

LaunchPlan Dispatch::plan() const { return plans().front(); }

std::vector<LaunchPlan> Dispatch::plans() const {
  if (step_.tuned == nullptr) return {step_.plan};
  const TunedKernel& t = *step_.tuned;
  auto out = plans_of(step_, t.incumbent(), decided_now(t), t.tuner.mode());
  return out && !out->empty() ? *std::move(out) : std::vector{step_.plan};
}

CodeSource Dispatch::code_source() const {
  return step_.tuned == nullptr ? step_.source : step_.tuned->incumbent().first().code.source();
}

CodeFacts Dispatch::facts() const {
  if (step_.tuned == nullptr) return step_.code->facts();
  const LoadedCode* code = step_.tuned->incumbent().first().code.get();
  return code == nullptr ? CodeFacts{} : code->facts();
}

Extent Dispatch::grid() const {
  return step_.tuned == nullptr
             ? step_.plan.grid
             : grid_covering(step_.plan.extent, covered_by(variant(), step_.plan.kind));
}

std::optional<TuningView> Dispatch::tuning() const {
  if (step_.tuned == nullptr) return std::nullopt;
  const TunedKernel& t = *step_.tuned;
  TuningView out;
  out.key = t.tuner.key();
  out.mode = t.tuner.mode();
  out.origin = t.tuner.origin();
  out.reason = t.tuner.reason();
  out.untunable = t.tuner.untunable();
  out.settled = t.tuner.settled();
  out.start = t.start;
  out.incumbent = t.tuner.best();
  out.declared = t.declared;
  for (const TunedCandidate& c : t.candidates) out.variants.push_back(c.first().variant);
  out.candidates = t.tuner.view();
  out.prior_ns = t.prior;
  out.ledger = t.tuner.ledger();
  out.compile_ns = t.compile_cost.compile_ns();
  out.load_ns = t.load_ns.load();
  out.strategy = t.strategy;
  out.known_before = t.known_before.load();
  out.left_out = t.left_out;
  return out;
}

}  // namespace vyre
