#include "vyre/engine/devices.h"

#include <fmt/format.h>

#include <charconv>

#include "vyre/device/cuda/cuda_device.h"
#include "vyre/device/null/null_device.h"

namespace vyre {
namespace {

constexpr std::string_view kCuda = "cuda";

using CodeFolder = std::optional<std::filesystem::path>;

Result<std::shared_ptr<Device>> open_gpu(unsigned ordinal, const CodeFolder& code_folder) {
  CudaOptions options;
  options.code_folder = code_folder;
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

Result<std::shared_ptr<Device>> open_device(std::string_view name, const CpuOptions& cpu,
                                            const CodeFolder& code_folder) {
  if (name == "cpu") return CpuDevice::make(cpu);
  if (name == "null") return NullDevice::make();
  if (name == "auto") {
    if (cuda_device_count()) return open_gpu(0, code_folder);
    return CpuDevice::make(cpu);
  }
  if (const auto ordinal = ordinal_in(name)) return open_gpu(*ordinal, code_folder);
  return fail(Code::unavailable, fmt::format("there is no device '{}'", name),
              "`vyre devices` lists those there are");
}

}  // namespace vyre
