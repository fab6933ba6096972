#include "vyre/wgsl/extract.h"

#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vyre/base/overloaded.h"
#include "vyre/ir/walk.h"
#include "vyre/wgsl/copy_nodes.h"

namespace vyre::sema {
namespace {

template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

constexpr std::uint32_t kAbsent = 0xFFFF'FFFFU;

class Extractor {
 public:
  Extractor(const Context& cx, const EntryPoint& entry)
      : cx_(cx),
        from_(cx.program),
        writer_(out_),
        types_(from_.types.size()),
        globals_(from_.globals.size(), kAbsent),
        overrides_(from_.overrides.size(), kAbsent),
        functions_(from_.functions.size(), kAbsent) {
    out_.name = from_.functions[entry.function].name;
    out_.source_name = from_.source_name;
    out_.workgroup = entry.workgroup;
    const std::vector<std::uint32_t> reached = reachable(entry.function);
    copy_overrides(reached, entry);
    copy_globals(reached);
    for (const std::uint32_t f : reached) copy_function(f);
    out_.entry = FunctionId{functions_[entry.function]};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (entry.workgroup_exprs[axis] == kNoExpr) continue;
      out_.workgroup_exprs[axis] = expr(entry.workgroup_exprs[axis]);
    }
  }

  Program take() { return std::move(out_); }

 private:
  // ---- What is reached

  // Functions in the order of the module: callees first.
  std::vector<std::uint32_t> reachable(std::uint32_t entry) const {
    std::vector<bool> seen(from_.functions.size());
    std::vector<std::uint32_t> open{entry};
    seen[entry] = true;
    while (!open.empty()) {
      const std::uint32_t f = open.back();
      open.pop_back();
      for_each_stmt(from_, from_.functions[f].body, [&](StmtId id) {
        const auto* call = std::get_if<CallStmt>(&from_[id].node);
        if (call == nullptr || seen[index(call->callee)]) return;
        seen[index(call->callee)] = true;
        open.push_back(static_cast<std::uint32_t>(call->callee));
      });
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t f = 0; f < seen.size(); ++f) {
      if (seen[f]) order.push_back(f);
    }
    return order;
  }

  void mark_overrides(ExprId root, std::vector<bool>& used) const {
    if (root == kNoExpr) return;
    for_each_subexpr(from_, root, [&](ExprId id) {
      const auto* use = std::get_if<OverrideExpr>(&from_[id].node);
      if (use != nullptr) mark_override(use->id, used);
    });
  }
  void mark_override(OverrideId id, std::vector<bool>& used) const {
    if (used[index(id)]) return;
    used[index(id)] = true;
    mark_overrides(from_[id].initial, used);
  }

  std::vector<bool> reached_globals(const std::vector<std::uint32_t>& reached) const {
    std::vector<bool> used(from_.globals.size());
    for (const std::uint32_t f : reached) {
      for (const GlobalId id : cx_.functions[f].mentioned_globals) used[index(id)] = true;
    }
    return used;
  }

  // ---- Declarations

  void copy_overrides(const std::vector<std::uint32_t>& reached, const EntryPoint& entry) {
    std::vector<bool> used(from_.overrides.size());
    for (const std::uint32_t f : reached) {
      for (const OverrideId id : cx_.functions[f].mentioned_overrides) mark_override(id, used);
    }
    for (const ExprId id : entry.workgroup_exprs) mark_overrides(id, used);
    const std::vector<bool> globals = reached_globals(reached);
    for (std::size_t g = 0; g < globals.size(); ++g) {
      if (!globals[g]) continue;
      mark_overrides(from_.globals[g].initial, used);
      if (const auto* array = from_.types.get_if<ArrayType>(from_.globals[g].type)) {
        mark_overrides(array->count_expr, used);
      }
    }
    for (std::uint32_t o = 0; o < used.size(); ++o) {
      if (used[o]) override_(OverrideId{o});
    }
  }

  OverrideId override_(OverrideId id) {
    std::uint32_t& known = overrides_[index(id)];
    if (known != kAbsent) return OverrideId{known};
    Override copy = from_[id];
    copy.type = type(copy.type);
    if (copy.initial != kNoExpr) copy.initial = expr(copy.initial);  // those it needs come first
    known = static_cast<std::uint32_t>(out_.overrides.size());
    out_.overrides.push_back(std::move(copy));
    return OverrideId{known};
  }

  void copy_globals(const std::vector<std::uint32_t>& reached) {
    const std::vector<bool> used = reached_globals(reached);
    for (std::size_t g = 0; g < used.size(); ++g) {
      if (!used[g]) continue;
      Global copy = from_.globals[g];
      copy.type = type(copy.type);
      if (copy.initial != kNoExpr) copy.initial = expr(copy.initial);
      globals_[g] = static_cast<std::uint32_t>(out_.globals.size());
      out_.globals.push_back(std::move(copy));
    }
  }

  void copy_function(std::uint32_t f) {
    const Function& original = from_.functions[f];
    Function copy;
    copy.name = original.name;
    copy.result = type(original.result);
    copy.parameters = original.parameters;
    copy.pos = original.pos;
    for (const Local& local : original.locals) {
      copy.locals.push_back({local.name, local.kind, type(local.type), local.pos});
    }
    copy.body = block(original.body);
    functions_[f] = static_cast<std::uint32_t>(out_.functions.size());
    out_.functions.push_back(std::move(copy));
  }

