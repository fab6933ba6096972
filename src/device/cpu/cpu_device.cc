#include "vyre/device/cpu/cpu_device.h"

#include <fmt/format.h>
#include <sched.h>
#include <xmmintrin.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "vyre/base/arithmetic.h"
#include "vyre/device/host_memory.h"

namespace vyre {
namespace {

// Below this many invocations waking a thread costs more than it saves.
constexpr std::uint64_t kInlineInvocations = 8192;
constexpr std::uint64_t kTaskInvocations = 16384;
constexpr std::uint64_t kTasksPerThread = 8;
// Work that is worth waking a thread for.
constexpr std::chrono::microseconds kWorthWaking{20};
// How long threads look for the next launch: programs that launch often never wait for them to
// wake.
constexpr std::chrono::microseconds kWatch{50};
// Between two looks at whether the launch was stopped, which costs nothing at this size.
constexpr std::uint64_t kSliceInvocations = std::uint64_t{1} << 20;
// So many that a launch which was stopped gets past those that are left in no time.
constexpr std::uint64_t kMaxTasks = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxInvocations = std::uint64_t{1} << 62;

// Stops at the end of the type.
std::uint64_t volume(const Extent& e) {
  return saturating_mul(std::uint64_t{e[0]} * e[1], std::uint64_t{e[2]});
}

unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

// Memory of a thread's workgroups, kept from launch to launch.
class Scratch {
 public:
  ~Scratch() { ::operator delete(data_, std::align_val_t{64}); }
  // Null when there is not so much memory.
  std::byte* reserve(std::uint64_t bytes) {
    if (bytes <= size_) return data_;
    auto* fresh =
        static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64}, std::nothrow));
    if (fresh == nullptr) return nullptr;
    ::operator delete(data_, std::align_val_t{64});
    data_ = fresh;
    size_ = bytes;
    return data_;
  }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

thread_local Scratch scratch;

// Kernels compute as WGSL says, whatever rounding or flushing the calling program has set.
class FloatEnvironment {
 public:
  FloatEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(0x1F80); }
  ~FloatEnvironment() { _mm_setcsr(saved_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  unsigned saved_;
};

class CpuCode final : public LoadedCode {
 public:
  explicit CpuCode(HostCode host) : code(std::move(host)) {}
  const HostCode code;
};

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

std::uint64_t groups_in_task(const Launch& l, std::uint64_t groups, unsigned threads) {
  if (l.groups_per_task != 0) {
    return std::max<std::uint64_t>(l.groups_per_task, ceil_div(groups, kMaxTasks));
  }
  const std::uint64_t enough = std::max<std::uint64_t>(1, kTaskInvocations / volume(l.workgroup));
  const std::uint64_t share = ceil_div(groups, std::uint64_t{threads} * kTasksPerThread);
  return std::max(enough, share);
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
              .max_grid_dim = {0x7FFFFFFFU, 0x7FFFFFFFU, 0x7FFFFFFFU}},
      pool_(options.threads == 0 ? usable_processors() : options.threads,
            options.threads <= usable_processors() ? kWatch : std::chrono::microseconds{}),
      after_launch_(std::move(options.after_launch)) {}

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

Result<void> CpuDevice::launch(const Launch& l) {
  if (volume(l.grid) == 0 || volume(l.extent) == 0) return {};
  const std::uint64_t size = volume(l.workgroup);
  const std::uint64_t groups = volume(l.grid);
  if (saturating_mul(groups, size) >= kMaxInvocations) {
    return fail(Code::limit,
                fmt::format("kernel '{}' has {} x {} x {} workgroups, which would take years",
                            l.kernel, l.grid[0], l.grid[1], l.grid[2]));
  }

  const HostCode& code = static_cast<const CpuCode*>(l.code)->code;
  std::atomic<std::uint32_t> own_stop{0};
  std::atomic<std::uint32_t>& stop = l.stop != nullptr ? *l.stop : own_stop;
  std::uint64_t armed = 0;
  std::atomic<std::uint32_t> late{0};
  if (l.deadline) {
    VYRE_TRY(armed, watchdog_.arm(Watchdog::Clock::now() + *l.deadline, {&stop, &late}));
  }

  HostLaunch record;
  record.bindings = l.bindings.data();
  record.grid = l.grid;
  record.extent = l.extent;
  static_assert(sizeof(stop) == sizeof(std::uint32_t));
  record.stop = reinterpret_cast<const std::uint32_t*>(&stop);

  std::atomic<bool> stopped{false};
  std::atomic<bool> no_memory{false};
  const std::uint64_t slice = std::max<std::uint64_t>(1, kSliceInvocations / size);
  const auto run = [&](std::uint64_t from, std::uint64_t end) {
    std::byte* memory = scratch.reserve(code.scratch_bytes);
    if (memory == nullptr && code.scratch_bytes != 0) {
      no_memory = true;
      return;
    }
    const FloatEnvironment environment;
    for (std::uint64_t first = from; first < end; first += slice) {
      if (stop.load(std::memory_order_relaxed) != 0 ||
          code.entry(&record, first, std::min(slice, end - first), memory) != 0) {
        stopped = true;
        return;
      }
    }
  };
  const std::uint64_t finest = std::uint64_t{pool_.threads()} * kTasksPerThread;
  std::uint64_t per_task = groups_in_task(l, groups, pool_.threads());
  std::uint64_t done = 0;
  // Tasks that were asked for are taken at their word.
  bool alone = l.groups_per_task == 0 && groups * size <= kInlineInvocations;
  if (l.groups_per_task == 0 && groups > 1 && pool_.threads() > 1 &&
      ceil_div(groups, per_task) < finest) {
    // Invocations may be few and each of them long: the first ones tell.
    done = ceil_div(groups, finest);
    const auto begin = std::chrono::steady_clock::now();
    run(0, done);
    const auto spent = std::chrono::steady_clock::now() - begin;
    if (spent * ((groups - done) / done) > kWorthWaking) {
      per_task = done;
      alone = false;
    }
  }
  if (alone) {
    run(done, groups);
  } else {
    pool_.run(ceil_div(groups - done, per_task), [&](std::uint64_t i) {
      const std::uint64_t first = done + i * per_task;
      run(first, std::min(groups, first + per_task));
    });
  }
  if (armed != 0) watchdog_.disarm(armed);

  if (no_memory) {
    return fail(Code::out_of_memory,
                fmt::format("kernel '{}' needs {} bytes a thread for its workgroups", l.kernel,
                            code.scratch_bytes));
  }
  if (!stopped) {
    if (after_launch_) after_launch_(l);
    return {};
  }
  if (late.load() != 0) {
    const std::chrono::duration<double, std::milli> ms = *l.deadline;
    return fail(Code::device, fmt::format("kernel '{}' did not end within {} ms; its buffers hold "
                                          "what it had written by then",
                                          l.kernel, ms.count()));
  }
  return fail(Code::device, fmt::format("kernel '{}' was stopped", l.kernel));
}

}  // namespace vyre
