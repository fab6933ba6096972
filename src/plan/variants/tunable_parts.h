// What a search may change in the launches of a kernel.
#pragma once

#include <string>
#include <vector>

#include "vyre/ir/kernel.h"
#include "vyre/target/limits.h"
#include "vyre/target/target.h"

namespace vyre {

// The parts of a variant in which the candidates for large launches differ on a device of this
// kind: of "workgroup", "items per lane", "layout", "gang" and "groups per task". Empty: the
// declared variant is the only candidate, or cannot run.
std::vector<std::string> tunable_parts(const Kernel& kernel, TargetKind kind, const Limits& limits);

}  // namespace vyre
