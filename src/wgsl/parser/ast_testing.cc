#include "vyre/wgsl/parser/ast_testing.h"

#include <fmt/format.h>

#include <functional>

#include "vyre/wgsl/parser/parser.h"

namespace vyre {
namespace {

using namespace ast;  // NOLINT(google-build-using-namespace)

std::string list_text(ExprList list, std::string_view separator) {
  std::string out;
  for (const Expr* expr : list) {
    if (!out.empty()) out += separator;
    out += expr == nullptr ? "default" : to_text(*expr);
  }
  return out;
}

std::string name_text(const Identifier& id) {
  if (id.template_args.empty()) return std::string(id.name.text);
  return fmt::format("{}<{}>", id.name.text, list_text(id.template_args, ", "));
}

std::string scalar_text(const Scalar& value) {
  switch (value.kind) {
    case ScalarKind::boolean: return value.as_bool() ? "true" : "false";
    case ScalarKind::i32: return fmt::format("{}i32", value.as_i32());
    case ScalarKind::u32: return fmt::format("{}u32", value.as_u32());
    case ScalarKind::f32:
      return fmt::format("{}f32", std::bit_cast<float>(static_cast<std::uint32_t>(value.bits)));
    case ScalarKind::f16: return fmt::format("{:#06x}f16", value.bits);
    case ScalarKind::abstract_int: return fmt::format("{}", value.bits);
    case ScalarKind::abstract_float: {
      std::string text = fmt::format("{}", std::bit_cast<double>(value.bits));
      if (text.find_first_of(".e") == std::string::npos) text += ".0";
      return text;
    }
  }
  return "?";
}

struct ExprText {
  std::string operator()(const Literal& n) const { return scalar_text(n.value); }
  std::string operator()(const Identifier& n) const { return name_text(n); }
  std::string operator()(const Call& n) const {
    const std::string arguments = list_text(n.arguments, " ");
    return fmt::format("(call {}{}{})", name_text(n.callee), arguments.empty() ? "" : " ",
                       arguments);
  }
  std::string operator()(const Index& n) const {
    return fmt::format("([] {} {})", to_text(*n.object), to_text(*n.index));
  }
  std::string operator()(const Member& n) const {
    return fmt::format("(. {} {})", to_text(*n.object), n.member.text);
  }
  std::string operator()(const Unary& n) const {
    return fmt::format("({} {})", to_string(n.op), to_text(*n.operand));
  }
  std::string operator()(const Binary& n) const {
    return fmt::format("({} {} {})", to_string(n.op), to_text(*n.left), to_text(*n.right));
  }
};

std::string attributes_text(AttributeList attributes) {
  std::string out;
  for (const Attribute& attribute : attributes) {
    out += fmt::format("@{}", to_string(attribute.kind));
    if (!attribute.arguments.empty()) {
      out += fmt::format("({})", list_text(attribute.arguments, ", "));
    }
    if (const DiagnosticControl* control = attribute.diagnostic) {
      out += fmt::format("({}, {}{}{})", control->severity.text, control->rule.text,
                         control->rule_tail ? "." : "",
                         control->rule_tail ? control->rule_tail->text : "");
    }
    out += ' ';
  }
  return out;
}

std::string variable_text(const Variable& v) {
  std::string out = attributes_text(v.attributes) + std::string(to_string(v.kind));
  if (!v.template_args.empty()) out += fmt::format("<{}>", list_text(v.template_args, ", "));
  out += fmt::format(" {}", v.name.text);
  if (v.type != nullptr) out += fmt::format(": {}", to_text(*v.type));
  if (v.initializer != nullptr) out += fmt::format(" = {}", to_text(*v.initializer));
  return out;
}

// One line of text per statement, blocks indented.
class Printer {
 public:
  std::string take() { return std::move(out_); }

  void statement(const Statement& statement) { std::visit(*this, statement.node); }

