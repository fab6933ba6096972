#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "vyre/base/memory/memory_headroom.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cuda/driver_internal.h"

namespace vyre {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";
// A driver maps more memory than this. If a library cannot be loaded while less is left, the reason
// is a lack of memory.
constexpr std::uint64_t kLeastForDriver = std::uint64_t{256} << 20;
// If less than this is left, the loader may not even have been able to read the list of its
// folders.
constexpr std::uint64_t kLeastForSearch = std::uint64_t{16} << 20;

std::string version_text(const CudaDriver& driver) {
  int version = 0;
  if (driver.driver_version(&version) != cu::kSuccess) return "of unknown version";
  return fmt::format("for CUDA {}.{}", version / 1000, version % 1000 / 10);
}

Result<CudaDriver> load_and_initialize() {
  VYRE_TRY(CudaDriver driver, load_cuda_driver(kLibrary));
  VYRE_CHECK(initialize_driver(driver));
  return driver;
}

std::unexpected<Error> no_device(const CudaDriver& driver) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) {
    return fail(Code::unavailable,
                fmt::format("the CUDA driver ({}) finds no device", version_text(driver)));
  }
  return fail(Code::unavailable,
              fmt::format("the CUDA driver ({}) shows no device: CUDA_VISIBLE_DEVICES is '{}'",
                          version_text(driver), visible),
              "unset it, or name a device that is there");
}

// dlopen has no error codes, and the texts for a lack of memory depend on where it ran out. Some
// say nothing about memory ("failed to map segment from shared object"), and one is that of a
// missing library: the loader ignores its cache where it cannot map it. So the memory that is left
// decides.
std::unexpected<Error> cannot_load(const char* library) try {
  const char* why = dlerror();
  const std::string text = why == nullptr ? library : why;
  const bool is_missing = text.contains("No such file");
  if (memory_headroom().bytes < (is_missing ? kLeastForSearch : kLeastForDriver)) {
    return fail(Code::out_of_memory, fmt::format("no memory to load the CUDA driver: {}", text));
  }
  return fail(Code::unavailable, fmt::format("no CUDA driver: {}", text));
} catch (const std::bad_alloc&) {
  return fail(Code::out_of_memory, "no memory");  // a text that needs no memory of its own
}

template <class... Parameters>
void disable(CuResult (*&function)(Parameters...)) {
  if (function == nullptr) return;
  function = [](Parameters...) -> CuResult { return cu::kNotInitialized; };
}

}  // namespace

Error forked_error() {
  return {Code::unavailable,
          "CUDA was opened before this process was forked, and works in its parent alone",
          "open devices in the process that uses them"};
}

Result<CudaDriver> load_cuda_driver(const char* library) {
  // Never closed, because the driver keeps threads and exit handlers.
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return cannot_load(library);
  }
  CudaDriver driver;
  const char* missing = nullptr;
#define VYRE_CUDA_FIND(member, symbol, parameters) \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(handle, symbol));
#define VYRE_CUDA_NEED(member, symbol, parameters) \
  VYRE_CUDA_FIND(member, symbol, parameters)       \
  if (driver.member == nullptr && missing == nullptr) missing = symbol;
  VYRE_CUDA_FUNCTIONS(VYRE_CUDA_NEED)
  VYRE_CUDA_NEWER_FUNCTIONS(VYRE_CUDA_FIND)
#undef VYRE_CUDA_NEED
#undef VYRE_CUDA_FIND
  if (missing != nullptr) {
    return fail(Code::unavailable, fmt::format("the CUDA driver {} has no {}", library, missing),
                "use a driver for CUDA 11.2 or newer");
  }
  return driver;
}

Result<void> initialize_driver(const CudaDriver& driver) {
  const CuResult result = driver.init(0);
  if (result == cu::kSuccess) return {};
  if (result == cu::kNoDevice) return no_device(driver);
  return fail(code_where_unavailable(result),
              fmt::format("the CUDA driver does not start: {}", result_text(driver, result)));
}

