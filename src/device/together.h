// Launches whose workgroups wait for each other (Launch::together).
#pragma once

#include <cstdint>
#include <string_view>

#include "vyre/base/error.h"

namespace vyre {

// The error of a launch whose workgroups do not all run at once on the device.
std::unexpected<Error> too_many_together(std::string_view kernel, std::uint64_t groups,
                                         std::string_view device, std::uint64_t at_once);

}  // namespace vyre
