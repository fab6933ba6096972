// Checks machine code from a user before the driver reads it. The driver takes an address without a
// size and trusts the data.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "vyre/base/error.h"

namespace vyre {

// Accepts a complete cubin (an ELF file for NVIDIA GPUs) or fat binary: everything that its tables
// refer to is inside.
Result<void> check_cubin(std::span<const std::byte> bytes, std::string_view kernel);

}  // namespace vyre
