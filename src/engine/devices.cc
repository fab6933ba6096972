#include "vyre/engine/devices.h"

#include <fmt/format.h>

#include <charconv>

#include "vyre/base/paths.h"
#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/null/null_device.h"

namespace vyre {
namespace {

constexpr std::string_view kCuda = "cuda";

Result<std::shared_ptr<Device>> open_gpu(unsigned ordinal) {
  CudaOptions options;
  // Never in the current folder: code that others left there is not to be run.
  if (const auto cache = cache_folder(); cache.is_absolute()) options.code_folder = cache / "code";
  VYRE_TRY(auto device, open_cuda(ordinal, options));
  return device;
}

// "cuda", "cuda:0", "cuda:1", ...
std::optional<unsigned> ordinal_in(std::string_view name) {
  if (name == kCuda) return 0;
  if (!name.starts_with("cuda:")) return std::nullopt;
  const std::string_view digits = name.substr(kCuda.size() + 1);
  unsigned ordinal = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), ordinal);
  if (error != std::errc() || end != digits.end()) return std::nullopt;
  return ordinal;
}

}  // namespace

std::vector<DeviceStatus> list_devices() {
  std::vector<DeviceStatus> out;
  if (const auto count = cuda_device_count()) {
    for (unsigned i = 0; i < *count; ++i) out.push_back({fmt::format("cuda:{}", i), {}});
  } else {
    out.push_back({std::string(kCuda), describe(count.error())});
  }
  out.push_back({.name = "cpu", .missing = {}});
  return out;
}

Result<std::shared_ptr<Device>> open_device(std::string_view name, const CpuOptions& cpu) {
  if (name == "cpu") return CpuDevice::make(cpu);
  if (name == "null") return NullDevice::make();
  if (name == "auto") {
    if (cuda_device_count()) return open_gpu(0);
    return CpuDevice::make(cpu);
  }
  if (const auto ordinal = ordinal_in(name)) return open_gpu(*ordinal);
  return fail(Code::unavailable, fmt::format("there is no device '{}'", name),
              "`vyre devices` lists those there are");
}

}  // namespace vyre
