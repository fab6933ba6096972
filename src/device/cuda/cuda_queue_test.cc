#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include "vyre/device/cuda/code_internal.h"
#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/cuda/deadlines_internal.h"
#include "vyre/device/cuda/fake_driver_testing.h"
#include "vyre/device/cuda/staging_internal.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

const GpuParameter kDeadline{.kind = GpuParameterKind::deadline};
const GpuParameter kStatus{.kind = GpuParameterKind::status};

class CudaQueueTest : public testing::Test {
 protected:
  void SetUp() override {
    auto device = open_cuda(fake.table, 0, {});
    ASSERT_TRUE(device) << device.error().what;
    device_ = *device;
    auto queue = device_->make_queue();
    ASSERT_TRUE(queue) << queue.error().what;
    queue_ = *queue;
  }

  std::shared_ptr<const LoadedCode> load(const std::string& name, FakeKernel kernel,
                                         std::vector<GpuParameter> parameters) {
    kernel.parameter_bytes.clear();
    for (const auto& p : parameters) kernel.parameter_bytes.push_back(parameter_bytes(p));
    fake.kernels[name] = std::move(kernel);
    auto code = device_->load(fake_code(name, std::move(parameters)));
    EXPECT_TRUE(code) << code.error().what;
    return code ? *code : nullptr;
  }
  // A kernel that gives up, as one does whose deadline has passed.
  static CuResult give_up(const FakeLaunch& l) {
    const std::uint32_t one = 1;
    std::memcpy(reinterpret_cast<void*>(l.get<CuAddress>(1)), &one, sizeof one);
    return 0;
  }

  FakeDriver fake;
  std::shared_ptr<CudaDevice> device_;
  std::shared_ptr<Queue> queue_;
};

TEST_F(CudaQueueTest, FillsParametersInTheDeclaredOrder) {
  const std::array<std::byte, 3> value{std::byte{1}, std::byte{2}, std::byte{3}};
  const auto code =
      load("k", {},
           {{.kind = GpuParameterKind::bytes, .slot = 1},
            {.kind = GpuParameterKind::address, .slot = 1},
            {.kind = GpuParameterKind::extent, .slot = 2},
            {.kind = GpuParameterKind::value, .slot = 0, .value = {value.begin(), value.end()}},
            kDeadline,
            {.kind = GpuParameterKind::address, .slot = 0},
            {.kind = GpuParameterKind::extent, .slot = 0},
            kStatus});
  const std::array bindings{BoundMemory{0x1000, 16}, BoundMemory{0x123456789AB0, 0x200000001}};
  ASSERT_TRUE(queue_->launch({.code = code.get(),
                              .kernel = "k",
                              .bindings = bindings,
                              .grid = {3, 4, 5},
                              .extent = {90, 8, 7},
                              .workgroup = {32, 2, 2}}));
  const FakeLaunch l = fake.launches().at(0);
  EXPECT_EQ(l.grid, (Extent{3, 4, 5}));
  EXPECT_EQ(l.block, (Extent{32, 2, 2}));
  EXPECT_EQ(l.get<std::uint64_t>(0), 0x200000001U);
  EXPECT_EQ(l.get<std::uint64_t>(1), 0x123456789AB0U);
  EXPECT_EQ(l.get<std::uint32_t>(2), 7U);
  EXPECT_TRUE(std::ranges::equal(l.parameters[3], value));
  EXPECT_EQ(l.get<std::uint64_t>(4), ~std::uint64_t{0});
  EXPECT_EQ(l.get<std::uint64_t>(5), 0x1000U);
  EXPECT_EQ(l.get<std::uint32_t>(6), 90U);
  EXPECT_NE(l.get<std::uint64_t>(7), 0U);
}

