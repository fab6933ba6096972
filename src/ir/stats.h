// Facts about a program that planning needs, from one walk.
#pragma once

#include <cstdint>

#include "vyre/ir/program.h"

namespace vyre {

// Counts are of what the entry reaches; what a function holds counts once for each call site that
// reaches it. Counts stop at the end of their type.
struct Stats {
  std::uint32_t nodes = 0;  // statements and expressions
  // Loads and stores of storage, uniform and workgroup memory.
  std::uint32_t loads = 0, stores = 0, atomics = 0, barriers = 0, calls = 0, loops = 0;
  std::uint32_t subgroup_operations = 0;
  std::uint64_t workgroup_bytes = 0;
  // A subgroup operation uses the local id.
  bool uses_global_id = false, uses_local_id = false, uses_workgroup_id = false,
       uses_workgroup_count = false;
  bool has_effects = false;  // stores, atomics on memory the host sees
  // There are storage accesses, and each one is to the element whose index is the global id's x
  // (through lets, pointers and parameters too); the workgroup is one-dimensional.
  bool pointwise = false;
};
Stats stats(const Program& program);

// Whether an invocation can tell which workgroup it is in, or where in its workgroup it is.
constexpr bool reads_workgroup_ids(const Stats& s) {
  return s.uses_local_id || s.uses_workgroup_id || s.uses_workgroup_count;
}

}  // namespace vyre
