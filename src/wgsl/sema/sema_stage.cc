#include "vyre/wgsl/sema/sema_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "vyre/wgsl/sema/sema_attributes.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_features.h"
#include "vyre/wgsl/sema/sema_memory.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

using ast::AttributeKind;

std::string stage_names(Stages stages) {
  std::vector<std::string_view> names;
  for (const Stages stage : {kCompute, kVertex, kFragment}) {
    if ((stages & stage) != 0) names.push_back(stage_name(stage));
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

// One function for each way in which calls of it can differ.
FunctionId outside_function(Context& cx, const Outside& outside, std::size_t arguments) {
  const Control control = outside.derivative ? cx.filters.derivative : Control::off;
  const std::string key =
      fmt::format("{}/{}/{}/{}/{}", outside.name, static_cast<std::uint32_t>(outside.result),
                  arguments, outside.varies, static_cast<int>(control));
  const auto [at, fresh] = cx.outside_functions.try_emplace(key);
  if (!fresh) return at->second;
  at->second = FunctionId{static_cast<std::uint32_t>(cx.program.functions.size())};
  Function function;
  function.name = std::string(outside.name);
  function.result = outside.result;
  function.parameters = static_cast<std::uint32_t>(arguments);
  function.locals.assign(arguments, {"argument", LocalKind::parameter, cx.types().void_type(), {}});
  UniformityFacts facts;
  facts.result_varies = outside.varies;
  facts.is_builtin = true;
  facts.call_required = control != Control::off;
  facts.call_need = {std::string(outside.name), cx.writer.pos, control != Control::error};
  facts.parameters.resize(arguments);
  for (auto& parameter : facts.parameters) parameter.value_in_result = true;
  cx.outside_facts.emplace(static_cast<std::uint32_t>(at->second), std::move(facts));
  cx.program.functions.push_back(std::move(function));
  cx.functions.emplace_back();
  return at->second;
}

// ---- Builtin values

constexpr std::uint8_t bit(Direction d) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(d));
}
constexpr std::uint8_t kComputeIn = bit(Direction::compute_in);
constexpr std::uint8_t kVertexIn = bit(Direction::vertex_in);
constexpr std::uint8_t kVertexOut = bit(Direction::vertex_out);
constexpr std::uint8_t kFragmentIn = bit(Direction::fragment_in);
constexpr std::uint8_t kFragmentOut = bit(Direction::fragment_out);

constexpr std::uint32_t kClipDistances = 8;

constexpr StageBuiltin kBuiltins[] = {
    {"global_invocation_id", kComputeIn, '3'},
    {"global_invocation_index", kComputeIn, 'u'},
    {"local_invocation_id", kComputeIn, '3'},
    {"local_invocation_index", kComputeIn, 'u'},
    {"num_workgroups", kComputeIn, '3'},
    {"workgroup_id", kComputeIn, '3'},
    {"workgroup_index", kComputeIn, 'u'},
    {"vertex_index", kVertexIn, 'u'},
    {"instance_index", kVertexIn, 'u'},
    {"position", kVertexOut | kFragmentIn, '4'},
    {"front_facing", kFragmentIn, 'b'},
    {"sample_index", kFragmentIn, 'u'},
    {"sample_mask", kFragmentIn | kFragmentOut, 'u'},
    {"frag_depth", kFragmentOut, 'f'},
    {"clip_distances", kVertexOut, 'c', "clip_distances"},
    {"primitive_index", kFragmentIn, 'u', "primitive_index"},
    {"subgroup_invocation_id", kComputeIn | kFragmentIn, 'u', "subgroups"},
    {"subgroup_size", kComputeIn | kFragmentIn, 'u', "subgroups"},
    {"subgroup_id", kComputeIn, 'u', "subgroups"},
    {"num_subgroups", kComputeIn, 'u', "subgroups"},
};

