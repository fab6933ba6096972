// What WGSL asks of some arguments of an operation whatever its other arguments are: clamp's low
// bound is not above its high one, an integer is not divided by zero. Constant evaluation, override
// evaluation and the front end all ask this one table.
#pragma once

#include <span>

#include "vyre/ir/program.h"

namespace vyre {

// The fault that the known arguments decide alone. An argument that is only known at run time has
// its type and no scalars.
Fault argument_fault(MathFn fn, const TypeTable& types, std::span<const Operand> arguments);
// The same for a binary operation by its right side.
Fault right_side_fault(BinaryOp op, const TypeTable& types, Operand right);
// A known lane, distance or mask of a subgroup operation is below this number.
std::uint32_t lane_limit(SubgroupOp op);

}  // namespace vyre
