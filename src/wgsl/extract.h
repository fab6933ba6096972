// One program per entry point, out of the program of the whole module.
#pragma once

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// The program of one entry point, with what it reaches and nothing else.
Program extract(const Context& cx, const EntryPoint& entry);

}  // namespace vyre::sema
