// WGSL text to syntax tree.
#pragma once

#include "vyre/wgsl/diagnostics.h"
#include "vyre/wgsl/parser/ast.h"
#include "vyre/wgsl/source.h"

namespace vyre {

// Reports every syntax error that is not a consequence of another. The tree is complete only if no
// error was reported; otherwise no later pass may use it. lenient: operators that need parentheses
// in WGSL may be mixed, with a warning.
ast::Module parse(const Source& source, Diagnostics& diagnostics, bool lenient = false);

}  // namespace vyre
