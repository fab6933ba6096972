// What is wrong with a Program.
#pragma once

#include <string>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

struct ProgramIssue {
  std::string what;
  SourcePos pos;
};
// Every error of the program, in source order: type errors, writes to read-only memory, barriers in
// non-uniform control flow, unknown ids, zero workgroup axes, recursion, misplaced break/continue.
// Takes programs with or without overrides.
std::vector<ProgramIssue> validate(const Program& program);

}  // namespace vyre
