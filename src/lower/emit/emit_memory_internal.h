// Pointers into buffers, workgroup memory and vars, and what is read and written through them.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// The flattened scalars of a type with their byte offsets.
const std::vector<ScalarField>& fields_of(EmitContext& e, TypeId type);
Val zero_value(EmitContext& e, TypeId type);
// A scalar as memory holds it: booleans are words.
llvm::Type* memory_type(EmitContext& e, ScalarKind kind);
llvm::Value* to_memory(EmitContext& e, ScalarKind kind, llvm::Value* v);
llvm::Value* from_memory(EmitContext& e, ScalarKind kind, llvm::Value* v);

Pointer element_pointer(EmitContext& e, const Pointer& of, const Leaf& at, ScalarKind index_kind);
Pointer member_pointer(EmitContext& e, const Pointer& base, std::uint32_t member);
llvm::Value* array_length(EmitContext& e, const Pointer& pointer);  // i32

// emit_access.cc
Val load_value(EmitContext& e, const Pointer& pointer, TypeId type);
void store_value(EmitContext& e, const Pointer& pointer, const Val& value);
llvm::Value* address(EmitContext& e, const Pointer& pointer, llvm::Value* offset,
                     std::uint64_t bytes);
Pointer resolved(EmitContext& e, Pointer pointer);  // a pending comparison made per lane
// <W x i1>: inside and running; may be null.
llvm::Value* lanes_inside(EmitContext& e, const Pointer& pointer);

// to = value; large arrays are copied element by element.
void assign_value(EmitContext& e, EmitFrame& frame, const Pointer& to, ExprId value);
// emit_atomic.cc
void emit_atomic(EmitContext& e, EmitFrame& frame, const AtomicStmt& s);

}  // namespace vyre
