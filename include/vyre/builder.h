// Write kernels in C++: ProgramBuilder, and the builtins under their own names.
#pragma once

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/builder/builder_math.h"
