#include "vyre/device/cpu/bands.h"

#include <algorithm>
#include <limits>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

using Launches = std::span<const std::optional<BandLaunch>>;

constexpr std::size_t kMostLaunches = 32;  // the most launches of one run
constexpr std::uint64_t kRegionsPerThread = 4;
constexpr std::uint64_t kBandsPerRegion = 4;  // a region has at least this many bands
constexpr std::uint64_t kSharedBytes =
    4096;  // a launch follows another in bands if they share at least this much

std::int64_t clamped(std::int64_t v, std::uint64_t most) {
  return std::clamp<std::int64_t>(v, 0, static_cast<std::int64_t>(most));
}
std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

// The address after the last byte that rows below `end` touch, and the address of the first byte
// that rows from `begin` on touch. Both are clamped to the memory.
std::uint64_t end_of(const BandLaunch& l, const BandReach& r, std::uint64_t end) {
  if (end == 0) return r.memory.address;
  const auto last = static_cast<std::int64_t>(std::min(end * l.row_length, l.length)) - 1;
  return r.memory.address +
         static_cast<std::uint64_t>(clamped(r.factor * last + r.high, r.memory.bytes));
}
std::uint64_t begin_of(const BandLaunch& l, const BandReach& r, std::uint64_t begin) {
  const auto first = static_cast<std::int64_t>(begin * l.row_length);
  return r.memory.address +
         static_cast<std::uint64_t>(clamped(r.factor * first + r.low, r.memory.bytes));
}

bool overlap(BoundMemory a, BoundMemory b) {
  return a.address < b.address + b.bytes && b.address < a.address + a.bytes;
}

// Whether the order of two accesses matters for any byte.
bool conflict(const BandLaunch& a, const BandReach& x, const BandLaunch& b, const BandReach& y) {
  if (!x.writes && !y.writes) return false;
  if (x.commutes != 0 && x.commutes == y.commutes) return false;
  if (!overlap(x.memory, y.memory)) return false;
  return begin_of(a, x, 0) < end_of(b, y, b.rows) && begin_of(b, y, 0) < end_of(a, x, a.rows);
}

// Two accesses whose order matters: one of a launch, and one of a launch before it.
struct Conflict {
  std::size_t before = 0;  // the launch of x
  const BandReach* x = nullptr;
  const BandReach* y = nullptr;
};
using Conflicts = std::vector<Conflict>;  // of one launch

Conflicts conflicts_of(Launches launches, std::size_t s) {
  Conflicts out;
  for (std::size_t p = 0; p < s; ++p) {
    for (const BandReach& x : launches[p]->reach) {
      for (const BandReach& y : launches[s]->reach) {
        if (conflict(*launches[p], x, *launches[s], y)) out.push_back({p, &x, &y});
      }
    }
  }
  return out;
}

// The number of rows of `before` that must have ended before the rows of `after` below `end` may
// run.
std::uint64_t rows_needed(const BandLaunch& before, const BandReach& x, const BandLaunch& after,
                          const BandReach& y, std::uint64_t end) {
  if (end == 0) return 0;
  const std::uint64_t touched = end_of(after, y, end);
  if (begin_of(before, x, 0) >= touched) return 0;
  if (x.factor == 0) return before.rows;
  // Counts the places r of `before` with factor * r + low < touched.
  const auto room = static_cast<std::int64_t>(touched - x.memory.address) - x.low;
  const std::int64_t places = std::max<std::int64_t>(ceil_of(room, x.factor), 1);
  return std::min(before.rows, ceil_div(static_cast<std::uint64_t>(places), before.row_length));
}

// The first row of `after` such that neither it nor any later row needs a row of `before` below
// `end`.
std::uint64_t first_without(const BandLaunch& before, const BandReach& x, const BandLaunch& after,
                            const BandReach& y, std::uint64_t end) {
  const std::uint64_t touched = end_of(before, x, end);
  if (end == 0 || touched <= begin_of(after, y, 0)) return 0;
  if (y.factor == 0) return after.rows;
  // The least place r of `after` with factor * r + low >= touched.
  const auto room = static_cast<std::int64_t>(touched - y.memory.address) - y.low;
  return std::min(after.rows,
                  ceil_div(static_cast<std::uint64_t>(ceil_of(room, y.factor)), after.row_length));
}

bool shares_memory(const BandLaunch& a, const BandLaunch& b, std::uint64_t least) {
  for (const BandReach& x : a.reach) {
    for (const BandReach& y : b.reach) {
      if (overlap(x.memory, y.memory) && std::min(x.memory.bytes, y.memory.bytes) >= least) {
        return true;
      }
    }
  }
  return false;
}

