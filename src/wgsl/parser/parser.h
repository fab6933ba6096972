// WGSL text to syntax tree.
#pragma once

#include "vyre/wgsl/diagnostics.h"
#include "vyre/wgsl/parser/ast.h"
#include "vyre/wgsl/source.h"

namespace vyre {

// Reports every syntax error it can name without guessing. The tree holds only what parsed: it is
// complete exactly when no error was reported, and no later pass should see it otherwise. lenient:
// operators that WGSL wants in parentheses may be mixed, with a warning.
ast::Module parse(const Source& source, Diagnostics& diagnostics, bool lenient = false);

}  // namespace vyre