Result<unsigned> device_count(const CudaDriver& driver) {
  int count = 0;
  const CuResult result = driver.device_count(&count);
  if (result != cu::kSuccess && result != cu::kNoDevice) {
    return fail(
        code_where_unavailable(result),
        fmt::format("the CUDA driver does not tell its devices: {}", result_text(driver, result)));
  }
  if (count <= 0) return no_device(driver);
  return static_cast<unsigned>(count);
}

void disable_after_fork(CudaDriver& driver) {
  driver.forked = true;
#define VYRE_CUDA_DISABLE(member, symbol, parameters) disable(driver.member);
  VYRE_CUDA_FUNCTIONS(VYRE_CUDA_DISABLE)
  VYRE_CUDA_NEWER_FUNCTIONS(VYRE_CUDA_DISABLE)
#undef VYRE_CUDA_DISABLE
}

Result<const CudaDriver*> cuda_driver() {
  // The result is kept, unless it is a lack of memory: there may be enough memory the next time.
  static std::optional<Result<CudaDriver>> loaded;
  static std::atomic<bool> is_loading = false;
  static ForkSafeMutex mutex{HeldFor::work};
  static const ForkWatch watch({.in_child = [] {
    if (is_loading) {
      // Another thread of the parent was inside the driver or the loader, and may have left them,
      // and `loaded`, in any state.
      make_anew(loaded);
      loaded = std::unexpected(forked_error());
    }
    if (loaded && *loaded) disable_after_fork(**loaded);
  }});
  const std::scoped_lock lock(mutex);
  if (!loaded || (!*loaded && loaded->error().code == Code::out_of_memory)) {
    struct Loading {
      Loading() { is_loading = true; }
      ~Loading() { is_loading = false; }
    } const loading;
    loaded = load_and_initialize();
  }
  const Result<CudaDriver>& driver = *loaded;
  if (!driver) return std::unexpected(driver.error());
  if (driver->forked) return std::unexpected(forked_error());
  return &*driver;
}

std::string result_text(const CudaDriver& driver, CuResult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.error_name(result, &name) != cu::kSuccess || name == nullptr) {
    return fmt::format("CUDA error {}", result);
  }
  if (driver.error_text(result, &text) != cu::kSuccess || text == nullptr) return name;
  return fmt::format("{} ({})", name, text);
}

bool loses_context(CuResult result) {
  switch (result) {
    case cu::kDeinitialized:
    case cu::kInvalidContext:
    case cu::kEccUncorrectable:
    case cu::kNvlinkUncorrectable:
    case cu::kContained:
    case cu::kIllegalAddress:
    case cu::kLaunchTimeout:
    case cu::kContextIsDestroyed:
    case cu::kAssert:
    case cu::kTensorMemoryLeak:
    case cu::kUnknown: return true;
    // Stack, instruction, alignment, address space, program counter, and other failures of a
    // kernel.
    default: return result >= cu::kHardwareStackError && result <= cu::kLaunchFailed;
  }
}

Code code_where_unavailable(CuResult result) {
  return result == cu::kOutOfMemory ? Code::out_of_memory : Code::unavailable;
}

Code code_of(CuResult result) {
  switch (result) {
    case cu::kOutOfMemory: return Code::out_of_memory;
    case cu::kTooLargeTogether:
    case cu::kLaunchOutOfResources: return Code::limit;
    case cu::kInvalidValue:
    case cu::kInvalidDevice:
    case cu::kInvalidImage:
    case cu::kNoBinaryForGpu:
    case cu::kInvalidPtx:
    case cu::kInvalidSource:
    case cu::kNotFound: return Code::invalid_input;
    case cu::kNotInitialized:
    case cu::kStubLibrary:
    case cu::kNoDevice:
    case cu::kJitCompilerNotFound:
    case cu::kUnsupportedPtxVersion:
    case cu::kJitDisabled: return Code::unavailable;
    default: return Code::device;
  }
}

}  // namespace vyre
