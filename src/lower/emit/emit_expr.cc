#include <fmt/format.h>

#include <cassert>

#include "vyre/base/overloaded.h"
#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_geometry_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/emit/emit_operation_internal.h"
#include "vyre/lower/emit/usual_lanes_internal.h"

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

// The component of a value at a computed index; zero if the index is out of range.
static Val index_value(EmitContext& e, const Val& whole, const Leaf& index, TypeId type) {
  const auto& types = e.program.types;
  const std::uint32_t n = types.component_count(whole.type);
  if (n > 16) {
    // Through memory: a chain of selects over a large array would be slower to make and to run.
    bool any_varying = false;
    for (const Leaf& l : whole.leaves) any_varying = any_varying || l.varying;
    Pointer p;
    p.kind = Pointer::Kind::lanes;
    p.lanes = new_lane_memory(e, whole.leaves.size(), any_varying, "indexed");
    p.offset = uniform_leaf(llvm::ConstantInt::get(e.offset_type(), 0));
    p.pointee = whole.type;
    store_cells(e, p.lanes, whole, nullptr);
    return load_value(e, element_pointer(e, p, index, ScalarKind::u32), type);
  }
  Val out = zero_value(e, type);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Leaf here = lift(e, {index}, [&](auto v) {
      return e.b.CreateICmpEQ(v[0], llvm::ConstantInt::get(v[0]->getType(), i));
    });
    const Val part = part_of(types, whole, i, type);
    for (std::size_t k = 0; k < out.leaves.size(); ++k) {
      out.leaves[k] = select_leaf(e, here, part.leaves[k], out.leaves[k]);
    }
  }
  return out;
}

