#include "vyre/device/cuda/cuda_device.h"

#include <gtest/gtest.h>

#include <cstring>

#include "vyre/base/memory/no_memory_testing.h"
#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/device/cuda/code_internal.h"
#include "vyre/device/cuda/fake_driver_testing.h"
#include "vyre/device/cuda/memory_internal.h"

namespace vyre {
namespace {

std::shared_ptr<CudaDevice> open(FakeDriver& fake, const CudaOptions& options = {}) {
  auto device = open_cuda(fake.table, 0, options);
  EXPECT_TRUE(device) << device.error().what;
  return device ? *device : nullptr;
}

bool all_zero(const DeviceMemory& memory) {
  const auto* bytes =
      reinterpret_cast<const std::byte*>(static_cast<std::uintptr_t>(memory.address));
  return std::all_of(bytes, bytes + memory.bytes, [](std::byte b) { return b == std::byte{0}; });
}

BoundMemory all_of(const DeviceMemory& memory) { return {memory.address, memory.bytes}; }

TEST(CudaDevice, TellsWhatTheDriverTells) {
  FakeDriver fake;
  const auto device = open(fake);
  EXPECT_EQ(device->name(), "cuda:0");
  EXPECT_EQ(to_string(device->target()), "nvptx:sm_90");
  EXPECT_EQ(device->limits().max_grid_dim, (Extent{0x7FFFFFFF, 65535, 65535}));
  EXPECT_EQ(device->limits().max_block_dim, (Extent{1024, 1024, 64}));
  EXPECT_EQ(device->limits().binding_alignment, 16U);
  const auto profile = device->profile();
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->device_name, "Fake GPU");
  EXPECT_EQ(profile->multiprocessors, 132U);
  EXPECT_EQ(profile->memory_bytes_per_second, 4'916'736'000'000U);
  EXPECT_EQ(profile->shared_bytes_per_block, 232448U);
  EXPECT_FALSE(profile->driver.empty());
  EXPECT_FALSE(device->lost());
}

TEST(CudaDevice, TellsItsWholeProfile) {
  FakeDriver fake;
  const auto profile = *open(fake)->profile();
  EXPECT_EQ(profile.max_threads_per_multiprocessor, 2048U);
  EXPECT_EQ(profile.max_blocks_per_multiprocessor, 32U);
  EXPECT_EQ(profile.registers_per_multiprocessor, 65536U);
  EXPECT_EQ(profile.warp_size, 32U);
  EXPECT_EQ(profile.shared_bytes_per_multiprocessor, 233472U);
  EXPECT_EQ(profile.memory_bytes, fake.memory_bytes);
  EXPECT_EQ(profile.last_level_cache_bytes, 60U << 20);
  EXPECT_EQ(profile.clock_khz, 1'980'000U);
}

TEST(CudaDevice, AProfileThatCannotBeReadIsAnError) {
  for (const char* call : {"cuDeviceGetName", "cuDeviceTotalMem"}) {
    FakeDriver fake;
    const auto device = open(fake);
    fake.fail_next(call, cu::kInvalidValue);
    const auto profile = device->profile();
    ASSERT_FALSE(profile) << call;
    EXPECT_TRUE(profile.error().what.starts_with(call)) << profile.error().what;
    EXPECT_TRUE(device->profile()) << "it is asked again";
  }
}

TEST(CudaDevice, DestroysItsContextWithTheLastThatCameFromIt) {
  FakeDriver fake;
  auto device = open(fake);
  auto memory = device->allocate(100);
  ASSERT_TRUE(memory);
  device.reset();
  EXPECT_EQ(fake.live_contexts(), 1U);
  *memory = {};
  EXPECT_EQ(fake.live_contexts(), 0U);
}

TEST(CudaDevice, ContextThatCannotBeMadeIsUnavailable) {
  FakeDriver fake;
  fake.fail_next("cuCtxCreate", 46);
  auto device = open_cuda(fake.table, 0, {});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::unavailable);
  fake.fail_next("cuCtxCreate", cu::kOutOfMemory);
  device = open_cuda(fake.table, 0, {});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::out_of_memory);
}

