// The calls that are measured, each with its input. A case is used for timing and for counting
// instructions alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace vyre {

struct DecisionCase {
  std::string_view name;
  // Instructions a call may take, counted by callgrind in an optimised build; absent: no ceiling.
  std::optional<std::uint64_t> ceiling;
  // Sets the input up, makes the call once and says whether the result is the right one.
  bool (*prepare)();
  void (*run)(std::uint64_t calls);
};

std::span<const DecisionCase> plan_cases();
std::span<const DecisionCase> resident_cases();
std::span<const DecisionCase> tune_cases();

// Keeps a result that nothing reads.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

}  // namespace vyre