std::string_view direction_text(Direction direction) {
  switch (direction) {
    case Direction::compute_in: return "input of compute shaders";
    case Direction::vertex_in: return "input of vertex shaders";
    case Direction::vertex_out: return "output of vertex shaders";
    case Direction::fragment_in: return "input of fragment shaders";
    case Direction::fragment_out: return "output of fragment shaders";
  }
  return {};
}

bool is_numeric_datum(const TypeTable& types, TypeId type) {
  const bool plain = types.get_if<ScalarType>(type) || types.get_if<VectorType>(type);
  return plain && types.scalar_kind(type) != ScalarKind::boolean;
}

std::optional<std::string_view> interpolation(Context& cx, const ast::Attribute& attribute) {
  constexpr std::string_view kTypes[] = {"perspective", "linear", "flat"};
  constexpr std::string_view kSmooth[] = {"center", "centroid", "sample"};
  constexpr std::string_view kFlatOnes[] = {"first", "either"};
  const auto refuse = [&](const ast::Expr& at, std::string_view name, std::string_view what) {
    cx.error(at.span, fmt::format("'{}' is not {}", name, what));
    return std::nullopt;
  };
  const auto type = plain_name(cx, *attribute.arguments[0], "an interpolation type");
  if (!type) return std::nullopt;
  if (std::ranges::find(kTypes, *type) == std::end(kTypes)) {
    return refuse(*attribute.arguments[0], *type, "perspective, linear or flat");
  }
  if (attribute.arguments.size() == 1) return type;
  const auto sampling = plain_name(cx, *attribute.arguments[1], "an interpolation sampling");
  if (!sampling) return std::nullopt;
  const bool flat = *type == "flat";
  const bool known = flat ? std::ranges::find(kFlatOnes, *sampling) != std::end(kFlatOnes)
                          : std::ranges::find(kSmooth, *sampling) != std::end(kSmooth);
  if (!known) {
    return refuse(*attribute.arguments[1], *sampling,
                  flat ? "a sampling of 'flat': first or either"
                       : "a sampling of this type: center, centroid or sample");
  }
  return type;
}

bool check_depth_mode(Context& cx, const ast::Expr& written) {
  const auto mode = plain_name(cx, written, "a depth mode");
  if (!mode) return false;
  note_feature(cx, "fragment_depth");
  if (*mode == "less" || *mode == "greater") return true;
  cx.error(written.span,
           fmt::format("'{}' is not a depth mode; there are less and greater", *mode));
  return false;
}

// Inputs, or outputs, of one entry point.
class Interface {
 public:
  Interface(Context& cx, Direction direction) : cx_(cx), direction_(direction) {}

  // A parameter or the result: one datum, or a struct of them.
  bool add(ast::AttributeList attributes, TypeId type, Span span) {
    const bool marked = find_attribute(attributes, AttributeKind::builtin) != nullptr ||
                        find_attribute(attributes, AttributeKind::location) != nullptr;
    check_attributes(cx_, attributes, "an input or output",
                     {AttributeKind::builtin, AttributeKind::location, AttributeKind::interpolate,
                      AttributeKind::invariant});
    check_io_attributes(cx_, attributes, type, span);
    const auto written = cx_.structs.find(static_cast<std::uint32_t>(type));
    if (marked || written == cx_.structs.end()) return datum(attributes, type, span);
    bool fine = true;
    std::uint32_t member = 0;
    for (const ast::StructMember& m : written->second->members) {
      fine = datum(m.attributes, cx_.types().component(type, member++), m.name.span) && fine;
    }
    return fine;
  }

  bool has_builtin(std::string_view name) const { return builtins_.contains(name); }

