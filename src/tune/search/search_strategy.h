// Strategies that search a space of configurations for the fastest one. A strategy depends on
// neither a device nor a file: it names the next configuration to measure and is told its cost.
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
  std::uint32_t samples = 0;  // the least number of runs to time; 0: the usual number

  bool operator==(const Trial&) const = default;
};

class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;

  // The next trial; absent when the search is over. Only halving, which takes samples in portions,
  // returns a configuration more than once.
  virtual std::optional<Trial> next() = 0;
  // The cost of the trial that `next` returned last, in any fixed unit; absent for a configuration
  // that failed. Costs are above zero.
  virtual void report(const Trial& trial, std::optional<double> cost) = 0;
};

struct SearchOptions {
  std::uint64_t seed = 1;
  // The estimated cost of every configuration in any unit, for strategies that can use it; may be
  // empty. It must outlive the strategy.
  std::span<const double> prior = {};
  // A configuration that is known to run, for strategies that can begin with one.
  std::optional<std::uint32_t> first = {};
};

inline constexpr std::array<std::string_view, 5> kStrategyNames{"natural", "hillclimb", "halving",
                                                                "random", "exhaustive"};

// The space must outlive the strategy. Fails for an unknown name, and for a prior or a first
// configuration that does not belong to the space.
Result<std::unique_ptr<SearchStrategy>> make_strategy(std::string_view name,
                                                      const SearchSpace& space,
                                                      const SearchOptions& options = {});

}  // namespace vyre
