// How far apart in memory neighbouring invocations touch a buffer.
#pragma once

#include "vyre/ir/program.h"

namespace vyre {

// Bytes that one invocation loads from and stores to storage memory where neighbours along y lie
// side by side and neighbours along x do not: columns, as a transposition reads or writes them.
// Loops are counted once; what depends on loaded values or on variables is not counted.
double column_bytes_of(const Program& program);

}  // namespace vyre
