#include "vyre/ir/specialise.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "vyre/ir/argument_rules.h"
#include "vyre/ir/fold_constants.h"
#include "vyre/ir/views/expand_views.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

std::string known_overrides(const Program& program) {
  std::string names;
  for (const Override& o : program.overrides) names += (names.empty() ? "" : ", ") + o.name;
  return names;
}

std::optional<std::size_t> find_override(const Program& program, const std::string& name) {
  for (std::size_t i = 0; i < program.overrides.size(); ++i) {
    const Override& o = program.overrides[i];
    if (o.name == name || (o.id && std::to_string(*o.id) == name)) return i;
  }
  return std::nullopt;
}

bool is_whole_within(double value, double low, double high) {
  return value >= low && value <= high && std::trunc(value) == value;
}

// Empty when the kind cannot hold the value. A float takes the nearest value it has.
std::optional<Scalar> scalar_from(double value, ScalarKind kind) {
  switch (kind) {
    case ScalarKind::boolean: return Scalar::of(value != 0 && !std::isnan(value));
    case ScalarKind::i32:
      if (!is_whole_within(value, -2147483648.0, 2147483647.0)) return std::nullopt;
      return Scalar::of(static_cast<std::int32_t>(value));
    case ScalarKind::u32:
      if (!is_whole_within(value, 0.0, 4294967295.0)) return std::nullopt;
      return Scalar::of(static_cast<std::uint32_t>(value));
    case ScalarKind::f32: {
      if (!(std::abs(value) <= double{std::numeric_limits<float>::max()})) return std::nullopt;
      return Scalar::of(static_cast<float>(value));
    }
    case ScalarKind::f16: {
      const Scalar half{ScalarKind::f16, double_to_f16(value)};
      if (!std::isfinite(half.as_double())) return std::nullopt;
      return half;
    }
    case ScalarKind::abstract_int:
    case ScalarKind::abstract_float: break;
  }
  return std::nullopt;
}

Result<std::vector<std::optional<Scalar>>> given_values(const Program& program,
                                                        std::span<const OverrideValue> values) {
  std::vector<std::optional<Scalar>> given(program.overrides.size());
  for (const OverrideValue& v : values) {
    const auto index = find_override(program, v.name);
    if (!index) {
      const std::string known = known_overrides(program);
      return fail(Code::invalid_input,
                  fmt::format("'{}' has no override '{}'", program.name, v.name),
                  known.empty() ? "it has no overrides" : "its overrides are: " + known);
    }
    const Override& o = program.overrides[*index];
    if (given[*index]) {
      return fail(Code::invalid_input, fmt::format("override '{}' is given twice", o.name));
    }
    const ScalarKind kind = program.types.scalar_kind(o.type).value_or(ScalarKind::u32);
    given[*index] = scalar_from(v.value, kind);
    if (!given[*index]) {
      return fail(Code::invalid_input, fmt::format("override '{}' is {}, which cannot be {}",
                                                   o.name, to_string(kind), v.value));
    }
  }
  return given;
}

// A size given by an expression: at least 1, at most what fits 32 bits.
Result<std::uint32_t> positive(Folder& folder, const Program& program, ExprId expr,
                               const std::string& what) {
  VYRE_TRY(const Scalar size, folder.scalar(expr));
  if (size.as_int() < 1) {
    return fail(Code::invalid_input,
                locate(program, program[expr].pos,
                       fmt::format("{} is {}; it must be at least 1", what, size.as_int())));
  }
  return static_cast<std::uint32_t>(size.as_int());
}

Result<void> size_workgroup(Program& program, Folder& folder) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    ExprId& expr = program.workgroup_exprs[axis];
    if (expr == kNoExpr) continue;
    const std::string what = fmt::format("workgroup size {}", "xyz"[axis]);
    VYRE_TRY(program.workgroup[axis], positive(folder, program, expr, what));
    expr = kNoExpr;
  }
  return {};
}

// After size_workgroup.
Result<void> check_subgroup_size(Program& program, Folder& folder) {
  if (program.subgroup_size == kNoExpr) return {};
  const SourcePos pos = program[program.subgroup_size].pos;
  VYRE_TRY(const std::uint32_t size,
           positive(folder, program, program.subgroup_size, "the subgroup size"));
  program.subgroup_size = kNoExpr;
  if (!std::has_single_bit(size)) {
    return fail(Code::invalid_input,
                locate(program, pos,
                       fmt::format("the subgroup size is {}; it must be a power of two", size)));
  }
  if (size != kSubgroupSize) {
    return fail(Code::limit,
                locate(program, pos,
                       fmt::format("the subgroup size is {}; all devices have subgroups of {}",
                                   size, kSubgroupSize)));
  }
  if (program.workgroup[0] % size != 0) {
    return fail(Code::invalid_input,
                locate(program, pos,
                       fmt::format("the workgroup has {} invocations along x, which is no multiple "
                                   "of the subgroup size {}",
                                   program.workgroup[0], size)));
  }
  return {};
}

