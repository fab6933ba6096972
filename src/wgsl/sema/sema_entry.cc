// Compute entry points: workgroup size and builtin inputs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vyre/wgsl/sema/sema_attributes.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_memory.h"
#include "vyre/wgsl/sema/sema_module.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_stage.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

using ast::AttributeKind;

// ---- Workgroup size

bool check_workgroup_size(Context& cx, const ast::Function& function, EntryPoint& entry) {
  const auto* attribute = find_attribute(function.attributes, AttributeKind::workgroup_size);
  if (attribute == nullptr) {
    cx.error(function.name.span, fmt::format("the compute entry point '{}' has no @workgroup_size",
                                             function.name.text));
    return false;
  }
  std::vector<Value> sizes;
  std::optional<TypeId> common;
  for (const ast::Expr* written : attribute->arguments) {
    sizes.push_back(check_value(cx, *written));
    const Value& size = sizes.back();
    if (size.failed()) return false;
    const auto* scalar = cx.types().get_if<ScalarType>(size.type);
    const auto wider = common ? common_type(cx.types(), *common, size.type) : size.type;
    if (scalar == nullptr || !is_integer(scalar->kind) || !wider || size.phase == Phase::runtime) {
      cx.error(written->span,
               "@workgroup_size takes constant or override expressions, all i32 or all u32");
      return false;
    }
    common = wider;
  }
  const TypeId type = concrete_type(cx.types(), *common);
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const Value size = convert(cx, sizes[axis], type);
    if (size.failed()) return false;
    if (size.phase == Phase::override_) {
      entry.workgroup_exprs[axis] = size.expr;
      continue;
    }
    const std::int64_t number = Scalar{*cx.types().scalar_kind(type), size.bits()}.as_int();
    if (number < 1) {
      cx.error(size.span, fmt::format("@workgroup_size is {}; it must be at least 1", number));
      return false;
    }
    entry.workgroup[axis] = static_cast<std::uint32_t>(number);
  }
  return true;
}

// @subgroup_size is checked against the devices when overrides have their values.
bool check_subgroup_size(Context& cx, const ast::Function& function, EntryPoint& entry) {
  const auto* attribute = find_attribute(function.attributes, AttributeKind::subgroup_size);
  if (attribute == nullptr) return true;
  if (!cx.needs_extension("subgroup_size_control", "@subgroup_size", attribute->span)) return false;
  const Value size = concretize(cx, check_value(cx, *attribute->arguments[0]));
  if (size.failed()) return false;
  const auto* scalar = cx.types().get_if<ScalarType>(size.type);
  if (scalar == nullptr || !is_integer(scalar->kind) || size.phase == Phase::runtime) {
    cx.error(size.span, "@subgroup_size takes a constant or override expression, i32 or u32");
    return false;
  }
  if (size.is_constant()) {
    const std::int64_t number = Scalar{scalar->kind, size.bits()}.as_int();
    if (number < 1 || !std::has_single_bit(static_cast<std::uint64_t>(number))) {
      cx.error(size.span, fmt::format("@subgroup_size is {}; it must be a power of two", number));
      return false;
    }
  }
  entry.subgroup_size = emit(cx, size);
  return true;
}

// ---- Inputs

struct Input {
  std::string_view name;
  InvocationIdKind id = InvocationIdKind::global_invocation;
  bool vector = true;     // vec3<u32>; otherwise u32
  bool computed = false;  // from other ids
};
constexpr Input kInputs[] = {
    {"global_invocation_id", InvocationIdKind::global_invocation},
    {"local_invocation_id", InvocationIdKind::local_invocation},
    {"local_invocation_index", InvocationIdKind::local_invocation_index, false},
    {"workgroup_id", InvocationIdKind::workgroup},
    {"num_workgroups", InvocationIdKind::workgroup_count},
    {"global_invocation_index", InvocationIdKind::global_invocation, false, true},
    {"workgroup_index", InvocationIdKind::workgroup, false, true},
    {"subgroup_invocation_id", InvocationIdKind::local_invocation_index, false, true},
    {"subgroup_id", InvocationIdKind::local_invocation_index, false, true},
    {"subgroup_size", InvocationIdKind::local_invocation_index, false, true},
    {"num_subgroups", InvocationIdKind::local_invocation_index, false, true},
};

