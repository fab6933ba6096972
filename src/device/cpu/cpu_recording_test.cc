// Recordings on the CPU, with code written by hand: launches in bands leave the same results as
// launches one after the other.
#include <gtest/gtest.h>

#include <atomic>
#include <ctime>
#include <deque>
#include <thread>
#include <vector>

#include "vyre/base/memory/allocation_count_testing.h"
#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/device/cpu/cpu_device.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kWidth = 37, kHeight = 101;
constexpr Extent kWorkgroup{8, 2, 1}, kGrid{5, 51, 1}, kExtent{kWidth, kHeight, 1};
constexpr std::int64_t kRow = std::int64_t{kWidth} * 4;

std::uint32_t* words_of(const HostLaunch* launch, std::size_t slot) {
  return reinterpret_cast<std::uint32_t*>(
      static_cast<std::uintptr_t>(launch->bindings[slot].address));
}

// Calls work(x, y) for every invocation of the workgroups.
template <class Work>
void for_each_place(const HostLaunch* launch, std::uint64_t first, std::uint64_t count,
                    const Work& work) {
  for (std::uint64_t g = first; g < first + count; ++g) {
    const auto gx = static_cast<std::uint32_t>(g % launch->grid[0]);
    const auto gy = static_cast<std::uint32_t>(g / launch->grid[0]);
    for (std::uint32_t y = gy * kWorkgroup[1]; y < (gy + 1) * kWorkgroup[1]; ++y) {
      for (std::uint32_t x = gx * kWorkgroup[0]; x < (gx + 1) * kWorkgroup[0]; ++x) {
        if (x < launch->extent[0] && y < launch->extent[1]) work(x, y);
      }
    }
  }
}

// Each word of binding 1 becomes a mix of the words of binding 0 above and below.
std::uint32_t mix_rows(const HostLaunch* launch, std::uint64_t first, std::uint64_t count,
                       std::byte*) {
  const std::uint32_t* from = words_of(launch, 0);
  std::uint32_t* to = words_of(launch, 1);
  for_each_place(launch, first, count, [&](std::uint32_t x, std::uint32_t y) {
    const std::uint32_t above = from[(y == 0 ? 0 : y - 1) * kWidth + x];
    const std::uint32_t below = from[(y + 1 == kHeight ? y : y + 1) * kWidth + x];
    to[y * kWidth + x] = 31 * above + 17 * from[y * kWidth + x] + below + 1;
  });
  return 0;
}

std::uint32_t add_one(const HostLaunch* launch, std::uint64_t first, std::uint64_t count,
                      std::byte*) {
  std::uint32_t* to = words_of(launch, 0);
  for_each_place(launch, first, count,
                 [&](std::uint32_t x, std::uint32_t y) { to[y * kWidth + x] += 1; });
  return 0;
}

std::uint32_t count_bits(const HostLaunch* launch, std::uint64_t first, std::uint64_t count,
                         std::byte*) {
  const std::uint32_t* from = words_of(launch, 0);
  for_each_place(launch, first, count, [&](std::uint32_t x, std::uint32_t y) {
    std::atomic_ref(words_of(launch, 1)[from[y * kWidth + x] % 16]).fetch_add(1);
  });
  return 0;
}

std::uint32_t stop_in_the_middle(const HostLaunch* launch, std::uint64_t first, std::uint64_t,
                                 std::byte*) {
  if (first < 2 * std::uint64_t{kGrid[1]}) return 0;
  const std::atomic_ref stop(*const_cast<std::uint32_t*>(launch->stop));
  while (stop.load(std::memory_order_relaxed) == 0) std::this_thread::yield();
  return 1;
}

