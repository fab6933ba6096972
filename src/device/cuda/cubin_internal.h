// Whether bytes that a user hands over as machine code can be given to the driver, which takes an
// address without a size and believes what it finds there.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "vyre/base/error.h"

namespace vyre {

// A cubin (an ELF file for NVIDIA's processors) or a fat binary, whole: all that its tables point
// to lies inside.
Result<void> check_cubin(std::span<const std::byte> bytes, std::string_view kernel);

}  // namespace vyre
