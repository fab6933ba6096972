// What a dispatch tells of itself.
#include <algorithm>

#include "vyre/engine/session.h"
#include "vyre/engine/tuned_internal.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/variant_space.h"

namespace vyre {

const Variant& Dispatch::variant() const {
  return tuned_ == nullptr ? plan_.variant : tuned_->candidates[tuned_->tuner.best()].variant;
}

LaunchPlan Dispatch::plan() const {
  if (tuned_ == nullptr) return plan_;
  const std::uint32_t best = tuned_->tuner.best();
  const TunedCandidate& served = tuned_->candidates[best];
  if (served.variant == plan_.variant) return plan_;
  const KernelChoice kernel{served.kernel, served.variant.overrides};
  std::vector<BindingBytes> bindings;
  for (const BoundBinding& b : plan_.bindings) {
    bindings.push_back({b.group, b.binding, b.bytes, b.planned.role != BindingRole::output});
  }
  const LaunchRequest request{
      .identity = {}, .kernels = std::span(&kernel, 1), .bindings = bindings, .size = size_};
  const bool as_planned = best == tuned_->start;
  const auto moved =
      lay_out(request, *plan_device_, 0, served.variant,
              as_planned ? tuned_->start_by : Authority::evidence,
              as_planned ? tuned_->start_why : tuned_->tuner.reason(), tuned_->tuner.mode());
  return moved ? *moved : plan_;
}

CodeSource Dispatch::code_source() const {
  return tuned_ == nullptr ? source_ : tuned_->candidates[tuned_->tuner.best()].source.load();
}

CodeFacts Dispatch::facts() const {
  if (tuned_ == nullptr) return code_->facts();
  const LoadedCode* code = tuned_->candidates[tuned_->tuner.best()].code.load();
  return code == nullptr ? CodeFacts{} : code->facts();
}

Extent Dispatch::grid() const {
  return tuned_ == nullptr ? plan_.grid
                           : grid_covering(plan_.extent, covered_by(variant(), plan_.kind));
}

std::optional<TuningView> Dispatch::tuning() const {
  if (tuned_ == nullptr) return std::nullopt;
  const TunedKernel& t = *tuned_;
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
  for (const TunedCandidate& c : t.candidates) out.variants.push_back(c.variant);
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
