// The state that a device shares with everything made from it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cuda/clock_internal.h"
#include "vyre/device/cuda/context_internal.h"
#include "vyre/device/cuda/image_internal.h"
#include "vyre/device/cuda/memory_internal.h"
#include "vyre/device/cuda/reclaim_internal.h"
#include "vyre/target/limits.h"
#include "vyre/target/profile.h"
#include "vyre/target/target.h"

namespace vyre {

struct CudaCore {
  CudaCore(const CudaDriver& driver_table, CuDevice device_handle, CudaContext::Options options)
      : driver(driver_table), device(device_handle), context(driver_table, std::move(options)) {
    context.set_suspects([this] { return reclaim.suspects(); });
  }
  // Destroys the context, or frees everything that was made in the application's context.
  ~CudaCore();
  // Destroys the device's own context after it was lost. Objects made in it may still exist; they
  // no longer call the driver.
  void let_go_of_lost();
  CudaCore(const CudaCore&) = delete;
  CudaCore& operator=(const CudaCore&) = delete;

  const CudaDriver& driver;
  const CuDevice device;
  CudaContext context;
  EventPool timed{context, cu::kEventDefault};
  EventPool untimed{context, cu::kEventDisableTiming};
  PinnedPool pinned{context};
  CudaLibraries libraries{driver};
  DeviceClock clock{context, libraries, pinned};
  Reclaim reclaim{context, untimed};
  MemoryPool memory{context, reclaim};
  DeviceMemory ignored_status;  // the status word of launches without a deadline
  std::optional<CuStream> guest_stream;
  Limits limits;
  Target target;
  std::atomic<bool> destroyed{false};
  ForkSafeMutex profile_mutex{HeldFor::work};
  std::optional<Profile> profile;
};

// An attribute of the device; 0 if the driver does not report it.
std::uint32_t device_attribute(const CudaDriver& driver, CuDevice device, int attribute);
Limits read_limits(const CudaDriver& driver, CuDevice device);
Target read_target(const CudaDriver& driver, CuDevice device);
Result<Profile> read_profile(const CudaDriver& driver, CuDevice device);

Result<DeviceCode> finish_code(const std::shared_ptr<CudaCore>& core, DeviceCode code);
Result<std::shared_ptr<const LoadedCode>> load_code(const std::shared_ptr<CudaCore>& core,
                                                    DeviceCode code);
Result<Occupancy> code_occupancy(CudaCore& core, const LoadedCode& code, Extent workgroup);
// Uses the stream that was lent, or makes one.
Result<std::shared_ptr<Queue>> make_cuda_queue(const std::shared_ptr<CudaCore>& core,
                                               std::optional<CuStream> lent);

}  // namespace vyre
