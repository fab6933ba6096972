// Shared by the makers and readers of graphs.
#pragma once

#include <cstdint>
#include <string_view>

#include "vyre/base/error.h"

namespace vyre {

// Code::out_of_memory if the process cannot take that many bytes more. `name` is for the message.
Result<void> check_memory(std::uint64_t bytes, std::string_view name);

}  // namespace vyre
