// Which globals the entry of a program reaches.
#pragma once

#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

// By position in Program::globals.
std::vector<bool> globals_used(const Program& program);

}  // namespace vyre
