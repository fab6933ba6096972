// Launches that follow each other band by band.
//
// A row of a launch is all workgroups with one place along the slowest axis of the extent; they are
// neighbours in the numbering of workgroups. Two rows conflict if they touch the same bytes and one
// of them writes there. A row may run as soon as all rows of earlier launches that conflict with it
// have ended. A run of neighbouring launches is divided into regions along the rows. In each launch
// a region begins at the first row that needs nothing of the regions before it, so threads can work
// on different regions at once. At its end, a region waits for the first rows of the region behind
// it. Every workgroup runs once.
//
// Everything here is a pure function of extents and reaches; band_player.cc runs what is decided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "vyre/device/device.h"

namespace vyre {

// The bytes that a launch touches (ReachedBytes), and the memory that they are in.
struct BandReach {
  BoundMemory memory;
  bool writes = false;
  std::uint8_t commutes = 0;
  std::int64_t factor = 0;  // not negative
  std::int64_t low = 0;
  std::int64_t high = 0;
};

struct BandLaunch {
  std::uint64_t rows = 0;        // of workgroups
  std::uint64_t row_length = 1;  // invocations of a row along the slowest axis
  std::uint64_t length = 1;      // of the extent along that axis
  std::uint64_t row_groups = 1;  // workgroups of a row
  std::uint64_t row_invocations = 1;
  std::vector<BandReach> reach;
};

// Absent: the workgroups of the launch do not form such rows.
std::optional<BandLaunch> band_launch(const Extent& grid, const Extent& extent,
                                      const Extent& workgroup,
                                      std::span<const BoundMemory> bindings,
                                      std::span<const ReachedBytes> reach);

// Whether some bytes of the memory are touched by the launch.
bool touches(const BandLaunch& launch, BoundMemory memory);

struct BandMachine {
  unsigned threads = 1;
  std::uint64_t near_bytes = 0;            // the size of the cache that one thread has to itself
  std::uint64_t far_bytes = 0;             // the size of the cache that all threads share
  std::uint64_t least_invocations = 4096;  // of a band, so that starting it does not matter
  std::uint64_t rows = 0;  // not 0: every band has this many rows, and launches run in bands
                           // whether that pays or not
};

// Why a launch is not in the same run as the launch before it.
enum class BandBoundary : std::uint8_t {
  none,            // it is in the same run
  first_launch,    // there is none before it
  waits_anyway,    // it begins when everything before it has ended, whatever it touches
  memory_cleared,  // memory that one of them touches is cleared or copied in between
  not_known,       // what one of them touches is not known
  many_launches,   // the run has as many launches as a run can have
  few_rows,        // one of them has too few rows to be divided
  nothing_shared,  // it touches no memory that the launches before it touch
  waits_for_all,   // it needs all of a launch before it, or nearly all
  fits_cache,      // all that they touch stays in the caches anyway
  over_cache,      // a band of all of them is larger than the cache
};
// "they have no memory in common"; empty for `none` and `first_launch`.
std::string_view sentence(BandBoundary boundary);

struct BandedRun {
  std::size_t first = 0, count = 0;  // launches
  std::uint64_t rows = 1;            // of the first launch in one band
  // The first row of each launch in each region; an additional last region stands for the end.
  std::vector<std::vector<std::uint64_t>> starts;

  std::size_t regions() const { return starts.size() - 1; }
};

struct BandPlan {
  std::vector<BandedRun> runs;           // of at least two launches each
  std::vector<BandBoundary> boundaries;  // by launch
};

// A launch that is absent ends the run before it.
BandPlan plan_bands(std::span<const std::optional<BandLaunch>> launches,
                    const BandMachine& machine);

// ---- The schedule of a run

// A step waits until this launch has ended its rows below `rows` in this region; rows are counted
// from the first row of the launch.
struct BandWait {
  std::uint32_t region = 0, launch = 0;
  std::uint64_t row = 0;
};
struct BandStep {
  std::uint32_t launch = 0;  // of the run
  std::uint64_t from = 0, to = 0;
  std::uint32_t first_wait = 0, wait_count = 0;
};
struct BandSchedule {
  std::vector<std::vector<BandStep>> steps;  // by region
  std::vector<BandWait> waits;               // each for a region behind that of its step
};
// `launches` are those of the run.
BandSchedule schedule_bands(std::span<const std::optional<BandLaunch>> launches,
                            const BandedRun& run);

}  // namespace vyre
