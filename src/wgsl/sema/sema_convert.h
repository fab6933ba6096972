// Conversions between types, and constants as data.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/wgsl/sema/sema_context.h"

namespace vyre::sema {

// ---- Types

bool is_abstract_type(const TypeTable& types, TypeId type);  // also composites of abstract numbers
// abstract numbers become i32 and f32, through composites.
TypeId concrete_type(TypeTable& types, TypeId type);
// The rank of an automatic conversion: 0 is none, and smaller is better; empty if there is none.
std::optional<std::uint32_t> conversion_rank(const TypeTable& types, TypeId from, TypeId to);
// The same scalar, vector or matrix of another kind.
TypeId with_kind(TypeTable& types, TypeId type, ScalarKind kind);
// The type to which both convert; empty if there is none.
std::optional<TypeId> common_type(const TypeTable& types, TypeId a, TypeId b);
// The result types of frexp and modf of a scalar or vector of floats.
enum class ResultStruct : std::uint8_t { frexp, modf };
TypeId result_struct(TypeTable& types, ResultStruct which, TypeId operand);
TypeId compare_exchange_result(TypeTable& types, ScalarKind kind);

// ---- Constants

// "12", "-1.5", "true", "vec2(1, 2)"; long ones are cut short.
std::string spell_constant(const Context& cx, const Value& constant);
std::string spell_scalar(Scalar scalar);

// A constant of `type`. Empty data is the zero value. Large ones count against the module's limit;
// beyond it the value is an error, reported.
Value make_constant(Context& cx, TypeId type, std::vector<std::uint64_t> scalars, Span span);
Value make_zero(TypeId type, Span span);
Value make_constant(Context& cx, Scalar scalar, Span span);
// All scalars of a constant.
std::vector<std::uint64_t> flatten(const Context& cx, const Value& constant);
// Element, member, column or component i.
Value constant_component(Context& cx, const Value& composite, std::uint32_t i, Span span);

// ---- Values

// Converts if conversion_rank allows it; a constant that does not fit is reported.
Value convert(Context& cx, Value value, TypeId to);
// Converts an abstract value to its concrete type.
Value concretize(Context& cx, Value value);
// Component by component, any scalar kind to any other: f32(x), vec2<i32>(v), mat2x2<f16>(m).
Value convert_explicitly(Context& cx, Value value, TypeId to);

// The IR expression of a value; constants are written now.
ExprId emit(Context& cx, const Value& value);
// The value that the expression `node` computes from operands of these phases.
Value computed(Context& cx, TypeId type, ExprNode node, Phase phase, bool reads, Span span);

}  // namespace vyre::sema