class Inputs {
 public:
  Inputs(Context& cx, const EntryPoint& entry)
      : cx_(cx), entry_(entry), u32_(cx.types().scalar(ScalarKind::u32)) {}

  // The value of an input with these attributes and this type.
  std::optional<Value> input(ast::AttributeList attributes, TypeId type, const ast::Name& name) {
    check_attributes(cx_, attributes, "an input of a compute entry point",
                     {AttributeKind::builtin});
    const auto* attribute = find_attribute(attributes, AttributeKind::builtin);
    if (attribute == nullptr) {
      cx_.error(name.span,
                fmt::format("the input '{}' of a compute entry point needs @builtin", name.text));
      return std::nullopt;
    }
    const Input* known = find(*attribute);
    if (known == nullptr) return std::nullopt;
    const TypeId expected = known->vector ? cx_.types().vector(ScalarKind::u32, 3) : u32_;
    if (type != expected) {
      cx_.error(name.span, fmt::format("@builtin({}) is {}; '{}' is {}", known->name,
                                       cx_.spell(expected), name.text, cx_.spell(type)));
      return std::nullopt;
    }
    if (!seen_.emplace(known->name, name.span).second) {
      cx_.error(name.span, fmt::format("@builtin({}) is an input twice", known->name));
      return std::nullopt;
    }
    span_ = name.span;
    if (!known->computed) return value(expected, InvocationIdExpr{known->id});
    return computed_input(known->name);
  }

 private:
  const Input* find(const ast::Attribute& attribute) {
    const StageBuiltin* builtin = find_builtin(cx_, attribute, Direction::compute_in);
    if (builtin == nullptr) return nullptr;
    return std::ranges::find(kInputs, builtin->name, &Input::name);
  }

  Value value(TypeId type, ExprNode node) {
    return computed(cx_, type, node, Phase::runtime, false, span_);
  }
  Value computed_input(std::string_view name) {
    const auto local_index = [&] {
      return value(u32_, InvocationIdExpr{InvocationIdKind::local_invocation_index}).expr;
    };
    if (name == "workgroup_index") return workgroup_index();
    if (name == "global_invocation_index") return global_index();
    if (name == "subgroup_invocation_id") {
      return value(u32_, BinaryExpr{BinaryOp::bit_and, local_index(), number(kSubgroupSize - 1)});
    }
    if (name == "subgroup_id") {
      return value(u32_, BinaryExpr{BinaryOp::shift_right, local_index(), number(5)});
    }
    // These two are known before the kernel runs, and WGSL's rules for such values do not apply to
    // them: a let keeps them apart.
    if (name == "subgroup_size") {
      Value size = value(u32_, ZeroExpr{});
      size.expr = number(kSubgroupSize);
      return emit_let(cx_, name, size);
    }
    const ExprId plane = mul(workgroup_axis(0), workgroup_axis(1));
    const ExprId all = mul(plane, workgroup_axis(2));
    const Value count = value(
        u32_, BinaryExpr{BinaryOp::shift_right, add(all, number(kSubgroupSize - 1)), number(5)});
    return emit_let(cx_, name, count);
  }
  ExprId number(std::uint32_t n) { return emit(cx_, make_constant(cx_, Scalar::of(n), span_)); }
  ExprId axis(InvocationIdKind kind, std::uint8_t lane) {
    const Value id = value(cx_.types().vector(ScalarKind::u32, 3), InvocationIdExpr{kind});
    return value(u32_, SwizzleExpr{id.expr, 1, {lane}}).expr;
  }
  ExprId op(BinaryOp op, ExprId a, ExprId b) { return value(u32_, BinaryExpr{op, a, b}).expr; }
  ExprId add(ExprId a, ExprId b) { return op(BinaryOp::add, a, b); }
  ExprId mul(ExprId a, ExprId b) { return op(BinaryOp::mul, a, b); }

