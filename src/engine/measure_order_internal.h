// What a sweep measures next: everything in the order of the prior, or, where there is too much for
// that, what a search strategy asks for.
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

// One candidate, as a search sees it.
struct SearchedCandidate {
  Variant variant;
  Extent declared{1, 1, 1};  // the workgroup of its program's text
};

// With more candidates, and overrides among what is searched, a search takes the place of the
// sweep.
inline constexpr std::size_t kMostSwept = 256;
// With more candidates than this only the declared variant of each setting of overrides is
// searched.
inline constexpr std::size_t kMostSearched = std::size_t{1} << 16;

// The strategy for this number of candidates, where the caller asks for `wanted` (empty: whatever
// fits).
std::string_view strategy_for(std::string_view wanted, std::size_t candidates, bool has_overrides);

// The candidates as configurations of one space, in their order: all have the same parameters. The
// workgroup is one of them only as far as it differs from what the overrides make it.
Result<SearchSpace> search_space_of(std::span<const SearchedCandidate> candidates);

class MeasureOrder {
 public:
  // `first` is what others are compared with; it is measured first. `known` are the candidates with
  // what earlier searches learned of them.
  static Result<std::unique_ptr<MeasureOrder>> make(std::string_view strategy,
                                                    std::span<const SearchedCandidate> candidates,
                                                    std::span<const double> prior,
                                                    std::span<const CandidateView> known,
                                                    std::uint32_t first, std::uint64_t seed);

  // A candidate to measure; nothing: there is none left. What an earlier search found slow or wrong
  // is told to the strategy from there, and not measured again.
  std::optional<Trial> next();
  // What `next` asked for took so long; nothing: it failed.
  void report(const Trial& trial, std::optional<double> ns);

  bool searches() const { return strategy_ != nullptr; }
  std::size_t known() const { return known_used_; }  // answered by what was known before

 private:
  MeasureOrder() = default;
  std::optional<Trial> next_of_strategy();

  std::vector<std::uint32_t> order_;  // of a sweep
  std::size_t at_ = 0;
  SearchSpace space_;
  std::unique_ptr<SearchStrategy> strategy_;
  struct Known {
    double ns = 0;  // 0: not
    bool failed = false;
  };
  std::vector<Known> known_;
  double best_known_ns_ = 0;
  std::size_t known_used_ = 0;
};

}  // namespace vyre
