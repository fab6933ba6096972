#include "vyre/plan/model/cost_model.h"

#include <algorithm>
#include <cmath>

#include "vyre/base/arithmetic.h"
#include "vyre/plan/model/cost_model_internal.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

// These constants were fitted to times of kernels on an H200, whose memory reaches 4.1 of its
// nominal 4.8 TB/s. Other GPUs differ, but the order of variants changes little.

// With this many bytes in flight per multiprocessor, a launch reaches half of the memory's speed.
constexpr double kHalfSpeedBytes = 7600;
constexpr double kReachedShare = 0.87;  // the reached share of the memory's nominal speed
// Memory is faster by this factor if the data fit into half of the last-level cache.
constexpr double kCachedSpeed = 1.6;
constexpr double kGroupNs = 0.6;        // between the starts of two workgroups
constexpr double kWarpStartNs = 0.077;  // between the starts of two warps
constexpr double kLaunchNs = 900;
constexpr double kLatencyNs = 800;  // the latency of a load
constexpr double kInPlaceNs = 400;  // for each doubling of items that must stay in order
// A launch whose workgroups all run at once loses this share of the memory's speed that other
// launches would lose.
constexpr double kMissedAtOnce = 0.5;
constexpr double kLaneOperations = 20;  // operations of a lane before its first item
constexpr double kOperationNs = 2;      // of an operation that depends on the previous one
constexpr double kRounds = 64;          // assumed iterations of a loop of unknown length
// The cost of each warp beyond the first of each of the four schedulers.
constexpr double kWarpShare = 0.19;
// A launch is slower by this share for each doubling of its items per lane, if the items share no
// data.
constexpr double kItemShare = 0.015;
// One multiprocessor can use this many times its equal share of the bandwidth.
constexpr double kDrawnByOne = 2;
constexpr double kSectorBytes = 32;
// A launch that writes columns is slower by this share for each doubling of its items per lane.
constexpr double kColumnItems = 0.1;
// The share of the time that remains if a lane loads four neighbours at once.
constexpr double kWideAccess = 0.95;
constexpr double kTypicalRegisters = 24;
constexpr double kLanesOfSchedulers = 128;

double lanes_of(const Extent& e) { return double(e[0]) * e[1] * e[2]; }

double or_else(double value, double otherwise) { return value > 0 ? value : otherwise; }

// What the model computes about a launch before it computes times.
struct GpuLaunch {
  double threads = 1, items = 1, groups = 1, covered = 1;
  double resident = 1;  // workgroups that a multiprocessor can hold
  double held = 1;      // workgroups that it holds in this launch, which may not fill the device
  bool fills = false;
};

GpuLaunch launch_of(const CostFacts& f, const Profile& p, const Variant& v) {
  GpuLaunch out;
  out.threads = lanes_of(v.workgroup);
  out.items = v.items_per_lane;
  const Extent covers = covered_by(v, f.kind);
  for (unsigned i = 0; i < 3; ++i) {
    const double along = double(ceil_div<std::uint64_t>(std::max(f.extent[i], 1U), covers[i]));
    out.groups *= along;
    out.covered *= along * covers[i];
  }
  // Each further item needs registers for its loads, some of which neighbours share, and an index.
  // Code for a workgroup never uses more registers than fit.
  const double wanted = kTypicalRegisters + (f.operations > 50 ? 16 : 0) +
                        (f.loops ? 0 : (out.items - 1) * (f.loaded_bytes / 8 + 1));
  const double most = or_else(p.registers_per_multiprocessor, 65536) / std::max(32.0, out.threads);
  const double registers = std::min(wanted, std::max(kTypicalRegisters, most));
  out.resident =
      std::max(1U, resident_groups(p, static_cast<std::uint64_t>(out.threads),
                                   static_cast<std::uint32_t>(registers), f.shared_bytes));
  const double multiprocessors = or_else(p.multiprocessors, 1);
  out.held = std::min(out.resident, std::max(1.0, out.groups / multiprocessors));
  out.fills = out.groups > out.resident * multiprocessors;
  return out;
}

bool streams(const CostFacts& f) { return f.pointwise && f.operations <= 50; }

double blocks_of_four(const CostFacts& f, bool cached) {
  if (f.pointwise) return 1.01;
  if (f.loops || f.extent[1] > 1) return 1.12;
  return cached || f.scattered ? 1 : kWideAccess;
}

// The sectors that the lanes of a warp touch, divided by the sectors that their words would fill.
// Accesses to rows and to columns favour different workgroup shapes.
double sector_factor(const CostFacts& f, const Variant& v) {
  const double across = std::min(32U, v.workgroup[0]);
  const double down = std::min<double>(v.workgroup[1], 32 / across);
  const double columns = f.column_bytes / (f.loaded_bytes + f.stored_bytes);
  const double words = kSectorBytes / 4;
  return ((1 - columns) * words / std::min(across, words) +
          columns * words / std::min(down, words)) *
         (1 + kColumnItems * std::log2(v.items_per_lane));
}

