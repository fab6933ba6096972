// Memory views and the order of evaluation.
//
// IR expressions are pure; calls, atomics and other effects become statements before the statement
// that holds the expression. Whatever WGSL evaluates before such an effect must then be evaluated
// before it as well: operands wait in Body::pending, and `flush` turns those that read memory into
// lets. No let holds a pointer: a pointer is a chain of accesses whose indices are frozen, and is
// copied where it is used.
#pragma once

#include <string_view>

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// Keeps a value in Body::pending while it lives. Does nothing at module scope.
class Hold {
 public:
  Hold(Context& cx, Value& value);
  ~Hold();
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  Context& cx_;
};

// To be called before a statement with effects is emitted.
void flush(Context& cx);
// Evaluates the value now, before whatever is emitted next: values that read memory become lets,
// memory views get frozen indices.
void spill(Context& cx, Value& value);
// Makes every index of a memory view cheap to copy and independent of memory.
void freeze(Context& cx, Value& view);
// A copy of a tree of expressions without effects.
ExprId clone(Context& cx, ExprId tree, Span span);

LocalId new_local(Context& cx, std::string_view name, LocalKind kind, TypeId type, Span span);
// The let that a statement gives its result to, to be used once.
LocalId new_result(Context& cx, std::string_view name, TypeId type, Span span);
// Evaluates a value now and names it.
Value emit_let(Context& cx, std::string_view name, const Value& value);
// The value of a let, in an expression that stands at `span`.
Value use_let(Context& cx, LocalId local, TypeId type, Span span);

// Whether a tree of expressions depends on an override directly.
bool mentions_override(const Context& cx, ExprId tree);
// Keeps a value that nothing uses if it depends on overrides: evaluating it with their values may
// be an error.
void keep_overrides(Context& cx, const Value& value);

// What a reference holds as a value: the type itself, or the scalar of an atomic.
TypeId held_type(Context& cx, const Value& reference);
// Plain access to an atomic: warns and gives true where that is taken lightly.
bool is_plain_atomic(Context& cx, const Value& reference);
// The atomic operation that a plain load or store of an atomic stands for; `result` or `value`.
void emit_plain_atomic(Context& cx, const Value& reference, ExprId value, LocalId result,
                       Span span);

// The load rule: references become values, everything else stays.
Value load(Context& cx, Value value);
// The pointer &ref, and the reference *ptr.
Value address_of(Context& cx, const Value& reference, Span span);
Value dereference(Context& cx, const Value& pointer, Span span);

// Notes that the current function reads or writes through a memory view.
void note_read(Context& cx, const Root& root);
void note_write(Context& cx, const Root& root);

}  // namespace vyre::sema
