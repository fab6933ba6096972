#include "vyre/plan/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "vyre/ir/slots.h"
#include "vyre/plan/bindings/extent_volume.h"
#include "vyre/plan/code_check.h"
#include "vyre/plan/decision_lookup.h"
#include "vyre/plan/kernel_facts.h"
#include "vyre/plan/model/program_work.h"
#include "vyre/plan/variants/declared_variant.h"
#include "vyre/plan/variants/variant_legality.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

// With more settings of overrides than this, only the declared variant of each is a candidate while
// a program runs.
constexpr std::size_t kFewKernels = 32;
// The model is trusted only for gains larger than its own errors, and only for variants whose items
// fit into registers: at most this many 32-bit words that a lane loads or stores.
constexpr double kSureGain = 0.9;
constexpr double kSureWords = 64;

std::uint32_t default_gang(const LaunchRequest& request, std::size_t kernel) {
  return kernel < request.default_gangs.size() ? request.default_gangs[kernel] : 1;
}

Extent rounded_up(const Extent& extent) {
  Extent out{};
  for (unsigned i = 0; i < 3; ++i) {
    std::uint32_t most = 1;
    while (most < extent[i] && most < 0x80000000U) most *= 2;
    out[i] = std::max(most, extent[i]);
  }
  return out;
}

double bound_bytes(const LaunchRequest& request) {
  double bytes = 0;
  for (const BindingBytes& b : request.bindings) bytes += static_cast<double>(b.bytes);
  return bytes;
}

// Collects the candidates of all kernels of a request.
class SpaceBuilder {
 public:
  SpaceBuilder(const LaunchRequest& request, const PlanDevice& device, const PlanMemory& memory,
               LaunchSpace& out)
      : request_(request), device_(device), memory_(memory), out_(out) {
    declared_alone_ = memory.mode != TunerMode::sweep && request.kernels.size() > kFewKernels;
    slots_ = slots_of(*request.kernels.front().kernel.program).size();
    if (memory.evidence != nullptr) {
      if (const auto match = memory.evidence->lookup(out.key)) decided_ = match->state.decision();
    }
  }

  Result<void> add(std::size_t index, const Extent& extent) {
    const KernelChoice& choice = request_.kernels[index];
    const Kernel& kernel = choice.kernel;
    SpaceRequest space;
    space.kind = device_.kind;
    space.usual = declared_variant(kernel, default_gang(request_, index), device_);
    space.usual.overrides = choice.overrides;
    space.declared = kernel.program->workgroup;
    space.extent = out_.largest;
    space.shape_is_fixed = request_.size.in_workgroups;
    space.limits = device_.limits;
    space.why_not = [&](const Variant& v) {
      return why_not(kernel, v, device_.kind, device_.limits);
    };
    if (const std::string why = space.why_not(space.usual); !why.empty()) {
      // Some values of searched overrides make the program too large.
      if (request_.kernels.size() > 1) return {};
      return fail(Code::invalid_input,
                  fmt::format("kernel '{}' cannot run as {}: {}", kernel.program->name,
                              to_string(space.usual), why));
    }
    if (slots_of(*kernel.program).size() != slots_) return {};
    std::vector<Variant> variants = variant_space(space);
    if (request_.kernels.size() > 1 &&
        variants.size() * request_.kernels.size() > memory_.most_candidates) {
      declared_alone_ = true;
    }
    if (declared_alone_) {
      left_out_ += std::erase_if(
          variants, [&](const Variant& v) { return v != space.usual && !is_decided(v); });
    }
    CostFacts facts = cost_facts_of(kernel, device_.kind, extent, bound_bytes(request_));
    facts.usual = space.usual;
    if (device_.kind == TargetKind::host) facts.usual.gang_width = default_gang(request_, index);
    const std::vector<double> costs = expected_ns_of(facts, device_.profile, variants);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      add_candidate(index, std::move(variants[i]), costs[i], space.usual);
    }
    return {};
  }

  void finish() {
    if (left_out_ == 0) return;
    out_.left_out = fmt::format(
        "{} of {} candidates: with this many settings of overrides only the declared variants, and "
        "at most {}, are tried{}",
        left_out_, left_out_ + out_.candidates.size(), memory_.most_candidates,
        memory_.mode == TunerMode::sweep ? "" : " while a program runs");
  }

 private:
  bool is_decided(const Variant& v) const {
    return !decided_.empty() && to_string(configuration_of(v, device_.kind)) == decided_;
  }

  void add_candidate(std::size_t kernel, Variant variant, double expected_ns,
                     const Variant& usual) {
    if (out_.candidates.size() >= memory_.most_candidates && !is_decided(variant)) {
      ++left_out_;
      return;
    }
    const bool as_declared = variant == usual;
    LaunchCandidate& candidate = out_.candidates.emplace_back();
    candidate.kernel = kernel;
    candidate.text = to_string(configuration_of(variant, device_.kind));
    candidate.variant = std::move(variant);
    candidate.expected_ns = expected_ns;
    if (as_declared && !out_.declared) {
      out_.declared = static_cast<std::uint32_t>(out_.candidates.size() - 1);
    }
  }

  const LaunchRequest& request_;
  const PlanDevice& device_;
  const PlanMemory& memory_;
  LaunchSpace& out_;
  bool declared_alone_ = false;
  std::size_t slots_ = 0, left_out_ = 0;
  std::string decided_;
};

