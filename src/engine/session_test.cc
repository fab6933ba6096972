#include "vyre/engine/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "vyre/base/memory/allocation_count_testing.h"
#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/cuda/fake_driver_testing.h"
#include "vyre/device/null/null_device.h"
#include "vyre/engine/devices.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

constexpr const char* kText =
    "@group(0) @binding(0) var<storage, read> x: array<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> y: array<u32>;\n"
    "@compute @workgroup_size(16) fn add(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  y[id.x] += x[id.x];\n"
    "}\n"
    "@compute @workgroup_size(4, 2, 1) fn flat() { y[0] = 1u; }\n"
    "@compute @workgroup_size(1) fn endless() { while (y[0] != 7u) { y[1] += 1u; } }\n"
    "@compute @workgroup_size(1) fn empty() {}\n"
    "@group(0) @binding(2) var<storage, read_write> arrived: atomic<u32>;\n"
    "@compute @workgroup_size(64)\n"
    "fn meet(@builtin(num_workgroups) n: vec3<u32>, @builtin(local_invocation_index) i: u32) {\n"
    "  if (i == 0u) { atomicAdd(&arrived, 1u); }\n"
    "  while (atomicLoad(&arrived) < n.x) {}\n"
    "}\n";

Kernel kernel_of(std::string_view entry) {
  static const ParsedModule parsed = parse_wgsl(kText);
  return *make_kernel(*parsed.module->find(entry));
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

class SessionTest : public testing::Test {
 protected:
  Session session = *Session::open("cpu", {.cpu = {.threads = 2}, .code_folder = {}});

  Buffer filled(const std::vector<std::uint32_t>& values) {
    Buffer buffer = *session.buffer(values.size() * 4);
    EXPECT_TRUE(session.write(buffer, 0, bytes_of(values)));
    return buffer;
  }
  std::vector<std::uint32_t> words(const Buffer& buffer) {
    std::vector<std::uint32_t> out(buffer.size() / 4);
    EXPECT_TRUE(session.read(buffer, 0, std::as_writable_bytes(std::span(out))));
    return out;
  }
};

TEST_F(SessionTest, BuffersAreZeroAtFirst) {
  EXPECT_EQ(words(*session.buffer(12)), (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_EQ(session.buffer(0)->size(), 0U);
}

TEST_F(SessionTest, BuffersAreWrittenReadCopiedAndCleared) {
  const Buffer a = filled({1, 2, 3, 4}), b = filled({5, 6, 7, 8});
  EXPECT_TRUE(session.copy(a, 4, b, 8, 8));
  EXPECT_EQ(words(b), (std::vector<std::uint32_t>{5, 6, 2, 3}));
  EXPECT_TRUE(session.clear(b));
  EXPECT_EQ(words(b), (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

TEST_F(SessionTest, RangesOutsideAreErrors) {
  const Buffer a = filled({1, 2, 3, 4});
  std::vector<std::uint32_t> two(2);
  const auto part = std::as_writable_bytes(std::span(two));
  for (const std::uint64_t offset : {std::uint64_t{9}, std::uint64_t{17}, ~std::uint64_t{0}}) {
    EXPECT_FALSE(session.write(a, offset, part));
    EXPECT_FALSE(session.read(a, offset, part));
    EXPECT_FALSE(session.copy(a, offset, a, 0, 8));
    EXPECT_FALSE(session.copy(a, 0, a, offset, 8));
  }
  EXPECT_EQ(session.read(a, 9, part).error().what, "8 bytes at byte 9 of a buffer of 16 bytes");
  EXPECT_TRUE(session.read(a, 16, {}));
}

TEST_F(SessionTest, MemoryOfTheCallerIsUsedInPlace) {
  std::vector<std::uint32_t> y{10, 20, 30};
  const Buffer x = filled({1, 2, 3});
  const auto adopted = session.adopt(std::as_writable_bytes(std::span(y)));
  ASSERT_TRUE(adopted);
  const std::array bindings{Binding{0, 0, x}, Binding{0, 1, *adopted}};
  const auto dispatch =
      session.prepare(kernel_of("add"), bindings, DispatchSize::extent({3, 1, 1}));
  ASSERT_TRUE(dispatch) << describe(dispatch.error());
  EXPECT_TRUE(session.run(*dispatch));
  EXPECT_EQ(y, (std::vector<std::uint32_t>{11, 22, 33}));
  EXPECT_FALSE(session.adopt(0, 4));
}

// Code is shared by kernels that are alike but for the place of a binding that none of them uses.
TEST_F(SessionTest, AnUnusedBindingKeepsItsPlaceInTheCode) {
  const auto kernel = [](std::string_view unused) {
    const std::string text =
        std::string(unused) +
        "@group(0) @binding(3) var<storage, read_write> out: array<u32>;\n"
        "@compute @workgroup_size(4) fn five(@builtin(global_invocation_id) id: vec3<u32>) {\n" +
        (unused.empty() ? "" : "_ = &v;\n") + "  out[id.x] = id.x + 5u;\n}\n";
    return *make_kernel(*parse_wgsl(text).module->find("five"));
  };
  const auto size = DispatchSize::extent({4, 1, 1});
  const Buffer v = filled({7, 7, 7, 7});
  for (const std::uint32_t binding : {0U, 7U, 0U}) {
    const Buffer out = filled({0, 0, 0, 0});
    const std::string unused =
        "@group(0) @binding(" + std::to_string(binding) + ") var<storage> v: array<u32>;\n";
    const std::array bindings{Binding{0, binding, v}, Binding{0, 3, out}};
    ASSERT_TRUE(session.run(*session.prepare(kernel(unused), bindings, size)));
    EXPECT_EQ(words(out), (std::vector<std::uint32_t>{5, 6, 7, 8})) << binding;
  }
  const Buffer out = filled({0, 0, 0, 0});
  const std::array bindings{Binding{0, 3, out}};
  ASSERT_TRUE(session.run(*session.prepare(kernel(""), bindings, size)));
  EXPECT_EQ(words(out), (std::vector<std::uint32_t>{5, 6, 7, 8}));
  EXPECT_EQ(words(v), (std::vector<std::uint32_t>{7, 7, 7, 7}));
}

TEST_F(SessionTest, ADispatchRunsAgainAndAgain) {
  const Buffer x = filled({1, 2, 3}), y = filled({0, 0, 0});
  const std::array bindings{Binding{0, 0, x}, Binding{0, 1, y}};
  const auto dispatch =
      *session.prepare(kernel_of("add"), bindings, DispatchSize::workgroups({2, 1, 1}));
  EXPECT_EQ(dispatch.kernel(), "add");
  EXPECT_EQ(dispatch.code_source(), CodeSource::compiled);
  EXPECT_EQ(dispatch.extent(), (Extent{32, 1, 1}));
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(session.run(dispatch));
  EXPECT_TRUE(session.submit(dispatch));
  EXPECT_TRUE(session.wait());
  EXPECT_EQ(words(y), (std::vector<std::uint32_t>{6, 12, 18}));
  const auto again =
      *session.prepare(kernel_of("add"), bindings, DispatchSize::workgroups({1, 1, 1}));
  EXPECT_EQ(again.code_source(), CodeSource::memory);
}

TEST_F(SessionTest, LaunchesThatAreTimedAllRun) {
  const Buffer x = filled({1, 2, 3}), y = filled({0, 0, 0});
  const std::array bindings{Binding{0, 0, x}, Binding{0, 1, y}};
  const auto dispatch =
      *session.prepare(kernel_of("add"), bindings, DispatchSize::extent({3, 1, 1}));
  const auto one = session.time(dispatch, 5);
  ASSERT_TRUE(one);
  EXPECT_GE(one->count(), 0);
  EXPECT_TRUE(session.time(dispatch));
  EXPECT_EQ(words(y), (std::vector<std::uint32_t>{6, 12, 18}));
  EXPECT_EQ(session.time(dispatch, 0).error().code, Code::invalid_input);
  EXPECT_EQ(session.time(Dispatch{}).error().what, "the dispatch was not prepared");
}

TEST_F(SessionTest, RunningAllocatesNothing) {
  const Buffer x = filled({1, 2, 3}), y = filled({0, 0, 0});
  const std::array bindings{Binding{0, 0, x}, Binding{0, 1, y}};
  const auto dispatch =
      *session.prepare(kernel_of("add"), bindings, DispatchSize::extent({3, 1, 1}));
  ASSERT_TRUE(session.run(dispatch));
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 10; ++i) static_cast<void>(session.run(dispatch));
  EXPECT_EQ(allocation_count(), before);
}

TEST_F(SessionTest, ADispatchKeepsItsBuffers) {
  std::optional<Buffer> x = filled({1, 2, 3}), y = filled({0, 0, 0});
  const Buffer result = *y;
  const std::array bindings{Binding{0, 0, *x}, Binding{0, 1, *y}};
  std::optional dispatch =
      *session.prepare(kernel_of("add"), bindings, DispatchSize::extent({3, 1, 1}));
  x.reset();
  y.reset();
  EXPECT_TRUE(session.run(*dispatch));
  EXPECT_EQ(words(result), (std::vector<std::uint32_t>{1, 2, 3}));
}

TEST_F(SessionTest, RunsFromManyThreads) {
  const Buffer x = filled(std::vector<std::uint32_t>(1000, 1));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const Buffer y = *session.buffer(4000);
      const std::array bindings{Binding{0, 0, x}, Binding{0, 1, y}};
      const auto dispatch =
          *session.prepare(kernel_of("add"), bindings, DispatchSize::extent({1000, 1, 1}));
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(session.run(dispatch));
      EXPECT_EQ(words(y), std::vector<std::uint32_t>(1000, 50));
    });
  }
  for (std::thread& t : threads) t.join();
}

TEST_F(SessionTest, AVariantThatCannotRunSaysWhy) {
  Variant variant = session.default_variant(kernel_of("empty"));
  EXPECT_EQ(session.why_not(kernel_of("empty"), variant), "");
  variant.gang_width = 5;
  EXPECT_NE(session.why_not(kernel_of("empty"), variant), "");
  const auto dispatch =
      session.prepare(kernel_of("empty"), {}, DispatchSize::workgroups({1, 1, 1}), variant);
  ASSERT_FALSE(dispatch);
  EXPECT_EQ(dispatch.error().code, Code::invalid_input);
  EXPECT_NE(dispatch.error().what.find("kernel 'empty' cannot run as"), std::string::npos);
}

TEST_F(SessionTest, SizesThatDoNotFitAreErrors) {
  const auto kernel = kernel_of("flat");
  const Buffer y = *session.buffer(16);
  const std::array bindings{Binding{0, 1, y}};
  const auto code = [&](DispatchSize size) {
    const auto dispatch = session.prepare(kernel, bindings, size);
    return dispatch ? std::optional<Code>() : dispatch.error().code;
  };
  EXPECT_EQ(code(DispatchSize::workgroups({0x40000000, 1, 1})), Code::limit);
  EXPECT_EQ(code(DispatchSize::workgroups({0x10000000, 1, 1})), std::nullopt);
  EXPECT_EQ(code(DispatchSize::extent({0, 0, 0})), std::nullopt);
}

TEST_F(SessionTest, ADeadlineEndsALaunchAndNotTheSession) {
  const Buffer y = *session.buffer(16);
  const std::array bindings{Binding{0, 1, y}};
  const auto endless =
      *session.prepare(kernel_of("endless"), bindings, DispatchSize::workgroups({1, 1, 1}));
  const auto ran = session.run(endless, {.deadline = 10ms});
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, Code::device);
  EXPECT_NE(ran.error().what.find("endless"), std::string::npos);
  const auto empty = *session.prepare(kernel_of("empty"), {}, DispatchSize::workgroups({1, 1, 1}));
  EXPECT_TRUE(session.run(empty, {.deadline = 1h}));
}

TEST_F(SessionTest, WorkgroupsThatWaitForEachOtherRunTogether) {
  const Buffer arrived = *session.buffer(4);
  const std::array bindings{Binding{0, 2, arrived}};
  const auto prepared = [&](std::uint32_t groups) {
    return session.prepare(kernel_of("meet"), bindings, DispatchSize::workgroups({groups, 1, 1}),
                           Variant{.workgroup = {64, 1, 1}});
  };
  const auto together = session.together(*prepared(2));
  ASSERT_TRUE(together) << together.error().what;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(session.clear(arrived));
    ASSERT_TRUE(session.run(*together, {.deadline = 1min}));
  }
  EXPECT_EQ(words(arrived).front(), 2U);
  const auto refused = session.together(*prepared(3));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what,
            "kernel 'meet' has 3 workgroups that wait for each other; cpu runs 2 of them at once");
}

