// Fuses multiply-adds.
#pragma once

#include "vyre/ir/program.h"

namespace vyre {

// Replaces a*b + c, a*b - c and c - a*b within one expression by fma(a, b, c) (for f32, f16 and
// vectors of them). If both operands are products, the left one is fused. Nothing else fuses
// multiply-adds, so that every variant and device computes the same bits.
void contract_multiply_add(Program& program);

}  // namespace vyre
