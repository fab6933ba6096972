// The end of a sweep: whether one of a few finalists is faster than the favourite, which is what
// would run without a sweep. Cheap times have chosen the finalists and their order; here each of
// them meets the favourite in pairs of runs, in the order of a coin (paired_comparison.h), until
// the pairs prove it faster, or show that it is not. The first one that is proved wins, and without
// proof the favourite stays.
//
// The allowed error is spread over the comparisons of all searches for a key: the n-th one ever
// begun gets the share 1 / (n (n + 1)) of it. A sweep continues the comparisons with the same
// favourite that earlier searches have begun, with their pairs and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/tune/evidence/evidence.h"
#include "vyre/tune/online/paired_comparison.h"

namespace vyre {

struct FinalsOptions {
  double least_gain = 0.01;      // a finalist that saves less does not win
  double doubt = 0;              // gains below this may come from the way in which times are taken
  double error = 0.01;           // the share of searches that may choose one that is no faster
  std::size_t most_pairs = 128;  // of a finalist in this sweep
  std::uint64_t seed = 0;        // of the coin; 0: unpredictable
};

// The comparisons that earlier searches for the same key have begun.
struct EarlierFinals {
  struct Comparison {
    std::uint32_t candidate = 0;
    std::uint32_t number = 0;
    std::vector<int> log_ratios{};
  };
  std::uint32_t begun = 0;                // with any favourite
  std::vector<Comparison> comparisons{};  // with this favourite
};
EarlierFinals earlier_finals(const std::optional<KeyState>& known,
                             std::span<const std::string> texts, std::uint32_t favourite);

struct FinalsResult {
  std::uint32_t winner = 0, favourite = 0;
  bool proved = false;                     // the winner is faster than the favourite
  std::optional<std::uint32_t> closest{};  // if nothing is proved: what seems to gain most
  GainInterval gain{};                     // of the winner or the closest, over the favourite
  std::size_t pairs = 0;                   // from which the gain is computed
  bool undecided = false;                  // the pairs did not tell whether a finalist is faster
};

// "3.1% faster than X (99% interval 1.2 to 5.0) in 23 pairs", or why the favourite stays. `others`:
// the number of candidates that were compared with it in any way.
std::string finals_words(const FinalsResult& result, std::span<const std::string> texts,
                         std::size_t others);

class PairedFinals {
 public:
  // `finalists`: in the order in which they are tried.
  PairedFinals(std::uint32_t favourite, std::vector<std::uint32_t> finalists, FinalsOptions options,
               EarlierFinals earlier = {});

  // The candidate to run now; absent at the end, and while the second time of a pair is missing.
  std::optional<std::uint32_t> next();
  void report(std::uint32_t candidate, double ns);
  void abandon();                           // forgets the pair that was begun
  void take_back(std::uint32_t candidate);  // the candidate was not run
  void drop(std::uint32_t candidate);

  bool finished() const { return over_ || at_ == finals_.size(); }
  FinalsResult result() const;
  // The pairs of this sweep, for the evidence.
  std::vector<EvidenceEvent> events(std::span<const std::string> texts) const;

 private:
  struct Final {
    std::uint32_t candidate = 0;
    PairedComparison versus{};
    std::uint32_t number = 0;  // of the comparison, among all of the key; 0: it was not begun
    std::size_t known = 0;     // pairs of earlier searches
    bool out = false;          // it failed
    bool undecided = false;    // it had all its pairs
  };
  struct Pair {
    std::uint32_t order[2] = {};
    double ns[2] = {};
    unsigned asked = 0;
  };
  std::size_t pairs_now(const Final& final) const { return final.versus.pairs() - final.known; }
  void judge();

  const std::uint32_t favourite_;
  const FinalsOptions options_;
  FairCoin coin_;
  std::vector<Final> finals_;
  std::uint32_t begun_ = 0;  // comparisons, with those of earlier searches
  std::size_t at_ = 0;
  std::optional<Pair> pair_;
  bool over_ = false;  // a finalist is proved faster, or the favourite failed
  std::optional<std::size_t> proved_;
};

// Runs the finals to their end, or until `is_over` returns true. `time` gives the nanoseconds of
// one run; 0: it was not timed, which says nothing; absent: it failed. The times are appended to
// `times`.
void hold_finals(PairedFinals& finals, std::vector<std::vector<double>>& times,
                 const std::function<std::optional<double>(std::uint32_t)>& time,
                 const std::function<bool()>& is_over);

}  // namespace vyre
