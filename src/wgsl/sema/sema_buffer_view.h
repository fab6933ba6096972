// Buffers and their views: bufferView, bufferArrayView, bufferLength.
#pragma once

#include <span>

#include "vyre/wgsl/sema/sema_builtins.h"
#include "vyre/wgsl/sema/sema_context.h"
#include "vyre/wgsl/sema/sema_expr.h"

namespace vyre::sema {

Value call_buffer_function(Context& cx, const ast::Call& node, const SpecialEntry& builtin,
                           Arguments& arguments, Span span);

// Checks that the buffers to which the arguments point are large enough for the callee's views of
// them, and notes what the caller's own parameters need for that.
bool pass_buffers(Context& cx, const FunctionInfo& callee, std::span<const Value> arguments);

}  // namespace vyre::sema