// All bytes that the launches touch.
std::uint64_t bytes_in_all(Launches launches) {
  std::vector<BoundMemory> seen;
  std::uint64_t out = 0;
  for (const auto& launch : launches) {
    for (const BandReach& r : launch->reach) {
      const bool known = std::ranges::any_of(seen, [&](BoundMemory m) {
        return m.address == r.memory.address && m.bytes == r.memory.bytes;
      });
      if (known) continue;
      seen.push_back(r.memory);
      out = saturating_add(out, r.memory.bytes);
    }
  }
  return out;
}

// The row up to which a launch can run, from a given row on, when the launches before it have ended
// `done` rows.
std::uint64_t row_limit(Launches launches, std::size_t s, const Conflicts& conflicts,
                        std::span<const std::uint64_t> done, std::uint64_t from,
                        std::uint64_t most) {
  const auto may = [&](std::uint64_t end) {
    return std::ranges::all_of(conflicts, [&](const Conflict& c) {
      return rows_needed(*launches[c.before], *c.x, *launches[s], *c.y, end) <= done[c.before];
    });
  };
  for (std::uint64_t step = 1; from < most; step *= 2) {
    const std::uint64_t next = std::min(most, from + step);
    if (may(next)) {
      from = next;
      continue;
    }
    std::uint64_t too_far = next;
    while (from + 1 < too_far) {
      const std::uint64_t middle = from + (too_far - from) / 2;
      (may(middle) ? from : too_far) = middle;
    }
    break;
  }
  return from;
}

// A run of launches, to which one launch after the other is added.
class Growing {
 public:
  explicit Growing(const BandMachine& machine) : machine_(machine) {}

  // Adds the last launch of `run`, or returns why it cannot be added.
  BandBoundary add(Launches run) {
    using enum BandBoundary;
    const std::size_t s = run.size() - 1;
    conflicts_.resize(s);
    conflicts_.push_back(conflicts_of(run, s));
    if (run[s]->rows / least_regions() < 2) return few_rows;
    if (s == 0) {
      begin(run);
      return none;
    }
    const std::uint64_t least = machine_.rows != 0 ? 1 : kSharedBytes;
    if (std::ranges::none_of(run.first(s),
                             [&](const auto& l) { return shares_memory(*l, *run[s], least); })) {
      return nothing_shared;
    }
    Starts starts = starts_;
    if (!divide(run, starts)) return waits_for_all;
    if (machine_.rows == 0 && bytes_in_use(run, 1) > most_in_use(run)) return over_cache;
    starts_ = std::move(starts);
    return none;
  }

  // The rows of a band: as many as the nearer cache holds, but not fewer than make sense.
  std::uint64_t rows_of_band(Launches run) const {
    if (machine_.rows != 0) return machine_.rows;
    const BandLaunch& first = *run[0];
    const std::uint64_t regions = starts_.size() - 1;
    const std::uint64_t most = std::max<std::uint64_t>(1, first.rows / (regions * kBandsPerRegion));
    std::uint64_t rows = std::min(
        most,
        std::max<std::uint64_t>(1, ceil_div(machine_.least_invocations, first.row_invocations)));
    while (2 * rows <= most && bytes_in_use(run, 2 * rows) <= near()) rows *= 2;
    return rows;
  }

  using Starts = std::vector<std::vector<std::uint64_t>>;
  Starts& starts() { return starts_; }

 private:
  std::uint64_t least_regions() const { return std::max<std::uint64_t>(2, machine_.threads); }
  std::uint64_t near() const { return machine_.near_bytes / 4 * 3; }

  std::uint64_t most_in_use(Launches run) const {
    if (bytes_in_all(run) <= machine_.far_bytes) return near();
    return std::max(near(), machine_.far_bytes / 2 / machine_.threads);
  }

  void begin(Launches run) {
    for (std::uint64_t regions = kRegionsPerThread * machine_.threads;; regions /= 2) {
      starts_.assign(std::max(regions, least_regions()) + 1, {});
      if (add_starts(run, 0, starts_) || regions <= least_regions()) return;
    }
  }

  // Divides the last launch into the regions of the launches before it, or all launches into fewer
  // regions.
  bool divide(Launches run, Starts& starts) const {
    if (add_starts(run, run.size() - 1, starts)) return true;
    while (starts.size() - 1 > least_regions()) {
      starts.assign(std::max((starts.size() - 1) / 2, least_regions()) + 1, {});
      bool all = true;
      for (std::size_t s = 0; s < run.size() && all; ++s) all = add_starts(run, s, starts);
      if (all) return true;
    }
    return false;
  }

