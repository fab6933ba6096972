#include "vyre/device/cpu/bands.h"

#include <algorithm>
#include <limits>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

using Launches = std::span<const std::optional<BandLaunch>>;

constexpr std::size_t kMostLaunches = 64;  // of one run
constexpr std::uint64_t kRegionsPerThread = 4;
constexpr std::uint64_t kBandsPerRegion = 4;  // at least, so that a region is not one band
constexpr std::uint64_t kSharedBytes = 4096;  // that make it worth to follow a launch

std::int64_t clamped(std::int64_t v, std::uint64_t most) {
  return std::clamp<std::int64_t>(v, 0, static_cast<std::int64_t>(most));
}
std::int64_t ceil_of(std::int64_t a, std::int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; }

// One past the last byte that rows below `end` touch, and the first byte that rows from `begin` on
// touch: as addresses, cut to the memory.
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

// Whether the order of two accesses matters, somewhere.
bool conflict(const BandLaunch& a, const BandReach& x, const BandLaunch& b, const BandReach& y) {
  if (!x.writes && !y.writes) return false;
  if (x.commutes != 0 && x.commutes == y.commutes) return false;
  if (!overlap(x.memory, y.memory)) return false;
  return begin_of(a, x, 0) < end_of(b, y, b.rows) && begin_of(b, y, 0) < end_of(a, x, a.rows);
}

// The rows of `before` that must have ended before the rows of `after` below `end` run.
std::uint64_t rows_needed(const BandLaunch& before, const BandLaunch& after, std::uint64_t end) {
  std::uint64_t most = 0;
  if (end == 0) return most;
  for (const BandReach& x : before.reach) {
    for (const BandReach& y : after.reach) {
      if (!conflict(before, x, after, y)) continue;
      const std::uint64_t touched = end_of(after, y, end);
      if (begin_of(before, x, 0) >= touched) continue;
      std::uint64_t rows = before.rows;
      if (x.factor > 0) {
        // Places r of `before` with factor * r + low < touched.
        const auto room = static_cast<std::int64_t>(touched - x.memory.address) - x.low;
        const std::int64_t places = ceil_of(room, x.factor);
        rows = std::min<std::uint64_t>(
            before.rows, ceil_div(static_cast<std::uint64_t>(std::max<std::int64_t>(places, 1)),
                                  before.row_length));
      }
      most = std::max(most, rows);
    }
  }
  return most;
}

