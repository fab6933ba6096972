#include "vyre/ir/print_expr.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "vyre/base/overloaded.h"

namespace vyre {
namespace {

// Programs that were not validated can be printed too: invalid ids and endless depth are shown.
constexpr std::string_view kTooDeep = "...";

template <class Id, class T>
bool known(Id id, const std::vector<T>& in) {
  return static_cast<std::size_t>(id) < in.size();
}

template <class Id>
std::string bad(std::string_view what, Id id) {
  return fmt::format("<unknown {} {}>", what, static_cast<std::uint32_t>(id));
}

std::string float_text(double value, ScalarKind kind, std::uint64_t bits) {
  if (!std::isfinite(value)) return fmt::format("{}(0x{:x})", to_string(kind), bits);
  if (kind == ScalarKind::f32) return fmt::format("{}f", static_cast<float>(value));
  if (kind == ScalarKind::f16) return fmt::format("{}h", static_cast<float>(value));
  return fmt::format("{}", value);
}

std::string_view id_name(InvocationIdKind kind) {
  switch (kind) {
    case InvocationIdKind::global_invocation: return "global_invocation_id";
    case InvocationIdKind::local_invocation: return "local_invocation_id";
    case InvocationIdKind::local_invocation_index: return "local_invocation_index";
    case InvocationIdKind::workgroup: return "workgroup_id";
    case InvocationIdKind::workgroup_count: return "num_workgroups";
  }
  return "unknown_id";
}

}  // namespace

std::vector<std::string> unique_names(const std::vector<std::string>& names) {
  std::unordered_set<std::string> taken(names.begin(), names.end());
  std::unordered_set<std::string> used;
  std::vector<std::string> out;
  out.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string name = names[i];
    if (name.empty() || used.contains(name)) {
      name = fmt::format("{}_{}", names[i], i);
      while (taken.contains(name)) name += '_';
      taken.insert(name);
    }
    used.insert(name);
    out.push_back(std::move(name));
  }
  return out;
}

PrintNames::PrintNames(const Program& program) {
  const auto collect = [](const auto& declarations) {
    std::vector<std::string> names;
    names.reserve(declarations.size());
    for (const auto& d : declarations) names.push_back(d.name);
    return unique_names(names);
  };
  globals = collect(program.globals);
  functions = collect(program.functions);
  overrides = collect(program.overrides);
}

ExprPrinter::ExprPrinter(const Program& program, const PrintNames& names)
    : program_(program),
      names_(names),
      left_(100 + 4 * (program.exprs.size() + program.stmts.size())) {}

std::string ExprPrinter::local(LocalId id) const {
  return known(id, names_.locals) ? "%" + names_.locals[static_cast<std::size_t>(id)]
                                  : bad("local", id);
}

std::string ExprPrinter::function(FunctionId id) const {
  return known(id, names_.functions) ? names_.functions[static_cast<std::size_t>(id)]
                                     : bad("function", id);
}

std::string ExprPrinter::type(TypeId id) const {
  if (static_cast<std::size_t>(id) >= program_.types.size()) return bad("type", id);
  const auto* pointer = program_.types.get_if<PointerType>(id);
  const auto* array = program_.types.get_if<ArrayType>(pointer != nullptr ? pointer->pointee : id);
  if (array == nullptr || array->count_expr == kNoExpr) return program_.types.spell(id);
  std::string text =
      fmt::format("array<{}, {}>", program_.types.spell(array->element), expr(array->count_expr));
  if (pointer != nullptr) text = fmt::format("ptr<{}, {}>", to_string(pointer->memory), text);
  return text;
}

std::string ExprPrinter::scalar(ScalarKind kind, std::uint64_t bits) const {
  const Scalar value{kind, bits};
  switch (kind) {
    case ScalarKind::boolean: return value.as_bool() ? "true" : "false";
    case ScalarKind::i32: return fmt::format("{}i", value.as_i32());
    case ScalarKind::u32: return fmt::format("{}u", value.as_u32());
    case ScalarKind::abstract_int: return fmt::format("{}", value.as_int());
    case ScalarKind::f32:
    case ScalarKind::f16:
    case ScalarKind::abstract_float: break;
  }
  return float_text(value.as_double(), kind, bits);
}

std::string ExprPrinter::constant_part(TypeId id, const std::vector<std::uint64_t>& scalars,
                                       std::size_t& next) const {
  const TypeTable& types = program_.types;
  if (types.get_if<ScalarType>(id) != nullptr || types.get_if<VectorType>(id) != nullptr ||
      types.get_if<MatrixType>(id) != nullptr) {
    const ScalarKind kind = *types.scalar_kind(id);
    std::string text;
    for (std::uint64_t i = 0; i < types.scalar_count(id); ++i) {
      if (next >= scalars.size()) return text + "<missing>";
      text += (i == 0 ? "" : ", ") + scalar(kind, scalars[next++]);
    }
    return types.get_if<ScalarType>(id) != nullptr ? text
                                                   : fmt::format("{}({})", types.spell(id), text);
  }
  std::string text;
  for (std::uint32_t i = 0; i < types.component_count(id); ++i) {
    if (next >= scalars.size()) return fmt::format("{}({}<missing>)", types.spell(id), text);
    text += (i == 0 ? "" : ", ") + constant_part(types.component(id, i), scalars, next);
  }
  return fmt::format("{}({})", types.spell(id), text);
}

