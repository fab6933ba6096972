// Loops of a written program whose rounds are known from their headers, and which of its values are
// equal in the rounds of two of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

// `for (var v = initial; v < bound; v += by)`, with whichever comparison and step; `v` changes
// nowhere else.
struct CountedLoop {
  StmtId stmt{};
  LocalId var{};
  ExprId initial = kNoExpr;
  ExprId condition = kNoExpr;
  ExprId next = kNoExpr;  // the value of `v` in the next round
  Block body{};           // without the test of the condition
};

class CountedLoops {
 public:
  // Looks at the entry of the program, which must not change while this object is asked.
  explicit CountedLoops(const Program& program);

  // By the first place of the block that they stand in, in order.
  const std::map<std::uint32_t, std::vector<CountedLoop>>& by_block() const { return loops_; }

  // Whether `b` equals `a` if the second loop's variable is put in the place of the first one's.
  // Anything whose value depends on when it is computed counts as different.
  bool same(ExprId a, ExprId b, LocalId first, LocalId second) const;
  // Whether the value is the same in a later loop whose variable is `var` too.
  bool is_same_later(ExprId value, LocalId var) const;

  // The buffer or variable that a path of a pointer begins at.
  std::optional<GlobalId> root_of(ExprId pointer) const;
  // The variable that the expression loads, whole.
  std::optional<LocalId> loaded_var(ExprId id) const;

 private:
  void look_at(StmtId id, bool in_entry);
  void note_names(ExprId id);
  const LocalPtrExpr* local_var(ExprId pointer) const;
  void look_for_loops(Block block);
  std::optional<CountedLoop> counted_loop(StmtId id, const LoopStmt& loop,
                                          const std::map<LocalId, ExprId>& initial) const;
  bool same(ExprId a, ExprId b, LocalId first, LocalId second, std::size_t& steps) const;
  bool same_node(ExprId a, ExprId b) const;
  ExprId resolved(ExprId id) const;
  bool is_fixed(GlobalId global) const;

  const Program& p_;
  std::map<LocalId, ExprId> lets_;              // of the entry
  std::map<LocalId, std::size_t> stored_vars_;  // how often each is stored to as a whole
  std::map<LocalId, std::size_t> named_vars_;   // how often each is named other than to load it
  std::set<GlobalId> written_;                  // by any function
  std::map<std::uint32_t, std::vector<CountedLoop>> loops_;
  std::vector<LocalId> around_;                  // variables of the loops around a statement
  std::map<LocalId, std::set<LocalId>> rounds_;  // by let: variables of the loops around it
};

}  // namespace vyre
