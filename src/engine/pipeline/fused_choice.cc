// Whether a fused launch is faster than its stages is measured like any other choice: its variants,
// and its stages one after the other, are candidates of one search. The fingerprints of the fused
// kernel and of its stages name the search, so that each group of stages has its own evidence.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "vyre/engine/session.h"
#include "vyre/engine/tuned/tuning_internal.h"
#include "vyre/plan/fused_space.h"

namespace vyre {
namespace {

std::string group_identity(const FusedStages& stages) {
  Hasher hasher;
  hasher.update("fused stages").update(stages.fused.kernel.fingerprint);
  for (const StageLaunch& part : stages.parts) {
    hasher.update(part.kernel.fingerprint);
    for (const std::uint32_t axis : part.extent) hasher.update_u32(axis);
  }
  return to_hex(hasher.finish());
}

// Adds what a part binds to the step, and returns the step's slot for each slot of the part.
std::vector<std::uint32_t> join(LaunchStep& step, const LaunchStep& part) {
  std::vector<std::uint32_t> slots;
  for (const BoundMemory& memory : part.bindings) {
    auto found = std::ranges::find_if(step.bindings, [&](const BoundMemory& m) {
      return m.address == memory.address && m.bytes == memory.bytes;
    });
    if (found == step.bindings.end()) found = step.bindings.insert(found, memory);
    slots.push_back(static_cast<std::uint32_t>(found - step.bindings.begin()));
  }
  for (LaunchStep::Uniform uniform : part.uniforms) {
    uniform.slot = slots[uniform.slot];
    const auto found = std::ranges::find(step.uniforms, uniform.slot, &LaunchStep::Uniform::slot);
    if (found == step.uniforms.end()) {
      step.uniforms.push_back(std::move(uniform));
    } else {
      found->bytes = std::max(found->bytes, uniform.bytes);
    }
  }
  step.written.insert(step.written.end(), part.written.begin(), part.written.end());
  step.buffers.insert(step.buffers.end(), part.buffers.begin(), part.buffers.end());
  return slots;
}

std::vector<std::uint32_t> cleared_slots(LaunchStep& step, std::span<const Buffer> cleared) {
  std::vector<std::uint32_t> out;
  for (const Buffer& buffer : cleared) {
    // Found by its address alone: a larger buffer may use the same memory at another time.
    const auto found = std::ranges::find(step.bindings, buffer.address(), &BoundMemory::address);
    if (found == step.bindings.end()) continue;  // no launch uses it
    out.push_back(static_cast<std::uint32_t>(found - step.bindings.begin()));
  }
  return out;
}

}  // namespace

// The fused launch and its stages, bound and planned, for the search over both.
struct BoundStages {
  LaunchStep step;  // everything that any of the candidates binds
  LaunchSpace space;
  std::deque<TunedCandidate> candidates;
  std::string name;  // of the search
};

bool Session::may_run_apart(const FusedStages& stages) const {
  if (tuning_ == nullptr || stages.parts.size() < 2) return false;
  const TunerMode mode = tuning_options_->mode;
  if (mode == TunerMode::natural_gradient || mode == TunerMode::sweep) return true;
  if (evidence_ == nullptr) return false;
  const KernelChoice fused{stages.fused.kernel};
  PlanMemory memory = plan_memory();
  memory.exact_size = true;
  const auto key = launch_key({.identity = group_identity(stages),
                               .kernels = std::span(&fused, 1),
                               .size = DispatchSize::extent(stages.fused.extent)},
                              *plan_device_, memory);
  if (!key) return false;
  const auto match = evidence_->lookup(key->key);
  return match && match->is_answer() && runs_apart(match->state.decision());
}

// `needs` are those of the fused launch, and then of each stage.
Result<FusedSpace> Session::space_of(const FusedStages& stages, std::span<const CodeNeeds> needs,
                                     const WorkLimits& limits) const {
  std::vector<KernelChoice> kernels{{stages.fused.kernel}};
  for (const StageLaunch& part : stages.parts) kernels.push_back({part.kernel});
  const auto gangs = default_gangs(kernels);
  std::vector<std::vector<BindingBytes>> bytes;
  std::vector<LaunchRequest> requests;
  bytes.reserve(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const StageLaunch& launch = i == 0 ? stages.fused : stages.parts[i - 1];
    bytes.push_back(bytes_of(launch.bindings));
    requests.push_back({.identity = to_hex(launch.kernel.fingerprint),
                        .kernels = std::span(&kernels[i], 1),
                        .bindings = bytes.back(),
                        .size = DispatchSize::extent(launch.extent),
                        .code = code_facts(needs[i], limits)});
    if (!gangs.empty()) requests.back().default_gangs = std::span(&gangs[i], 1);
  }
  requests.front().identity = group_identity(stages);
  return plan_fused_space(requests.front(), std::span(requests).subspan(1), *plan_device_,
                          plan_memory(limits));
}

Result<BoundStages> Session::bind_stages(const FusedStages& stages,
                                         const WorkLimits& limits) const {
  const StageLaunch& fused = stages.fused;
  BoundStages out;
  VYRE_TRY(out.step, bind(fused.kernel, fused.bindings));
  out.step.size = DispatchSize::extent(fused.extent);
  std::vector<std::vector<std::uint32_t>> slots;
  std::vector<CodeNeeds> needs{{.by_value = out.step.by_value}};  // of the fused launch first
  for (const StageLaunch& part : stages.parts) {
    VYRE_TRY(const LaunchStep bound, bind(part.kernel, part.bindings));
    slots.push_back(join(out.step, bound));
    needs.push_back({.by_value = bound.by_value});
  }
  const bool wide = is_wide(out.step.bindings);
  for (CodeNeeds& n : needs) n.wide_offsets = wide;
  VYRE_TRY(FusedSpace space, space_of(stages, needs, limits));
  for (std::size_t c = 0; c < space.space.candidates.size(); ++c) {
    TunedCandidate& candidate = out.candidates.emplace_back();
    candidate.text = space.space.candidates[c].text;
    if (!space.is_apart(c)) {
      candidate.fuses = static_cast<std::uint32_t>(space.fused());
      CandidateLaunch& launch = candidate.launches.emplace_back();
      launch.kernel = fused.kernel;
      launch.variant = space.space.candidates[c].variant;
      launch.options =
          code_options(needs.front(), launch.variant, fused.extent, plan_device_->kind);
      launch.cleared = cleared_slots(out.step, fused.cleared);
      continue;
    }
    for (std::size_t i = 0; i < stages.parts.size(); ++i) {
      const StageLaunch& part = stages.parts[i];
      CandidateLaunch& launch = candidate.launches.emplace_back();
      launch.kernel = part.kernel;
      launch.variant = space.apart[c - space.fused()][i];
      launch.options = code_options(needs[i + 1], launch.variant, part.extent, plan_device_->kind);
      launch.slots = slots[i];
      if (part.extent != fused.extent) launch.extent = part.extent;
      launch.cleared = cleared_slots(out.step, part.cleared);
    }
  }
  out.space = std::move(space.space);
  // The name includes which slots are cleared and which are passed by value, because candidates
  // that differ in these are not the same.
  out.name = fmt::format("{}|{}", key_id(out.space.key), wide);
  for (const TunedCandidate& candidate : out.candidates) {
    for (const CandidateLaunch& l : candidate.launches) {
      out.name += fmt::format("|{}/{}/{}", l.slots, l.cleared, l.options.by_value);
    }
  }
  return out;
}

// Without a search, or without memory for the stages, a fused launch is planned like any other
// launch.
LaunchRequest Session::fused_request(const FusedStages& stages, const KernelChoice& only) const {
  return {.identity = tuning_ == nullptr ? to_hex(only.kernel.fingerprint) : group_identity(stages),
          .kernels = std::span(&only, 1),
          .size = DispatchSize::extent(stages.fused.extent)};
}

Result<Dispatch> Session::prepare(const FusedStages& stages, bool may_run_apart,
                                  const RunLimits& limits) const {
  const WorkLimits work = limits.for_work();
  if (!may_run_apart || tuning_ == nullptr) {
    const KernelChoice only{stages.fused.kernel};
    return prepare_launch(fused_request(stages, only), stages.fused.bindings, work);
  }
  VYRE_TRY(BoundStages bound, bind_stages(stages, work));
  LaunchStep& step = bound.step;
  VYRE_TRY(step.tuned, tuning_->find_or_tune(bound.name, work, [&] {
    return tuning_->tune(bound.space, std::move(bound.candidates), work);
  }));
  step.served = std::make_shared<ServedLaunches>();
  // `step.plan` describes the fused kernel, even where the stages serve.
  const KernelChoice only{stages.fused.kernel};
  const auto bytes = bytes_of(stages.fused.bindings);
  LaunchRequest request = fused_request(stages, only);
  request.bindings = bytes;
  const TunedCandidate& serves = step.tuned->incumbent();
  const Decided now = decided_now(*step.tuned);
  VYRE_TRY(step.plan, lay_out(request, *plan_device_, 0,
                              serves.fuses ? serves.first().variant : default_variant(only.kernel),
                              now.by, now.why, step.tuned->tuner.mode()));
  return Dispatch(std::move(step));
}

Result<std::vector<LaunchPlan>> Session::plan(const FusedStages& stages, bool may_run_apart,
                                              const RunLimits& limits) const {
  const WorkLimits work = limits.for_work();
  if (!may_run_apart || tuning_ == nullptr) {
    const KernelChoice only{stages.fused.kernel};
    const auto gangs = default_gangs(std::span(&only, 1));
    const auto bytes = bytes_of(stages.fused.bindings);
    LaunchRequest request = fused_request(stages, only);
    request.default_gangs = gangs;
    request.bindings = bytes;
    VYRE_TRY(LaunchPlan plan, plan_launch(request, *plan_device_, plan_memory(work)));
    return std::vector<LaunchPlan>{std::move(plan)};
  }
  VYRE_TRY(const BoundStages bound, bind_stages(stages, work));
  return plans_of(bound.step, bound.candidates[bound.space.start],
                  {bound.space.by, bound.space.why}, tuning_options_->mode);
}

std::optional<FusionChoice> Dispatch::fusion() const {
  if (step_.tuned == nullptr) return std::nullopt;
  const TunedKernel& t = *step_.tuned;
  if (std::ranges::none_of(t.candidates,
                           [](const TunedCandidate& c) { return c.fuses.has_value(); })) {
    return std::nullopt;
  }
  FusionChoice out{.fused = t.incumbent().fuses.has_value(),
                   .settled = t.tuner.settled(),
                   .reason = t.tuner.reason()};
  const std::uint32_t best = t.tuner.best();
  const auto view = t.tuner.view();
  for (std::uint32_t i = 0; i < view.size(); ++i) {
    const bool fused = t.candidates[i].fuses.has_value();
    if (view[i].time.ns == 0 || view[i].stage == CandidateStage::dropped) continue;
    if (fused == out.fused && i != best) continue;  // the incumbent serves, not another variant
    std::optional<CandidateTime>& time = fused ? out.fused_time : out.apart_time;
    if (!time || view[i].time.ns < time->ns) time = view[i].time;
  }
  return out;
}

}  // namespace vyre
