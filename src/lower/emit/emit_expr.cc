#include <fmt/format.h>

#include "vyre/base/overloaded.h"
#include "vyre/lower/emit/emitter_internal.h"

namespace vyre {

using llvm::Value;

namespace {

std::uint64_t first_leaf(const TypeTable& types, TypeId composite, std::uint32_t i) {
  if (const auto* s = types.get_if<StructType>(composite)) {
    std::uint64_t first = 0;
    for (std::uint32_t m = 0; m < i; ++m) first += types.scalar_count(s->members[m].type);
    return first;
  }
  return i * types.scalar_count(types.component(composite));
}

Val part_of(const TypeTable& types, const Val& whole, std::uint32_t i, TypeId type) {
  Val out;
  out.type = type;
  const auto first = first_leaf(types, whole.type, i);
  const auto count = types.scalar_count(type);
  for (std::uint64_t k = 0; k < count; ++k) out.leaves.push_back(whole.leaves[first + k]);
  return out;
}

}  // namespace

// A component of a value at a computed index: zero outside.
static Val index_value(Emitter& e, const Val& whole, const Leaf& index, TypeId type) {
  const auto& types = e.program().types;
  const std::uint32_t n = types.component_count(whole.type);
  if (n > 16) {
    // Through memory: a chain of selects over a large array would be slower to make and to run.
    bool any_varying = false;
    for (const Leaf& l : whole.leaves) any_varying = any_varying || l.varying;
    Pointer p;
    p.kind = Pointer::Kind::lanes;
    p.lanes = e.new_lane_memory(whole.leaves.size(), any_varying, "indexed");
    p.offset = e.uniform(llvm::ConstantInt::get(e.offset_type(), 0));
    p.pointee = whole.type;
    e.store_cells(p.lanes, whole, nullptr);
    return e.load(e.index(p, index, ScalarKind::u32), type);
  }
  Val out = e.zero_value(type);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Leaf here = e.lift({index}, [&](auto v) {
      return e.b.CreateICmpEQ(v[0], llvm::ConstantInt::get(v[0]->getType(), i));
    });
    const Val part = part_of(types, whole, i, type);
    for (std::size_t k = 0; k < out.leaves.size(); ++k) {
      out.leaves[k] = e.select(here, part.leaves[k], out.leaves[k]);
    }
  }
  return out;
}

