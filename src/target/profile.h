// The properties of a device beyond its limits, on which estimates are based.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace vyre {

// 0 means unknown.
struct Profile {
  std::string device_name{};          // from the device
  std::string driver{};               // version of the driver, or of the kernel for a CPU
  std::uint32_t multiprocessors = 0;  // cores, for a CPU
  std::uint32_t max_threads_per_multiprocessor = 0;
  std::uint32_t max_blocks_per_multiprocessor = 0;
  std::uint32_t registers_per_multiprocessor = 0;  // of 32 bits
  std::uint32_t warp_size = 0;  // lanes that run in step; the widest vector of f32 for a CPU
  std::uint64_t shared_bytes_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_block = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t memory_bytes_per_second = 0;
  std::uint64_t last_level_cache_bytes = 0;
  std::uint32_t clock_khz = 0;

  auto operator<=>(const Profile&) const = default;
};

// The known properties in one line, such as
// "NVIDIA H200 (driver 580.65): 132 multiprocessors, 2048 threads each, ..."
std::string to_string(const Profile& profile);

}  // namespace vyre
