// What a caller may fix about a launch. Absent means "decide for me".
#pragma once

#include <cstdint>
#include <optional>

#include "vyre/base/extent.h"

namespace vyre {

struct DispatchConfig {
  std::optional<Extent> workgroup_override;
  std::optional<Extent> grid_override;
  // How many elements the launch has, instead of what its buffers suggest.
  std::optional<std::uint32_t> element_count;
  // How many invocations run along each axis: it lays out the grid of workgroups with two or three
  // axes. An explicit grid wins over it; workgroups of one axis go by the element count.
  std::optional<Extent> global_size;
  bool operator==(const DispatchConfig&) const = default;
};

}  // namespace vyre
