// The errors of resident decisions: one small struct per kind, with its values. `wire_name` is the
// name in the conformance vectors.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>
#include <variant>

#include "vyre/base/error.h"

namespace vyre {

// A device limit that must not be zero.
enum class ResidentLimit : std::uint8_t {
  max_workgroup_size_x,
  max_compute_workgroups_per_dimension,
  max_compute_invocations_per_workgroup,
};
std::string_view to_string(ResidentLimit limit);

// A counter that must not wrap.
enum class ResidentCounter : std::uint8_t {
  requeue_count,
  aged_promotions,
  recommendation_hits,
  recommendation_misses,
};
std::string_view to_string(ResidentCounter counter);

struct ZeroLimit {
  ResidentLimit field;
  bool operator==(const ZeroLimit&) const = default;
};

// There are more items than a 32-bit queue length can count.
struct QueueLengthOverflow {
  std::uint64_t item_count;
  bool operator==(const QueueLengthOverflow&) const = default;
};

// The items fit, but their count cannot be rounded up to whole workgroups.
struct RingPaddingOverflow {
  std::uint64_t item_count;
  std::uint32_t slot_count;  // the saturated value
  bool operator==(const RingPaddingOverflow&) const = default;
};

// The memory threshold lies above 10000 basis points, so worker shedding has no range.
struct MemoryThresholdOutOfRange {
  std::uint16_t threshold_bps;
  bool operator==(const MemoryThresholdOutOfRange&) const = default;
};

struct QueuePressureOverflow {
  std::uint64_t lanes;
  std::uint32_t saturated_waves;
  bool operator==(const QueuePressureOverflow&) const = default;
};

struct HitCapacityOverflow {
  std::uint32_t queue_len;
  std::uint32_t hits_per_item;
  std::uint32_t multiplier;
  bool operator==(const HitCapacityOverflow&) const = default;
};

struct PeakBytesOverflow {
  std::uint64_t resident_device_bytes;
  std::uint32_t hit_capacity;
  std::uint32_t scratch_bytes_per_hit;
  bool operator==(const PeakBytesOverflow&) const = default;
};

struct DeviceOutOfMemory {
  std::uint64_t requested;
  std::uint64_t available;
  bool operator==(const DeviceOutOfMemory&) const = default;
};

struct CounterOverflow {
  ResidentCounter counter;
  bool operator==(const CounterOverflow&) const = default;
};

// Two lists that must have the same length differ.
struct LengthMismatch {
  std::uint64_t priorities;
  std::uint64_t restrictions;
  bool operator==(const LengthMismatch&) const = default;
};

// A matrix or a gradient is shorter than its stated size.
struct InputTooShort {
  std::uint32_t n;
  std::uint64_t matrix_cells;
  std::uint64_t gradient_values;
  bool operator==(const InputTooShort&) const = default;
};

using ResidentError =
    std::variant<ZeroLimit, QueueLengthOverflow, RingPaddingOverflow, MemoryThresholdOutOfRange,
                 QueuePressureOverflow, HitCapacityOverflow, PeakBytesOverflow, DeviceOutOfMemory,
                 CounterOverflow, LengthMismatch, InputTooShort>;

template <class T>
using ResidentResult = std::expected<T, ResidentError>;

std::string_view wire_name(const ResidentError& error);
Error to_error(const ResidentError& error);

}  // namespace vyre
