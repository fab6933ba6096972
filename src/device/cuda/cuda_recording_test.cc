// Recordings on the fake driver, which runs the nodes of a graph in the order least like the one
// in which they were added, as far as their dependencies allow.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>

#include "vyre/device/cuda/code_internal.h"
#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/cuda/fake_driver_testing.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;
using Kind = WorkItem::Kind;

const GpuParameter kFrom{.kind = GpuParameterKind::address, .slot = 0};
const GpuParameter kTo{.kind = GpuParameterKind::address, .slot = 1};
const GpuParameter kAmount{
    .kind = GpuParameterKind::contents, .slot = 2, .value = std::vector<std::byte>(4)};
const GpuParameter kDeadline{.kind = GpuParameterKind::deadline};
const GpuParameter kStatus{.kind = GpuParameterKind::status};

// A device on a fake driver, whose kernels add an amount, passed by value, to a word.
struct World {
  explicit World(const std::function<void(FakeDriver&)>& change = {}, bool guest = false) {
    fake.kernels["add"] = {.parameter_bytes = {8, 8, 4}, .run = [this](const FakeLaunch& l) {
                             ran += 'a';
                             std::uint32_t value = 0;
                             std::memcpy(&value, host(l.get<CuAddress>(0)), 4);
                             value += l.get<std::uint32_t>(2);
                             std::memcpy(host(l.get<CuAddress>(1)), &value, 4);
                             return 0;
                           }};
    fake.kernels["twice"] = {.parameter_bytes = {8, 8}, .run = [this](const FakeLaunch& l) {
                               ran += 't';
                               std::uint32_t value = 0;
                               std::memcpy(&value, host(l.get<CuAddress>(0)), 4);
                               value *= 2;
                               std::memcpy(host(l.get<CuAddress>(1)), &value, 4);
                               return 0;
                             }};
    fake.kernels["late"] = {.parameter_bytes = {8, 8}, .run = [](const FakeLaunch& l) {
                              const std::uint32_t one = 1;
                              if (l.get<std::uint64_t>(0) != kNoDeadline) {
                                std::memcpy(host(l.get<CuAddress>(1)), &one, 4);
                              }
                              return 0;
                            }};
    if (change) change(fake);
    CudaOptions options;
    if (guest) {
      options.context = fake.make_context();
      FakeDriver::set_current(options.context);
      CuStream stream = nullptr;
      EXPECT_EQ(fake.table.stream_create(&stream, 0), 0);
      FakeDriver::set_current(nullptr);
      options.stream = stream;
    }
    device = *open_cuda(fake.table, 0, options);
    queue = *device->make_queue();
    add = *device->load(fake_code("add", {kFrom, kTo, kAmount}));
    twice = *device->load(fake_code("twice", {kFrom, kTo}));
    late = *device->load(fake_code("late", {kDeadline, kStatus}));
    for (auto& one : memory) one = *device->allocate(16);
  }

  static void* host(CuAddress address) {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
  }
  BoundMemory part(std::size_t i) const { return {memory[i].address, 16}; }
  std::uint32_t word(std::size_t i) {
    std::uint32_t out = 0;
    EXPECT_TRUE(queue->read({memory[i].address, 4}, std::as_writable_bytes(std::span(&out, 1))));
    return out;
  }
  void put(std::size_t i, std::uint32_t value) {
    EXPECT_TRUE(queue->write({memory[i].address, 4}, std::as_bytes(std::span(&value, 1))));
  }
  Launch launch(const char* kernel, std::size_t from, std::size_t to) {
    bindings = {part(from), part(to), {reinterpret_cast<std::uintptr_t>(&amount), 4}};
    const auto& code = std::string_view(kernel) == "add"     ? add
                       : std::string_view(kernel) == "twice" ? twice
                                                             : late;
    return {.code = code.get(), .kernel = kernel, .bindings = bindings, .workgroup = {1, 1, 1}};
  }
  // memory[3] = 2 * (memory[0] + amount), on the way through 1 and 2, and clears of 1 and 4.
  Result<std::shared_ptr<WorkRecording>> record(std::uint32_t by) {
    amount = by;
    std::vector<WorkItem> items(5);
    const Launch first = launch("add", 0, 1);
    const std::array<BoundMemory, 3> of_first = bindings;
    const Launch second = launch("twice", 2, 3);
    items[0] = {.kind = Kind::clear, .to = part(1)};
    items[1] = {.kind = Kind::launch, .launch = first, .after = {0}};
    items[1].launch.bindings = of_first;
    items[2] = {.kind = Kind::copy, .from = part(1), .to = part(2), .after = {1}};
    items[3] = {.kind = Kind::launch, .launch = second, .after = {2}};
    items[4] = {.kind = Kind::clear, .to = {memory[4].address + 1, 7}};
    auto out = queue->record_work(items);
    amount = 0xDEAD;  // the recording has its own
    return out;
  }

