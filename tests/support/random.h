// Chance from a seed, the same on every machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace vyre {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(next() >> 32U); }
  // Below n, which is not 0.
  std::uint32_t below(std::size_t n) { return static_cast<std::uint32_t>(next() % n); }
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low) + 1));
  }
  bool chance(double p) { return static_cast<double>(next() >> 11U) * 0x1p-53 < p; }

  template <class T>
  T of(std::initializer_list<T> all) {
    return all.begin()[below(all.size())];
  }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::uint64_t state_;
};

}  // namespace vyre
