// Facts about a program for planning, from one walk.
#pragma once

#include <cstdint>

#include "vyre/ir/program.h"

namespace vyre {

// Counts everything that the entry reaches. The contents of a function count once for each call
// site. Counts saturate.
struct Stats {
  std::uint32_t nodes = 0;  // statements and expressions
  // Loads and stores of storage, uniform and workgroup memory.
  std::uint32_t loads = 0, stores = 0, atomics = 0, barriers = 0, calls = 0, loops = 0;
  std::uint32_t subgroup_operations = 0;
  std::uint64_t workgroup_bytes = 0;
  // The place within a subgroup, and the subgroup's number, are local_invocation_index & 31 and
  // local_invocation_index >> 5. They count as subgroup ids, and not as local ids.
  bool uses_global_id = false, uses_local_id = false, uses_subgroup_id = false,
       uses_workgroup_id = false, uses_workgroup_count = false;
  bool has_effects = false;  // stores or atomics on memory that the host can see
  // There are storage accesses, and every one accesses the element whose index is the global id's
  // x, directly or through lets, pointers and parameters; the workgroup is one-dimensional.
  bool pointwise = false;
};
Stats stats(const Program& program);

// Whether the program reads the workgroup id, the workgroup count, the local id or a subgroup id,
// or depends on the local id by a subgroup operation.
constexpr bool reads_workgroup_ids(const Stats& s) {
  return s.uses_local_id || s.uses_subgroup_id || s.uses_workgroup_id || s.uses_workgroup_count ||
         s.subgroup_operations != 0;
}

}  // namespace vyre
