#include "vyre/device/cpu/cpu_device.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "vyre/base/arithmetic.h"
#include "vyre/device/cpu/cpu_caches_internal.h"
#include "vyre/device/cpu/cpu_code_internal.h"
#include "vyre/device/cpu/cpu_recording_internal.h"
#include "vyre/device/cpu/stack_room.h"
#include "vyre/device/host_memory.h"
#include "vyre/device/together.h"

namespace vyre {
namespace {

constexpr std::uint64_t kTaskInvocations = 16384;
constexpr std::uint64_t kTasksPerThread = 8;
constexpr std::uint64_t kRowsPerThread = 4;
// How long threads wait for the next launch before they sleep, so that launches in close succession
// need not wake them.
constexpr std::chrono::microseconds kWatch{50};
constexpr double kWatchNs = 50'000;
// The least work for which sleeping threads are woken, and the least work per thread that is shared
// with threads that are awake.
constexpr double kWorthWakingNs = 20'000;
constexpr double kWorthSharingNs = 1'250;
constexpr double kTaskNs = 3'000;  // long enough that the start of a task does not matter
// Threads are kept awake for short launches if the gap between them is at most this many times
// their length.
constexpr double kCloseBy = 4;
// Few enough that a stopped launch skips the remaining tasks at once.
constexpr std::uint64_t kMaxTasks = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxInvocations = std::uint64_t{1} << 62;

// The product of the three axes, saturated.
std::uint64_t volume(const Extent& e) {
  return saturating_mul(std::uint64_t{e[0]} * e[1], std::uint64_t{e[2]});
}

unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

namespace {

class CpuEvent final : public Event {
 public:
  using Clock = std::chrono::steady_clock;
  Result<bool> ready() override { return true; }
  Result<void> wait() override { return {}; }
  Result<std::chrono::nanoseconds> since(const Event& earlier) override {
    const auto* other = dynamic_cast<const CpuEvent*>(&earlier);
    if (other == nullptr) return fail(Code::invalid_input, "the events are of different devices");
    return std::chrono::duration_cast<std::chrono::nanoseconds>(when_ - other->when_);
  }

 private:
  Clock::time_point when_ = Clock::now();
};

std::byte* at(BoundMemory memory) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(memory.address));
}

// With this many invocations per task, sharing pays whatever an invocation costs.
std::uint64_t large_task(const Launch& l, std::uint64_t groups, unsigned threads) {
  const std::uint64_t enough = std::max<std::uint64_t>(1, kTaskInvocations / volume(l.workgroup));
  return std::max(enough, ceil_div(groups, std::uint64_t{threads} * kTasksPerThread));
}

// Makes tasks of whole rows of workgroups if there are enough rows of about that length; otherwise
// rows are cut evenly, so that gangs fit.
std::uint64_t along_rows(std::uint64_t groups, const Extent& grid, unsigned threads) {
  const std::uint64_t row = grid[0], rows = std::uint64_t{grid[1]} * grid[2];
  if (2 * groups >= row && rows >= std::uint64_t{threads} * kRowsPerThread) {
    return ceil_div(groups, row) * row;
  }
  return std::bit_floor(groups);
}

double ns_between(std::chrono::steady_clock::time_point begin,
                  std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double, std::nano>(end - begin).count();
}

}  // namespace

class CpuQueue final : public Queue {
 public:
  explicit CpuQueue(std::shared_ptr<CpuDevice> device) : device_(std::move(device)) {}