TEST_F(SessionTest, ADeadlineLeavesTheCallersFlagAsItWas) {
  const Buffer y = *session.buffer(16);
  const std::array bindings{Binding{0, 1, y}};
  const auto endless =
      *session.prepare(kernel_of("endless"), bindings, DispatchSize::workgroups({1, 1, 1}));
  std::atomic<std::uint32_t> stop = 0;
  for (int again = 0; again < 2; ++again) {
    const auto ran = session.run(endless, {.deadline = 10ms, .stop = &stop});
    ASSERT_FALSE(ran);
    EXPECT_NE(ran.error().what.find("did not end within 10 ms"), std::string::npos)
        << ran.error().what;
    EXPECT_EQ(stop, 0U) << "nobody stopped it";
  }
  stop = 1;
  const auto stopped = session.run(endless, {.deadline = 1h, .stop = &stop});
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().what.find("was stopped"), std::string::npos) << stopped.error().what;
  EXPECT_EQ(stop, 1U);
}

TEST_F(SessionTest, LimitsThatAreOverEndCompiling) {
  const auto size = DispatchSize::workgroups({1, 1, 1});
  std::atomic<std::uint32_t> stop = 1;
  const auto stopped = session.prepare(kernel_of("empty"), {}, size, {}, {{}, &stop});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::device);
  EXPECT_EQ(stopped.error().what, "compiling kernel 'empty' was stopped");
  const auto late = session.prepare(kernel_of("empty"), {}, size, {}, {.deadline = 0ns});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().what, "compiling kernel 'empty' was not done by its deadline");
  // Code that was compiled before needs no time.
  EXPECT_TRUE(session.prepare(kernel_of("empty"), {}, size));
  EXPECT_TRUE(session.prepare(kernel_of("empty"), {}, size, {}, {.deadline = 0ns}));
}

