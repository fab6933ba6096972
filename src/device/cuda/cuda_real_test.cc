// What only a GPU can tell. Without a driver or a device everything here is skipped, and nothing
// else makes it skip. Figures are printed, because they are half of what these are for.
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
#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/cuda/driver_internal.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr const char* kHeader = ".version 6.0\n.target sm_50\n.address_size 64\n";

// y[i] = a * x[i] + y[i] for every i inside the extent.
constexpr const char* kSaxpy = R"(
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .u32 n, .param .f32 a)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .f32 %f<5>;
  .reg .b64 %rd<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p1, %r1, %r4;
  @%p1 bra end;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  ld.global.f32 %f3, [%rd5];
  fma.rn.f32 %f4, %f1, %f2, %f3;
  st.global.f32 [%rd5], %f4;
end:
  ret;
}
)";

// Runs until the timer has passed the deadline, and says so.
constexpr const char* kEndless = R"(
.visible .entry endless(.param .u64 deadline, .param .u64 status)
{
  .reg .pred %p<2>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [deadline];
  ld.param.u64 %rd2, [status];
again:
  mov.u64 %rd3, %globaltimer;
  setp.lt.u64 %p1, %rd3, %rd1;
  @%p1 bra again;
  mov.u32 %r1, 1;
  st.global.u32 [%rd2], %r1;
  ret;
}
)";

// Runs for so many nanoseconds.
constexpr const char* kSpin = R"(
.visible .entry spin(.param .u64 nanoseconds)
{
  .reg .pred %p<2>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [nanoseconds];
  mov.u64 %rd2, %globaltimer;
  add.s64 %rd1, %rd1, %rd2;
again:
  mov.u64 %rd3, %globaltimer;
  setp.lt.u64 %p1, %rd3, %rd1;
  @%p1 bra again;
  ret;
}
)";

constexpr const char* kCrash = R"(
.visible .entry crash()
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 64;
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

constexpr const char* kNothing =
    ".visible .entry nothing(.param .u64 x, .param .u64 y, "
    ".param .u32 n, .param .f32 a)\n{\n  ret;\n}\n";

GpuParameter value_parameter(const auto& value) {
  GpuParameter out{.kind = GpuParameterKind::value};
  out.value.resize(sizeof value);
  std::memcpy(out.value.data(), &value, sizeof value);
  return out;
}

GpuCode gpu_code(const char* body, const char* entry, std::vector<GpuParameter> parameters) {
  return {.ptx = std::string(kHeader) + body,
          .cubin = {},
          .entry = entry,
          .parameters = std::move(parameters),
          .dynamic_shared_bytes = 0};
}

GpuCode saxpy_code(const char* body = kSaxpy, const char* entry = "saxpy") {
  return gpu_code(body, entry,
                  {{.kind = GpuParameterKind::address, .slot = 0},
                   {.kind = GpuParameterKind::address, .slot = 1},
                   {.kind = GpuParameterKind::extent, .slot = 0},
                   value_parameter(2.0F)});
}

GpuCode endless_code() {
  return gpu_code(kEndless, "endless",
                  {{.kind = GpuParameterKind::deadline}, {.kind = GpuParameterKind::status}});
}

GpuCode spin_code(std::chrono::nanoseconds time) {
  return gpu_code(kSpin, "spin", {value_parameter(std::int64_t{time.count()})});
}

double milliseconds(Clock::duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

BoundMemory all_of(const DeviceMemory& memory) { return {memory.address, memory.bytes}; }

// The value; a test ends where there is none.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class CudaReal : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto count = cuda_device_count(); !count) {
      ASSERT_EQ(count.error().code, Code::unavailable);
      GTEST_SKIP() << count.error().what;
    }
    device_ = must(open_cuda(0));
    queue_ = must(device_->make_queue());
  }

  std::shared_ptr<const LoadedCode> load(GpuCode code) {
    return must(device_->load(std::move(code)));
  }
  Launch saxpy(const LoadedCode& code, std::span<const BoundMemory> bindings, std::uint32_t n) {
    return {.code = &code,
            .kernel = "saxpy",
            .bindings = bindings,
            .grid = {(n + 255) / 256, 1, 1},
            .extent = {n, 1, 1},
            .workgroup = {256, 1, 1}};
  }
  // Whether a saxpy gives what it should on this device.
  static bool computes(Device& device, Queue& queue) {
    constexpr std::uint32_t kCount = 1000;
    auto code = must(device.load(saxpy_code()));
    auto x = must(device.allocate(kCount * 4));
    auto y = must(device.allocate(kCount * 4));
    std::vector<float> values(kCount), got(kCount);
    std::iota(values.begin(), values.end(), 0.0F);
    must(queue.write(all_of(x), std::as_bytes(std::span(values))));
    must(queue.write(all_of(y), std::as_bytes(std::span(values))));
    const std::array bindings{all_of(x), all_of(y)};
    must(queue.launch({.code = code.get(),
                       .kernel = "saxpy",
                       .bindings = bindings,
                       .grid = {8, 1, 1},
                       .extent = {kCount - 1, 1, 1},
                       .workgroup = {128, 1, 1}}));
    must(queue.read(all_of(y), std::as_writable_bytes(std::span(got))));
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const float expected = i == kCount - 1 ? values[i] : 3 * values[i];
      if (got[i] != expected) return false;
    }
    return true;
  }

  std::shared_ptr<CudaDevice> device_;
  std::shared_ptr<Queue> queue_;
};

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

TEST_F(CudaReal, MemoryIsZeroAlsoTheSecondTime) {
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

TEST_F(CudaReal, MemoryBesideLaunchesIsZeroAndComesBackWithTheDevice) {
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

// Launches of one thread while another allocates, in one way and in the other.
TEST_F(CudaReal, LaunchesWaitLittleForMemoryBesideThem) {
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

TEST_F(CudaReal, CopiesAreFast) {
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

TEST_F(CudaReal, CompilingAndAllocatingDoNotWaitForARunningKernel) {
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

TEST_F(CudaReal, OutOfMemoryIsTypedAndLeavesTheDeviceUsable) {
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

TEST_F(CudaReal, BuffersBeyondFourGigabytesWork) {
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

// Last: it breaks a context on purpose.
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
}  // namespace vyre
