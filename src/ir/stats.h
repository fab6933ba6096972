// Facts about a program that planning needs, from one walk.
#pragma once

#include <cstdint>

#include "vyre/ir/program.h"

namespace vyre {

struct Stats {
  std::uint32_t nodes =
      0;  // statements and expressions reached from the entry, each call site once
  std::uint32_t loads = 0, stores = 0, atomics = 0, barriers = 0, calls = 0, loops = 0;
  std::uint64_t workgroup_bytes = 0;
  bool uses_global_id = false, uses_local_id = false, uses_workgroup_id = false,
       uses_workgroup_count = false;
  bool has_effects = false;  // stores, atomics on memory the host sees
  bool pointwise = false;    // every storage access is indexed by the global id alone (x for 1-D)
};
Stats stats(const Program& program);

}  // namespace vyre
