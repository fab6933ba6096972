#include "vyre/tune/search/search_strategy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "vyre/tune/search/search_internal.h"

namespace vyre {
namespace {

class ExhaustiveSearch final : public SearchStrategy {
 public:
  explicit ExhaustiveSearch(const SearchSpace& space) : size_(space.size()) {}

  std::optional<Trial> next() override {
    if (next_ == size_) return {};
    return Trial{.configuration = next_++};
  }
  void report(const Trial&, std::optional<double>) override {}

 private:
  std::uint32_t size_;
  std::uint32_t next_ = 0;
};

class RandomSearch final : public SearchStrategy {
 public:
  RandomSearch(const SearchSpace& space, std::uint64_t seed)
      : untried_(space.size()), random_(seed) {}

  std::optional<Trial> next() override {
    const auto any = untried_.take_any(random_);
    if (!any) return {};
    return Trial{.configuration = *any};
  }
  void report(const Trial&, std::optional<double>) override {}

 private:
  Untried untried_;
  SearchRandom random_;
};

// Walks from the first configuration, or a random one, to the first neighbour (one parameter
// changed, tried in random order) that is faster, until there is none; then it starts again.
class HillClimb final : public SearchStrategy {
 public:
  HillClimb(const SearchSpace& space, const SearchOptions& options)
      : space_(space), untried_(space.size()), random_(options.seed) {
    if (options.first) neighbours_.push_back(*options.first);
  }

  std::optional<Trial> next() override {
    while (!neighbours_.empty()) {
      const std::uint32_t neighbour = neighbours_.back();
      neighbours_.pop_back();
      if (!untried_.has(neighbour)) continue;
      untried_.take(neighbour);
      return Trial{.configuration = neighbour};
    }
    here_.reset();
    const auto any = untried_.take_any(random_);
    if (!any) return {};
    return Trial{.configuration = *any};
  }

  void report(const Trial& trial, std::optional<double> cost) override {
    if (!cost || (here_ && *cost >= *here_)) return;
    here_ = cost;
    space_.neighbours(trial.configuration, neighbours_);
    random_.shuffle(std::span(neighbours_));
  }

 private:
  const SearchSpace& space_;
  Untried untried_;
  SearchRandom random_;
  std::optional<double> here_;  // the cost of the current configuration
  std::vector<std::uint32_t> neighbours_;
};

// Successive halving: one sample of each of sixteen random configurations, twice as many of the
// faster half, and so on until one is left; then sixteen others. A portion of samples is a trial.
class Halving final : public SearchStrategy {
 public:
  Halving(const SearchSpace& space, std::uint64_t seed) : untried_(space.size()), random_(seed) {}

  std::optional<Trial> next() override {
    if (at_ == rung_.size() && !next_rung()) return {};
    return Trial{.configuration = rung_[at_].configuration, .samples = samples_};
  }

  void report(const Trial& trial, std::optional<double> cost) override {
    if (at_ == rung_.size() || rung_[at_].configuration != trial.configuration) return;
    rung_[at_].cost = cost;
    ++at_;
  }

 private:
  static constexpr std::size_t kWidth = 16;
  struct Entry {
    std::uint32_t configuration = 0;
    std::optional<double> cost;
  };

  bool next_rung() {
    std::erase_if(rung_, [](const Entry& entry) { return !entry.cost; });
    std::ranges::sort(
        rung_, {}, [](const Entry& entry) { return std::pair(*entry.cost, entry.configuration); });
    rung_.resize(rung_.size() / 2);
    samples_ *= 2;
    if (rung_.empty()) {
      samples_ = 1;
      while (rung_.size() < kWidth) {
        const auto any = untried_.take_any(random_);
        if (!any) break;
        rung_.push_back({*any, {}});
      }
    }
    at_ = 0;
    return !rung_.empty();
  }

  Untried untried_;
  SearchRandom random_;
  std::vector<Entry> rung_;
  std::size_t at_ = 0;  // the position in the rung
  std::uint32_t samples_ = 1;
};

}  // namespace

Result<std::unique_ptr<SearchStrategy>> make_strategy(std::string_view name,
                                                      const SearchSpace& space,
                                                      const SearchOptions& options) {
  if (!options.prior.empty() && options.prior.size() != space.size()) {
    return fail(Code::invalid_input,
                fmt::format("the prior has {} costs; the space has {} configurations",
                            options.prior.size(), space.size()));
  }
  if (options.first && *options.first >= space.size()) {
    return fail(Code::invalid_input, fmt::format("configuration {} is not one of the space's {}",
                                                 *options.first, space.size()));
  }
  if (name == "natural") return make_natural_search(space, options);
  if (name == "hillclimb") return std::make_unique<HillClimb>(space, options);
  if (name == "halving") return std::make_unique<Halving>(space, options.seed);
  if (name == "random") return std::make_unique<RandomSearch>(space, options.seed);
  if (name == "exhaustive") return std::make_unique<ExhaustiveSearch>(space);
  return fail(Code::invalid_input, fmt::format("there is no strategy '{}'", name),
              fmt::format("there are {}", fmt::join(kStrategyNames, ", ")));
}

}  // namespace vyre
