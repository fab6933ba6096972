// What a caller may fix about a launch. Absent values are decided by vyre.
#pragma once

#include <cstdint>
#include <optional>

#include "vyre/base/extent.h"

namespace vyre {

struct DispatchConfig {
  std::optional<Extent> workgroup_override;
  std::optional<Extent> grid_override;
  // The number of elements of the launch, instead of the number that the buffers imply.
  std::optional<std::uint32_t> element_count;
  // The number of invocations along each axis, for workgroups with two or three axes. An explicit
  // grid takes precedence; workgroups with one axis use the element count.
  std::optional<Extent> global_size;
  bool operator==(const DispatchConfig&) const = default;
};

}  // namespace vyre
