// Calls that are expanded where they stand, with a frame of their own.
#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_control_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"

namespace vyre {

using llvm::Value;

void emit_call(EmitContext& e, EmitFrame& frame, StmtId id, const CallStmt& s) {
  if (const auto use = frame.spreads->function_calls.find(id);
      use != frame.spreads->function_calls.end()) {
    return emit_function_call(e, frame, *use->second, s);
  }
  const auto callee = new_frame(e, *frame.spreads->calls.at(id), &frame, false);
  const auto arguments = e.program.list(s.arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    callee->locals[i].kind = LocalSlot::Kind::value;
    callee->locals[i].value = eval(e, frame, arguments[i]);
  }
  begin_frame_in_gang(e, *callee);
  Value* const outer = e.mask;
  const auto outer_targets = std::move(e.targets);
  e.targets.clear();
  emit_block(e, *callee, e.program.block(callee->function->body));
  if (!e.ended()) e.b.CreateBr(callee->exit);
  e.b.SetInsertPoint(callee->exit);
  e.targets = outer_targets;
  e.mask = outer;
  if (s.result == kNoLocal) return;
  put_local(e, frame, s.result, load_cells(e, callee->result, callee->function->result));
}

}  // namespace vyre
