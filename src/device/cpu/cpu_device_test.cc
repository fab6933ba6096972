// The CPU as a device, with code written by hand: no code generator is needed to test what runs it.
#include "vyre/device/cpu/cpu_device.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "vyre/base/memory/allocation_count_testing.h"
#include "vyre/base/process/sanitizers_testing.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

template <class T>
T* binding(const HostLaunch* launch, std::size_t slot) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(launch->bindings[slot].address));
}

// Counts in binding 0 how often each workgroup ran.
std::uint32_t count_groups(const HostLaunch* launch, std::uint64_t first, std::uint64_t count,
                           std::byte*) {
  auto* times = binding<std::atomic<std::uint32_t>>(launch, 0);
  for (std::uint64_t i = first; i < first + count; ++i) ++times[i];
  return 0;
}

std::uint32_t run_until_stopped(const HostLaunch* launch, std::uint64_t, std::uint64_t,
                                std::byte*) {
  const std::atomic_ref stop(*const_cast<std::uint32_t*>(launch->stop));
  while (stop.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
  return 1;
}

// Never looks at `stop`, as code without loops does.
std::uint32_t take_a_while(const HostLaunch*, std::uint64_t, std::uint64_t, std::byte*) {
  std::this_thread::sleep_for(1ms);
  return 0;
}

// Writes all of its scratch memory, and says in binding 0 how often it was not aligned.
std::uint32_t use_scratch(const HostLaunch* launch, std::uint64_t, std::uint64_t,
                          std::byte* scratch) {
  std::memset(scratch, 0xCC, 4096);
  if (reinterpret_cast<std::uintptr_t>(scratch) % 64 != 0) {
    ++*binding<std::atomic<std::uint32_t>>(launch, 0);
  }
  return 0;
}

// Counts in binding 0 the workgroups that had 16 MiB of stack, all of which they write to.
std::uint32_t use_stack(const HostLaunch* launch, std::uint64_t, std::uint64_t count, std::byte*) {
  auto* memory = static_cast<volatile char*>(__builtin_alloca(16 << 20));
  for (std::size_t i = 0; i < 16 << 20; i += 1024) memory[i] = 1;
  *binding<std::atomic<std::uint32_t>>(launch, 0) += static_cast<std::uint32_t>(count);
  return 0;
}

std::uint32_t tell_float_environment(const HostLaunch* launch, std::uint64_t, std::uint64_t,
                                     std::byte*) {
  *binding<std::uint32_t>(launch, 0) = _mm_getcsr();
  return 0;
}

// Takes a while for each workgroup, and notes in binding 0 where each task began.
std::uint32_t note_tasks(const HostLaunch* launch, std::uint64_t first, std::uint64_t count,
                         std::byte*) {
  const auto until = std::chrono::steady_clock::now() + count * 20us;
  ++binding<std::atomic<std::uint32_t>>(launch, 0)[first];
  while (std::chrono::steady_clock::now() < until) {
  }
  return 0;
}

std::uint32_t note_quickly(const HostLaunch* launch, std::uint64_t first, std::uint64_t,
                           std::byte*) {
  ++binding<std::atomic<std::uint32_t>>(launch, 0)[first];
  return 0;
}

// Counts in binding 0 the workgroups that have arrived, and waits for all of the launch.
std::uint32_t meet(const HostLaunch* launch, std::uint64_t, std::uint64_t count, std::byte*) {
  auto& arrived = *binding<std::atomic<std::uint32_t>>(launch, 0);
  const std::atomic_ref stop(*const_cast<std::uint32_t*>(launch->stop));
  arrived += static_cast<std::uint32_t>(count);
  while (arrived % launch->grid[0] != 0) {
    if (stop.load(std::memory_order_relaxed) != 0) return 1;
    std::this_thread::yield();
  }
  return 0;
}

class CpuDeviceTest : public testing::Test {
 protected:
  std::shared_ptr<CpuDevice> device = CpuDevice::make({.threads = 3});
  std::shared_ptr<Queue> queue = *device->make_queue();
  std::vector<std::shared_ptr<const LoadedCode>> codes;
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(20'000);
  std::array<BoundMemory, 1> bindings{
      BoundMemory{reinterpret_cast<std::uintptr_t>(words.data()), words.size() * 4}};

  Launch launch_of(HostEntry entry, Extent grid, Extent workgroup = {1, 1, 1},
                   std::uint64_t scratch_bytes = 0) {
    codes.push_back(
        *device->load(HostCode{.entry = entry, .scratch_bytes = scratch_bytes, .owner = nullptr}));
    Launch launch;
    launch.code = codes.back().get();
    launch.kernel = "by_hand";
    launch.bindings = bindings;
    launch.grid = grid;
    launch.workgroup = workgroup;
    for (unsigned i = 0; i < 3; ++i) launch.extent[i] = grid[i] * workgroup[i];
    return launch;
  }

  std::size_t count(std::uint32_t value) const {
    return static_cast<std::size_t>(std::ranges::count(words, value));
  }
};

TEST_F(CpuDeviceTest, RunsEveryWorkgroupOnce) {
  for (const Extent grid : {Extent{1, 1, 1}, Extent{7, 3, 5}, Extent{1000, 10, 2}}) {
    for (const std::uint32_t size : {1U, 64U, 1024U}) {
      for (const std::uint32_t groups_per_task : {0U, 1U, 7U, 0xFFFFFFFFU}) {
        std::ranges::fill(words, 0);
        Launch launch = launch_of(count_groups, grid, {size, 1, 1});
        launch.groups_per_task = groups_per_task;
        ASSERT_TRUE(queue->launch(launch));
        ASSERT_TRUE(queue->wait());
        EXPECT_EQ(count(1), std::size_t{grid[0]} * grid[1] * grid[2]);
        EXPECT_EQ(count(1) + count(0), words.size());
      }
    }
  }
}

TEST_F(CpuDeviceTest, WorkgroupsThatWaitForEachOtherRunAtOnce) {
  Launch launch = launch_of(meet, {3, 1, 1});
  launch.together = true;
  EXPECT_EQ(device->occupancy(*launch.code, {1, 1, 1})->groups_at_once, 3U);
  for (std::uint32_t i = 1; i <= 100; ++i) {
    ASSERT_TRUE(queue->launch(launch));
    ASSERT_EQ(words[0], 3 * i);
  }
}

TEST_F(CpuDeviceTest, MoreWorkgroupsThanThreadsCannotWaitForEachOther) {
  Launch launch = launch_of(meet, {4, 1, 1});
  launch.together = true;
  const auto refused = queue->launch(launch);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit);
  EXPECT_EQ(
      refused.error().what,
      "kernel 'by_hand' has 4 workgroups that wait for each other; cpu runs 3 of them at once");
  EXPECT_EQ(words[0], 0U);
}

TEST_F(CpuDeviceTest, ADeadlineEndsWorkgroupsThatWaitForEachOther) {
  Launch launch = launch_of(run_until_stopped, {3, 1, 1});
  launch.together = true;
  launch.deadline = 5ms;
  std::atomic<std::uint32_t> stop = 0;
  launch.stop = &stop;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(queue->launch(launch));
  EXPECT_EQ(stop, 0U);
}

TEST_F(CpuDeviceTest, TasksAreOfTheSizeThatWasAskedFor) {
  for (const std::uint32_t per_task : {1U, 8U, 64U}) {
    std::ranges::fill(words, 0);
    Launch launch = launch_of(note_quickly, {64, 1, 1}, {16, 1, 1});
    launch.groups_per_task = per_task;
    ASSERT_TRUE(queue->launch(launch));
    for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(words[i], i % per_task == 0 ? 1U : 0U);
  }
}

TEST_F(CpuDeviceTest, FewLongWorkgroupsAreSharedAndManyShortOnesAreNot) {
  // The first launch measures the time of a workgroup; the second one knows it.
  const Launch slow = launch_of(note_tasks, {8, 6, 1}, {16, 1, 1});
  ASSERT_TRUE(queue->launch(slow));
  std::ranges::fill(words, 0);
  ASSERT_TRUE(queue->launch(slow));
  EXPECT_GE(count(1), 12U);
  EXPECT_EQ(count(0) + count(1), words.size());

  const Launch quick = launch_of(note_quickly, {48, 1, 1}, {16, 1, 1});
  ASSERT_TRUE(queue->launch(quick));
  std::ranges::fill(words, 0);
  ASSERT_TRUE(queue->launch(quick));
  EXPECT_EQ(words[0], 1U);
}

// Notes in a list where each call of the code begins and how many workgroups it has.
std::mutex pieces_mutex;
std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces;

std::uint32_t note_pieces(const HostLaunch*, std::uint64_t first, std::uint64_t count, std::byte*) {
  const std::scoped_lock lock(pieces_mutex);
  pieces.emplace_back(first, count);
  return 0;
}

// The pieces of `count` workgroups of `each`, as they are cut.
std::vector<std::pair<std::uint64_t, std::uint64_t>> cut(std::uint64_t count, std::uint64_t each) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
  for (std::uint64_t i = 0; i < count; i += each) out.emplace_back(i, std::min(each, count - i));
  return out;
}

