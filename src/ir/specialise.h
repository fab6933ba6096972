// Replaces overrides by their values.
#pragma once

#include <span>
#include <string>

#include "vyre/base/error.h"
#include "vyre/ir/program.h"

namespace vyre {

struct OverrideValue {
  std::string name;  // an override's name, or its @id in decimal
  double value;      // converted to the override's type, in which it must be representable
};
// The program without overrides: every override is replaced by the given value or its initialiser,
// override expressions are folded, arrays and the workgroup have sizes, initial values of private
// memory are constant, and views of buffers have become accesses to arrays. Errors: unknown names,
// missing values of overrides that are needed, values that do not fit, and constant errors. The
// program must be valid.
Result<Program> specialise(Program program, std::span<const OverrideValue> values);

}  // namespace vyre
