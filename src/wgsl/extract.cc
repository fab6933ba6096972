#include "vyre/wgsl/extract.h"

#include <utility>
#include <vector>

#include "vyre/ir/copy_program.h"
#include "vyre/ir/walk.h"

namespace vyre::sema {
namespace {

template <class Id>
constexpr std::size_t index(Id id) {
  return static_cast<std::size_t>(id);
}

class Extractor {
 public:
  Extractor(const Context& cx, const EntryPoint& entry)
      : cx_(cx), from_(cx.program), copy_(from_, out_) {
    out_.name = from_.functions[entry.function].name;
    out_.source_name = from_.source_name;
    out_.workgroup = entry.workgroup;
    const std::vector<std::uint32_t> reached = reachable(entry.function);
    copy_overrides(reached, entry);
    const std::vector<bool> globals = reached_globals(reached);
    for (std::uint32_t g = 0; g < globals.size(); ++g) {
      if (globals[g]) copy_.global(GlobalId{g});
    }
    for (const std::uint32_t f : reached) copy_.function(FunctionId{f});
    out_.entry = copy_.function(FunctionId{entry.function});
    if (entry.subgroup_size != kNoExpr) out_.subgroup_size = copy_.expr(entry.subgroup_size);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (entry.workgroup_exprs[axis] == kNoExpr) continue;
      out_.workgroup_exprs[axis] = copy_.expr(entry.workgroup_exprs[axis]);
    }
  }

  Program take() { return std::move(out_); }

 private:
  // Functions in the order of the module: callees first.
  std::vector<std::uint32_t> reachable(std::uint32_t entry) const {
    std::vector<bool> seen(from_.functions.size());
    std::vector<std::uint32_t> open{entry};
    seen[entry] = true;
    while (!open.empty()) {
      const std::uint32_t f = open.back();
      open.pop_back();
      for_each_stmt(from_, from_.functions[f].body, [&](StmtId id) {
        const auto* call = std::get_if<CallStmt>(&from_[id].node);
        if (call == nullptr || seen[index(call->callee)]) return;
        seen[index(call->callee)] = true;
        open.push_back(static_cast<std::uint32_t>(call->callee));
      });
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t f = 0; f < seen.size(); ++f) {
      if (seen[f]) order.push_back(f);
    }
    return order;
  }

  void mark_overrides(ExprId root, std::vector<bool>& used) const {
    if (root == kNoExpr) return;
    for_each_subexpr(from_, root, [&](ExprId id) {
      const auto* use = std::get_if<OverrideExpr>(&from_[id].node);
      if (use != nullptr) mark_override(use->id, used);
    });
  }
  void mark_override(OverrideId id, std::vector<bool>& used) const {
    if (used[index(id)]) return;
    used[index(id)] = true;
    mark_overrides(from_[id].initial, used);
  }

  std::vector<bool> reached_globals(const std::vector<std::uint32_t>& reached) const {
    std::vector<bool> used(from_.globals.size());
    for (const std::uint32_t f : reached) {
      for (const GlobalId id : cx_.functions[f].mentioned_globals) used[index(id)] = true;
    }
    return used;
  }

  void copy_overrides(const std::vector<std::uint32_t>& reached, const EntryPoint& entry) {
    std::vector<bool> used(from_.overrides.size());
    for (const std::uint32_t f : reached) {
      for (const OverrideId id : cx_.functions[f].mentioned_overrides) mark_override(id, used);
    }
    for (const ExprId id : entry.workgroup_exprs) mark_overrides(id, used);
    mark_overrides(entry.subgroup_size, used);
    const std::vector<bool> globals = reached_globals(reached);
    for (std::size_t g = 0; g < globals.size(); ++g) {
      if (!globals[g]) continue;
      mark_overrides(from_.globals[g].initial, used);
      if (const auto* array = from_.types.get_if<ArrayType>(from_.globals[g].type)) {
        mark_overrides(array->count_expr, used);
      }
      if (const auto* buffer = from_.types.get_if<BufferType>(from_.globals[g].type)) {
        mark_overrides(buffer->bytes_expr, used);
      }
    }
    for (std::uint32_t o = 0; o < used.size(); ++o) {
      if (used[o]) copy_.override_(OverrideId{o});
    }
  }

  const Context& cx_;
  const Program& from_;
  Program out_;
  ProgramCopy copy_;
};

}  // namespace

Program extract(const Context& cx, const EntryPoint& entry) { return Extractor(cx, entry).take(); }

}  // namespace vyre::sema
