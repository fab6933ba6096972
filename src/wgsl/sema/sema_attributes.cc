#include "vyre/wgsl/sema/sema_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>

#include "vyre/wgsl/sema/sema_builtins.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_scope.h"

namespace vyre::sema {
namespace {

constexpr std::string_view kRequirements[] = {
    "buffer_view",
    "fragment_depth",
    "immediate_address_space",
    "linear_indexing",
    "packed_4x8_integer_dot_product",
    "pointer_composite_access",
    "readonly_and_readwrite_storage_textures",
    "subgroup_id",
    "subgroup_uniformity",
    "swizzle_assignment",
    "texture_and_sampler_let",
    "texture_formats_tier1",
    "uniform_buffer_standard_layout",
    "unrestricted_pointer_parameters",
};
constexpr std::string_view kExtensions[] = {
    "atomic_vec2u_min_max",  "clip_distances", "dual_source_blending", "f16", "primitive_index",
    "subgroup_size_control", "subgroups"};
constexpr std::string_view kListOfAll = "docs/wgsl.md lists what is supported";
constexpr std::string_view kSeverities[] = {"error", "warning", "info", "off"};

bool contains(std::span<const std::string_view> list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

void check_enable(Context& cx, const ast::Name& name) {
  const auto* known = std::ranges::find(kExtensions, name.text);
  if (known != std::end(kExtensions)) {
    cx.enabled.insert(*known);
    if (*known == "subgroup_size_control") cx.enabled.insert("subgroups");
    return;
  }
  const std::string_view why = directive_refusal(name.text);
  const std::string all = fmt::format("vyre has {}", fmt::join(kExtensions, ", "));
  cx.error(name.span, why.empty() ? fmt::format("unknown extension '{}'; {}", name.text, all)
                                  : fmt::format("the extension '{}' is not supported: {}; {}",
                                                name.text, why, all))
      .with_fix(std::string(kListOfAll));
}

void check_requirement(Context& cx, const ast::Name& name) {
  if (contains(kRequirements, name.text)) return;
  const std::string_view why = directive_refusal(name.text);
  const std::string_view near = closest(name.text, kRequirements);
  std::string message = fmt::format("unknown language feature '{}'", name.text);
  if (!why.empty()) {
    message = fmt::format("the language feature '{}' is not supported: {}", name.text, why);
  } else if (!near.empty()) {
    message += fmt::format("; did you mean '{}'?", near);
  }
  cx.error(name.span, std::move(message)).with_fix(std::string(kListOfAll));
}

// Controls of one range. At the top of the module a rule may be named again with the same severity;
// on one item it may be named once.
class Controls {
 public:
  explicit Controls(bool whole_module) : whole_module_(whole_module) {}

  void add(Context& cx, const ast::DiagnosticControl& control) {
    if (!contains(kSeverities, control.severity.text)) {
      cx.error(control.severity.span,
               fmt::format("'{}' is not a severity; there are error, warning, info and off",
                           control.severity.text));
      return;
    }
    std::string rule(control.rule.text);
    Span span = control.rule.span;
    if (control.rule_tail) {
      rule += fmt::format(".{}", control.rule_tail->text);
      span = join(span, control.rule_tail->span);
    } else if (rule != "derivative_uniformity" && rule != "subgroup_uniformity") {
      cx.diagnostics.warning(span, fmt::format("unknown diagnostic rule '{}'", rule));
    }
    const auto [at, fresh] = seen_.try_emplace(rule, control.severity);
    if (fresh) return;
    if (at->second.text != control.severity.text) {
      cx.error(span, fmt::format("'{}' is set to '{}' and to '{}'", rule, at->second.text,
                                 control.severity.text))
          .note(at->second.span, "first set here");
    } else if (!whole_module_) {
      cx.error(span, fmt::format("'{}' is set twice", rule))
          .note(at->second.span, "first set here");
    }
  }

 private:
  bool whole_module_;
  std::unordered_map<std::string, ast::Name> seen_;
};

void apply_control(Context& cx, const ast::DiagnosticControl& control) {
  constexpr Control kControls[] = {Control::error, Control::warning, Control::info, Control::off};
  const auto* at = std::ranges::find(kSeverities, control.severity.text);
  if (at == std::end(kSeverities) || control.rule_tail) return;
  const Control chosen = kControls[at - std::begin(kSeverities)];
  if (control.rule.text == "derivative_uniformity") cx.filters.derivative = chosen;
  if (control.rule.text == "subgroup_uniformity") cx.filters.subgroup = chosen;
}

}  // namespace

FilterScope::FilterScope(Context& cx, ast::AttributeList list) : cx_(cx), outer_(cx.filters) {
  for (const ast::Attribute& a : list) {
    if (a.kind == ast::AttributeKind::diagnostic) apply_control(cx, *a.diagnostic);
  }
}

bool is_extension(std::string_view name) { return contains(kExtensions, name); }

const ast::Attribute* find_attribute(ast::AttributeList list, ast::AttributeKind kind) {
  const auto at = std::ranges::find(list, kind, &ast::Attribute::kind);
  return at == list.end() ? nullptr : &*at;
}

void check_attributes(Context& cx, ast::AttributeList list, std::string_view what,
                      std::initializer_list<ast::AttributeKind> allowed) {
  std::uint32_t seen = 0;
  Controls controls(false);
  for (const ast::Attribute& a : list) {
    if (std::ranges::find(allowed, a.kind) == allowed.end()) {
      cx.error(a.span, fmt::format("@{} cannot stand on {}", to_string(a.kind), what));
      continue;
    }
    if (a.kind == ast::AttributeKind::diagnostic) {
      controls.add(cx, *a.diagnostic);
      continue;
    }
    const std::uint32_t bit = 1U << static_cast<unsigned>(a.kind);
    if ((seen & bit) != 0) cx.error(a.span, fmt::format("@{} is given twice", to_string(a.kind)));
    seen |= bit;
  }
}

void check_invariant(Context& cx, ast::AttributeList list) {
  const ast::Attribute* invariant = find_attribute(list, ast::AttributeKind::invariant);
  if (invariant == nullptr) return;
  const ast::Attribute* builtin = find_attribute(list, ast::AttributeKind::builtin);
  const auto* name =
      builtin == nullptr ? nullptr : builtin->arguments[0]->get_if<ast::Identifier>();
  if (name != nullptr && name->name.text == "position") return;
  cx.error(invariant->span, "@invariant stands beside @builtin(position) only");
}

std::optional<std::uint32_t> attribute_number(Context& cx, const ast::Attribute& attribute,
                                              std::uint32_t least, std::uint32_t most) {
  const Value value = concretize(cx, check_value(cx, *attribute.arguments[0]));
  if (value.failed()) return std::nullopt;
  const auto* scalar = cx.types().get_if<ScalarType>(value.type);
  if (scalar == nullptr || !is_integer(scalar->kind) || !value.is_constant()) {
    cx.error(value.span,
             fmt::format("@{} takes a constant of type i32 or u32", to_string(attribute.kind)));
    return std::nullopt;
  }
  const std::int64_t number = Scalar{scalar->kind, value.bits()}.as_int();
  if (number < least || number > most) {
    cx.error(value.span, fmt::format("@{} is {}; it must be {} to {}", to_string(attribute.kind),
                                     number, least, most));
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(number);
}

void check_directives(Context& cx) {
  for (const ast::Name& name : cx.module.enables) check_enable(cx, name);
  for (const ast::Name& name : cx.module.requirements) check_requirement(cx, name);
  Controls controls(true);
  for (const ast::DiagnosticControl& control : cx.module.diagnostics) {
    controls.add(cx, control);
    apply_control(cx, control);
  }
}

}  // namespace vyre::sema