 private:
  bool datum(ast::AttributeList attributes, TypeId type, Span span) {
    const auto* builtin = find_attribute(attributes, AttributeKind::builtin);
    const auto* location = find_attribute(attributes, AttributeKind::location);
    if (builtin != nullptr) return builtin_datum(*builtin, type, span);
    if (location == nullptr) {
      cx_.error(span, "an input or output of a shader needs @builtin or @location");
      return false;
    }
    const auto number = attribute_number(cx_, *location, 0);
    if (!number) return false;
    if (const auto* blend = find_attribute(attributes, AttributeKind::blend_src)) {
      if (direction_ == Direction::fragment_out) return true;
      cx_.error(blend->span, "@blend_src stands on outputs of fragment shaders only");
      return false;
    }
    if (!locations_.insert(*number).second) {
      cx_.error(location->span, fmt::format("@location({}) is given twice", *number));
      return false;
    }
    const bool between =
        direction_ == Direction::vertex_out || direction_ == Direction::fragment_in;
    const auto kind = cx_.types().scalar_kind(type);
    if (!between || !kind || !is_integer(*kind)) return true;
    const auto* how = find_attribute(attributes, AttributeKind::interpolate);
    const auto* name = how == nullptr ? nullptr : how->arguments[0]->get_if<ast::Identifier>();
    if (name != nullptr && name->name.text == "flat") return true;
    cx_.error(span, "integers between vertex and fragment shaders need @interpolate(flat)");
    return false;
  }

  bool builtin_datum(const ast::Attribute& attribute, TypeId type, Span span) {
    const StageBuiltin* builtin = find_builtin(cx_, attribute, direction_);
    if (builtin == nullptr) return false;
    const TypeId expected = type_of(cx_, *builtin);
    if (builtin->type == 'c') {
      const auto* array = cx_.types().get_if<ArrayType>(type);
      if (array == nullptr || array->element != expected || array->count < 1 ||
          array->count > kClipDistances) {
        cx_.error(span, fmt::format("@builtin({}) is an array of 1 to {} f32; this is {}",
                                    builtin->name, kClipDistances, cx_.spell(type)));
        return false;
      }
    } else if (type != expected) {
      cx_.error(span, fmt::format("@builtin({}) is {}; this is {}", builtin->name,
                                  cx_.spell(expected), cx_.spell(type)));
      return false;
    }
    if (builtins_.insert(builtin->name).second) return true;
    cx_.error(attribute.span, fmt::format("@builtin({}) is given twice", builtin->name));
    return false;
  }

  Context& cx_;
  Direction direction_;
  std::unordered_set<std::string_view> builtins_;
  std::unordered_set<std::uint32_t> locations_;
};

}  // namespace

std::string_view stage_name(Stages stage) {
  return stage == kVertex ? "vertex" : stage == kFragment ? "fragment" : "compute";
}

void need_stage(Context& cx, Stages stages, std::string_view what, Span span) {
  if (cx.body == nullptr) return;
  std::vector<StageNeed>& needs = cx.body->info.needs;
  if (std::ranges::find(needs, stages, &StageNeed::stages) != needs.end()) return;
  needs.push_back({stages, std::string(what), span});
}

void not_run(Context& cx, std::string_view what) {
  if (cx.body != nullptr && cx.body->info.not_run.empty()) cx.body->info.not_run = what;
}

void call_needs(Context& cx, const FunctionInfo& callee) {
  for (const StageNeed& need : callee.needs) need_stage(cx, need.stages, need.what, need.span);
  if (!callee.not_run.empty()) not_run(cx, callee.not_run);
  Uses& uses = cx.body->info.uses;
  uses.builtins.insert(callee.uses.builtins.begin(), callee.uses.builtins.end());
  uses.features.insert(callee.uses.features.begin(), callee.uses.features.end());
  cx.body->info.handles.insert(callee.handles.begin(), callee.handles.end());
}

void check_needs(Context& cx, const FunctionInfo& entry, Stages stage) {
  for (const StageNeed& need : entry.needs) {
    if ((need.stages & stage) != 0) continue;
    cx.error(need.span,
             fmt::format("{} exists in {} shaders only; the {} shader '{}' uses it", need.what,
                         stage_names(need.stages), stage_name(stage), entry.ast->name.text))
        .note(entry.declared, "the entry point");
  }
}

