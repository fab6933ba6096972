// Tests that need a real GPU. They are skipped if there is no driver or no device, and for no other
// reason. They also print figures, which are half of their purpose.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <type_traits>

#include "vyre/device/cuda/code_internal.h"
#include "vyre/device/cuda/cuda_real_testing.h"
#include "vyre/device/cuda/driver_internal.h"

namespace vyre::cuda_real {
namespace {

using namespace std::chrono_literals;

TEST_F(CudaReal, TellsItsProfile) {
  const Profile profile = must(device_->profile());
  std::printf("%s\n%s\n%s\n", to_string(profile).c_str(), to_string(device_->limits()).c_str(),
              to_string(device_->target()).c_str());
  EXPECT_GT(profile.multiprocessors, 0U);
  EXPECT_GT(profile.memory_bytes_per_second, 1'000'000'000U);
  EXPECT_GT(profile.last_level_cache_bytes, 0U);
  EXPECT_EQ(profile.warp_size, 32U);
  EXPECT_GT(profile.clock_khz, 0U);
  const MemoryInfo info = must(device_->memory_info());
  EXPECT_LE(info.free, info.total);
  std::printf("%.1f of %.1f GiB free\n", static_cast<double>(info.free) / (1 << 30),
              static_cast<double>(info.total) / (1 << 30));
}

TEST_F(CudaReal, Computes) { EXPECT_TRUE(computes(*device_, *queue_)); }

TEST_F(CudaReal, ComputesOnManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      try {
        for (int i = 0; i < 20; ++i) wrong += computes(*device_, *queue_) ? 0 : 1;
      } catch (const std::exception& e) {
        std::printf("%s\n", e.what());
        ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CudaReal, LaunchCostsLittleMoreThanTheDriversOwn) {
  constexpr int kLaunches = 2000, kRounds = 25;
  const auto code = load(saxpy_code(kNothing, "nothing"));
  const auto& cuda = static_cast<const CudaCode&>(*code);
  const CudaDriver& driver = *must(cuda_driver());
  auto x = must(device_->allocate(4096));
  auto y = must(device_->allocate(4096));
  const std::array bindings{all_of(x), all_of(y)};
  const Launch launch = saxpy(*code, bindings, 1024);
  must(queue_->launch(launch));
  must(queue_->wait());
  CuStream stream = nullptr;
  ASSERT_EQ(driver.stream_create(&stream, cu::kStreamNonBlocking), 0);
  std::uint64_t a = x.address, b = y.address;
  std::uint32_t n = 1024;
  float factor = 2;
  std::array<void*, 4> parameters{&a, &b, &n, &factor};
  std::vector<double> bare, ours, current;
  const auto each = [](Clock::time_point from) {
    return milliseconds(Clock::now() - from) * 1e6 / kLaunches;
  };
  for (int round = 0; round < kRounds; ++round) {
    auto t = Clock::now();
    for (int i = 0; i < kLaunches; ++i) {
      driver.launch_kernel(cuda.function(), 4, 1, 1, 256, 1, 1, 0, stream, parameters.data(),
                           nullptr);
    }
    bare.push_back(each(t));
    driver.stream_synchronize(stream);
    t = Clock::now();
    for (int i = 0; i < kLaunches; ++i) {
      if (!queue_->launch(launch)) FAIL();
    }
    ours.push_back(each(t));
    must(queue_->wait());
    t = Clock::now();
    for (int i = 0; i < kLaunches; ++i) {
      CuContext context = nullptr;
      driver.context_get_current(&context);
    }
    current.push_back(each(t));
  }
  driver.stream_destroy(stream);
  const auto median = [](std::vector<double> v) {
    std::ranges::sort(v);
    return v[v.size() / 2];
  };
  std::printf(
      "bare cuLaunchKernel %.0f ns, Queue::launch %.0f ns (+%.0f), cuCtxGetCurrent %.0f ns "
      "(medians of %d rounds of %d)\n",
      median(bare), median(ours), median(ours) - median(bare), median(current), kRounds, kLaunches);
  std::ranges::sort(bare);
  std::ranges::sort(ours);
  std::printf("bare %.0f..%.0f ns, ours %.0f..%.0f ns\n", bare.front(), bare.back(), ours.front(),
              ours.back());
}

TEST_F(CudaReal, DeadlineEndsAnEndlessKernelAndLeavesTheDeviceUsable) {
  const auto code = load(endless_code());
  must(queue_->launch(
      {.code = code.get(), .kernel = "endless", .grid = {500, 1, 1}, .deadline = 1ms}));
  EXPECT_FALSE(queue_->wait());  // measures the clock
  for (const auto deadline : {20ms, 100ms}) {
    const auto from = Clock::now();
    must(queue_->launch({.code = code.get(), .kernel = "endless", .deadline = deadline}));
    const auto waited = queue_->wait();
    const double took = milliseconds(Clock::now() - from);
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().code, Code::device);
    std::printf("%s (took %.3f ms)\n", waited.error().what.c_str(), took);
    EXPECT_GE(took, milliseconds(deadline) - 1);
    EXPECT_LE(took, milliseconds(deadline) + 10);
  }
  EXPECT_FALSE(device_->lost());
  EXPECT_TRUE(computes(*device_, *queue_));
}

TEST_F(CudaReal, EventsTellTheDevicesTime) {
  const auto code = load(spin_code(20ms));
  const auto first = must(queue_->record());
  must(queue_->launch({.code = code.get(), .kernel = "spin"}));
  const auto second = must(queue_->record());
  EXPECT_FALSE(must(second->ready()));
  EXPECT_FALSE(second->since(*first));
  must(second->wait());
  const auto elapsed = must(second->since(*first));
  std::printf("a kernel of 20 ms took %.3f ms by its events\n", milliseconds(elapsed));
  EXPECT_GE(elapsed, 19ms);
  EXPECT_LE(elapsed, 30ms);
}

TEST_F(CudaReal, LaunchesTimedTogetherAllRunAndTheHostIsNotTimed) {
  constexpr std::uint32_t kCount = 1000, kTimes = 50;
  const auto code = load(saxpy_code());
  const auto x = must(device_->allocate(kCount * 4));
  const auto y = must(device_->allocate(kCount * 4));
  std::vector<float> got(kCount, 1.0F);
  must(queue_->write(all_of(x), std::as_bytes(std::span(got))));
  const std::array bindings{all_of(x), all_of(y)};
  const Launch launch = saxpy(*code, bindings, kCount);
  const auto together = must(queue_->time(launch, kTimes));
  must(queue_->read(all_of(y), std::as_writable_bytes(std::span(got))));
  for (const float value : got) ASSERT_EQ(value, 2.0F * kTimes);
  const auto one_by_one = must(queue_->Queue::time(launch, kTimes));
  std::printf("a launch of 1,000 values: %.2f us in a graph of %u, %.2f us one by one\n",
              1e3 * milliseconds(together) / kTimes, kTimes,
              1e3 * milliseconds(one_by_one) / kTimes);
  EXPECT_LT(together, one_by_one);
}

TEST_F(CudaReal, CubinStartsFast) {
  auto finished = must(device_->finish(saxpy_code()));
  queue_.reset();
  device_.reset();
  const auto t0 = Clock::now();
  device_ = must(open_cuda(0));
  const auto t1 = Clock::now();
  queue_ = must(device_->make_queue());
  const auto code = must(device_->load(finished));
  auto x = must(device_->allocate(4096));
  auto y = must(device_->allocate(4096));
  const std::array bindings{all_of(x), all_of(y)};
  must(queue_->launch(saxpy(*code, bindings, 1024)));
  const auto t2 = Clock::now();
  must(queue_->wait());
  std::printf("open %.2f ms, from there to launched %.2f ms, to done %.2f ms\n",
              milliseconds(t1 - t0), milliseconds(t2 - t1), milliseconds(Clock::now() - t1));
}

TEST_F(CudaReal, WrongPtxIsAnErrorWithTheCompilersWords) {
  const auto wrong = device_->load(gpu_code(".visible .entry k()\n{\n  no.such;\n}\n", "k", {}));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::invalid_input);
  std::printf("%s\n", wrong.error().what.c_str());
  auto missing = saxpy_code();
  missing.entry = "other";
  EXPECT_FALSE(device_->load(missing));
  auto few = saxpy_code();
  few.parameters.pop_back();
  const auto refused = device_->load(few);
  if (refused) {
    std::printf("this driver does not tell a kernel's parameters\n");
  } else {
    std::printf("%s\n", refused.error().what.c_str());
  }
  GpuCode garbage{.ptx = {}, .cubin = std::vector<std::byte>(64, std::byte{5}), .entry = "k"};
  const auto loaded = device_->load(garbage);
  ASSERT_FALSE(loaded);
  std::printf("%s\n", loaded.error().what.c_str());
  EXPECT_FALSE(device_->lost());
  EXPECT_TRUE(computes(*device_, *queue_));
}

TEST_F(CudaReal, OccupancyComesFromTheCode) {
  const auto code = load(saxpy_code());
  const CodeFacts facts = code->facts();
  const Occupancy occupancy = must(device_->occupancy(*code, {256, 1, 1}));
  std::printf(
      "saxpy: %u registers, %u threads at most, %u workgroups of 256 a multiprocessor, "
      "suggested %u x %u\n",
      facts.registers, facts.max_threads, occupancy.groups_per_multiprocessor,
      occupancy.suggested_groups, occupancy.suggested_threads);
  EXPECT_GT(facts.registers, 0U);
  EXPECT_EQ(facts.max_threads, 1024U);
  EXPECT_GT(occupancy.groups_per_multiprocessor, 0U);
  EXPECT_GE(occupancy.suggested_threads, 32U);
}

TEST_F(CudaReal, GuestUsesTheApplicationsContextStreamAndMemory) {
  const CudaDriver& driver = *must(cuda_driver());
  device_.reset();
  queue_.reset();
  CuContext theirs = nullptr;
  CuStream stream = nullptr;
  CuAddress x = 0, y = 0;
  ASSERT_EQ(driver.context_create(&theirs, 0, 0), 0);
  ASSERT_EQ(driver.stream_create(&stream, 0), 0);
  ASSERT_EQ(driver.memory_allocate(&x, 4096), 0);
  ASSERT_EQ(driver.memory_allocate(&y, 4096), 0);
  CuContext popped = nullptr;
  driver.context_pop(&popped);
  CuContext had = nullptr;
  driver.context_get_current(&had);
  {
    const auto guest = must(open_cuda(0, {.context = theirs, .stream = stream}));
    const auto queue = must(guest->make_queue());
    EXPECT_TRUE(computes(*guest, *queue));
    const std::array<float, 4> values{1, 2, 3, 4};
    must(queue->write({x, 4096}, std::as_bytes(std::span(values))));
    must(queue->write({y, 4096}, std::as_bytes(std::span(values))));
    const auto code = must(guest->load(saxpy_code()));
    const std::array bindings{BoundMemory{x, 4096}, BoundMemory{y, 4096}};
    must(queue->launch(saxpy(*code, bindings, 4)));
    const auto late = must(guest->load(endless_code()));
    must(queue->launch({.code = late.get(), .kernel = "endless", .deadline = 5ms}));
    EXPECT_FALSE(queue->wait());
    CuContext now = nullptr;
    driver.context_get_current(&now);
    EXPECT_EQ(now, had);
  }
  // All of theirs is still there.
  ASSERT_EQ(driver.context_set_current(theirs), 0);
  std::array<float, 4> got{};
  ASSERT_EQ(driver.copy_to_host(got.data(), y, sizeof got, stream), 0);
  ASSERT_EQ(driver.stream_synchronize(stream), 0);
  EXPECT_EQ(got, (std::array<float, 4>{3, 6, 9, 12}));
  EXPECT_EQ(driver.memory_free(x), 0);
  EXPECT_EQ(driver.memory_free(y), 0);
  EXPECT_EQ(driver.stream_destroy(stream), 0);
  EXPECT_EQ(driver.context_destroy(theirs), 0);
}

// This test runs last, because it breaks a context on purpose.
TEST_F(CudaReal, ZCrashLosesTheDeviceAndANewOneOpensOrSaysWhyNot) {
  auto crash = load(gpu_code(kCrash, "crash", {}));
  auto memory = must(device_->allocate(100));
  must(queue_->launch({.code = crash.get(), .kernel = "crash"}));
  const auto waited = queue_->wait();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, Code::device);
  std::printf("%s\n", waited.error().what.c_str());
  EXPECT_NE(waited.error().what.find("'crash'"), std::string::npos);
  EXPECT_TRUE(device_->lost());
  const auto later = device_->allocate(10);
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().what, waited.error().what);

  const auto beside = open_cuda(0);
  std::printf("opened again while the lost one is held: %s\n",
              beside ? "yes" : beside.error().what.c_str());
  if (!beside) {  // drivers differ
    EXPECT_EQ(beside.error().code, Code::unavailable);
    EXPECT_NE(beside.error().what.find("for the rest of the process"), std::string::npos);
    EXPECT_EQ(beside.error().fix, "start the program again");
    return;
  }
  const auto queue = must((*beside)->make_queue());
  EXPECT_TRUE(computes(**beside, *queue));
  EXPECT_EQ(device_->allocate(10).error().what, waited.error().what);
  memory = {};
  crash = {};
  queue_.reset();
  device_.reset();
  EXPECT_TRUE(computes(**beside, *queue));
}

}  // namespace
}  // namespace vyre::cuda_real
