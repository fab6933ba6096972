// What a caller may fix about a launch. Absent means "decide for me".
#pragma once

#include <optional>

#include "vyre/base/extent.h"

namespace vyre {

struct DispatchConfig {
  std::optional<Extent> workgroup_override;
  std::optional<Extent> grid_override;
  // How many invocations run along each axis: what makes a grid for workgroups of two or three
  // axes unambiguous. An explicit grid wins over it.
  std::optional<Extent> global_size;
  bool operator==(const DispatchConfig&) const = default;
};

}  // namespace vyre
