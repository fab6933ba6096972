// The expected cost of variants before any of them has run, by a rough model of the device. It
// orders the candidates and gives the first choice; the decision is made by measured times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vyre/base/extent.h"
#include "vyre/target/profile.h"
#include "vyre/target/target.h"
#include "vyre/target/variant.h"

namespace vyre {

// What the model knows about a program and its launch.
struct CostFacts {
  TargetKind kind = TargetKind::host;
  Extent extent{1, 1, 1};  // invocations
  Variant usual{};         // the variant that runs if nothing is known
  // Per invocation:
  double loaded_bytes = 0, stored_bytes = 0;  // storage memory; loops counted once
  double column_bytes = 0;  // the part of both that accesses columns (column_accesses.h)
  std::uint32_t rows_loaded = 0, rows_stored = 0;  // in loops (lane_rows_of)
  // The memory traffic of the whole launch, if it is known to be less than the sum of all accesses
  // because neighbours share elements; 0: unknown.
  double traffic_bytes = 0;
  double operations = 0;   // all arithmetic; loops counted once
  bool loops = false;      // true: bytes and operations are lower bounds
  bool atomics = false;    // a lane does mostly atomics, in its loops if it has any
  bool pointwise = false;  // neighbouring invocations touch neighbouring elements
  bool scattered = false;  // loaded values are indices of other loads
  // Reads and writes the same elements and is not pointwise: items stay in order.
  bool in_place = false;
  std::uint64_t shared_bytes = 0;  // of a workgroup
};

// The expected time of each variant, in nanoseconds up to a common factor; all > 0.
std::vector<double> expected_ns_of(const CostFacts& facts, const Profile& profile,
                                   std::span<const Variant> variants);

// The number of workgroups that a multiprocessor can hold; 0: a workgroup does not fit.
std::uint32_t resident_groups(const Profile& profile, std::uint64_t threads,
                              std::uint32_t registers, std::uint64_t shared_bytes);

}  // namespace vyre
