#include "vyre/device/cuda/fake_driver_testing.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cstdlib>
#include <cstring>

struct CUctx_st {
  int sticky = 0;
  bool destroyed = false;
};
struct CUmod_st {
  std::string text;
};
struct CUfunc_st {
  std::string name;
  int max_dynamic = 0;
};
struct CUevent_st {
  std::uint64_t recorded = 0;
  std::uint64_t passed = 0;
  bool done() const { return passed == recorded; }
  std::chrono::steady_clock::time_point when{};
};
struct CUstream_st {
  std::deque<std::function<bool()>> work;  // false: not yet
  bool destroyed = false;
};
struct CUlinkState_st {
  std::string text;
  char* error_log = nullptr;
};

namespace vyre {

struct FakeDriver::State {
  std::recursive_mutex mutex;
  std::map<std::string, unsigned> calls;
  std::map<std::string, std::deque<CuResult>> failures;
  std::vector<std::unique_ptr<CUctx_st>> contexts;
  std::vector<std::unique_ptr<CUmod_st>> modules;
  std::vector<std::unique_ptr<CUfunc_st>> functions;
  std::vector<std::unique_ptr<CUevent_st>> events;
  std::vector<std::unique_ptr<CUstream_st>> streams;
  std::map<CuAddress, std::uint64_t> allocations;
  std::set<void*> pinned;
  std::uint64_t allocated = 0;
  bool held = false;
  unsigned live_modules = 0;
  std::vector<FakeLaunch> launches;
};

namespace {

FakeDriver* active = nullptr;
FakeDriver::State* state = nullptr;
thread_local CuContext current = nullptr;
thread_local std::vector<CuContext> below;  // the thread's stack of contexts, without its top
CUstream_st default_stream;

void run_all(bool forced = false) {
  if (state->held && !forced) return;
  for (bool moved = true; moved;) {
    moved = false;
    const auto run = [&](CUstream_st& s) {
      while (!s.work.empty() && s.work.front()()) {
        s.work.pop_front();
        moved = true;
      }
    };
    for (auto& s : state->streams) run(*s);
    run(default_stream);
  }
}

CUstream_st& stream_of(CuStream stream) { return stream == nullptr ? default_stream : *stream; }

CuResult enqueue(CuStream stream, std::function<bool()> work) {
  stream_of(stream).work.push_back(std::move(work));
  run_all();
  return current->sticky;
}

CuResult enqueue_always(CuStream stream, std::function<void()> work) {
  return enqueue(stream, [work = std::move(work)] {
    work();
    return true;
  });
}

enum class Needs { nothing, context };

// Counts, fails when asked to, and refuses what a real driver refuses.
template <class Body>
CuResult call(const char* name, Needs needs, const Body& body) {
  const std::scoped_lock lock(state->mutex);
  ++state->calls[name];
  if (auto& planned = state->failures[name]; !planned.empty()) {
    const CuResult result = planned.front();
    planned.pop_front();
    if (loses_context(result) && current != nullptr) current->sticky = result;
    return result;
  }
  if (needs == Needs::context) {
    if (current == nullptr) return cu::kInvalidContext;
    if (current->destroyed) return cu::kContextIsDestroyed;
    if (current->sticky != 0) return current->sticky;
  }
  return body();
}

void* pointer(CuAddress address) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(address));
}

CuResult allocate(CuAddress* address, std::size_t bytes) {
  if (state->allocated + bytes > active->memory_bytes) return cu::kOutOfMemory;
  // Far above what tests touch is only counted.
  const std::size_t real = std::min<std::size_t>(bytes, std::size_t{64} << 20);
  void* memory = std::aligned_alloc(512, (real + 511) / 512 * 512);
  std::memset(memory, 0xCD, real);
  *address = reinterpret_cast<std::uintptr_t>(memory);
  state->allocations[*address] = bytes;
  state->allocated += bytes;
  return cu::kSuccess;
}