Val Emitter::eval(EmitFrame& frame, ExprId id) {
  const Expr& expr = p_[id];
  const auto& types = p_.types;
  // Pieces of a value are handled one by one.
  constexpr std::uint64_t kMostScalars = 8192;
  if (types.is_constructible(expr.type) && cells_of(expr.type) > kMostScalars) {
    problem = fmt::format("a value of {} scalars is computed with as a whole; copy its elements",
                          cells_of(expr.type));
    return zero_value(expr.type);
  }
  const auto scalar = [&](const Leaf& leaf) {
    Val out;
    out.type = expr.type;
    out.leaves.push_back(leaf);
    return out;
  };
  const auto pointer = [&](const Pointer& p) {
    Val out;
    out.type = expr.type;
    out.pointer = p;
    return out;
  };
  const auto each = [&](auto f, std::initializer_list<const Val*> operands) {
    Val out;
    out.type = expr.type;
    const std::size_t n = (*operands.begin())->leaves.size();
    for (std::size_t i = 0; i < n; ++i) {
      llvm::SmallVector<Leaf, 3> leaves;
      for (const Val* v : operands) leaves.push_back(v->leaves[i]);
      out.leaves.push_back(f(leaves));
    }
    return out;
  };
  return std::visit(
      Overloaded{
          [&](const ConstantExpr& e) {
            const Constant& c = p_[e.id];
            Val out;
            out.type = expr.type;
            const auto& fields = fields_of(expr.type);
            for (std::size_t i = 0; i < fields.size(); ++i) {
              out.leaves.push_back(constant_leaf(fields[i].kind, c.scalars[i]));
            }
            return out;
          },
          [&](const ZeroExpr&) { return zero_value(expr.type); },
          [&](const OverrideExpr&) {
            problem = "the program still has overrides";
            return zero_value(expr.type);
          },
          [&](const LocalExpr& e) { return get_local(frame, e.id); },
          [&](const GlobalPtrExpr& e) {
            if (const auto found = privates.find(e.id); found != privates.end()) {
              Pointer p;
              p.kind = Pointer::Kind::lanes;
              p.lanes = found->second;
              p.offset = uniform(llvm::ConstantInt::get(offset_type(), 0));
              p.offset.row_invariant = true;
              p.pointee = p_[e.id].type;
              return pointer(p);
            }
            return pointer(globals[static_cast<std::size_t>(e.id)]);
          },
          [&](const LocalPtrExpr& e) { return pointer(var_pointer(frame, e.id)); },
          [&](const MemberExpr& e) {
            const Val base = eval(frame, e.base);
            if (base.pointer) return pointer(member(*base.pointer, e.member));
            return part_of(types, base, e.member, expr.type);
          },
          [&](const IndexExpr& e) {
            const Val base = eval(frame, e.base);
            const Leaf i = eval_leaf(frame, e.index);
            if (base.pointer) {
              return pointer(index(*base.pointer, i, *types.scalar_kind(p_[e.index].type)));
            }
            if (!i.varying) {
              if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(i.value);
                  c != nullptr && c->getZExtValue() < types.component_count(base.type)) {
                return part_of(types, base, static_cast<std::uint32_t>(c->getZExtValue()),
                               expr.type);
              }
            }
            return index_value(*this, base, i, expr.type);
          },
          [&](const LoadExpr& e) { return load(*eval(frame, e.pointer).pointer, expr.type); },
          [&](const SwizzleExpr& e) {
            const Val base = eval(frame, e.vector);
            Val out;
            out.type = expr.type;
            for (std::size_t i = 0; i < e.size; ++i) out.leaves.push_back(base.leaves[e.lanes[i]]);
            return out;
          },
          [&](const ConstructExpr& e) {
            Val out;
            out.type = expr.type;
            for (ExprId part : p_.list(e.parts)) {
              const Val v = eval(frame, part);
              out.leaves.append(v.leaves.begin(), v.leaves.end());
            }
            return out;
          },
          [&](const SplatExpr& e) {
            const Leaf leaf = eval_leaf(frame, e.scalar);
            Val out;
            out.type = expr.type;
            out.leaves.assign(cells_of(expr.type), leaf);
            return out;
          },
          [&](const UnaryExpr& e) {
            const Val a = eval(frame, e.operand);
            const auto kind = *types.scalar_kind(a.type);
            return each([&](auto& l) { return unary(e.op, kind, l[0]); }, {&a});
          },
          [&](const BinaryExpr& e) {
            const Val left = eval(frame, e.left);
            const Val right = eval(frame, e.right);
            if (left.type != right.type && (types.get_if<MatrixType>(left.type) != nullptr ||
                                            types.get_if<MatrixType>(right.type) != nullptr)) {
              return matrix_product(left, right, expr.type);
            }
            if (types.get_if<MatrixType>(left.type) != nullptr && e.op == BinaryOp::mul) {
              return matrix_product(left, right, expr.type);
            }
            const auto kind = *types.scalar_kind(left.type);
            return each([&](auto& l) { return binary(e.op, kind, l[0], l[1]); }, {&left, &right});
          },
          [&](const SelectExpr& e) {
            const Val off = eval(frame, e.on_false);
            const Val on = eval(frame, e.on_true);
            const Val c = eval(frame, e.condition);
            Val out;
            out.type = expr.type;
            for (std::size_t i = 0; i < on.leaves.size(); ++i) {
              const Leaf& which = c.leaves[c.leaves.size() == 1 ? 0 : i];
              out.leaves.push_back(select(which, on.leaves[i], off.leaves[i]));
            }
            return out;
          },
          [&](const ConvertExpr& e) {
            const Val a = eval(frame, e.value);
            const auto from = *types.scalar_kind(a.type);
            const auto to = *types.scalar_kind(expr.type);
            return each([&](auto& l) { return convert(from, to, l[0]); }, {&a});
          },
          [&](const BitcastExpr& e) { return bitcast(eval(frame, e.value), expr.type); },
          [&](const MathExpr& e) {
            llvm::SmallVector<Val, 4> arguments;
            for (ExprId a : p_.list(e.arguments)) arguments.push_back(eval(frame, a));
            return math(e.fn, expr.type, arguments);
          },
          [&](const ArrayLengthExpr& e) {
            Leaf leaf = uniform(array_length(*eval(frame, e.pointer).pointer));
            leaf.row_invariant = true;
            return scalar(leaf);
          },
          [&](const InvocationIdExpr& e) {
            Val out;
            out.type = expr.type;
            const auto axes = [&](const Leaf(&three)[3]) {
              out.leaves.append({three[0], three[1], three[2]});
            };
            switch (e.kind) {
              case InvocationIdKind::global_invocation: axes(ids.global); break;
              case InvocationIdKind::local_invocation: axes(ids.local); break;
              case InvocationIdKind::workgroup: axes(ids.workgroup); break;
              case InvocationIdKind::local_invocation_index:
                out.leaves.push_back(ids.local_index);
                break;
              case InvocationIdKind::workgroup_count:
                for (Value* g : grid) {
                  Leaf leaf = uniform(g);
                  leaf.row_invariant = true;
                  out.leaves.push_back(leaf);
                }
                break;
            }
            return out;
          },
      },
      expr.node);
}

}  // namespace vyre
