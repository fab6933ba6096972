// The natural strategy for large spaces. A surrogate (search_surrogate.h) predicts the logarithm of
// each candidate's cost, mu, and its uncertainty, sigma. The next trial is the candidate with the
// smallest lower confidence bound mu - 3 sigma.
//
// That is the diagonal form of the natural-gradient step of natural_gradient_step.h: with softmax
// weights q_i ~ exp(-mu_i / T) and a diagonal preconditioner M_ii = exp(3 sigma_i / T), the largest
// entry of M q is the least mu_i - 3 sigma_i, at any temperature T. In these coordinates no matrix
// of the size of the space is needed, and nothing overflows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "vyre/tune/search/search_internal.h"
#include "vyre/tune/search/search_surrogate.h"

namespace vyre {
namespace {

constexpr double kSigmas = 3;
constexpr std::size_t kStart = 6;  // random configurations before the surrogate is used
// With a prior the search begins with this many: the best by the prior, and random ones.
constexpr std::size_t kStartWithPrior = 4;
constexpr std::size_t kMostPoints = 320;  // measurements on which the surrogate is conditioned
// In a larger space than kPool, the candidates are kPool random configurations, the neighbours of
// the kElites fastest ones, and kCrossings crossings of the kParents fastest ones.
constexpr std::size_t kPool = 2000;
constexpr std::size_t kElites = 5;
constexpr std::size_t kParents = 10;
constexpr std::size_t kCrossings = 300;
// Only fast configurations need to be told apart: costs above this quantile are clipped to it.
constexpr double kCutQuantile = 0.7;

class NaturalSearch final : public SearchStrategy {
 public:
  NaturalSearch(const SearchSpace& space, const SearchOptions& options)
      : space_(space),
        untried_(space.size()),
        random_(options.seed),
        surrogate_(space),
        first_(options.first) {
    for (const double cost : options.prior) {
      prior_.push_back(cost > 0 && std::isfinite(cost) ? std::log(cost) : 0.0);
    }
    if (!prior_.empty() && !first_) {
      first_ = static_cast<std::uint32_t>(std::ranges::min_element(prior_) - prior_.begin());
    }
  }

  std::optional<Trial> next() override {
    if (untried_.count() == 0) return {};
    const std::uint32_t chosen = choose();
    untried_.take(chosen);
    return Trial{.configuration = chosen};
  }

  void report(const Trial& trial, std::optional<double> cost) override {
    const double value = cost && *cost > 0 ? std::log(*cost) : kFailed;
    if (!measured_.empty() && value < least_) moved_ = true;
    if (value < least_) {
      least_ = value;
      best_ = trial.configuration;
    }
    measured_.push_back({trial.configuration, value});
  }

 private:
  static constexpr double kFailed = std::numeric_limits<double>::infinity();
  struct Measured {
    std::uint32_t configuration = 0;
    double value = 0;  // logarithm of the cost
  };

  std::uint32_t choose() {
    if (measured_.empty() && first_) return *first_;
    const std::size_t start = prior_.empty() ? kStart : kStartWithPrior;
    if (measured_.size() < start || least_ == kFailed) return any();
    if (measured_.size() >= next_fit_) {
      refit();
    } else {
      for (std::size_t i = known_; i < measured_.size(); ++i) {
        surrogate_.add(measured_[i].configuration, modelled(measured_[i]));
      }
      if (moved_) add_neighbours(best_);
    }
    known_ = measured_.size();
    moved_ = false;
    return least_bound();
  }

  std::uint32_t any() { return untried_.at(random_.below(untried_.count())); }
  double prior(std::uint32_t configuration) const {
    return prior_.empty() ? 0.0 : prior_[configuration];
  }
  // What the surrogate models: the cost relative to the prior.
  double modelled(const Measured& each) const {
    if (each.value == kFailed) return std::numeric_limits<double>::quiet_NaN();
    return std::min(each.value, cut_) - prior(each.configuration);
  }