  Result<void> launch(const Launch& l) override { return device_->launch(l); }
  Result<void> write(BoundMemory to, std::span<const std::byte> from) override {
    if (!from.empty()) std::memcpy(at(to), from.data(), from.size());
    return {};
  }
  Result<void> read(BoundMemory from, std::span<std::byte> to) override {
    if (!to.empty()) std::memcpy(to.data(), at(from), to.size());
    return {};
  }
  Result<void> copy(BoundMemory from, BoundMemory to) override {
    if (from.bytes != 0) std::memmove(at(to), at(from), from.bytes);
    return {};
  }
  Result<void> clear(BoundMemory memory) override {
    if (memory.bytes != 0) std::memset(at(memory), 0, memory.bytes);
    return {};
  }
  Result<std::shared_ptr<Event>> record() override { return std::make_shared<CpuEvent>(); }
  Result<std::shared_ptr<WorkRecording>> record_work(std::span<const WorkItem> items) override {
    VYRE_CHECK(check_items(items));
    return std::make_shared<CpuRecording>(device_->band_machine(), items);
  }
  Result<void> play(WorkRecording& recording, const PlayLimits& limits) override {
    auto* own = dynamic_cast<CpuRecording*>(&recording);
    if (own == nullptr) {
      return fail(Code::invalid_input, "the recording was made by another kind of device");
    }
    return own->play(*device_, *this, limits);
  }
  Result<void> wait() override { return {}; }

 private:
  std::shared_ptr<CpuDevice> device_;
};

Result<CpuOptions> cpu_options_from_environment() {
  CpuOptions options;
  const char* text = std::getenv("VYRE_THREADS");
  if (text == nullptr || *text == '\0') return options;
  const std::string_view view(text);
  const auto [end, error] = std::from_chars(view.begin(), view.end(), options.threads);
  if (error != std::errc() || end != view.end() || options.threads == 0 || options.threads > 1024) {
    return fail(Code::invalid_input, fmt::format("VYRE_THREADS is '{}'", view),
                "give a whole number from 1 to 1024");
  }
  return options;
}

CpuDevice::CpuDevice(CpuOptions options)
    : limits_{.backend = "cpu",
              .max_threads_per_block = 1024,
              .max_block_dim = {1024, 1024, 1024},
              .max_grid_dim = {0x7FFFFFFFU, 0x7FFFFFFFU, 0x7FFFFFFFU},
              .max_workgroup_bytes = std::uint64_t{1} << 20,
              .max_bindings = 1024},
      pool_(options.threads == 0 ? usable_processors() : options.threads,
            options.threads <= usable_processors() ? kWatch : std::chrono::microseconds{}),
      after_launch_(std::move(options.after_launch)),
      band_machine_{.threads = pool_.threads(),
                    .near_bytes = second_level_cache(),
                    .far_bytes = last_level_cache(),
                    .rows = options.band_rows} {
  // Bands of given rows are for tests, however small the launches are.
  if (options.band_rows != 0) band_machine_.least_invocations = 1;
}

std::shared_ptr<CpuDevice> CpuDevice::make(CpuOptions options) {
  return std::shared_ptr<CpuDevice>(new CpuDevice(std::move(options)));
}

Result<MemoryInfo> CpuDevice::memory_info() { return host_memory_info(); }

Result<DeviceMemory> CpuDevice::allocate(std::uint64_t bytes) {
  return allocate_host_memory(bytes);
}

Result<std::shared_ptr<const LoadedCode>> CpuDevice::load(DeviceCode code) {
  auto* host = std::get_if<HostCode>(&code);
  if (host == nullptr || host->entry == nullptr) {
    return fail(Code::invalid_input, "this code is not made for the host's processor");
  }
  return std::make_shared<const CpuCode>(std::move(*host));
}

Result<std::shared_ptr<Queue>> CpuDevice::make_queue() {
  return std::make_shared<CpuQueue>(shared_from_this());
}

Result<Occupancy> CpuDevice::occupancy(const LoadedCode&, Extent) {
  return Occupancy{.groups_per_multiprocessor = 1, .groups_at_once = pool_.threads()};
}

