#include "vyre/ir/walk.h"
#include "vyre/lower/host/region_locals_internal.h"

namespace vyre {
namespace {

class Collector {
 public:
  Collector(const Program& p, const FrameSpreads& frame, RegionLocals& out)
      : p_(p), frame_(frame), out_(out) {}

  void statement(StmtId id) {
    const StmtNode& node = p_[id].node;
    for_each_expr(p_, node, [&](ExprId e) { expression(e, false); });
    if (const auto* s = std::get_if<LetStmt>(&node)) change(s->local);
    if (const auto* s = std::get_if<VarStmt>(&node)) change(s->local);
    if (const auto* s = std::get_if<AtomicStmt>(&node)) change(s->result);
    if (const auto* s = std::get_if<CallStmt>(&node)) change(s->result);
    if (const auto* s = std::get_if<UniformLoadStmt>(&node)) change(s->result);
    if (const auto* s = std::get_if<SubgroupStmt>(&node)) change(s->result);
    for_each_block(p_, node, [&](Block inner) {
      for (const StmtId s : p_.block(inner)) statement(s);
    });
  }

 private:
  void change(LocalId local) {
    if (local == kNoLocal) return;
    out_.used.insert(local);
    out_.changed.insert(local);
  }

  // A pointer that is not just loaded from may be stored through.
  void expression(ExprId id, bool loaded) {
    const ExprNode& node = p_[id].node;
    if (const auto* e = std::get_if<LocalPtrExpr>(&node)) {
      out_.used.insert(e->id);
      if (!loaded) out_.changed.insert(e->id);
    } else if (const auto* e = std::get_if<LocalExpr>(&node)) {
      out_.used.insert(e->id);
      const auto found = frame_.pointers.find(e->id);
      if (found != frame_.pointers.end() && found->second.kind == PointerRoot::Kind::var &&
          found->second.frame == &frame_) {
        change(found->second.local);
      }
    } else if (const auto* e = std::get_if<LoadExpr>(&node)) {
      expression(e->pointer, true);
    } else if (const auto* e = std::get_if<MemberExpr>(&node)) {
      expression(e->base, loaded);
    } else if (const auto* e = std::get_if<IndexExpr>(&node)) {
      expression(e->base, loaded);
      expression(e->index, false);
    } else {
      for_each_operand(p_, node, [&](ExprId operand) { expression(operand, false); });
    }
  }

  const Program& p_;
  const FrameSpreads& frame_;
  RegionLocals& out_;
};

}  // namespace

RegionLocals locals_of(const Program& program, const FrameSpreads& frame,
                       std::span<const StmtId> statements) {
  RegionLocals out;
  Collector collector(program, frame, out);
  for (const StmtId id : statements) collector.statement(id);
  return out;
}

}  // namespace vyre