Value call_outside(Context& cx, const Outside& function, Arguments& arguments, Span span) {
  if (cx.body == nullptr) {
    cx.error(span, fmt::format("'{}' cannot be called outside of functions", function.name));
    return failed(span);
  }
  if (function.derivative) {
    need_stage(cx, kFragment, fmt::format("'{}'", function.name), span);
  }
  not_run(cx, function.name);
  arguments.release();
  flush(cx);
  std::vector<ExprId> ids;
  for (const Value& v : arguments.values()) {
    if (cx.handle_info(v.type) == nullptr) ids.push_back(emit(cx, v));
  }
  const bool returns = function.result != cx.types().void_type();
  const LocalId result = returns ? new_result(cx, function.name, function.result, span) : kNoLocal;
  cx.at(span);
  const FunctionId callee = outside_function(cx, function, ids.size());
  cx.writer.stmt(CallStmt{callee, cx.writer.list(ids), result});
  if (returns) return use_let(cx, result, function.result, span);
  Value none;
  none.kind = Value::Kind::none;
  none.span = span;
  return none;
}

const StageBuiltin* find_builtin(Context& cx, const ast::Attribute& attribute,
                                 std::optional<Direction> direction) {
  const ast::Expr& written = *attribute.arguments[0];
  const auto name = plain_name(cx, written, "the name of a builtin value");
  if (!name) return nullptr;
  const auto* builtin = std::ranges::find(kBuiltins, *name, &StageBuiltin::name);
  if (builtin == std::end(kBuiltins)) {
    std::vector<std::string_view> names;
    for (const StageBuiltin& each : kBuiltins) {
      if (!direction || (each.directions & bit(*direction)) != 0) names.push_back(each.name);
    }
    const std::string_view near = closest(*name, names);
    cx.error(written.span,
             near.empty()
                 ? fmt::format("'{}' is no builtin value", *name)
                 : fmt::format("'{}' is no builtin value; did you mean '{}'?", *name, near));
    return nullptr;
  }
  if (!builtin->extension.empty() &&
      !cx.needs_extension(builtin->extension, fmt::format("'{}'", *name), written.span)) {
    return nullptr;
  }
  if (direction && (builtin->directions & bit(*direction)) == 0) {
    cx.error(written.span, fmt::format("'{}' is no {}", *name, direction_text(*direction)));
    return nullptr;
  }
  if (*name == "global_invocation_index" || *name == "workgroup_index") {
    note_feature(cx, "linear_indexing");
  } else if (*name == "subgroup_id" || *name == "num_subgroups") {
    note_feature(cx, "subgroup_id");
  }
  if (attribute.arguments.size() == 2 && !check_depth_mode(cx, *attribute.arguments[1])) {
    return nullptr;
  }
  return builtin;
}

TypeId type_of(Context& cx, const StageBuiltin& builtin) {
  switch (builtin.type) {
    case 'u': return cx.types().scalar(ScalarKind::u32);
    case 'c':
    case 'f': return cx.types().scalar(ScalarKind::f32);
    case 'b': return cx.types().scalar(ScalarKind::boolean);
    case '3': return cx.types().vector(ScalarKind::u32, 3);
    default: return cx.types().vector(ScalarKind::f32, 4);
  }
}

void check_io_attributes(Context& cx, ast::AttributeList list, TypeId type, Span span) {
  const auto* builtin = find_attribute(list, AttributeKind::builtin);
  const auto* location = find_attribute(list, AttributeKind::location);
  const auto* interpolate = find_attribute(list, AttributeKind::interpolate);
  if (const auto* blend = find_attribute(list, AttributeKind::blend_src)) {
    cx.needs_extension("dual_source_blending", "@blend_src", blend->span);
    attribute_number(cx, *blend, 0, 1);
    if (location == nullptr) cx.error(blend->span, "@blend_src needs @location beside it");
  }
  check_invariant(cx, list);
  if (builtin != nullptr) find_builtin(cx, *builtin, std::nullopt);
  if (builtin != nullptr && location != nullptr) {
    cx.error(location->span, "@builtin and @location cannot stand together");
  }
  if (location != nullptr) {
    attribute_number(cx, *location, 0);
    if (!is_numeric_datum(cx.types(), type)) {
      cx.error(span, fmt::format("@location takes numbers and vectors of numbers; this is {}",
                                 cx.spell(type)));
    }
  }
  if (interpolate == nullptr) return;
  if (location == nullptr) cx.error(interpolate->span, "@interpolate needs @location beside it");
  const auto how = interpolation(cx, *interpolate);
  const auto kind = cx.types().scalar_kind(type);
  if (how && *how != "flat" && kind && is_integer(*kind)) {
    cx.error(interpolate->span, "integers are interpolated 'flat' only");
  }
}

