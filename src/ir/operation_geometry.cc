// Builtin functions of whole vectors and matrices, and matrix products.
//
// A sum of products is a chain of fused multiply-adds in ascending order, the first product
// rounded; a difference of products negates the factor. Matrices are columns in memory order.
#include <algorithm>
#include <array>

#include "vyre/ir/operation_internal.h"

namespace vyre {
namespace {

constexpr std::size_t kMaxScalars = 16;

template <class N>
using Vector = std::array<typename N::Value, kMaxScalars>;

template <class N>
Vector<N> load(const Bits* bits, std::size_t count) {
  Vector<N> out{};
  for (std::size_t i = 0; i < count; ++i) out[i] = N::load(bits[i]);
  return out;
}

template <class N>
Fault store(const Vector<N>& v, std::size_t count, Bits* out) {
  Fault fault = Fault::none;
  for (std::size_t i = 0; i < count; ++i) {
    note(fault, finite_or_fault(v[i]));
    out[i] = N::store(v[i]);
  }
  return fault;
}

// Sum of a[i * a_step] * b[i * b_step].
template <class N>
typename N::Value dot(const typename N::Value* a, std::size_t a_step, const typename N::Value* b,
                      std::size_t b_step, std::size_t count) {
  auto sum = N::mul(a[0], b[0]);
  for (std::size_t i = 1; i < count; ++i) sum = N::fma(a[i * a_step], b[i * b_step], sum);
  return sum;
}
template <class N>
typename N::Value dot(const Vector<N>& a, const Vector<N>& b, std::size_t count) {
  return dot<N>(a.data(), 1, b.data(), 1, count);
}

// a * b - c * d
template <class N>
typename N::Value cross_term(typename N::Value a, typename N::Value b, typename N::Value c,
                             typename N::Value d) {
  return N::fma(-c, d, N::mul(a, b));
}

template <class N>
Vector<N> cross(const Vector<N>& a, const Vector<N>& b) {
  return {cross_term<N>(a[1], b[2], a[2], b[1]), cross_term<N>(a[2], b[0], a[0], b[2]),
          cross_term<N>(a[0], b[1], a[1], b[0])};
}

template <class N>
typename N::Value length(const Vector<N>& v, std::size_t count) {
  return count == 1 ? std::fabs(v[0]) : N::sqrt(dot<N>(v, v, count));
}

// Expansion along the first column of an n by n matrix.
template <class N>
typename N::Value determinant(const Vector<N>& m, std::size_t n) {
  if (n == 2) return cross_term<N>(m[0], m[3], m[2], m[1]);
  typename N::Value sum{};
  for (std::size_t row = 0; row < n; ++row) {
    Vector<N> minor{};
    std::size_t at = 0;
    for (std::size_t c = 1; c < n; ++c) {
      for (std::size_t r = 0; r < n; ++r) {
        if (r != row) minor[at++] = m[c * n + r];
      }
    }
    const auto cofactor = determinant<N>(minor, n - 1);
    if (row == 0) {
      sum = N::mul(m[0], cofactor);
    } else {
      sum = N::fma(row % 2 == 0 ? m[row] : -m[row], cofactor, sum);
    }
  }
  return sum;
}

template <class N>
Vector<N> refract(const Vector<N>& e1, const Vector<N>& e2, typename N::Value e3, std::size_t count,
                  Fault& fault) {
  using T = typename N::Value;
  const T d = dot<N>(e2, e1, count), squared = N::mul(e3, e3), rest = N::fma(-d, d, 1);
  const T k = N::fma(-squared, rest, 1);
  for (const T step : {d, squared, rest, k}) note(fault, finite_or_fault(step));
  Vector<N> out{};
  if (k < 0) return out;
  const T along = N::fma(e3, d, N::sqrt(k));
  for (std::size_t i = 0; i < count; ++i) out[i] = cross_term<N>(e3, e1[i], along, e2[i]);
  return out;
}

template <class N>
Fault apply_float(MathFn fn, const Shape& shape, std::span<const Operand> arguments,
                  std::span<Bits> out) {
  using T = typename N::Value;
  const std::size_t count = shape.count();
  std::array<Vector<N>, 3> in{};
  for (std::size_t k = 0; k < arguments.size() && k < in.size(); ++k) {
    in[k] = load<N>(arguments[k].scalars.data(), arguments[k].scalars.size());
  }
  const auto& [a, b, c] = in;
  Vector<N> v{};
  const auto scalar = [&](T value) {
    v[0] = value;
    return store<N>(v, 1, out.data());
  };
  switch (fn) {
    case MathFn::dot: return scalar(dot<N>(a, b, count));
    case MathFn::length: return scalar(length<N>(a, count));
    case MathFn::distance:
      for (std::size_t i = 0; i < count; ++i) v[i] = N::sub(a[i], b[i]);
      return scalar(length<N>(v, count));
    case MathFn::determinant: return scalar(determinant<N>(a, shape.columns));

    case MathFn::cross: v = cross<N>(a, b); break;
    case MathFn::normalize: {
      const T size = length<N>(a, count);
      for (std::size_t i = 0; i < count; ++i) v[i] = N::div(a[i], size);
      Fault fault = size == 0 ? Fault::domain : finite_or_fault(size);
      note(fault, store<N>(v, count, out.data()));
      return fault;
    }
    case MathFn::face_forward: {
      const T facing = dot<N>(b, c, count);
      for (std::size_t i = 0; i < count; ++i) v[i] = facing < 0 ? a[i] : -a[i];
      Fault fault = finite_or_fault(facing);
      note(fault, store<N>(v, count, out.data()));
      return fault;
    }
    case MathFn::reflect: {
      const T twice = N::mul(2, dot<N>(b, a, count));
      for (std::size_t i = 0; i < count; ++i) v[i] = N::fma(-twice, b[i], a[i]);
      break;
    }
    case MathFn::refract: {
      Fault fault = Fault::none;
      v = refract<N>(a, b, c[0], count, fault);
      note(fault, store<N>(v, count, out.data()));
      return fault;
    }
    default: assert(!"not a function of vectors or matrices"); break;
  }
  return store<N>(v, count, out.data());
}

}  // namespace

Fault apply_geometry(MathFn fn, const TypeTable& types, std::span<const Operand> arguments,
                     std::span<Bits> out) {
  const Shape shape = shape_of(types, arguments[0].type);
  if (fn == MathFn::transpose) {
    for (std::size_t c = 0; c < shape.columns; ++c) {
      for (std::size_t r = 0; r < shape.rows; ++r) {
        out[r * shape.columns + c] = arguments[0].scalars[c * shape.rows + r];
      }
    }
    return Fault::none;
  }
  return with_float(shape.kind,
                    [&]<class N>(N) { return apply_float<N>(fn, shape, arguments, out); });
}

Fault apply_matrix_product(const Shape& a, const Shape& b, const Bits* x, const Bits* y,
                           Bits* out) {
  return with_float(a.kind, [&]<class N>(N) {
    const auto m = load<N>(x, a.count()), n = load<N>(y, b.count());
    Vector<N> v{};
    if (a.count() == 1 || b.count() == 1) {  // scaling
      const std::size_t count = std::max(a.count(), b.count());
      for (std::size_t i = 0; i < count; ++i) {
        v[i] = N::mul(m[a.count() == 1 ? 0 : i], n[b.count() == 1 ? 0 : i]);
      }
      return store<N>(v, count, out);
    }
    // A vector on the left is one row, on the right one column.
    const std::size_t rows = a.columns == 0 ? 1 : a.rows;
    const std::size_t inner = a.columns == 0 ? a.rows : a.columns;
    const std::size_t columns = b.columns == 0 ? 1 : b.columns;
    for (std::size_t c = 0; c < columns; ++c) {
      for (std::size_t r = 0; r < rows; ++r) {
        v[c * rows + r] = dot<N>(&m[r], rows, &n[c * inner], 1, inner);
      }
    }
    return store<N>(v, rows * columns, out);
  });
}

}  // namespace vyre
