// Extracts one program per entry point from the program of the whole module.
#pragma once

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// The program of one entry point, with only what it reaches.
Program extract(const Context& cx, const EntryPoint& entry);

}  // namespace vyre::sema
