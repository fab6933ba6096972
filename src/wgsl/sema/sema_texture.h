// Textures and samplers: their types, and the builtin functions that take them. vyre checks them
// by the rules of WGSL; no kernel runs them.
#pragma once

#include <optional>
#include <string_view>

#include "vyre/wgsl/sema/sema_expr.h"

namespace vyre::sema {

// texture_2d, sampler, ... : with or without template arguments.
bool is_handle_name(std::string_view name);
// The type of such a name with its template arguments; reported and empty if they are wrong.
std::optional<TypeId> handle_type(Context& cx, const ast::Identifier& name, Span span);

// textureSample, textureLoad, ... (not textureBarrier).
bool is_texture_function(std::string_view name);
Value call_texture(Context& cx, std::string_view name, Arguments& arguments, Span span);
// Whether a call statement may drop the result of the function.
inline bool gives_nothing(std::string_view texture_function) {
  return texture_function == "textureStore";
}

// dpdx, fwidthFine, ...
bool is_derivative(std::string_view name);
Value call_derivative(Context& cx, std::string_view name, Arguments& arguments, Span span);

}  // namespace vyre::sema
