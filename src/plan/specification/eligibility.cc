#include "vyre/plan/specification/eligibility.h"

namespace vyre {

std::string_view describe(Ineligible reason) {
  switch (reason) {
    case Ineligible::none: return "it may be tuned";
    case Ineligible::zero_width: return "its declared width is 0";
    case Ineligible::several_axes: return "its workgroup has several axes";
    case Ineligible::no_elements: return "it has no elements";
    case Ineligible::empty_entry: return "its entry does nothing";
    case Ineligible::no_effects: return "it has no effect to observe";
    case Ineligible::not_composable_with_self: return "it is marked as not composable with itself";
    case Ineligible::shared_memory: return "it uses workgroup memory";
    case Ineligible::barrier: return "it has a barrier";
    case Ineligible::subgroup_operations: return "it uses subgroup operations";
    case Ineligible::launch_geometry_ids: return "it reads the local or workgroup ids";
    case Ineligible::opaque_call: return "it calls something that cannot be seen into";
  }
  return "unknown";
}

Ineligible eligibility(const ProgramFacts& program, const Extent& declared,
                       std::uint32_t element_count) {
  if (declared[0] == 0) return Ineligible::zero_width;
  if (declared[1] != 1 || declared[2] != 1) return Ineligible::several_axes;
  if (element_count == 0) return Ineligible::no_elements;
  if (!program.entry_nonempty) return Ineligible::empty_entry;
  if (program.lacks_effects) return Ineligible::no_effects;
  if (program.non_composable_with_self) return Ineligible::not_composable_with_self;
  if (program.has_shared_buffer) return Ineligible::shared_memory;
  if (program.has_barrier) return Ineligible::barrier;
  if (program.uses_subgroup_ops) return Ineligible::subgroup_operations;
  if (program.uses_launch_geometry_ids) return Ineligible::launch_geometry_ids;
  if (program.has_opaque_call) return Ineligible::opaque_call;
  return Ineligible::none;
}

}  // namespace vyre
