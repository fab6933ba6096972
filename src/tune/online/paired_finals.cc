#include "vyre/tune/online/paired_finals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vyre {
namespace {

constexpr double kConfidence = 0.99;  // of the interval in messages
const double kEnoughToDrop = std::log(5);
constexpr std::size_t kLookPairs = 32;   // after each of which a finalist must seem to gain
constexpr std::size_t kFewestPairs = 5;  // before a finalist is named in a message

}  // namespace

std::string finals_words(const FinalsResult& result, std::span<const std::string> texts,
                         std::size_t others) {
  if (result.proved) {
    return paired_words(result.gain, result.pairs, texts[result.favourite]);
  }
  if (result.winner != result.favourite) {
    return fmt::format("{} was dropped", texts[result.favourite]);
  }
  std::string closest;
  if (result.closest) {
    closest = fmt::format("the closest is {}, {}", texts[*result.closest],
                          paired_words(result.gain, result.pairs));
  }
  if (result.undecided) {
    return fmt::format("not enough calls to tell{}{}", closest.empty() ? "" : ": ", closest);
  }
  return fmt::format("no other of {} was faster beyond the noise{}{}", others,
                     closest.empty() ? "" : "; ", closest);
}

EarlierFinals earlier_finals(const std::optional<KeyState>& known,
                             std::span<const std::string> texts, std::uint32_t favourite) {
  EarlierFinals out;
  if (!known) return out;
  out.begun = known->finals;
  for (const CandidateState& state : known->candidates) {
    if (state.compared_with != texts[favourite] || state.log_ratios.empty()) continue;
    const auto found = std::ranges::find(texts, state.candidate);
    if (found == texts.end()) continue;
    out.comparisons.push_back({.candidate = static_cast<std::uint32_t>(found - texts.begin()),
                               .number = std::max(state.final, 1U),
                               .log_ratios = state.log_ratios});
  }
  return out;
}

PairedFinals::PairedFinals(std::uint32_t favourite, std::vector<std::uint32_t> finalists,
                           FinalsOptions options, EarlierFinals earlier)
    : favourite_(favourite), options_(options), coin_(options.seed), begun_(earlier.begun) {
  for (const std::uint32_t candidate : finalists) {
    if (candidate == favourite) continue;
    Final& final = finals_.emplace_back(Final{.candidate = candidate});
    for (const auto& [its_candidate, number, log_ratios] : earlier.comparisons) {
      if (its_candidate != candidate) continue;
      for (const int log_ratio : log_ratios) final.versus.add(log_ratio);
      final.number = number;
      final.known = log_ratios.size();
    }
  }
  if (!finals_.empty()) judge();
}

std::optional<std::uint32_t> PairedFinals::next() {
  if (finished()) return std::nullopt;
  if (!pair_) {
    const std::uint32_t challenger = finals_[at_].candidate;
    if (finals_[at_].number == 0) finals_[at_].number = ++begun_;
    const bool challenger_first = coin_.toss();
    pair_ = Pair{.order = {challenger_first ? challenger : favourite_,
                           challenger_first ? favourite_ : challenger}};
  }
  if (pair_->asked == 2) return std::nullopt;
  return pair_->order[pair_->asked++];
}

void PairedFinals::report(std::uint32_t candidate, double ns) {
  if (!pair_ || !(ns > 0) || !std::isfinite(ns)) return;
  for (unsigned i = 0; i < 2; ++i) {
    if (pair_->order[i] == candidate && pair_->ns[i] == 0) pair_->ns[i] = ns;
  }
  if (pair_->ns[0] == 0 || pair_->ns[1] == 0) return;
  const bool challenger_first = pair_->order[0] != favourite_;
  finals_[at_].versus.add(pair_->ns[challenger_first ? 1 : 0], pair_->ns[challenger_first ? 0 : 1]);
  pair_.reset();
  judge();
}

void PairedFinals::abandon() { pair_.reset(); }