// The types that memory of the program has, with what they are made of.
std::vector<bool> types_in_use(const Program& program) {
  std::vector<bool> used(program.types.size(), false);
  for (const Global& g : program.globals) used[static_cast<std::size_t>(g.type)] = true;
  for (std::size_t i = used.size(); i-- > 0;) {
    if (!used[i]) continue;
    const auto id = static_cast<TypeId>(i);
    const auto* s = program.types.get_if<StructType>(id);
    const std::size_t parts = s != nullptr ? s->members.size() : 1;
    for (std::uint32_t part = 0; part < parts; ++part) {
      used[static_cast<std::size_t>(program.types.component(id, part))] = true;
    }
  }
  return used;
}

Result<void> size_arrays(Program& program, Folder& folder) {
  const std::vector<bool> used = types_in_use(program);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const auto id = static_cast<TypeId>(i);
    const auto* array = program.types.get_if<ArrayType>(id);
    if (array == nullptr || array->count_expr == kNoExpr) continue;
    const ExprId expr = array->count_expr;
    // A type that no memory has needs no value for its size, only an end to its expression.
    std::uint32_t count = 1;
    if (used[i]) {
      VYRE_TRY(count, positive(folder, program, expr, "the size of an array"));
    }
    program.types.resize_array(id, count);
    if (used[i]) folder.note_sized(id);
    if (program.types.layout(id).size > std::numeric_limits<std::uint32_t>::max()) {
      return fail(Code::limit,
                  locate(program, program[expr].pos,
                         fmt::format("{} takes {} bytes", program.types.spell(id),
                                     program.types.layout(id).size)),
                  "make it smaller than 4 GiB");
    }
  }
  return {};
}

Result<void> size_buffers(Program& program, Folder& folder) {
  const std::vector<bool> used = types_in_use(program);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const auto id = static_cast<TypeId>(i);
    const auto* buffer = program.types.get_if<BufferType>(id);
    if (buffer == nullptr || buffer->bytes_expr == kNoExpr) continue;
    const ExprId expr = buffer->bytes_expr;
    const std::uint32_t granule = buffer->granule;
    std::uint32_t bytes = granule;
    if (used[i]) {
      VYRE_TRY(bytes, positive(folder, program, expr, "the size of a buffer"));
    }
    if (bytes % granule != 0) {
      return fail(Code::invalid_input,
                  locate(program, program[expr].pos,
                         fmt::format("the size of a buffer is {}; it must be a multiple of {}",
                                     bytes, granule)));
    }
    program.types.resize_buffer(id, bytes);
  }
  return {};
}

Result<void> fold_functions(Program& program, Folder& folder) {
  std::vector<ExprId> roots;
  for (const Function& f : program.functions) {
    for_each_stmt(program, f.body, [&](StmtId id) {
      for_each_expr(program, program[id].node, [&](ExprId expr) { roots.push_back(expr); });
    });
  }
  for (const ExprId root : roots) VYRE_CHECK(folder.fold(root));
  for (const Stmt& stmt : program.stmts) {
    const auto* s = std::get_if<SubgroupStmt>(&stmt.node);
    if (s == nullptr || s->lane == kNoExpr) continue;
    const auto* lane = std::get_if<ConstantExpr>(&program[s->lane].node);
    if (lane == nullptr) continue;
    const auto number = static_cast<std::uint32_t>(program[lane->id].scalars[0]);
    if (number < lane_limit(s->op)) continue;
    return fail(Code::invalid_input,
                locate(program, stmt.pos,
                       fmt::format("{} takes numbers below {}; this is {}", to_string(s->op),
                                   lane_limit(s->op), number)));
  }
  return {};
}

}  // namespace

Result<Program> specialise(Program program, std::span<const OverrideValue> values) {
  VYRE_TRY(auto given, given_values(program, values));
  Folder folder(program, std::move(given));
  VYRE_CHECK(size_workgroup(program, folder));
  VYRE_CHECK(check_subgroup_size(program, folder));
  VYRE_CHECK(size_arrays(program, folder));
  VYRE_CHECK(size_buffers(program, folder));
  for (Global& g : program.globals) {
    if (g.initial != kNoExpr) VYRE_CHECK(folder.make_constant(g.initial));
  }
  if (!program.overrides.empty()) VYRE_CHECK(fold_functions(program, folder));
  // What is left over is never evaluated: the far side of a decided && or ||, and loose ends.
  for (Expr& e : program.exprs) {
    if (std::holds_alternative<OverrideExpr>(e.node)) e.node = ZeroExpr{};
  }
  program.overrides.clear();
  if (has_buffers(program)) return expand_views(program);
  return program;
}

}  // namespace vyre
