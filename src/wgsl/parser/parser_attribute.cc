// Attributes and diagnostic controls.
#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "vyre/wgsl/parser/parser_internal.h"

namespace vyre {

using enum TokenKind;

namespace {

using Kind = ast::AttributeKind;

struct Rule {
  Kind kind;
  std::string_view name;
  std::uint32_t fewest, most;  // arguments
};

constexpr Rule kRules[] = {
    {Kind::align, "align", 1, 1},
    {Kind::binding, "binding", 1, 1},
    {Kind::blend_src, "blend_src", 1, 1},
    {Kind::builtin, "builtin", 1, 1},
    {Kind::compute, "compute", 0, 0},
    {Kind::const_, "const", 0, 0},
    {Kind::diagnostic, "diagnostic", 0, 0},
    {Kind::fragment, "fragment", 0, 0},
    {Kind::group, "group", 1, 1},
    {Kind::id, "id", 1, 1},
    {Kind::interpolate, "interpolate", 1, 2},
    {Kind::invariant, "invariant", 0, 0},
    {Kind::location, "location", 1, 1},
    {Kind::must_use, "must_use", 0, 0},
    {Kind::size, "size", 1, 1},
    {Kind::subgroup_size, "subgroup_size", 1, 1},
    {Kind::vertex, "vertex", 0, 0},
    {Kind::workgroup_size, "workgroup_size", 1, 3},
};

const Rule& rule_of(Kind kind) { return kRules[static_cast<std::size_t>(kind)]; }

const Rule* find_rule(std::string_view name) {
  for (const Rule& rule : kRules) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::string count_of_arguments(const Rule& rule) {
  if (rule.most == 0) return "no arguments";
  if (rule.fewest == rule.most) return "one argument";
  return fmt::format("{} to {} arguments", rule.fewest, rule.most);
}

}  // namespace

std::string_view ast::to_string(AttributeKind kind) { return rule_of(kind).name; }

ast::AttributeList Parser::attributes() {
  if (!is(at)) return {};
  std::vector<ast::Attribute> list;
  while (is(at)) {
    if (const auto parsed = attribute()) {
      list.push_back(*parsed);
    } else if (is(paren_left)) {
      skip_balanced(paren_left, paren_right);
    }
  }
  return keep(list);
}

std::optional<ast::Attribute> Parser::attribute() {
  const Token first = take();
  if (!is(identifier) && !is(kw_const) && !is(kw_diagnostic)) {
    expect_name("an attribute's name after '@'");
    if (is(reserved_word) || is(reserved_name)) take();
    return std::nullopt;
  }
  const Token name = take();
  const Rule* rule = find_rule(text(name));
  if (rule == nullptr) {
    error(since(first), fmt::format("there is no attribute '@{}'", text(name)));
    return std::nullopt;
  }
  if (rule->kind == Kind::diagnostic) {
    const auto control = diagnostic_control();
    if (!control) return std::nullopt;
    return ast::Attribute{rule->kind, since(first), {}, module_.arena.make(*control)};
  }
  const auto list = attribute_arguments(rule->kind, rule->name);
  if (!list) return std::nullopt;
  return ast::Attribute{rule->kind, since(first), *list};
}

std::optional<ast::ExprList> Parser::attribute_arguments(Kind kind, std::string_view name) {
  const Rule& rule = rule_of(kind);
  if (!is(paren_left)) {
    if (rule.fewest == 0) return ast::ExprList{};
    expected(fmt::format("'(': @{} takes {}", name, count_of_arguments(rule)));
    return std::nullopt;
  }
  const Token open = current();
  if (rule.most == 0) {
    error(open.span, fmt::format("@{} takes no arguments", name));
    return std::nullopt;
  }
  take();
  std::vector<const ast::Expr*> list;
  while (!is(paren_right)) {
    const ast::Expr* argument = attribute_argument(kind);
    if (argument == nullptr) return std::nullopt;
    list.push_back(argument);
    if (!accept(comma)) break;
  }
  if (!is(paren_right)) {
    expected(fmt::format("')' after the arguments of @{}", name));
    return std::nullopt;
  }
  take();
  // `@builtin(frag_depth, less)` has a second name, unlike the others.
  const bool depth_mode = kind == Kind::builtin && list.size() == 2 &&
                          list[0]->get_if<ast::Identifier>()->name.text == "frag_depth";
  if ((list.size() < rule.fewest || list.size() > rule.most) && !depth_mode) {
    error(since(open),
          fmt::format("@{} takes {}, found {}", name, count_of_arguments(rule), list.size()));
    return std::nullopt;
  }
  return keep(list);
}

// The names of built-in values and interpolations have a meaning only here.
const ast::Expr* Parser::attribute_argument(Kind kind) {
  if (kind != Kind::builtin && kind != Kind::interpolate) return expression();
  const auto name = expect_name(kind == Kind::builtin ? "the name of a built-in value"
                                                      : "the name of an interpolation");
  if (!name) return nullptr;
  return make_expr(name->span, ast::Identifier{*name, {}});
}

std::optional<ast::DiagnosticControl> Parser::diagnostic_control() {
  if (!expect(paren_left, "'(' after 'diagnostic'")) return std::nullopt;
  const auto severity = expect_name("a severity (error, warning, info or off)");
  if (!severity || !expect(comma, "',' after the severity")) return std::nullopt;
  const auto rule = expect_name("the name of a diagnostic rule");
  if (!rule) return std::nullopt;
  ast::DiagnosticControl control{*severity, *rule, std::nullopt};
  if (accept(period)) {
    control.rule_tail = expect_name("a name after '.'");
    if (!control.rule_tail) return std::nullopt;
  }
  accept(comma);
  if (!expect(paren_right, "')' after the diagnostic rule")) return std::nullopt;
  return control;
}

void Parser::refuse_attributes(ast::AttributeList attributes, std::string_view where) {
  if (attributes.empty()) return;
  error(join(attributes.front().span, attributes.back().span),
        fmt::format("{} cannot have attributes", where));
}

}  // namespace vyre
