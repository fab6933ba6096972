// What subgroup operations mean: the interpreter runs this, and every device is compared with it.
#pragma once

#include <array>
#include <cstdint>

#include "vyre/ir/program.h"

namespace vyre {

using LaneBits = std::array<std::uint64_t, kSubgroupSize>;  // one scalar a lane, bits as in Scalar

// One component of an operation, as program.h describes it. Bit i of `active` stands for lane i; at
// least one is set. Values of other lanes, in and out, do not matter. `lane` is the operand of that
// name. For ballot the component is x.
LaneBits apply_subgroup(SubgroupOp op, ScalarKind kind, std::uint32_t active, LaneBits value,
                        const LaneBits& lane);

// The bits that leave a reduction or scan as it is.
std::uint64_t neutral_value(SubgroupOp op, ScalarKind kind);

}  // namespace vyre
