// Replaces views of buffers by accesses to arrays, for all that plans, fuses and runs programs.
#pragma once

#include "vyre/base/error.h"
#include "vyre/ir/program.h"

namespace vyre {

// Whether the program knows a buffer type, and may therefore have views.
bool has_buffers(const Program& program);

// The same program with a buffer as an array of u32, or of f16 where a view or a size needs steps
// of two bytes. A view becomes the number of its first array element; functions that take pointers
// to buffers and views are copied for each buffer that they are called with, and take numbers
// instead. An offset or size that is a constant and wrong is an error. The program is valid and has
// no overrides left.
Result<Program> expand_views(const Program& program);

}  // namespace vyre
