// Shared by the files that implement operation.h.
#pragma once

#include <cassert>

#include "vyre/ir/operation_number.h"

namespace vyre {

using Bits = std::uint64_t;

// The shape of an operand or a result that is a scalar, a vector or a matrix.
struct Shape {
  ScalarKind kind;
  std::uint32_t columns;  // 0 for scalars and vectors
  std::uint32_t rows;     // a vector's size; 1 for scalars
  std::uint32_t count() const { return columns == 0 ? rows : columns * rows; }
};
Shape shape_of(const TypeTable& types, TypeId id);

// Parts of apply(MathFn): each handles the functions its file is about.
Fault apply_float_math(MathFn fn, ScalarKind kind, std::span<const Operand> arguments,
                       std::span<Bits> out);
Fault apply_integer_math(MathFn fn, ScalarKind kind, std::span<const Operand> arguments,
                         std::span<Bits> out);
Fault apply_geometry(MathFn fn, const TypeTable& types, std::span<const Operand> arguments,
                     std::span<Bits> out);
Fault apply_pack(MathFn fn, std::span<const Operand> arguments, std::span<Bits> out);
// A product with at least one matrix.
Fault apply_matrix_product(const Shape& a, const Shape& b, const Bits* x, const Bits* y, Bits* out);

}  // namespace vyre
