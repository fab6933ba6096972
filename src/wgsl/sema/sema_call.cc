// Calls: which of constructor, builtin and user function is meant, and calls of user functions.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "vyre/wgsl/sema/sema_buffer_view.h"
#include "vyre/wgsl/sema/sema_builtins.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_features.h"
#include "vyre/wgsl/sema/sema_memory.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_stage.h"
#include "vyre/wgsl/sema/sema_subgroup.h"
#include "vyre/wgsl/sema/sema_texture.h"
#include "vyre/wgsl/sema/sema_types.h"

namespace vyre::sema {
namespace {

std::string count_text(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Passing two pointers to the same memory, one of them for writing, is an error.
bool check_aliases(Context& cx, const FunctionInfo& callee, std::span<const Value> arguments,
                   std::string_view name) {
  const auto refuse = [&](const Value& at, std::string_view why) {
    cx.error(at.span,
             fmt::format("this pointer aliases other memory that '{}' uses: {}", name, why));
    return false;
  };
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    const Root root = arguments[i].root;
    if (cx.types().get_if<PointerType>(arguments[i].type) == nullptr) continue;
    const bool written = callee.writes_parameter.has(i);
    const bool read = callee.reads_parameter.has(i);
    for (std::uint32_t k = 0; k < i; ++k) {
      if (cx.types().get_if<PointerType>(arguments[k].type) == nullptr) continue;
      const bool both_used =
          (written && (callee.writes_parameter.has(k) || callee.reads_parameter.has(k))) ||
          (read && callee.writes_parameter.has(k));
      if (arguments[k].root == root && both_used) {
        return refuse(arguments[i], fmt::format("argument {} points into the same variable, and "
                                                "one of them is written",
                                                k + 1));
      }
    }
    if (root.kind != Root::Kind::global) continue;
    const bool global_written = callee.writes_global.has(root.index);
    const bool global_read = callee.reads_global.has(root.index);
    if ((written && (global_read || global_written)) || (read && global_written)) {
      return refuse(arguments[i], fmt::format("it accesses the variable '{}' itself, and one of "
                                              "the accesses writes",
                                              cx.program[GlobalId{root.index}].name));
    }
  }
  return true;
}

void note_callee_accesses(Context& cx, const FunctionInfo& callee,
                          std::span<const Value> arguments) {
  FunctionInfo& caller = cx.body->info;
  caller.reads_global.add_all(callee.reads_global);
  caller.writes_global.add_all(callee.writes_global);
  for (std::uint32_t i = 0; i < arguments.size(); ++i) {
    if (callee.reads_parameter.has(i)) note_read(cx, arguments[i].root);
    if (callee.writes_parameter.has(i)) note_write(cx, arguments[i].root);
  }
}

// Whether the types are pointers to buffers of which a call makes the second out of the first.
bool passes_as(const Context& cx, TypeId argument, TypeId parameter) {
  const auto* from = cx.types().get_if<PointerType>(argument);
  const auto* to = cx.types().get_if<PointerType>(parameter);
  if (from == nullptr || to == nullptr || from->memory != to->memory ||
      from->access != to->access) {
    return false;
  }
  const auto* large = cx.types().get_if<BufferType>(from->pointee);
  const auto* small = cx.types().get_if<BufferType>(to->pointee);
  if (large == nullptr || small == nullptr || small->bytes_expr != kNoExpr) return false;
  return small->bytes == 0 || small->bytes < large->bytes;
}

bool check_arguments(Context& cx, const FunctionInfo& callee, Arguments& arguments,
                     std::string_view name, Span span) {
  if (arguments.size() != callee.parameters.size()) {
    cx.error(span, fmt::format("'{}' takes {}; {} given", name,
                               count_text(callee.parameters.size(), "argument"), arguments.size()))
        .note(callee.declared, "declared here");
    return false;
  }
  bool fine = true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (passes_as(cx, arguments[i].type, callee.parameters[i])) continue;
    arguments[i] = coerce(cx, std::move(arguments[i]), callee.parameters[i],
                          fmt::format("argument {} of '{}'", i + 1, name));
    fine = fine && !arguments[i].failed();
  }
  return fine;
}

// Whether the value is a pointer to a part of a variable.
bool points_to_part(const Context& cx, const Value& value) {
  if (cx.types().get_if<PointerType>(value.type) == nullptr) return false;
  const ExprNode& node = cx.program[value.expr].node;
  return std::holds_alternative<MemberExpr>(node) || std::holds_alternative<IndexExpr>(node) ||
         std::holds_alternative<ViewExpr>(node);
}

Value call_user(Context& cx, std::uint32_t index, const ast::Name& name, Arguments& arguments,
                Span span) {
  if (cx.body == nullptr) {
    cx.error(span, fmt::format("'{}' is not a builtin function: outside of functions there are "
                               "only constant and override expressions",
                               name.text));
    return failed(span);
  }
  const FunctionInfo& callee = cx.functions[index];
  if (callee.entry) {
    cx.error(name.span, fmt::format("the entry point '{}' cannot be called", name.text))
        .note(callee.declared, "declared here");
    return failed(span);
  }
  if (callee.broken || arguments.failed()) return failed(span);
  if (!check_arguments(cx, callee, arguments, name.text, span) ||
      !check_aliases(cx, callee, arguments.values(), name.text)) {
    return failed(span);
  }
  note_callee_accesses(cx, callee, arguments.values());
  if (!pass_buffers(cx, callee, arguments.values())) return failed(span);
  call_needs(cx, callee);
  for (const Value& v : arguments.values()) {
    if (points_to_part(cx, v)) note_feature(cx, "unrestricted_pointer_parameters");
  }

  arguments.release();
  flush(cx);
  std::vector<ExprId> ids;
  ids.reserve(arguments.size());
  for (const Value& v : arguments.values()) ids.push_back(emit(cx, v));
  const bool returns = callee.result != cx.types().void_type();
  LocalId result = kNoLocal;
  if (returns) result = new_result(cx, name.text, callee.result, span);
  cx.at(span);
  cx.writer.stmt(CallStmt{callee.id, cx.writer.list(ids), result});
  if (returns) return use_let(cx, result, callee.result, span);
  Value none;
  none.kind = Value::Kind::none;
  none.span = span;
  return none;
}

Value call_predeclared(Context& cx, const ast::Call& node, Span span) {
  const ast::Name& name = node.callee.name;
  if (const auto generator = find_generator(name.text);
      generator && node.callee.template_args.empty()) {
    Arguments arguments(cx, node.arguments);
    return construct_inferred(cx, name, arguments, span);
  }
  if (is_type_name(name.text)) {
    const auto type = resolve_type(cx, node.callee, name.span);
    Arguments arguments(cx, node.arguments);
    return type ? construct(cx, *type, arguments, span) : failed(span);
  }
  const bool math = find_math(name.text) != nullptr;
  const SpecialEntry* special = find_special(name.text);
  if (!is_builtin_function(name.text)) {
    if (const std::string_view why = refusal(name.text); !why.empty()) {
      cx.error(name.span, fmt::format("'{}' is not available: {}", name.text, why));
    } else {
      report_unknown(cx, name);
    }
    const Arguments arguments(cx, node.arguments);  // for their own errors
    return failed(span);
  }
  if (!node.callee.template_args.empty() &&
      (special == nullptr || !takes_template(special->which))) {
    cx.error(name.span, fmt::format("'{}' takes no template arguments", name.text));
    return failed(span);
  }
  note_builtin(cx, name.text);
  Arguments arguments(cx, node.arguments);
  if (arguments.failed()) return failed(span);
  if (math) return call_math(cx, name.text, arguments, span);
  if (special != nullptr) return call_special(cx, node, arguments, span);
  if (is_subgroup_function(name.text)) return call_subgroup(cx, name.text, arguments, span);
  return is_derivative(name.text) ? call_derivative(cx, name.text, arguments, span)
                                  : call_texture(cx, name.text, arguments, span);
}

}  // namespace

