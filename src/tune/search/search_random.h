// Random numbers for searches, the same for the same seed on every platform.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <utility>

namespace vyre {

class SearchRandom {
 public:
  explicit SearchRandom(std::uint64_t seed) : state_(seed) {}

  // SplitMix64: a counter through a mixing function.
  std::uint64_t bits() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  // From 0 to count - 1. The bias is below count / 2^32.
  std::uint32_t below(std::uint32_t count) {
    assert(count != 0);
    return static_cast<std::uint32_t>(((bits() >> 32) * count) >> 32);
  }

  // In [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace vyre
