// How much more memory this process may take before one of its limits refuses it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

namespace vyre {

struct MemoryHeadroom {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  std::string limit;  // the name of the limit that leaves the least; empty where there is none
};

// The least that RLIMIT_AS, RLIMIT_DATA, the limits of the process's control groups (version 1 and
// 2) and the machine's free memory leave. Below `system` lie the folders proc and sys. Throws
// std::bad_alloc where there is no memory to find out.
MemoryHeadroom memory_headroom(const std::filesystem::path& system = "/");

}  // namespace vyre