  FakeDriver fake;
  std::string ran;  // by kernel
  std::shared_ptr<CudaDevice> device;
  std::shared_ptr<Queue> queue;
  std::shared_ptr<const LoadedCode> add, twice, late;
  std::array<DeviceMemory, 5> memory;
  std::array<BoundMemory, 3> bindings{};
  std::uint32_t amount = 0;
};

TEST(CudaRecording, PlaysAllItemsWithOneCallOfTheDriver) {
  World w;
  w.put(0, 5);
  w.put(4, 0x01010101);
  const auto recording = w.record(3);
  ASSERT_TRUE(recording) << recording.error().what;
  EXPECT_EQ((*recording)->one_by_one(), "");
  const unsigned launched = w.fake.calls("cuLaunchKernel");
  for (std::uint32_t i = 0; i < 3; ++i) {
    w.put(0, 5 + i);
    ASSERT_TRUE(w.queue->play(**recording));
    EXPECT_EQ(w.word(3), 2 * (8 + i));
  }
  EXPECT_EQ(w.ran, "atatat");
  EXPECT_EQ(w.word(4), 0x01U);  // bytes 1 to 7 are cleared
  EXPECT_EQ(w.fake.calls("cuGraphLaunch"), 3U);
  EXPECT_EQ(w.fake.calls("cuLaunchKernel"), launched);
}

TEST(CudaRecording, WithoutDependenciesTheOrderIsNobodysBusiness) {
  World w;
  std::vector<WorkItem> items(2);
  items[0].launch = w.launch("twice", 0, 1);
  const auto of_first = w.bindings;
  items[0].launch.bindings = of_first;
  items[1].launch = w.launch("add", 2, 3);
  const auto recording = w.queue->record_work(items);
  ASSERT_TRUE(recording && w.queue->play(**recording));
  EXPECT_EQ(w.ran, "at") << "the fake runs the last one first";
}

TEST(CudaRecording, AnItemIsReplacedInPlace) {
  World w;
  w.put(0, 5);
  const auto recording = w.record(3);
  ASSERT_TRUE(recording);
  w.amount = 10;  // a uniform has other contents
  ASSERT_TRUE((*recording)->set(1, w.launch("add", 0, 1)));
  w.amount = 0;
  ASSERT_TRUE(w.queue->play(**recording));
  EXPECT_EQ(w.word(3), 30U);
  ASSERT_TRUE((*recording)->set(3, w.launch("add", 2, 3)));  // another kernel
  w.amount = 99;
  ASSERT_TRUE(w.queue->play(**recording));
  EXPECT_EQ(w.word(3), 15U);
  EXPECT_EQ(w.fake.calls("cuGraphInstantiateWithFlags"), 1U) << "no other graph was made";
  EXPECT_FALSE((*recording)->set(2, w.launch("add", 2, 3))) << "it is a copy";
  EXPECT_FALSE((*recording)->set(5, w.launch("add", 2, 3)));
}

TEST(CudaRecording, EmptyItemsKeepTheOrderOfTheOthers) {
  World w;
  w.put(0, 5);
  w.amount = 1;
  std::vector<WorkItem> items(4);
  items[0].launch = w.launch("add", 0, 1);
  const auto of_first = w.bindings;
  items[0].launch.bindings = of_first;
  items[1] = {.kind = Kind::launch, .launch = w.launch("add", 0, 1), .after = {0}};
  items[1].launch.extent = {0, 1, 1};
  items[2] = {.kind = Kind::copy, .from = {1, 0}, .to = {2, 0}, .after = {1}};
  items[3] = {.kind = Kind::launch, .launch = w.launch("twice", 1, 2), .after = {2}};
  const auto recording = w.queue->record_work(items);
  ASSERT_TRUE(recording) << recording.error().what;
  ASSERT_TRUE(w.queue->play(**recording));
  EXPECT_EQ(w.word(2), 12U);
  EXPECT_FALSE((*recording)->set(1, w.launch("add", 0, 1))) << "it has no place in the graph";
}

TEST(CudaRecording, DeadlinesAreGivenLaunchByLaunch) {
  World w;
  w.amount = 1;
  std::vector<WorkItem> items(2);
  items[0].launch = w.launch("late", 0, 0);
  items[1] = {.kind = Kind::launch, .launch = w.launch("twice", 0, 1), .after = {0}};
  const auto recording = w.queue->record_work(items);
  ASSERT_TRUE(recording && w.queue->play(**recording) && w.queue->wait());
  EXPECT_EQ(w.fake.calls("cuGraphLaunch"), 1U);
  ASSERT_TRUE(w.queue->play(**recording, {.deadline = 20ms}));
  EXPECT_EQ(w.fake.calls("cuGraphLaunch"), 1U);
  const auto waited = w.queue->wait();
  ASSERT_FALSE(waited);
  EXPECT_NE(waited.error().what.find("'late' did not end within 20 ms"), std::string::npos);
  // Kernels without loops end by themselves.
  items[0].launch = w.launch("twice", 0, 1);
  const auto plain = w.queue->record_work(items);
  ASSERT_TRUE(plain && w.queue->play(**plain, {.deadline = 20ms}));
  EXPECT_EQ(w.fake.calls("cuGraphLaunch"), 2U);
}

