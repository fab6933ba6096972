// Module-scope declarations may be in any order: this finds one in which each comes after those
// that it needs.
#pragma once

#include <cstdint>
#include <vector>

#include "vyre/wgsl/diagnostics.h"
#include "vyre/wgsl/parser/ast.h"

namespace vyre::sema {

// The name a declaration introduces; null for assertions.
const ast::Name* declared_name(const ast::Declaration& declaration);

// Indices of module.declarations, each after those it depends on, otherwise in the order of the
// text. Duplicate names and cycles are reported; one dependency of a cycle is ignored.
std::vector<std::uint32_t> dependency_order(const ast::Module& module, Diagnostics& diagnostics);

}  // namespace vyre::sema
