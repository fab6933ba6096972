#include "vyre/plan/kernel_facts.h"

#include <algorithm>

namespace vyre {
namespace {

bool is_plain_return(const Stmt& stmt) {
  const auto* returned = std::get_if<ReturnStmt>(&stmt.node);
  return returned != nullptr && returned->value == kNoExpr;
}

bool does_something(const Program& program) {
  const auto body = program.block(program[program.entry].body);
  return std::ranges::any_of(body, [&](StmtId id) { return !is_plain_return(program[id]); });
}

}  // namespace

ProgramFacts facts_of(const Kernel& kernel) {
  const Program& program = *kernel.program;
  const Stats& stats = kernel.stats;
  ProgramFacts facts;
  facts.fingerprint = kernel.fingerprint;
  facts.workgroup = program.workgroup;
  facts.entry_nonempty = does_something(program);
  facts.uses_launch_geometry_ids = reads_workgroup_ids(stats);
  facts.contains_atomic = stats.atomics > 0;
  facts.has_shared_buffer = has_workgroup_memory(program);
  facts.has_barrier = stats.barriers > 0;
  facts.uses_subgroup_ops = stats.subgroup_operations > 0;
  facts.lacks_effects = !stats.has_effects;
  return facts;
}

}  // namespace vyre
