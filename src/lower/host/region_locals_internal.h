// Which locals of a frame a run of statements uses.
#pragma once

#include <set>
#include <span>

#include "vyre/lower/lane_values_internal.h"

namespace vyre {

struct RegionLocals {
  std::set<LocalId> used;
  std::set<LocalId> changed;  // the locals among these that are changed
};

RegionLocals locals_of(const Program& program, const FrameSpreads& frame,
                       std::span<const StmtId> statements);

}  // namespace vyre
