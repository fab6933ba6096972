// Statements: branches where all lanes agree, masks where they may not.
#pragma once

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

void emit_block(EmitContext& e, EmitFrame& frame, std::span<const StmtId> stmts);
void emit_statement(EmitContext& e, EmitFrame& frame, StmtId id);
void check_stop(EmitContext& e);
// Whether lanes may leave the statement by break, continue or return.
bool has_jump(const Program& program, StmtId id);
// Emits a return from the function because the launch was stopped.
void give_up(EmitContext& e);

// emit_call.cc: a call that is expanded where it stands.
void emit_call(EmitContext& e, EmitFrame& frame, StmtId id, const CallStmt& s);
// emit_function.cc: a call of a function that stays a function.
void emit_function_call(EmitContext& e, EmitFrame& frame, const FrameSpreads& use,
                        const CallStmt& s);

}  // namespace vyre