bool check_locations(Context& cx, const ast::Struct& structure, std::span<const Member> members) {
  struct Located {
    std::uint32_t location;
    std::optional<std::uint32_t> blend;
    TypeId type;
    Span span;
  };
  std::vector<Located> all;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const ast::AttributeList list = structure.members[i].attributes;
    const auto* location = find_attribute(list, AttributeKind::location);
    const auto* blend = find_attribute(list, AttributeKind::blend_src);
    if (location == nullptr) continue;
    const auto number = attribute_number(cx, *location, 0);
    if (!number) return false;
    Located one{*number, std::nullopt, members[i].type, location->span};
    if (blend != nullptr) one.blend = attribute_number(cx, *blend, 0, 1);
    all.push_back(one);
  }
  const bool blends =
      std::ranges::any_of(all, [](const Located& l) { return l.blend.has_value(); });
  for (std::size_t i = 0; i < all.size() && !blends; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (all[i].location != all[k].location) continue;
      cx.error(all[i].span, fmt::format("'{}' has two members with @location({})",
                                        structure.name.text, all[i].location));
      return false;
    }
  }
  if (!blends) return true;
  const bool both = all.size() == 2 && all[0].location == 0 && all[1].location == 0 &&
                    all[0].blend && all[1].blend && *all[0].blend != *all[1].blend;
  if (!both) {
    cx.error(structure.name.span,
             "a struct with @blend_src has two members with @location: one with @location(0) "
             "@blend_src(0), one with @location(0) @blend_src(1)");
    return false;
  }
  if (all[0].type == all[1].type) return true;
  cx.error(all[1].span,
           fmt::format("members with @blend_src have the same type; these are {} and {}",
                       cx.spell(all[0].type), cx.spell(all[1].type)));
  return false;
}

bool check_graphics_entry(Context& cx, const ast::Function& function, Stages stage,
                          FunctionInfo& info) {
  const bool vertex = stage == kVertex;
  not_run(cx, fmt::format("a {} shader", stage_name(stage)));
  bool fine = true;
  std::vector<std::optional<TypeId>> types;
  for (const ast::Parameter& p : function.parameters) types.push_back(resolve_type(cx, *p.type));
  Interface inputs(cx, vertex ? Direction::vertex_in : Direction::fragment_in);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const ast::Parameter& parameter = function.parameters[i];
    Symbol symbol;
    if (types[i] && inputs.add(parameter.attributes, *types[i], parameter.name.span)) {
      Arguments none(cx, {});
      const Outside input{.name = "a shader input", .result = *types[i], .varies = true};
      symbol.what = TreeSymbol{call_outside(cx, input, none, parameter.name.span)};
    } else {
      fine = false;
    }
    declare(cx, parameter.name, std::move(symbol));
  }
  Interface outputs(cx, vertex ? Direction::vertex_out : Direction::fragment_out);
  if (function.return_type != nullptr) {
    const auto type = resolve_type(cx, *function.return_type);
    if (!type || !outputs.add(function.return_attributes, *type, function.return_type->span)) {
      return false;
    }
    info.result = *type;
  }
  if (vertex && !outputs.has_builtin("position")) {
    cx.error(
        function.name.span,
        fmt::format("the vertex shader '{}' must return @builtin(position)", function.name.text));
    fine = false;
  }
  return fine;
}

}  // namespace vyre::sema
