#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "vyre/base/arithmetic.h"
#include "vyre/ir/validate/validate_internal.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

// A tree may use one expression several times; the size of the expanded tree is bounded.
constexpr std::uint64_t kMaxTreeNodes = 1U << 22U;

template <class Id>
std::size_t index_of(Id id) {
  return static_cast<std::size_t>(id);
}

template <class T>
bool in_range(std::uint32_t first, std::uint32_t count, const std::vector<T>& of) {
  return std::uint64_t{first} + count <= of.size();
}

class Shape {
 public:
  Shape(const Program& program, Issues& issues) : program_(program), issues_(issues) {}

  void run() {
    declarations();
    exprs();
    if (!issues_.empty()) return;
    expr_graph();
    functions();
    if (!issues_.empty()) return;
    calls();
  }

 private:
  template <class... Args>
  void report(SourcePos pos, fmt::format_string<Args...> format, Args&&... args) {
    issues_.push_back({fmt::format(format, std::forward<Args>(args)...), pos});
  }

  bool known_type(TypeId id) const { return index_of(id) < program_.types.size(); }
  bool known_expr(ExprId id) const { return index_of(id) < program_.exprs.size(); }
  void want_type(TypeId id, SourcePos pos, std::string_view of) {
    if (!known_type(id)) report(pos, "{} has the unknown type {}", of, index_of(id));
  }
  void want_expr(ExprId id, SourcePos pos, std::string_view of) {
    if (!known_expr(id)) report(pos, "{} names the unknown expression {}", of, index_of(id));
  }

  void declarations() {
    for (const Override& o : program_.overrides) {
      want_type(o.type, o.pos, "an override");
      if (o.initial != kNoExpr) want_expr(o.initial, o.pos, "an override");
    }
    for (const Global& g : program_.globals) {
      want_type(g.type, g.pos, "a global");
      if (g.initial != kNoExpr) want_expr(g.initial, g.pos, "a global");
    }
    for (const Constant& c : program_.constants) want_type(c.type, {}, "a constant");
    for (const ExprId id : program_.workgroup_exprs) {
      if (id != kNoExpr) want_expr(id, {}, "the workgroup size");
    }
    if (program_.subgroup_size != kNoExpr) {
      want_expr(program_.subgroup_size, {}, "the subgroup size");
    }
    for (std::size_t i = 0; i < program_.types.size(); ++i) {
      const auto* array = program_.types.get_if<ArrayType>(static_cast<TypeId>(i));
      if (array != nullptr && array->count_expr != kNoExpr) {
        want_expr(array->count_expr, {}, "the size of an array");
      }
    }
    for (const Function& f : program_.functions) {
      want_type(f.result, f.pos, "the result of a function");
      for (const Local& l : f.locals) want_type(l.type, l.pos, "a local");
      if (f.parameters > f.locals.size()) {
        report(f.pos, "function '{}' has {} parameters and only {} locals", f.name, f.parameters,
               f.locals.size());
      }
    }
    if (index_of(program_.entry) >= program_.functions.size()) {
      report({}, "the entry is function {}, and there are {}", index_of(program_.entry),
             program_.functions.size());
    }
  }

  void want_list(ExprRange range, SourcePos pos) {
    if (!in_range(range.first, range.count, program_.expr_lists)) {
      report(pos, "a list of expressions reaches beyond the end");
    }
  }

  void exprs() {
    for (const Expr& e : program_.exprs) {
      want_type(e.type, e.pos, "an expression");
      if (const auto* n = std::get_if<ConstructExpr>(&e.node)) want_list(n->parts, e.pos);
      if (const auto* n = std::get_if<MathExpr>(&e.node)) want_list(n->arguments, e.pos);
      if (const auto* n = std::get_if<ConstantExpr>(&e.node)) {
        if (index_of(n->id) >= program_.constants.size()) {
          report(e.pos, "unknown constant {}", index_of(n->id));
        }
      }
      if (const auto* n = std::get_if<OverrideExpr>(&e.node)) {
        if (index_of(n->id) >= program_.overrides.size()) {
          report(e.pos, "unknown override {}", index_of(n->id));
        }
      }
      if (const auto* n = std::get_if<GlobalPtrExpr>(&e.node)) {
        if (index_of(n->id) >= program_.globals.size()) {
          report(e.pos, "unknown global {}", index_of(n->id));
        }
      }
    }
    if (!issues_.empty()) return;  // from here on lists can be followed
    for (const ExprId id : program_.expr_lists) want_expr(id, {}, "a list");
    for (const Expr& e : program_.exprs) {
      for_each_operand(program_, e.node, [&](ExprId id) { want_expr(id, e.pos, "an expression"); });
    }
  }

