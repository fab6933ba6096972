// The one test before a tile of a GPU kernel.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "vyre/lower/values_internal.h"

namespace vyre {

// first: i32, global x of the thread's first item; span: how far the last one is behind it.
//
// What a test costs is not so much its comparisons as that each waits for the one before, and the
// first load for all of them. So there are few: least counts and largest indices are compared.
class TileCheck {
 public:
  TileCheck(llvm::IRBuilder<>& b, llvm::Value* first, std::uint32_t span, bool wide_offsets)
      : b_(b), first_(first), span_(span), wide_offsets_(wide_offsets) {}

  // i1: all hold for all items, and no row wraps on the way to an element. Indices are compared as
  // the program computes them, modulo 2^32.
  llvm::Value* all_inside(const std::vector<RowRequirement>& requirements);

 private:
  // index < count for the first item; those behind it follow.
  struct Comparison {
    llvm::Value* index = nullptr;
    llvm::Value* count = nullptr;
    bool moves = true;  // along x
  };

  llvm::Value* index_of(llvm::Value* row, std::int64_t offset);
  std::vector<RowRequirement> needed(const std::vector<RowRequirement>& all) const;
  bool may_wrap(const std::vector<RowRequirement>& all, llvm::Value* row, std::int64_t reach) const;

  llvm::IRBuilder<>& b_;
  llvm::Value* first_;
  std::uint32_t span_;
  bool wide_offsets_;
  std::map<std::pair<llvm::Value*, std::int64_t>, llvm::Value*> indices_;
};

}  // namespace vyre
