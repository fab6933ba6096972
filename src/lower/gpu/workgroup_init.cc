#include <map>

#include "vyre/lower/gpu/workgroup_init_internal.h"
#include "vyre/lower/lets_internal.h"

namespace vyre {
namespace {

enum class Touch : std::uint8_t { none, fills, other };

class FirstTouch {
 public:
  FirstTouch(const Program& p, GlobalId variable)
      : p_(p), variable_(variable), lets_(lets_of(p, p[p.entry])) {}

  Touch in(Block block) const {
    for (const StmtId id : p_.block(block)) {
      if (const Touch touch = in(id); touch != Touch::none) return touch;
    }
    return Touch::none;
  }

 private:
  Touch in(StmtId id) const {
    const StmtNode& node = p_[id].node;
    if (const auto* store = std::get_if<StoreStmt>(&node)) {
      if (mentions(store->value)) return Touch::other;
      if (is_own_element(store->pointer)) return Touch::fills;
      return mentions(store->pointer) ? Touch::other : Touch::none;
    }
    if (const auto* loop = std::get_if<LoopStmt>(&node)) {
      const bool tests = loop->break_if != kNoExpr && mentions(loop->break_if);
      Touch touch = in(loop->body);
      if (touch == Touch::none) touch = in(loop->continuing);
      if (touch == Touch::none) return tests ? Touch::other : Touch::none;
      // The loop may make no round at all, so nothing outside of it may rely on the values; and all
      // invocations run it together, as its barriers show.
      const bool alone =
          mentions_in(loop->body) + mentions_in(loop->continuing) == mentions_in(p_[p_.entry].body);
      return touch == Touch::fills && alone && !tests && has_barrier(*loop) ? Touch::fills
                                                                            : Touch::other;
    }
    if (std::get_if<CallStmt>(&node) != nullptr && mentioned_by_functions()) return Touch::other;
    bool touched = false;
    for_each_expr(p_, node, [&](ExprId e) { touched = touched || mentions(e); });
    for_each_block(p_, node, [&](Block inner) { touched = touched || mentions_in(inner) != 0; });
    return touched ? Touch::other : Touch::none;
  }

  bool mentions(ExprId id) const {
    if (const auto* global = std::get_if<GlobalPtrExpr>(&p_[id].node)) {
      return global->id == variable_;
    }
    bool found = false;
    for_each_operand(p_, p_[id].node, [&](ExprId e) { found = found || mentions(e); });
    return found;
  }

  std::size_t mentions_in(Block block) const {
    std::size_t count = 0;
    for_each_stmt(p_, block, [&](StmtId id) {
      for_each_expr(p_, p_[id].node, [&](ExprId e) { count += mentions(e) ? 1 : 0; });
    });
    return count;
  }

  bool mentioned_by_functions() const {
    for (std::uint32_t i = 0; i < p_.functions.size(); ++i) {
      if (FunctionId{i} != p_.entry && mentions_in(p_.functions[i].body) != 0) return true;
    }
    return false;
  }

  bool has_barrier(const LoopStmt& loop) const {
    bool found = false;
    for_each_stmt(p_, loop.body, [&](StmtId id) {
      found = found || std::get_if<BarrierStmt>(&p_[id].node) != nullptr;
    });
    return found;
  }

  // A let stands for its value.
  ExprId resolved(ExprId id) const {
    while (const auto* local = std::get_if<LocalExpr>(&p_[id].node)) {
      const auto found = lets_.find(local->id);
      if (found == lets_.end()) break;
      id = found->second;
    }
    return id;
  }

  bool is_id(ExprId id, InvocationIdKind kind) const {
    const auto* invocation = std::get_if<InvocationIdExpr>(&p_[resolved(id)].node);
    return invocation != nullptr && invocation->kind == kind;
  }

  bool is_local_axis(ExprId id, unsigned axis) const {
    const auto* lane = std::get_if<SwizzleExpr>(&p_[resolved(id)].node);
    return lane != nullptr && lane->size == 1 && lane->lanes[0] == axis &&
           is_id(lane->vector, InvocationIdKind::local_invocation);
  }

  // v[local_invocation_index], v[local.x] or v[local.y][local.x], of scalars or vectors, with an
  // element for each invocation.
  bool is_own_element(ExprId pointer) const {
    const auto* last = std::get_if<IndexExpr>(&p_[pointer].node);
    if (last == nullptr) return false;
    const Extent& w = p_.workgroup;
    const auto is_whole = [&](ExprId base) {
      const auto* global = std::get_if<GlobalPtrExpr>(&p_[base].node);
      return global != nullptr && global->id == variable_;
    };
    const auto count_of = [&](ExprId base) {
      const auto* type = p_.types.get_if<PointerType>(p_[base].type);
      const auto* array = type == nullptr ? nullptr : p_.types.get_if<ArrayType>(type->pointee);
      return array == nullptr ? 0U : array->count;
    };
    if (is_whole(last->base)) {
      const bool row = w[1] == 1 && w[2] == 1;
      return count_of(last->base) == w[0] * w[1] * w[2] &&
             (is_id(last->index, InvocationIdKind::local_invocation_index) ||
              (row && is_local_axis(last->index, 0)));
    }
    const auto* first = std::get_if<IndexExpr>(&p_[last->base].node);
    return first != nullptr && is_whole(first->base) && w[2] == 1 &&
           count_of(first->base) == w[1] && count_of(last->base) == w[0] &&
           is_local_axis(first->index, 1) && is_local_axis(last->index, 0);
  }

  const Program& p_;
  GlobalId variable_;
  std::map<LocalId, ExprId> lets_;
};

}  // namespace

bool written_before_read(const Program& program, GlobalId variable) {
  return FirstTouch(program, variable).in(program[program.entry].body) == Touch::fills;
}

}  // namespace vyre
