// What a dispatch tells of itself.
#include <algorithm>

#include "vyre/base/arithmetic.h"
#include "vyre/engine/session.h"
#include "vyre/engine/tuned_internal.h"
#include "vyre/tune/space.h"

namespace vyre {

const Variant& Dispatch::variant() const {
  return tuned_ == nullptr ? variant_ : tuned_->candidates[tuned_->tuner.best()].variant;
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
  if (tuned_ == nullptr) return grid_;
  const Extent covers = covered_by(variant(), device_->target().kind);
  Extent out{};
  for (unsigned i = 0; i < 3; ++i) {
    out[i] = static_cast<std::uint32_t>(ceil_div<std::uint64_t>(extent_[i], covers[i]));
  }
  return out;
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