CuResult release(CuAddress address) {
  const auto it = state->allocations.find(address);
  if (it == state->allocations.end()) return cu::kInvalidValue;
  state->allocated -= it->second;
  state->allocations.erase(it);
  std::free(pointer(address));
  return cu::kSuccess;
}

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

CuResult launch(CuFunction function, Extent grid, Extent block, unsigned shared, CuStream stream,
                void** parameters) {
  const FakeKernel& kernel = active->kernels.at(function->name);
  FakeLaunch record{.grid = grid, .block = block, .dynamic_shared = shared, .parameters = {}};
  for (std::size_t i = 0; i < kernel.parameter_bytes.size(); ++i) {
    const auto* bytes = static_cast<const std::byte*>(parameters[i]);
    record.parameters.emplace_back(bytes, bytes + kernel.parameter_bytes[i]);
  }
  if (function->name != "vyre_timer") state->launches.push_back(record);
  CuContext context = current;
  enqueue_always(stream, [context, run = kernel.run, record = std::move(record)] {
    if (context->sticky != 0) return;
    if (const CuResult result = run ? run(record) : 0; result != 0) context->sticky = result;
  });
  return cu::kSuccess;
}

void fill_devices(CudaDriver& t) {
  t.init = [](unsigned) { return call("cuInit", Needs::nothing, [] { return 0; }); };
  t.driver_version = [](int* version) {
    *version = 13000;
    return 0;
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
    *count = active->devices;
    return 0;
  };
  t.device_get = [](CuDevice* device, int ordinal) {
    *device = ordinal;
    return ordinal < active->devices ? 0 : cu::kInvalidDevice;
  };
  t.device_name = [](char* text, int bytes, CuDevice) {
    std::strncpy(text, "Fake GPU", static_cast<std::size_t>(bytes));
    return 0;
  };
  t.device_attribute = [](int* value, int attribute, CuDevice) {
    *value = attribute_value(attribute);
    return 0;
  };
  t.device_total_memory = [](std::size_t* bytes, CuDevice) {
    *bytes = active->memory_bytes;
    return 0;
  };
}