// The first row of `after` from which on no row needs one of `before` below `end`; absent: the two
// have nothing to do with each other.
std::optional<std::uint64_t> first_without(const BandLaunch& before, const BandLaunch& after,
                                           std::uint64_t end) {
  std::optional<std::uint64_t> out;
  for (const BandReach& x : before.reach) {
    for (const BandReach& y : after.reach) {
      if (!conflict(before, x, after, y)) continue;
      out = out.value_or(0);
      const std::uint64_t touched = end_of(before, x, end);
      if (end == 0 || touched <= begin_of(after, y, 0)) continue;
      std::uint64_t row = after.rows;
      if (y.factor > 0) {
        // The least place r of `after` with factor * r + low >= touched.
        const auto room = static_cast<std::int64_t>(touched - y.memory.address) - y.low;
        row = std::min<std::uint64_t>(
            after.rows,
            ceil_div(static_cast<std::uint64_t>(ceil_of(room, y.factor)), after.row_length));
      }
      out = std::max(*out, row);
    }
  }
  return out;
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

// The first rows of each region, with equal parts of the first launch; empty: a region would have
// far less of a launch than another one.
std::vector<std::vector<std::uint64_t>> starts_of(Launches launches, std::uint64_t regions) {
  std::vector<std::vector<std::uint64_t>> out;
  for (std::uint64_t t = 0; t <= regions; ++t) {
    std::vector<std::uint64_t>& starts = out.emplace_back();
    for (std::size_t s = 0; s < launches.size(); ++s) {
      const BandLaunch& launch = *launches[s];
      const std::uint64_t share = launch.rows / regions;
      if (share < 2) return {};
      std::uint64_t start = 0;
      if (t == regions) {
        start = launch.rows;
      } else if (t != 0) {
        std::optional<std::uint64_t> first;
        for (std::size_t p = 0; p < s; ++p) {
          const auto here = first_without(*launches[p], launch, starts[p]);
          if (here) first = std::max(first.value_or(0), *here);
        }
        start = first.value_or(launch.rows * t / regions);
      }
      starts.push_back(start);
      if (t == 0) continue;
      const std::uint64_t before = out[t - 1][s];
      if (start < before || start - before < (share + 1) / 2) return {};
    }
  }
  return out;
}

std::vector<std::vector<std::uint64_t>> starts_for(Launches launches, const BandMachine& machine) {
  std::uint64_t regions = std::max<std::uint64_t>(2, kRegionsPerThread * machine.threads);
  const std::uint64_t least = std::max<std::uint64_t>(2, machine.threads);
  for (;; regions /= 2) {
    auto starts = starts_of(launches, std::max(regions, least));
    if (!starts.empty() || regions <= least) return starts;
  }
}

// How far a launch can go while those before it have ended `done` rows.
std::uint64_t row_limit(Launches launches, std::size_t s, std::span<const std::uint64_t> done,
                        std::uint64_t from, std::uint64_t most) {
  const auto may = [&](std::uint64_t end) {
    for (std::size_t p = 0; p < s; ++p) {
      if (rows_needed(*launches[p], *launches[s], end) > done[p]) return false;
    }
    return true;
  };
  if (from >= most || may(most)) return std::max(from, most);
  while (from + 1 < most) {
    const std::uint64_t middle = from + (most - from) / 2;
    (may(middle) ? from : most) = middle;
  }
  return from;
}

// The bytes that are touched from the oldest row that is still needed to the newest one, while a
// band of so many rows passes through the middle.
std::uint64_t bytes_in_use(Launches launches, std::uint64_t rows) {
  std::vector<std::uint64_t> before, after;
  const std::uint64_t middle = launches[0]->rows / 2;
  for (std::size_t s = 0; s < launches.size(); ++s) {
    const BandLaunch& launch = *launches[s];
    before.push_back(s == 0 ? middle : row_limit(launches, s, before, 0, launch.rows));
    after.push_back(s == 0 ? std::min(launch.rows, middle + rows)
                           : row_limit(launches, s, after, 0, launch.rows));
  }
  struct Window {
    std::uint64_t begin, end;
  };
  std::vector<Window> windows;
  for (std::size_t s = 0; s < launches.size(); ++s) {
    for (const BandReach& r : launches[s]->reach) {
      Window next{begin_of(*launches[s], r, before[s]), end_of(*launches[s], r, after[s])};
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

std::uint64_t most_in_use(Launches launches, const BandMachine& machine) {
  const std::uint64_t near = machine.near_bytes / 4 * 3;
  if (bytes_in_all(launches) <= machine.far_bytes) return near;
  return std::max(near, machine.far_bytes / 2 / machine.threads);
}

// The rows of a band: as many as the nearer cache holds, or so few as make sense.
std::uint64_t rows_of_band(Launches launches, const BandMachine& machine, std::uint64_t regions) {
  if (machine.rows != 0) return machine.rows;
  const BandLaunch& first = *launches[0];
  const std::uint64_t near = machine.near_bytes / 4 * 3;
  const std::uint64_t most = std::max<std::uint64_t>(1, first.rows / (regions * kBandsPerRegion));
  std::uint64_t rows = std::min(
      most, std::max<std::uint64_t>(1, ceil_div(machine.least_invocations, first.row_invocations)));
  while (2 * rows <= most && bytes_in_use(launches, 2 * rows) <= near) rows *= 2;
  return rows;
}

BandBoundary why_not_together(Launches run, const BandMachine& machine,
                              std::vector<std::vector<std::uint64_t>>& starts) {
  using enum BandBoundary;
  const BandLaunch& last = *run.back();
  const std::uint64_t regions = std::max<std::uint64_t>(2, machine.threads);
  if (run.size() == 2 && run[0]->rows / regions < 2) return few_rows;
  if (last.rows / regions < 2) return few_rows;
  const std::uint64_t least = machine.rows != 0 ? 1 : kSharedBytes;
  if (std::ranges::none_of(run.first(run.size() - 1),
                           [&](const auto& l) { return shares_memory(*l, last, least); })) {
    return nothing_shared;
  }
  starts = starts_for(run, machine);
  if (starts.empty()) return waits_for_all;
  if (machine.rows == 0 && bytes_in_use(run, 1) > most_in_use(run, machine)) return over_cache;
  return none;
}

}  // namespace

std::string_view sentence(BandBoundary boundary) {
  switch (boundary) {
    case BandBoundary::none:
    case BandBoundary::first_launch: return "";
    case BandBoundary::waits_anyway: return "the host may look at what comes before";
    case BandBoundary::memory_cleared: return "memory that they touch is cleared in between";
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
  // Sums of places and bytes stay far from the ends of 64 bits.
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
  // A workgroup that covers more than its own invocations has other rows.
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
    BandedRun run{.first = first, .count = 1, .starts = {}};
    if (launches[first]) {
      while (first + run.count < launches.size() && run.count < kMostLaunches) {
        const std::size_t next = first + run.count;
        out.boundaries[next] = BandBoundary::not_known;
        if (!launches[next]) break;
        auto starts = run.starts;
        out.boundaries[next] =
            why_not_together(launches.subspan(first, run.count + 1), machine, starts);
        if (out.boundaries[next] != BandBoundary::none) break;
        run.starts = std::move(starts);
        ++run.count;
      }
    } else if (first + 1 < launches.size()) {
      out.boundaries[first + 1] = BandBoundary::not_known;
    }
    const Launches own = launches.subspan(first, run.count);
    first += run.count;
    if (run.count < 2) continue;
    if (machine.rows == 0 && bytes_in_all(own) <= machine.near_bytes * machine.threads) {
      for (std::size_t l = run.first + 1; l < first; ++l) {
        out.boundaries[l] = BandBoundary::fits_cache;
      }
      continue;
    }
    run.rows = rows_of_band(own, machine, run.regions());
    out.runs.push_back(std::move(run));
  }
  return out;
}

BandSchedule schedule_bands(Launches launches, const BandedRun& run) {
  const Launches own = launches.subspan(run.first, run.count);
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
      for (std::size_t p = 0; p < s; ++p) {
        const std::uint64_t needed = rows_needed(*own[p], *own[s], to);
        for (std::size_t behind = region + 1; behind < run.regions(); ++behind) {
          if (run.starts[behind][p] >= needed) break;
          out.waits.push_back({.region = static_cast<std::uint32_t>(behind),
                               .launch = static_cast<std::uint32_t>(p),
                               .row = std::min(needed, run.starts[behind + 1][p])});
        }
      }
      step.wait_count = static_cast<std::uint32_t>(out.waits.size()) - step.first_wait;
      out.steps[region].push_back(step);
      done[s] = to;
    };
    // What this region itself allows, and then, behind its own rows, what the next ones allow too.
    while (done[0] < ends[0]) {
      advance(0, std::min(ends[0], done[0] + run.rows));
      for (std::size_t s = 1; s < own.size(); ++s) {
        advance(s, row_limit(own, s, done, done[s], ends[s]));
      }
    }
    for (std::size_t s = 1; s < own.size(); ++s) advance(s, ends[s]);
  }
  return out;
}

}  // namespace vyre
