// Accesses of lanes that walk along memory.
//
// In `for (var i = 0u; i < width; i++) { s += x[row * width + i]; }` every lane walks along a row
// of its own. Neighbouring lanes are far apart in each round, but each lane's next elements follow
// the one at hand.
#pragma once

#include <map>
#include <set>

#include "vyre/ir/program.h"

namespace vyre {

// What is made of them must be right where the walk is none.
struct RowWalks {
  std::set<ExprId> loads;
  std::map<StmtId, unsigned> stores;  // with the number of steps that are likely to follow
};

// The accesses to storage memory, in loops, whose index seems to grow by little from round to
// round. rows: how many rows of a workgroup, one below the other, run one after the other; then
// those that go down columns are among them. Stores only where the program does nothing else with
// the buffer, so that it cannot see when they are made.
RowWalks row_walks(const Program& program, unsigned rows);

}  // namespace vyre