Val eval(EmitContext& e, EmitFrame& frame, ExprId id) {
  const Expr& expr = e.program[id];
  const auto& types = e.program.types;
  // Pieces of a value are handled one by one.
  constexpr std::uint64_t kMostScalars = 8192;
  if (types.is_constructible(expr.type) && cells_of(e, expr.type) > kMostScalars) {
    e.problem = fmt::format("a value of {} scalars is computed with as a whole; copy its elements",
                            cells_of(e, expr.type));
    return zero_value(e, expr.type);
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
          [&](const ConstantExpr& node) {
            const Constant& c = e.program[node.id];
            Val out;
            out.type = expr.type;
            const auto& fields = fields_of(e, expr.type);
            for (std::size_t i = 0; i < fields.size(); ++i) {
              out.leaves.push_back(constant_leaf(e, fields[i].kind, c.scalars[i]));
            }
            return out;
          },
          [&](const ZeroExpr&) { return zero_value(e, expr.type); },
          [&](const OverrideExpr&) {
            e.problem = "the program still has overrides";
            return zero_value(e, expr.type);
          },
          [&](const LocalExpr& node) { return get_local(e, frame, node.id); },
          [&](const GlobalPtrExpr& node) {
            if (const auto found = e.privates.find(node.id); found != e.privates.end()) {
              Pointer p;
              p.kind = Pointer::Kind::lanes;
              p.lanes = found->second;
              p.offset = uniform_leaf(llvm::ConstantInt::get(e.offset_type(), 0));
              p.offset.row_invariant = true;
              p.pointee = e.program[node.id].type;
              return pointer(p);
            }
            return pointer(e.globals[static_cast<std::size_t>(node.id)]);
          },
          [&](const LocalPtrExpr& node) { return pointer(var_pointer(e, frame, node.id)); },
          [&](const MemberExpr& node) {
            const Val base = eval(e, frame, node.base);
            if (base.pointer) return pointer(member_pointer(e, *base.pointer, node.member));
            return part_of(types, base, node.member, expr.type);
          },
          [&](const IndexExpr& node) {
            const Val base = eval(e, frame, node.base);
            const Leaf i = eval_leaf(e, frame, node.index);
            if (base.pointer) {
              return pointer(element_pointer(e, *base.pointer, i,
                                             *types.scalar_kind(e.program[node.index].type)));
            }
            if (!i.varying) {
              if (const auto* c = llvm::dyn_cast<llvm::ConstantInt>(i.value);
                  c != nullptr && c->getZExtValue() < types.component_count(base.type)) {
                return part_of(types, base, static_cast<std::uint32_t>(c->getZExtValue()),
                               expr.type);
              }
            }
            return index_value(e, base, i, expr.type);
          },
          [&](const LoadExpr& node) {
            if (const LocalSlot* slot = linear_slot(e, frame, node.pointer)) {
              return scalar(load_linear(e, *slot));
            }
            Pointer at = *eval(e, frame, node.pointer).pointer;
            at.walks = e.row_walks != nullptr && e.row_walks->loads.contains(id);
            return load_value(e, at, expr.type);
          },
          [&](const SwizzleExpr& node) {
            const Val base = eval(e, frame, node.vector);
            Val out;
            out.type = expr.type;
            for (std::size_t i = 0; i < node.size; ++i)
              out.leaves.push_back(base.leaves[node.lanes[i]]);
            return out;
          },
          [&](const ConstructExpr& node) {
            Val out;
            out.type = expr.type;
            for (ExprId part : e.program.list(node.parts)) {
              const Val v = eval(e, frame, part);
              out.leaves.append(v.leaves.begin(), v.leaves.end());
            }
            return out;
          },
          [&](const SplatExpr& node) {
            const Leaf leaf = eval_leaf(e, frame, node.scalar);
            Val out;
            out.type = expr.type;
            out.leaves.assign(cells_of(e, expr.type), leaf);
            return out;
          },
          [&](const UnaryExpr& node) {
            const Val a = eval(e, frame, node.operand);
            const auto kind = *types.scalar_kind(a.type);
            return each([&](auto& l) { return emit_unary(e, node.op, kind, l[0]); }, {&a});
          },
          [&](const BinaryExpr& node) {
            const Val left = eval(e, frame, node.left);
            const Val right = eval(e, frame, node.right);
            if (left.type != right.type && (types.get_if<MatrixType>(left.type) != nullptr ||
                                            types.get_if<MatrixType>(right.type) != nullptr)) {
              return emit_matrix_product(e, left, right, expr.type);
            }
            if (types.get_if<MatrixType>(left.type) != nullptr && node.op == BinaryOp::mul) {
              return emit_matrix_product(e, left, right, expr.type);
            }
            const auto kind = *types.scalar_kind(left.type);
            return each([&](auto& l) { return emit_binary(e, node.op, kind, l[0], l[1]); },
                        {&left, &right});
          },
          [&](const SelectExpr& node) {
            const Val off = eval(e, frame, node.on_false);
            const Val on = eval(e, frame, node.on_true);
            const Val c = eval(e, frame, node.condition);
            Val out;
            out.type = expr.type;
            for (std::size_t i = 0; i < on.leaves.size(); ++i) {
              const Leaf& which = c.leaves[c.leaves.size() == 1 ? 0 : i];
              out.leaves.push_back(select_leaf(e, which, on.leaves[i], off.leaves[i]));
              add_usual_choice(e, which, on.leaves[i], off.leaves[i], out.leaves.back());
            }
            return out;
          },
          [&](const ConvertExpr& node) {
            const Val a = eval(e, frame, node.value);
            const auto from = *types.scalar_kind(a.type);
            const auto to = *types.scalar_kind(expr.type);
            return each([&](auto& l) { return emit_convert(e, from, to, l[0]); }, {&a});
          },
          [&](const BitcastExpr& node) {
            return emit_bitcast(e, eval(e, frame, node.value), expr.type);
          },
          [&](const MathExpr& node) {
            llvm::SmallVector<Val, 4> arguments;
            for (ExprId a : e.program.list(node.arguments)) arguments.push_back(eval(e, frame, a));
            return emit_math(e, node.fn, expr.type, arguments);
          },
          [&](const ArrayLengthExpr& node) {
            Leaf leaf = uniform_leaf(array_length(e, *eval(e, frame, node.pointer).pointer));
            leaf.row_invariant = true;
            return scalar(leaf);
          },
          [](const ViewExpr&) {
            assert(false && "specialise replaces views");
            return Val{};
          },
          [&](const InvocationIdExpr& node) {
            Val out;
            out.type = expr.type;
            const auto axes = [&](const Leaf(&three)[3]) {
              out.leaves.append({three[0], three[1], three[2]});
            };
            switch (node.kind) {
              case InvocationIdKind::global_invocation: axes(e.ids.global); break;
              case InvocationIdKind::local_invocation: axes(e.ids.local); break;
              case InvocationIdKind::workgroup: axes(e.ids.workgroup); break;
              case InvocationIdKind::local_invocation_index:
                out.leaves.push_back(e.ids.local_index);
                break;
              case InvocationIdKind::workgroup_count:
                for (Value* g : e.grid) {
                  Leaf leaf = uniform_leaf(g);
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
