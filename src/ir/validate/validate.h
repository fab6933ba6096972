// Finds the errors of a Program.
#pragma once

#include <string>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

struct ProgramNote {
  std::string what;
  SourcePos pos;
};
struct ProgramIssue {
  std::string what;
  SourcePos pos;
  std::vector<ProgramNote> notes = {};  // how it came about
  bool warning = false;                 // of check_uniformity; validate returns only errors
};
// Every error of the program, in source order: type errors, writes to read-only memory, barriers in
// non-uniform control flow, unknown ids, zero workgroup axes, recursion, misplaced break/continue.
// Accepts programs with or without overrides and with any content: invalid ids and ranges, cycles
// and endless nesting are reported as errors. Types are checked only if the structure is valid, and
// uniformity only if the types are right.
std::vector<ProgramIssue> validate(const Program& program);

}  // namespace vyre
