#include "vyre/resident/error.h"

#include <fmt/format.h>

#include "vyre/base/overloaded.h"

namespace vyre {
namespace {

std::string_view overflow_name(ResidentCounter counter) {
  switch (counter) {
    case ResidentCounter::requeue_count: return "requeue_count_overflow";
    case ResidentCounter::aged_promotions: return "aged_promotions_overflow";
    case ResidentCounter::recommendation_hits: return "recommendation_hits_overflow";
    case ResidentCounter::recommendation_misses: return "recommendation_misses_overflow";
  }
  return "counter_overflow";
}

}  // namespace

std::string_view to_string(ResidentLimit limit) {
  switch (limit) {
    case ResidentLimit::max_workgroup_size_x: return "max_workgroup_size_x";
    case ResidentLimit::max_compute_workgroups_per_dimension:
      return "max_compute_workgroups_per_dimension";
    case ResidentLimit::max_compute_invocations_per_workgroup:
      return "max_compute_invocations_per_workgroup";
  }
  return "unknown";
}

std::string_view to_string(ResidentCounter counter) {
  constexpr std::string_view kSuffix = "_overflow";
  const std::string_view name = overflow_name(counter);
  return name.substr(0, name.size() - kSuffix.size());
}

std::string_view wire_name(const ResidentError& error) {
  return std::visit(
      Overloaded{
          [](const ZeroLimit&) -> std::string_view { return "zero_limit"; },
          [](const QueueLengthOverflow&) -> std::string_view { return "queue_length_overflow"; },
          [](const RingPaddingOverflow&) -> std::string_view { return "ring_padding_overflow"; },
          [](const MemoryThresholdOutOfRange&) -> std::string_view {
            return "memory_threshold_out_of_range";
          },
          [](const QueuePressureOverflow&) -> std::string_view {
            return "queue_pressure_overflow";
          },
          [](const HitCapacityOverflow&) -> std::string_view { return "hit_capacity_overflow"; },
          [](const PeakBytesOverflow&) -> std::string_view { return "peak_bytes_overflow"; },
          [](const DeviceOutOfMemory&) -> std::string_view { return "device_out_of_memory"; },
          [](const CounterOverflow& e) { return overflow_name(e.counter); },
          [](const LengthMismatch&) -> std::string_view { return "length_mismatch"; },
          [](const InputTooShort&) -> std::string_view { return "input_too_short"; },
      },
      error);
}

Error to_error(const ResidentError& error) {
  return std::visit(
      Overloaded{
          [](const ZeroLimit& e) {
            return Error{Code::invalid_input, fmt::format("{} is 0", to_string(e.field)),
                         "give the device's own limit, which is at least 1"};
          },
          [](const QueueLengthOverflow& e) {
            return Error{
                Code::limit,
                fmt::format("{} items do not fit a queue of at most 4294967295", e.item_count),
                "split the items over several runs"};
          },
          [](const RingPaddingOverflow& e) {
            return Error{Code::limit,
                         fmt::format("{} items cannot be padded to whole workgroups: the ring "
                                     "would end at {} slots",
                                     e.item_count, e.slot_count),
                         "split the items over several runs"};
          },
          [](const MemoryThresholdOutOfRange& e) {
            return Error{
                Code::invalid_input,
                fmt::format("memory_pressure_threshold_bps is {}, above 10000", e.threshold_bps),
                "use a threshold of at most 10000 basis points"};
          },
          [](const QueuePressureOverflow& e) {
            return Error{Code::limit,
                         fmt::format("{} lanes times {} saturated waves overflow 64 bits", e.lanes,
                                     e.saturated_waves),
                         "use a smaller saturated_waves"};
          },
          [](const HitCapacityOverflow& e) {
            return Error{Code::limit,
                         fmt::format("hit capacity {} items x {} hits x {} overflows 32 bits",
                                     e.queue_len, e.hits_per_item, e.multiplier),
                         "state requested_hit_capacity, or split the queue"};
          },
          [](const PeakBytesOverflow& e) {
            return Error{
                Code::limit,
                fmt::format("{} resident bytes and {} hits of {} bytes overflow 64 bits",
                            e.resident_device_bytes, e.hit_capacity, e.scratch_bytes_per_hit),
                "resident_device_bytes must be what the device really holds"};
          },
          [](const DeviceOutOfMemory& e) {
            return Error{Code::out_of_memory,
                         fmt::format("the launch needs {} bytes of device memory; {} are allowed",
                                     e.requested, e.available),
                         "shorten the queue, lower the hit capacity or raise the budget"};
          },
          [](const CounterOverflow& e) {
            return Error{Code::limit, fmt::format("counter {} is full", to_string(e.counter)),
                         "reset the counters"};
          },
          [](const LengthMismatch& e) {
            return Error{
                Code::invalid_input,
                fmt::format("{} priorities with {} restrictions", e.priorities, e.restrictions),
                "give one restriction for each priority"};
          },
          [](const InputTooShort& e) {
            return Error{Code::invalid_input,
                         fmt::format("n = {} needs n*n matrix cells and n gradient values; given "
                                     "{} and {}",
                                     e.n, e.matrix_cells, e.gradient_values),
                         "give the whole matrix, row by row, and the whole gradient"};
          },
      },
      error);
}

}  // namespace vyre
