// What planning needs to know about a program, as plain data. facts_of fills it in for programs of
// the IR; other callers fill it in themselves.
#pragma once

#include "vyre/base/digest.h"
#include "vyre/base/extent.h"

namespace vyre {

struct ProgramFacts {
  Digest fingerprint;
  Extent workgroup{1, 1, 1};    // as declared
  bool entry_nonempty = false;  // has at least one statement that is not a plain return
  bool non_composable_with_self = false;
  bool uses_launch_geometry_ids = false;  // reads the local, workgroup or workgroup-count ids
  bool contains_atomic = false;
  bool has_shared_buffer = false;  // workgroup memory of any spelling
  bool has_barrier = false;
  bool uses_subgroup_ops = false;
  bool has_opaque_call = false;  // a call whose callee is unknown
  bool lacks_effects = false;    // the program has no effect that the host could observe
  bool operator==(const ProgramFacts&) const = default;
};

}  // namespace vyre
