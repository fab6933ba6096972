// Names: declaring, finding and suggesting them.
#pragma once

#include <string>
#include <string_view>

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

void push_scope(Context& cx);
void pop_scope(Context& cx);

// Declares a name in the innermost scope of the function, or at module scope. A second declaration
// of the same name in the same scope is reported and replaces the first.
void declare(Context& cx, const ast::Name& name, Symbol symbol);

// The symbol of a name here; null for predeclared and unknown names.
const Symbol* lookup(const Context& cx, std::string_view name);

// What a symbol is, for messages: "a variable", "a type", "a function".
std::string_view kind_of(const Symbol& symbol);

// A visible name with nearly the same spelling; empty if there is none.
std::string suggestion(const Context& cx, std::string_view name);
// The candidate with the closest spelling; empty if none is close.
std::string_view closest(std::string_view name, std::span<const std::string_view> candidates);

// unknown name 'foo'; did you mean 'fog'?
void report_unknown(Context& cx, const ast::Name& name);

}  // namespace vyre::sema