TEST_F(CpuDeviceTest, ManyWorkgroupsAreEightTasksAThread) {
  const auto pieces_of = [&](const Launch& launch) {
    pieces.clear();
    EXPECT_TRUE(queue->launch(launch));
    std::ranges::sort(pieces);
    return pieces;
  };
  // 3 threads have 24 tasks; no task has less than 16,384 invocations.
  EXPECT_EQ(pieces_of(launch_of(note_pieces, {24 * 256, 1, 1}, {64, 1, 1})), cut(24 * 256, 256));
  EXPECT_EQ(pieces_of(launch_of(note_pieces, {100'000, 1, 1}, {64, 1, 1})), cut(100'000, 4167));
  EXPECT_EQ(pieces_of(launch_of(note_pieces, {100, 100, 10}, {64, 1, 1})), cut(100'000, 4167));
  // A workgroup of more is a task of its own.
  EXPECT_EQ(pieces_of(launch_of(note_pieces, {24, 1, 1}, {128, 128, 1})), cut(24, 1));

  // Between two tests of the flag that stops a launch there are at most 2^20 invocations.
  Launch one_task = launch_of(note_pieces, {4000, 1, 1}, {1024, 1, 1});
  one_task.groups_per_task = 4000;
  EXPECT_EQ(pieces_of(one_task), cut(4000, 1024));

  // With one thread there is nothing to share.
  const auto alone = CpuDevice::make({.threads = 1});
  const auto its_queue = *alone->make_queue();
  pieces.clear();
  EXPECT_TRUE(its_queue->launch(launch_of(note_pieces, {4096, 1, 1}, {64, 1, 1})));
  EXPECT_EQ(pieces, cut(4096, 4096));
}

TEST_F(CpuDeviceTest, SlowWorkgroupsAreCutAlongRows) {
  const auto starts_of = [&](Extent grid) {
    const Launch slow = launch_of(note_tasks, grid, {16, 1, 1});
    EXPECT_TRUE(queue->launch(slow));  // measures
    std::ranges::fill(words, 0);
    EXPECT_TRUE(queue->launch(slow));
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < words.size(); ++i) {
      if (words[i] != 0) out.push_back(i);
    }
    return out;
  };
  // 24 tasks of 240 workgroups would have 10 each: whole rows of 16, as there are 15 rows.
  for (const std::uint32_t start : starts_of({16, 15, 1})) EXPECT_EQ(start % 16, 0U) << start;
  // Too few rows for three threads: 10 becomes 8, so that gangs fit.
  for (const std::uint32_t start : starts_of({120, 2, 1})) EXPECT_EQ(start % 8, 0U) << start;
  EXPECT_EQ(starts_of({120, 2, 1}).size(), 30U);
}

TEST_F(CpuDeviceTest, TellsWhenALaunchHasEnded) {
  std::vector<std::string> ended;
  const auto watched = CpuDevice::make(
      {.threads = 1, .after_launch = [&](const Launch& l) { ended.emplace_back(l.kernel); }});
  const auto its_queue = *watched->make_queue();
  EXPECT_TRUE(its_queue->launch(launch_of(count_groups, {9, 1, 1})));
  EXPECT_EQ(ended, std::vector<std::string>{"by_hand"});
  Launch late = launch_of(run_until_stopped, {1, 1, 1});
  late.deadline = 1ms;
  EXPECT_FALSE(its_queue->launch(late));
  EXPECT_EQ(ended.size(), 1U) << "it was stopped";
}

TEST_F(CpuDeviceTest, AnAxisOfZeroRunsNothing) {
  EXPECT_TRUE(queue->launch(launch_of(count_groups, {5, 0, 1})));
  Launch launch = launch_of(count_groups, {5, 1, 1});
  launch.extent = {5, 1, 0};
  EXPECT_TRUE(queue->launch(launch));
  EXPECT_EQ(count(0), words.size());
}

TEST_F(CpuDeviceTest, RefusesMoreWorkgroupsThanCanBeCounted) {
  for (const Extent grid :
       {Extent{1U << 21U, 1U << 21U, 1U << 20U}, Extent{1U << 22U, 1U << 21U, 1U << 21U},
        Extent{0x7FFFFFFFU, 0x7FFFFFFFU, 0x7FFFFFFFU}}) {
    const auto launched = queue->launch(launch_of(count_groups, grid));
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().code, Code::limit);
  }
  EXPECT_EQ(count(0), words.size());
}

TEST_F(CpuDeviceTest, StopsALaunchAtItsDeadline) {
  for (const std::uint32_t groups : {1U, 20'000U}) {
    Launch launch = launch_of(run_until_stopped, {groups, 1, 1});
    launch.deadline = 10ms;
    const auto launched = queue->launch(launch);
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().code, Code::device);
    EXPECT_NE(launched.error().what.find("'by_hand' did not end within 10 ms"), std::string::npos)
        << launched.error().what;
  }
  EXPECT_TRUE(queue->launch(launch_of(count_groups, {9, 1, 1})));
  EXPECT_EQ(count(1), 9U);
}

TEST_F(CpuDeviceTest, NamesTheDeadlineThatTheCallerGave) {
  Launch launch = launch_of(run_until_stopped, {1, 1, 1});
  launch.deadline = 1ms;
  launch.asked = 1500ms;
  EXPECT_NE(queue->launch(launch).error().what.find("did not end within 1500 ms"),
            std::string::npos);
}

TEST_F(CpuDeviceTest, StopsBetweenWorkgroupsThatNeverLook) {
  for (const std::uint32_t groups_per_task : {0U, 1U, 0xFFFFFFFFU}) {
    Launch launch = launch_of(take_a_while, {1U << 25U, 1U << 20U, 1}, {64, 1, 1});
    launch.groups_per_task = groups_per_task;
    launch.deadline = 10ms;
    const auto launched = queue->launch(launch);
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().code, Code::device);
  }
}

TEST_F(CpuDeviceTest, ALaunchThatEndsInTimeIsFine) {
  Launch launch = launch_of(count_groups, {9, 1, 1});
  launch.deadline = 1h;
  EXPECT_TRUE(queue->launch(launch));
}

TEST_F(CpuDeviceTest, StopsALaunchWhenAsked) {
  std::atomic<std::uint32_t> stop = 0;
  Launch launch = launch_of(run_until_stopped, {4, 1, 1});
  launch.stop = &stop;
  std::thread other([&] {
    std::this_thread::sleep_for(10ms);
    stop = 1;
  });
  const auto launched = queue->launch(launch);
  other.join();
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().what, "kernel 'by_hand' was stopped");
}

