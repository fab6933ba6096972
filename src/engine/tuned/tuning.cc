#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "vyre/base/files/private_folder.h"
#include "vyre/base/process/abandonable.h"
#include "vyre/engine/tuned/measure_order_internal.h"
#include "vyre/engine/tuned/tuning_internal.h"

namespace vyre {
namespace {

constexpr std::size_t kMostCandidates = 4096;  // while a program runs
constexpr std::chrono::milliseconds kLookAtLimits{1};
// The number of searches without a dispatch that are kept for later dispatches. What a forgotten
// search has learned is in the evidence.
constexpr std::size_t kIdleSearches = 256;

std::string overrides_text(const std::vector<OverrideSetting>& overrides) {
  std::string out;
  for (const OverrideSetting& o : overrides) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", o.name, o.value);
  }
  return out;
}

std::string overrides_of(std::span<const KernelChoice> choices) {
  std::string out;
  for (const KernelChoice& c : choices) out += "|" + overrides_text(c.overrides);
  return out;
}

}  // namespace

TuningOptions TuningOptions::from_environment() {
  TuningOptions out;
  out.mode = mode_from_environment();
  out.evidence = evidence_path();
  return out;
}

std::shared_ptr<EvidenceStore> open_evidence(const std::optional<std::filesystem::path>& path) {
  if (!path) return EvidenceStore::in_memory();
  auto store = EvidenceStore::unread(*path);
  const Result<void> read = EvidenceStore::refresh_within_time(store);
  if (read) return store;
  if (read.error().code == Code::unavailable) {
    warn_once("what was learned before is not used until its disk answers", read.error());
    return store;
  }
  warn_once("what was learned before is not used, and nothing is added to it", read.error());
  return EvidenceStore::in_memory();
}

PlanMemory plan_memory_of(const TuningOptions& options, const EvidenceStore* store,
                          const WorkLimits& limits) {
  PlanMemory out;
  out.evidence = store;
  out.decision_file = options.evidence.has_value();
  out.mode = options.mode;
  out.exact_size = options.exact_size;
  out.limits = limits;
  // If there are too many candidates for a sweep, a strategy searches among all of them.
  out.most_candidates = options.mode == TunerMode::sweep ? kMostSearched : kMostCandidates;
  return out;
}

Tuning::Tuning(TuningOptions options, std::shared_ptr<Device> device,
               std::shared_ptr<const PlanDevice> plan_device, std::shared_ptr<Queue> queue,
               std::shared_ptr<CodeStore> codes, std::shared_ptr<EvidenceStore> store)
    : options_(std::move(options)),
      costs_(device->launch_costs()),
      plan_device_(std::move(plan_device)),
      store_(std::move(store)),
      kernels_({.count = costs_.runs_beside_host ? SharedCacheLimits{}.count : kIdleSearches}),
      maker_(options_, std::move(device), std::move(queue), std::move(codes)) {}

Result<std::shared_ptr<TunedKernel>> Tuning::kernel_for(const LaunchRequest& request,
                                                        const CodeNeeds& needs,
                                                        const WorkLimits& limits) {
  VYRE_TRY(const LaunchKey key,
           launch_key(request, *plan_device_, plan_memory_of(options_, store_.get())));
  const std::string name =
      fmt::format("{}|{}|{}{}", key_id(key.key), needs.wide_offsets, fmt::join(needs.by_value, ","),
                  overrides_of(request.kernels));
  return find_or_tune(name, limits, [&] { return make_kernel_for(request, needs, limits); });
}

Result<std::shared_ptr<TunedKernel>> Tuning::find_or_tune(
    const std::string& name, const WorkLimits& limits,
    const std::function<Result<std::shared_ptr<TunedKernel>>()>& make) {
  decltype(kernels_)::Forgotten forgotten;
  std::unique_lock lock(mutex_, std::defer_lock);
  while (!lock.try_lock()) {
    if (limits.over()) return std::unexpected(over_error(limits, "compiling another kernel"));
    std::this_thread::sleep_for(kLookAtLimits);
  }
  if (auto found = kernels_.find(name)) return found;
  VYRE_TRY(auto made, make());
  return kernels_.put(name, std::move(made), 0, forgotten);
}

Result<void> Tuning::save() {
  {
    const std::scoped_lock lock(mutex_);
    kernels_.for_each([](TunedKernel& kernel) { kernel.tuner.hand_over_now(); });
  }
  return store_->flush();
}

Result<std::shared_ptr<TunedKernel>> Tuning::make_kernel_for(const LaunchRequest& request,
                                                             const CodeNeeds& needs,
                                                             const WorkLimits& limits) {
  VYRE_TRY(const LaunchSpace space,
           plan_space(request, *plan_device_, plan_memory_of(options_, store_.get(), limits)));
  std::deque<TunedCandidate> candidates;
  for (const LaunchCandidate& c : space.candidates) {
    TunedCandidate& made = candidates.emplace_back();
    made.choice = c.kernel;
    made.text = c.text;
    CandidateLaunch& launch = made.launches.emplace_back();
    launch.kernel = request.kernels[c.kernel].kernel;
    launch.variant = c.variant;
    launch.options = code_options(needs, c.variant, space.largest, plan_device_->kind);
  }
  return tune(space, std::move(candidates), limits);
}

Result<std::shared_ptr<TunedKernel>> Tuning::tune(const LaunchSpace& space,
                                                  std::deque<TunedCandidate> candidates,
                                                  const WorkLimits& limits) {
  auto out = std::make_shared<TunedKernel>(space, std::move(candidates), options_.mode,
                                           online_options(), store_, costs_);
  if (options_.mode == TunerMode::sweep) {
    const bool has_choices =
        std::ranges::any_of(out->candidates, [](const TunedCandidate& c) { return c.choice != 0; });
    // Strategies search among single variants, not among lists of launches.
    const bool has_lists = std::ranges::any_of(
        out->candidates, [](const TunedCandidate& c) { return c.launches.size() > 1; });
    out->strategy = has_lists
                        ? "exhaustive"
                        : strategy_for(options_.strategy, out->candidates.size(), has_choices);
  }
  VYRE_CHECK(maker_.make_first(*out, limits));
  return out;
}

OnlineOptions Tuning::online_options() const {
  OnlineOptions online;
  online.share = options_.share;
  online.allowance_ns = options_.allowance_ns;
  online.least_gain = options_.least_gain;
  online.clock_tick_ns = costs_.clock_tick_ns;
  online.timing_ns = costs_.timing_ns;
  online.timing_bias_ns = costs_.timing_bias_ns;
  online.timing_doubt_ns = costs_.timing_doubt_ns;
  online.needs_code = true;
  online.makes_beside = costs_.runs_beside_host;
  if (online.makes_beside) online.most_making = maker_.threads();
  online.making_ns = costs_.load_ns;
  online.least_verification_ns = costs_.compare_ns;
  online.needs_verification = true;
  return online;
}

void Tuning::tell(const TunedCall& call) const {
  if (options_.observer.call) options_.observer.call(call);
}

void Tuning::tell(const TunerSpan& span) const {
  if (options_.observer.span) options_.observer.span(span);
}

}  // namespace vyre
