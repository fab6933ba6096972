// What runs a program where nothing is known of its launches.
#pragma once

#include <functional>
#include <string>

#include "vyre/ir/kernel.h"
#include "vyre/target/limits.h"
#include "vyre/target/variant.h"

namespace vyre {

using WhyNot = std::function<std::string(const Kernel&, const Variant&)>;

// The declared workgroup, in vectors as wide as the model expects to be best at a size that is
// neither small nor large: it depends on nothing but the program and the width of a vector.
Variant usual_host_variant(const Kernel& kernel, const Limits& limits, const WhyNot& why_not);

}  // namespace vyre
