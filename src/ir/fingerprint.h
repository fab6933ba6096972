// A hash that identifies what a program computes.
#pragma once

#include "vyre/base/digest.h"
#include "vyre/ir/program.h"

namespace vyre {

// The BLAKE3 of a canonical encoding. Names, positions, unused declarations and declaration order
// do not count; everything that changes the computation does.
Digest fingerprint(const Program& program);

}  // namespace vyre
