// Priorities of queued work: counts of requeued items, and smoothing of priorities within a group.
#pragma once

#include <cstdint>
#include <span>

#include "vyre/resident/error.h"

namespace vyre {

struct PriorityAccounting {
  std::uint64_t requeue_count = 0;
  std::uint64_t aged_promotions = 0;
  std::uint32_t max_priority_age = 0;

  // Count one event and raise the maximum age. A full counter is an error that changes nothing.
  ResidentResult<void> record_requeue(std::uint32_t age);
  ResidentResult<void> record_aged_promotion(std::uint32_t age);

  bool operator==(const PriorityAccounting&) const = default;
};

// Moves every priority toward the mean of the others, `iterations` times:
//   p_i <- p_i + (damping * restriction_i) * (mean_i - p_i),  mean_i = (S - p_i) / (n - 1)
// with S the sum before the iteration. All priorities change together; a single item is unchanged.
ResidentResult<void> diffuse_priorities(std::span<double> priorities,
                                        std::span<const double> restrictions, double damping,
                                        std::uint32_t iterations);

}  // namespace vyre