// ---- The order of authority: each function is one rung, and says whether it decides.

struct Decision {
  std::uint32_t candidate = 0;
  Authority by = Authority::declared;
  std::string why;
};

std::optional<Decision> by_decision_file(const LaunchRequest& request, const PlanDevice& device,
                                         const PlanMemory& memory, const LaunchSpace& space) {
  if (!memory.decision_file || request.kernels.size() != 1 || request.size.in_workgroups) {
    return std::nullopt;
  }
  const Adapter adapter = adapter_of(device);
  const auto workgroup =
      decided_workgroup(adapter, request.kernels.front().kernel, request.size.value, memory.limits);
  if (!workgroup) return std::nullopt;
  Variant wanted = space.candidates[space.declared.value_or(0)].variant;
  wanted.workgroup = *workgroup;
  const auto found = std::ranges::find(space.candidates, wanted, &LaunchCandidate::variant);
  if (found == space.candidates.end() || found->kernel == kOtherKernels) return std::nullopt;
  return Decision{static_cast<std::uint32_t>(found - space.candidates.begin()),
                  Authority::decision_file,
                  fmt::format("decided in {}", adapter.decisions.string())};
}

// The model cannot predict loops of unknown length, atomics, and loads at loaded indices.
std::optional<Decision> by_model(const LaunchRequest& request, const PlanDevice& device,
                                 const LaunchSpace& space) {
  if (!space.declared) return std::nullopt;
  const LaunchCandidate& declared = space.candidates[*space.declared];
  const Kernel& kernel = request.kernels[declared.kernel].kernel;
  const CostFacts facts = cost_facts_of(kernel, device.kind, space.largest, bound_bytes(request));
  if (facts.loops || facts.atomics || facts.scattered || facts.in_place) return std::nullopt;
  const double words = (facts.loaded_bytes + facts.stored_bytes) / 4;
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < space.candidates.size(); ++i) {
    const LaunchCandidate& c = space.candidates[i];
    if (c.kernel != declared.kernel) continue;
    if (c.variant.items_per_lane > 1 && words * c.variant.items_per_lane > kSureWords) continue;
    if (!best || c.expected_ns < space.candidates[*best].expected_ns) best = i;
  }
  if (!best) return std::nullopt;
  const double share = space.candidates[*best].expected_ns / declared.expected_ns;
  if (share > kSureGain) return std::nullopt;
  return Decision{*best, Authority::model,
                  fmt::format("the model expects {:.2f} of the declared variant's time", share)};
}

// Why a search has dropped the candidate before, for this key; empty: it has not.
std::string why_dropped(const std::optional<KeyState>& known, std::string_view candidate) {
  if (!known) return {};
  const auto found = std::ranges::find(known->candidates, candidate, &CandidateState::candidate);
  if (found == known->candidates.end() || found->rejected.empty()) return {};
  return fmt::format("it was dropped before: {}", found->rejected);
}

Decision decide(const LaunchRequest& request, const PlanDevice& device, const PlanMemory& memory,
                const LaunchSpace& space) {
  std::vector<std::string> texts;
  for (const LaunchCandidate& c : space.candidates) texts.push_back(c.text);
  const Opening opening = opening_of(memory.evidence, space.key, texts);
  if (opening.from == Opening::From::evidence) {
    return {*opening.candidate, Authority::evidence, opening.text};
  }
  Decision declared{space.declared.value_or(0), Authority::declared, "as declared"};
  if (opening.from == Opening::From::untunable) {
    declared.why = opening.text;
    return declared;
  }
  const std::optional<KeyState> known =
      memory.evidence != nullptr ? memory.evidence->find(space.key) : std::nullopt;
  // Whether nothing speaks against a decision. If something does, the plan says what.
  const auto serves = [&](const std::optional<Decision>& d) {
    if (!d) return false;
    const std::string& text = space.candidates[d->candidate].text;
    const bool is_pin = d->by == Authority::pin;
    std::string why = is_pin ? std::string() : why_dropped(known, text);
    if (why.empty()) {
      why = is_pin ? why_not_loaded(request, space, d->candidate)
                   : why_not_guessed(request, space, d->candidate);
    }
    if (!why.empty()) {
      declared.why = fmt::format("as declared, not {} ({}): {}", text, to_string(d->by), why);
    }
    return why.empty();
  };
  if (opening.from == Opening::From::pin) {
    const Decision pin{*opening.candidate, Authority::pin, opening.text};
    return serves(pin) ? pin : declared;
  }
  if (auto file = by_decision_file(request, device, memory, space); serves(file)) return *file;
  if (memory.mode != TunerMode::natural_gradient && memory.mode != TunerMode::sweep) {
    return declared;
  }
  if (opening.from == Opening::From::hint) {
    const Decision hint{*opening.candidate, Authority::hint, opening.text};
    if (serves(hint)) return hint;
  }
  if (auto model = by_model(request, device, space); serves(model)) return *model;
  return declared;
}

