#include <fmt/format.h>

#include <algorithm>

#include "vyre/ir/walk.h"
#include "vyre/lower/call_plan_internal.h"

namespace vyre {
namespace {

// Calls are expanded until the program has this many statements and expressions; further functions
// are emitted as functions.
constexpr std::uint64_t kInlineBudget = 4000;
// A function that is not larger than this costs less when it is expanded than a call does.
constexpr std::uint64_t kSmallFunction = 48;
// The most copies of elementary functions, which have some 40 instructions each.
constexpr std::uint64_t kElementaryBudget = 32;
constexpr std::uint64_t kOneBody = 10'000;
constexpr std::uint64_t kMostNodes = 4'000'000;
// In a function with more nodes than this, the stop flag is tested between statements.
constexpr std::uint64_t kLongBody = 4000;

struct Size {
  std::uint64_t nodes = 0;
  std::uint64_t elementary = 0;  // scalars that elementary functions compute

  // The sum saturates far above every limit, and far below an overflow.
  void add(const Size& other) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
    nodes = std::min(kMost, nodes + other.nodes);
    elementary = std::min(kMost, elementary + other.elementary);
  }
};

// One function by itself.
struct Body {
  Size size;
  std::vector<FunctionId> calls;  // one entry for each call
};

std::size_t index_of(FunctionId id) { return static_cast<std::size_t>(id); }

void survey(const Program& p, ExprId root, Body& out, FunctionNeeds& needs) {
  for_each_subexpr(p, root, [&](ExprId id) {
    ++out.size.nodes;
    const ExprNode& node = p[id].node;
    if (const auto* e = std::get_if<MathExpr>(&node); e != nullptr && is_large_elementary(e->fn)) {
      out.size.elementary += p.types.scalar_count(p[id].type);
    } else if (const auto* e = std::get_if<GlobalPtrExpr>(&node)) {
      needs.globals.push_back(e->id);
    } else if (const auto* e = std::get_if<InvocationIdExpr>(&node)) {
      needs.ids |= 1U << static_cast<unsigned>(e->kind);
    } else if (const auto* e = std::get_if<LocalExpr>(&node)) {
      needs.used[static_cast<std::size_t>(e->id)] = true;
    } else if (const auto* e = std::get_if<LocalPtrExpr>(&node)) {
      needs.used[static_cast<std::size_t>(e->id)] = true;
    }
  });
}

Body survey(const Program& p, const Function& function, FunctionNeeds& needs) {
  Body out;
  needs.used.assign(function.locals.size(), false);
  for_each_stmt(p, function.body, [&](StmtId id) {
    ++out.size.nodes;
    const StmtNode& node = p[id].node;
    for_each_expr(p, node, [&](ExprId root) { survey(p, root, out, needs); });
    if (const auto* call = std::get_if<CallStmt>(&node)) out.calls.push_back(call->callee);
    needs.may_stop = needs.may_stop || std::holds_alternative<LoopStmt>(node);
    needs.barrier = needs.barrier || std::holds_alternative<BarrierStmt>(node) ||
                    std::holds_alternative<UniformLoadStmt>(node);
    needs.subgroup = needs.subgroup || std::holds_alternative<SubgroupStmt>(node);
  });
  needs.may_stop = needs.may_stop || out.size.nodes > kLongBody;
  return out;
}

void add_needs(FunctionNeeds& into, const FunctionNeeds& of) {
  into.globals.insert(into.globals.end(), of.globals.begin(), of.globals.end());
  into.ids |= of.ids;
  into.barrier = into.barrier || of.barrier;
  into.subgroup = into.subgroup || of.subgroup;
  into.may_stop = into.may_stop || of.may_stop;
}

void sort_once(std::vector<GlobalId>& ids) {
  std::ranges::sort(ids);
  const auto rest = std::ranges::unique(ids);
  ids.erase(rest.begin(), rest.end());
}

// Computes the size of each function with its calls expanded, callees before callers.
std::vector<Size> expand(const std::vector<Body>& bodies, const std::vector<bool>& outlined) {
  std::vector<Size> out;
  for (const Body& body : bodies) {
    Size size = body.size;
    for (const FunctionId callee : body.calls) {
      if (!outlined[index_of(callee)]) size.add(out[index_of(callee)]);
    }
    out.push_back(size);
  }
  return out;
}

// Chooses functions that are not small and have more than one call. Callees are decided before
// callers, so that a function that only calls others counts as small.
std::vector<bool> choose_outlined(const std::vector<Body>& bodies,
                                  const std::vector<FunctionNeeds>& needs) {
  std::vector<std::uint64_t> calls(bodies.size());
  for (const Body& body : bodies) {
    for (const FunctionId callee : body.calls) ++calls[index_of(callee)];
  }
  std::vector<bool> out(bodies.size());
  std::vector<std::uint64_t> nodes(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    nodes[i] = bodies[i].size.nodes;
    for (const FunctionId callee : bodies[i].calls) {
      if (!out[index_of(callee)])
        nodes[i] = std::min(kMostNodes, nodes[i]) + nodes[index_of(callee)];
    }
    out[i] = !needs[i].barrier && calls[i] > 1 && nodes[i] > kSmallFunction;
  }
  return out;
}

}  // namespace

bool is_large_elementary(MathFn fn) {
  switch (fn) {
    case MathFn::acos:
    case MathFn::acosh:
    case MathFn::asin:
    case MathFn::asinh:
    case MathFn::atan:
    case MathFn::atanh:
    case MathFn::atan2:
    case MathFn::cos:
    case MathFn::cosh:
    case MathFn::exp:
    case MathFn::exp2:
    case MathFn::log:
    case MathFn::log2:
    case MathFn::pow:
    case MathFn::sin:
    case MathFn::sinh:
    case MathFn::tan:
    case MathFn::tanh: return true;
    default: return false;
  }
}

Result<CallPlan> plan_calls(const Program& p) {
  CallPlan out;
  std::vector<Body> bodies;
  for (const Function& function : p.functions) {
    FunctionNeeds needs;
    bodies.push_back(survey(p, function, needs));
    for (const FunctionId callee : bodies.back().calls) {
      add_needs(needs, out.needs[index_of(callee)]);
      sort_once(needs.globals);
    }
    sort_once(needs.globals);
    out.needs.push_back(std::move(needs));
  }
  out.outlined.assign(bodies.size(), false);
  std::vector<Size> expanded = expand(bodies, out.outlined);
  if (expanded[index_of(p.entry)].nodes > kInlineBudget) {
    out.outlined = choose_outlined(bodies, out.needs);
    expanded = expand(bodies, out.outlined);
  }
  Size all = expanded[index_of(p.entry)];
  out.nodes = all.nodes;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (out.outlined[i]) all.add(expanded[i]);
  }
  if (all.nodes > kMostNodes) {
    return fail(Code::limit,
                fmt::format("kernel '{}' expands to more than {} statements and expressions",
                            p.name, kMostNodes),
                "call functions with barriers from fewer places");
  }
  out.elementary_once = all.elementary > kElementaryBudget;
  out.one_body = out.nodes > kOneBody;
  return out;
}

}  // namespace vyre
