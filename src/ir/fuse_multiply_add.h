// The one rule for fused multiply-add.
#pragma once

#include "vyre/ir/program.h"

namespace vyre {

// Makes fma(a, b, c) of a*b + c, a*b - c and c - a*b within one expression (f32, f16, and vectors
// of them): the left product first when both sides are products. The only place where multiply-adds
// are fused, so every variant and device gives the same bits.
void contract_multiply_add(Program& program);

}  // namespace vyre
