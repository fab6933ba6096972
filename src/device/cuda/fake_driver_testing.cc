#include "vyre/device/cuda/fake_driver_testing.h"

#include <cassert>

#include "vyre/device/cuda/fake_driver_state_testing.h"

namespace vyre {

using namespace fake;

namespace {

CuResult timer(const FakeLaunch& launch) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const std::uint64_t value =
      static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count() + active->timer_offset);
  std::memcpy(pointer(launch.get<CuAddress>(0)), &value, sizeof value);
  return cu::kSuccess;
}

int attribute_value(int attribute) {
  switch (attribute) {
    case cu::kMaxThreadsPerBlock: return 1024;
    case cu::kMaxBlockX:
    case cu::kMaxBlockY: return 1024;
    case cu::kMaxBlockZ: return 64;
    case cu::kMaxGridX: return 0x7FFFFFFF;
    case cu::kMaxGridY:
    case cu::kMaxGridZ: return 65535;
    case cu::kWarpSize: return 32;
    case cu::kMultiprocessors: return 132;
    case cu::kMemoryClockKhz: return 3'201'000;
    case cu::kMemoryBusBits: return 6144;
    case cu::kL2Bytes: return 60 << 20;
    case cu::kClockKhz: return 1'980'000;
    case cu::kThreadsPerMultiprocessor: return 2048;
    case cu::kBlocksPerMultiprocessor: return 32;
    case cu::kRegistersPerMultiprocessor: return 65536;
    case cu::kSharedPerMultiprocessor: return 233472;
    case cu::kSharedPerBlock: return 49152;
    case cu::kSharedPerBlockOptIn: return 232448;
    case cu::kCapabilityMajor: return 9;
    case cu::kCapabilityMinor: return 0;
    case cu::kMemoryPools: return 1;
    default: return 0;
  }
}

void fill_devices(CudaDriver& t) {
  t.init = [](unsigned) { return call("cuInit", Needs::nothing, [] { return 0; }); };
  t.driver_version = [](int* version) {
    return call("cuDriverGetVersion", Needs::nothing, [&] {
      *version = 13000;
      return 0;
    });
  };
  t.error_name = [](CuResult result, const char** text) {
    *text = result == cu::kIllegalAddress  ? "CUDA_ERROR_ILLEGAL_ADDRESS"
            : result == cu::kOutOfMemory   ? "CUDA_ERROR_OUT_OF_MEMORY"
            : result == cu::kNoDevice      ? "CUDA_ERROR_NO_DEVICE"
            : result == cu::kInvalidPtx    ? "CUDA_ERROR_INVALID_PTX"
            : result == cu::kInvalidValue  ? "CUDA_ERROR_INVALID_VALUE"
            : result == cu::kLaunchTimeout ? "CUDA_ERROR_LAUNCH_TIMEOUT"
                                           : "CUDA_ERROR_OTHER";
    return 0;
  };
  t.error_text = [](CuResult, const char** text) {
    *text = "as the driver puts it";
    return 0;
  };
  t.device_count = [](int* count) {
    return call("cuDeviceGetCount", Needs::nothing, [&] {
      *count = active->devices;
      return 0;
    });
  };
  t.device_get = [](CuDevice* device, int ordinal) {
    return call("cuDeviceGet", Needs::nothing, [&] {
      *device = ordinal;
      return ordinal < active->devices ? 0 : cu::kInvalidDevice;
    });
  };
  t.device_name = [](char* text, int bytes, CuDevice) {
    return call("cuDeviceGetName", Needs::nothing, [&] {
      std::strncpy(text, "Fake GPU", static_cast<std::size_t>(bytes));
      return 0;
    });
  };
  t.device_attribute = [](int* value, int attribute, CuDevice) {
    *value = attribute_value(attribute);
    return 0;
  };
  t.device_total_memory = [](std::size_t* bytes, CuDevice) {
    return call("cuDeviceTotalMem", Needs::nothing, [&] {
      *bytes = active->memory_bytes;
      return 0;
    });
  };
}

void fill_contexts(CudaDriver& t) {
  t.context_create = [](CuContext* context, unsigned, CuDevice) {
    return call("cuCtxCreate", Needs::nothing, [&] {
      if (below.count == Contexts::kMost) return cu::kOutOfMemory;
      state->contexts.push_back(std::make_unique<CUctx_st>());
      below.items[below.count++] = current;
      *context = current = state->contexts.back().get();
      return CuResult{0};
    });
  };
  t.context_destroy = [](CuContext context) {
    return call("cuCtxDestroy", Needs::nothing, [&] {
      context->destroyed = true;
      if (current == context) current = nullptr;
      return 0;
    });
  };
  t.context_pop = [](CuContext* context) {
    *context = current;
    current = below.count == 0 ? nullptr : below.items[--below.count];
    return 0;
  };
  t.context_get_current = [](CuContext* context) {
    *context = current;
    return 0;
  };
  t.context_set_current = [](CuContext context) {
    return call("cuCtxSetCurrent", Needs::nothing, [&] {
      if (context != nullptr && context->destroyed) return cu::kContextIsDestroyed;
      current = context;
      return 0;
    });
  };
  t.context_device = [](CuDevice* device) {
    return call("cuCtxGetDevice", Needs::context, [&] {
      *device = 0;
      return 0;
    });
  };
}

