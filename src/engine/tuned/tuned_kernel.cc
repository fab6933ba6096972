#include <algorithm>
#include <map>
#include <set>

#include "vyre/engine/tuned/tuned_kernel_internal.h"
#include "vyre/plan/bindings/extent_volume.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

constexpr std::uint64_t kManyGroups = std::uint64_t{1} << 24;

// The text and the expected time of each candidate.
std::vector<OnlineCandidate> online_candidates(const LaunchSpace& space) {
  std::vector<OnlineCandidate> out;
  for (const LaunchCandidate& c : space.candidates) out.push_back({c.text, c.expected_ns});
  return out;
}

std::vector<double> expected_times(const LaunchSpace& space) {
  std::vector<double> out;
  for (const LaunchCandidate& c : space.candidates) out.push_back(c.expected_ns);
  return out;
}

OnlineOptions with_declared(OnlineOptions options, std::optional<std::uint32_t> declared) {
  options.declared = declared;
  return options;
}

}  // namespace

bool has_many_groups(const Extent& grid) { return volume(grid) > double(kManyGroups); }

bool has_many_groups(const Variant& variant, const Extent& extent, TargetKind kind) {
  return has_many_groups(grid_covering(extent, covered_by(variant, kind)));
}

CodeOptions code_options(const CodeNeeds& needs, const Variant& variant, const Extent& largest,
                         TargetKind kind) {
  return {.wide_offsets = needs.wide_offsets,
          .check_at_start = has_many_groups(variant, largest, kind),
          .by_value = needs.by_value};
}

TunedKernel::TunedKernel(const LaunchSpace& space, std::deque<TunedCandidate> made, TunerMode mode,
                         const OnlineOptions& options, std::shared_ptr<EvidenceStore> store,
                         const LaunchCosts& costs)
    : candidates(std::move(made)),
      prior(expected_times(space)),
      start(space.start),
      start_by(space.by),
      start_why(space.why),
      declared(space.declared),
      left_out(space.left_out),
      tuner(space.key, online_candidates(space), space.start, mode,
            with_declared(options, space.declared), std::move(store)),
      settled_before(tuner.settled()),
      written(written_by(candidates)),
      load_ns(costs.load_ns),
      items_(std::max(1.0, volume(space.largest))),
      exact_(space.exact) {
  if (space.by == Authority::decision_file || space.by == Authority::model) {
    tuner.began_with(space.why);
  }
  tuner.set_attention(kToSweep, mode == TunerMode::sweep);
}

bool TunedCandidate::is_made() const {
  return std::ranges::all_of(launches,
                             [](const CandidateLaunch& l) { return l.code.get() != nullptr; });
}

std::vector<WrittenSlot> written_by(const std::deque<TunedCandidate>& candidates) {
  std::vector<WrittenSlot> out;
  std::map<std::uint32_t, std::size_t> writers;  // by slot
  std::size_t differing = 0;
  const TunedCandidate* before = nullptr;
  for (const TunedCandidate& c : candidates) {
    const auto same = [](const CandidateLaunch& a, const CandidateLaunch& b) {
      return a.kernel.program == b.kernel.program && a.slots == b.slots;
    };
    if (before != nullptr && std::ranges::equal(c.launches, before->launches, same)) continue;
    before = &c;
    ++differing;
    std::set<std::uint32_t> slots;
    for (const CandidateLaunch& launch : c.launches) {
      for (WrittenSlot w : written_slots(launch.kernel)) {
        if (!launch.slots.empty()) w.slot = launch.slots[w.slot];
        if (!slots.insert(w.slot).second) continue;
        if (++writers[w.slot] == 1) out.push_back(w);
      }
    }
  }
  for (WrittenSlot& w : out) w.is_result = writers[w.slot] == differing;
  return out;
}

double TunedKernel::scale_for(const Extent& extent) const {
  return exact_ ? 1 : items_ / std::max(volume(extent), 1.0);
}

}  // namespace vyre