TEST(RunLimits, ADeadlineIsCountedFromAnEarlierMoment) {
  const auto now = std::chrono::steady_clock::now();
  const RunLimits hour{.deadline = 1h};
  EXPECT_LE(hour.counted_from(now - 10min).deadline, 50min);
  EXPECT_GT(hour.counted_from(now - 10min).deadline, 49min);
  EXPECT_EQ(hour.counted_from(now - 2h).deadline, 1ns);
  EXPECT_EQ(RunLimits{}.counted_from(now - 2h).deadline, std::nullopt);
  EXPECT_EQ(RunLimits{}.counted_from(now - 2h).asked, std::nullopt);
  // Messages name the deadline that the caller gave.
  EXPECT_EQ(hour.counted_from(now - 10min).asked, 1h);
  EXPECT_EQ(hour.counted_from(now - 10min).counted_from(now - 10min).asked, 1h);
}

TEST(RunLimits, AreShortenedAndNeverLengthened) {
  RunLimits limits{.deadline = 10s, .asked = 20s};
  limits.shorten(11s);
  EXPECT_EQ(limits.deadline, 10s);
  EXPECT_EQ(limits.asked, 20s);
  limits.shorten(9s);
  EXPECT_EQ(limits.deadline, 9s);
  EXPECT_EQ(limits.asked, std::nullopt) << "this deadline is nobody's but ours";
  RunLimits none;
  none.shorten(3s);
  EXPECT_EQ(none.deadline, 3s);
}