TEST_F(CudaQueueTest, PlainLaunchIsOneCallOfTheDriver) {
  const auto code = load("k", {}, {kDeadline, kStatus});
  ASSERT_TRUE(queue_->launch({.code = code.get(), .kernel = "k"}));
  const unsigned records = fake.calls("cuEventRecord");
  const unsigned waits = fake.calls("cuStreamWaitEvent");
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(queue_->launch({.code = code.get(), .kernel = "k"}));
  }
  EXPECT_EQ(fake.calls("cuLaunchKernel"), 101U);
  EXPECT_EQ(fake.calls("cuEventRecord"), records);
  EXPECT_EQ(fake.calls("cuStreamWaitEvent"), waits);
  EXPECT_EQ(fake.calls("cuStreamSynchronize"), 0U);
}

TEST_F(CudaQueueTest, WorkgroupsThatWaitForEachOtherAreLaunchedTogether) {
  const auto code = load("k", {}, {});
  const Launch launch{.code = code.get(),
                      .kernel = "k",
                      .grid = {40, 1, 1},
                      .extent = {5120, 1, 1},
                      .workgroup = {128, 1, 1},
                      .together = true};
  ASSERT_TRUE(queue_->launch(launch));
  ASSERT_TRUE(queue_->time(launch, 3));
  EXPECT_EQ(fake.calls("cuLaunchCooperativeKernel"), 4U);
  EXPECT_EQ(fake.calls("cuLaunchKernel"), 0U);
  EXPECT_EQ(fake.calls("cuGraphLaunch"), 0U);

  fake.fail_next("cuLaunchCooperativeKernel", cu::kTooLargeTogether);
  const auto large = queue_->launch(launch);
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, Code::limit);
  EXPECT_EQ(large.error().what,
            "kernel 'k' has 40 workgroups that wait for each other; cuda:0 runs 2112 of them at "
            "once");
  fake.fail_next("cuLaunchCooperativeKernel", cu::kOutOfMemory);
  EXPECT_EQ(queue_->launch(launch).error().code, Code::out_of_memory);
}

