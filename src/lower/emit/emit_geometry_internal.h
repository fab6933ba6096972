// Functions of whole vectors and matrices.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

Val emit_geometry(EmitContext& e, MathFn fn, TypeId result, llvm::ArrayRef<Val> arguments);
Val emit_matrix_product(EmitContext& e, const Val& x, const Val& y, TypeId result);

}  // namespace vyre
