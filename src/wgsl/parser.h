// WGSL text to syntax tree.
#pragma once

#include "vyre/wgsl/ast.h"
#include "vyre/wgsl/diagnostics.h"
#include "vyre/wgsl/source.h"

namespace vyre {

// Reports every syntax error it can name without guessing. The tree holds only what parsed: it is
// complete exactly when nothing was reported, and no later pass should see it otherwise.
ast::Module parse(const Source& source, Diagnostics& diagnostics);

}  // namespace vyre