TEST_F(CudaQueueTest, OldDriversCannotLaunchTogether) {
  fake.table.launch_together = nullptr;
  SetUp();
  const auto code = load("k", {}, {});
  const auto refused = queue_->launch({.code = code.get(), .kernel = "k", .together = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::unavailable);
  EXPECT_TRUE(fake.launches().empty());
}

TEST_F(CudaQueueTest, EmptyLaunchRunsNothing) {
  const auto code = load("k", {}, {});
  EXPECT_TRUE(queue_->launch({.code = code.get(), .kernel = "k", .grid = {0, 1, 1}}));
  EXPECT_TRUE(queue_->launch({.code = code.get(), .kernel = "k", .extent = {1, 0, 1}}));
  EXPECT_TRUE(fake.launches().empty());
}

TEST_F(CudaQueueTest, LaunchBeyondTheLimitsSaysWhich) {
  const auto code = load("k", {.parameter_bytes = {}, .run = {}, .registers = 128}, {});
  const auto grid = queue_->launch({.code = code.get(), .kernel = "k", .grid = {1, 65536, 1}});
  ASSERT_FALSE(grid);
  EXPECT_EQ(grid.error().code, Code::limit);
  EXPECT_EQ(grid.error().what,
            "kernel 'k' has a grid of 1x65536x1 workgroups; cuda:0 allows 2147483647x65535x65535");
  const auto group = queue_->launch({.code = code.get(), .kernel = "k", .workgroup = {513, 1, 1}});
  ASSERT_FALSE(group);
  EXPECT_EQ(group.error().code, Code::limit);
  EXPECT_EQ(group.error().what,
            "kernel 'k' has workgroups of 513x1x1; cuda:0 allows 1024x1024x64, and 512 threads for "
            "this kernel's 128 registers");
  EXPECT_TRUE(queue_->launch({.code = code.get(), .kernel = "k", .workgroup = {512, 1, 1}}));
}

TEST_F(CudaQueueTest, EveryAxisHasItsLimit) {
  const auto code = load("k", {}, {});
  const auto launched = [&](Extent grid, Extent workgroup) {
    return queue_->launch({.code = code.get(), .kernel = "k", .grid = grid, .workgroup = workgroup})
        .has_value();
  };
  const Extent one{1, 1, 1};
  EXPECT_TRUE(launched({0x7FFFFFFF, 65535, 65535}, {1024, 1, 1}));
  EXPECT_FALSE(launched({0x80000000, 1, 1}, one));
  EXPECT_FALSE(launched({1, 65536, 1}, one));
  EXPECT_FALSE(launched({1, 1, 65536}, one));
  EXPECT_TRUE(launched(one, {1, 1024, 1}));
  EXPECT_TRUE(launched(one, {1, 1, 64}));
  EXPECT_FALSE(launched(one, {1025, 1, 1}));
  EXPECT_FALSE(launched(one, {1, 1025, 1}));
  EXPECT_FALSE(launched(one, {1, 1, 65}));
  EXPECT_TRUE(launched(one, {16, 16, 4}));
  EXPECT_FALSE(launched(one, {16, 16, 5}));
  EXPECT_FALSE(launched(one, {1024, 1024, 64}));
}

TEST_F(CudaQueueTest, ALaunchWithAnyEmptyAxisRunsNothing) {
  const auto code = load("k", {}, {});
  for (unsigned axis = 0; axis < 3; ++axis) {
    Launch l{.code = code.get(), .kernel = "k"};
    l.grid[axis] = 0;
    EXPECT_TRUE(queue_->launch(l));
    EXPECT_TRUE(queue_->time(l, 3));
    l.grid[axis] = 1;
    l.extent[axis] = 0;
    EXPECT_TRUE(queue_->launch(l));
    EXPECT_TRUE(queue_->time(l, 3));
  }
  EXPECT_TRUE(fake.launches().empty());
}

TEST_F(CudaQueueTest, KnowsWhetherItIsIdle) {
  const auto code = load("k", {}, {});
  EXPECT_TRUE(queue_->known_idle());
  EXPECT_FALSE(queue_->is_lent());
  fake.hold(true);
  ASSERT_TRUE(queue_->launch({.code = code.get(), .kernel = "k"}));
  EXPECT_FALSE(queue_->known_idle());
  EXPECT_FALSE(queue_->is_idle());
  fake.hold(false);
  EXPECT_FALSE(queue_->known_idle()) << "nobody has asked";
  EXPECT_TRUE(queue_->is_idle());
  ASSERT_TRUE(queue_->wait());
  EXPECT_TRUE(queue_->known_idle());
}

TEST_F(CudaQueueTest, OverlappingCopiesGoThroughMemoryBetween) {
  auto memory = device_->allocate(256);
  ASSERT_TRUE(memory);
  const auto copies = [&](std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
    const unsigned before = fake.calls("cuMemcpyDtoDAsync");
    EXPECT_TRUE(queue_->copy({memory->address + from, bytes}, {memory->address + to, bytes}));
    return fake.calls("cuMemcpyDtoDAsync") - before;
  };
  EXPECT_EQ(copies(0, 64, 64), 1U) << "one behind the other";
  EXPECT_EQ(copies(64, 0, 64), 1U);
  EXPECT_EQ(copies(0, 63, 64), 2U);
  EXPECT_EQ(copies(63, 0, 64), 2U);
  EXPECT_EQ(copies(5, 5, 64), 0U) << "onto itself";
  EXPECT_EQ(copies(0, 64, 0), 0U);
}

TEST_F(CudaQueueTest, LaunchWithoutItsBindingsIsRefused) {
  const auto code = load("k", {}, {{.kind = GpuParameterKind::address, .slot = 2}});
  const auto launched = queue_->launch({.code = code.get(), .kernel = "k"});
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().what, "kernel 'k' takes 3 bindings; the launch has 0");
}

