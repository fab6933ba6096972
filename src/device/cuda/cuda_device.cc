#include "vyre/device/cuda/cuda_device.h"

#include <fmt/format.h>

#include <chrono>
#include <mutex>
#include <vector>

#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cuda/core_internal.h"
#include "vyre/device/cuda/driver_internal.h"
#include "vyre/device/cuda/recording_internal.h"

namespace vyre {
namespace {

// How long a guest waits for its last work before it leaves its allocations behind.
constexpr std::chrono::seconds kLastWork{10};

// The devices that made their context. The driver refuses new contexts while a lost one exists.
class OwnDevices {
 public:
  void add(const std::shared_ptr<CudaCore>& core) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(cores_, [](const auto& known) { return known.expired(); });
    cores_.push_back(core);
  }
  void let_go_of_lost() {
    const std::scoped_lock lock(mutex_);
    for (const auto& known : cores_) {
      if (const auto core = known.lock()) core->let_go_of_lost();
    }
  }

 private:
  ForkSafeMutex mutex_{HeldFor::work};
  std::vector<std::weak_ptr<CudaCore>> cores_;
};

OwnDevices& own_devices() {
  static OwnDevices devices;
  return devices;
}

Result<CuContext> make_context(const CudaDriver& driver, CuDevice device, const std::string& name) {
  CuContext context = nullptr;
  CuResult result = driver.context_create(&context, cu::kContextMapHost, device);
  if (loses_context(result)) {
    own_devices().let_go_of_lost();
    result = driver.context_create(&context, cu::kContextMapHost, device);
  }
  if (result == cu::kOutOfMemory) {
    return fail(Code::out_of_memory, fmt::format("{} has no memory left for a context", name),
                "end other programs that use it");
  }
  if (loses_context(result)) {
    return fail(
        Code::unavailable,
        fmt::format("{} cannot be opened again: a kernel crashed, and the driver keeps that "
                    "failure for the rest of the process: cuCtxCreate: {}",
                    name, result_text(driver, result)),
        "start the program again");
  }
  if (result != cu::kSuccess) {
    return fail(Code::unavailable, fmt::format("{} cannot be opened: cuCtxCreate: {}", name,
                                               result_text(driver, result)));
  }
  // Creating a context makes it current; this restores the previous one.
  CuContext popped = nullptr;
  driver.context_pop(&popped);
  return context;
}

// The device of an application's context.
Result<CuDevice> device_of(const CudaDriver& driver, CuContext context) {
  CuContext previous = nullptr;
  driver.context_get_current(&previous);
  CuDevice device = 0;
  CuResult result = driver.context_set_current(context);
  if (result == cu::kSuccess) {
    result = driver.context_device(&device);
    driver.context_set_current(previous);
  }
  if (result != cu::kSuccess) {
    return fail(Code::invalid_input,
                fmt::format("the context that was given is no CUDA context of this process: {}",
                            result_text(driver, result)));
  }
  return device;
}

Result<unsigned> ordinal_of(const CudaDriver& driver, CuDevice device) {
  VYRE_TRY(const unsigned count, device_count(driver));
  for (unsigned i = 0; i < count; ++i) {
    CuDevice found = 0;
    if (driver.device_get(&found, static_cast<int>(i)) == cu::kSuccess && found == device) return i;
  }
  return fail(Code::unavailable, "the driver does not list the context's device");
}

Result<CuDevice> device_at(const CudaDriver& driver, unsigned ordinal) {
  VYRE_TRY(const unsigned count, device_count(driver));
  if (ordinal >= count) {
    return fail(Code::unavailable, fmt::format("there is no cuda:{}: the driver shows {} device{}",
                                               ordinal, count, count == 1 ? "" : "s"));
  }
  CuDevice device = 0;
  if (const CuResult result = driver.device_get(&device, static_cast<int>(ordinal));
      result != cu::kSuccess) {
    return fail(code_where_unavailable(result),
                fmt::format("cuda:{}: cuDeviceGet: {}", ordinal, result_text(driver, result)));
  }
  return device;
}

Result<void> prepare(CudaCore& core, const CudaOptions& options) {
  const CudaDriver& driver = core.driver;
  core.limits = read_limits(driver, core.device);
  core.target = read_target(driver, core.device);
  core.guest_stream = options.stream;
  core.clock.set_code(core.target.processor, options.code_folder);
  CurrentContext current(core.context);
  if (!current) return current.error();
  std::size_t total = 0;
  VYRE_CHECK(
      core.context.check(driver.device_total_memory(&total, core.device), "cuDeviceTotalMem"));
  const bool pools = device_attribute(driver, core.device, cu::kMemoryPools) != 0;
  VYRE_CHECK(core.memory.open(
      {.pools = pools, .stream_ordered = core.context.guest() && pools, .total_bytes = total},
      core.untimed));
  // The core owns it, so it must not own the core.
  VYRE_TRY(core.ignored_status, core.memory.allocate(sizeof(std::uint32_t), nullptr));
  return {};
}

}  // namespace

