#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "vyre/base/sort.h"
#include "vyre/engine/tuned/measure_order_internal.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

// Candidates that were measured before are measured again if they may be the best.
constexpr double kWorthAnotherLook = 1.3;

// Stands for the workgroup that follows from the overrides.
constexpr const char* kOwnWorkgroup = "own";

Configuration configuration_in_space(const SearchedCandidate& c, bool same_declared) {
  const Variant& v = c.variant;
  Configuration out;
  out.emplace_back("workgroup", !same_declared && v.workgroup == c.declared
                                    ? kOwnWorkgroup
                                    : size_text(v.workgroup));
  out.emplace_back("items", std::to_string(v.items_per_lane));
  out.emplace_back("layout", to_string(v.layout));
  out.emplace_back("gang", std::to_string(v.gang_width));
  out.emplace_back("groups", std::to_string(v.groups_per_task));
  out.emplace_back("bounds", to_string(v.bounds));
  for (const OverrideSetting& o : v.overrides) out.emplace_back(o.name, o.value);
  return out;
}

}  // namespace

std::string_view strategy_for(std::string_view wanted, std::size_t candidates, bool has_overrides) {
  if (!wanted.empty()) return wanted;
  return has_overrides && candidates > kMostSwept ? "natural" : "exhaustive";
}

Result<SearchSpace> search_space_of(std::span<const SearchedCandidate> candidates) {
  const bool same_declared = std::ranges::all_of(candidates, [&](const SearchedCandidate& c) {
    return c.declared == candidates.front().declared;
  });
  std::vector<Configuration> configurations;
  configurations.reserve(candidates.size());
  for (const SearchedCandidate& c : candidates) {
    configurations.push_back(configuration_in_space(c, same_declared));
  }
  return SearchSpace::from_configurations(configurations);
}

Result<std::unique_ptr<MeasureOrder>> MeasureOrder::make(
    std::string_view strategy, std::span<const SearchedCandidate> candidates,
    std::span<const double> prior, std::span<const CandidateView> known, std::uint32_t first,
    std::uint64_t seed) {
  auto out = std::unique_ptr<MeasureOrder>(new MeasureOrder);
  if (strategy == "exhaustive") {
    out->order_.resize(candidates.size());
    std::iota(out->order_.begin(), out->order_.end(), 0U);
    sort_stably(out->order_, [&](std::uint32_t i) { return std::pair(i != first, prior[i]); });
    return out;
  }
  VYRE_TRY(out->space_, search_space_of(candidates));
  VYRE_TRY(out->strategy_,
           make_strategy(strategy, out->space_, {.seed = seed, .prior = {}, .first = first}));
  out->known_.resize(candidates.size());
  for (std::size_t i = 0; i < known.size() && i < candidates.size(); ++i) {
    if (i == first) continue;
    out->known_[i] = {known[i].time.ns, known[i].stage == CandidateStage::dropped};
    if (out->known_[i].failed || !(known[i].time.ns > 0)) continue;
    if (out->best_known_ns_ == 0 || known[i].time.ns < out->best_known_ns_) {
      out->best_known_ns_ = known[i].time.ns;
    }
  }
  return out;
}

std::optional<Trial> MeasureOrder::next() {
  if (strategy_ != nullptr) return next_of_strategy();
  if (at_ == order_.size()) return {};
  return Trial{.configuration = order_[at_++]};
}

std::optional<Trial> MeasureOrder::next_of_strategy() {
  while (true) {
    const auto trial = strategy_->next();
    if (!trial) return {};
    const Known& known = known_[trial->configuration];
    const bool slow = known.ns > kWorthAnotherLook * best_known_ns_;
    if (!known.failed && !slow) return trial;
    ++known_used_;
    strategy_->report(*trial, known.failed ? std::nullopt : std::optional(known.ns));
  }
}

void MeasureOrder::report(const Trial& trial, std::optional<double> ns) {
  if (strategy_ == nullptr) return;
  strategy_->report(trial, ns);
}

}  // namespace vyre
