// Runs launches in bands, on all threads.
#include <sched.h>
#include <xmmintrin.h>

#include <algorithm>

#include "vyre/device/cpu/cpu_code_internal.h"
#include "vyre/device/cpu/cpu_device.h"
#include "vyre/device/cpu/stack_room.h"

namespace vyre {
namespace {

constexpr int kSpins = 256;  // a waiting thread spins this often before it yields its processor

struct Failure {
  enum class Kind : std::uint8_t { none, stopped, no_memory, no_stack };
  Kind kind = Kind::none;
  std::uint32_t launch = 0;
};

// The state of one play.
class Play {
 public:
  Play(std::span<const Launch> launches, std::span<const std::optional<BandLaunch>> rows,
       const BandedRun& run, const BandSchedule& schedule, const ScratchSets::Loan& scratch,
       std::atomic<std::uint32_t>& stop, BandSpace& space)
      : launches_(launches),
        rows_(rows),
        schedule_(schedule),
        scratch_(scratch),
        stop_(stop),
        space_(space),
        left_(run.regions()) {
    space.done.resize(run.regions());
    for (BandSpace::Done& done : space.done) done.resize(launches.size());
    space.records.clear();
    for (std::size_t region = 0; region < run.regions(); ++region) {
      for (std::size_t l = 0; l < launches.size(); ++l) {
        space.done[region][l].rows.store(run.starts[region][l], std::memory_order_relaxed);
      }
    }
    for (const Launch& launch : launches) {
      HostLaunch& record = space.records.emplace_back();
      record.bindings = launch.bindings.data();
      record.grid = launch.grid;
      record.extent = launch.extent;
      record.stop = reinterpret_cast<const std::uint32_t*>(&stop_);
      const HostCode& code = code_of(launch);
      stack_bytes_ = std::max(stack_bytes_, code.stack_bytes);
    }
  }

  static const HostCode& code_of(const Launch& launch) {
    return static_cast<const CpuCode&>(*launch.code).code;
  }

  // Runs a region that no thread has begun yet, beginning with the last one. The last region waits
  // for nothing, and every other region waits only for regions that some thread has already begun.
  void run_next(unsigned thread) {
    const std::size_t region = left_.fetch_sub(1, std::memory_order_relaxed) - 1;
    const auto steps = [&] {
      const FloatEnvironment environment;
      for (const BandStep& step : schedule_.steps[region]) {
        if (!wait_for(step) || !run(region, step, scratch_.of(thread))) return;
      }
    };
    if (!run_with_stack(stack_bytes_, steps)) give_up(Failure::Kind::no_stack, 0);
  }

  Failure failure() const { return failure_; }

 private:
  bool goes_on() const { return !given_up_.load(std::memory_order_relaxed); }

  void give_up(Failure::Kind kind, std::uint32_t launch) {
    if (given_up_.exchange(true)) return;
    failure_ = {kind, launch};  // read when all threads have ended
  }

  bool wait_for(const BandStep& step) {
    for (std::uint32_t w = step.first_wait; w < step.first_wait + step.wait_count; ++w) {
      const BandWait& wait = schedule_.waits[w];
      const std::atomic<std::uint64_t>& there = space_.done[wait.region][wait.launch].rows;
      for (int spins = 0; there.load(std::memory_order_acquire) < wait.row; ++spins) {
        if (!goes_on()) return false;
        if (spins % kSpins == kSpins - 1) {
          sched_yield();
        } else {
          _mm_pause();
        }
      }
    }
    return goes_on();
  }

  bool run(std::size_t region, const BandStep& step, std::byte* memory) {
    const Launch& launch = launches_[step.launch];
    const BandLaunch& rows = *rows_[step.launch];
    const HostCode& code = code_of(launch);
    if (memory == nullptr && code.scratch_bytes != 0) {
      give_up(Failure::Kind::no_memory, step.launch);
      return false;
    }
    const std::uint64_t size =
        std::uint64_t{launch.workgroup[0]} * launch.workgroup[1] * launch.workgroup[2];
    const std::uint64_t slice = std::max<std::uint64_t>(1, kSliceInvocations / size);
    const std::uint64_t end = step.to * rows.row_groups;
    for (std::uint64_t first = step.from * rows.row_groups; first < end; first += slice) {
      if (stop_.load(std::memory_order_relaxed) != 0 ||
          code.entry(&space_.records[step.launch], first, std::min(slice, end - first), memory) !=
              0) {
        give_up(Failure::Kind::stopped, step.launch);
        return false;
      }
    }
    space_.done[region][step.launch].rows.store(step.to, std::memory_order_release);
    return true;
  }

  const std::span<const Launch> launches_;
  const std::span<const std::optional<BandLaunch>> rows_;
  const BandSchedule& schedule_;
  const ScratchSets::Loan& scratch_;
  std::atomic<std::uint32_t>& stop_;
  BandSpace& space_;
  std::uint64_t stack_bytes_ = 0;
  std::atomic<std::size_t> left_;  // regions that no thread has begun yet
  std::atomic<bool> given_up_{false};
  Failure failure_;
};

}  // namespace

Result<void> CpuDevice::play_bands(std::span<const Launch> launches,
                                   std::span<const std::optional<BandLaunch>> rows,
                                   const BandedRun& run, const BandSchedule& schedule,
                                   BandSpace& space) {
  const Launch& first = launches.front();
  std::atomic<std::uint32_t> own_stop{0};
  std::atomic<std::uint32_t>& stop = first.stop != nullptr ? *first.stop : own_stop;
  std::atomic<std::uint32_t> late{0};
  Watchdog::Guard armed(watchdog_);
  if (first.deadline) {
    VYRE_CHECK(armed.arm(Watchdog::Clock::now() + *first.deadline, {&stop, &late}));
  }
  std::uint64_t scratch_bytes = 0;
  for (const Launch& launch : launches) {
    scratch_bytes = std::max(scratch_bytes, Play::code_of(launch).scratch_bytes);
  }
  const ScratchSets::Loan scratch = scratch_.lend(scratch_bytes, pool_.threads());
  Play play(launches, rows, run, schedule, scratch, stop, space);
  pool_.run(run.regions(), [&](std::uint64_t, unsigned thread) { play.run_next(thread); });
  last_end_.store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
  if (armed.disarm()) take_back(stop);
  const Failure failure = play.failure();
  const Launch& failed = launches[failure.launch];
  switch (failure.kind) {
    case Failure::Kind::none: break;
    case Failure::Kind::stopped: return was_stopped(failed, late.load() != 0);
    case Failure::Kind::no_memory: return lacks_memory(failed);
    case Failure::Kind::no_stack: return lacks_stack(failed);
  }
  if (after_launch_) {
    for (const Launch& launch : launches) after_launch_(launch);
  }
  return {};
}

}  // namespace vyre
