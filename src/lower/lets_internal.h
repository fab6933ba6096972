// What the lets of a function stand for.
#pragma once

#include <map>

#include "vyre/ir/walk.h"

namespace vyre {

// A let can name others several times, so whoever follows them must remember where it has been: n
// lets that each add up two earlier ones have about 1.6^n paths through them.
inline std::map<LocalId, ExprId> lets_of(const Program& program, const Function& function) {
  std::map<LocalId, ExprId> out;
  for_each_stmt(program, function.body, [&](StmtId id) {
    if (const auto* let = std::get_if<LetStmt>(&program[id].node)) out[let->local] = let->value;
  });
  return out;
}

}  // namespace vyre
