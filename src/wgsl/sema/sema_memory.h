// Memory views and the order of evaluation.
//
// IR expressions are pure; calls, atomics and other effects become statements before the statement
// that holds the expression. Operands that WGSL evaluates before such an effect must also be
// evaluated before it: they wait in Body::pending, and `flush` turns those that read memory into
// lets. Pointers are never lets: a pointer is a chain of accesses with frozen indices, and is
// copied at each use.
#pragma once

#include <string_view>

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// Keeps a value in Body::pending during the lifetime of this object. Does nothing at module scope.
class Hold {
 public:
  Hold(Context& cx, Value& value);
  ~Hold();
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  Context& cx_;
};

// Call it before emitting a statement with effects.
void flush(Context& cx);
// Evaluates the value before the next emitted statement: values that read memory become lets, and
// memory views get frozen indices.
void spill(Context& cx, Value& value);
// Makes every index of a memory view cheap to copy and independent of memory.
void freeze(Context& cx, Value& view);
// A copy of a tree of expressions without effects.
ExprId clone(Context& cx, ExprId tree, Span span);

LocalId new_local(Context& cx, std::string_view name, LocalKind kind, TypeId type, Span span);
// The let for the result of a statement, to be used once.
LocalId new_result(Context& cx, std::string_view name, TypeId type, Span span);
// Evaluates a value now and names it.
Value emit_let(Context& cx, std::string_view name, const Value& value);
// The value of a let, in an expression at `span`.
Value use_let(Context& cx, LocalId local, TypeId type, Span span);

// Whether a tree of expressions depends on an override directly, or indexes an array that an
// override sizes.
bool mentions_override(const Context& cx, ExprId tree);
// Keeps an unused value if it depends on overrides, because evaluating it may be an error.
void keep_overrides(Context& cx, const Value& value);

// The type of the value behind a reference: the type itself, or the scalar of an atomic.
TypeId held_type(Context& cx, const Value& reference);
// A plain access to an atomic: in lenient mode, warns and returns true.
bool is_plain_atomic(Context& cx, const Value& reference);
// Emits the atomic operation for a plain load (`result`) or store (`value`) of an atomic.
void emit_plain_atomic(Context& cx, const Value& reference, ExprId value, LocalId result,
                       Span span);

// The load rule: references become values; everything else is unchanged.
Value load(Context& cx, Value value);
// The pointer &ref, and the reference *ptr.
Value address_of(Context& cx, const Value& reference, Span span);
Value dereference(Context& cx, const Value& pointer, Span span);

// Notes that the current function reads or writes through a memory view.
void note_read(Context& cx, const Root& root);
void note_write(Context& cx, const Root& root);

}  // namespace vyre::sema
