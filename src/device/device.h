// The interface of every device: it holds memory, loads code and runs launches in order.
//
// Each folder has a function that opens its devices (CpuDevice::make, open_cuda, NullDevice::make).
// All functions may be called from many threads at once. A device lives as long as anything made
// from it.
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
#include <vector>

#include "vyre/base/error.h"
#include "vyre/base/extent.h"
#include "vyre/target/code.h"
#include "vyre/target/limits.h"
#include "vyre/target/profile.h"
#include "vyre/target/target.h"

namespace vyre {

// Memory of a device.
struct DeviceMemory {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::byte* host = nullptr;          // the same memory for the host; null if it cannot access it
  std::shared_ptr<const void> owner;  // frees the memory; null if the application owns it
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
  Extent extent{1, 1, 1};                   // only the invocations inside the extent run
  Extent workgroup{1, 1, 1};
  std::uint32_t groups_per_task = 0;  // on a CPU; 0: chosen from the size of the launch
  // True: all workgroups run at once and may wait for each other. A launch with more workgroups
  // than Occupancy::groups_at_once is then an error. Such a launch cannot be recorded.
  bool together = false;
  std::optional<std::chrono::nanoseconds> deadline{};  // counted from the call
  // The deadline that the caller gave, of which `deadline` is what is left; messages name it.
  // Absent: `deadline` itself.
  std::optional<std::chrono::nanoseconds> asked{};
  // Another thread sets it to a value other than 0 to end the launch early. Only the CPU reads it,
  // in loops.
  std::atomic<std::uint32_t>* stop = nullptr;
};

// The bytes of a binding that an invocation may touch: from factor * r + low up to, but not
// including, factor * r + high, where r is its place along the slowest axis of the launch's extent
// (the last axis along which there are several invocations). Bytes outside of the binding do not
// count.
struct ReachedBytes {
  std::uint32_t slot = 0;
  bool writes = false;
  // Accesses with the same number other than 0 leave the same bytes in whichever order they run.
  std::uint8_t commutes = 0;
  std::int64_t factor = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool operator==(const ReachedBytes&) const = default;
};

// Neighbouring launches of a recording that run a band of rows at a time, so that each finds in the
// cache what the one before it has left there.
struct WorkBands {
  std::uint32_t first_item = 0, last_item = 0;
  std::uint64_t rows = 0;     // of workgroups of the first launch, in one band
  std::uint64_t regions = 0;  // parts of the whole, each of which one thread runs
  bool operator==(const WorkBands&) const = default;
};

// A piece of work of a recording. It begins when the items that it waits for have ended.
struct WorkItem {
  enum class Kind : std::uint8_t { launch, copy, clear };
  Kind kind = Kind::launch;
  Launch launch{};                     // without deadline and stop flag, which `play` gives
  BoundMemory from{};                  // of a copy, which must not overlap `to`
  BoundMemory to{};                    // of a copy or a clear
  std::vector<std::uint32_t> after{};  // positions of earlier items
  bool after_all = false;              // it begins when all items before it have ended
  // For a launch: everything that it may touch, by slot. Absent: that is not known.
  std::optional<std::vector<ReachedBytes>> reach{};
};

// The launches that a device would run in bands. For each other item that is a launch, why it does
// not follow the launch before it in bands; empty: it does, or there is no launch before it.
struct ItemBands {
  std::vector<WorkBands> bands;
  std::vector<std::string_view> why_not;
};

// Limits for all launches of a play, with the meaning that they have in Launch.
struct PlayLimits {
  std::optional<std::chrono::nanoseconds> deadline{};  // counted from the call
  std::optional<std::chrono::nanoseconds> asked{};
  std::atomic<std::uint32_t>* stop = nullptr;
};

// Work that was made ready once and is played again and again. Its code and memory must outlive it.
class WorkRecording {
 public:
  virtual ~WorkRecording() = default;
  // Replaces a launch: its code, grid, bindings or contents of uniforms. Plays that were submitted
  // before are not affected.
  virtual Result<void> set(std::uint32_t item, const Launch& launch) = 0;
  // Why the device gets the items one after the other instead of all at once; empty: it gets them
  // at once.
  virtual std::string_view one_by_one() const = 0;
  // The launches that run in bands, in the order of the items.
  virtual std::vector<WorkBands> bands() const { return {}; }
};

// A point in the work of a queue.
class Event {
 public:
  virtual ~Event() = default;
  virtual Result<bool> ready() = 0;  // does not wait
  virtual Result<void> wait() = 0;
  // The device's time between two events of its queues; both must be ready.
  virtual Result<std::chrono::nanoseconds> since(const Event& earlier) = 0;
};

// Runs work in order. Submitted work may run later: the call that waits for it, or the next call,
// reports its failure. The CPU finishes each piece of work before the call returns.
class Queue {
 public:
  virtual ~Queue() = default;
  // Allocates nothing.
  virtual Result<void> launch(const Launch& launch) = 0;
  // The device's time for `times` consecutive launches. Waits for them, and allocates. A device
  // that accepts them all at once does not wait for the host between two launches.
  virtual Result<std::chrono::nanoseconds> time(const Launch& launch, std::uint32_t times);
  // The caller may change the bytes when it returns.
  virtual Result<void> write(BoundMemory to, std::span<const std::byte> from) = 0;
  // Waits for all earlier work, and for the bytes.
  virtual Result<void> read(BoundMemory from, std::span<std::byte> to) = 0;
  virtual Result<void> copy(BoundMemory from, BoundMemory to) = 0;
  virtual Result<void> clear(BoundMemory memory) = 0;
  virtual Result<std::shared_ptr<Event>> record() = 0;
  // Makes work ready that may be played many times, in queues of this device. Contents that
  // uniforms take by value are copied. A launch whose `reach` is given may run while others do for
  // which it must wait, as far as they do not touch the same bytes.
  virtual Result<std::shared_ptr<WorkRecording>> record_work(std::span<const WorkItem> items);
  // Submits all of a recording. Items that do not wait for each other may run at the same time.
  virtual Result<void> play(WorkRecording& recording, const PlayLimits& limits = {});
  // Waits until everything that was submitted has ended, and returns the first failure.
  virtual Result<void> wait() = 0;
  // Whether the queue is known to be idle without asking the device. Operations that would wait for
  // running work then wait for nothing.
  virtual bool known_idle() const { return true; }
  // Asks the device whether the queue is idle, which costs about as much as a launch.
  virtual bool is_idle() const { return true; }
  // Whether the application has lent its stream. Only the application may decide to wait for it.
  virtual bool is_lent() const { return false; }
};

inline Result<std::chrono::nanoseconds> Queue::time(const Launch& l, std::uint32_t times) {
  VYRE_TRY(const auto begin, record());
  for (std::uint32_t i = 0; i < times; ++i) VYRE_CHECK(launch(l));
  VYRE_TRY(const auto end, record());
  VYRE_CHECK(end->wait());
  return end->since(*begin);
}

// How many workgroups of one size fit on a device, and the size that the driver suggests (0 where
// nothing suggests one).
struct Occupancy {
  std::uint32_t groups_per_multiprocessor = 0;
  std::uint32_t suggested_threads = 0;  // threads of a workgroup
  std::uint32_t suggested_groups = 0;   // workgroups of that size that fill the device
  std::uint64_t groups_at_once = 0;     // workgroups that the whole device runs at once
};

// What it costs a program's own launches when the tuner times, loads and compares code at the same
// time. The defaults are those of the CPU.
struct LaunchCosts {
  // The device computes in the host's memory: the host compares results by itself, and nothing is
  // copied.
  bool in_host_memory = true;
  // True: the device works while the host does something else. False: a launch has ended when the
  // call returns, and compiling takes processor time from launches.
  bool runs_beside_host = false;
  // A recording of several launches costs less than these launches one after the other.
  bool plays_at_once = false;
  // A recording may run launches in bands if their reach is given.
  bool plays_in_bands = false;
  double clock_tick_ns = 50;   // the resolution of times
  double timing_ns = 100;      // the cost of timing one launch
  double busy_timing_ns = 0;   // the cost of timing one launch on a device that is never idle
  double timing_bias_ns = 0;   // how much longer a launch seems when it is timed
  double timing_doubt_ns = 0;  // how much that bias differs between variants
  double load_ns = 0;          // an estimate of what loading code costs the launches beside it
  double compare_ns = 0;       // the least cost of comparing results
  double sample_ns = 300'000;  // the total length of consecutive runs that make one good sample
  std::uint32_t most_compilers = 1;  // threads that may compile beside launches
  int compiler_niceness = 19;        // the nice value of these threads
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
  // Properties that the system reports, and measured ones. The first call may take some
  // milliseconds to measure.
  virtual Result<Profile> profile() = 0;
  // The same without the properties that would have to be measured.
  virtual Result<Profile> told_profile() { return profile(); }
  // The target of the code generator. The processor is empty on the CPU, where the code generator
  // detects it.
  virtual Target target() const = 0;
  // Sets up what the first launch with a deadline would set up, which may take some milliseconds.
  virtual Result<void> prepare_deadlines() { return {}; }
  virtual LaunchCosts launch_costs() const { return {}; }
  // What a recording of these items would run in bands; empty if the device runs nothing in bands.
  // Code and contents do not matter.
  virtual ItemBands bands_of(std::span<const WorkItem>) const { return {}; }
  // False for a device that only records launches, which cannot be timed.
  virtual bool runs() const { return true; }
  // The device has failed and lost all memory and code; it must be opened again.
  virtual bool lost() const { return false; }
  virtual Result<MemoryInfo> memory_info() = 0;

  virtual Result<DeviceMemory> allocate(std::uint64_t bytes) = 0;  // filled with zeros
  // The same, without making launches of other threads wait, where the device can do that.
  virtual Result<DeviceMemory> allocate_beside(std::uint64_t bytes) { return allocate(bytes); }
  // Turns code into the form that loads fastest and can be stored (PTX into a cubin). This is slow,
  // and should not run on a thread that launches. Code already in that form is returned unchanged.
  virtual Result<DeviceCode> finish(DeviceCode code) = 0;
  virtual Result<std::shared_ptr<const LoadedCode>> load(DeviceCode code) = 0;
  // Computed from the registers and the shared memory that the code uses.
  virtual Result<Occupancy> occupancy(const LoadedCode&, Extent) {
    return fail(Code::unavailable, "this device does not tell how code fills it");
  }
  virtual Result<std::shared_ptr<Queue>> make_queue() = 0;
  // A queue that never uses a stream that the application has lent, so that its waits do not
  // include the application's work.
  virtual Result<std::shared_ptr<Queue>> make_side_queue() { return make_queue(); }
};

}  // namespace vyre
