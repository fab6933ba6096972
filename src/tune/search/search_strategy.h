// Strategies that search a space of configurations for the fastest one. A strategy knows neither a
// device nor a file: it is asked what to measure next, and told what came of it.
//
//   auto search = make_strategy("natural", space, {.seed = 1});
//   while (auto trial = (*search)->next()) (*search)->report(*trial, measure(*trial));
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/tune/search/search_space.h"

namespace vyre {

struct Trial {
  std::uint32_t configuration = 0;
  std::uint32_t samples = 0;  // how many runs to time at least; 0: as many as are usual

  bool operator==(const Trial&) const = default;
};

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;

  // What to measure next; nothing when the search is over. A strategy that takes samples in
  // portions (halving) names a configuration more than once; the others never do.
  virtual std::optional<Trial> next() = 0;
  // The cost of the trial that `next` gave last, in any unit as long as it is always the same;
  // nothing for a configuration that failed. Costs are above zero.
  virtual void report(const Trial& trial, std::optional<double> cost) = 0;
};

struct SearchOptions {
  std::uint64_t seed = 1;
  // A model's cost of every configuration, in any unit, for strategies that can use it; or empty.
  // It must outlive the strategy.
  std::span<const double> prior = {};
  // A configuration that is known to run, for strategies that can begin with one.
  std::optional<std::uint32_t> first = {};
};

inline constexpr std::array<std::string_view, 5> kStrategyNames{"natural", "hillclimb", "halving",
                                                                "random", "exhaustive"};

// The space must outlive the strategy. Fails for a name that is not one of the above, and for a
// prior or a first configuration that is not of the space.
Result<std::unique_ptr<SearchStrategy>> make_strategy(std::string_view name,
                                                      const SearchSpace& space,
                                                      const SearchOptions& options = {});

}  // namespace vyre
