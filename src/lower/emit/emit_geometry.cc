// Functions of whole vectors and matrices: chains of fused multiply-adds, first product rounded, as
// the table in vyre/ir/operation.h has them.
#include "vyre/lower/emit/emit_geometry_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_operation_internal.h"

namespace vyre {

namespace {

struct Arithmetic {
  EmitContext& e;
  ScalarKind kind;

  Leaf add(const Leaf& x, const Leaf& y) const { return emit_binary(e, BinaryOp::add, kind, x, y); }
  Leaf sub(const Leaf& x, const Leaf& y) const { return emit_binary(e, BinaryOp::sub, kind, x, y); }
  Leaf mul(const Leaf& x, const Leaf& y) const { return emit_binary(e, BinaryOp::mul, kind, x, y); }
  Leaf div(const Leaf& x, const Leaf& y) const { return emit_binary(e, BinaryOp::div, kind, x, y); }
  Leaf neg(const Leaf& x) const { return emit_unary(e, UnaryOp::negate, kind, x); }
  Leaf fma(const Leaf& x, const Leaf& y, const Leaf& z) const {
    return is_float(kind) ? emit_fma(e, kind, x, y, z) : add(mul(x, y), z);
  }
  Leaf constant(float v) const {
    return kind == ScalarKind::f16 ? constant_leaf(e, Scalar::of_f16(v))
                                   : constant_leaf(e, Scalar::of(v));
  }
  Leaf sqrt(const Leaf& x) const {
    const Leaf wide = emit_convert(e, kind, ScalarKind::f32, x);
    const Leaf root = lift(e, {wide}, [&](auto v) { return emit_square_root(e, v[0]); });
    return emit_convert(e, ScalarKind::f32, kind, root);
  }
  Leaf fabs(const Leaf& x) const {
    return lift(e, {x},
                [&](auto v) { return e.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v[0]); });
  }
  // a·b - c·d
  Leaf cross_term(const Leaf& a, const Leaf& b, const Leaf& c, const Leaf& d) const {
    return fma(neg(c), d, mul(a, b));
  }
  Leaf dot(const Leaf* a, std::size_t a_step, const Leaf* b, std::size_t n) const {
    Leaf sum = mul(a[0], b[0]);
    for (std::size_t i = 1; i < n; ++i) sum = fma(a[i * a_step], b[i], sum);
    return sum;
  }
  Leaf length(llvm::ArrayRef<Leaf> v) const {
    return v.size() == 1 ? fabs(v[0]) : sqrt(dot(v.data(), 1, v.data(), v.size()));
  }
  Leaf determinant(llvm::ArrayRef<Leaf> m, std::size_t n) const {
    if (n == 2) return cross_term(m[0], m[3], m[2], m[1]);
    Leaf sum;
    for (std::size_t row = 0; row < n; ++row) {
      llvm::SmallVector<Leaf, 9> minor;
      for (std::size_t c = 1; c < n; ++c) {
        for (std::size_t r = 0; r < n; ++r) {
          if (r != row) minor.push_back(m[c * n + r]);
        }
      }
      const Leaf cofactor = determinant(minor, n - 1);
      if (row == 0) {
        sum = mul(m[0], cofactor);
      } else {
        sum = fma(row % 2 == 0 ? m[row] : neg(m[row]), cofactor, sum);
      }
    }
    return sum;
  }
};

}  // namespace

