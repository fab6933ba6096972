// Tests of memory that need a real GPU. Without a driver or a device all of them are skipped.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

#include "vyre/device/cuda/cuda_real_testing.h"

namespace vyre::cuda_real {
namespace {

using namespace std::chrono_literals;

class CudaRealMemory : public CudaReal {};

TEST_F(CudaRealMemory, MemoryIsZeroAlsoTheSecondTime) {
  constexpr std::uint64_t kBytes = 10'000'001;
  for (int round = 0; round < 3; ++round) {
    auto memory = must(device_->allocate(kBytes));
    std::vector<std::byte> bytes(kBytes, std::byte{1});
    must(queue_->read(all_of(memory), bytes));
    EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; }));
    std::ranges::fill(bytes, std::byte{7});
    must(queue_->write(all_of(memory), bytes));
  }
}

TEST_F(CudaRealMemory, MemoryBesideLaunchesIsZeroAndComesBackWithTheDevice) {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 30;
  const std::uint64_t free = must(device_->memory_info()).free;
  for (int round = 0; round < 3; ++round) {
    const auto device = must(open_cuda(0));
    const auto queue = must(device->make_queue());
    auto memory = must(device->allocate_beside(kBytes));
    std::vector<std::byte> bytes(1'000'000, std::byte{1});
    must(queue->read({memory.address + kBytes - bytes.size(), bytes.size()}, bytes));
    EXPECT_TRUE(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; }));
    EXPECT_LT(must(device->memory_info()).free, free - kBytes / 2);
  }
  EXPECT_GT(must(device_->memory_info()).free, free - kBytes / 2);
}

// Times launches of one thread while another thread allocates, in each of two ways.
TEST_F(CudaRealMemory, LaunchesWaitLittleForMemoryBesideThem) {
  const auto code = load(saxpy_code());
  auto x = must(device_->allocate(std::uint64_t{64} << 20));
  const std::array bindings{all_of(x), all_of(x)};
  // From so many MiB on, so that none is there from the time before.
  const auto longest_us = [&](bool beside, std::uint64_t from) {
    std::atomic<bool> ends{false};
    std::vector<DeviceMemory> kept;
    double longest = 0;
    std::thread other;
    for (int batch = 0; !ends; ++batch) {
      const auto begin = Clock::now();
      for (int i = 0; i < 16; ++i) must(queue_->launch(saxpy(*code, bindings, 1 << 22)));
      if (batch > 0) longest = std::max(longest, 1e3 * milliseconds(Clock::now() - begin));
      must(queue_->wait());
      if (batch != 10) continue;
      other = std::thread([&] {
        for (std::uint64_t mebibytes = from; mebibytes < from + 8; ++mebibytes) {
          const std::uint64_t bytes = mebibytes << 20;
          auto made = beside ? device_->allocate_beside(bytes) : device_->allocate(bytes);
          if (made) kept.push_back(*std::move(made));
        }
        ends = true;
      });
    }
    other.join();
    EXPECT_EQ(kept.size(), 8U);
    return longest;
  };
  std::printf("longest 16 launches beside allocations:");
  for (std::uint64_t from = 16; from <= 1024; from *= 2) {
    const bool beside = (from & 0x555) != 0;
    std::printf(" %.0f us%s", longest_us(beside, from), beside ? "," : " (usual kind),");
  }
  std::printf("\n");
}

TEST_F(CudaRealMemory, CopiesAreFast) {
  constexpr std::uint64_t kBytes = std::uint64_t{256} << 20;
  auto memory = must(device_->allocate(kBytes));
  std::vector<std::byte> data(kBytes), got(kBytes);
  for (std::uint64_t i = 0; i < kBytes; i += 64) data[i] = static_cast<std::byte>(i >> 12);
  double write = 1e9, read = 1e9;
  for (int i = 0; i < 4; ++i) {
    const auto t0 = Clock::now();
    must(queue_->write(all_of(memory), data));
    must(queue_->wait());
    const auto t1 = Clock::now();
    must(queue_->read(all_of(memory), got));
    const auto t2 = Clock::now();
    write = std::min(write, milliseconds(t1 - t0));
    read = std::min(read, milliseconds(t2 - t1));
  }
  EXPECT_TRUE(got == data);
  std::printf("write %.1f GB/s, read %.1f GB/s (256 MiB, pageable)\n", kBytes / write / 1e6,
              kBytes / read / 1e6);
}

TEST_F(CudaRealMemory, CompilingAndAllocatingDoNotWaitForARunningKernel) {
  const auto spin = load(spin_code(1500ms));
  const auto warm = load(saxpy_code());  // the compiler's own start
  const auto other = must(device_->make_queue());
  auto before = must(device_->allocate(std::uint64_t{64} << 20));
  must(queue_->launch({.code = spin.get(), .kernel = "spin"}));
  const auto running = must(queue_->record());
  auto t = Clock::now();
  const auto step = [&](const char* what) {
    const auto now = Clock::now();
    std::printf("beside a running kernel: %s %.3f ms%s\n", what, milliseconds(now - t),
                must(running->ready()) ? " (it has ended meanwhile)" : "");
    t = Clock::now();
  };
  auto finished = must(device_->finish(saxpy_code(kNothing, "nothing")));
  step("PTX to cubin");
  EXPECT_FALSE(must(running->ready()));
  auto memory = must(device_->allocate(std::uint64_t{100} << 20));
  step("allocation of 100 MiB");
  memory = {};
  before = {};
  step("giving it back");
  auto again = must(device_->allocate(1000));
  const std::array bindings{all_of(again), all_of(again)};
  must(other->launch(saxpy(*warm, bindings, 10)));
  must(other->wait());
  step("allocation and launch in another queue");
  EXPECT_FALSE(must(running->ready()));
  // Loading may have to wait for the device, which is why compiling and loading are two things.
  const auto code = must(device_->load(std::move(finished)));
  step("load of the cubin");
  must(queue_->wait());
}

TEST_F(CudaRealMemory, OutOfMemoryIsTypedAndLeavesTheDeviceUsable) {
  const MemoryInfo info = must(device_->memory_info());
  std::vector<DeviceMemory> held;
  std::optional<Error> error;
  while (!error && held.size() < 1000) {
    auto memory = device_->allocate(std::max<std::uint64_t>(info.free / 5, 1 << 20));
    if (memory) {
      held.push_back(std::move(*memory));
    } else {
      error = memory.error();
    }
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, Code::out_of_memory);
  std::printf("%zu buffers, then: %s\n", held.size(), error->what.c_str());
  held.clear();
  // Another size than what the pool holds: it must give that back first.
  auto large = device_->allocate(info.free / 2);
  ASSERT_TRUE(large) << large.error().what;
  EXPECT_TRUE(computes(*device_, *queue_));
}

TEST_F(CudaRealMemory, BuffersBeyondFourGigabytesWork) {
  constexpr std::uint64_t kBytes = (std::uint64_t{4} << 30) + 4096;
  auto memory = device_->allocate(kBytes);
  if (!memory) GTEST_SKIP() << memory.error().what;
  std::array<std::byte, 16> data, got{};
  data.fill(std::byte{42});
  must(queue_->write({memory->address + kBytes - 16, 16}, data));
  must(queue_->read({memory->address + kBytes - 16, 16}, got));
  EXPECT_EQ(got, data);
  must(queue_->read({memory->address, 16}, got));
  EXPECT_EQ(got, (std::array<std::byte, 16>{}));
}

}  // namespace
}  // namespace vyre::cuda_real
