#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "vyre/base/files/file_handle.h"
#include "vyre/base/process/processor_name.h"
#include "vyre/device/cpu/cpu_caches_internal.h"
#include "vyre/device/cpu/cpu_device.h"

namespace vyre {
namespace {

std::string line_of(const std::string& path) {
  const std::string text = system_text(path);
  return text.substr(0, text.find('\n'));
}

// "32K", "2048K", "260M" as the kernel writes them.
std::uint64_t cache_bytes(const std::string& text) {
  std::uint64_t value = 0;
  std::size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  if (i < text.size() && text[i] == 'K') return value << 10;
  if (i < text.size() && text[i] == 'M') return value << 20;
  return value;
}

// The largest of the caches that are no farther than this level.
std::uint64_t cache_up_to(int level) {
  std::uint64_t largest = 0;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", i);
    if (std::cmp_less_equal(cache_bytes(line_of(folder + "level")), level)) {
      largest = std::max(largest, cache_bytes(line_of(folder + "size")));
    }
  }
  return largest;
}

std::uint32_t vector_width() {
  if (__builtin_cpu_supports("avx512f")) return 16;
  return __builtin_cpu_supports("avx2") ? 8 : 4;
}

// The bytes per second that a copy on all threads reads and writes, with data beyond all caches.
std::uint64_t copy_bandwidth(ThreadPool& pool, std::uint64_t cache) {
  const std::uint64_t bytes = std::max<std::uint64_t>(
      std::uint64_t{32} << 20, std::min<std::uint64_t>(2 * cache, std::uint64_t{128} << 20));
  std::vector<std::byte> from(bytes), to(bytes);
  const std::uint64_t pieces = pool.threads();
  double best = 0;
  for (int round = 0; round < 3; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    pool.run(pieces, [&](std::uint64_t i) {
      const std::uint64_t first = bytes / pieces * i;
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first), bytes / pieces,
                  to.begin() + static_cast<std::ptrdiff_t>(first));
    });
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    // The first round also faults the pages in.
    if (round > 0) best = std::max(best, 2.0 * static_cast<double>(bytes) / spent.count());
  }
  return static_cast<std::uint64_t>(best);
}

}  // namespace

std::uint64_t last_level_cache() { return cache_up_to(8); }

std::uint64_t second_level_cache() { return cache_up_to(2); }

Result<Profile> CpuDevice::told_profile() {
  Profile p;
  p.device_name = processor_name().value_or("x86-64 processor");
  utsname system{};
  if (uname(&system) == 0) p.driver = fmt::format("{} {}", system.sysname, system.release);
  p.multiprocessors = pool_.threads();
  p.max_threads_per_multiprocessor = 1;
  p.warp_size = vector_width();
  p.last_level_cache_bytes = last_level_cache();
  struct sysinfo memory{};
  if (sysinfo(&memory) == 0) p.memory_bytes = std::uint64_t{memory.totalram} * memory.mem_unit;
  const std::string khz = line_of("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  p.clock_khz = static_cast<std::uint32_t>(cache_bytes(khz));
  return p;
}

Result<Profile> CpuDevice::profile() {
  const std::scoped_lock lock(profile_mutex_);
  if (profile_) return *profile_;
  VYRE_TRY(Profile p, told_profile());
  p.memory_bytes_per_second = copy_bandwidth(pool_, p.last_level_cache_bytes);
  profile_ = p;
  return p;
}

}  // namespace vyre
