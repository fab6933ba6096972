// Write kernels in C++: ProgramBuilder, and WGSL's builtin functions by their names.
#pragma once

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/builder/builder_math.h"
