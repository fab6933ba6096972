// The CPU as a device. Workgroups run on a pool of threads; small launches run on the calling
// thread.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cpu/bands.h"
#include "vyre/device/cpu/scratch_sets.h"
#include "vyre/device/cpu/thread_pool.h"
#include "vyre/device/cpu/watchdog.h"
#include "vyre/device/device.h"

namespace vyre {

class CpuCode;

struct CpuOptions {
  unsigned threads = 0;  // 0: one for each processor that the process may use
  // For tests: called after each successful launch, before the launch returns.
  std::function<void(const Launch&)> after_launch{};
  // For tests: the rows of workgroups in a band, for all recordings of launches that can run in
  // bands. 0: as the caches suggest, where it pays.
  std::uint64_t band_rows = 0;
};

// Reads VYRE_THREADS. Unset or empty means 0; anything but a whole number from 1 to 1024 is an
// error.
Result<CpuOptions> cpu_options_from_environment();

// The memory that playing launches in bands writes to. It is kept from play to play, so that
// playing allocates nothing.
struct BandSpace {
  struct Rows {  // that a launch has ended in a region
    std::atomic<std::uint64_t> rows{0};
    Rows() = default;
    Rows(const Rows& other) : rows(other.rows.load(std::memory_order_relaxed)) {}
    Rows& operator=(const Rows&) = delete;
  };
  using Done = std::vector<Rows>;
  std::vector<Done> done;  // by region and launch
  std::vector<HostLaunch> records;
};

class CpuDevice final : public Device, public std::enable_shared_from_this<CpuDevice> {
 public:
  static std::shared_ptr<CpuDevice> make(CpuOptions options = {});

  std::string_view name() const override { return "cpu"; }
  const Limits& limits() const override { return limits_; }
  Result<Profile> profile() override;
  Result<Profile> told_profile() override;
  Target target() const override { return {.kind = TargetKind::host}; }
  Result<MemoryInfo> memory_info() override;
  Result<DeviceMemory> allocate(std::uint64_t bytes) override;
  Result<DeviceCode> finish(DeviceCode code) override { return code; }
  Result<std::shared_ptr<const LoadedCode>> load(DeviceCode code) override;
  // A thread runs one workgroup at a time, so as many run at once as there are threads.
  Result<Occupancy> occupancy(const LoadedCode& code, Extent workgroup) override;
  Result<std::shared_ptr<Queue>> make_queue() override;

  LaunchCosts launch_costs() const override { return {.plays_in_bands = true}; }

  ItemBands bands_of(std::span<const WorkItem> items) const override;

  unsigned threads() const { return pool_.threads(); }
  const BandMachine& band_machine() const { return band_machine_; }
  // Runs these launches as the schedule says, with the limits of the first one. Returns when all
  // have ended.
  Result<void> play_bands(std::span<const Launch> launches,
                          std::span<const std::optional<BandLaunch>> rows, const BandedRun& run,
                          const BandSchedule& schedule, BandSpace& space);

 private:
  explicit CpuDevice(CpuOptions options);
  friend class CpuQueue;
  bool is_worth_sharing(double ns) const;
  std::uint64_t first_groups(const Launch& launch, const CpuCode& code, std::uint64_t groups) const;
  std::uint64_t groups_in_task(const Launch& launch, const CpuCode& code,
                               std::uint64_t groups) const;
  // Returns when the launch has ended.
  Result<void> launch(const Launch& launch);

  Limits limits_;
  ThreadPool pool_;
  // When the last launch that was worth sharing between threads ended.
  std::atomic<std::chrono::steady_clock::time_point> last_end_{};
  const std::function<void(const Launch&)> after_launch_;
  BandMachine band_machine_;
  ScratchSets scratch_;
  Watchdog watchdog_;
  ForkSafeMutex profile_mutex_{HeldFor::work};
  std::optional<Profile> profile_;
};

}  // namespace vyre