  void refit() {
    std::vector<Measured> sorted = measured_;
    std::ranges::sort(
        sorted, {}, [](const Measured& each) { return std::pair(each.value, each.configuration); });
    set_cut(sorted);
    // All points, or as many as fit: half of them the fastest, half the latest.
    std::vector<Measured> used = measured_;
    if (used.size() > kMostPoints) {
      used.assign(measured_.end() - kMostPoints / 2, measured_.end());
      used.insert(used.begin(), sorted.begin(), sorted.begin() + kMostPoints / 2);
      std::vector<bool> seen(space_.size());
      std::erase_if(used, [&](const Measured& each) {
        const bool twice = seen[each.configuration];
        seen[each.configuration] = true;
        return twice;
      });
    }
    std::vector<std::uint32_t> points;
    std::vector<double> values;
    for (const Measured& each : used) {
      points.push_back(each.configuration);
      values.push_back(modelled(each));
    }
    surrogate_.fit(points, values, make_pool());
    for (std::size_t i = 0; i < std::min(kElites, sorted.size()); ++i) {
      add_neighbours(sorted[i].configuration);
    }
    add_crossings(sorted);
    next_fit_ = measured_.size() + std::max<std::size_t>(4, used.size() / 4);
  }

  void set_cut(const std::vector<Measured>& sorted) {
    const auto ran = static_cast<double>(
        std::ranges::count_if(sorted, [](const Measured& each) { return each.value != kFailed; }));
    cut_ = sorted[static_cast<std::size_t>((ran - 1) * kCutQuantile)].value;
  }

  std::vector<std::uint32_t> make_pool() {
    std::vector<std::uint32_t> pool;
    pooled_.assign(space_.size(), false);
    const bool all = untried_.count() <= kPool;
    const std::size_t count = std::min<std::size_t>(kPool, untried_.count());
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t candidate = all ? untried_.at(i) : any();
      if (!pooled_[candidate]) pool.push_back(candidate);
      pooled_[candidate] = true;
    }
    return pool;
  }

  void add_candidate(std::uint32_t candidate) {
    if (pooled_[candidate] || !untried_.has(candidate)) return;
    pooled_[candidate] = true;
    surrogate_.add_candidate(candidate);
  }

  void add_neighbours(std::uint32_t configuration) {
    space_.neighbours(configuration, near_);
    for (const std::uint32_t candidate : near_) add_candidate(candidate);
  }

  // Crossings: each value is from one of two fast configurations.
  void add_crossings(const std::vector<Measured>& sorted) {
    const auto parents = static_cast<std::uint32_t>(std::min(kParents, sorted.size()));
    std::vector<std::uint16_t> child(space_.parameters().size());
    for (std::size_t i = 0; i < kCrossings; ++i) {
      const auto one = space_.row(sorted[random_.below(parents)].configuration);
      const auto other = space_.row(sorted[random_.below(parents)].configuration);
      for (std::size_t p = 0; p < child.size(); ++p) {
        child[p] = random_.below(2) == 0 ? one[p] : other[p];
      }
      if (const auto found = space_.find(child)) add_candidate(*found);
    }
  }

  std::uint32_t least_bound() {
    const auto candidates = surrogate_.candidates();
    double least = std::numeric_limits<double>::infinity();
    std::optional<std::uint32_t> chosen;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (!untried_.has(candidates[i])) continue;
      double bound = prior(candidates[i]) + surrogate_.mean(i) - kSigmas * surrogate_.deviation(i);
      // A failure counts as the clipped cost.
      bound += surrogate_.failure(i) * std::max(0.0, cut_ - bound);
      if (bound < least) {
        least = bound;
        chosen = candidates[i];
      }
    }
    return chosen ? *chosen : any();
  }

  const SearchSpace& space_;
  Untried untried_;
  SearchRandom random_;
  SearchSurrogate surrogate_;
  std::vector<double> prior_;  // logarithms; may be empty
  std::optional<std::uint32_t> first_;

  std::vector<Measured> measured_;
  double least_ = kFailed;
  std::uint32_t best_ = 0;
  bool moved_ = false;  // best_ has changed since the last prediction
  double cut_ = 0;
  std::size_t known_ = 0;  // the number of measured_ that the surrogate has
  std::size_t next_fit_ = 0;
  std::vector<bool> pooled_;  // whether a configuration is a candidate of the surrogate
  std::vector<std::uint32_t> near_;
};

}  // namespace

std::unique_ptr<SearchStrategy> make_natural_search(const SearchSpace& space,
                                                    const SearchOptions& options) {
  return std::make_unique<NaturalSearch>(space, options);
}

}  // namespace vyre