  // x + (y + z * height) * width
  Value linear(InvocationIdKind kind, ExprId width, ExprId height) {
    const ExprId rows = add(axis(kind, 1), mul(axis(kind, 2), height));
    return value(u32_, BinaryExpr{BinaryOp::add, axis(kind, 0), mul(rows, width)});
  }
  Value workgroup_index() {
    const ExprId width = axis(InvocationIdKind::workgroup_count, 0);
    const ExprId height = axis(InvocationIdKind::workgroup_count, 1);
    return linear(InvocationIdKind::workgroup, width, height);
  }
  Value global_index() {
    const ExprId width = mul(axis(InvocationIdKind::workgroup_count, 0), workgroup_axis(0));
    const ExprId height = mul(axis(InvocationIdKind::workgroup_count, 1), workgroup_axis(1));
    return linear(InvocationIdKind::global_invocation, width, height);
  }
  ExprId workgroup_axis(std::size_t i) {
    const ExprId expr = entry_.workgroup_exprs[i];
    if (expr == kNoExpr) {
      return emit(cx_, make_constant(cx_, Scalar::of(entry_.workgroup[i]), span_));
    }
    const ExprId copy = clone(cx_, expr, span_);
    return cx_.program[copy].type == u32_ ? copy : value(u32_, ConvertExpr{copy}).expr;
  }

  Context& cx_;
  const EntryPoint& entry_;
  TypeId u32_;
  Span span_;
  std::unordered_map<std::string_view, Span> seen_;
};

std::optional<Value> struct_input(Context& cx, Inputs& inputs, TypeId type, Span span) {
  const auto written = cx.structs.find(static_cast<std::uint32_t>(type));
  if (written == cx.structs.end()) return std::nullopt;
  std::vector<ExprId> parts;
  for (const ast::StructMember& member : written->second->members) {
    const TypeId part = cx.types().component(type, static_cast<std::uint32_t>(parts.size()));
    const auto value = inputs.input(member.attributes, part, member.name);
    if (!value) return std::nullopt;
    parts.push_back(value->expr);
  }
  return computed(cx, type, ConstructExpr{cx.writer.list(parts)}, Phase::runtime, false, span);
}

}  // namespace

bool check_entry(Context& cx, const ast::Function& function, EntryPoint& entry) {
  bool fine = check_workgroup_size(cx, function, entry);
  fine = check_subgroup_size(cx, function, entry) && fine;
  if (function.return_type != nullptr) {
    cx.error(function.return_type->span,
             fmt::format("the compute entry point '{}' cannot return a value", function.name.text));
    fine = false;
  }
  // The header cannot refer to parameters: all types are resolved before the first one is declared.
  std::vector<std::optional<TypeId>> types;
  for (const ast::Parameter& p : function.parameters) types.push_back(resolve_type(cx, *p.type));
  Inputs inputs(cx, entry);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const ast::Parameter& parameter = function.parameters[i];
    Symbol symbol;
    if (const auto type = types[i]) {
      const bool structure =
          cx.types().get_if<StructType>(*type) != nullptr &&
          find_attribute(parameter.attributes, AttributeKind::builtin) == nullptr;
      const auto value = structure ? struct_input(cx, inputs, *type, parameter.name.span)
                                   : inputs.input(parameter.attributes, *type, parameter.name);
      if (value) symbol.what = TreeSymbol{*value};
      fine = fine && value;
    } else {
      fine = false;
    }
    declare(cx, parameter.name, std::move(symbol));
  }
  return fine;
}

}  // namespace vyre::sema