// Neighbouring lanes should touch adjacent memory.
double access_factor(const CostFacts& f, const Variant& v, bool cached) {
  double out = 1;
  if (v.layout == ItemLayout::blocked) {
    switch (v.items_per_lane) {
      case 1: break;
      case 2: out *= 1.003; break;
      case 4: out *= blocks_of_four(f, cached); break;
      case 8: out *= streams(f) ? 1.2 : 2; break;
      default: out *= streams(f) ? 1.4 : 3.5;
    }
  }
  if (f.column_bytes > 0) return out * sector_factor(f, v);
  if (v.workgroup[0] < 16) {
    out *= 1.25;
  } else if (v.workgroup[0] < 32) {
    out *= 1.1;
  }
  // The rows of a workgroup share the elements between them.
  if (f.extent[1] > 1 && v.workgroup[1] == 1) out *= 1.06;
  return out;
}

double gpu_ns(const CostFacts& f, const Profile& p, const Variant& v) {
  const GpuLaunch l = launch_of(f, p, v);
  const double multiprocessors = or_else(p.multiprocessors, 1);
  const bool only_computes = f.loops && f.loaded_bytes == 0;

  // The place of a workgroup stays taken until its last lane has ended; with few workgroups this
  // wastes more.
  const double turnover = l.fills ? 1 - 0.75 / (l.resident + 0.25) : 1;
  // The loads of all items of a lane overlap, unless the items are whole loops.
  const double in_flight =
      l.held * l.threads * (f.loops ? 1 : l.items) * std::max(f.loaded_bytes, 4.0) * turnover;
  const bool at_once = !l.fills && !f.loops;
  const double missing = kHalfSpeedBytes / in_flight * (at_once ? kMissedAtOnce : 1);
  const double accessed = l.covered * (f.loaded_bytes + f.stored_bytes);
  const double bytes = f.traffic_bytes > 0 ? std::min(accessed, f.traffic_bytes) : accessed;
  const bool cached = bytes < double(p.last_level_cache_bytes) / 2;
  const double bandwidth = or_else(double(p.memory_bytes_per_second), 1e12) / 1e9 * kReachedShare *
                           (cached ? kCachedSpeed : 1);
  double memory_ns = bytes / bandwidth * (1 + missing * missing);
  if (f.loops) memory_ns *= 4;
  if (!only_computes) memory_ns *= access_factor(f, v, cached);
  if ((f.scattered && !f.loops) || streams(f)) memory_ns *= 1 + kItemShare * std::log2(l.items);
  if (!f.loops) memory_ns *= std::max(1.0, multiprocessors / (kDrawnByOne * l.groups));

  const double waves = l.groups / (l.resident * multiprocessors);
  const double tail = waves > 1 ? 1 + 0.5 * (std::ceil(waves) / waves - 1) : 1;
  const double warps = std::max(1.0, l.held * l.threads / kLanesOfSchedulers);
  const double operations =
      kLaneOperations + l.items * std::max(f.operations, 1.0) * (f.loops ? kRounds : 1);
  double compute_ns =
      std::max(1.0, waves) * tail * operations * kOperationNs * (1 + kWarpShare * (warps - 1));
  if (l.fills) compute_ns /= 1 - 0.25 / (l.resident + 0.25);
  // Lanes of a warp wait for each other at every item.
  if (only_computes) compute_ns *= 1 + 0.3 * std::log2(l.items);

  // If all workgroups run at once, the latency is part of the time that every launch takes.
  double latency_ns = kLatencyNs * (1 + 0.06 * (l.items - 1)), waiting_ns = 0;
  double start_ns = l.groups * kGroupNs;
  if (at_once) {
    latency_ns = 0;
    if (f.in_place) waiting_ns = kInPlaceNs * std::log2(l.items);
    start_ns = std::max(start_ns, l.groups * std::ceil(l.threads / 32) * kWarpStartNs);
  }
  const double longest = std::max({memory_ns, compute_ns, start_ns, latency_ns});
  // Few lanes cannot hide each other's latency; many lanes wait for each other.
  const double width = l.threads <= 32    ? 1.10
                       : l.threads <= 64  ? 1.04
                       : l.threads <= 128 ? 1.01
                       : l.threads > 512  ? 1.01
                                          : 1;
  return (longest + 0.15 * std::min(memory_ns, compute_ns)) * width + waiting_ns + kLaunchNs;
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
    // Registers are allocated in units of 8.
    const std::uint64_t each = ceil_div<std::uint64_t>(registers, 8) * 8;
    most = std::min(most, p.registers_per_multiprocessor / (each * lanes));
  }
  if (p.shared_bytes_per_multiprocessor != 0 && shared_bytes != 0) {
    most = std::min(most, p.shared_bytes_per_multiprocessor / (shared_bytes + 1024));
  }
  return static_cast<std::uint32_t>(most);
}

std::vector<double> expected_ns_of(const CostFacts& facts, const Profile& profile,
                                   std::span<const Variant> variants) {
  std::vector<double> out;
  out.reserve(variants.size());
  for (const Variant& v : variants) {
    out.push_back(facts.kind == TargetKind::nvptx ? gpu_ns(facts, profile, v)
                                                  : host_ns(facts, profile, v));
  }
  return out;
}

}  // namespace vyre
