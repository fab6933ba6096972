// The identity of what a program does.
#pragma once

#include "vyre/base/digest.h"
#include "vyre/ir/program.h"

namespace vyre {

// BLAKE3 over a canonical encoding. Names, positions, unused declarations and declaration order do
// not count; everything that changes what runs does.
Digest fingerprint(const Program& program);

}  // namespace vyre
