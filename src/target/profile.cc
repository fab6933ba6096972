#include "vyre/target/profile.h"

#include <fmt/format.h>

namespace vyre {

std::string to_string(const Profile& profile) {
  std::string text = profile.device_name.empty() ? "unnamed device" : profile.device_name;
  if (!profile.driver.empty()) text += fmt::format(" (driver {})", profile.driver);
  const char* separator = ": ";
  const auto add = [&](std::uint64_t value, fmt::string_view format) {
    if (value == 0) return;
    text += separator;
    text += fmt::vformat(format, fmt::make_format_args(value));
    separator = ", ";
  };
  add(profile.multiprocessors, "{} multiprocessors");
  add(profile.max_threads_per_multiprocessor, "{} threads each");
  add(profile.max_blocks_per_multiprocessor, "{} blocks each");
  add(profile.registers_per_multiprocessor, "{} registers each");
  add(profile.shared_bytes_per_multiprocessor, "{} shared bytes each");
  add(profile.shared_bytes_per_block, "{} shared bytes per block");
  add(profile.warp_size, "{} lanes in step");
  add(profile.memory_bytes, "{} bytes of memory");
  add(profile.memory_bytes_per_second, "{} bytes/s");
  add(profile.last_level_cache_bytes, "{} bytes of last-level cache");
  add(profile.clock_khz, "{} kHz");
  return text;
}

}  // namespace vyre
