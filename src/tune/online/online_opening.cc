#include "vyre/tune/online/online_opening.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/log.h"

namespace vyre {
namespace {

std::string describe_match(const Match& match) {
  const TuningKey& key = match.state.key;
  const std::string_view decision = match.state.decision();
  switch (match.kind) {
    case MatchKind::exact: return "decided before for this size";
    case MatchKind::bucket:
      return fmt::format("decided before for {}, which shares its choice with this size", key.size);
    case MatchKind::other_size:
      return fmt::format("hint from another size ({}): {}", key.size, decision);
    case MatchKind::other_driver:
      return fmt::format("hint from another driver or code generator ({}, {}): {}", key.driver,
                         key.generator, decision);
    case MatchKind::other_device:
      return fmt::format("hint from another device ({}): {}", key.device, decision);
  }
  return {};
}

std::optional<std::uint32_t> index_of(std::span<const std::string> candidates,
                                      std::string_view text) {
  const auto found = std::ranges::find(candidates, text);
  if (text.empty() || found == candidates.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - candidates.begin());
}

bool is_rejected(const KeyState& state, std::string_view candidate) {
  return std::ranges::any_of(state.candidates, [&](const CandidateState& c) {
    return c.candidate == candidate && !c.rejected.empty();
  });
}

}  // namespace

Opening opening_of(const EvidenceStore* store, const TuningKey& key,
                   std::span<const std::string> candidates) {
  using enum Opening::From;
  if (store == nullptr) return {};
  const std::optional<Match> match = store->lookup(key);
  const std::optional<KeyState> own = store->find(key);
  Opening out;
  if (match) {
    out.match = match->kind;
    out.text = describe_match(*match);
  } else if (own) {
    out.match = MatchKind::exact;
    out.text = "a search that was begun before goes on";
  }
  const bool answered = match && match->is_answer();
  if (answered && !match->state.pin.empty()) {
    if (const auto pin = index_of(candidates, match->state.pin)) {
      out.from = Opening::From::pin;
      out.candidate = pin;
      out.text = fmt::format("pinned: {}", match->state.pin);
      return out;
    }
    VYRE_LOG(warn, "{} is pinned to '{}', which is not among its candidates", key.name,
             match->state.pin);
    out.text = fmt::format("pinned to '{}', which is not among the candidates", match->state.pin);
  }
  if (own && !own->untunable.empty()) out.untunable = own->untunable;
  if (answered && out.untunable.empty()) out.untunable = match->state.untunable;
  if (!out.untunable.empty()) {
    out.from = untunable;
    out.text = fmt::format("not tuned: {}", out.untunable);
    return out;
  }
  if (!match) return out;
  const std::string_view decided =
      answered ? std::string_view(match->state.incumbent) : match->state.decision();
  const auto index = index_of(candidates, decided);
  if (!index || (answered && is_rejected(match->state, decided))) return out;
  out.from = answered ? evidence : hint;
  out.candidate = index;
  return out;
}

}  // namespace vyre