void fill_memory(CudaDriver& t) {
  t.memory_info = [](std::size_t* free, std::size_t* total) {
    return call("cuMemGetInfo", Needs::context, [&] {
      *total = active->memory_bytes;
      *free = active->memory_bytes - state->allocated;
      return 0;
    });
  };
  t.memory_allocate = [](CuAddress* address, std::size_t bytes) {
    return call("cuMemAlloc", Needs::context, [&] { return allocate(address, bytes); });
  };
  t.memory_free = [](CuAddress address) {
    return call("cuMemFree", Needs::context, [&] {
      run_all(true);  // it waits for running kernels
      return release(address);
    });
  };
  t.memory_allocate_async = [](CuAddress* address, std::size_t bytes, CuStream) {
    return call("cuMemAllocAsync", Needs::context, [&] { return allocate(address, bytes); });
  };
  t.memory_free_async = [](CuAddress address, CuStream) {
    return call("cuMemFreeAsync", Needs::context, [&] { return release(address); });
  };
  t.host_allocate = [](void** memory, std::size_t bytes, unsigned) {
    return call("cuMemHostAlloc", Needs::context, [&] {
      *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
      if (*memory == nullptr) return cu::kOutOfMemory;
      std::memset(*memory, 0xEE, bytes);
      state->pinned.insert(*memory);
      return 0;
    });
  };
  t.host_free = [](void* memory) {
    return call("cuMemFreeHost", Needs::context, [&] {
      state->pinned.erase(memory);
      std::free(memory);
      return 0;
    });
  };
  t.host_device_address = [](CuAddress* address, void* memory, unsigned) {
    return call("cuMemHostGetDevicePointer", Needs::context, [&] {
      *address = reinterpret_cast<std::uintptr_t>(memory);
      return 0;
    });
  };
}

}  // namespace

FakeDriver::FakeDriver() : state_(std::make_unique<State>()) {
  assert(active == nullptr);
  kernels["vyre_timer"] = {.parameter_bytes = {8}, .run = timer};
  active = this;  // from here on nothing throws
  state = state_.get();
  current = nullptr;
  fill_devices(table);
  fill_contexts(table);
  fill_memory(table);
  fill_copies(table);
  fill_code(table);
  fill_streams(table);
  fill_graphs(table);
}

FakeDriver::~FakeDriver() {
  for (const auto& [address, bytes] : state_->allocations) std::free(pointer(address));
  for (void* memory : state_->pinned) std::free(memory);
  default_stream.work.clear();
  active = nullptr;
  state = nullptr;
  current = nullptr;
}

void FakeDriver::fail_next(const std::string& function, CuResult result) {
  const std::scoped_lock lock(state_->mutex);
  state_->failures[function].push_back(result);
}

unsigned FakeDriver::calls(const std::string& function) const {
  const std::scoped_lock lock(state_->mutex);
  return state_->calls[function];
}

std::vector<std::string> FakeDriver::take_log() {
  const std::scoped_lock lock(state_->mutex);
  return std::exchange(state_->log, {});
}

void FakeDriver::hold(bool held) {
  const std::scoped_lock lock(state_->mutex);
  state_->held = held;
  run_all();
}

unsigned FakeDriver::live_allocations() const {
  return static_cast<unsigned>(state_->allocations.size());
}
unsigned FakeDriver::live_modules() const { return state_->live_modules; }
unsigned FakeDriver::live_graphs() const {
  return static_cast<unsigned>(state_->graphs.size() + state_->graph_execs.size());
}
unsigned FakeDriver::live_pinned() const { return static_cast<unsigned>(state_->pinned.size()); }
unsigned FakeDriver::live_contexts() const {
  return static_cast<unsigned>(
      std::ranges::count_if(state_->contexts, [](const auto& c) { return !c->destroyed; }));
}
unsigned FakeDriver::live_streams() const {
  return static_cast<unsigned>(
      std::ranges::count_if(state_->streams, [](const auto& s) { return !s->destroyed; }));
}
std::vector<FakeLaunch> FakeDriver::launches() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->launches;
}

CuContext FakeDriver::make_context() {
  state_->contexts.push_back(std::make_unique<CUctx_st>());
  return state_->contexts.back().get();
}
CuContext FakeDriver::current_context() { return current; }
void FakeDriver::set_current(CuContext context) { current = context; }

GpuCode fake_code(const std::string& entry, std::vector<GpuParameter> parameters) {
  return {.ptx = "a kernel",
          .cubin = {},
          .entry = entry,
          .parameters = std::move(parameters),
          .dynamic_shared_bytes = 0};
}

}  // namespace vyre