CudaCore::~CudaCore() {
  ignored_status = {};
  if (!context.guest()) {
    if (destroyed.exchange(true)) return;
    if (memory.has_ordered() && !context.lost()) {
      CurrentContext current(context);
      (void)attempt_work([&] {
        if (current && reclaim.drain(kLastWork)) memory.trim();
      });
    }
    driver.context_destroy(context.handle());  // also frees everything in it
    return;
  }
  CurrentContext current(context);
  bool drained = false;
  (void)attempt_work([&] { drained = current && reclaim.drain(kLastWork); });
  if (!drained) {
    libraries.leave();
    return;
  }
  memory.close();
  clock.close();
  pinned.free_all();
  timed.destroy_all();
  untimed.destroy_all();
}

void CudaCore::let_go_of_lost() {
  if (context.guest() || !context.lost() || destroyed.exchange(true)) return;
  driver.context_destroy(context.handle());
}

CudaDevice::CudaDevice(std::shared_ptr<CudaCore> core) : core_(std::move(core)) {}
CudaDevice::~CudaDevice() = default;

std::string_view CudaDevice::name() const { return core_->context.name(); }
const Limits& CudaDevice::limits() const { return core_->limits; }
// Measured on busy queues of an H200. Consecutive launches overlap; two events around a launch
// prevent that.
LaunchCosts CudaDevice::launch_costs() const {
  return {.in_host_memory = false,
          .runs_beside_host = true,
          .plays_at_once = has_recordings(core_->driver),
          .clock_tick_ns = 500,
          .timing_ns = 12'000,
          .busy_timing_ns = 7000,
          .timing_bias_ns = 3500,
          .timing_doubt_ns = 1000,
          .load_ns = 150'000,
          .compare_ns = 60'000,
          .sample_ns = 1'000'000,
          .most_compilers = 8,
          .compiler_niceness = 10};
}

Target CudaDevice::target() const { return core_->target; }
bool CudaDevice::lost() const { return core_->context.lost(); }

Result<void> CudaDevice::prepare_deadlines() {
  CurrentContext current(core_->context);
  if (!current) return current.error();
  const auto now = core_->clock.in({});
  if (!now) return std::unexpected(now.error());
  return {};
}

Result<Profile> CudaDevice::profile() {
  const std::scoped_lock lock(core_->profile_mutex);
  if (!core_->profile) {
    VYRE_TRY(core_->profile, read_profile(core_->driver, core_->device));
  }
  return *core_->profile;
}

Result<MemoryInfo> CudaDevice::memory_info() {
  CurrentContext current(core_->context);
  if (!current) return current.error();
  std::size_t free = 0, total = 0;
  VYRE_CHECK(core_->context.check(core_->driver.memory_info(&free, &total), "cuMemGetInfo"));
  core_->reclaim.sweep();
  return MemoryInfo{.total = total, .free = free + core_->memory.cached_bytes()};
}

Result<DeviceMemory> CudaDevice::allocate(std::uint64_t bytes) {
  CurrentContext current(core_->context);
  if (!current) return current.error();
  return core_->memory.allocate(bytes, core_);
}

Result<DeviceMemory> CudaDevice::allocate_beside(std::uint64_t bytes) {
  CurrentContext current(core_->context);
  if (!current) return current.error();
  return core_->memory.allocate(bytes, core_, true);
}

Result<DeviceCode> CudaDevice::finish(DeviceCode code) {
  return finish_code(core_, std::move(code));
}

Result<std::shared_ptr<const LoadedCode>> CudaDevice::load(DeviceCode code) {
  return load_code(core_, std::move(code));
}

Result<Occupancy> CudaDevice::occupancy(const LoadedCode& code, Extent workgroup) {
  return code_occupancy(*core_, code, workgroup);
}

Result<std::shared_ptr<Queue>> CudaDevice::make_queue() {
  return make_cuda_queue(core_, core_->guest_stream);
}
Result<std::shared_ptr<Queue>> CudaDevice::make_side_queue() { return make_cuda_queue(core_, {}); }

Result<void> CudaDevice::trim() {
  CurrentContext current(core_->context);
  if (!current) return current.error();
  core_->memory.trim();
  return {};
}

Result<std::shared_ptr<CudaDevice>> open_cuda(const CudaDriver& driver, unsigned ordinal,
                                              const CudaOptions& options) {
  const bool guest = options.context != nullptr;
  if (options.stream && !guest) {
    return fail(Code::invalid_input, "a stream was given without its context",
                "give the CUcontext, too");
  }
  CuDevice device = 0;
  if (guest) {
    VYRE_TRY(device, device_of(driver, options.context));
    VYRE_TRY(ordinal, ordinal_of(driver, device));
  } else {
    VYRE_TRY(device, device_at(driver, ordinal));
  }
  const std::string name = fmt::format("cuda:{}", ordinal);
  CuContext context = options.context;
  if (!guest) {
    VYRE_TRY(context, make_context(driver, device, name));
  }
  auto core = std::make_shared<CudaCore>(
      driver, device,
      CudaContext::Options{
          .handle = context, .guest = guest, .leave_current = options.leave_current, .name = name});
  VYRE_CHECK(prepare(*core, options));
  if (!guest) own_devices().add(core);
  return std::make_shared<CudaDevice>(std::move(core));
}

Result<unsigned> cuda_device_count() {
  VYRE_TRY(const CudaDriver* driver, cuda_driver());
  return device_count(*driver);
}

Result<std::shared_ptr<CudaDevice>> open_cuda(unsigned ordinal, const CudaOptions& options) {
  VYRE_TRY(const CudaDriver* driver, cuda_driver());
  return open_cuda(*driver, ordinal, options);
}

}  // namespace vyre
