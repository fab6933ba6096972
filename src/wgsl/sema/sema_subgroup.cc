#include "vyre/wgsl/sema/sema_subgroup.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "vyre/ir/argument_rules.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_memory.h"
#include "vyre/wgsl/sema/sema_overload.h"
#include "vyre/wgsl/sema/sema_stage.h"

namespace vyre::sema {
namespace {

constexpr KindSet kConcreteNumbers = kConcreteIntegers | kF32 | kind_bit(ScalarKind::f16);
constexpr Pattern kNumber[] = {{"T", 'T', kConcreteNumbers}};
constexpr Pattern kBits[] = {{"T", 'T', kConcreteIntegers}};
constexpr Pattern kBoolean[] = {{"b", 'b', kBool}};
constexpr Pattern kNothing[] = {{"", 'b', kBool}};
constexpr Pattern kWithLane[] = {{"Ti", 'T', kConcreteNumbers}, {"Tu", 'T', kConcreteNumbers}};
constexpr Pattern kWithDistance[] = {{"Tu", 'T', kConcreteNumbers}};

std::span<const Pattern> patterns_of(SubgroupOp op) {
  switch (op) {
    case SubgroupOp::bit_and:
    case SubgroupOp::bit_or:
    case SubgroupOp::bit_xor: return kBits;
    case SubgroupOp::all:
    case SubgroupOp::any:
    case SubgroupOp::ballot: return kBoolean;
    case SubgroupOp::elect: return kNothing;
    case SubgroupOp::broadcast:
    case SubgroupOp::shuffle:
    case SubgroupOp::quad_broadcast: return kWithLane;
    case SubgroupOp::shuffle_up:
    case SubgroupOp::shuffle_down:
    case SubgroupOp::shuffle_xor: return kWithDistance;
    default: return kNumber;
  }
}

std::optional<SubgroupOp> find_operation(std::string_view name) {
  for (unsigned i = 0; i <= static_cast<unsigned>(SubgroupOp::quad_swap_diagonal); ++i) {
    const auto op = static_cast<SubgroupOp>(i);
    if (to_string(op) == name) return op;
  }
  return std::nullopt;
}

// Which lane: a constant is within its range, and for broadcasts it is a constant.
bool check_lane(Context& cx, SubgroupOp op, const Value& lane) {
  if (!lane.is_constant()) {
    if (op != SubgroupOp::broadcast && op != SubgroupOp::quad_broadcast) return true;
    Diagnostic& error = cx.error(
        lane.span, fmt::format("the lane of '{}' must be a constant expression", to_string(op)));
    if (op == SubgroupOp::broadcast) error.with_fix("use subgroupShuffle");
    return false;
  }
  const std::int64_t number = Scalar{*cx.types().scalar_kind(lane.type), lane.bits()}.as_int();
  if (number >= 0 && number < lane_limit(op)) return true;
  cx.error(lane.span, fmt::format("'{}' takes numbers from 0 to {}; this is {}", to_string(op),
                                  lane_limit(op) - 1, number));
  return false;
}

UniformityCheck check_of(Control control) {
  switch (control) {
    case Control::error: return UniformityCheck::error;
    case Control::warning:
    case Control::info: return UniformityCheck::warning;
    case Control::off: break;
  }
  return UniformityCheck::none;
}

}  // namespace

bool is_subgroup_function(std::string_view name) { return find_operation(name).has_value(); }

Value call_subgroup(Context& cx, std::string_view name, Arguments& arguments, Span span) {
  const SubgroupOp op = *find_operation(name);
  if (!cx.needs_extension("subgroups", fmt::format("'{}'", name), span)) return failed(span);
  if (cx.body == nullptr) {
    cx.error(span, fmt::format("'{}' cannot be called outside of functions", name));
    return failed(span);
  }
  const auto match = resolve(cx, patterns_of(op), arguments.values());
  if (!match) {
    cx.error(span,
             fmt::format("no overload of '{}' takes {}", name, spell_types(cx, arguments.values())))
        .with_fix(fmt::format("there is {}{}", name, describe(patterns_of(op).back())));
    return failed(span);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = convert(cx, std::move(arguments[i]), match->parameters[i]);
    if (arguments[i].failed()) return failed(span);
  }
  const bool takes_lane = arguments.size() == 2;
  if (takes_lane) {
    if (!check_lane(cx, op, arguments[1])) return failed(span);
    arguments[1] =
        convert_explicitly(cx, std::move(arguments[1]), cx.types().scalar(ScalarKind::u32));
    if (arguments[1].failed()) return failed(span);
  }
  need_stage(cx, kCompute | kFragment, fmt::format("'{}'", name), span);
  arguments.release();
  flush(cx);
  SubgroupStmt stmt{.op = op, .check = check_of(cx.filters.subgroup)};
  if (arguments.size() != 0) stmt.value = emit(cx, arguments[0]);
  if (takes_lane) stmt.lane = emit(cx, arguments[1]);
  const TypeId result =
      op == SubgroupOp::ballot ? cx.types().vector(ScalarKind::u32, 4) : match->result;
  stmt.result = new_result(cx, name, result, span);
  cx.at(span);
  cx.writer.stmt(stmt);
  return use_let(cx, stmt.result, result, span);
}

}  // namespace vyre::sema
