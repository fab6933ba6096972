// WGSL's requirements on some arguments of an operation that hold for all other arguments: clamp's
// low bound is not above its high bound, an integer is not divided by zero. Constant evaluation,
// override evaluation and the front end all use this table.
#pragma once

#include <span>

#include "vyre/ir/program.h"

namespace vyre {

// The fault that the known arguments alone cause. An argument that is known only at run time has
// its type and no scalars.
Fault argument_fault(MathFn fn, const TypeTable& types, std::span<const Operand> arguments);
// The same for the right operand of a binary operation.
Fault right_side_fault(BinaryOp op, const TypeTable& types, Operand right);
// A known lane, distance or mask of a subgroup operation is below this number.
std::uint32_t lane_limit(SubgroupOp op);

}  // namespace vyre
