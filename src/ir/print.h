// Programs as text.
#pragma once

#include <string>

#include "vyre/ir/program.h"

namespace vyre {

// Stable text of a program, for people and golden tests.
std::string print(const Program& program);

}  // namespace vyre
