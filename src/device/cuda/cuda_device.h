// NVIDIA GPUs through their driver alone: libcuda.so.1 is looked for when the program runs, and
// where it is not, or shows no device, every function here says `unavailable` and why.
//
// A device works in a context of its own, or as a guest in one that an application hands over. A
// guest leaves the caller's threads with the context they had, waits for nothing but its own work
// and what an adopted stream has before it, and frees nothing that it did not make.
//
// A kernel that crashes loses the whole context: from then on every call of that device fails and
// says since which kernel. Opening the device again gives a fresh context, where the driver allows
// one: some keep a crash for the rest of the process, and then the error says so.
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
  // The application's CUcontext, to work in as a guest. It must outlive the device and all that
  // came from it. Null: a context of our own.
  CUctx_st* context = nullptr;
  // With a context: the CUstream that all queues of the device submit to (null in it is the default
  // stream). It must outlive those queues. Absent: each queue has a stream of its own.
  std::optional<CUstream_st*> stream{};
  // A thread that had no context keeps ours after a call: the next call is cheaper. Programs that
  // use CUDA's runtime library beside us on the same thread set it to false.
  bool leave_current = true;
  // Where the cubin of our own small timer kernel is kept from run to run; absent: not kept.
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

  // Gives memory that no buffer uses back to the driver. Only while nothing runs: the driver would
  // wait for it.
  Result<void> trim();

 private:
  std::shared_ptr<CudaCore> core_;
};

// How many there are, as CUDA_VISIBLE_DEVICES lets the driver show them: at least 1.
Result<unsigned> cuda_device_count();

// The ordinal counts from 0. With a context in the options its device is used, whatever the
// ordinal.
Result<std::shared_ptr<CudaDevice>> open_cuda(unsigned ordinal, const CudaOptions& options = {});

}  // namespace vyre