TEST(SizeClass, WastesAtMostAnEighth) {
  EXPECT_EQ(size_class(0), 512U);
  EXPECT_EQ(size_class(512), 512U);
  EXPECT_EQ(size_class(513), 576U);
  EXPECT_EQ(size_class(1024), 1024U);
  EXPECT_EQ(size_class(std::uint64_t{5} << 32), std::uint64_t{5} << 32);
  EXPECT_EQ(size_class(~std::uint64_t{0}), 0U);
  for (std::uint64_t bytes = 513; bytes < 100'000; bytes += 37) {
    const std::uint64_t rounded = size_class(bytes);
    EXPECT_GE(rounded, bytes);
    EXPECT_LE(rounded, bytes + bytes / 8) << bytes;
    EXPECT_EQ(size_class(rounded), rounded);
  }
}

TEST(SizeClass, HasEightStepsInEveryDoubling) {
  for (unsigned bits = 9; bits < 63; ++bits) {
    const std::uint64_t base = std::uint64_t{1} << bits, step = base / 8;
    for (std::uint64_t i = 0; i < 8; ++i) {
      EXPECT_EQ(size_class(base + i * step), base + i * step) << bits;
      EXPECT_EQ(size_class(base + i * step + 1), base + (i + 1) * step) << bits;
    }
  }
  EXPECT_EQ(size_class(511), 512U);
  EXPECT_EQ(size_class(std::uint64_t{15} << 60), std::uint64_t{15} << 60);
  EXPECT_EQ(size_class((std::uint64_t{15} << 60) + 1), 0U) << "it does not fit into 64 bits";
}

TEST(CudaMemory, KeptBlocksServeSlightlySmallerRequests) {
  FakeDriver fake;
  const auto device = open(fake);
  auto block = device->allocate(1 << 20);
  ASSERT_TRUE(block);
  const std::uint64_t address = block->address;
  *block = {};
  // A request for 15 of 16 parts takes the cached memory, because at most an eighth is wasted; a
  // request for 14 parts does not.
  EXPECT_NE(device->allocate((14 << 16))->address, address);
  const auto near = device->allocate((15 << 16));
  ASSERT_TRUE(near);
  EXPECT_EQ(near->address, address);
  EXPECT_EQ(near->bytes, 15U << 16);
  // It is in use, and counted once.
  EXPECT_NE(device->allocate(15 << 16)->address, address);
}

TEST(CudaMemory, FreeMemoryIsToldWithWhatIsKept) {
  FakeDriver fake;
  const auto device = open(fake);
  const std::uint64_t before = device->memory_info()->free;
  auto memory = device->allocate(1 << 20);
  EXPECT_EQ(device->memory_info()->free, before - (1 << 20));
  *memory = {};
  EXPECT_EQ(device->memory_info()->free, before) << "what is kept is free";
  ASSERT_TRUE(device->trim());
  EXPECT_EQ(device->memory_info()->free, before) << "and so is what was given back";
  EXPECT_EQ(fake.calls("cuMemFree"), 1U);
}

TEST(CudaMemory, IsZeroAndUsedAgain) {
  FakeDriver fake;
  const auto device = open(fake);
  auto first = device->allocate(1000);
  ASSERT_TRUE(first) << first.error().what;
  EXPECT_TRUE(all_zero(*first));
  EXPECT_EQ(first->bytes, 1000U);
  EXPECT_EQ(first->address % 16, 0U);
  const std::uint64_t address = first->address;
  std::memset(reinterpret_cast<void*>(address), 7, 1000);
  *first = {};
  const unsigned allocations = fake.calls("cuMemAlloc");
  auto second = device->allocate(990);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->address, address);
  EXPECT_TRUE(all_zero(*second));
  EXPECT_EQ(fake.calls("cuMemAlloc"), allocations);
  EXPECT_EQ(fake.calls("cuMemFree"), 0U);
}

TEST(CudaMemory, BesideLaunchesComesFromTheDriversPool) {
  FakeDriver fake;
  {
    const auto device = open(fake);
    const unsigned usual = fake.calls("cuMemAlloc");
    auto beside = device->allocate_beside(5000);
    ASSERT_TRUE(beside) << beside.error().what;
    EXPECT_TRUE(all_zero(*beside));
    EXPECT_EQ(fake.calls("cuMemAllocAsync"), 1U);
    EXPECT_EQ(fake.calls("cuMemAlloc"), usual);
    const std::uint64_t address = beside->address;
    *beside = {};
    auto again = device->allocate(5000);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->address, address) << "what nobody uses is for everyone";
    EXPECT_EQ(fake.calls("cuMemFreeAsync"), 0U);
  }
  // Destroying a context does not free memory of the device's pool.
  EXPECT_EQ(fake.calls("cuMemFreeAsync"), 1U);
  EXPECT_EQ(fake.calls("cuCtxDestroy"), 1U);
}

