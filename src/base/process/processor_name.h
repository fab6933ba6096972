// The name of this machine's processor, as the system tells it.
#pragma once

#include <optional>
#include <string>

namespace vyre {

std::optional<std::string> processor_name();

}  // namespace vyre