  void operator()(const Block& n) { block("", n); }
  void operator()(const Variable& n) { line(variable_text(n)); }
  void operator()(const Assign& n) {
    line(fmt::format("{} {}= {}", n.left == nullptr ? "_" : to_text(*n.left),
                     n.op ? to_string(*n.op) : "", to_text(*n.right)));
  }
  void operator()(const Increment& n) { line(to_text(*n.left) + (n.up ? "++" : "--")); }
  void operator()(const CallStatement& n) { line(to_text(*n.call)); }
  void operator()(const If& n) {
    std::string word = attributes_text(n.attributes) + "if";
    for (const IfArm& arm : n.arms) {
      block(fmt::format("{} {} ", word, to_text(*arm.condition)), *arm.body);
      word = "else if";
    }
    if (n.else_body != nullptr) block("else ", *n.else_body);
  }
  void operator()(const Switch& n) {
    line(fmt::format("{}switch {} {}{{", attributes_text(n.attributes), to_text(*n.selector),
                     attributes_text(n.body_attributes)));
    ++depth_;
    for (const SwitchClause& clause : n.clauses) {
      block(fmt::format("case {} ", list_text(clause.selectors, ", ")), *clause.body);
    }
    --depth_;
    line("}");
  }
  void operator()(const Loop& n) {
    block(attributes_text(n.attributes) + "loop ", *n.body);
    if (n.continuing != nullptr) block("continuing ", *n.continuing);
    if (n.break_if != nullptr) line("break if " + to_text(*n.break_if));
  }
  void operator()(const For& n) {
    line(attributes_text(n.attributes) + "for");
    ++depth_;
    if (n.init != nullptr) statement(*n.init);
    line(n.condition == nullptr ? "while" : "while " + to_text(*n.condition));
    if (n.update != nullptr) statement(*n.update);
    --depth_;
    block("do ", *n.body);
  }
  void operator()(const While& n) {
    block(fmt::format("{}while {} ", attributes_text(n.attributes), to_text(*n.condition)),
          *n.body);
  }
  void operator()(const Break&) { line("break"); }
  void operator()(const Continue&) { line("continue"); }
  void operator()(const Discard&) { line("discard"); }
  void operator()(const Return& n) {
    line(n.value == nullptr ? "return" : "return " + to_text(*n.value));
  }
  void operator()(const ConstAssert& n) { line("const_assert " + to_text(*n.condition)); }
  void operator()(const Alias& n) {
    line(fmt::format("alias {} = {}", n.name.text, to_text(*n.type)));
  }
  void operator()(const Struct& n) {
    line(fmt::format("struct {} {{", n.name.text));
    ++depth_;
    for (const StructMember& m : n.members) {
      line(fmt::format("{}{}: {}", attributes_text(m.attributes), m.name.text, to_text(*m.type)));
    }
    --depth_;
    line("}");
  }
  void operator()(const Function& n) {
    std::string head = fmt::format("{}fn {}(", attributes_text(n.attributes), n.name.text);
    for (const Parameter& p : n.parameters) {
      if (&p != n.parameters.data()) head += ", ";
      head += fmt::format("{}{}: {}", attributes_text(p.attributes), p.name.text, to_text(*p.type));
    }
    head += ") ";
    if (n.return_type != nullptr) {
      head +=
          fmt::format("-> {}{} ", attributes_text(n.return_attributes), to_text(*n.return_type));
    }
    block(head, *n.body);
  }

  void line(std::string_view text) { out_ += fmt::format("{:{}}{}\n", "", depth_ * 2, text); }

 private:
  void block(std::string_view head, const Block& block) {
    line(fmt::format("{}{}{{", head, attributes_text(block.attributes)));
    ++depth_;
    for (const Statement* inner : block.statements) statement(*inner);
    --depth_;
    line("}");
  }

  std::string out_;
  std::size_t depth_ = 0;
};

std::string parsed_text(std::string text, const std::function<std::string(const Module&)>& print) {
  const Source source("test.wgsl", std::move(text));
  Diagnostics diagnostics;
  const Module module = parse(source, diagnostics);
  if (!diagnostics.has_errors()) return print(module);
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += fmt::format("error: {}\n", d.message);
  return out;
}

}  // namespace

std::string to_text(const Expr& expr) { return std::visit(ExprText{}, expr.node); }

std::string to_text(const Statement& statement) {
  Printer printer;
  printer.statement(statement);
  return printer.take();
}

std::string to_text(const Module& module) {
  Printer printer;
  for (const Name& name : module.enables) printer.line(fmt::format("enable {}", name.text));
  for (const Name& name : module.requirements) printer.line(fmt::format("requires {}", name.text));
  for (const DiagnosticControl& control : module.diagnostics) {
    printer.line(fmt::format("diagnostic {} {}{}{}", control.severity.text, control.rule.text,
                             control.rule_tail ? "." : "",
                             control.rule_tail ? control.rule_tail->text : ""));
  }
  for (const Declaration* declaration : module.declarations) std::visit(printer, declaration->node);
  return printer.take();
}

std::string parse_expression_text(std::string_view text) {
  return parsed_text(fmt::format("const x = {};", text), [](const Module& module) {
    return to_text(*module.declarations.at(0)->get_if<Variable>()->initializer);
  });
}

std::string parse_body_text(std::string_view text) {
  return parsed_text(fmt::format("fn f() {{\n{}\n}}", text), [](const Module& module) {
    std::string out;
    const auto* function = module.declarations.at(0)->get_if<Function>();
    for (const Statement* statement : function->body->statements) out += to_text(*statement);
    return out;
  });
}

std::string parse_module_text(std::string_view text) {
  return parsed_text(std::string(text), [](const Module& module) { return to_text(module); });
}

std::string rendered_errors(std::string_view text) {
  const Source source("test.wgsl", std::string(text));
  Diagnostics diagnostics;
  parse(source, diagnostics);
  return render(source, diagnostics);
}

}  // namespace vyre