TEST(CudaMemory, BesideLaunchesSaysWhenThereIsNone) {
  FakeDriver fake;
  fake.memory_bytes = std::uint64_t{1} << 20;
  const auto device = open(fake);
  auto most = device->allocate_beside(900'000);
  ASSERT_TRUE(most) << most.error().what;
  const auto more = device->allocate_beside(900'000);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Code::out_of_memory);
  *most = {};
  EXPECT_TRUE(device->allocate_beside(600'000)) << "after what is kept was given back";
  EXPECT_EQ(fake.calls("cuMemFreeAsync"), 1U);
}

TEST(CudaMemory, IsNotUsedAgainWhileWorkMayUseIt) {
  FakeDriver fake;
  const auto device = open(fake);
  auto queue = device->make_queue();
  ASSERT_TRUE(queue);
  auto first = device->allocate(4096);
  ASSERT_TRUE(first);
  fake.hold(true);
  ASSERT_TRUE((*queue)->clear(all_of(*first)));
  const std::uint64_t address = first->address;
  *first = {};
  auto second = device->allocate(4096);
  ASSERT_TRUE(second);
  EXPECT_NE(second->address, address);
  fake.hold(false);
  auto third = device->allocate(4096);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->address, address);
}

TEST(CudaMemory, IsUsedAgainBesideAKernelThatStays) {
  FakeDriver fake;
  fake.kernels["resident"] = {};
  fake.staying.insert("resident");
  const auto device = open(fake);
  auto stays = device->make_queue();
  auto other = device->make_queue();
  auto code = device->load(fake_code("resident", {}));
  auto before = device->allocate(8192);
  ASSERT_TRUE(stays && other && code && before);
  ASSERT_TRUE((*stays)->launch({.code = code->get(), .kernel = "resident"}));
  const std::uint64_t known = before->address;
  std::uint64_t address = 0;
  for (int i = 0; i < 5; ++i) {
    auto memory = device->allocate(4096);
    ASSERT_TRUE(memory);
    ASSERT_TRUE((*other)->clear(all_of(*memory)));
    ASSERT_TRUE((*other)->wait());
    if (i > 0) {
      EXPECT_EQ(memory->address, address);
    }
    address = memory->address;
  }
  // Memory that existed when the kernel started may belong to the kernel.
  *before = {};
  auto after = device->allocate(8192);
  ASSERT_TRUE(after);
  EXPECT_NE(after->address, known);
  fake.staying.clear();
  ASSERT_TRUE((*stays)->wait());
  auto last = device->allocate(8192);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->address, known);
}

TEST(CudaMemory, OutlivesTheQueueWhoseWorkUsesIt) {
  FakeDriver fake;
  const auto device = open(fake);
  auto queue = device->make_queue();
  auto first = device->allocate(4096);
  ASSERT_TRUE(queue && first);
  fake.hold(true);
  ASSERT_TRUE((*queue)->clear(all_of(*first)));
  queue->reset();
  const std::uint64_t address = first->address;
  *first = {};
  auto second = device->allocate(4096);
  ASSERT_TRUE(second);
  EXPECT_NE(second->address, address);
}

TEST(CudaMemory, TrimsBeforeItSaysThatThereIsNone) {
  FakeDriver fake;
  fake.memory_bytes = std::uint64_t{1} << 20;
  const auto device = open(fake);
  for (int i = 0; i < 3; ++i) {
    auto some = device->allocate(300'000);
    auto more = device->allocate(300'000);
    ASSERT_TRUE(some && more);
  }
  auto large = device->allocate(900'000);
  ASSERT_TRUE(large) << large.error().what;
  EXPECT_GT(fake.calls("cuMemFree"), 0U);
  const auto beyond = device->allocate(900'000);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, Code::out_of_memory);
  EXPECT_NE(beyond.error().what.find("900000 bytes"), std::string::npos) << beyond.error().what;
  EXPECT_NE(beyond.error().what.find("of 1048576 are free"), std::string::npos)
      << beyond.error().what;
  // And everything goes on.
  *large = {};
  EXPECT_TRUE(device->allocate(900'000));
}

TEST(CudaMemory, SizesThatCannotBeAreOutOfMemory) {
  FakeDriver fake;
  const auto device = open(fake);
  for (const std::uint64_t bytes : {~std::uint64_t{0}, std::uint64_t{1} << 63, fake.memory_bytes}) {
    const auto memory = device->allocate(bytes);
    ASSERT_FALSE(memory) << bytes;
    EXPECT_EQ(memory.error().code, Code::out_of_memory);
  }
  EXPECT_TRUE(device->allocate(0));
}

TEST(CudaMemory, BeyondFourGigabytesIsFine) {
  FakeDriver fake;
  fake.memory_bytes = std::uint64_t{32} << 30;
  const auto device = open(fake);
  const auto memory = device->allocate((std::uint64_t{5} << 30) + 1);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->bytes, (std::uint64_t{5} << 30) + 1);
  const auto info = device->memory_info();
  ASSERT_TRUE(info);
  EXPECT_EQ(info->total, std::uint64_t{32} << 30);
  EXPECT_LT(info->free, std::uint64_t{27} << 30);
}

TEST(CudaMemory, ZeroingComesBeforeTheQueuesWork) {
  FakeDriver fake;
  const auto device = open(fake);
  auto queue = device->make_queue();
  ASSERT_TRUE(queue);
  fake.hold(true);
  auto memory = device->allocate(64);
  ASSERT_TRUE(memory);
  std::array<std::byte, 64> ones;
  ones.fill(std::byte{1});
  ASSERT_TRUE((*queue)->write(all_of(*memory), ones));
  fake.hold(false);
  std::array<std::byte, 64> got{};
  ASSERT_TRUE((*queue)->read(all_of(*memory), got));
  EXPECT_EQ(got, ones);
}

TEST(CudaCode, PtxBecomesACubinAndIsLoadedWithItsFacts) {
  FakeDriver fake;
  fake.kernels["k"] = {.parameter_bytes = {8}, .run = {}, .registers = 40, .static_shared = 1024};
  const auto device = open(fake);
  auto finished = device->finish(fake_code("k", {{.kind = GpuParameterKind::address}}));
  ASSERT_TRUE(finished) << finished.error().what;
  EXPECT_TRUE(std::get<GpuCode>(*finished).ptx.empty());
  EXPECT_FALSE(std::get<GpuCode>(*finished).cubin.empty());
  const auto code = device->load(*finished);
  ASSERT_TRUE(code) << code.error().what;
  EXPECT_EQ(fake.calls("cuLinkComplete"), 1U);
  EXPECT_EQ((*code)->facts().registers, 40U);
  EXPECT_EQ((*code)->facts().shared_bytes, 1024U);
  EXPECT_EQ((*code)->facts().max_threads, 1024U);
  const auto occupancy = device->occupancy(**code, {256, 1, 1});
  ASSERT_TRUE(occupancy);
  EXPECT_EQ(occupancy->groups_per_multiprocessor, 8U);
  EXPECT_EQ(occupancy->suggested_threads, 1024U);
  EXPECT_EQ(device->occupancy(**code, {1024, 1024, 1})->groups_per_multiprocessor, 0U);
}

TEST(CudaCode, LinkerErrorsCarryTheLog) {
  FakeDriver fake;
  const auto device = open(fake);
  GpuCode code = fake_code("k", {});
  code.ptx = "wrong";
  const auto finished = device->finish(code);
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, Code::invalid_input);
  EXPECT_EQ(finished.error().what,
            "cuLinkAddData: CUDA_ERROR_INVALID_PTX (as the driver puts it), for kernel 'k'; "
            "cuda:0 stays usable\nptxas fatal : line 3: the fake does not like it");
}

TEST(CudaCode, WhatCannotBeLoadedSaysWhy) {
  FakeDriver fake;
  fake.kernels["two"] = {.parameter_bytes = {8, 4}};
  const auto device = open(fake);
  const auto error = [&](GpuCode code) {
    const auto loaded = device->load(std::move(code));
    EXPECT_FALSE(loaded);
    return loaded ? std::string{} : loaded.error().what;
  };
  const GpuParameter address{.kind = GpuParameterKind::address};
  const GpuParameter extent{.kind = GpuParameterKind::extent};
  EXPECT_EQ(error(fake_code("none", {})), "the code has no kernel 'none'");
  EXPECT_EQ(error(fake_code("two", {address})), "kernel 'two' takes 2 parameters; 1 are declared");
  EXPECT_EQ(error(fake_code("two", {address, extent, extent})),
            "kernel 'two' takes 2 parameters; 3 are declared");
  EXPECT_EQ(error(fake_code("two", {address, address})),
            "parameter 1 of kernel 'two' has 4 bytes; 8 are declared");
  EXPECT_EQ(error(fake_code("two", {address, {.kind = GpuParameterKind::extent, .slot = 3}})),
            "a parameter is the extent along axis 3; the axes are 0, 1 and 2");
  EXPECT_EQ(error({}), "the code of kernel '' is empty");
  GpuCode foreign = fake_code("two", {address, extent});
  foreign.cubin = {std::byte{'x'}, std::byte{0}};
  EXPECT_EQ(error(foreign),
            "the machine code of kernel 'two' (2 bytes) cannot be loaded: it is neither a cubin "
            "nor a fat binary");
  foreign.cubin = std::get<GpuCode>(*device->finish(fake_code("two", {}))).cubin;
  foreign.cubin[64] = std::byte{'x'};
  EXPECT_EQ(error(foreign),
            "the cubin of kernel 'two' is not for cuda:0 (sm_90): CUDA_ERROR_OTHER (as the driver "
            "puts it)");
  EXPECT_FALSE(device->load(HostCode{}));
  EXPECT_FALSE(device->lost());
  EXPECT_TRUE(device->load(fake_code("two", {address, extent})));
}

TEST(CudaCode, IsUnloadedOnlyWhenNothingRuns) {
  FakeDriver fake;
  fake.kernels["k"] = {};
  const auto device = open(fake);
  auto queue = device->make_queue();
  auto code = device->load(fake_code("k", {}));
  ASSERT_TRUE(queue && code);
  fake.hold(true);
  ASSERT_TRUE((*queue)->launch({.code = code->get(), .kernel = "k"}));
  code->reset();
  ASSERT_TRUE(device->allocate(1));
  EXPECT_EQ(fake.live_modules(), 1U);
  fake.hold(false);
  ASSERT_TRUE((*queue)->wait());
  EXPECT_EQ(fake.live_modules(), 0U);
}

TEST(CudaCode, IsReadWhenItIsFinishedAndPutOntoTheDeviceWhenItIsLoaded) {
  FakeDriver fake;
  fake.kernels["k"] = {};
  const auto device = open(fake);
  auto finished = device->finish(fake_code("k", {}));
  ASSERT_TRUE(finished) << finished.error().what;
  EXPECT_EQ(fake.calls("cuLibraryLoadData"), 1U);
  EXPECT_EQ(fake.calls("cuKernelGetFunction"), 0U);
  auto code = device->load(*std::move(finished));
  ASSERT_TRUE(code) << code.error().what;
  EXPECT_EQ(fake.calls("cuLibraryLoadData"), 1U);
  EXPECT_EQ(fake.calls("cuKernelGetFunction"), 1U);
  EXPECT_EQ(fake.calls("cuModuleLoadData"), 0U);
}

TEST(CudaCode, WhatIsReadGoesWithTheDevice) {
  FakeDriver fake;
  fake.kernels["k"] = {};
  {
    const auto device = open(fake);
    auto queue = device->make_queue();
    auto code = device->load(fake_code("k", {}));
    ASSERT_TRUE(queue && code);
    fake.hold(true);
    ASSERT_TRUE((*queue)->launch({.code = code->get(), .kernel = "k"}));
  }
  fake.hold(false);
  EXPECT_EQ(fake.live_modules(), 0U);
}

TEST(CudaCode, IsAModuleWhereTheDriverHasNoLibraries) {
  FakeDriver fake;
  fake.kernels["k"] = {};
  fake.table.library_load = nullptr;
  const auto device = open(fake);
  {
    auto finished = device->finish(fake_code("k", {}));
    ASSERT_TRUE(finished);
    EXPECT_EQ(fake.calls("cuModuleLoadData"), 0U);
    auto code = device->load(*std::move(finished));
    ASSERT_TRUE(code) << code.error().what;
    EXPECT_EQ(fake.calls("cuModuleLoadData"), 1U);
    EXPECT_EQ(fake.live_modules(), 1U);
  }
  ASSERT_TRUE(device->allocate(1));
  EXPECT_EQ(fake.live_modules(), 0U);
}

TEST(CudaCode, DynamicSharedMemoryBeyondThePlainLimitIsAskedFor) {
  FakeDriver fake;
  fake.kernels["k"] = {.parameter_bytes = {}, .run = {}, .registers = 32, .static_shared = 4096};
  const auto device = open(fake);
  GpuCode code = fake_code("k", {});
  code.dynamic_shared_bytes = 64 << 10;
  const auto loaded = device->load(code);
  ASSERT_TRUE(loaded) << loaded.error().what;
  EXPECT_EQ(fake.calls("cuFuncSetAttribute"), 1U);
  EXPECT_EQ((*loaded)->facts().shared_bytes, 68U << 10);
  code.dynamic_shared_bytes = 1 << 20;
  const auto beyond = device->load(code);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, Code::limit);
}

TEST(CudaGuest, SynchronisesAndFreesNothingOfTheApplication) {
  FakeDriver fake;
  fake.kernels["k"] = {.parameter_bytes = {8}};
  const CuContext theirs = fake.make_context();
  FakeDriver::set_current(theirs);
  CuStream stream = nullptr;
  ASSERT_EQ(fake.table.stream_create(&stream, 0), 0);
  CuAddress memory = 0;
  ASSERT_EQ(fake.table.memory_allocate(&memory, 512), 0);
  FakeDriver::set_current(nullptr);
  {
    const auto device = open(fake, {.context = theirs, .stream = stream});
    EXPECT_EQ(device->name(), "cuda:0");
    EXPECT_EQ(FakeDriver::current_context(), nullptr);
    auto queue = device->make_queue();
    auto own = device->allocate(100);
    auto side = device->make_side_queue();
    ASSERT_TRUE(side);
    EXPECT_EQ(fake.live_streams(), 3U) << "theirs, the pool's and the side queue's";
    auto code = device->load(fake_code("k", {{.kind = GpuParameterKind::address}}));
    ASSERT_TRUE(queue && own && code);
    EXPECT_TRUE(all_zero(*own));
    const unsigned waits = fake.calls("cuStreamSynchronize");
    const std::array bindings{BoundMemory{memory, 512}};
    ASSERT_TRUE((*queue)->launch({.code = code->get(), .kernel = "k", .bindings = bindings}));
    EXPECT_EQ(fake.calls("cuStreamSynchronize"), waits);
    EXPECT_EQ(fake.launches().back().get<CuAddress>(0), memory);
    EXPECT_EQ(FakeDriver::current_context(), nullptr);
  }
  EXPECT_EQ(fake.calls("cuMemFree"), 0U);
  EXPECT_EQ(fake.calls("cuCtxDestroy"), 0U);
  EXPECT_EQ(fake.live_contexts(), 1U);
  EXPECT_EQ(fake.live_streams(), 1U);
  EXPECT_EQ(fake.live_allocations(), 1U);
  EXPECT_EQ(fake.live_modules(), 0U);
  EXPECT_EQ(fake.live_pinned(), 0U);
  EXPECT_EQ(FakeDriver::current_context(), nullptr);
}

TEST(CudaGuest, LeavesAStreamThatIsBeingCapturedAlone) {
  FakeDriver fake;
  fake.kernels["k"] = {};
  const CuContext theirs = fake.make_context();
  FakeDriver::set_current(theirs);
  CuStream stream = nullptr;
  ASSERT_EQ(fake.table.stream_create(&stream, 0), 0);
  const auto device = open(fake, {.context = theirs, .stream = stream});
  auto queue = device->make_queue();
  auto code = device->load(fake_code("k", {}));
  auto memory = device->allocate(100);
  ASSERT_TRUE(queue && code && memory);
  fake.capturing = true;
  const unsigned queries = fake.calls("cuStreamQuery");
  const unsigned records = fake.calls("cuEventRecord");
  ASSERT_TRUE((*queue)->launch({.code = code->get(), .kernel = "k"}));
  *memory = {};
  EXPECT_TRUE(device->allocate(100));
  EXPECT_EQ(fake.calls("cuStreamQuery"), queries);
  EXPECT_EQ(fake.calls("cuEventRecord"), records);
  EXPECT_EQ(fake.launches().size(), 1U);
  fake.capturing = false;
}

TEST(CudaGuest, StreamWithoutItsContextIsRefused) {
  FakeDriver fake;
  const auto device = open_cuda(fake.table, 0, {.stream = nullptr});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, Code::invalid_input);
}

TEST(CudaWithoutMemory, QueuesAndMemoryAreLetGoOf) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has memory of its own";
  EXPECT_TRUE(holds_in_a_process([] {
    FakeDriver fake;
    const auto device = *open_cuda(fake.table, 0, {});
    std::shared_ptr<Queue> queue = *device->make_queue();
    DeviceMemory memory = *device->allocate(1000);
    {
      const NoMemory none;
      memory = {};
      queue.reset();
    }
    return device->make_queue().has_value() && device->allocate(1000).has_value();
  }));
}

}  // namespace
}  // namespace vyre