TEST_F(CudaQueueTest, CodeOfAnotherDeviceIsRefused) {
  const auto code = load("k", {}, {});
  auto other = open_cuda(fake.table, 0, {});
  ASSERT_TRUE(other);
  auto queue = (*other)->make_queue();
  ASSERT_TRUE(queue);
  const auto launched = (*queue)->launch({.code = code.get(), .kernel = "k"});
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code, Code::invalid_input);
}

TEST_F(CudaQueueTest, WritesAndReadsOfEverySizeArrive) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{1000}, std::size_t{Staging::kSmallBytes},
        std::size_t{Staging::kSmallBytes + 1}, std::size_t{Staging::kLargeBytes},
        std::size_t{3 * Staging::kLargeBytes + 5}}) {
    auto memory = device_->allocate(bytes);
    ASSERT_TRUE(memory);
    std::vector<std::byte> data(bytes);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + i / 255);
    std::vector<std::byte> source = data;
    fake.hold(true);
    ASSERT_TRUE(queue_->write({memory->address, bytes}, source));
    std::ranges::fill(source, std::byte{0});  // free to change
    fake.hold(false);
    std::vector<std::byte> got(bytes);
    ASSERT_TRUE(queue_->read({memory->address, bytes}, got));
    EXPECT_EQ(got, data) << bytes;
  }
}

TEST_F(CudaQueueTest, ManySmallWritesKeepTheirBytesUntilTheyAreCopied) {
  constexpr std::size_t kEach = 1000, kCount = 1000;
  auto memory = device_->allocate(kEach * kCount);
  ASSERT_TRUE(memory);
  fake.hold(true);
  std::vector<std::byte> piece(kEach);
  for (std::size_t i = 0; i < kCount; ++i) {
    std::ranges::fill(piece, static_cast<std::byte>(i));
    ASSERT_TRUE(queue_->write({memory->address + i * kEach, kEach}, piece));
  }
  fake.hold(false);
  std::vector<std::byte> got(kEach * kCount);
  ASSERT_TRUE(queue_->read({memory->address, got.size()}, got));
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], static_cast<std::byte>(i / kEach)) << i;
  }
  EXPECT_LE(fake.live_pinned(), 4U);
}

TEST_F(CudaQueueTest, CopiesAlsoWhenTheyOverlap) {
  auto memory = device_->allocate(64);
  ASSERT_TRUE(memory);
  std::array<std::byte, 64> data{};
  for (unsigned i = 0; i < 64; ++i) data[i] = static_cast<std::byte>(i);
  ASSERT_TRUE(queue_->write({memory->address, 64}, data));
  ASSERT_TRUE(queue_->copy({memory->address, 40}, {memory->address + 8, 40}));
  std::array<std::byte, 64> got{};
  ASSERT_TRUE(queue_->read({memory->address, 64}, got));
  std::memmove(data.data() + 8, data.data(), 40);
  EXPECT_EQ(got, data);
  ASSERT_TRUE(queue_->clear({memory->address + 1, 5}));
  ASSERT_TRUE(queue_->read({memory->address, 64}, got));
  std::memset(data.data() + 1, 0, 5);
  EXPECT_EQ(got, data);
}

TEST_F(CudaQueueTest, EventsTellTheTimeBetweenThem) {
  auto first = queue_->record();
  std::this_thread::sleep_for(2ms);
  fake.hold(true);
  auto second = queue_->record();
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(*(*second)->ready());
  const auto early = (*second)->since(**first);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, Code::invalid_input);
  fake.hold(false);
  ASSERT_TRUE((*second)->wait());
  EXPECT_TRUE(*(*second)->ready());
  const auto elapsed = (*second)->since(**first);
  ASSERT_TRUE(elapsed);
  EXPECT_GE(*elapsed, 2ms);
}

