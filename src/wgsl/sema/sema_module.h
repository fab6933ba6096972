// Declarations at module scope.
#pragma once

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// Checks the whole module and emits it into cx.program.
void check_module(Context& cx);

// sema_globals.cc
void check_global(Context& cx, const ast::Variable& variable);  // const, override, var
// sema_struct.cc
void check_struct(Context& cx, const ast::Struct& structure);
// sema_function.cc
void check_function(Context& cx, const ast::Function& function);
// sema_entry.cc: checks the attributes and inputs of a compute entry point, and declares its inputs
// in the current scope. False if there was an error.
bool check_entry(Context& cx, const ast::Function& function, EntryPoint& entry);

}  // namespace vyre::sema
