// Overrides become values.
#pragma once

#include <span>
#include <string>

#include "vyre/base/error.h"
#include "vyre/ir/program.h"

namespace vyre {

struct OverrideValue {
  std::string name;  // an override's name, or its @id in decimal
  double value;      // as WebGPU: converted to the override's type; must be representable
};
// The program without overrides: every override replaced by its value (given, else its
// initialiser), override expressions folded, arrays and workgroup sized, initial values of private
// memory constant. Unknown names, missing values (of overrides that something needs), values that
// do not fit and constant errors are reported. The program given is valid.
Result<Program> specialise(Program program, std::span<const OverrideValue> values);

}  // namespace vyre
