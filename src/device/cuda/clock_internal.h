// The host's estimate of the device's global timer, with which kernels compare their deadlines.
//
// The offset between the timer and the host's steady clock is measured with a kernel of one thread.
// Both drift, so it is measured again from time to time, while the device is idle.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vyre/base/process/abandonable.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cuda/image_internal.h"
#include "vyre/device/cuda/memory_internal.h"

namespace vyre {

class DeviceClock {
 public:
  using Host = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kFresh{60};

  DeviceClock(CudaContext& context, CudaLibraries& libraries, PinnedPool& pinned,
              Host::duration fresh = kFresh)
      : context_(context), libraries_(libraries), pinned_(pinned), fresh_(fresh) {}

  // All functions need the context to be current.
  // The value of the timer after this time from now, saturated. The first call measures, for which
  // it waits no longer than that time, if it is any, for the disk that keeps the code.
  Result<std::uint64_t> in(std::chrono::nanoseconds from_now);
  // Whether the last measurement is old.
  bool stale() const;
  // Measures again, which takes some tens of microseconds on an idle device. If it fails, the
  // previous measurement stays in use.
  void refresh();
  // Must be called before the clock is destroyed, if the context remains in use.
  void close();

  void set_code(std::string processor, std::optional<std::filesystem::path> folder) {
    processor_ = std::move(processor);
    folder_ = std::move(folder);
  }
  // The bound on the error of the estimate.
  std::chrono::nanoseconds uncertainty() const;

 private:
  Result<std::vector<std::byte>> cubin(const WorkLimits& limits);
  Result<void> prepare(const WorkLimits& limits);
  Result<void> wait_a_moment();
  Result<void> measure(const WorkLimits& limits);

  CudaContext& context_;
  CudaLibraries& libraries_;
  PinnedPool& pinned_;
  Host::duration fresh_;
  std::string processor_;
  std::optional<std::filesystem::path> folder_;
  mutable ForkSafeMutex mutex_{HeldFor::work};
  CudaImage image_;
  CuFunction function_ = nullptr;
  CuStream stream_ = nullptr;
  PinnedChunk word_{};
  std::optional<Host::time_point> measured_;
  std::int64_t offset_ = 0;  // timer - host clock, nanoseconds
  std::int64_t uncertainty_ = 0;
};

}  // namespace vyre
