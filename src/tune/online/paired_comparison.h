// Whether a challenger is faster than an incumbent, by pairs of calls.
//
// Times are neither independent nor normal: a machine slows down for a while, stands still, warms
// up. So nothing is assumed about the noise. A fair coin decides which of the two runs first in
// each pair. If they are equally fast, the logarithm of the ratio of their times is then symmetric
// around 0, whatever came before, and every bet on its sign that is fixed beforehand is fair: what
// is won by betting on the challenger is a martingale, an e-value at any moment (Howard, Ramdas and
// others, 2020). By Ville's inequality it exceeds 1/a with a probability of at most a, however
// often one looks. Pairs of several processes add up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vyre {

// Shares of the incumbent's time: 0.03 is 3% faster, -0.01 is 1% slower.
struct GainInterval {
  double gain = 0;           // the most plausible
  double low = 0, high = 0;  // with a confidence of 99% unless something else is said
};

// "3.1% faster (99% interval 1.2 to 5.0)", or "3.1% faster than X (99% ...)".
std::string gain_words(const GainInterval& gain, std::string_view than = {});

// "3.1% faster than X (99% interval 1.2 to 5.0) in 23 pairs".
std::string paired_words(const GainInterval& gain, std::size_t pairs, std::string_view than = {});

// The same seed gives the same tosses. With the seed 0 the system makes each toss, so that no two
// searches, processes or children of a fork share them: pairs of all of these add up.
class FairCoin {
 public:
  explicit FairCoin(std::uint64_t seed) : is_of_system_(seed == 0), state_(seed) {}
  bool toss();

 private:
  bool is_of_system_;
  std::uint64_t state_;
};

class PairedComparison {
 public:
  // The times of the incumbent and of the challenger in one pair, both above 0. The logarithm of
  // their ratio is rounded to kResolution, so that saving and restoring a comparison changes
  // nothing.
  void add(double incumbent_ns, double challenger_ns);
  // A saved pair: the logarithm of the ratio, in units of kResolution.
  void add(int log_ratio);
  void clear() { *this = {}; }

  static constexpr double kResolution = 1e-4;
  const std::vector<int>& log_ratios() const { return log_ratios_; }
  std::size_t pairs() const { return log_ratios_.size(); }
  double gain() const;   // 1 - exp(-median)
  double error() const;  // about the standard deviation of that; 1 for few pairs

  // The logarithm of the e-value for "the challenger is faster by more than `gain`".
  double evidence_above(double gain) const;
  // The logarithm of the e-value for "it is faster by less than `gain`, or slower".
  double evidence_below(double gain) const;
  // Holds at any moment with this confidence, 0.99 for 99%. Without any pair: -1 to 1.
  GainInterval interval(double confidence) const;

 private:
  // Fair bets are made at several stakes: small stakes find small gains, large ones find large
  // gains early.
  static constexpr std::array<double, 6> kStakes{0.08, 0.16, 0.32, 0.64, 1.28, 2.56};
  // The wealth of bets on gains above (direction 1) or below (direction -1) a given gain.
  struct Bets {
    double log_gain = 0, direction = 1;
    std::size_t taken = 0;                        // pairs
    std::array<double, kStakes.size()> wealth{};  // logarithms
  };
  double evidence(Bets& bets) const;
  double evidence(double log_gain, double direction) const;

  std::vector<int> log_ratios_;
  std::vector<double> scales_;  // the spread of the pairs before each one; 0: they are too few
  std::vector<int> sorted_;
  // The bets on gains that were asked for last, so that only new pairs are added.
  mutable Bets above_{.direction = 1}, below_{.direction = -1};
};

}  // namespace vyre