TEST_F(SessionTest, AFlagEndsALaunch) {
  const Buffer y = *session.buffer(16);
  const std::array bindings{Binding{0, 1, y}};
  const auto endless =
      *session.prepare(kernel_of("endless"), bindings, DispatchSize::workgroups({1, 1, 1}));
  std::atomic<std::uint32_t> stop = 0;
  std::thread other([&] {
    std::this_thread::sleep_for(5ms);
    stop = 1;
  });
  EXPECT_FALSE(session.run(endless, {.deadline = {}, .stop = &stop}));
  other.join();
}

TEST_F(SessionTest, ThingsOfAnotherDeviceAreRefused) {
  const Session other = *Session::open("cpu", {.cpu = {.threads = 1}, .code_folder = {}});
  const Buffer foreign = *other.buffer(16), own = *session.buffer(16);
  EXPECT_FALSE(session.clear(foreign));
  EXPECT_FALSE(session.copy(own, 0, foreign, 0, 4));
  const std::array bindings{Binding{0, 1, foreign}};
  EXPECT_FALSE(session.prepare(kernel_of("flat"), bindings, DispatchSize::workgroups({1, 1, 1})));
  const auto dispatch = *other.prepare(kernel_of("empty"), {}, DispatchSize::extent({1, 1, 1}));
  EXPECT_FALSE(session.run(dispatch));
  EXPECT_EQ(session.run(Dispatch{}).error().what, "the dispatch was not prepared");
}