Arguments::Arguments(Context& cx, ast::ExprList written) : cx_(cx) {
  if (written.size() > Limits::kArguments) {
    cx.error(written[Limits::kArguments]->span,
             fmt::format("a call takes at most {} arguments", Limits::kArguments));
    failed_ = true;
    return;
  }
  values_.reserve(written.size());  // Body::pending points into it
  for (const ast::Expr* expr : written) {
    values_.push_back(check_value(cx, *expr));
    failed_ = failed_ || values_.back().failed();
    if (cx.body != nullptr) {
      cx.body->pending.push_back(&values_.back());
      ++held_;
    }
  }
}

void Arguments::release() {
  for (; held_ != 0; --held_) cx_.body->pending.pop_back();
}

bool is_builtin_function(std::string_view name) {
  return find_math(name) != nullptr || find_special(name) != nullptr || is_texture_function(name) ||
         is_derivative(name) || is_subgroup_function(name);
}

Value check_call(Context& cx, const ast::Expr& expr, const ast::Call& node) {
  const ast::Name& name = node.callee.name;
  const Symbol* symbol = lookup(cx, name.text);
  if (symbol == nullptr) return call_predeclared(cx, node, expr.span);
  if (std::holds_alternative<TypeSymbol>(symbol->what)) {
    const auto type = resolve_type(cx, node.callee, name.span);
    Arguments arguments(cx, node.arguments);
    return type ? construct(cx, *type, arguments, expr.span) : failed(expr.span);
  }
  if (const auto* function = std::get_if<FunctionSymbol>(&symbol->what)) {
    const std::uint32_t index = function->index;
    if (!node.callee.template_args.empty()) {
      cx.error(name.span, fmt::format("'{}' takes no template arguments", name.text));
      return failed(expr.span);
    }
    Arguments arguments(cx, node.arguments);
    return call_user(cx, index, name, arguments, expr.span);
  }
  if (!std::holds_alternative<BrokenSymbol>(symbol->what)) {
    cx.error(name.span, fmt::format("'{}' is {}, not a function", name.text, kind_of(*symbol)))
        .note(symbol->declared, "declared here");
  }
  const Arguments arguments(cx, node.arguments);
  return failed(expr.span);
}

bool check_result_unused(Context& cx, const ast::Call& node) {
  const ast::Name& name = node.callee.name;
  const Symbol* symbol = lookup(cx, name.text);
  bool may_drop = true;
  if (symbol == nullptr) {
    const SpecialEntry* special = find_special(name.text);
    may_drop = special != nullptr && has_effects(special->which) &&
               special->which != SpecialBuiltin::workgroup_uniform_load;
    may_drop = may_drop || gives_nothing(name.text);
  } else if (const auto* function = std::get_if<FunctionSymbol>(&symbol->what)) {
    may_drop = !cx.functions[function->index].must_use;
  } else {
    may_drop = false;
  }
  if (may_drop) return true;
  cx.error(name.span, fmt::format("the result of '{}' is not used", name.text))
      .with_fix("use it, or write '_ = ' in front");
  return false;
}

}  // namespace vyre::sema
