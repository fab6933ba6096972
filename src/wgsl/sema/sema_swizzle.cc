#include "vyre/wgsl/sema/sema_swizzle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_memory.h"

namespace vyre::sema {
namespace {

// 0 to 3, with the set the letter belongs to.
struct Lane {
  std::uint8_t index;
  bool colour;
};
std::optional<Lane> lane_of(char letter) {
  constexpr std::string_view kPosition = "xyzw", kColour = "rgba";
  if (const auto at = kPosition.find(letter); at != std::string_view::npos) {
    return Lane{static_cast<std::uint8_t>(at), false};
  }
  if (const auto at = kColour.find(letter); at != std::string_view::npos) {
    return Lane{static_cast<std::uint8_t>(at), true};
  }
  return std::nullopt;
}

using Lanes = std::array<std::uint8_t, 4>;

// The lanes that the letters of `member` name; reports an error if they are none of `type`.
std::optional<Lanes> parse_lanes(Context& cx, TypeId type, const ast::Name& member) {
  const std::uint32_t size = cx.types().component_count(type);
  const auto refuse = [&](std::string_view why) {
    cx.error(member.span,
             fmt::format("'{}' is no component of {}: {}", member.text, cx.spell(type), why));
    return std::nullopt;
  };
  if (member.text.size() > 4) return refuse("at most four letters of xyzw or rgba");
  Lanes lanes{};
  bool colour = false;
  for (std::size_t i = 0; i < member.text.size(); ++i) {
    const auto lane = lane_of(member.text[i]);
    if (!lane) return refuse("components are named by xyzw or rgba");
    if (i != 0 && lane->colour != colour) return refuse("xyzw and rgba cannot be mixed");
    if (lane->index >= size) return refuse(fmt::format("it has {} components", size));
    colour = lane->colour;
    lanes[i] = lane->index;
  }
  return lanes;
}

// The vector in memory of which these are components.
Value whole_vector(const Value& components) {
  Value vector = components;
  vector.kind = Value::Kind::reference;
  vector.type = components.vector;
  return vector;
}

// A reference to one component of a vector in memory.
Value component_view(Context& cx, const Value& vector, std::uint8_t lane, Span span) {
  cx.at(span);
  const ExprId index = cx.writer.constant(Scalar::of(std::uint32_t{lane}));
  return view_of_part(cx, vector, cx.types().component(vector.type), IndexExpr{vector.expr, index},
                      vector.reads, span);
}

std::span<const std::uint8_t> lanes_of(const Context& cx, const Value& components) {
  return {components.lanes.data(), cx.types().component_count(components.type)};
}

}  // namespace

Value swizzle(Context& cx, const Value& vector, std::span<const std::uint8_t> lanes, Span span) {
  const ScalarKind kind = *cx.types().scalar_kind(vector.type);
  const TypeId type = lanes.size() == 1
                          ? cx.types().scalar(kind)
                          : cx.types().vector(kind, static_cast<std::uint32_t>(lanes.size()));
  if (vector.is_constant()) {
    std::vector<std::uint64_t> scalars;
    for (const std::uint8_t lane : lanes) scalars.push_back(vector.bits(lane));
    return make_constant(cx, type, std::move(scalars), span);
  }
  SwizzleExpr node{vector.expr, static_cast<std::uint8_t>(lanes.size()), {}};
  std::copy(lanes.begin(), lanes.end(), node.lanes.begin());
  return computed(cx, type, node, vector.phase, vector.reads, span);
}

Value vector_member(Context& cx, const Value& object, const ast::Name& member, Span span) {
  auto lanes = parse_lanes(cx, object.type, member);
  if (!lanes) return failed(span);
  const auto count = static_cast<std::uint32_t>(member.text.size());
  if (object.kind == Value::Kind::value) return swizzle(cx, object, {lanes->data(), count}, span);
  Value vector = object;
  if (object.is_swizzle()) {
    vector = whole_vector(object);
    for (std::uint32_t i = 0; i < count; ++i) (*lanes)[i] = object.lanes[(*lanes)[i]];
  }
  if (count == 1) {
    Value component = component_view(cx, vector, (*lanes)[0], span);
    component.of_swizzle = object.is_swizzle();
    return component;
  }
  Value components = vector;
  components.kind = Value::Kind::swizzle;
  components.type = cx.types().vector(*cx.types().scalar_kind(vector.type), count);
  components.vector = vector.type;
  components.lanes = *lanes;
  components.span = span;
  return components;
}

Value load_swizzle(Context& cx, const Value& components) {
  const Value vector = load(cx, whole_vector(components));
  if (vector.failed()) return vector;
  return swizzle(cx, vector, lanes_of(cx, components), components.span);
}

bool check_assigned_lanes(Context& cx, const Value& components) {
  std::vector<std::uint8_t> lanes;
  std::ranges::copy(lanes_of(cx, components), std::back_inserter(lanes));
  std::ranges::sort(lanes);
  if (std::ranges::adjacent_find(lanes) == lanes.end()) return true;
  cx.error(components.span, "a component is named twice; an assignment can name it once");
  return false;
}

void store_swizzle(Context& cx, const Value& components, const Value& value, Span span) {
  note_write(cx, components.root);
  const std::span<const std::uint8_t> lanes = lanes_of(cx, components);
  Value vector = whole_vector(components);
  if (lanes.size() == cx.types().component_count(vector.type)) {
    Lanes from{};
    for (std::uint8_t i = 0; i < lanes.size(); ++i) from[lanes[i]] = i;
    const bool in_order = std::ranges::is_sorted(lanes);
    const ExprId stored =
        emit(cx, in_order ? value : swizzle(cx, value, {from.data(), lanes.size()}, value.span));
    cx.at(span);
    cx.writer.stmt(StoreStmt{vector.expr, stored});
    return;
  }
  const Value held = value.is_constant() ? value : emit_let(cx, "value", value);
  for (std::uint8_t i = 0; i < lanes.size(); ++i) {
    Value each = held;
    if (i != 0 && !held.is_constant()) each.expr = clone(cx, held.expr, held.span);
    if (i != 0) vector.expr = clone(cx, components.expr, components.span);
    const Value component = component_view(cx, vector, lanes[i], components.span);
    const ExprId stored = emit(cx, swizzle(cx, each, {&i, 1}, value.span));
    cx.at(span);
    cx.writer.stmt(StoreStmt{component.expr, stored});
  }
}

}  // namespace vyre::sema