TEST_F(CudaQueueTest, ManyLaunchesAreTimedAsOneGraph) {
  unsigned ran = 0;
  const auto code = load("k",
                         {.run =
                              [&](const FakeLaunch& l) {
                                EXPECT_EQ(l.grid, (Extent{3, 2, 1}));
                                EXPECT_EQ(l.block, (Extent{64, 1, 1}));
                                EXPECT_EQ(l.get<CuAddress>(0), 0x1000U);
                                EXPECT_EQ(l.get<std::uint64_t>(1), kNoDeadline);
                                ++ran;
                                return 0;
                              }},
                         {{.kind = GpuParameterKind::address, .slot = 0}, kDeadline, kStatus});
  const std::array<BoundMemory, 1> bindings{{{0x1000, 16}}};
  const Launch launch{.code = code.get(),
                      .kernel = "k",
                      .bindings = bindings,
                      .grid = {3, 2, 1},
                      .extent = {192, 2, 1},
                      .workgroup = {64, 1, 1}};
  const unsigned launched = fake.calls("cuLaunchKernel");
  const auto spent = queue_->time(launch, 20);
  ASSERT_TRUE(spent) << spent.error().what;
  EXPECT_GE(spent->count(), 0);
  EXPECT_EQ(ran, 20U);
  EXPECT_EQ(fake.calls("cuGraphLaunch"), 1U);
  EXPECT_EQ(fake.calls("cuLaunchKernel"), launched);
  EXPECT_EQ(fake.live_graphs(), 0U);
  // No graph is larger than it need be.
  ASSERT_TRUE(queue_->time(launch, 1300));
  EXPECT_EQ(ran, 1320U);
  EXPECT_EQ(fake.calls("cuGraphAddKernelNode"), 20U + 512U);
  EXPECT_EQ(fake.calls("cuGraphLaunch"), 3U);
  // One needs none, nor has every driver them.
  ASSERT_TRUE(queue_->time(launch, 1));
  fake.table.graph_upload = nullptr;
  ASSERT_TRUE(queue_->time(launch, 4));
  EXPECT_EQ(ran, 1325U);
  EXPECT_EQ(fake.calls("cuGraphLaunch"), 3U);
}

TEST_F(CudaQueueTest, GraphThatCannotBeMadeIsAnErrorAndLeavesNothing) {
  const auto code = load("k", {}, {});
  const Launch launch{.code = code.get(), .kernel = "k"};
  for (const char* call : {"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphInstantiateWithFlags",
                           "cuGraphUpload", "cuGraphLaunch"}) {
    fake.fail_next(call, cu::kOutOfMemory);
    const auto spent = queue_->time(launch, 4);
    ASSERT_FALSE(spent) << call;
    EXPECT_EQ(spent.error().code, Code::out_of_memory) << call;
    EXPECT_EQ(fake.live_graphs(), 0U) << call;
  }
  EXPECT_TRUE(queue_->time(launch, 4));
}

TEST_F(CudaQueueTest, CrashInAGraphNamesTheKernel) {
  const auto code = load("k", {.run = [](const FakeLaunch&) { return cu::kIllegalAddress; }}, {});
  const auto spent = queue_->time({.code = code.get(), .kernel = "guilty"}, 4);
  ASSERT_FALSE(spent);
  EXPECT_NE(spent.error().what.find("guilty"), std::string::npos) << spent.error().what;
  EXPECT_TRUE(device_->lost());
}

TEST_F(CudaQueueTest, EventsAreUsedAgain) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(queue_->record());
  const unsigned made = fake.calls("cuEventCreate");
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(queue_->record());
  EXPECT_EQ(fake.calls("cuEventCreate"), made);
}

