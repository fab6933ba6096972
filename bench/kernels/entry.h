// The kernel of a WGSL text.
#pragma once

#include <string>

#include "vyre/ir/kernel.h"

namespace vyre::bench {

Result<Kernel> kernel_of(std::string text, const std::string& entry);

}  // namespace vyre::bench
