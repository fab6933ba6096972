#include "vyre/tune/prior.h"

#include <algorithm>
#include <cmath>

#include "vyre/base/arithmetic.h"
#include "vyre/tune/space.h"

namespace vyre {
namespace {

// Bytes that must be on their way in a multiprocessor for half of the memory's speed.
constexpr double kHalfSpeedBytes = 4500;
// A group's start and end, on the whole device.
constexpr double kGroupNs = 0.3;
constexpr double kLaunchNs = 2500;
constexpr double kTypicalRegisters = 24;

double lanes_of(const Extent& e) { return double(e[0]) * e[1] * e[2]; }

double or_else(double value, double otherwise) { return value > 0 ? value : otherwise; }

double gpu_ns(const PriorFacts& f, const Profile& p, const Variant& v) {
  const double threads = lanes_of(v.workgroup);
  const double items = v.items_per_lane;
  const Extent covers = covered_by(v, f.kind);
  double groups = 1, covered = 1;
  for (unsigned i = 0; i < 3; ++i) {
    const double along = double(ceil_div<std::uint64_t>(std::max(f.extent[i], 1U), covers[i]));
    groups *= along;
    covered *= along * covers[i];
  }
  // Each further item keeps its loads and an index.
  const double registers =
      or_else(f.registers, kTypicalRegisters) + (items - 1) * (f.loaded_bytes / 4 + 1);
  const double resident = resident_groups(p, static_cast<std::uint64_t>(threads),
                                          static_cast<std::uint32_t>(registers), f.shared_bytes);
  const double multiprocessors = or_else(p.multiprocessors, 1);
  if (resident == 0) return 1e18;
  // What a launch that does not fill the device really holds.
  const double held = std::min(resident, std::max(1.0, groups / multiprocessors));
  // A group's place is empty until its last lane has ended: the fewer groups, the more of it.
  const double turnover = groups > resident * multiprocessors ? 1 - 0.5 / (resident + 0.5) : 1;
  const double in_flight = held * threads * items * std::max(f.loaded_bytes, 4.0) * turnover;
  const double share = in_flight / (in_flight + kHalfSpeedBytes);
  // The last wave is as long as any other.
  const double waves = groups / (resident * multiprocessors);
  const double tail = waves > 1 ? std::ceil(waves) / waves : 1;
  const double smoothed_tail = 1 + (tail - 1) * 0.5;

  const double accessed = covered * (f.loaded_bytes + f.stored_bytes);
  const double bytes = f.traffic_bytes > 0 ? std::min(accessed, f.traffic_bytes) : accessed;
  const double bandwidth = or_else(double(p.memory_bytes_per_second), 1e12) / 1e9;
  double memory_ns = bytes / (bandwidth * share);
  if (v.layout == ItemLayout::blocked) {
    // A lane's items lie together, so that a warp's accesses do not, unless they are vectors.
    const double item_bytes = f.pointwise ? items * 4 : items * 8;
    memory_ns *= item_bytes <= 16 ? 1.02 : 1 + 0.1 * (item_bytes / 16);
  }
  const double lanes_per_ns = multiprocessors * 128 * or_else(p.clock_khz, 1e6) / 1e6;
  const double compute_ns =
      covered * std::max(f.operations, 1.0) / lanes_per_ns / std::min(1.0, held * threads / 512);
  const double lanes = threads < 64 ? 1.05 : 1;
  // A lane with many items is a long chain where there are few lanes.
  const double chain = kLaunchNs / 10 * std::sqrt(items);
  return (std::max(memory_ns, compute_ns) * smoothed_tail + 0.2 * std::min(memory_ns, compute_ns)) *
             lanes +
         groups * kGroupNs + kLaunchNs + chain;
}

// On the host the usual variant is chosen with care; what is far from it is unlikely to be better.
double host_ns(const PriorFacts& f, const Variant& v) {
  double cost = std::max(1.0, lanes_of(f.extent)) * std::max(f.operations, 1.0) / 8 + 500;
  const double steps =
      std::abs(std::log2(double(v.gang_width)) - std::log2(double(f.usual.gang_width)));
  cost *= 1 + 0.08 * steps;
  if (v.items_per_lane != f.usual.items_per_lane) cost *= 1.05;
  if (v.groups_per_task != f.usual.groups_per_task) cost *= 1.02;
  if (v.workgroup != f.usual.workgroup) cost *= 1.01;
  return cost;
}

}  // namespace

std::uint32_t resident_groups(const Profile& p, std::uint64_t threads, std::uint32_t registers,
                              std::uint64_t shared_bytes) {
  if (threads == 0) return 0;
  const std::uint64_t warp = p.warp_size != 0 ? p.warp_size : 32;
  const std::uint64_t lanes = ceil_div(threads, warp) * warp;
  std::uint64_t most = p.max_blocks_per_multiprocessor != 0 ? p.max_blocks_per_multiprocessor : 32;
  if (p.max_threads_per_multiprocessor != 0) {
    most = std::min<std::uint64_t>(most, p.max_threads_per_multiprocessor / lanes);
  }
  if (p.registers_per_multiprocessor != 0 && registers != 0) {
    const std::uint64_t each = ceil_div<std::uint64_t>(registers, 8) * 8;  // how they are given out
    most = std::min(most, p.registers_per_multiprocessor / (each * lanes));
  }
  if (p.shared_bytes_per_multiprocessor != 0 && shared_bytes != 0) {
    most = std::min(most, p.shared_bytes_per_multiprocessor / (shared_bytes + 1024));
  }
  return static_cast<std::uint32_t>(most);
}

std::vector<double> prior_ns(const PriorFacts& facts, const Profile& profile,
                             std::span<const Variant> variants) {
  std::vector<double> out;
  out.reserve(variants.size());
  for (const Variant& v : variants) {
    out.push_back(facts.kind == TargetKind::nvptx ? gpu_ns(facts, profile, v) : host_ns(facts, v));
  }
  return out;
}

}  // namespace vyre
