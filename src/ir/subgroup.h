// Defines subgroup operations. The interpreter uses it, and every device is compared with it.
#pragma once

#include <array>
#include <cstdint>

#include "vyre/ir/program.h"

namespace vyre {

// One scalar per lane, bits as in Scalar.
using LaneBits = std::array<std::uint64_t, kSubgroupSize>;

// One component of an operation, as program.h describes it. Bit i of `active` stands for lane i; at
// least one is set. Values of other lanes, in and out, do not matter. `lane` is the operand of that
// name. For ballot the component is x.
LaneBits apply_subgroup(SubgroupOp op, ScalarKind kind, std::uint32_t active, LaneBits value,
                        const LaneBits& lane);

// The neutral value of a reduction or scan.
std::uint64_t neutral_value(SubgroupOp op, ScalarKind kind);

}  // namespace vyre
