// What variants are expected to cost before any of them ran: a model of the device, rough but right
// about what matters most. It orders the candidates and gives the first choice; only times decide.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vyre/base/extent.h"
#include "vyre/target/profile.h"
#include "vyre/target/target.h"
#include "vyre/target/variant.h"

namespace vyre {

// What the model sees of a program and its launch.
struct CostFacts {
  TargetKind kind = TargetKind::host;
  Extent extent{1, 1, 1};  // invocations
  Variant usual{};         // what runs when nothing is known
  // Of one invocation.
  double loaded_bytes = 0, stored_bytes = 0;  // storage memory; loops counted once
  double column_bytes = 0;  // of both, where neighbours along y lie side by side, and not along x
  // Of the whole launch, to and from memory, where it is known to be less than all accesses
  // together (neighbours share elements); 0: not known.
  double traffic_bytes = 0;
  double operations = 0;   // everything that computes; loops counted once
  bool loops = false;      // so that both are lower bounds
  bool atomics = false;    // are most of what a lane does, in its loops where it has any
  bool pointwise = false;  // neighbouring invocations touch neighbouring elements
  bool scattered = false;  // what is loaded tells the places of other loads
  bool in_place = false;   // not pointwise, and writes what it reads: items wait for each other
  // Of the usual variant's code, where it is known.
  std::uint32_t registers = 0;
  std::uint64_t shared_bytes = 0;
};

// Nanoseconds up to a common factor, one for each variant; all > 0.
std::vector<double> expected_ns_of(const CostFacts& facts, const Profile& profile,
                                   std::span<const Variant> variants);

// How many workgroups a multiprocessor holds at once; 0: a workgroup does not fit.
std::uint32_t resident_groups(const Profile& profile, std::uint64_t threads,
                              std::uint32_t registers, std::uint64_t shared_bytes);

}  // namespace vyre
