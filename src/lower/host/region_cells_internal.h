// Which locals of a frame with barriers live across regions, and where they can live.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "vyre/lower/lane_values_internal.h"

namespace vyre {

class RegionCells {
 public:
  RegionCells(const Program& p, const ProgramSpreads& spreads, const FrameSpreads& frame,
              bool masked_return);

  bool many(LocalId id) const { return region_[static_cast<std::size_t>(id)] == kManyRegions; }
  const std::map<LocalId, ExprId>& again() const { return again_; }
  // A var whose every store stands at the workgroup's level: one cell for all lanes.
  bool is_group_var(LocalId id) const { return group_vars_.contains(id); }

  // Runs once for the workgroup, not gang by gang.
  bool at_group_level(StmtId id) const;

 private:
  static constexpr std::int32_t kManyRegions = -2;

  // A jump out of the statement that the whole workgroup takes. breakables, loops: how many of them
  // lie between the statement and `id`.
  bool leaves(StmtId id, int breakables, int loops) const;

  void mention(LocalId id);
  void mention(ExprId id);
  void mention_statement(StmtId id);

  // Region numbers in the order in which `Group::block` makes regions.
  void block(Block b);

  // Vars that are the same for the workgroup and stored to only where that can be done once.
  void hoist();

  // Collects vars that are stored to in statements which run gang by gang, or through pointers.
  void stores_below(StmtId id, bool direct, std::set<LocalId>& out);

  // Lets of ids, constants and each other: cheaper to evaluate again than to keep.
  void find_again(Block b);

  // own: what is left for the expression's operations; all: with those of the lets that it names.
  struct Budget {
    int own, all;
  };
  bool is_cheap(ExprId id, Budget& budget) const;

  const Program& p_;
  const ProgramSpreads& spreads_;
  const FrameSpreads& frame_;
  bool masked_return_;
  std::vector<std::int32_t> region_;
  std::int32_t next_ = 0;
  std::map<LocalId, ExprId> again_;
  std::map<LocalId, int> again_cost_;  // operations, with those of the lets that it names
  std::set<LocalId> group_vars_;
  bool grew_ = false;
};

}  // namespace vyre
