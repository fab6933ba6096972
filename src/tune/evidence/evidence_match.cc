#include "vyre/tune/evidence/evidence_match.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "vyre/tune/evidence/size_axes.h"

namespace vyre {
namespace {

// The distance to a bucket is that of its largest size.
std::optional<SizeAxes> axes_of(std::string_view size) {
  if (size.starts_with("<=")) size.remove_prefix(2);
  return parse_size(size);
}

double size_distance(std::string_view a, std::string_view b) {
  constexpr double kFar = std::numeric_limits<double>::max();
  if (a == b) return 0;
  const auto left = axes_of(a);
  const auto right = axes_of(b);
  if (!left || !right || left->count != right->count) return kFar;
  double distance = 0;
  for (std::size_t i = 0; i < left->count; ++i) {
    const auto length = [](std::uint64_t value) {
      return static_cast<double>(std::max<std::uint64_t>(1, value));
    };
    distance += std::abs(std::log2(length(left->length[i]) / length(right->length[i])));
  }
  return distance;
}

std::optional<MatchKind> match_kind(const TuningKey& known, const TuningKey& wanted,
                                    std::string_view wanted_bucket) {
  if (known.program != wanted.program || known.overrides != wanted.overrides) return std::nullopt;
  if (known.device != wanted.device) return MatchKind::other_device;
  if (known.driver != wanted.driver || known.generator != wanted.generator) {
    return MatchKind::other_driver;
  }
  if (known.size == wanted.size) return MatchKind::exact;
  return size_bucket(known.size) == wanted_bucket ? MatchKind::bucket : MatchKind::other_size;
}

std::uint64_t sample_count(const KeyState& state) {
  std::uint64_t count = 0;
  for (const CandidateState& each : state.candidates) count += each.samples;
  return count;
}

}  // namespace

std::string_view to_string(MatchKind kind) {
  switch (kind) {
    case MatchKind::exact: return "exact";
    case MatchKind::bucket: return "bucket";
    case MatchKind::other_size: return "other_size";
    case MatchKind::other_driver: return "other_driver";
    case MatchKind::other_device: return "other_device";
  }
  return "unknown";
}

std::optional<Match> best_match(const KeyStates& states, const TuningKey& key) {
  const std::string bucket = size_bucket(key.size);
  // Smaller is better. States are ordered by id, which decides between equals.
  using Rank = std::tuple<MatchKind, double, std::uint64_t, std::int64_t>;
  std::optional<Rank> best_rank;
  const KeyState* best = nullptr;
  for (const auto& [id, state] : states) {
    if (state.decision().empty()) continue;
    const auto kind = match_kind(state.key, key, bucket);
    if (!kind || (best_rank && *kind > std::get<MatchKind>(*best_rank))) continue;
    const Rank rank{*kind, size_distance(state.key.size, key.size),
                    UINT64_MAX - sample_count(state), -state.last_ms};
    if (best_rank && *best_rank <= rank) continue;
    best_rank = rank;
    best = &state;
  }
  if (best == nullptr) return std::nullopt;
  return Match{std::get<MatchKind>(*best_rank), *best};
}

}  // namespace vyre
