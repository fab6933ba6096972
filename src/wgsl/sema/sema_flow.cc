// Loops and switches.
#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vyre/wgsl/sema/sema_attributes.h"
#include "vyre/wgsl/sema/sema_convert.h"
#include "vyre/wgsl/sema/sema_expr.h"
#include "vyre/wgsl/sema/sema_scope.h"
#include "vyre/wgsl/sema/sema_stmt.h"

namespace vyre::sema {
namespace {

constexpr std::uint32_t kNoDepth = 0xFFFF'FFFFU;

void enter_loop(Context& cx, std::uint32_t body_depth) {
  cx.body->loops.push_back({.body_depth = body_depth, .continue_span = {}});
  cx.body->breakables.push_back({Breakable::Kind::loop});
}

void leave_loop(Context& cx) {
  cx.body->loops.pop_back();
  cx.body->breakables.pop_back();
}

// How control leaves a loop, given how it leaves the body and the continuing part.
Behaviour loop_behaviour(Context& cx, Behaviour body, Behaviour continuing, Span span) {
  if (body == kReturn) return kReturn;
  const auto all = static_cast<Behaviour>(body | continuing);
  if ((all & kBreak) != 0) return static_cast<Behaviour>((all | kNext) & ~(kBreak | kContinue));
  const auto left = static_cast<Behaviour>(all & ~(kContinue | kNext));
  if (left != 0) return left;
  // After another error, the exit of the loop may not have been parsed.
  if (!cx.diagnostics.has_errors()) cx.error(span, "this loop never ends");
  return kNext;
}

// if (!condition) { break; }
void emit_exit(Context& cx, ExprId condition, Span span) {
  if (condition == kNoExpr) return;
  cx.at(span);
  const ExprId done = cx.writer.expr(cx.types().scalar(ScalarKind::boolean),
                                     UnaryExpr{UnaryOp::logical_not, condition});
  cx.writer.open();
  cx.writer.stmt(BreakStmt{});
  const Block leave = cx.writer.close();
  cx.writer.stmt(IfStmt{done, leave, {}});
}

void check_loop_attributes(Context& cx, ast::AttributeList list, std::string_view what) {
  check_attributes(cx, list, what, {ast::AttributeKind::diagnostic});
}

// The concrete type that the selectors of a switch share.
std::optional<ScalarKind> selector_kind(Context& cx, std::span<const Value> selectors) {
  std::optional<TypeId> common;
  for (const Value& v : selectors) {
    if (v.failed()) return std::nullopt;
    const auto* scalar = cx.types().get_if<ScalarType>(v.type);
    if (scalar == nullptr || !is_integer(scalar->kind)) {
      cx.error(v.span, fmt::format("'switch' works on i32 and u32; this is {}", cx.spell(v.type)));
      return std::nullopt;
    }
    const auto wider = common ? common_type(cx.types(), *common, v.type) : v.type;
    if (!wider) {
      cx.error(v.span, fmt::format("the selectors of a switch have one type; this is {}, those "
                                   "before are {}",
                                   cx.spell(v.type), cx.spell(*common)));
      return std::nullopt;
    }
    common = wider;
  }
  return cx.types().scalar_kind(concrete_type(cx.types(), *common));
}

// The values of all selectors, with the expression of the switch first.
std::vector<Value> check_selectors(Context& cx, const ast::Switch& node) {
  std::vector<Value> all{check_value(cx, *node.selector)};
  std::uint32_t defaults = 0;
  for (const ast::SwitchClause& clause : node.clauses) {
    for (const ast::Expr* selector : clause.selectors) {
      if (selector == nullptr) {
        if (++defaults == 2) cx.error(clause.span, "a switch has one default; this is the second");
        continue;
      }
      all.push_back(check_value(cx, *selector));
      if (!all.back().failed() && !all.back().is_constant()) {
        cx.error(selector->span, "a case selector must be a constant expression");
        all.back() = failed(selector->span);
      }
    }
  }
  if (defaults == 0) cx.error(node.selector->span, "this switch has no default");
  const std::size_t count = all.size() - 1 + defaults;
  if (count > Limits::kSwitchSelectors) {
    cx.error(node.selector->span, fmt::format("this switch has {} selectors; the limit is {}",
                                              count, Limits::kSwitchSelectors));
  }
  return all;
}

}  // namespace

Behaviour check_loop(Context& cx, const ast::Loop& loop, Span span) {
  const FilterScope filters(cx, loop.attributes);
  check_loop_attributes(cx, loop.attributes, "a loop");
  const FilterScope body_filters(cx, loop.body->attributes);
  check_loop_attributes(cx, loop.body->attributes, "a loop's body");
  push_scope(cx);
  enter_loop(cx, static_cast<std::uint32_t>(cx.body->scopes.size()));
  cx.writer.open();
  const Behaviour body = check_statements(cx, loop.body->statements);
  const Block body_block = cx.writer.close();

  cx.writer.open();
  Behaviour continuing = kNext;
  ExprId break_if = kNoExpr;
  cx.body->loops.back().in_continuing = true;
  cx.body->breakables.push_back({Breakable::Kind::continuing});
  push_scope(cx);
  if (loop.continuing != nullptr) {
    const FilterScope continuing_filters(cx, loop.continuing->attributes);
    check_loop_attributes(cx, loop.continuing->attributes, "a continuing block");
    continuing = check_statements(cx, loop.continuing->statements);
  }
  if (loop.break_if != nullptr) {
    break_if = check_condition(cx, *loop.break_if, "a 'break if' condition");
    continuing |= kBreak;
  }
  pop_scope(cx);
  cx.body->breakables.pop_back();
  const Block continuing_block = cx.writer.close();
  leave_loop(cx);
  pop_scope(cx);
  cx.at(span);
  cx.writer.stmt(LoopStmt{body_block, continuing_block, break_if});
  return loop_behaviour(cx, body, continuing, span);
}

Behaviour check_for(Context& cx, const ast::For& loop, Span span) {
  const FilterScope filters(cx, loop.attributes);
  check_loop_attributes(cx, loop.attributes, "a loop");
  push_scope(cx);
  if (loop.init != nullptr) check_statement(cx, *loop.init);
  enter_loop(cx, kNoDepth);
  cx.writer.open();
  Behaviour body = 0;
  if (loop.condition != nullptr) {
    emit_exit(cx, check_condition(cx, *loop.condition, "a 'for' condition"), loop.condition->span);
    body = kBreak;
  }
  body |= check_block(cx, *loop.body);
  const Block body_block = cx.writer.close();
  cx.writer.open();
  if (loop.update != nullptr) check_statement(cx, *loop.update);
  const Block update = cx.writer.close();
  leave_loop(cx);
  pop_scope(cx);
  cx.at(span);
  cx.writer.stmt(LoopStmt{body_block, update});
  return loop_behaviour(cx, body, kNext, span);
}

Behaviour check_while(Context& cx, const ast::While& loop, Span span) {
  const FilterScope filters(cx, loop.attributes);
  check_loop_attributes(cx, loop.attributes, "a loop");
  enter_loop(cx, kNoDepth);
  cx.writer.open();
  emit_exit(cx, check_condition(cx, *loop.condition, "a 'while' condition"), loop.condition->span);
  const auto body = static_cast<Behaviour>(kBreak | check_block(cx, *loop.body));
  const Block body_block = cx.writer.close();
  leave_loop(cx);
  cx.at(span);
  cx.writer.stmt(LoopStmt{body_block, {}});
  return loop_behaviour(cx, body, kNext, span);
}

Behaviour check_switch(Context& cx, const ast::Switch& node, Span span) {
  const FilterScope filters(cx, node.attributes);
  const FilterScope body_filters(cx, node.body_attributes);
  check_loop_attributes(cx, node.attributes, "a switch");
  check_loop_attributes(cx, node.body_attributes, "a switch's body");
  std::vector<Value> selectors = check_selectors(cx, node);
  const auto kind = selector_kind(cx, selectors);
  const TypeId type = cx.types().scalar(kind.value_or(ScalarKind::i32));
  ExprId selector = kNoExpr;
  if (kind) {
    for (Value& v : selectors) v = convert(cx, std::move(v), type);
    if (!selectors[0].failed()) selector = emit(cx, selectors[0]);
  }

  Behaviour all = 0;
  std::vector<SwitchCase> cases;
  std::unordered_map<std::uint64_t, Span> seen;
  std::size_t next = 1;
  cx.body->breakables.push_back({Breakable::Kind::switch_});
  for (const ast::SwitchClause& clause : node.clauses) {
    SwitchCase one;
    for (const ast::Expr* written : clause.selectors) {
      if (written == nullptr) {
        one.is_default = true;
        continue;
      }
      const Value& value = selectors[next++];
      if (value.failed() || !kind) continue;
      const auto [at, fresh] = seen.try_emplace(value.bits(), written->span);
      if (!fresh) {
        cx.error(written->span,
                 fmt::format("the selector {} is given twice", spell_constant(cx, value)))
            .note(at->second, "first given here");
      }
      one.values.push_back(static_cast<std::uint32_t>(value.bits()));
    }
    cx.writer.open();
    all |= check_block(cx, *clause.body);
    one.body = cx.writer.close();
    cases.push_back(std::move(one));
  }
  cx.body->breakables.pop_back();

  const auto first = static_cast<std::uint32_t>(cx.program.switch_cases.size());
  const auto count = static_cast<std::uint32_t>(cases.size());
  for (SwitchCase& c : cases) cx.program.switch_cases.push_back(std::move(c));
  cx.at(span);
  if (selector != kNoExpr) cx.writer.stmt(SwitchStmt{selector, first, count});
  if ((all & kBreak) != 0) all = static_cast<Behaviour>((all | kNext) & ~kBreak);
  return all == 0 ? kNext : all;
}

void check_break(Context& cx, Span span) {
  const std::vector<Breakable>& around = cx.body->breakables;
  if (around.empty()) {
    cx.error(span, "'break' stands in no loop and no switch");
  } else if (around.back().kind == Breakable::Kind::continuing) {
    cx.error(span, "'break' cannot stand in 'continuing'")
        .with_fix("end the continuing block with 'break if condition;'");
  }
  cx.at(span);
  cx.writer.stmt(BreakStmt{});
}

void check_continue(Context& cx, Span span) {
  const std::vector<Breakable>& around = cx.body->breakables;
  auto at = around.rbegin();
  while (at != around.rend() && at->kind == Breakable::Kind::switch_) ++at;
  if (at == around.rend()) {
    cx.error(span, "'continue' stands in no loop");
    return;
  }
  if (at->kind == Breakable::Kind::continuing) {
    cx.error(span, "'continue' cannot stand in 'continuing'");
    return;
  }
  LoopState& loop = cx.body->loops.back();
  if (cx.body->declared < loop.first_continue) {
    loop.first_continue = cx.body->declared;
    loop.continue_span = span;
  }
  cx.at(span);
  cx.writer.stmt(ContinueStmt{});
}

}  // namespace vyre::sema
