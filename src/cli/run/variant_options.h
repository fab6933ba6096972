// The options that fix parts of the variant.
#pragma once

#include <string>

#include "vyre/cli/option_set.h"
#include "vyre/plan/launch_request.h"

namespace vyre {

void declare(OptionSet& set, FixedChoices& choices);

// The first option that was given; empty when none was.
std::string first_option(const FixedChoices& choices);

}  // namespace vyre