void PairedFinals::take_back(std::uint32_t candidate) {
  if (pair_ && pair_->asked > 0 && pair_->order[pair_->asked - 1] == candidate) --pair_->asked;
}

void PairedFinals::drop(std::uint32_t candidate) {
  if (candidate == favourite_) over_ = true;
  for (std::size_t i = 0; i < finals_.size(); ++i) {
    if (finals_[i].candidate != candidate) continue;
    finals_[i].out = true;
    if (proved_ == i) proved_.reset();
  }
  const std::size_t before = at_;
  if (!over_) judge();
  if (over_ || at_ != before) pair_.reset();
}

// Ends the finals if the present finalist is proved faster, and goes on to the next one if it is
// not or had all its pairs. Pairs of earlier searches alone may tell.
void PairedFinals::judge() {
  while (at_ < finals_.size()) {
    Final& final = finals_[at_];
    if (final.out) {
      ++at_;
      continue;
    }
    const PairedComparison& versus = final.versus;
    if (versus.pairs() == 0) return;
    const double n = double(final.number);
    const double enough = std::log(n * (n + 1) / options_.error);
    if (versus.evidence_above(options_.doubt) >= enough && versus.gain() >= options_.least_gain) {
      proved_ = at_;
      over_ = true;
      return;
    }
    const std::size_t now = pairs_now(final);
    const bool seems_worse = now > 0 && now % kLookPairs == 0 && versus.gain() < 0;
    const bool gains_less = versus.evidence_below(options_.least_gain) >= kEnoughToDrop;
    // The evidence keeps no more pairs of one comparison than that.
    const bool has_all = now >= options_.most_pairs || versus.pairs() >= kMostComparedPairs;
    final.undecided = !seems_worse && !gains_less && has_all;
    if (!seems_worse && !gains_less && !final.undecided) return;
    ++at_;
  }
}

FinalsResult PairedFinals::result() const {
  FinalsResult out{.winner = favourite_, .favourite = favourite_, .undecided = !finished()};
  const Final* told = nullptr;
  for (const Final& final : finals_) {
    if (final.out || final.versus.pairs() == 0) continue;
    out.undecided = out.undecided || final.undecided;
    const auto rank = [](const Final& it) {
      return std::pair(it.versus.pairs() >= kFewestPairs, it.versus.gain());
    };
    if (told == nullptr || rank(*told) < rank(final)) told = &final;
  }
  if (proved_) {
    told = &finals_[*proved_];
    out.winner = told->candidate;
    out.proved = true;
    out.undecided = false;
  } else if (told != nullptr) {
    out.closest = told->candidate;
  }
  if (told == nullptr) return out;
  out.gain = told->versus.interval(kConfidence);
  out.pairs = told->versus.pairs();
  return out;
}

std::vector<EvidenceEvent> PairedFinals::events(std::span<const std::string> texts) const {
  std::vector<EvidenceEvent> out;
  for (const Final& final : finals_) {
    if (final.out || pairs_now(final) == 0) continue;
    const auto& all = final.versus.log_ratios();
    out.push_back(
        {.kind = EventKind::compared,
         .candidate = texts[final.candidate],
         .over = texts[favourite_],
         .log_ratios = {all.begin() + static_cast<std::ptrdiff_t>(final.known), all.end()},
         .final = final.number});
  }
  return out;
}

void hold_finals(PairedFinals& finals, std::vector<std::vector<double>>& times,
                 const std::function<std::optional<double>(std::uint32_t)>& time,
                 const std::function<bool()>& is_over) {
  while (!is_over()) {
    const auto candidate = finals.next();
    if (!candidate) return;
    const auto ns = time(*candidate);
    if (!ns) {
      finals.drop(*candidate);
    } else if (*ns <= 0) {
      finals.abandon();
    } else {
      times[*candidate].push_back(*ns);
      finals.report(*candidate, *ns);
    }
  }
}

}  // namespace vyre
