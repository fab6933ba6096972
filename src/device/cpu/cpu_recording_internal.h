// A recording on the CPU: its items in their order, and runs of launches in bands.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "vyre/device/cpu/bands.h"
#include "vyre/device/cpu/cpu_device.h"
#include "vyre/device/listed_work.h"

namespace vyre {

class CpuRecording final : public ListedWork {
 public:
  CpuRecording(const BandMachine& machine, std::span<const WorkItem> items);

  Result<void> set(std::uint32_t item, const Launch& launch) override;
  std::string_view one_by_one() const override;
  std::vector<WorkBands> bands() const override;
  std::vector<BandBoundary> boundaries() const;

  Result<void> play(CpuDevice& device, Queue& queue, const PlayLimits& limits);

 private:
  // A part of a recording: one item, or a run of launches in bands.
  struct Run {
    std::vector<std::uint32_t> items;
    std::vector<std::optional<BandLaunch>> rows;
    BandedRun bands;
    BandSchedule schedule;
    BandSpace space;
  };
  using Part = std::variant<std::uint32_t, Run>;

  // Does nothing if no launch was replaced since the last time: a change of variant may replace
  // hundreds of launches, one after the other.
  void lay_out() const;
  void add_group(std::span<const std::uint32_t> launches,
                 std::span<const std::optional<BandLaunch>> rows) const;
  std::optional<BandLaunch> rows_of(std::uint32_t item) const;
  Result<void> play_run(CpuDevice& device, Run& run, const PlayLimits& limits,
                        std::chrono::steady_clock::time_point began);

  const BandMachine machine_;
  std::vector<std::optional<std::vector<ReachedBytes>>> reach_;  // by item
  std::vector<bool> after_all_;                                  // by item
  std::vector<Launch> launches_;                                 // of the run that is played
  mutable bool laid_out_ = false;                                // the members below are up to date
  mutable std::vector<Part> parts_;                              // in the order of a play
  mutable std::vector<BandBoundary> boundaries_;                 // by item
};

}  // namespace vyre
