// What every device does: hold memory, load code, run launches in order.
//
// A device is opened by the functions of its folder (open_cpu, open_cuda, NullDevice::make). All of
// it is safe to use from many threads. A device lives as long as anything that came from it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "vyre/base/error.h"
#include "vyre/base/extent.h"
#include "vyre/target/code.h"
#include "vyre/target/limits.h"
#include "vyre/target/profile.h"
#include "vyre/target/target.h"

namespace vyre {

// Memory of a device. `host` is where the host reaches it, null where it cannot.
struct DeviceMemory {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::byte* host = nullptr;
  std::shared_ptr<const void> owner;  // gives it back; null for memory that someone else owns
};

// Code that a device can launch.
class LoadedCode {
 public:
  virtual ~LoadedCode() = default;
  virtual CodeFacts facts() const { return {}; }
};

struct Launch {
  const LoadedCode* code = nullptr;         // of the same device
  std::string_view kernel{};                // its name, for messages
  std::span<const BoundMemory> bindings{};  // by slot
  Extent grid{1, 1, 1};                     // workgroups
  Extent extent{1, 1, 1};                   // invocations: exactly those inside run
  Extent workgroup{1, 1, 1};
  std::uint32_t groups_per_task = 0;  // on a CPU; 0: chosen from the size of the launch
  std::optional<std::chrono::nanoseconds> deadline{};  // counted from the call
  // Not 0, at any time: the launch ends as soon as its loops see it. Only a CPU looks at it.
  std::atomic<std::uint32_t>* stop = nullptr;
};

// A moment in a queue's work.
class Event {
 public:
  virtual ~Event() = default;
  virtual Result<bool> ready() = 0;  // without waiting
  virtual Result<void> wait() = 0;
  // The device's time between two moments of its queues; both must be ready.
  virtual Result<std::chrono::nanoseconds> since(const Event& earlier) = 0;
};

// Work in order. What is submitted may run later: its failure is told by the call that waits for
// it, or by the next one. The CPU runs each piece of work before the call returns.
class Queue {
 public:
  virtual ~Queue() = default;
  // Allocates nothing.
  virtual Result<void> launch(const Launch& launch) = 0;
  // What the device takes for this many launches, one after the other. It waits for them, and
  // allocates. A device that can be given all at once does not wait for the host in between.
  virtual Result<std::chrono::nanoseconds> time(const Launch& launch, std::uint32_t times);
  // The bytes are free to change when it returns.
  virtual Result<void> write(BoundMemory to, std::span<const std::byte> from) = 0;
  // Waits for what came before, and for the bytes.
  virtual Result<void> read(BoundMemory from, std::span<std::byte> to) = 0;
  virtual Result<void> copy(BoundMemory from, BoundMemory to) = 0;
  virtual Result<void> clear(BoundMemory memory) = 0;
  virtual Result<std::shared_ptr<Event>> record() = 0;
  // Everything submitted has ended; the first failure among it.
  virtual Result<void> wait() = 0;
  // Whether all of that is known without asking the device: what would wait for it can be done.
  virtual bool known_idle() const { return true; }
  // The same as the device tells it, which costs about as much as a launch.
  virtual bool is_idle() const { return true; }
  // Whether an application has lent its stream: nobody else waits for that.
  virtual bool is_lent() const { return false; }
};

inline Result<std::chrono::nanoseconds> Queue::time(const Launch& l, std::uint32_t times) {
  VYRE_TRY(const auto begin, record());
  for (std::uint32_t i = 0; i < times; ++i) VYRE_CHECK(launch(l));
  VYRE_TRY(const auto end, record());
  VYRE_CHECK(end->wait());
  return end->since(*begin);
}

// How code fills a device at one size of workgroup, and the size the device itself would take.
struct Occupancy {
  std::uint32_t groups_per_multiprocessor = 0;
  std::uint32_t suggested_threads = 0;  // of a workgroup
  std::uint32_t suggested_groups = 0;   // that fill the device at that size
};

// What it costs to time, load and compare code beside a program's own launches, and what can happen
// beside them. The defaults are those of a processor that runs its launches itself.
struct LaunchCosts {
  // The device runs on while the host does something else; otherwise a launch has ended when the
  // call that made it returns, and compiling takes processors from launches.
  bool runs_beside_host = false;
  double clock_tick_ns = 50;   // the least difference that a time shows
  double timing_ns = 100;      // what it takes to time one launch
  double busy_timing_ns = 0;   // what timing takes from launches of a device that is never idle
  double timing_bias_ns = 0;   // by how much a timed launch seems longer than among others
  double timing_doubt_ns = 0;  // by how much more for one variant than for another
  double load_ns = 0;          // a guess of what putting code onto the device takes from launches
  double compare_ns = 0;       // the least that comparing results takes
  double sample_ns = 300'000;  // runs in a row that make one good sample
  std::uint32_t most_compilers = 1;  // threads that may compile beside launches
  int compiler_niceness = 19;        // of these threads, as the system counts it
};

struct MemoryInfo {
  std::uint64_t total = 0;
  std::uint64_t free = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;  // "cpu", "cuda:0", "null"
  virtual const Limits& limits() const = 0;
  // Read from the system, and measured where nothing tells: may take some milliseconds once.
  virtual Result<Profile> profile() = 0;
  // The same without what would have to be measured.
  virtual Result<Profile> told_profile() { return profile(); }
  // What code for it is made for. The host's processor is empty: the code generator knows it.
  virtual Target target() const = 0;
  // What the first launch with a deadline would set up, which may take some milliseconds.
  virtual Result<void> prepare_deadlines() { return {}; }
  virtual LaunchCosts launch_costs() const { return {}; }
  // Whether launches run. A device that only records them cannot be timed.
  virtual bool runs() const { return true; }
  // It failed for good, with all memory and code: open it again.
  virtual bool lost() const { return false; }
  virtual Result<MemoryInfo> memory_info() = 0;

  virtual Result<DeviceMemory> allocate(std::uint64_t bytes) = 0;  // zero at first
  // The same, beside threads that launch: these do not wait for it where the device can do that.
  virtual Result<DeviceMemory> allocate_beside(std::uint64_t bytes) { return allocate(bytes); }
  // Turns code into the form that loads fastest and can be stored (PTX to a cubin). Slow: not for
  // the thread that launches. Code that needs nothing comes back as it is.
  virtual Result<DeviceCode> finish(DeviceCode code) = 0;
  virtual Result<std::shared_ptr<const LoadedCode>> load(DeviceCode code) = 0;
  // From the registers and the shared memory that the code really takes.
  virtual Result<Occupancy> occupancy(const LoadedCode&, Extent) {
    return fail(Code::unavailable, "this device does not tell how code fills it");
  }
  virtual Result<std::shared_ptr<Queue>> make_queue() = 0;
  // One beside it: never in a stream that an application has lent, so that nothing of that is
  // waited for.
  virtual Result<std::shared_ptr<Queue>> make_side_queue() { return make_queue(); }
};

}  // namespace vyre
