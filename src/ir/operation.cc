// Unary and binary operators.
#include "vyre/ir/operation.h"

#include <algorithm>

#include "vyre/ir/operation_internal.h"

namespace vyre {
namespace {

template <class N>
Bits integer_binary(BinaryOp op, Bits x, Bits y, Fault& fault) {
  const auto a = N::load(x), b = N::load(y);
  switch (op) {
    case BinaryOp::add: return N::store(N::add(a, b, fault));
    case BinaryOp::sub: return N::store(N::sub(a, b, fault));
    case BinaryOp::mul: return N::store(N::mul(a, b, fault));
    case BinaryOp::div: return N::store(N::div(a, b, fault));
    case BinaryOp::rem: return N::store(N::rem(a, b, fault));
    case BinaryOp::equal: return a == b;
    case BinaryOp::not_equal: return a != b;
    case BinaryOp::less: return a < b;
    case BinaryOp::less_equal: return a <= b;
    case BinaryOp::greater: return a > b;
    case BinaryOp::greater_equal: return a >= b;
    case BinaryOp::bit_and: return x & y;
    case BinaryOp::bit_or: return x | y;
    case BinaryOp::bit_xor: return x ^ y;
    case BinaryOp::shift_left:
    case BinaryOp::shift_right:
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: break;
  }
  assert(!"not an integer operator");
  return 0;
}

// The amount is u32; an abstract amount that u32 cannot hold shifts out every bit.
template <class N>
Bits integer_shift(BinaryOp op, Bits x, Bits y, ScalarKind amount_kind, Fault& fault) {
  std::uint32_t by = static_cast<std::uint32_t>(y);
  if (amount_kind == ScalarKind::abstract_int && y > 0xFFFFFFFFU) {
    note(fault, Fault::shift_too_large);
    by = 0xFFFFFFFFU;
  }
  const auto a = N::load(x);
  return N::store(op == BinaryOp::shift_left ? N::shift_left(a, by, fault)
                                             : N::shift_right(a, by, fault));
}

template <class N>
Bits float_binary(BinaryOp op, Bits x, Bits y, Fault& fault) {
  const auto a = N::load(x), b = N::load(y);
  typename N::Value out{};
  switch (op) {
    case BinaryOp::add: out = N::add(a, b); break;
    case BinaryOp::sub: out = N::sub(a, b); break;
    case BinaryOp::mul: out = N::mul(a, b); break;
    case BinaryOp::div:
      if (b == 0) note(fault, Fault::division_by_zero);
      out = N::div(a, b);
      break;
    case BinaryOp::rem:
      if (b == 0) note(fault, Fault::division_by_zero);
      out = N::rem(a, b);
      break;
    case BinaryOp::equal: return a == b;
    case BinaryOp::not_equal: return a != b;
    case BinaryOp::less: return a < b;
    case BinaryOp::less_equal: return a <= b;
    case BinaryOp::greater: return a > b;
    case BinaryOp::greater_equal: return a >= b;
    default: assert(!"not a float operator"); break;
  }
  note(fault, finite_or_fault(out));
  return N::store(out);
}

Bits bool_binary(BinaryOp op, Bits x, Bits y) {
  switch (op) {
    case BinaryOp::equal: return x == y;
    case BinaryOp::not_equal:
    case BinaryOp::bit_xor: return x != y;
    case BinaryOp::logical_and:
    case BinaryOp::bit_and: return x & y;
    case BinaryOp::logical_or:
    case BinaryOp::bit_or: return x | y;
    default: break;
  }
  assert(!"not an operator of bool");
  return 0;
}

// `count` components; steps of 0 hold a scalar operand in place.
Fault binary_components(BinaryOp op, ScalarKind kind, ScalarKind right_kind, const Bits* a,
                        std::size_t a_step, const Bits* b, std::size_t b_step, Bits* out,
                        std::size_t count) {
  Fault fault = Fault::none;
  const auto each = [&](auto&& component) {
    for (std::size_t i = 0; i < count; ++i) out[i] = component(a[i * a_step], b[i * b_step]);
  };
  if (kind == ScalarKind::boolean) {
    each([&](Bits x, Bits y) { return bool_binary(op, x, y); });
  } else if (is_float(kind)) {
    with_float(kind, [&]<class N>(N) {
      each([&](Bits x, Bits y) { return float_binary<N>(op, x, y, fault); });
    });
  } else if (op == BinaryOp::shift_left || op == BinaryOp::shift_right) {
    with_integer(kind, [&]<class N>(N) {
      each([&](Bits x, Bits y) { return integer_shift<N>(op, x, y, right_kind, fault); });
    });
  } else {
    with_integer(kind, [&]<class N>(N) {
      each([&](Bits x, Bits y) { return integer_binary<N>(op, x, y, fault); });
    });
  }
  return fault;
}

Bits unary_component(UnaryOp op, ScalarKind kind, Bits x) {
  switch (op) {
    case UnaryOp::logical_not: return x == 0;
    case UnaryOp::bit_not:
      return with_integer(
          kind, [&]<class N>(N) { return N::store(static_cast<typename N::Value>(~N::load(x))); });
    case UnaryOp::negate:
      return with_number(kind, [&]<class N>(N) { return N::store(N::negate(N::load(x))); });
  }
  return 0;
}

}  // namespace

Shape shape_of(const TypeTable& types, TypeId id) {
  if (const auto* scalar = types.get_if<ScalarType>(id)) return {scalar->kind, 0, 1};
  if (const auto* vector = types.get_if<VectorType>(id)) return {vector->kind, 0, vector->size};
  if (const auto* matrix = types.get_if<MatrixType>(id)) {
    return {matrix->kind, matrix->columns, matrix->rows};
  }
  assert(!"a scalar, vector or matrix is expected");
  return {ScalarKind::u32, 0, 1};
}

Fault apply(UnaryOp op, const TypeTable& types, TypeId, Operand a, std::span<std::uint64_t> out) {
  const Shape shape = shape_of(types, a.type);
  for (std::size_t i = 0; i < shape.count(); ++i) {
    out[i] = unary_component(op, shape.kind, a.scalars[i]);
  }
  return Fault::none;
}

Fault apply(BinaryOp op, const TypeTable& types, TypeId, Operand a, Operand b,
            std::span<std::uint64_t> out) {
  const Shape x = shape_of(types, a.type), y = shape_of(types, b.type);
  if (op == BinaryOp::mul && (x.columns != 0 || y.columns != 0)) {
    return apply_matrix_product(x, y, a.scalars.data(), b.scalars.data(), out.data());
  }
  return binary_components(op, x.kind, y.kind, a.scalars.data(), x.count() == 1 ? 0 : 1,
                           b.scalars.data(), y.count() == 1 ? 0 : 1, out.data(),
                           std::max(x.count(), y.count()));
}

Fault apply(UnaryOp op, Scalar a, Scalar& out) {
  out = {a.kind, unary_component(op, a.kind, a.bits)};
  return Fault::none;
}

Fault apply(BinaryOp op, Scalar a, Scalar b, Scalar& out) {
  Bits bits = 0;
  const Fault fault = binary_components(op, a.kind, b.kind, &a.bits, 0, &b.bits, 0, &bits, 1);
  const bool compares = op >= BinaryOp::equal && op <= BinaryOp::logical_or;
  out = {compares ? ScalarKind::boolean : a.kind, bits};
  return fault;
}

}  // namespace vyre