  // Adds the first row of a launch in each region. False: the regions would be far too uneven.
  bool add_starts(Launches run, std::size_t s, Starts& starts) const {
    const BandLaunch& launch = *run[s];
    const std::uint64_t regions = starts.size() - 1;
    const std::uint64_t share = launch.rows / regions;
    if (share < 2) return false;
    for (std::uint64_t t = 0; t <= regions; ++t) {
      std::uint64_t start = launch.rows * t / regions;
      if (t != 0 && t != regions && !conflicts_[s].empty()) {
        start = 0;
        for (const Conflict& c : conflicts_[s]) {
          start = std::max(start,
                           first_without(*run[c.before], *c.x, launch, *c.y, starts[t][c.before]));
        }
      }
      if (t != 0) {
        const std::uint64_t before = starts[t - 1][s];
        if (start < before || start - before < (share + 1) / 2) return false;
      }
      starts[t].resize(s);
      starts[t].push_back(start);
    }
    return true;
  }

  // The bytes that are in use at once while a band of this many rows passes through the middle of
  // the launches: those touched between the oldest row that is still needed and the newest row.
  std::uint64_t bytes_in_use(Launches run, std::uint64_t rows) const {
    std::vector<std::uint64_t> before, after;
    const std::uint64_t middle = run[0]->rows / 2;
    for (std::size_t s = 0; s < run.size(); ++s) {
      const std::uint64_t all = run[s]->rows;
      if (s == 0) {
        before.push_back(middle);
        after.push_back(std::min(all, middle + rows));
        continue;
      }
      before.push_back(row_limit(run, s, conflicts_[s], before, 0, all));
      after.push_back(row_limit(run, s, conflicts_[s], after, before[s], all));
    }
    struct Window {
      std::uint64_t begin, end;
    };
    std::vector<Window> windows;
    for (std::size_t s = 0; s < run.size(); ++s) {
      for (const BandReach& r : run[s]->reach) {
        Window next{begin_of(*run[s], r, before[s]), end_of(*run[s], r, after[s])};
        if (next.begin >= next.end) continue;
        std::erase_if(windows, [&](const Window& w) {
          if (w.begin > next.end || next.begin > w.end) return false;
          next = {std::min(w.begin, next.begin), std::max(w.end, next.end)};
          return true;
        });
        windows.push_back(next);
      }
    }
    std::uint64_t out = 0;
    for (const Window& w : windows) out = saturating_add(out, w.end - w.begin);
    return out;
  }

  const BandMachine& machine_;
  std::vector<Conflicts> conflicts_;  // by launch
  Starts starts_;                     // by region and launch
};

}  // namespace

std::string_view sentence(BandBoundary boundary) {
  switch (boundary) {
    case BandBoundary::none:
    case BandBoundary::first_launch: return "";
    case BandBoundary::waits_anyway: return "the host may look at what comes before";
    case BandBoundary::memory_cleared: return "memory that they touch is cleared in between";
    case BandBoundary::many_launches: return "many launches before it already follow each other";
    case BandBoundary::not_known: return "what one of them touches is not known";
    case BandBoundary::few_rows: return "they have too few rows of workgroups";
    case BandBoundary::nothing_shared: return "they have no memory in common";
    case BandBoundary::waits_for_all: return "it needs all of a launch before it, or nearly all";
    case BandBoundary::fits_cache: return "all that they touch fits into the caches";
    case BandBoundary::over_cache: return "a band of them is larger than the cache";
  }
  return "";
}

std::optional<BandLaunch> band_launch(const Extent& grid, const Extent& extent,
                                      const Extent& workgroup,
                                      std::span<const BoundMemory> bindings,
                                      std::span<const ReachedBytes> reach) {
  // With these limits, sums of places and bytes cannot overflow 64 bits.
  constexpr std::int64_t kMost = std::int64_t{1} << 60, kMostFactor = std::int64_t{1} << 28;
  const std::size_t axis = extent[2] > 1 ? 2 : extent[1] > 1 ? 1 : 0;
  for (std::size_t a = axis + 1; a < 3; ++a) {
    if (grid[a] != 1) return std::nullopt;
  }
  std::uint64_t all = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    all = saturating_mul(all, saturating_mul<std::uint64_t>(grid[a], workgroup[a]));
  }
  if (all > static_cast<std::uint64_t>(kMost)) return std::nullopt;
  // A workgroup that covers more invocations than it has lanes would need other rows.
  if (workgroup[axis] == 0 || extent[axis] == 0 ||
      grid[axis] != ceil_div<std::uint64_t>(extent[axis], workgroup[axis])) {
    return std::nullopt;
  }
  BandLaunch out{
      .rows = grid[axis], .row_length = workgroup[axis], .length = extent[axis], .reach = {}};
  for (std::size_t a = 0; a < axis; ++a) out.row_groups *= grid[a];
  out.row_invocations = std::uint64_t{workgroup[axis]};
  for (std::size_t a = 0; a < axis; ++a) out.row_invocations *= extent[a];
  for (const ReachedBytes& r : reach) {
    if (r.slot >= bindings.size()) return std::nullopt;
    const BoundMemory memory = bindings[r.slot];
    if (memory.bytes == 0) continue;
    if (memory.bytes > static_cast<std::uint64_t>(kMost)) return std::nullopt;
    BandReach one{.memory = memory,
                  .writes = r.writes,
                  .commutes = r.commutes,
                  .factor = r.factor,
                  .low = std::max(r.low, -kMost),
                  .high = std::min(r.high, kMost)};
    if (one.factor < 0 || one.factor > kMostFactor || one.low > kMost || one.high < -kMost) {
      one.factor = 0;
      one.low = 0;
      one.high = kMost;
    }
    out.reach.push_back(one);
  }
  return out;
}

