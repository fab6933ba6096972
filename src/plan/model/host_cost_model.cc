// Variants on the host's processor. The figures were read off times of kernels on processors with
// vectors of 16 lanes.
#include <algorithm>
#include <cmath>

#include "vyre/base/arithmetic.h"
#include "vyre/plan/model/cost_model_internal.h"

namespace vyre {
namespace {

constexpr double kOperationNs = 0.4;     // of one vector
constexpr double kRounds = 64;           // of a loop whose rounds nobody knows
constexpr double kBytesOfThread = 10;    // a nanosecond, from and to memory
constexpr double kBytesOfAll = 60;       // the same, of all threads together
constexpr double kCachedSpeed = 3;       // times that, within half of the last-level cache
constexpr double kTaskNs = 30;           // to begin one
constexpr double kLeastTaskNs = 500;     // of one that the device makes
constexpr double kSharingNs = 2000;      // to hand work to threads, and wait for them
constexpr double kTasksPerThread = 8;    // that the device makes
constexpr double kUneven = 0.3;          // of a task that threads wait for the last one
constexpr double kHidden = 0.15;         // of the shorter of computing and memory that is not
constexpr double kAskedFor = 1.01;       // tasks of a given size beside the device's own
constexpr double kOtherShape = 1.004;    // than the one that the program's text asks for
constexpr double kManyOperations = 400;  // of which two vectors at a time have no registers

double volume(const Extent& e) { return double(e[0]) * e[1] * e[2]; }

bool works_in_groups(const CostFacts& f) { return f.shared_bytes != 0; }

// Each lane takes its own way or waits for its own memory, so that vectors help little: what is
// usual tells.
double gang_of_single_lanes(double gang, double native) {
  if (gang == 1) return 1;
  return gang < native ? 3 : gang == native ? 1.6 : 1.3;
}

// Atomic operations of a gang happen one lane after the other.
double gang_of_atomics(double gang, double native, bool loops) {
  if (gang == 1) return 1;
  if (gang < native) return 1.05;
  return gang == native ? (loops ? 3 : 1.2) : (loops ? 10 : 1.5);
}

// Times the work of a native vector.
double gang_factor(const CostFacts& f, double native, const Variant& v) {
  const double gang = v.gang_width;
  if (f.usual.gang_width == 1) return gang_of_single_lanes(gang, native);
  if (f.atomics) return gang_of_atomics(gang, native, f.loops);
  double out = 1;
  if (gang == 1) {
    // Lanes that all do the same are made vectors of all the same, if not as good ones.
    out = f.loops ? native / 3 : f.pointwise ? 1.1 : 2.2;
  } else if (gang < native) {
    out = 1 + 0.45 * std::log2(native / gang);
  } else if (gang > native) {
    // A second vector fills the time in which the first one waits.
    const double vectors = gang / native;
    const bool waits = !f.loops || works_in_groups(f) || f.usual.gang_width > native;
    out = f.operations > kManyOperations ? 1.15 : waits ? 0.88 : 0.97;
    if (vectors > 2) out *= 1 + 0.1 * std::log2(vectors / 2);
  }
  return out;
}

// Lanes beyond the end of a row idle. Workgroups that share memory run one by one, others along x
// as if they were one, as far as a task goes.
double idle_lanes(const CostFacts& f, const Variant& v) {
  double row = v.workgroup[0];
  if (!works_in_groups(f)) {
    row = std::max(1.0, double(f.extent[0]));
    if (v.groups_per_task > 1) row = std::min(row, double(v.groups_per_task) * v.workgroup[0]);
  }
  return std::ceil(row / v.gang_width) * v.gang_width / row;
}

// What one thread would take, and what the memory takes of all of them together.
struct Work {
  double compute_ns = 0, alone_ns = 0, memory_ns = 0;
};

Work work_of(const CostFacts& f, const Profile& p, const Variant& v) {
  const double native = std::max(4U, p.warp_size);
  const double threads = std::max(1U, p.multiprocessors);
  const double lanes = std::max(1.0, volume(f.extent));
  Work out;
  out.compute_ns = lanes / native * (f.operations + 1) * (f.loops ? kRounds : 1) * kOperationNs *
                   gang_factor(f, native, v) * idle_lanes(f, v);
  const double accessed = lanes * (f.loaded_bytes + f.stored_bytes);
  const double bytes = f.traffic_bytes > 0 ? std::min(accessed, f.traffic_bytes) : accessed;
  const bool cached = bytes < double(p.last_level_cache_bytes) / 2;
  const double speed = cached ? kCachedSpeed : 1;
  out.alone_ns = std::max(out.compute_ns, bytes / (kBytesOfThread * speed));
  out.memory_ns = bytes / (std::min(kBytesOfThread * threads, kBytesOfAll) * speed);
  return out;
}

double shared_ns(const Work& w, double tasks, double threads) {
  if (tasks < 2 || threads < 2) return w.alone_ns;
  // The last turn has not a task for every thread, and no two take the same time.
  const double turns = std::ceil(tasks / threads);
  const double busy = tasks / turns / (1 + kUneven / turns);
  const double compute_ns = w.compute_ns / std::max(1.0, busy);
  return std::max(compute_ns, w.memory_ns) + kHidden * std::min(compute_ns, w.memory_ns) +
         kTaskNs * turns + kSharingNs;
}

}  // namespace

double host_ns(const CostFacts& f, const Profile& p, const Variant& v) {
  const double threads = std::max(1U, p.multiprocessors);
  const Work work = work_of(f, p, v);
  double groups = 1;
  for (unsigned i = 0; i < 3; ++i) {
    groups *= double(ceil_div<std::uint64_t>(std::max(f.extent[i], 1U), v.workgroup[i]));
  }
  // The device shares where it pays, in tasks that keep all threads busy: tasks of a given size can
  // only come near to that.
  const double own = std::min({groups, kTasksPerThread * threads, work.alone_ns / kLeastTaskNs});
  const double even = own > threads ? std::floor(own / threads) * threads : std::floor(own);
  double ns = std::min(work.alone_ns, shared_ns(work, even, threads));
  if (v.groups_per_task > 1) {
    const double tasks = std::ceil(groups / v.groups_per_task);
    ns = kAskedFor * std::max(ns, shared_ns(work, tasks, threads));
  }
  if (v.items_per_lane != f.usual.items_per_lane) ns *= 1.05;
  if (v.workgroup != f.usual.workgroup) ns *= kOtherShape;
  return ns;
}

}  // namespace vyre