TEST_F(CudaQueueTest, DeadlineIsAValueOfTheDevicesTimer) {
  const auto code = load("k", {}, {kDeadline, kStatus});
  const auto before = std::chrono::steady_clock::now().time_since_epoch();
  ASSERT_TRUE(queue_->launch({.code = code.get(), .kernel = "k", .deadline = 100s}));
  const auto after = std::chrono::steady_clock::now().time_since_epoch();
  const auto deadline = static_cast<std::int64_t>(fake.launches().at(0).get<std::uint64_t>(0));
  const std::int64_t slack = 2'000'000'000;  // the clock is measured, perhaps on a busy machine
  EXPECT_GE(deadline, std::chrono::nanoseconds(before + 100s).count() + fake.timer_offset - slack);
  EXPECT_LE(deadline, std::chrono::nanoseconds(after + 100s).count() + fake.timer_offset + slack);
  EXPECT_TRUE(queue_->wait());
  // Measured once.
  const unsigned launches = fake.calls("cuLaunchKernel");
  ASSERT_TRUE(queue_->launch({.code = code.get(), .kernel = "k", .deadline = 250ms}));
  EXPECT_EQ(fake.calls("cuLaunchKernel"), launches + 1);
}

TEST_F(CudaQueueTest, EndlessDeadlineDoesNotOverflow) {
  const auto code = load("k", {}, {kDeadline, kStatus});
  ASSERT_TRUE(queue_->launch(
      {.code = code.get(), .kernel = "k", .deadline = std::chrono::nanoseconds::max()}));
  EXPECT_GE(fake.launches().at(0).get<std::uint64_t>(0), std::uint64_t{1} << 62);
}

TEST_F(CudaQueueTest, LaunchThatGaveUpIsNamedByTheWait) {
  const auto late = load("late", {.parameter_bytes = {}, .run = give_up}, {kDeadline, kStatus});
  const auto fine = load("fine", {}, {kDeadline, kStatus});
  ASSERT_TRUE(queue_->launch({.code = fine.get(), .kernel = "fine", .deadline = 5ms}));
  ASSERT_TRUE(queue_->launch({.code = late.get(), .kernel = "late", .deadline = 20ms}));
  ASSERT_TRUE(queue_->launch({.code = fine.get(), .kernel = "fine", .deadline = 5ms}));
  const auto waited = queue_->wait();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, Code::device);
  EXPECT_EQ(waited.error().what,
            "kernel 'late' did not end within 20 ms; its buffers hold what it had written by then");
  EXPECT_TRUE(queue_->wait());  // told once
  EXPECT_FALSE(device_->lost());
}

TEST_F(CudaQueueTest, ALaunchThatGaveUpIsToldWithTheDeadlineThatTheCallerGave) {
  const auto late = load("late", {.parameter_bytes = {}, .run = give_up}, {kDeadline, kStatus});
  ASSERT_TRUE(
      queue_->launch({.code = late.get(), .kernel = "late", .deadline = 20ms, .asked = 1500ms}));
  EXPECT_NE(queue_->wait().error().what.find("did not end within 1500 ms"), std::string::npos);
}

TEST_F(CudaQueueTest, ReadTellsOfLaunchesThatGaveUp) {
  const auto late = load("late", {.parameter_bytes = {}, .run = give_up}, {kDeadline, kStatus});
  auto memory = device_->allocate(16);
  ASSERT_TRUE(memory);
  ASSERT_TRUE(queue_->launch({.code = late.get(), .kernel = "late", .deadline = 1500us}));
  std::array<std::byte, 16> got{};
  const auto read = queue_->read({memory->address, 16}, got);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().what.find("'late' did not end within 1.5 ms"), std::string::npos);
}

