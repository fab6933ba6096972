// What is wrong with a Program.
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
  std::vector<ProgramNote> notes = {};  // what led to it
  bool warning = false;                 // validate gives errors only
};
// Every error of the program, in source order: type errors, writes to read-only memory, barriers in
// non-uniform control flow, unknown ids, zero workgroup axes, recursion, misplaced break/continue.
// Takes programs with or without overrides, and any content at all: ids and ranges that lead
// nowhere, cycles and endless nesting are reported like the rest. When the structure itself is
// broken, types are not looked at; when types are wrong, uniformity is not.
std::vector<ProgramIssue> validate(const Program& program);

}  // namespace vyre
