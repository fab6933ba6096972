#include <fmt/format.h>

#include <array>
#include <cstring>
#include <string>

#include "vyre/base/files/files.h"
#include "vyre/device/cuda/core_internal.h"

namespace vyre {
namespace {

// "580.95.05" from the kernel module; else the CUDA version of the library.
std::string driver_text(const CudaDriver& driver) {
  if (const auto text = read_file_if_exists("/sys/module/nvidia/version", 256); text && *text) {
    std::string version = **text;
    version.erase(version.find_last_not_of(" \r\n\t") + 1);
    if (!version.empty()) return version;
  }
  int version = 0;
  if (driver.driver_version(&version) != cu::kSuccess) return {};
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

std::uint32_t device_attribute(const CudaDriver& driver, CuDevice device, int attribute) {
  int value = 0;
  if (driver.device_attribute(&value, attribute, device) != cu::kSuccess || value < 0) return 0;
  return static_cast<std::uint32_t>(value);
}

Limits read_limits(const CudaDriver& driver, CuDevice device) {
  const auto get = [&](int attribute) { return device_attribute(driver, device, attribute); };
  return {.backend = "cuda",
          .max_threads_per_block = get(cu::kMaxThreadsPerBlock),
          .max_block_dim = {get(cu::kMaxBlockX), get(cu::kMaxBlockY), get(cu::kMaxBlockZ)},
          .max_grid_dim = {get(cu::kMaxGridX), get(cu::kMaxGridY), get(cu::kMaxGridZ)},
          .binding_alignment = 16};
}

Target read_target(const CudaDriver& driver, CuDevice device) {
  return {
      .kind = TargetKind::nvptx,
      .processor = fmt::format("sm_{}{}", device_attribute(driver, device, cu::kCapabilityMajor),
                               device_attribute(driver, device, cu::kCapabilityMinor))};
}

Result<Profile> read_profile(const CudaDriver& driver, CuDevice device) {
  const auto get = [&](int attribute) { return device_attribute(driver, device, attribute); };
  std::array<char, 256> name{};
  if (const CuResult result = driver.device_name(name.data(), name.size() - 1, device);
      result != cu::kSuccess) {
    return fail(code_of(result), fmt::format("cuDeviceGetName: {}", result_text(driver, result)));
  }
  std::size_t memory = 0;
  if (const CuResult result = driver.device_total_memory(&memory, device); result != cu::kSuccess) {
    return fail(code_of(result), fmt::format("cuDeviceTotalMem: {}", result_text(driver, result)));
  }
  const std::uint32_t opt_in = get(cu::kSharedPerBlockOptIn);
  return Profile{.device_name = name.data(),
                 .driver = driver_text(driver),
                 .multiprocessors = get(cu::kMultiprocessors),
                 .max_threads_per_multiprocessor = get(cu::kThreadsPerMultiprocessor),
                 .max_blocks_per_multiprocessor = get(cu::kBlocksPerMultiprocessor),
                 .registers_per_multiprocessor = get(cu::kRegistersPerMultiprocessor),
                 .warp_size = get(cu::kWarpSize),
                 .shared_bytes_per_multiprocessor = get(cu::kSharedPerMultiprocessor),
                 .shared_bytes_per_block = opt_in != 0 ? opt_in : get(cu::kSharedPerBlock),
                 .memory_bytes = memory,
                 // Two transfers per clock.
                 .memory_bytes_per_second = std::uint64_t{get(cu::kMemoryClockKhz)} * 1000 * 2 *
                                            get(cu::kMemoryBusBits) / 8,
                 .last_level_cache_bytes = get(cu::kL2Bytes),
                 .clock_khz = get(cu::kClockKhz)};
}

}  // namespace vyre