TEST_F(CpuDeviceTest, GivesScratchMemoryThatIsAligned) {
  EXPECT_TRUE(queue->launch(launch_of(use_scratch, {1000, 1, 1}, {64, 1, 1}, 4096)));
  EXPECT_EQ(words[0], 0U);
}

TEST_F(CpuDeviceTest, ScratchThatDoesNotFitIsAnError) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end the program instead";
  const auto launched =
      queue->launch(launch_of(use_scratch, {1000, 1, 1}, {64, 1, 1}, std::uint64_t{1} << 50U));
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code, Code::out_of_memory);
}

TEST_F(CpuDeviceTest, CodeWithLargeFramesHasTheStackItNeeds) {
  Launch launch = launch_of(use_stack, {40, 1, 1}, {64, 1, 1});
  launch.groups_per_task = 10;
  const auto code =
      *device->load(HostCode{.entry = use_stack, .stack_bytes = 16U << 20U, .owner = nullptr});
  launch.code = code.get();
  EXPECT_TRUE(queue->launch(launch));
  EXPECT_EQ(words[0], 40U);
}

TEST_F(CpuDeviceTest, FramesThatFitNoStackAreAnError) {
  Launch launch = launch_of(count_groups, {40, 1, 1}, {64, 1, 1});
  const auto code = *device->load(
      HostCode{.entry = count_groups, .stack_bytes = std::uint64_t{1} << 48U, .owner = nullptr});
  launch.code = code.get();
  const auto launched = queue->launch(launch);
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code, Code::limit);
  EXPECT_NE(launched.error().what.find("'by_hand' needs a stack of 281474976710656 bytes"),
            std::string::npos)
      << launched.error().what;
  EXPECT_EQ(count(0), words.size());
}

