// What a dispatch tells of itself.
#include <algorithm>

#include "vyre/engine/session.h"
#include "vyre/engine/tuned_kernel_internal.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {

const Variant& Dispatch::variant() const {
  return step_.tuned == nullptr ? step_.plan.variant : step_.tuned->incumbent().first().variant;
}

LaunchPlan Dispatch::plan() const {
  if (step_.tuned == nullptr) return step_.plan;
  const std::uint32_t best = step_.tuned->tuner.best();
  const CandidateLaunch& served = step_.tuned->candidates[best].first();
  if (served.variant == step_.plan.variant) return step_.plan;
  const KernelChoice kernel{served.kernel, served.variant.overrides};
  std::vector<BindingBytes> bindings;
  for (const BoundBinding& b : step_.plan.bindings) {
    bindings.push_back({b.group, b.binding, b.bytes, b.planned.role != BindingRole::output});
  }
  const LaunchRequest request{
      .identity = {}, .kernels = std::span(&kernel, 1), .bindings = bindings, .size = step_.size};
  const bool as_planned = best == step_.tuned->start;
  const auto moved = lay_out(request, *step_.plan_device, 0, served.variant,
                             as_planned ? step_.tuned->start_by : Authority::evidence,
                             as_planned ? step_.tuned->start_why : step_.tuned->tuner.reason(),
                             step_.tuned->tuner.mode());
  return moved ? *moved : step_.plan;
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
  out.compile_ns = t.compile_ns.load();
  out.load_ns = t.load_ns.load();
  out.strategy = t.strategy;
  out.known_before = t.known_before.load();
  out.left_out = t.left_out;
  return out;
}

}  // namespace vyre
