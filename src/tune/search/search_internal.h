// What the strategies share.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "vyre/tune/search/search_random.h"
#include "vyre/tune/search/search_strategy.h"

namespace vyre {

// The untried configurations of a space, and random choice among them.
class Untried {
 public:
  explicit Untried(std::uint32_t size) : order_(size), place_(size), left_(size) {
    std::iota(order_.begin(), order_.end(), 0U);
    place_ = order_;
  }

  bool has(std::uint32_t configuration) const { return place_[configuration] < left_; }
  std::uint32_t count() const { return left_; }
  // The i-th untried configuration, in no particular order.
  std::uint32_t at(std::uint32_t i) const { return order_[i]; }

  void take(std::uint32_t configuration) {
    if (!has(configuration)) return;
    --left_;
    const std::uint32_t other = order_[left_];
    std::swap(order_[place_[configuration]], order_[left_]);
    std::swap(place_[configuration], place_[other]);
  }

  // Removes an untried configuration.
  std::optional<std::uint32_t> take_any(SearchRandom& random) {
    if (left_ == 0) return {};
    const std::uint32_t configuration = order_[random.below(left_)];
    take(configuration);
    return configuration;
  }

 private:
  // The first left_ entries of order_ are untried; place_ is its inverse.
  std::vector<std::uint32_t> order_, place_;
  std::uint32_t left_;
};

std::unique_ptr<SearchStrategy> make_natural_search(const SearchSpace& space,
                                                    const SearchOptions& options);

}  // namespace vyre
