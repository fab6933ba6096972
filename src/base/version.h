// The version of vyre.
#pragma once

#include <string_view>

namespace vyre {

// "0.1.0"
std::string_view version();

}  // namespace vyre