Val emit_geometry(EmitContext& e, MathFn fn, TypeId result, llvm::ArrayRef<Val> arguments) {
  const auto& types = e.program.types;
  const Arithmetic m{e, *types.scalar_kind(arguments[0].type)};
  llvm::ArrayRef<Leaf> a = arguments[0].leaves;
  llvm::ArrayRef<Leaf> b =
      arguments.size() > 1 ? llvm::ArrayRef<Leaf>(arguments[1].leaves) : llvm::ArrayRef<Leaf>();
  const std::size_t n = a.size();
  Val out;
  out.type = result;
  auto& v = out.leaves;
  switch (fn) {
    case MathFn::dot: v.push_back(m.dot(a.data(), 1, b.data(), n)); break;
    case MathFn::length: v.push_back(m.length(a)); break;
    case MathFn::distance: {
      llvm::SmallVector<Leaf, 4> d;
      for (std::size_t i = 0; i < n; ++i) d.push_back(m.sub(a[i], b[i]));
      v.push_back(m.length(d));
      break;
    }
    case MathFn::determinant: {
      const auto* type = types.get_if<MatrixType>(arguments[0].type);
      v.push_back(m.determinant(a, type->columns));
      break;
    }
    case MathFn::cross:
      v = {m.cross_term(a[1], b[2], a[2], b[1]), m.cross_term(a[2], b[0], a[0], b[2]),
           m.cross_term(a[0], b[1], a[1], b[0])};
      break;
    case MathFn::normalize: {
      const Leaf size = m.length(a);
      for (const Leaf& x : a) v.push_back(m.div(x, size));
      break;
    }
    case MathFn::face_forward: {
      const Leaf d = m.dot(b.data(), 1, arguments[2].leaves.data(), n);
      const Leaf keeps = emit_binary(e, BinaryOp::less, m.kind, d, m.constant(0));
      for (const Leaf& x : a) v.push_back(select_leaf(e, keeps, x, m.neg(x)));
      break;
    }
    case MathFn::reflect: {
      const Leaf twice = m.mul(m.constant(2), m.dot(b.data(), 1, a.data(), n));
      for (std::size_t i = 0; i < n; ++i) v.push_back(m.fma(m.neg(twice), b[i], a[i]));
      break;
    }
    case MathFn::refract: {
      const Leaf& eta = arguments[2].leaves[0];
      const Leaf d = m.dot(b.data(), 1, a.data(), n);
      const Leaf k =
          m.fma(m.neg(m.mul(eta, eta)), m.fma(m.neg(d), d, m.constant(1)), m.constant(1));
      const Leaf total = emit_binary(e, BinaryOp::less, m.kind, k, m.constant(0));
      const Leaf along = m.fma(eta, d, m.sqrt(k));
      for (std::size_t i = 0; i < n; ++i) {
        v.push_back(select_leaf(e, total, m.constant(0), m.cross_term(eta, a[i], along, b[i])));
      }
      break;
    }
    case MathFn::transpose: {
      const auto* type = types.get_if<MatrixType>(arguments[0].type);
      for (std::size_t r = 0; r < type->rows; ++r) {
        for (std::size_t c = 0; c < type->columns; ++c) v.push_back(a[c * type->rows + r]);
      }
      break;
    }
    default: e.problem = "a builtin function is unknown to the emitter"; break;
  }
  return out;
}

Val emit_matrix_product(EmitContext& e, const Val& x, const Val& y, TypeId result) {
  const auto* left = e.program.types.get_if<MatrixType>(x.type);
  const auto* right = e.program.types.get_if<MatrixType>(y.type);
  const Arithmetic m{e, *e.program.types.scalar_kind(x.type)};
  Val out;
  out.type = result;
  if (x.leaves.size() == 1 || y.leaves.size() == 1) {
    const std::size_t n = std::max(x.leaves.size(), y.leaves.size());
    for (std::size_t i = 0; i < n; ++i) {
      out.leaves.push_back(
          m.mul(x.leaves[x.leaves.size() == 1 ? 0 : i], y.leaves[y.leaves.size() == 1 ? 0 : i]));
    }
    return out;
  }
  // A vector on the left is one row, on the right one column.
  const std::size_t rows = left != nullptr ? left->rows : 1;
  const std::size_t inner = left != nullptr ? left->columns : x.leaves.size();
  const std::size_t columns = right != nullptr ? right->columns : 1;
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) {
      out.leaves.push_back(m.dot(&x.leaves[r], rows, &y.leaves[c * inner], inner));
    }
  }
  return out;
}

}  // namespace vyre