std::string ExprPrinter::constant(const Constant& constant) const {
  if (static_cast<std::size_t>(constant.type) >= program_.types.size()) {
    return bad("type", constant.type);
  }
  if (program_.types.nesting(constant.type) > kMaxTypeNesting) return std::string(kTooDeep);
  std::size_t next = 0;
  return constant_part(constant.type, constant.scalars, next);
}

std::string ExprPrinter::list(ExprRange range, std::uint32_t depth) const {
  if (std::uint64_t{range.first} + range.count > program_.expr_lists.size()) {
    return bad("list", range.first);
  }
  std::string text;
  for (const ExprId id : program_.list(range)) text += (text.empty() ? "" : ", ") + expr(id, depth);
  return text;
}

// The operand of a member, index or swizzle.
std::string ExprPrinter::postfix_base(ExprId id, std::uint32_t depth) const {
  std::string text = expr(id, depth);
  if (!known(id, program_.exprs)) return text;
  const ExprNode& node = program_[id].node;
  if (std::holds_alternative<LoadExpr>(node) || std::holds_alternative<UnaryExpr>(node)) {
    return "(" + text + ")";
  }
  return text;
}

std::string ExprPrinter::expr(ExprId id, std::uint32_t depth) const {
  if (!known(id, program_.exprs)) return bad("expression", id);
  if (depth > kMaxExprDepth || !spend()) return std::string(kTooDeep);
  return node(program_[id], depth + 1);
}

std::string ExprPrinter::node(const Expr& e, std::uint32_t depth) const {
  return std::visit(
      Overloaded{
          [&](const ConstantExpr& n) {
            return known(n.id, program_.constants) ? constant(program_[n.id])
                                                   : bad("constant", n.id);
          },
          [&](const ZeroExpr&) { return fmt::format("{}()", type(e.type)); },
          [&](const OverrideExpr& n) {
            return known(n.id, names_.overrides) ? names_.overrides[static_cast<std::size_t>(n.id)]
                                                 : bad("override", n.id);
          },
          [&](const LocalExpr& n) { return local(n.id); },
          [&](const GlobalPtrExpr& n) {
            return known(n.id, names_.globals)
                       ? "@" + names_.globals[static_cast<std::size_t>(n.id)]
                       : bad("global", n.id);
          },
          [&](const LocalPtrExpr& n) { return local(n.id); },
          [&](const MemberExpr& n) {
            std::string base = postfix_base(n.base, depth);
            if (known(n.base, program_.exprs)) {
              TypeId of = program_[n.base].type;
              if (static_cast<std::size_t>(of) >= program_.types.size()) of = TypeId{0};
              if (const auto* p = program_.types.get_if<PointerType>(of)) of = p->pointee;
              const auto* s = program_.types.get_if<StructType>(of);
              if (s != nullptr && n.member < s->members.size()) {
                return fmt::format("{}.{}", base, s->members[n.member].name);
              }
            }
            return fmt::format("{}.{}", base, bad("member", n.member));
          },
          [&](const IndexExpr& n) {
            return fmt::format("{}[{}]", postfix_base(n.base, depth), expr(n.index, depth));
          },
          [&](const LoadExpr& n) { return "load " + expr(n.pointer, depth); },
          [&](const SwizzleExpr& n) {
            std::string lanes;
            for (std::size_t i = 0; i < n.size && i < n.lanes.size(); ++i) {
              lanes += n.lanes[i] < 4 ? "xyzw"[n.lanes[i]] : '?';
            }
            return fmt::format("{}.{}", postfix_base(n.vector, depth), lanes);
          },
          [&](const ConstructExpr& n) {
            return fmt::format("{}({})", type(e.type), list(n.parts, depth));
          },
          [&](const SplatExpr& n) {
            return fmt::format("splat<{}>({})", type(e.type), expr(n.scalar, depth));
          },
          [&](const UnaryExpr& n) {
            return fmt::format("{}{}", to_string(n.op), expr(n.operand, depth));
          },
          [&](const BinaryExpr& n) {
            return fmt::format("({} {} {})", expr(n.left, depth), to_string(n.op),
                               expr(n.right, depth));
          },
          [&](const SelectExpr& n) {
            return fmt::format("select({}, {}, {})", expr(n.on_false, depth),
                               expr(n.on_true, depth), expr(n.condition, depth));
          },
          [&](const ConvertExpr& n) {
            return fmt::format("convert<{}>({})", type(e.type), expr(n.value, depth));
          },
          [&](const BitcastExpr& n) {
            return fmt::format("bitcast<{}>({})", type(e.type), expr(n.value, depth));
          },
          [&](const MathExpr& n) {
            return fmt::format("{}({})", to_string(n.fn), list(n.arguments, depth));
          },
          [&](const ArrayLengthExpr& n) {
            return fmt::format("arrayLength({})", expr(n.pointer, depth));
          },
          [&](const ViewExpr& n) {
            const std::string size = n.size == kNoExpr ? std::string() : ", " + expr(n.size, depth);
            return fmt::format("view<{}>({}, {}{})", program_.types.spell(e.type),
                               expr(n.buffer, depth), expr(n.offset, depth), size);
          },
          [](const InvocationIdExpr& n) { return std::string(id_name(n.kind)); },
      },
      e.node);
}

}  // namespace vyre