// If only the limits of the device are known, the specification's cold start decides.
Result<LaunchPlan> plan_by_limits(const LaunchRequest& request, const PlanDevice& device,
                                  const PlanMemory& memory) {
  const Kernel& kernel = request.kernels.front().kernel;
  VYRE_TRY(const Extent extent, extent_of(request));
  DispatchConfig config;
  if (request.size.in_workgroups) config.grid_override = request.size.value;
  LaunchFeedback feedback;
  const WorkgroupChoice choice =
      resolve_workgroup(facts_of(kernel), config, adapter_of(device),
                        volume_in_32_bits(extent).value_or(0), memory.mode, feedback);
  Variant variant = declared_variant(kernel, default_gang(request, 0), device);
  variant.workgroup = choice.workgroup;
  switch (choice.source) {
    case WorkgroupSource::stored:
    case WorkgroupSource::measured:
      return lay_out(request, device, 0, variant, Authority::decision_file,
                     "decided by an earlier run", memory.mode);
    case WorkgroupSource::cold_start:
      return lay_out(request, device, 0, variant, Authority::cold_start,
                     "cheapest by the specification's cost table", memory.mode);
    default:
      return lay_out(request, device, 0, variant, Authority::declared, "as declared", memory.mode);
  }
}

}  // namespace

Result<LaunchKey> launch_key(const LaunchRequest& request, const PlanDevice& device,
                             const PlanMemory& memory) {
  VYRE_TRY(const Extent extent, extent_of(request));
  LaunchKey out{tuning_key_of(device, request.identity,
                              request.kernels.front().kernel.program->name, extent,
                              request.size.in_workgroups)};
  const auto known = memory.evidence ? memory.evidence->find(out.key) : std::nullopt;
  out.exact =
      memory.exact_size || (known && !(known->decision().empty() && known->untunable.empty()));
  if (!out.exact) out.key = bucket_key(std::move(out.key));
  return out;
}

Result<LaunchSpace> candidate_space(const LaunchRequest& request, const PlanDevice& device,
                                    const PlanMemory& memory) {
  const Extent& declared = request.kernels.front().kernel.program->workgroup;
  for (const KernelChoice& c : request.kernels) {
    if (request.size.in_workgroups && c.kernel.program->workgroup != declared) {
      return fail(Code::invalid_input,
                  "the overrides change the workgroup, so a number of workgroups is no size",
                  "give the size in invocations");
    }
  }
  LaunchSpace out;
  VYRE_TRY(LaunchKey key, launch_key(request, device, memory));
  VYRE_TRY(const Extent extent, extent_of(request));
  out.key = std::move(key.key);
  out.exact = key.exact;
  out.largest = out.exact ? extent : rounded_up(extent);
  SpaceBuilder builder(request, device, memory, out);
  for (std::size_t i = 0; i < request.kernels.size(); ++i) VYRE_CHECK(builder.add(i, extent));
  builder.finish();
  if (out.candidates.empty()) {
    return fail(Code::invalid_input,
                fmt::format("no setting of the overrides gives a kernel '{}' that {} can run",
                            request.kernels.front().kernel.program->name, device.name));
  }
  return out;
}

void decide_start(const LaunchRequest& request, const PlanDevice& device, const PlanMemory& memory,
                  LaunchSpace& space) {
  Decision decision = decide(request, device, memory, space);
  space.start = decision.candidate;
  space.by = decision.by;
  space.why = std::move(decision.why);
}

Result<LaunchSpace> plan_space(const LaunchRequest& request, const PlanDevice& device,
                               const PlanMemory& memory) {
  VYRE_TRY(LaunchSpace out, candidate_space(request, device, memory));
  decide_start(request, device, memory, out);
  return out;
}

Result<LaunchPlan> plan_launch(const LaunchRequest& request, const PlanDevice& device,
                               const PlanMemory& memory) {
  if (request.fixed.any()) {
    const Variant declared =
        declared_variant(request.kernels.front().kernel, default_gang(request, 0), device);
    return lay_out(request, device, 0, request.fixed.applied_to(declared), Authority::caller,
                   "fixed by the caller", memory.mode);
  }
  if (request.grid_in_buffer) {
    return lay_out(
        request, device, 0,
        declared_variant(request.kernels.front().kernel, default_gang(request, 0), device),
        Authority::declared, "as declared: its grid is read from a buffer", memory.mode);
  }
  if (device.limits_alone) return plan_by_limits(request, device, memory);
  VYRE_TRY(const LaunchSpace space, plan_space(request, device, memory));
  const LaunchCandidate& first = space.candidates[space.start];
  return lay_out(request, device, first.kernel, first.variant, space.by, space.why, memory.mode);
}

}  // namespace vyre
