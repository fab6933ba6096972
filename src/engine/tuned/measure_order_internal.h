// Which candidate a sweep measures next: all of them in the order of the expected times or, if
// there are too many for that, those that a search strategy asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/target/variant.h"
#include "vyre/tune/online/online_policy.h"
#include "vyre/tune/search/search_strategy.h"

namespace vyre {

// A candidate as the search strategies take it.
struct SearchedCandidate {
  Variant variant;
  Extent declared{1, 1, 1};  // the workgroup of its program's text
};

// If overrides make more candidates than this, a strategy chooses which of them are measured.
inline constexpr std::size_t kMostSwept = 256;
// If there are more candidates than this, only the declared variant of each setting of the
// overrides is searched.
inline constexpr std::size_t kMostSearched = std::size_t{1} << 16;

// The strategy for this number of candidates. `wanted` is the caller's choice; empty: the strategy
// that fits the number.
std::string_view strategy_for(std::string_view wanted, std::size_t candidates, bool has_overrides);

// The candidates, in their order, as configurations of one space: all have the same parameters. The
// workgroup is a parameter only if it is more than a consequence of the overrides.
Result<SearchSpace> search_space_of(std::span<const SearchedCandidate> candidates);

class MeasureOrder {
 public:
  // `first` is measured first, because the others are compared with it. `known` holds what earlier
  // searches learned about each candidate.
  static Result<std::unique_ptr<MeasureOrder>> make(std::string_view strategy,
                                                    std::span<const SearchedCandidate> candidates,
                                                    std::span<const double> prior,
                                                    std::span<const CandidateView> known,
                                                    std::uint32_t first, std::uint64_t seed);

  // A candidate to measure; absent: none is left. Candidates that an earlier search found slow or
  // wrong are not measured again: the strategy is told what that search found.
  std::optional<Trial> next();
  // The time of the candidate that `next` returned; absent: it failed.
  void report(const Trial& trial, std::optional<double> ns);

  bool searches() const { return strategy_ != nullptr; }
  // The number of candidates whose times are known from earlier searches.
  std::size_t known() const { return known_used_; }

 private:
  MeasureOrder() = default;
  std::optional<Trial> next_of_strategy();

  std::vector<std::uint32_t> order_;  // if there is no strategy
  std::size_t at_ = 0;
  SearchSpace space_;
  std::unique_ptr<SearchStrategy> strategy_;
  struct Known {
    double ns = 0;  // 0: not measured
    bool failed = false;
  };
  std::vector<Known> known_;
  double best_known_ns_ = 0;
  std::size_t known_used_ = 0;
};

}  // namespace vyre