void fill_contexts(CudaDriver& t) {
  t.context_create = [](CuContext* context, unsigned, CuDevice) {
    return call("cuCtxCreate", Needs::nothing, [&] {
      state->contexts.push_back(std::make_unique<CUctx_st>());
      below.push_back(current);
      *context = current = state->contexts.back().get();
      return 0;
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
    current = below.empty() ? nullptr : below.back();
    if (!below.empty()) below.pop_back();
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
    *device = 0;
    return 0;
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
    *address = reinterpret_cast<std::uintptr_t>(memory);
    return 0;
  };
}

void fill_copies(CudaDriver& t) {
  t.copy_to_device = [](CuAddress to, const void* from, std::size_t bytes, CuStream stream) {
    return call("cuMemcpyHtoDAsync", Needs::context, [&] {
      return enqueue_always(stream, [=] { std::memcpy(pointer(to), from, bytes); });
    });
  };
  t.copy_to_host = [](void* to, CuAddress from, std::size_t bytes, CuStream stream) {
    return call("cuMemcpyDtoHAsync", Needs::context, [&] {
      return enqueue_always(stream, [=] { std::memcpy(to, pointer(from), bytes); });
    });
  };
  t.copy_on_device = [](CuAddress to, CuAddress from, std::size_t bytes, CuStream stream) {
    return call("cuMemcpyDtoDAsync", Needs::context, [&] {
      return enqueue_always(stream, [=] { std::memcpy(pointer(to), pointer(from), bytes); });
    });
  };
  t.set_bytes = [](CuAddress at, unsigned char value, std::size_t count, CuStream stream) {
    return call("cuMemsetD8Async", Needs::context, [&] {
      return enqueue_always(stream, [=] { std::memset(pointer(at), value, count); });
    });
  };
  t.set_words = [](CuAddress at, unsigned value, std::size_t count, CuStream stream) {
    return call("cuMemsetD32Async", Needs::context, [&] {
      if (value != 0) return cu::kInvalidValue;
      const std::size_t bytes = std::min<std::size_t>(count * 4, std::size_t{64} << 20);
      return enqueue_always(stream, [=] { std::memset(pointer(at), 0, bytes); });
    });
  };
}

void fill_code(CudaDriver& t) {
  t.link_create = [](unsigned count, int* options, void** values, CuLink* link) {
    return call("cuLinkCreate", Needs::context, [&] {
      *link = new CUlinkState_st();
      for (unsigned i = 0; i < count; ++i) {
        if (options[i] == cu::kJitErrorLogBuffer)
          (*link)->error_log = static_cast<char*>(values[i]);
      }
      return 0;
    });
  };
  t.link_add = [](CuLink link, int, void* data, std::size_t bytes, const char*, unsigned, int*,
                  void**) {
    return call("cuLinkAddData", Needs::context, [&] {
      const std::string_view text(static_cast<const char*>(data), bytes);
      if (text.find("wrong") != std::string_view::npos) {
        std::strcpy(link->error_log, "ptxas fatal : line 3: the fake does not like it\n");
        return cu::kInvalidPtx;
      }
      link->text = "cubin";
      return 0;
    });
  };
  t.link_complete = [](CuLink link, void** cubin, std::size_t* bytes) {
    return call("cuLinkComplete", Needs::context, [&] {
      *cubin = link->text.data();
      *bytes = link->text.size() + 1;
      return 0;
    });
  };
  t.link_destroy = [](CuLink link) {
    delete link;
    return 0;
  };
  t.module_load = [](CuModule* module, const void* image) {
    return call("cuModuleLoadData", Needs::context, [&] {
      const std::string text(static_cast<const char*>(image));
      if (text != "cubin") return cu::kNoBinaryForGpu;
      state->modules.push_back(std::make_unique<CUmod_st>());
      *module = state->modules.back().get();
      ++state->live_modules;
      return 0;
    });
  };
  t.module_unload = [](CuModule) {
    return call("cuModuleUnload", Needs::context, [&] {
      --state->live_modules;
      return 0;
    });
  };
  t.module_function = [](CuFunction* function, CuModule, const char* name) {
    return call("cuModuleGetFunction", Needs::context, [&] {
      if (!active->kernels.contains(name)) return cu::kNotFound;
      state->functions.push_back(std::make_unique<CUfunc_st>());
      state->functions.back()->name = name;
      *function = state->functions.back().get();
      return 0;
    });
  };
  t.function_attribute = [](int* value, int attribute, CuFunction function) {
    return call("cuFuncGetAttribute", Needs::context, [&] {
      const FakeKernel& kernel = active->kernels.at(function->name);
      *value = attribute == cu::kFunctionMaxThreads    ? std::min(1024, 65536 / kernel.registers)
               : attribute == cu::kFunctionRegisters   ? kernel.registers
               : attribute == cu::kFunctionSharedBytes ? kernel.static_shared
                                                       : 0;
      return 0;
    });
  };
  t.function_set_attribute = [](CuFunction function, int attribute, int value) {
    return call("cuFuncSetAttribute", Needs::context, [&] {
      function->max_dynamic = value;
      return attribute == cu::kFunctionMaxDynamicShared ? 0 : cu::kInvalidValue;
    });
  };
  t.function_parameter = [](CuFunction function, std::size_t index, std::size_t* offset,
                            std::size_t* bytes) {
    const auto& sizes = active->kernels.at(function->name).parameter_bytes;
    if (index >= sizes.size()) return cu::kInvalidValue;
    *offset = 8 * index;
    *bytes = sizes[index];
    return cu::kSuccess;
  };
  t.function_load = [](CuFunction) { return 0; };
  t.active_blocks = [](int* blocks, CuFunction, int threads, std::size_t) {
    *blocks = 2048 / threads;
    return 0;
  };
  t.potential_block = [](int* grid, int* threads, CuFunction, std::size_t (*)(int), std::size_t,
                         int) {
    *grid = 264;
    *threads = 1024;
    return 0;
  };
}

void fill_streams(CudaDriver& t) {
  t.stream_create = [](CuStream* stream, unsigned) {
    return call("cuStreamCreate", Needs::context, [&] {
      state->streams.push_back(std::make_unique<CUstream_st>());
      *stream = state->streams.back().get();
      return 0;
    });
  };
  t.stream_destroy = [](CuStream stream) {
    return call("cuStreamDestroy", Needs::context, [&] {
      stream->destroyed = true;
      return 0;
    });
  };
  t.stream_query = [](CuStream stream) {
    return call("cuStreamQuery", Needs::context,
                [&] { return stream_of(stream).work.empty() ? 0 : cu::kNotReady; });
  };
  t.stream_synchronize = [](CuStream) {
    return call("cuStreamSynchronize", Needs::context, [&] {
      run_all(true);
      return current->sticky;
    });
  };
  t.stream_wait_event = [](CuStream stream, CuEvent event, unsigned) {
    return call("cuStreamWaitEvent", Needs::context, [&] {
      return enqueue(stream, [event, at = event->recorded] { return event->passed >= at; });
    });
  };
  t.stream_is_capturing = [](CuStream, int* status) {
    *status = 0;
    return 0;
  };
  t.event_create = [](CuEvent* event, unsigned) {
    return call("cuEventCreate", Needs::context, [&] {
      state->events.push_back(std::make_unique<CUevent_st>());
      *event = state->events.back().get();
      return 0;
    });
  };
  t.event_destroy = [](CuEvent) {
    return call("cuEventDestroy", Needs::context, [] { return 0; });
  };
  t.event_record = [](CuEvent event, CuStream stream) {
    return call("cuEventRecord", Needs::context, [&] {
      return enqueue_always(stream, [event, at = ++event->recorded] {
        event->passed = std::max(event->passed, at);
        event->when = std::chrono::steady_clock::now();
      });
    });
  };
  t.event_query = [](CuEvent event) {
    return call("cuEventQuery", Needs::context,
                [&] { return event->done() ? current->sticky : cu::kNotReady; });
  };
  t.event_synchronize = [](CuEvent) {
    return call("cuEventSynchronize", Needs::context, [&] {
      run_all(true);
      return current->sticky;
    });
  };
  t.event_elapsed = [](float* milliseconds, CuEvent start, CuEvent end) {
    return call("cuEventElapsedTime", Needs::context, [&] {
      if (!start->done() || !end->done()) return cu::kNotReady;
      *milliseconds = std::chrono::duration<float, std::milli>(end->when - start->when).count();
      return 0;
    });
  };
  t.launch_kernel = [](CuFunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                       unsigned by, unsigned bz, unsigned shared, CuStream stream,
                       void** parameters, void**) {
    return call("cuLaunchKernel", Needs::context, [&] {
      return launch(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters);
    });
  };
}

}  // namespace

FakeDriver::FakeDriver() : state_(std::make_unique<State>()) {
  assert(active == nullptr);
  active = this;
  state = state_.get();
  current = nullptr;
  kernels["vyre_timer"] = {.parameter_bytes = {8}, .run = timer};
  fill_devices(table);
  fill_contexts(table);
  fill_memory(table);
  fill_copies(table);
  fill_code(table);
  fill_streams(table);
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

void FakeDriver::hold(bool held) {
  const std::scoped_lock lock(state_->mutex);
  state_->held = held;
  run_all();
}

unsigned FakeDriver::live_allocations() const {
  return static_cast<unsigned>(state_->allocations.size());
}
unsigned FakeDriver::live_modules() const { return state_->live_modules; }
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
