// The subgroup and quad builtin functions.
#pragma once

#include <string_view>

#include "vyre/wgsl/sema/sema_expr.h"

namespace vyre::sema {

bool is_subgroup_function(std::string_view name);
Value call_subgroup(Context& cx, std::string_view name, Arguments& arguments, Span span);

}  // namespace vyre::sema
