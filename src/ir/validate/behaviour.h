// How control can leave statements, as WGSL's behaviour analysis defines it.
#pragma once

#include <cstdint>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

// A set of ways.
struct Behaviour {
  bool next = false;       // falls through to the next statement
  bool breaks = false;     // out of the innermost loop or switch
  bool continues = false;  // to the continuing part of the innermost loop
  bool returns = false;    // out of the function

  bool operator==(const Behaviour&) const = default;
  void add(const Behaviour& other) {
    next = next || other.next;
    breaks = breaks || other.breaks;
    continues = continues || other.continues;
    returns = returns || other.returns;
  }
  bool is_next_only() const { return *this == Behaviour{.next = true}; }
};

// The behaviours of all statements of a function body, found in one walk. Statements must form
// trees.
class Behaviours {
 public:
  Behaviours(const Program& program, Block body);

  const Behaviour& of(StmtId id) const { return of_stmt_[static_cast<std::size_t>(id)]; }
  // Statements of a block after one that never falls through do not count.
  Behaviour of(Block block) const;

 private:
  void visit(Block block);
  Behaviour compute(const StmtNode& node) const;

  const Program& program_;
  std::vector<Behaviour> of_stmt_;
};

}  // namespace vyre
