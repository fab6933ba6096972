// Whether launch feedback may change the workgroup of a launch. If the result could depend on the
// shape, the declared workgroup is kept.
#pragma once

#include <cstdint>
#include <string_view>

#include "vyre/plan/program_facts.h"

namespace vyre {

// Why a launch keeps its declared workgroup; `none` if it may be tuned. The first reason that
// applies is given.
enum class Ineligible : std::uint8_t {
  none,
  zero_width,
  several_axes,
  no_elements,
  empty_entry,
  no_effects,
  not_composable_with_self,
  shared_memory,
  barrier,
  subgroup_operations,
  launch_geometry_ids,
  opaque_call,
};

// A phrase for people: "it reads the local or workgroup ids".
std::string_view describe(Ineligible reason);

Ineligible eligibility(const ProgramFacts& program, const Extent& declared,
                       std::uint32_t element_count);

}  // namespace vyre
