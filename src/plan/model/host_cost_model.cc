// The cost model of the CPU. Its constants were fitted to times of kernels on processors with
// vectors of 16 lanes.
#include <algorithm>
#include <cmath>

#include "vyre/base/arithmetic.h"
#include "vyre/plan/model/cost_model_internal.h"

namespace vyre {
namespace {

constexpr double kOperationNs = 0.4;   // the time of one vector operation
constexpr double kRounds = 64;         // assumed iterations of a loop of unknown length
constexpr double kBytesOfThread = 10;  // bytes per nanosecond that one thread moves
constexpr double kBytesOfAll = 60;     // bytes per nanosecond that all threads move together
// Memory is faster by this factor if the data fit into half of the last-level cache.
constexpr double kCachedSpeed = 3;
constexpr double kTaskNs = 30;         // the time to begin a task
constexpr double kLeastTaskNs = 500;   // the length of the shortest task that the device makes
constexpr double kSharingNs = 2000;    // the time to give work to threads and wait for them
constexpr double kTasksPerThread = 8;  // tasks that the device makes for each thread
constexpr double kUneven = 0.3;  // the share of a task for which threads wait for the last one
// The share of the shorter of computing and memory access that does not overlap.
constexpr double kHidden = 0.15;
constexpr double kAskedFor =
    1.01;  // the cost of tasks of a fixed size beside those that the device chooses
constexpr double kOtherShape = 1.004;  // the cost of workgroup shapes other than the declared one
// Beyond this, two vectors at a time do not fit into registers.
constexpr double kManyOperations = 400;

double volume(const Extent& e) { return double(e[0]) * e[1] * e[2]; }

bool works_in_groups(const CostFacts& f) { return f.shared_bytes != 0; }

// For programs whose usual gang is 1, because their lanes diverge or gather: vectors help little.
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

// Lanes that read and write rows of their own and do little else: vectors only multiply the lines
// of the cache that are in use at once.
bool moves_rows(const CostFacts& f) {
  constexpr double kFewOperations = 6;  // for each access
  return f.rows_stored > 0 && f.operations <= kFewOperations * (f.rows_loaded + f.rows_stored);
}

// The work of a gang, relative to one native vector.
double gang_factor(const CostFacts& f, double native, const Variant& v) {
  const double gang = v.gang_width;
  if (f.usual.gang_width == 1 || moves_rows(f)) return gang_of_single_lanes(gang, native);
  if (f.atomics) return gang_of_atomics(gang, native, f.loops);
  double out = 1;
  if (gang == 1) {
    // LLVM still vectorises a gang of 1, but less well.
    out = f.loops ? native / 3 : f.pointwise ? 1.1 : 2.2;
  } else if (gang < native) {
    out = 1 + 0.45 * std::log2(native / gang);
  } else if (gang > native) {
    // A second vector hides the latency of the first.
    const double vectors = gang / native;
    // In a loop, the elements of a wider gang lie in more lines than the nearest cache has room
    // for.
    const bool fixed = f.usual.gang_width > native;
    if (!fixed && f.loops && (f.scattered || f.rows_loaded > 0)) return 1.25;
    const bool waits = !f.loops || works_in_groups(f) || f.usual.gang_width > native;
    out = f.operations > kManyOperations ? 1.15 : waits ? 0.88 : 0.97;
    if (vectors > 2) out *= 1 + 0.1 * std::log2(vectors / 2);
  }
  return out;
}

// Lanes beyond the end of a row are idle. Workgroups that share memory run one by one; others are
// joined along x within a task.
double idle_lanes(const CostFacts& f, const Variant& v) {
  double row = v.workgroup[0];
  if (!works_in_groups(f)) {
    row = std::max(1.0, double(f.extent[0]));
    if (v.groups_per_task > 1) row = std::min(row, double(v.groups_per_task) * v.workgroup[0]);
  }
  return std::ceil(row / v.gang_width) * v.gang_width / row;
}

// The time of one thread, and the memory time of all threads together.
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
  // In the last round not every thread has a task, and tasks differ in length.
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
  // The device shares work where that pays, in tasks that keep all threads busy. Tasks of a fixed
  // size can at best come close to that.
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
