// The host's processor as a device: workgroups run on a pool of threads, small launches on the
// thread that asks.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "vyre/base/error.h"
#include "vyre/device/cpu/thread_pool.h"
#include "vyre/device/cpu/watchdog.h"
#include "vyre/target/code.h"
#include "vyre/target/limits.h"
#include "vyre/target/profile.h"

namespace vyre {

struct CpuOptions {
  unsigned threads = 0;  // 0: one for each processor this process may use
};

// VYRE_THREADS: absent or empty is 0 (all); anything but a whole number from 1 to 1024 is an error.
Result<CpuOptions> cpu_options_from_environment();

struct CpuLaunch {
  const HostCode* code = nullptr;
  std::string_view kernel;                // its name, for messages
  std::span<const HostBinding> bindings;  // by slot
  Extent grid{1, 1, 1};
  Extent extent{1, 1, 1};
  Extent workgroup{1, 1, 1};
  std::uint32_t groups_per_task = 0;  // 0: chosen from the size of the launch
  std::optional<std::chrono::nanoseconds> deadline;
  // Not 0, at any time: the launch ends as soon as its loops see it. A deadline sets it as well.
  std::atomic<std::uint32_t>* stop = nullptr;
};

class CpuDevice {
 public:
  explicit CpuDevice(CpuOptions options = {});

  static Limits limits();
  // Read from the system; the memory bandwidth is measured, which takes some milliseconds.
  Profile profile() const;
  unsigned threads() const { return pool_.threads(); }

  // Returns when the launch has ended. Thread-safe.
  Result<void> launch(const CpuLaunch& launch);

 private:
  mutable ThreadPool pool_;
  Watchdog watchdog_;
};

}  // namespace vyre