TEST_F(CpuDeviceTest, KernelsDoNotSeeTheCallersRounding) {
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | _MM_ROUND_UP | _MM_FLUSH_ZERO_ON);
  const bool launched = queue->launch(launch_of(tell_float_environment, {1, 1, 1})).has_value();
  const unsigned after = _mm_getcsr();
  _mm_setcsr(saved);
  EXPECT_TRUE(launched);
  EXPECT_EQ(words[0] & (_MM_ROUND_MASK | _MM_FLUSH_ZERO_MASK), 0U);
  EXPECT_EQ(after & (_MM_ROUND_MASK | _MM_FLUSH_ZERO_MASK), _MM_ROUND_UP | _MM_FLUSH_ZERO_ON);
}

TEST_F(CpuDeviceTest, LaunchesFromManyThreads) {
  const Launch launch = launch_of(count_groups, {2000, 1, 1}, {16, 1, 1});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(queue->launch(launch));
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(count(200), 2000U);
}

TEST_F(CpuDeviceTest, ALaunchAllocatesNothing) {
  const Launch small = launch_of(count_groups, {9, 1, 1});
  const Launch large = launch_of(count_groups, {10'000, 1, 1}, {64, 1, 1});
  ASSERT_TRUE(queue->launch(small));
  ASSERT_TRUE(queue->launch(large));
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 20; ++i) {
    static_cast<void>(queue->launch(small));
    static_cast<void>(queue->launch(large));
  }
  EXPECT_EQ(allocation_count(), before);
}

TEST_F(CpuDeviceTest, RefusesCodeOfAnotherDevice) {
  EXPECT_FALSE(device->load(HostCode{}));
  EXPECT_FALSE(device->load(GpuCode{.ptx = "x", .cubin = {}, .entry = "e"}));
}

TEST_F(CpuDeviceTest, MovesBytes) {
  const auto from = device->allocate(16), to = device->allocate(16);
  ASSERT_TRUE(from && to);
  const std::array<std::byte, 4> bytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  EXPECT_TRUE(queue->write({from->address + 4, 4}, bytes));
  EXPECT_TRUE(queue->copy({from->address, 8}, {from->address + 2, 8}));  // onto itself
  EXPECT_TRUE(queue->copy({from->address, 16}, {to->address, 16}));
  EXPECT_TRUE(queue->clear({to->address, 7}));
  std::array<std::byte, 4> read{};
  EXPECT_TRUE(queue->read({to->address + 6, 4}, read));
  EXPECT_EQ(read, (std::array{std::byte{0}, std::byte{2}, std::byte{3}, std::byte{4}}));
}

TEST_F(CpuDeviceTest, EventsTellTheTimeBetweenThem) {
  const auto first = *queue->record();
  std::this_thread::sleep_for(2ms);
  const auto second = *queue->record();
  EXPECT_TRUE(*second->ready());
  EXPECT_GE(*second->since(*first), 2ms);
}

TEST_F(CpuDeviceTest, KnowsItself) {
  EXPECT_EQ(device->name(), "cpu");
  EXPECT_EQ(device->threads(), 3U);
  EXPECT_EQ(device->limits().backend, "cpu");
  const auto profile = device->profile();
  ASSERT_TRUE(profile);
  EXPECT_FALSE(profile->device_name.empty());
  EXPECT_EQ(profile->multiprocessors, 3U);
  EXPECT_GE(profile->warp_size, 4U);
  EXPECT_GT(profile->memory_bytes, 0U);
  EXPECT_EQ(*profile, *device->profile());
}

TEST_F(CpuDeviceTest, TellsWhatTheSystemTells) {
  const Profile told = *device->told_profile();
  EXPECT_EQ(told.memory_bytes_per_second, 0U) << "that would have to be measured";
  utsname system{};
  ASSERT_EQ(uname(&system), 0);
  EXPECT_EQ(told.driver, std::string(system.sysname) + " " + system.release);
  EXPECT_EQ(told.memory_bytes, static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                   static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(told.max_threads_per_multiprocessor, 1U);
  const auto line_of = [](const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
  };
  std::uint64_t cache = 0;
  const std::filesystem::path caches = "/sys/devices/system/cpu/cpu0/cache";
  if (!std::filesystem::exists(caches)) GTEST_SKIP() << "the system tells of no caches";
  for (const auto& index : std::filesystem::directory_iterator(caches)) {
    const std::string size = line_of(index.path() / "size");
    if (size.empty()) continue;
    const std::uint64_t unit = size.back() == 'K' ? 1 << 10 : size.back() == 'M' ? 1 << 20 : 1;
    cache = std::max<std::uint64_t>(cache, std::stoull(size) * unit);
  }
  EXPECT_EQ(told.last_level_cache_bytes, cache);
  const std::string khz = line_of("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  EXPECT_EQ(told.clock_khz, khz.empty() ? 0 : std::stoul(khz));
  std::ifstream processors("/proc/cpuinfo");
  std::string model;
  for (std::string line; model.empty() && std::getline(processors, line);) {
    if (line.starts_with("model name")) model = line.substr(line.find(": ") + 2);
  }
  if (!model.empty()) {
    EXPECT_EQ(told.device_name, model);
  }
  EXPECT_EQ(told.warp_size, __builtin_cpu_supports("avx512f") ? 16U
                            : __builtin_cpu_supports("avx2")  ? 8U
                                                              : 4U);
  EXPECT_GT(device->profile()->memory_bytes_per_second, 100'000'000U);
}

TEST_F(CpuDeviceTest, HasItsLimits) {
  const Limits& limits = device->limits();
  EXPECT_EQ(limits.max_threads_per_block, 1024U);
  EXPECT_EQ(limits.max_block_dim, (Extent{1024, 1024, 1024}));
  EXPECT_EQ(limits.max_grid_dim, (Extent{0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF}));
  EXPECT_EQ(limits.max_workgroup_bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(limits.max_bindings, 1024U);
}

class ThreadsVariable : public testing::Test {
 protected:
  ~ThreadsVariable() override {
    if (saved) {
      setenv("VYRE_THREADS", saved->c_str(), 1);
    } else {
      unsetenv("VYRE_THREADS");
    }
  }
  std::optional<std::string> saved = std::getenv("VYRE_THREADS") == nullptr
                                         ? std::nullopt
                                         : std::optional<std::string>(std::getenv("VYRE_THREADS"));
};

TEST_F(ThreadsVariable, SaysHowManyThreads) {
  unsetenv("VYRE_THREADS");
  EXPECT_EQ(cpu_options_from_environment()->threads, 0U);
  setenv("VYRE_THREADS", "", 1);
  EXPECT_EQ(cpu_options_from_environment()->threads, 0U);
  setenv("VYRE_THREADS", "5", 1);
  EXPECT_EQ(cpu_options_from_environment()->threads, 5U);
  setenv("VYRE_THREADS", "1024", 1);
  EXPECT_EQ(cpu_options_from_environment()->threads, 1024U);
}

TEST_F(ThreadsVariable, AnythingElseIsAnError) {
  for (const char* text : {"0", "-1", "1025", "2 ", " 2", "2x", "two", "99999999999999999999"}) {
    setenv("VYRE_THREADS", text, 1);
    const auto options = cpu_options_from_environment();
    ASSERT_FALSE(options) << text;
    EXPECT_EQ(options.error().code, Code::invalid_input);
  }
}

}  // namespace
}  // namespace vyre