bool touches(const BandLaunch& launch, BoundMemory memory) {
  return std::ranges::any_of(launch.reach,
                             [&](const BandReach& r) { return overlap(r.memory, memory); });
}

BandPlan plan_bands(Launches launches, const BandMachine& machine) {
  BandPlan out;
  out.boundaries.assign(launches.size(), BandBoundary::first_launch);
  for (std::size_t first = 0; first < launches.size();) {
    Growing growing(machine);
    std::size_t end = first;
    for (; end < launches.size(); ++end) {
      BandBoundary why = BandBoundary::not_known;
      if (end - first == kMostLaunches) {
        why = BandBoundary::many_launches;
      } else if (launches[end]) {
        why = growing.add(launches.subspan(first, end - first + 1));
      }
      if (end != first) out.boundaries[end] = why;
      if (why == BandBoundary::none) continue;
      // The first launch itself may be unsuitable for bands.
      if (end == first && ++end < launches.size()) out.boundaries[end] = why;
      break;
    }
    const Launches own = launches.subspan(first, end - first);
    if (own.size() > 1) {
      if (machine.rows == 0 && bytes_in_all(own) <= machine.near_bytes * machine.threads) {
        for (std::size_t l = first + 1; l < end; ++l) out.boundaries[l] = BandBoundary::fits_cache;
      } else {
        out.runs.push_back({.first = first,
                            .count = own.size(),
                            .rows = growing.rows_of_band(own),
                            .starts = std::move(growing.starts())});
      }
    }
    first = end;
  }
  return out;
}

BandSchedule schedule_bands(Launches launches, const BandedRun& run) {
  const Launches own = launches.subspan(run.first, run.count);
  std::vector<Conflicts> conflicts;
  for (std::size_t s = 0; s < own.size(); ++s) conflicts.push_back(conflicts_of(own, s));
  BandSchedule out;
  out.steps.resize(run.regions());
  for (std::size_t region = 0; region < run.regions(); ++region) {
    std::vector<std::uint64_t> done = run.starts[region];
    const std::vector<std::uint64_t>& ends = run.starts[region + 1];
    const auto advance = [&](std::size_t s, std::uint64_t to) {
      if (to <= done[s]) return;
      BandStep step{.launch = static_cast<std::uint32_t>(s),
                    .from = done[s],
                    .to = to,
                    .first_wait = static_cast<std::uint32_t>(out.waits.size())};
      for (const Conflict& c : conflicts[s]) {
        const std::uint64_t needed = rows_needed(*own[c.before], *c.x, *own[s], *c.y, to);
        for (std::size_t behind = region + 1; behind < run.regions(); ++behind) {
          if (run.starts[behind][c.before] >= needed) break;
          out.waits.push_back({.region = static_cast<std::uint32_t>(behind),
                               .launch = static_cast<std::uint32_t>(c.before),
                               .row = std::min(needed, run.starts[behind + 1][c.before])});
        }
      }
      step.wait_count = static_cast<std::uint32_t>(out.waits.size()) - step.first_wait;
      out.steps[region].push_back(step);
      done[s] = to;
    };
    // The steps that this region alone allows come first. The steps at its end need rows of the
    // next regions as well.
    while (done[0] < ends[0]) {
      advance(0, std::min(ends[0], done[0] + run.rows));
      for (std::size_t s = 1; s < own.size(); ++s) {
        advance(s, row_limit(own, s, conflicts[s], done, done[s], ends[s]));
      }
    }
    for (std::size_t s = 1; s < own.size(); ++s) advance(s, ends[s]);
  }
  return out;
}

}  // namespace vyre