  // ---- Types and constants

  TypeId type(TypeId id) {
    if (types_[index(id)]) return *types_[index(id)];
    Type copy = from_.types[id];
    if (auto* array = std::get_if<ArrayType>(&copy)) {
      array->element = type(array->element);
      if (array->count_expr != kNoExpr) array->count_expr = count(array->count_expr);
    } else if (auto* pointer = std::get_if<PointerType>(&copy)) {
      pointer->pointee = type(pointer->pointee);
    } else if (auto* structure = std::get_if<StructType>(&copy)) {
      for (Member& member : structure->members) member.type = type(member.type);
    }
    const TypeId mapped = out_.types.intern(copy);
    types_[index(id)] = mapped;
    return mapped;
  }

  // Arrays of one type share their count.
  ExprId count(ExprId id) {
    const auto known = counts_.find(index(id));
    if (known != counts_.end()) return known->second;
    const ExprId copy = expr(id);
    counts_.emplace(index(id), copy);
    return copy;
  }

  ConstantId constant(ConstantId id) {
    const auto known = constants_.find(index(id));
    if (known != constants_.end()) return known->second;
    Constant copy = from_[id];
    copy.type = type(copy.type);
    const auto mapped = static_cast<ConstantId>(out_.constants.size());
    out_.constants.push_back(std::move(copy));
    constants_.emplace(index(id), mapped);
    return mapped;
  }

  // ---- Expressions and statements

  ExprId expr(ExprId id) {
    const Expr& original = from_[id];
    ExprNode node =
        with_operands(from_, writer_, original.node, [&](ExprId operand) { return expr(operand); });
    if (auto* c = std::get_if<ConstantExpr>(&node)) c->id = constant(c->id);
    if (auto* o = std::get_if<OverrideExpr>(&node)) o->id = override_(o->id);
    if (auto* g = std::get_if<GlobalPtrExpr>(&node)) g->id = GlobalId{globals_[index(g->id)]};
    const TypeId mapped = type(original.type);
    writer_.pos = original.pos;
    return writer_.expr(mapped, node);
  }
  ExprId maybe(ExprId id) { return id == kNoExpr ? id : expr(id); }

  Block block(Block original) {
    writer_.open();
    for (const StmtId id : from_.block(original)) {
      const StmtNode node = stmt(from_[id].node);
      writer_.pos = from_[id].pos;
      writer_.stmt(node);
    }
    return writer_.close();
  }

  StmtNode stmt(StmtNode node) {
    std::visit(Overloaded{
                   [&](LetStmt& s) { s.value = expr(s.value); },
                   [&](VarStmt& s) { s.initial = maybe(s.initial); },
                   [&](StoreStmt& s) {
                     s.pointer = expr(s.pointer);
                     s.value = expr(s.value);
                   },
                   [&](IfStmt& s) {
                     s.condition = expr(s.condition);
                     s.then = block(s.then);
                     s.otherwise = block(s.otherwise);
                   },
                   [&](LoopStmt& s) {
                     s.body = block(s.body);
                     s.continuing = block(s.continuing);
                     s.break_if = maybe(s.break_if);
                   },
                   [&](SwitchStmt& s) { switch_cases(s); },
                   [](BreakStmt&) {},
                   [](ContinueStmt&) {},
                   [&](ReturnStmt& s) { s.value = maybe(s.value); },
                   [](BarrierStmt&) {},
                   [&](UniformLoadStmt& s) { s.pointer = expr(s.pointer); },
                   [&](AtomicStmt& s) {
                     s.pointer = expr(s.pointer);
                     s.compare = maybe(s.compare);
                     s.value = maybe(s.value);
                   },
                   [&](SubgroupStmt& s) {
                     s.value = maybe(s.value);
                     s.lane = maybe(s.lane);
                   },
                   [&](CallStmt& s) {
                     std::vector<ExprId> arguments;
                     for (const ExprId id : from_.list(s.arguments)) arguments.push_back(expr(id));
                     s.arguments = writer_.list(arguments);
                     s.callee = FunctionId{functions_[index(s.callee)]};
                   },
               },
               node);
    return node;
  }

  void switch_cases(SwitchStmt& s) {
    s.selector = expr(s.selector);
    std::vector<SwitchCase> cases;
    for (const SwitchCase& original : from_.cases(s)) {
      cases.push_back({original.values, original.is_default, block(original.body)});
    }
    s.first_case = static_cast<std::uint32_t>(out_.switch_cases.size());
    for (SwitchCase& c : cases) out_.switch_cases.push_back(std::move(c));
  }

  const Context& cx_;
  const Program& from_;
  Program out_;
  Writer writer_;
  std::vector<std::optional<TypeId>> types_;
  std::vector<std::uint32_t> globals_;
  std::vector<std::uint32_t> overrides_;
  std::vector<std::uint32_t> functions_;
  std::unordered_map<std::size_t, ConstantId> constants_;
  std::unordered_map<std::size_t, ExprId> counts_;
};

}  // namespace

Program extract(const Context& cx, const EntryPoint& entry) { return Extractor(cx, entry).take(); }

}  // namespace vyre::sema
