// What the functions of a graph program may access, so that the order in which the engine runs them
// does not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "vyre/frontier/functions.h"

namespace vyre {

// An access to a storage variable, made by a function or by what it calls.
struct FunctionAccess {
  static constexpr std::uint32_t kAnywhere = 0xFFFFFFFFU;

  GlobalId global{};
  // The parameter that is the index of the element, exactly as it was passed; kAnywhere: it may be
  // any element, or the variable is no array.
  std::uint32_t element = kAnywhere;
  bool writes = false;  // atomics other than loads write
  bool atomic = false;
  SourcePos pos{};
};

// Every access of the function to storage. An error names a statement that no graph program may
// have: barriers, memory other than storage and uniforms, operations of subgroups, ids.
Result<std::vector<FunctionAccess>> accesses_of(const Program& program, FunctionId function);

// Checks these rules. In `visit`, every store is atomic. In `init`, `start`, `waits`, `after` and
// `apply`, plain stores go to the function's own vertex, and the function reads such a variable
// only there. `wants` and `gather` store nothing. What `waits` stores plainly is read in `visit`
// only for the edge's source, and not in `wants`. The error names the function, the variable and
// the line.
Result<void> check_legality(const FrontierFunctions& functions);

// Whether `after` may run for a vertex as soon as its own incoming edges were visited, while edges
// of other vertices are visited: each variable that one of the two writes is accessed by both at
// the target only.
Result<bool> after_may_follow_pull(const FrontierFunctions& functions);

// Whether it is probably useless to ask `wants` before `visit`, because `visit` loads the same
// variables itself.
Result<bool> visit_loads_what_wants_loads(const FrontierFunctions& functions);

}  // namespace vyre
