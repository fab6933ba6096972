// What a launch costs the host, and what the second start of a program costs.
#pragma once

#include <filesystem>
#include <vector>

#include "vyre/engine/session.h"

namespace vyre::bench {

struct LaunchCost {
  double bare_ns = 0;  // cuLaunchKernel of an empty kernel
  double own_ns = 0;   // the same kernel as a prepared dispatch
  double wgsl_ns = 0;  // an empty WGSL kernel as a prepared dispatch
};

// By repeated submission, interleaved; medians. `cubin` has the kernel "empty".
Result<LaunchCost> measure_launch_cost(const Session& session, std::vector<std::byte> cubin);

struct SecondStart {
  double first_ms = 0;   // prepare and submit with nothing kept on disk
  double second_ms = 0;  // the same in a session that finds the code there
  bool from_disk = false;
};
Result<SecondStart> measure_second_start(std::string_view device, const std::string& wgsl,
                                         const std::filesystem::path& folder);

}  // namespace vyre::bench
