// NVIDIA GPUs through their driver alone. libcuda.so.1 is loaded at run time; without it, or
// without a device, every function here fails with Code::unavailable and says why.
//
// A device makes its own context, or is a guest in the application's. A guest restores the current
// context of the caller's threads, waits only for its own work and for earlier work of the lent
// stream, and frees only what it allocated.
//
// A kernel that crashes loses the whole context: from then on every call of that device fails and
// names the kernel. Opening the device again gives a new context, unless the driver keeps the crash
// for the rest of the process; then the error says so.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "vyre/base/error.h"
#include "vyre/device/device.h"

struct CUctx_st;
struct CUstream_st;

namespace vyre {

struct CudaCore;

struct CudaOptions {
  // The application's CUcontext, in which the device is a guest. It must outlive the device and
  // everything made from it. Null: the device makes a context.
  CUctx_st* context = nullptr;
  // With a context: the CUstream that all queues of the device submit to (nullptr: the default
  // stream). It must outlive these queues. Absent: each queue makes a stream.
  std::optional<CUstream_st*> stream{};
  // A thread that had no context keeps the device's context after a call, which makes the next call
  // cheaper. Set it to false if the same thread also uses CUDA's runtime library.
  bool leave_current = true;
  // The folder that keeps the cubin of a small timer kernel; absent: the cubin is not kept.
  std::optional<std::filesystem::path> code_folder{};
};

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(std::shared_ptr<CudaCore> core);
  ~CudaDevice() override;

  std::string_view name() const override;
  const Limits& limits() const override;
  Result<Profile> profile() override;
  Target target() const override;
  LaunchCosts launch_costs() const override;
  Result<void> prepare_deadlines() override;
  bool lost() const override;
  Result<MemoryInfo> memory_info() override;
  Result<DeviceMemory> allocate(std::uint64_t bytes) override;
  Result<DeviceMemory> allocate_beside(std::uint64_t bytes) override;
  Result<DeviceCode> finish(DeviceCode code) override;
  Result<std::shared_ptr<const LoadedCode>> load(DeviceCode code) override;
  Result<Occupancy> occupancy(const LoadedCode& code, Extent workgroup) override;
  Result<std::shared_ptr<Queue>> make_queue() override;
  Result<std::shared_ptr<Queue>> make_side_queue() override;

  // Returns memory that no buffer uses to the driver. Call it only while nothing runs, because the
  // driver waits for running work.
  Result<void> trim();

 private:
  std::shared_ptr<CudaCore> core_;
};

// The number of devices that CUDA_VISIBLE_DEVICES leaves visible, at least 1.
Result<unsigned> cuda_device_count();

// The ordinal counts from 0. If the options have a context, its device is opened and the ordinal is
// ignored.
Result<std::shared_ptr<CudaDevice>> open_cuda(unsigned ordinal, const CudaOptions& options = {});

}  // namespace vyre
