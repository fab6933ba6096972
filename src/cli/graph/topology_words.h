// The names of topologies on the command line.
#pragma once

#include <string>

#include "vyre/base/error.h"
#include "vyre/resident/recommend.h"

namespace vyre {

// "sparse", "hybrid", "dense", "fused", "memory"; or the whole name: "sparse_frontier".
Result<Topology> parse_round_topology(const std::string& text);

}  // namespace vyre
