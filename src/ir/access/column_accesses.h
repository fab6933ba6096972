// Finds accesses to columns: neighbouring invocations that touch memory far apart.
#pragma once

#include <cstdint>
#include <set>

#include "vyre/ir/program.h"

namespace vyre {

// The bytes that one invocation loads from and stores to columns of storage memory: neighbours
// along y are adjacent in memory and neighbours along x are not, as in a transposition. Loops are
// counted once; accesses whose place depends on loaded values or on variables are not counted.
double column_bytes_of(const Program& program);

// The loads, and the statements that store, of these accesses.
struct ColumnAccesses {
  std::set<ExprId> loads;
  std::set<StmtId> stores;
};
ColumnAccesses column_accesses_of(const Program& program);

// The number of loads and stores in loops with which each invocation walks along memory of its own,
// such as a row of a matrix: in every round, neighbours along x access memory far apart.
struct LaneRows {
  std::uint32_t loaded = 0, stored = 0;
};
LaneRows lane_rows_of(const Program& program);

}  // namespace vyre