TEST_F(CudaQueueTest, MoreDeadlinesThanTheRingHoldsLoseNone) {
  std::uint64_t count = 0;
  const auto code = load("k",
                         {.parameter_bytes = {},
                          .run =
                              [&](const FakeLaunch& l) {
                                std::uint32_t word = 0;
                                std::memcpy(&word, reinterpret_cast<void*>(l.get<CuAddress>(1)), 4);
                                EXPECT_EQ(word, 0U);
                                return ++count == 100 ? give_up(l) : 0;
                              }},
                         {kDeadline, kStatus});
  const std::string name(80, 'n');
  for (unsigned i = 0; i < 5 * Deadlines::kSlots + 3; ++i) {
    if (i == 1) fake.hold(true);  // the first has measured the clock
    ASSERT_TRUE(
        queue_->launch({.code = code.get(), .kernel = i == 99 ? "late" : name, .deadline = 7ms}));
  }
  const auto waited = queue_->wait();
  ASSERT_FALSE(waited);
  EXPECT_NE(waited.error().what.find("'late' did not end within 7 ms"), std::string::npos)
      << waited.error().what;
  EXPECT_EQ(count, 5 * Deadlines::kSlots + 3);
  fake.hold(false);
}

TEST_F(CudaQueueTest, CrashedKernelIsNamedAndTheDeviceIsLost) {
  const auto crash =
      load("crash", {.parameter_bytes = {}, .run = [](auto&) { return cu::kIllegalAddress; }}, {});
  auto memory = device_->allocate(100);
  ASSERT_TRUE(memory);
  ASSERT_TRUE(queue_->launch({.code = crash.get(), .kernel = "crash"}));
  const auto waited = queue_->wait();
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, Code::device);
  EXPECT_EQ(waited.error().what,
            "cuda:0 is lost, with its memory and code: cuStreamSynchronize: "
            "CUDA_ERROR_ILLEGAL_ADDRESS (as the driver puts it), from kernel 'crash'");
  EXPECT_EQ(waited.error().fix, "open the device again");
  EXPECT_TRUE(device_->lost());

  const auto same = [&](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().what, waited.error().what);
  };
  std::array<std::byte, 8> bytes{};
  same(queue_->launch({.code = crash.get(), .kernel = "crash"}));
  same(queue_->write({memory->address, 8}, bytes));
  same(queue_->read({memory->address, 8}, bytes));
  same(queue_->clear({memory->address, 8}));
  same(queue_->copy({memory->address, 8}, {memory->address + 16, 8}));
  same(queue_->record());
  same(queue_->wait());
  same(device_->allocate(8));
  same(device_->memory_info());
  same(device_->make_queue());
  same(device_->finish(fake_code("crash", {})));
  same(device_->load(fake_code("crash", {})));

  // Nothing is asked of a lost context, and a new one works.
  const unsigned frees = fake.calls("cuMemFree");
  *memory = {};
  EXPECT_EQ(fake.calls("cuMemFree"), frees);
  auto again = open_cuda(fake.table, 0, {});
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_TRUE((*again)->allocate(100));
  EXPECT_FALSE((*again)->lost());
}

TEST_F(CudaQueueTest, SeveralSuspectsAreAllNamed) {
  const auto crash =
      load("crash", {.parameter_bytes = {}, .run = [](auto&) { return cu::kIllegalAddress; }}, {});
  const auto fine = load("fine", {}, {});
  ASSERT_TRUE(queue_->launch({.code = fine.get(), .kernel = "before"}));
  ASSERT_TRUE(queue_->wait());
  fake.hold(true);
  ASSERT_TRUE(queue_->launch({.code = fine.get(), .kernel = "fine"}));
  ASSERT_TRUE(queue_->launch({.code = crash.get(), .kernel = "crash"}));
  const auto waited = queue_->wait();
  ASSERT_FALSE(waited);
  EXPECT_NE(waited.error().what.find("from one of the kernels 'fine', 'crash'"), std::string::npos)
      << waited.error().what;
}

TEST_F(CudaQueueTest, LossIsAlsoSeenByTheNextLaunch) {
  const auto crash =
      load("crash", {.parameter_bytes = {}, .run = [](auto&) { return cu::kLaunchTimeout; }}, {});
  const auto fine = load("fine", {}, {});
  ASSERT_TRUE(queue_->launch({.code = crash.get(), .kernel = "crash"}));
  const auto launched = queue_->launch({.code = fine.get(), .kernel = "fine"});
  ASSERT_FALSE(launched);
  EXPECT_NE(launched.error().what.find("from kernel 'crash'"), std::string::npos)
      << launched.error().what;
}

