// The facts of a kernel of our IR, for planning.
#pragma once

#include "vyre/ir/kernel.h"
#include "vyre/plan/program_facts.h"

namespace vyre {

ProgramFacts facts_of(const Kernel& kernel);

}  // namespace vyre
