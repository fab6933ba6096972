#include "vyre/device/cpu/cpu_device.h"

#include <fmt/format.h>
#include <sched.h>
#include <xmmintrin.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <new>

#include "vyre/base/arithmetic.h"

namespace vyre {
namespace {

// Below this many invocations waking a thread costs more than it saves.
constexpr std::uint64_t kInlineInvocations = 8192;
constexpr std::uint64_t kTaskInvocations = 16384;
constexpr std::uint64_t kTasksPerThread = 8;

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

std::uint64_t groups_in_task(const CpuLaunch& l, std::uint64_t groups, unsigned threads) {
  if (l.groups_per_task != 0) return l.groups_per_task;
  const std::uint64_t size = std::uint64_t{l.workgroup[0]} * l.workgroup[1] * l.workgroup[2];
  const std::uint64_t enough = std::max<std::uint64_t>(1, kTaskInvocations / size);
  const std::uint64_t share = ceil_div(groups, std::uint64_t{threads} * kTasksPerThread);
  return std::max(enough, share);
}

}  // namespace

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
    : pool_(options.threads == 0 ? usable_processors() : options.threads) {}

Limits CpuDevice::limits() {
  return {.backend = "cpu",
          .max_threads_per_block = 1024,
          .max_block_dim = {1024, 1024, 1024},
          .max_grid_dim = {0x7FFFFFFFU, 0x7FFFFFFFU, 0x7FFFFFFFU}};
}

Result<void> CpuDevice::launch(const CpuLaunch& l) {
  const std::uint64_t groups = std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2];
  for (const std::uint32_t axis : l.extent) {
    if (axis == 0) return {};
  }
  if (groups == 0) return {};

  std::atomic<std::uint32_t> own_stop{0};
  std::atomic<std::uint32_t>& stop = l.stop != nullptr ? *l.stop : own_stop;
  std::uint64_t armed = 0;
  std::atomic<std::uint32_t> late{0};
  if (l.deadline) armed = watchdog_.arm(Watchdog::Clock::now() + *l.deadline, {&stop, &late});

  HostLaunch record;
  record.bindings = l.bindings.data();
  record.grid = l.grid;
  record.extent = l.extent;
  static_assert(sizeof(stop) == sizeof(std::uint32_t));
  record.stop = reinterpret_cast<const std::uint32_t*>(&stop);

  std::atomic<bool> stopped{false};
  std::atomic<bool> no_memory{false};
  const std::uint64_t size = std::uint64_t{l.workgroup[0]} * l.workgroup[1] * l.workgroup[2];
  const std::uint64_t per_task = groups_in_task(l, groups, pool_.threads());
  const auto task = [&](std::uint64_t i) {
    if (stop.load(std::memory_order_relaxed) != 0) {
      stopped = true;
      return;
    }
    std::byte* memory = scratch.reserve(l.code->scratch_bytes);
    if (memory == nullptr && l.code->scratch_bytes != 0) {
      no_memory = true;
      return;
    }
    const FloatEnvironment environment;
    const std::uint64_t first = i * per_task;
    if (l.code->entry(&record, first, std::min(per_task, groups - first), memory) != 0) {
      stopped = true;
    }
  };
  const std::uint64_t tasks = ceil_div(groups, per_task);
  if (groups * size <= kInlineInvocations) {
    for (std::uint64_t i = 0; i < tasks; ++i) task(i);
  } else {
    pool_.run(tasks, task);
  }
  if (armed != 0) watchdog_.disarm(armed);

  if (no_memory) {
    return fail(Code::out_of_memory,
                fmt::format("kernel '{}' needs {} bytes a thread for its workgroups", l.kernel,
                            l.code->scratch_bytes));
  }
  if (!stopped) return {};
  if (late.load() != 0) {
    const std::chrono::duration<double, std::milli> ms = *l.deadline;
    return fail(Code::device, fmt::format("kernel '{}' did not end within {} ms; its buffers hold "
                                          "what it had written by then",
                                          l.kernel, ms.count()));
  }
  return fail(Code::device, fmt::format("kernel '{}' was stopped", l.kernel));
}

}  // namespace vyre
