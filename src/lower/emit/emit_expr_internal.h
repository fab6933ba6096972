// Expressions.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

Val eval(EmitContext& e, EmitFrame& frame, ExprId id);
inline Leaf eval_leaf(EmitContext& e, EmitFrame& frame, ExprId id) {
  return eval(e, frame, id).leaves[0];
}

}  // namespace vyre