TEST(CudaRecording, OldDriversGetOneLaunchAfterTheOther) {
  World w([](FakeDriver& fake) { fake.table.graph_set_kernel = nullptr; });
  EXPECT_FALSE(w.device->launch_costs().plays_at_once);
  w.put(0, 5);
  const auto recording = w.record(3);
  ASSERT_TRUE(recording);
  EXPECT_NE((*recording)->one_by_one().find("no graphs"), std::string_view::npos);
  ASSERT_TRUE(w.queue->play(**recording));
  EXPECT_EQ(w.word(3), 16U);
  w.amount = 10;
  ASSERT_TRUE((*recording)->set(1, w.launch("add", 0, 1)));
  w.amount = 0;
  ASSERT_TRUE(w.queue->play(**recording));
  EXPECT_EQ(w.word(3), 30U);
  EXPECT_EQ(w.fake.calls("cuGraphCreate"), 0U);
}

TEST(CudaRecording, AStreamThatCapturesGetsOneLaunchAfterTheOther) {
  World w({}, true);
  const auto recording = w.record(3);
  ASSERT_TRUE(recording) << recording.error().what;
  ASSERT_TRUE(w.queue->play(**recording));
  EXPECT_EQ(w.fake.calls("cuGraphLaunch"), 1U);
  w.fake.capturing = true;
  ASSERT_TRUE(w.queue->play(**recording));
  w.fake.capturing = false;
  EXPECT_EQ(w.fake.calls("cuGraphLaunch"), 1U);
  EXPECT_EQ(w.ran, "atat");
}

TEST(CudaRecording, AFailureLeavesNothing) {
  for (const char* call : {"cuGraphCreate", "cuGraphAddKernelNode", "cuGraphAddMemsetNode",
                           "cuGraphAddMemcpyNode", "cuGraphInstantiateWithFlags"}) {
    World w;
    w.fake.fail_next(call, cu::kOutOfMemory);
    auto recording = w.record(3);
    ASSERT_FALSE(recording) << call;
    EXPECT_EQ(recording.error().code, Code::out_of_memory) << call;
    ASSERT_TRUE(w.queue->wait());
    EXPECT_EQ(w.fake.live_graphs(), 0U) << call;
    recording = w.record(3);
    ASSERT_TRUE(recording && w.queue->play(**recording)) << call;
  }
  World w;
  const auto recording = w.record(3);
  ASSERT_TRUE(recording);
  w.fake.fail_next("cuGraphExecKernelNodeSetParams", cu::kInvalidValue);
  w.amount = 10;
  EXPECT_FALSE((*recording)->set(1, w.launch("add", 0, 1)));
  w.fake.fail_next("cuGraphLaunch", cu::kOutOfMemory);
  EXPECT_FALSE(w.queue->play(**recording));
  ASSERT_TRUE(w.queue->play(**recording));
  EXPECT_EQ(w.word(3), 6U) << "the item is as it was";
}

TEST(CudaRecording, ItsGraphLivesUntilItHasBeenPlayed) {
  World w;
  auto recording = w.record(3);
  ASSERT_TRUE(recording);
  w.fake.hold(true);
  ASSERT_TRUE(w.queue->play(**recording));
  recording->reset();
  ASSERT_TRUE(w.device->make_queue());  // sweeps
  EXPECT_EQ(w.fake.live_graphs(), 2U);
  w.fake.hold(false);
  ASSERT_TRUE(w.queue->wait());
  ASSERT_TRUE(w.device->make_queue());
  EXPECT_EQ(w.fake.live_graphs(), 0U);
}

TEST(CudaRecording, WhatCannotBeIsRefused) {
  World w;
  std::vector<WorkItem> items(1);
  items[0].launch = w.launch("twice", 0, 1);
  items[0].after = {0};
  EXPECT_FALSE(w.queue->record_work(items)) << "it waits for itself";
  items[0] = {.kind = Kind::copy, .from = w.part(0), .to = {w.memory[0].address + 4, 16}};
  EXPECT_FALSE(w.queue->record_work(items)) << "the parts overlap";
  items[0] = {.kind = Kind::launch, .launch = w.launch("twice", 0, 1)};
  items[0].launch.workgroup = {4096, 1, 1};
  EXPECT_FALSE(w.queue->record_work(items)) << "the workgroup is too large";
  items[0].launch = w.launch("twice", 0, 1);
  const auto recording = w.queue->record_work(items);
  ASSERT_TRUE(recording);
  items[0].launch.together = true;
  const auto refused = w.queue->record_work(items);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "the workgroups of kernel 'twice' wait for each other, so it cannot be recorded");
  EXPECT_FALSE((*recording)->set(0, items[0].launch));
}

}  // namespace
}  // namespace vyre