TEST(NullSession, SeesLaunchesAsTheyWouldRun) {
  const auto device = NullDevice::make();
  const Session session = *Session::open(device, {});
  const Buffer x = *session.buffer(400), y = *session.buffer(400);
  const std::array bindings{Binding{0, 0, x}, Binding{0, 1, y, 100, 200}};
  Variant variant = session.default_variant(kernel_of("add"));
  variant.workgroup = {8, 1, 1};
  const auto dispatch =
      *session.prepare(kernel_of("add"), bindings, DispatchSize::extent({50, 1, 1}), variant);
  device->forget();
  EXPECT_TRUE(session.run(dispatch));
  const auto records = device->records();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].kernel, "add");
  EXPECT_EQ(records[0].extent, (Extent{50, 1, 1}));
  EXPECT_EQ(records[0].grid, (Extent{7, 1, 1}));
  EXPECT_EQ(records[0].workgroup, (Extent{8, 1, 1}));
  ASSERT_EQ(records[0].bindings.size(), 2U);
  EXPECT_EQ(records[0].bindings[1].address, y.address() + 100);
  EXPECT_EQ(records[0].bindings[1].bytes, 200U);
}

// On the fake driver kernels do nothing.
TEST(GpuSession, GivesBackWhatAKernelWrote) {
  FakeDriver fake;
  fake.table.function_parameter = nullptr;
  fake.kernels["vyre_kernel"] = {};
  const Session session = *Session::open(*open_cuda(fake.table, 0, {}), {});
  const auto size = DispatchSize::extent({16, 1, 1});
  const std::vector<std::uint32_t> x(16, 3), constant(16, 5);
  std::vector<std::uint32_t> y(16, 5);
  const auto ran = session.run(kernel_of("add"), {{"x", x}, {"y", y}}, size);
  EXPECT_TRUE(ran) << describe(ran.error());
  EXPECT_EQ(y, constant);
  const unsigned read = fake.calls("cuMemcpyDtoHAsync_v2");
  EXPECT_FALSE(session.run(kernel_of("add"), {{"x", x}, {"y", constant}}, size));
  EXPECT_FALSE(session.run(kernel_of("add"), {{"x", x}, {"z", y}}, size));
  EXPECT_EQ(fake.calls("cuMemcpyDtoHAsync_v2"), read);
}

TEST(NullSession, TunesNothing) {
  for (const TunerMode mode : {TunerMode::natural_gradient, TunerMode::sweep}) {
    SessionOptions options;
    options.tuning.emplace();
    options.tuning->mode = mode;
    const Session session = *Session::open(NullDevice::make(), std::move(options));
    const Buffer x = *session.buffer(400), y = *session.buffer(400);
    const std::array bindings{Binding{0, 0, x}, Binding{0, 1, y}};
    const auto dispatch =
        *session.prepare(kernel_of("add"), bindings, DispatchSize::extent({100, 1, 1}));
    EXPECT_TRUE(session.run(dispatch));
    EXPECT_FALSE(dispatch.tuning());
  }
}

TEST(Devices, AreListedWithTheCpuAmongThem) {
  const auto devices = list_devices();
  const auto cpu = std::ranges::find(devices, "cpu", &DeviceStatus::name);
  ASSERT_NE(cpu, devices.end());
  EXPECT_EQ(cpu->missing, "");
  for (const DeviceStatus& d : devices) EXPECT_NE(d.name, "null");
}

TEST(Devices, OpenByName) {
  EXPECT_EQ((*open_device("cpu", {.threads = 1}))->name(), "cpu");
  EXPECT_EQ((*open_device("null", {}))->name(), "null");
  EXPECT_TRUE(open_device("auto", {.threads = 1}));
}

TEST(Devices, OtherNamesAreNotThere) {
  for (const char* name : {"", "cp", "CPU", "cpu:0", "gpu", "cuda:", "cuda:x", "cuda:-1",
                           "cuda:4294967296", "cuda:12345"}) {
    const auto device = open_device(name, {});
    ASSERT_FALSE(device) << name;
    EXPECT_EQ(device.error().code, Code::unavailable) << name;
  }
}

TEST(SessionOptions, ComeFromTheEnvironment) {
  const char* threads = std::getenv("VYRE_THREADS");
  const std::optional<std::string> saved =
      threads == nullptr ? std::nullopt : std::optional<std::string>(threads);
  setenv("VYRE_THREADS", "3", 1);
  const auto options = SessionOptions::from_environment();
  setenv("VYRE_THREADS", "many", 1);
  const auto wrong = SessionOptions::from_environment();
  if (saved) {
    setenv("VYRE_THREADS", saved->c_str(), 1);
  } else {
    unsetenv("VYRE_THREADS");
  }
  ASSERT_TRUE(options);
  EXPECT_EQ(options->cpu.threads, 3U);
  ASSERT_TRUE(options->code_folder);
  EXPECT_EQ(options->code_folder->filename(), "code");
  EXPECT_FALSE(wrong);
}

}  // namespace
}  // namespace vyre
