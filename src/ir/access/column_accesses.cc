#include "vyre/ir/access/column_accesses.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "vyre/ir/walk.h"

namespace vyre {
namespace {

// How much a number grows with one step along each axis.
enum class Step : std::uint8_t { none, one, many, unknown };
using Steps = std::array<Step, 3>;

constexpr Steps kNone{Step::none, Step::none, Step::none};
constexpr Steps kUnknown{Step::unknown, Step::unknown, Step::unknown};

Steps for_each_axis(const Steps& a, const Steps& b, Step (*of)(Step, Step)) {
  return {of(a[0], b[0]), of(a[1], b[1]), of(a[2], b[2])};
}

Step sum(Step a, Step b) {
  if (a == Step::unknown || b == Step::unknown) return Step::unknown;
  if (a == Step::none) return b;
  return b == Step::none ? a : Step::many;
}

// A product of such a number and a factor that does not change.
Step times(Step a, Step b) {
  if (a == Step::unknown || b == Step::unknown) return Step::unknown;
  return a == Step::none && b == Step::none ? Step::none : Step::many;
}

class Strides {
 public:
  explicit Strides(const Program& program) : program_(program) {}

  LaneRows lane_rows() {
    const Function& entry = program_.functions[static_cast<std::size_t>(program_.entry)];
    follows_vars_ = true;
    locals_.assign(entry.locals.size(), kUnknown);
    block(entry.body);
    return rows_;
  }

  ColumnAccesses columns() {
    column_bytes();
    return std::move(columns_);
  }

  double column_bytes() {
    // Only the entry function: accesses in called functions are not counted.
    const Function& entry = program_.functions[static_cast<std::size_t>(program_.entry)];
    locals_.assign(entry.locals.size(), kUnknown);
    for_each_stmt(program_, entry.body, [&](StmtId id) { stmt(id); });
    return bytes_;
  }

 private:
  void block(Block statements) {
    for (const StmtId id : program_.block(statements)) {
      const StmtNode& node = program_[id].node;
      const bool is_loop = std::holds_alternative<LoopStmt>(node);
      if (is_loop) ++loops_;
      stmt(id);
      for_each_block(program_, node, [&](Block inner) { block(inner); });
      if (is_loop) --loops_;
    }
  }

  void stmt(StmtId at) {
    const StmtNode& node = program_[at].node;
    for_each_expr(program_, node, [&](ExprId root) {
      for_each_subexpr(program_, root, [&](ExprId id) {
        const auto* load = std::get_if<LoadExpr>(&program_[id].node);
        if (load == nullptr) return;
        if (access(load->pointer, program_[id].type, rows_.loaded)) columns_.loads.insert(id);
      });
    });
    if (const auto* s = std::get_if<LetStmt>(&node)) {
      locals_[static_cast<std::size_t>(s->local)] = steps(s->value);
    } else if (const auto* s = std::get_if<VarStmt>(&node)) {
      if (s->initial != kNoExpr) locals_[static_cast<std::size_t>(s->local)] = steps(s->initial);
    } else if (const auto* s = std::get_if<StoreStmt>(&node)) {
      if (access(s->pointer, program_[s->value].type, rows_.stored)) columns_.stores.insert(at);
      if (const auto* var = std::get_if<LocalPtrExpr>(&program_[s->pointer].node)) {
        Steps& held = locals_[static_cast<std::size_t>(var->id)];
        if (steps(s->value) != held) held = kUnknown;
      }
    }
  }

  // Whether it goes down a column.
  bool access(ExprId pointer, TypeId type, std::uint32_t& in_loops) {
    const auto* to = program_.types.get_if<PointerType>(program_[pointer].type);
    if (to == nullptr || to->memory != MemoryKind::storage) return false;
    const auto* index = std::get_if<IndexExpr>(&program_[pointer].node);
    if (index == nullptr) return false;
    const Steps along = steps(index->index);
    if (loops_ > 0 && along[0] == Step::many) ++in_loops;
    if (along[0] != Step::many || along[1] != Step::one) return false;
    bytes_ += 4.0 * double(program_.types.scalar_count(type));
    return true;
  }

  Steps steps(ExprId id) const {
    const ExprNode& node = program_[id].node;
    if (const auto* e = std::get_if<LocalExpr>(&node)) {
      return locals_[static_cast<std::size_t>(e->id)];
    }
    if (std::holds_alternative<ConstantExpr>(node) || std::holds_alternative<ZeroExpr>(node) ||
        std::holds_alternative<OverrideExpr>(node) ||
        std::holds_alternative<ArrayLengthExpr>(node)) {
      return kNone;
    }
    if (const auto* e = std::get_if<ConvertExpr>(&node)) return steps(e->value);
    if (const auto* e = std::get_if<BitcastExpr>(&node)) return steps(e->value);
    if (const auto* e = std::get_if<SwizzleExpr>(&node)) {
      return e->size == 1 && is_id(e->vector) ? along(e->lanes[0]) : kUnknown;
    }
    if (const auto* e = std::get_if<LoadExpr>(&node)) {
      const auto* var = std::get_if<LocalPtrExpr>(&program_[e->pointer].node);
      if (var != nullptr && follows_vars_) return locals_[static_cast<std::size_t>(var->id)];
      const auto* from = program_.types.get_if<PointerType>(program_[e->pointer].type);
      return from != nullptr && from->memory == MemoryKind::uniform ? kNone : kUnknown;
    }
    if (const auto* e = std::get_if<BinaryExpr>(&node)) {
      const Steps left = steps(e->left), right = steps(e->right);
      switch (e->op) {
        case BinaryOp::add:
        case BinaryOp::sub: return for_each_axis(left, right, sum);
        case BinaryOp::mul:
        case BinaryOp::shift_left: return for_each_axis(left, right, times);
        default: return left == kNone && right == kNone ? kNone : kUnknown;
      }
    }
    return kUnknown;
  }

  static Steps along(std::uint8_t axis) {
    Steps out = kNone;
    if (axis < out.size()) out[axis] = Step::one;
    return out;
  }

  bool is_id(ExprId id) const {
    const auto* e = std::get_if<InvocationIdExpr>(&program_[id].node);
    return e != nullptr && e->kind == InvocationIdKind::global_invocation;
  }

  const Program& program_;
  std::vector<Steps> locals_;
  double bytes_ = 0;
  ColumnAccesses columns_;
  LaneRows rows_;
  bool follows_vars_ = false;  // through loops, such as `for (var k = 0u; k < n; k++)`
  std::uint32_t loops_ = 0;    // around the statement at hand
};

}  // namespace

LaneRows lane_rows_of(const Program& program) { return Strides(program).lane_rows(); }

ColumnAccesses column_accesses_of(const Program& program) { return Strides(program).columns(); }

double column_bytes_of(const Program& program) { return Strides(program).column_bytes(); }

}  // namespace vyre