class CpuRecordingTest : public testing::Test {
 protected:
  std::shared_ptr<const LoadedCode> load(HostEntry entry, std::uint64_t scratch = 0) {
    HostCode code;
    code.entry = entry;
    code.scratch_bytes = scratch;
    return *device->load(code);
  }
  void open(CpuOptions options) {
    device = CpuDevice::make(std::move(options));
    queue = *device->make_queue();
  }
  void add(HostEntry entry, std::vector<std::size_t> buffers, std::vector<ReachedBytes> reach,
           std::uint64_t scratch = 0) {
    codes.push_back(load(entry, scratch));
    auto& bound = bindings.emplace_back();
    for (const std::size_t b : buffers) {
      bound.push_back({reinterpret_cast<std::uintptr_t>(words[b].data()), words[b].size() * 4});
    }
    WorkItem& item = items.emplace_back();
    item.launch = {.code = codes.back().get(),
                   .kernel = "kernel",
                   .bindings = bound,
                   .grid = kGrid,
                   .extent = kExtent,
                   .workgroup = kWorkgroup};
    item.reach = std::move(reach);
  }
  void add_mix(std::size_t from, std::size_t to) {
    add(mix_rows, {from, to},
        {{.slot = 0, .factor = kRow, .low = -kRow, .high = 2 * kRow},
         {.slot = 1, .writes = true, .factor = kRow, .high = kRow}});
  }
  void add_one_to(std::size_t which) {
    add(add_one, {which}, {{.slot = 0, .writes = true, .factor = kRow, .high = kRow}});
  }
  void add_count(std::size_t from, std::size_t to) {
    add(count_bits, {from, to},
        {{.slot = 0, .factor = kRow, .high = kRow},
         {.slot = 1, .writes = true, .commutes = 1, .high = std::int64_t{1} << 40U}});
  }
  void clear(std::size_t which) {
    WorkItem& item = items.emplace_back();
    item.kind = WorkItem::Kind::clear;
    item.to = {reinterpret_cast<std::uintptr_t>(words[which].data()), words[which].size() * 4};
  }
  void fill() {
    for (std::size_t b = 0; b < words.size(); ++b) {
      for (std::size_t i = 0; i < words[b].size(); ++i) {
        words[b][i] = static_cast<std::uint32_t>(1000 * b + i * i);
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> played(bool in_bands, int times = 1) {
    std::vector<WorkItem> own = items;
    if (!in_bands) {
      for (WorkItem& item : own) item.reach.reset();
    }
    const auto recording = queue->record_work(own);
    EXPECT_TRUE(recording);
    EXPECT_EQ((*recording)->bands().empty(), !in_bands);
    EXPECT_EQ((*recording)->one_by_one().empty(), in_bands);
    fill();
    for (int i = 0; i < times; ++i) EXPECT_TRUE(queue->play(**recording));
    return words;
  }

  std::shared_ptr<CpuDevice> device;
  std::shared_ptr<Queue> queue;
  std::vector<std::vector<std::uint32_t>> words{
      5, std::vector<std::uint32_t>(std::size_t{kWidth} * kHeight)};
  std::deque<std::vector<BoundMemory>> bindings;
  std::vector<std::shared_ptr<const LoadedCode>> codes;
  std::vector<WorkItem> items;
};

TEST_F(CpuRecordingTest, BandsLeaveWhatLaunchesOneAfterTheOtherLeave) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const std::uint64_t rows : {1U, 2U, 7U}) {
      open({.threads = threads, .band_rows = rows});
      items.clear();
      add_mix(0, 1);
      add_mix(1, 2);
      add_one_to(2);
      add_mix(2, 0);  // over what the first one read
      clear(3);
      add_mix(0, 1);
      add_count(1, 3);
      const auto expected = played(false, 2);
      for (int i = 0; i < 20; ++i) ASSERT_EQ(played(true, 2), expected) << threads << " " << rows;
    }
  }
}

TEST_F(CpuRecordingTest, AClearWaitsForThoseThatTouchItsMemory) {
  open({.threads = 2, .band_rows = 1});
  add_mix(0, 1);
  add_mix(1, 2);
  clear(1);
  add_mix(2, 3);
  add_mix(1, 4);
  EXPECT_EQ(played(true), played(false));
  const auto recording = *queue->record_work(items);
  const auto bands = recording->bands();
  ASSERT_FALSE(bands.empty());
  EXPECT_EQ(bands[0].first_item, 0U);
  EXPECT_EQ(bands[0].last_item, 1U);
}

TEST_F(CpuRecordingTest, OtherLaunchesTakeTheirPlaces) {
  open({.threads = 2, .band_rows = 1});
  add_mix(0, 1);
  add_mix(1, 2);
  add_mix(2, 3);
  const auto recording = *queue->record_work(items);
  const std::vector<BoundMemory> other{items[0].launch.bindings[1], items[2].launch.bindings[1]};
  Launch launch = items[1].launch;
  launch.bindings = other;  // from 1 to 3
  ASSERT_TRUE(recording->set(1, launch));
  fill();
  ASSERT_TRUE(queue->play(*recording));
  const auto found = words;
  items[1].launch.bindings = other;
  EXPECT_EQ(played(false), found);
  // A launch whose workgroups do not form rows of the extent ends the run.
  launch.grid = {3, 51, 1};
  launch.grid[1] = 26;
  ASSERT_TRUE(recording->set(1, launch));
  EXPECT_TRUE(recording->bands().empty());
  EXPECT_FALSE(recording->set(3, launch));
}

