#include "vyre/tune/online/race.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <utility>

#include "vyre/base/sort.h"

namespace vyre {
namespace {

struct Stage {
  double near;       // entrants slower than this multiple of the best so far leave the race
  std::size_t most;  // the number of entrants that stay
  unsigned least_rounds, rounds;
};

constexpr std::array<Stage, 4> kStages{
    {{1.5, 32, 2, 4}, {1.2, 16, 2, 8}, {1.08, 8, 3, 16}, {1.05, 6, 5, 96}}};

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * double(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

constexpr double kBetter = 0.25;  // an entrant is judged by this share of its rounds
// An entrant whose shortest time exceeds that of the best one by more than this factor is judged
// slower by the whole factor.
constexpr double kFarBehind = 1.15;
constexpr unsigned kLookEvery = 24;  // rounds between two looks at whether the race is decided
// The race is decided if the two best are kApart standard errors apart, or if the standard error of
// their ratio is below kKnown.
constexpr double kKnown = 0.003, kApart = 4;

class Runner {
 public:
  Runner(std::vector<std::vector<double>>& times, std::uint32_t favourite, const TimeEntrant& time,
         const RaceOptions& options, const std::function<bool()>& is_over)
      : times_(times), favourite_(favourite), time_(time), options_(options), is_over_(is_over) {
    for (std::uint32_t i = 0; i < times.size(); ++i) {
      if (!times[i].empty()) field_.push_back(i);
    }
    figures_.resize(times.size());
    for (const std::uint32_t i : field_) figures_[i] = least_of(i);
  }

  RaceResult run() {
    RaceResult out;
    for (const Stage& stage : kStages) {
      narrow(stage);
      if (&stage == kStages.data()) out.entrants = field_.size();
      if (field_.size() < 2) break;
      if (!hold(stage)) break;
    }
    out.rounds = rounds_.size();
    out.ranking = field_;
    sort_stably(out.ranking, figure());
    const auto favourite = std::ranges::find(out.ranking, favourite_);
    out.ranking.erase(favourite, out.ranking.end());
    return out;
  }

 private:
  double least_of(std::uint32_t i) const { return std::ranges::min(times_[i]); }

  std::function<double(std::uint32_t)> figure() const {
    return [this](std::uint32_t i) { return figures_[i]; };
  }

  // The favourite stays, because the others are compared with it in the end.
  void narrow(const Stage& stage) {
    if (field_.empty()) return;
    sort_stably(field_, [&](std::uint32_t i) { return std::pair(i != favourite_, figures_[i]); });
    const double best = std::ranges::min(field_ | std::views::transform(figure()));
    std::erase_if(field_, [&](std::uint32_t i) {
      return figures_[i] > stage.near * best && i != favourite_;
    });
    if (field_.size() > stage.most) field_.resize(stage.most);
  }

  // Whether the race continues.
  bool hold(const Stage& stage) {
    double round_ns = 0;
    for (const std::uint32_t i : field_) round_ns += std::max(options_.sample_ns, figures_[i]);
    const double rounds =
        std::clamp(options_.stage_ns / round_ns, double(stage.least_rounds), double(stage.rounds));
    for (unsigned round = 0; round < static_cast<unsigned>(rounds); ++round) {
      if (is_over_() || field_.size() < 2) break;
      hold_round();
      if (round % kLookEvery == kLookEvery - 1 && is_clear()) break;
    }
    judge();
    return !is_over_();
  }

  // Whether the two best differ clearly, or are known so well that more rounds tell nothing.
  bool is_clear() {
    judge();
    sort_stably(field_, figure());
    std::vector<double> shares;
    for (const std::vector<double>& round : rounds_) {
      const double first = round[field_[0]], second = round[field_[1]];
      if (first > 0 && second > 0) shares.push_back(first / second);
    }
    const double middle = quantile(shares, 0.5);
    std::vector<double> off;
    for (const double share : shares) off.push_back(std::abs(share - middle));
    const double error = 1.48 * 1.25 * quantile(off, 0.5) / std::sqrt(double(shares.size()));
    return error < kKnown || 1 - middle > kApart * error;
  }

  // Every round begins with another entrant, and every second one runs backwards, so that no
  // entrant always follows the same one.
  void hold_round() {
    std::vector<double> round(times_.size());
    std::vector<std::uint32_t> order = field_;
    std::ranges::rotate(
        order, order.begin() + static_cast<std::ptrdiff_t>(rounds_.size() / 2 % order.size()));
    if (rounds_.size() % 2 != 0) std::ranges::reverse(order);
    for (const std::uint32_t i : order) {
      const auto ns = time_(i);
      if (!ns) {
        std::erase(field_, i);
        continue;
      }
      if (*ns <= 0) continue;
      round[i] = *ns;
      times_[i].push_back(*ns);
    }
    rounds_.push_back(std::move(round));
  }

  void judge() {
    if (rounds_.empty()) return;
    std::vector<std::vector<double>> of_field;
    for (const std::vector<double>& round : rounds_) {
      auto& row = of_field.emplace_back();
      for (const std::uint32_t i : field_) row.push_back(round[i]);
    }
    const std::vector<double> figures = figures_of_rounds(of_field);
    double least = 0;
    for (const std::uint32_t i : field_) {
      if (least == 0 || least_of(i) < least) least = least_of(i);
    }
    for (std::size_t i = 0; i < field_.size(); ++i) {
      // An entrant whose shortest time is far longer than another's is slower, even if all rounds
      // were disturbed.
      const double behind = least_of(field_[i]) / least;
      figures_[field_[i]] = figures[i] * (behind > kFarBehind ? behind : 1);
    }
  }

  std::vector<std::vector<double>>& times_;
  const std::uint32_t favourite_;
  const TimeEntrant& time_;
  const RaceOptions& options_;
  const std::function<bool()>& is_over_;
  std::vector<std::uint32_t> field_;
  std::vector<double> figures_;              // by number
  std::vector<std::vector<double>> rounds_;  // by number; 0: took no part
};

}  // namespace

std::vector<double> figures_of_rounds(std::span<const std::vector<double>> times) {
  if (times.empty()) return {};
  // Sorted by their shortest times: quiet rounds come first.
  std::vector<std::pair<double, std::size_t>> rounds;
  for (std::size_t r = 0; r < times.size(); ++r) {
    double least = 0;
    for (const double ns : times[r]) {
      if (ns > 0 && (least == 0 || ns < least)) least = ns;
    }
    if (least > 0) rounds.emplace_back(least, r);
  }
  std::ranges::sort(rounds);
  std::vector<double> out;
  for (std::size_t i = 0; i < times.front().size(); ++i) {
    std::vector<double> shares;
    std::size_t there = 0;
    for (const auto& [least, r] : rounds) there += times[r][i] > 0 ? 1 : 0;
    for (const auto& [least, r] : rounds) {
      if (2 * shares.size() >= there) break;
      if (times[r][i] > 0) shares.push_back(times[r][i] / least);
    }
    const double scale = rounds.empty() ? 0 : rounds[rounds.size() / 4].first;
    out.push_back(scale * quantile(std::move(shares), kBetter));
  }
  return out;
}

RaceResult race(std::vector<std::vector<double>>& times, std::uint32_t favourite,
                const TimeEntrant& time, const RaceOptions& options,
                const std::function<bool()>& is_over) {
  return Runner(times, favourite, time, options, is_over).run();
}

}  // namespace vyre