// The number of workgroups that this thread runs first to measure their time; 0: the time is known
// or does not matter.
std::uint64_t CpuDevice::first_groups(const Launch& l, const CpuCode& code,
                                      std::uint64_t groups) const {
  if (l.groups_per_task != 0 || groups < 2 || pool_.threads() < 2) return 0;
  const std::uint64_t finest = std::uint64_t{pool_.threads()} * kTasksPerThread;
  if (ceil_div(groups, large_task(l, groups, pool_.threads())) >= finest) return 0;
  return code.look() ? ceil_div(groups, finest) : 0;
}

bool CpuDevice::is_worth_sharing(double ns) const {
  return pool_.threads() > 1 && ns >= std::min(kWorthSharingNs * pool_.threads(), kWorthWakingNs);
}

std::uint64_t CpuDevice::groups_in_task(const Launch& l, const CpuCode& code,
                                        std::uint64_t groups) const {
  if (l.groups_per_task != 0) {
    return std::max<std::uint64_t>(l.groups_per_task, ceil_div(groups, kMaxTasks));
  }
  if (pool_.threads() < 2) return groups;
  const std::uint64_t finest = std::uint64_t{pool_.threads()} * kTasksPerThread;
  const std::uint64_t large = large_task(l, groups, pool_.threads());
  if (ceil_div(groups, large) >= finest) return large;
  // There may be few invocations that each take long.
  const double ns = code.invocation_ns() * double(groups * volume(l.workgroup));
  if (!is_worth_sharing(ns)) return groups;
  if (ns < kWorthWakingNs) {
    const auto before = last_end_.load(std::memory_order_relaxed);
    const double gap_ns = ns_between(before, std::chrono::steady_clock::now());
    if (gap_ns > std::min(kCloseBy * ns, kWatchNs)) return groups;
  }
  const double tasks = std::clamp(ns / kTaskNs, 2.0, double(finest));
  return along_rows(ceil_div(groups, static_cast<std::uint64_t>(tasks)), l.grid, pool_.threads());
}

// The flag belongs to the caller, who would read a raised flag as a stop that somebody requested.
void take_back(std::atomic<std::uint32_t>& stop) {
  std::uint32_t raised = Watchdog::kRaised;
  stop.compare_exchange_strong(raised, 0, std::memory_order_relaxed);
}