// Dividing 1,000 launches takes milliseconds, which must not be spent for each of them.
TEST_F(CpuRecordingTest, ReplacingManyLaunchesDividesThemOnce) {
  open({.threads = 2, .band_rows = 1});
  for (int i = 0; i < 500; ++i) {
    add_mix(0, 1);
    add_mix(1, 0);
  }
  const auto processor_time = [](const auto& call) {
    const std::clock_t begin = std::clock();
    call();
    return static_cast<double>(std::clock() - begin);
  };
  std::shared_ptr<WorkRecording> recording;
  const double divided = processor_time([&] {
    recording = *queue->record_work(items);
    EXPECT_FALSE(recording->bands().empty());
  });
  const double replaced = processor_time([&] {
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      ASSERT_TRUE(recording->set(i, items[i].launch));
    }
    EXPECT_FALSE(recording->bands().empty());
  });
  EXPECT_LT(replaced, 20 * divided + 1e-3 * CLOCKS_PER_SEC);
}

TEST_F(CpuRecordingTest, ADeadlineOrAStopEndsAllThreads) {
  open({.threads = 3, .band_rows = 1});
  add_mix(0, 1);
  add(stop_in_the_middle, {1, 2},
      {{.slot = 0, .factor = kRow, .low = -kRow, .high = 2 * kRow},
       {.slot = 1, .writes = true, .factor = kRow, .high = kRow}});
  add_mix(2, 3);
  const auto recording = *queue->record_work(items);
  ASSERT_EQ(recording->bands().size(), 1U);
  std::atomic<std::uint32_t> stop = 0;
  for (int i = 0; i < 5; ++i) {
    const auto late = queue->play(*recording, {.deadline = 5ms, .asked = 7ms, .stop = &stop});
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().what,
              "kernel 'kernel' did not end within 7 ms; its buffers hold what it had written by "
              "then");
    EXPECT_EQ(stop, 0U);
    std::thread other([&] {
      std::this_thread::sleep_for(2ms);
      stop = 1;
    });
    const auto stopped = queue->play(*recording, {.deadline = {}, .asked = {}, .stop = &stop});
    other.join();
    stop = 0;
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().what, "kernel 'kernel' was stopped");
  }
}

TEST_F(CpuRecordingTest, ScratchThatDoesNotFitIsAnError) {
  if (kSanitized) GTEST_SKIP() << "sanitizers end the program instead";
  open({.threads = 2, .band_rows = 1});
  add_mix(0, 1);
  add_mix(1, 2);
  items.pop_back();
  add(mix_rows, {1, 2},
      {{.slot = 0, .factor = kRow, .low = -kRow, .high = 2 * kRow},
       {.slot = 1, .writes = true, .factor = kRow, .high = kRow}},
      std::uint64_t{1} << 60);
  const auto recording = *queue->record_work(items);
  ASSERT_EQ(recording->bands().size(), 1U);
  const auto failed = queue->play(*recording);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::out_of_memory);
}

TEST_F(CpuRecordingTest, APlayAllocatesNothing) {
  open({.threads = 2, .band_rows = 1});
  add_mix(0, 1);
  add_mix(1, 2);
  const auto recording = *queue->record_work(items);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue->play(*recording));
  const std::uint64_t before = allocation_count();
  ASSERT_TRUE(queue->play(*recording));
  EXPECT_EQ(allocation_count(), before);
}

TEST_F(CpuRecordingTest, SmallLaunchesRunOneAfterTheOther) {
  open({.threads = 2});
  add_mix(0, 1);
  add_mix(1, 2);
  const auto recording = *queue->record_work(items);
  EXPECT_TRUE(recording->bands().empty()) << "everything fits into the caches";
  EXPECT_EQ(recording->one_by_one(), "no launches can follow each other in bands");
}

}  // namespace
}  // namespace vyre