TEST_F(CudaQueueTest, RefusedCallLeavesTheDeviceUsable) {
  const auto code = load("k", {}, {});
  fake.fail_next("cuLaunchKernel", cu::kInvalidValue);
  const auto launched = queue_->launch({.code = code.get(), .kernel = "k"});
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().what,
            "cuLaunchKernel: CUDA_ERROR_INVALID_VALUE (as the driver puts it), for kernel 'k'; "
            "cuda:0 stays usable");
  EXPECT_FALSE(device_->lost());
  EXPECT_TRUE(queue_->launch({.code = code.get(), .kernel = "k"}));
  EXPECT_TRUE(queue_->wait());
}

TEST_F(CudaQueueTest, EveryCallThatCanFailReturnsItsError) {
  const auto code = load("k", {}, {kDeadline, kStatus});
  auto memory = device_->allocate(256);
  ASSERT_TRUE(memory);
  std::array<std::byte, 64> bytes{};
  const BoundMemory part{memory->address, 64};
  const BoundMemory other{memory->address + 128, 64};
  std::uint64_t size = 1000;  // none like it in the pool
  for (const char* function :
       {"cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync", "cuMemsetD32Async",
        "cuEventRecord", "cuStreamSynchronize", "cuLaunchKernel", "cuMemAlloc", "cuStreamCreate",
        "cuLibraryLoadData", "cuLibraryGetKernel", "cuKernelGetFunction", "cuLinkCreate",
        "cuLinkComplete", "cuFuncGetAttribute", "cuMemGetInfo"}) {
    fake.fail_next(function, 401);
    unsigned failures = 0;
    const auto note = [&](const auto& result) {
      if (result) return;
      ++failures;
      EXPECT_NE(result.error().what.find("CUDA_ERROR_OTHER"), std::string::npos)
          << result.error().what;
    };
    note(queue_->write(part, bytes));
    note(queue_->read(part, bytes));
    note(queue_->copy(part, other));
    note(queue_->clear(part));
    note(queue_->launch({.code = code.get(), .kernel = "k", .deadline = 1s}));
    note(queue_->record());
    note(queue_->wait());
    note(device_->allocate(size *= 2));
    note(device_->make_queue());
    note(device_->load(fake_code("k", {kDeadline, kStatus})));
    note(device_->memory_info());
    EXPECT_EQ(failures, 1U) << function;
    EXPECT_FALSE(device_->lost()) << function;
  }
}

TEST_F(CudaQueueTest, ManyThreadsShareAQueue) {
  std::atomic<unsigned> runs{0};
  const auto code = load("k",
                         {.parameter_bytes = {},
                          .run =
                              [&](auto&) {
                                ++runs;
                                return 0;
                              }},
                         {kDeadline, kStatus});
  std::vector<std::thread> threads;
  std::atomic<unsigned> failures{0};
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 300; ++i) {
        Launch l{.code = code.get(), .kernel = "k"};
        if (i % 3 == t % 3) l.deadline = 1s;
        failures += !queue_->launch(l);
        auto memory = device_->allocate(1000 + i);
        std::array<std::byte, 16> data{};
        data.fill(static_cast<std::byte>(t));
        if (!memory || !queue_->write({memory->address, 16}, data)) {
          ++failures;
          continue;
        }
        std::array<std::byte, 16> got{};
        failures += !queue_->read({memory->address, 16}, got) || got != data;
        if (i % 10 == 0) failures += !queue_->wait();
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(failures, 0U);
  EXPECT_EQ(runs, 1200U);
}

}  // namespace
}  // namespace vyre
