// The one test before a tile of a GPU kernel.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "vyre/lower/emit/emit_context_internal.h"

namespace vyre {

// A row that lies `by` behind (or before) another; null is the row at 0.
struct RowStep {
  llvm::Value* from = nullptr;
  llvm::Value* by = nullptr;
  bool back = false;
};
std::optional<RowStep> step_of(llvm::Value* row);

// span: how far the thread's last item is behind its first.
//
// What a test costs is not so much its comparisons as that each waits for the one before, and the
// first load for all of them. So there are few: least counts and largest indices are compared.
class TileCheck {
 public:
  TileCheck(EmitContext& e, std::uint32_t span) : e_(e), b_(e.b), span_(span) {}

  // i1: all hold for all items, and no row wraps on the way to an element. Indices are compared as
  // the program computes them, modulo 2^32.
  llvm::Value* all_inside(const std::vector<RowRequirement>& requirements);

 private:
  // index < each of the counts for the first item; those behind it follow.
  struct Comparison {
    llvm::Value* index = nullptr;
    std::vector<llvm::Value*> counts;
    bool moves = true;  // along x
  };

  llvm::Value* is_inside(const Comparison& c);
  llvm::Value* index_of(llvm::Value* row, std::int64_t offset);
  bool in_middle(const std::vector<RowRequirement>& all, const RowRequirement& r) const;
  const RowRequirement* middle(const std::vector<RowRequirement>& all, llvm::Value* row) const;
  std::vector<RowRequirement> needed(const std::vector<RowRequirement>& all) const;
  bool may_wrap(const std::vector<RowRequirement>& all, llvm::Value* row, std::int64_t reach) const;

  EmitContext& e_;
  llvm::IRBuilder<>& b_;
  std::uint32_t span_;
  std::map<std::pair<llvm::Value*, std::int64_t>, llvm::Value*> indices_;
};

}  // namespace vyre
