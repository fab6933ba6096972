// How much more memory this process may take before one of its limits refuses it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace vyre {

struct MemoryHeadroom {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  std::string limit;  // the name of the limit that leaves the least; empty where there is none
};

// Of RLIMIT_AS, RLIMIT_DATA, and the memory.max of the process's control groups (version 2), where
// pages of files count as free because the kernel gives them up first.
MemoryHeadroom memory_headroom();

}  // namespace vyre