Result<void> CpuDevice::launch(const Launch& l) {
  if (volume(l.grid) == 0 || volume(l.extent) == 0) return {};
  const std::uint64_t size = volume(l.workgroup);
  const std::uint64_t groups = volume(l.grid);
  if (saturating_mul(groups, size) >= kMaxInvocations) {
    return fail(Code::limit,
                fmt::format("kernel '{}' has {} x {} x {} workgroups, which would take years",
                            l.kernel, l.grid[0], l.grid[1], l.grid[2]));
  }
  if (l.together && groups > pool_.threads()) {
    return too_many_together(l.kernel, groups, name(), pool_.threads());
  }

  const auto& loaded = static_cast<const CpuCode&>(*l.code);
  const HostCode& code = loaded.code;
  std::atomic<std::uint32_t> own_stop{0};
  std::atomic<std::uint32_t>& stop = l.stop != nullptr ? *l.stop : own_stop;
  std::atomic<std::uint32_t> late{0};
  Watchdog::Guard armed(watchdog_);
  if (l.deadline) {
    VYRE_CHECK(armed.arm(Watchdog::Clock::now() + *l.deadline, {&stop, &late}));
  }
  const ScratchSets::Loan scratch = scratch_.lend(code.scratch_bytes, pool_.threads());

  HostLaunch record;
  record.bindings = l.bindings.data();
  record.grid = l.grid;
  record.extent = l.extent;
  static_assert(sizeof(stop) == sizeof(std::uint32_t));
  record.stop = reinterpret_cast<const std::uint32_t*>(&stop);

  std::atomic<bool> stopped{false};
  std::atomic<bool> no_memory{false}, no_stack{false};
  const std::uint64_t slice = std::max<std::uint64_t>(1, kSliceInvocations / size);
  const auto run = [&](std::uint64_t from, std::uint64_t end, unsigned thread) {
    std::byte* memory = scratch.of(thread);
    if (memory == nullptr && code.scratch_bytes != 0) {
      no_memory = true;
      return;
    }
    const auto slices = [&] {
      const FloatEnvironment environment;
      for (std::uint64_t first = from; first < end; first += slice) {
        if (stop.load(std::memory_order_relaxed) != 0 ||
            code.entry(&record, first, std::min(slice, end - first), memory) != 0) {
          stopped = true;
          return;
        }
      }
    };
    if (!run_with_stack(code.stack_bytes, slices)) no_stack = true;
  };
  bool few_threads = false;
  if (l.together) {
    for (unsigned thread = 0; thread < groups; ++thread) {
      if (code.scratch_bytes != 0 && scratch.of(thread) == nullptr) no_memory = true;
    }
    if (!no_memory) {
      const auto how = pool_.run_at_once(groups, stop, [&](std::uint64_t i, unsigned thread) {
        run(i, i + 1, thread);
        // Without this workgroup, the others would wait for ever.
        std::uint32_t none = 0;
        if (no_stack) stop.compare_exchange_strong(none, Watchdog::kRaised);
      });
      few_threads = how == ThreadPool::AtOnce::few_threads;
      if (how == ThreadPool::AtOnce::stopped) stopped = true;
    }
  } else {
    const std::uint64_t done = first_groups(l, loaded, groups);
    if (done != 0) {
      const auto begin = std::chrono::steady_clock::now();
      run(0, done, 0);
      loaded.saw(ns_between(begin, std::chrono::steady_clock::now()) / double(done * size));
    }
    const std::uint64_t per_task = groups_in_task(l, loaded, groups - done);
    pool_.run(ceil_div(groups - done, per_task), [&](std::uint64_t i, unsigned thread) {
      const std::uint64_t first = done + i * per_task;
      run(first, std::min(groups, first + per_task), thread);
    });
  }
  if (is_worth_sharing(loaded.invocation_ns() * double(groups * size))) {
    last_end_.store(std::chrono::steady_clock::now(), std::memory_order_relaxed);
  }
  if (armed.disarm() || no_stack) take_back(stop);

  if (few_threads) {
    return fail(Code::limit,
                fmt::format("kernel '{}' has {} workgroups that wait for each other, and the "
                            "system gives {} fewer threads",
                            l.kernel, groups, name()),
                "raise the limit of threads");
  }
  if (no_memory) return lacks_memory(l);
  if (no_stack) return lacks_stack(l);
  if (stopped) return was_stopped(l, late.load() != 0);
  if (after_launch_) after_launch_(l);
  return {};
}

std::unexpected<Error> lacks_memory(const Launch& l) {
  return fail(Code::out_of_memory,
              fmt::format("kernel '{}' needs {} bytes a thread for its workgroups", l.kernel,
                          static_cast<const CpuCode&>(*l.code).code.scratch_bytes));
}

std::unexpected<Error> lacks_stack(const Launch& l) {
  return fail(Code::limit,
              fmt::format("kernel '{}' needs a stack of {} bytes for each thread, and the system "
                          "gives no thread with so much",
                          l.kernel, static_cast<const CpuCode&>(*l.code).code.stack_bytes),
              "raise the limits of memory and threads, or make the kernel smaller");
}

std::unexpected<Error> was_stopped(const Launch& l, bool late) {
  if (!late) return fail(Code::device, fmt::format("kernel '{}' was stopped", l.kernel));
  const std::chrono::duration<double, std::milli> ms = l.asked.value_or(*l.deadline);
  return fail(Code::device, fmt::format("kernel '{}' did not end within {} ms; its buffers hold "
                                        "what it had written by then",
                                        l.kernel, ms.count()));
}

}  // namespace vyre
