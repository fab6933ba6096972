// The facts that planning needs, from a kernel of the IR.
#pragma once

#include "vyre/ir/kernel.h"
#include "vyre/plan/program_facts.h"

namespace vyre {

ProgramFacts facts_of(const Kernel& kernel);

}  // namespace vyre