  // Depth-first over all expressions with an explicit stack, because the depth is not known yet.
  void expr_graph() {
    struct Frame {
      ExprId id;
      bool operands_done;
    };
    enum : std::uint8_t { fresh, open, done };
    std::vector<std::uint8_t> state(program_.exprs.size(), fresh);
    std::vector<std::uint32_t> depth(program_.exprs.size(), 0);
    std::vector<std::uint64_t> nodes(program_.exprs.size(), 0);
    std::vector<Frame> stack;
    for (std::size_t i = 0; i < program_.exprs.size(); ++i) {
      stack.push_back({static_cast<ExprId>(i), false});
      while (!stack.empty()) {
        const auto [id, operands_done] = stack.back();
        const std::size_t at = index_of(id);
        const Expr& e = program_[id];
        if (operands_done) {
          stack.pop_back();
          std::uint32_t deepest = 0;
          std::uint64_t largest = 0;
          std::uint64_t size = 1;
          for_each_operand(program_, e.node, [&](ExprId o) {
            deepest = std::max(deepest, depth[index_of(o)]);
            largest = std::max(largest, nodes[index_of(o)]);
            size = saturating_add(size, nodes[index_of(o)]);
          });
          depth[at] = saturating_add(deepest, 1U);
          nodes[at] = size;
          state[at] = done;
          // Reports only the expression that passes the limit; everything that contains it passes
          // it as well.
          if (depth[at] == kMaxExprDepth + 1) {
            report(e.pos, "an expression is nested more than {} deep", kMaxExprDepth);
          } else if (size > kMaxTreeNodes && largest <= kMaxTreeNodes) {
            report(e.pos, "an expression has more than {} operations", kMaxTreeNodes);
          }
          continue;
        }
        stack.back().operands_done = true;
        if (state[at] != fresh) {
          stack.pop_back();
          continue;
        }
        state[at] = open;
        for_each_operand(program_, e.node, [&](ExprId o) {
          if (state[index_of(o)] == open) {
            report(e.pos, "an expression contains itself");
          } else if (state[index_of(o)] == fresh) {
            stack.push_back({o, false});
          }
        });
      }
    }
  }

  void functions() {
    stmt_seen_.assign(program_.stmts.size(), false);
    stmt_depth_.assign(program_.stmts.size(), 0);
    for (const Function& f : program_.functions) block(f.body, f.pos, 0);
  }

  void block(Block b, SourcePos pos, std::uint32_t depth) {
    if (b.count == 0) return;
    if (depth > kMaxBlockDepth) {
      report(pos, "statements are nested more than {} deep", kMaxBlockDepth);
      return;
    }
    if (!in_range(b.first, b.count, program_.block_stmts)) {
      report(pos, "a block reaches beyond the end of the statements");
      return;
    }
    for (const StmtId id : program_.block(b)) {
      if (index_of(id) >= program_.stmts.size()) {
        report(pos, "unknown statement {}", index_of(id));
      } else if (stmt_seen_[index_of(id)]) {
        report(program_[id].pos, "a statement stands in two places");
      } else {
        stmt_seen_[index_of(id)] = true;
        stmt_depth_[index_of(id)] = depth;
        stmt(program_[id], depth);
      }
    }
  }

  void stmt(const Stmt& s, std::uint32_t depth) {
    if (const auto* call = std::get_if<CallStmt>(&s.node)) {
      if (!in_range(call->arguments.first, call->arguments.count, program_.expr_lists)) {
        report(s.pos, "a list of arguments reaches beyond the end");
        return;
      }
      if (index_of(call->callee) >= program_.functions.size()) {
        report(s.pos, "a call of the unknown function {}", index_of(call->callee));
      }
    }
    if (const auto* choice = std::get_if<SwitchStmt>(&s.node)) {
      if (!in_range(choice->first_case, choice->case_count, program_.switch_cases)) {
        report(s.pos, "a switch has cases beyond the end");
        return;
      }
    }
    for_each_expr(program_, s.node, [&](ExprId id) { want_expr(id, s.pos, "a statement"); });
    for_each_block(program_, s.node, [&](Block inner) { block(inner, s.pos, depth + 1); });
  }

  // A function can call only functions before it, so there is no recursion.
  void calls() {
    std::vector<std::uint32_t> depth(program_.functions.size(), 1);
    std::vector<std::uint32_t> nesting(program_.functions.size(), 0);
    for (std::size_t i = 0; i < program_.functions.size(); ++i) {
      const Function& f = program_.functions[i];
      for_each_stmt(program_, f.body, [&](StmtId id) {
        const std::uint32_t blocks = stmt_depth_[index_of(id)] + 1;
        nesting[i] = std::max(nesting[i], blocks);
        const auto* call = std::get_if<CallStmt>(&program_[id].node);
        if (call == nullptr) return;
        const std::size_t callee = index_of(call->callee);
        if (call->callee == program_.entry) {
          report(program_[id].pos, "the entry '{}' is called", program_.functions[callee].name);
        } else if (callee == i) {
          report(program_[id].pos, "function '{}' calls itself", f.name);
        } else if (callee > i) {
          report(program_[id].pos,
                 "function '{}' calls '{}', which comes after it: calls must not be recursive, and "
                 "callees come first",
                 f.name, program_.functions[callee].name);
        } else {
          depth[i] = std::max(depth[i], depth[callee] + 1);
          nesting[i] = std::max(nesting[i], blocks + nesting[callee]);
        }
      });
      if (depth[i] == kMaxCallDepth + 1) {
        report(f.pos, "calls from '{}' are nested more than {} deep", f.name, kMaxCallDepth);
      } else if (nesting[i] > kMaxNesting) {
        report(f.pos, "statements of '{}' and of what it calls are nested more than {} deep",
               f.name, kMaxNesting);
        return;  // what calls it is nested deeper still
      }
    }
  }

  const Program& program_;
  Issues& issues_;
  std::vector<bool> stmt_seen_;
  std::vector<std::uint32_t> stmt_depth_;  // blocks around each, within its function
};

}  // namespace

void check_shape(const Program& program, Issues& issues) { Shape(program, issues).run(); }

}  // namespace vyre
