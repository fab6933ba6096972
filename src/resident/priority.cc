#include "vyre/resident/priority.h"

#include <algorithm>
#include <limits>

namespace vyre {
namespace {

ResidentResult<void> count(std::uint64_t& counter, ResidentCounter name, std::uint32_t& max_age,
                           std::uint32_t age) {
  if (counter == std::numeric_limits<std::uint64_t>::max())
    return std::unexpected(CounterOverflow{name});
  ++counter;
  max_age = std::max(max_age, age);
  return {};
}

}  // namespace

ResidentResult<void> PriorityAccounting::record_requeue(std::uint32_t age) {
  return count(requeue_count, ResidentCounter::requeue_count, max_priority_age, age);
}

ResidentResult<void> PriorityAccounting::record_aged_promotion(std::uint32_t age) {
  return count(aged_promotions, ResidentCounter::aged_promotions, max_priority_age, age);
}

ResidentResult<void> diffuse_priorities(std::span<double> priorities,
                                        std::span<const double> restrictions, double damping,
                                        std::uint32_t iterations) {
  if (priorities.size() != restrictions.size())
    return std::unexpected(LengthMismatch{priorities.size(), restrictions.size()});
  if (priorities.size() < 2) return {};
  const double siblings = static_cast<double>(priorities.size() - 1);
  for (std::uint32_t iteration = 0; iteration < iterations; ++iteration) {
    double sum = 0.0;
    for (const double priority : priorities) sum += priority;
    for (std::size_t i = 0; i < priorities.size(); ++i) {
      const double mean = (sum - priorities[i]) / siblings;
      priorities[i] += damping * restrictions[i] * (mean - priorities[i]);
    }
  }
  return {};
}

}  // namespace vyre
