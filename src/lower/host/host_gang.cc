// The gang that runs before anything was measured.
#include <algorithm>
#include <set>

#include "vyre/lower/host_compile.h"
#include "vyre/lower/lane_values_internal.h"
#include "vyre/lower/lets_internal.h"

namespace vyre {
namespace {

// The work of a loop that lanes leave at different times.
struct LoopWork {
  std::uint64_t gathers = 0;     // loads from buffers at an address of each lane's own
  std::uint64_t operations = 0;  // everything that computes
  std::uint64_t cells = 0;       // scalars of the locals it names
  bool searches = false;         // lanes leave it where loaded data say so
};

class Surveyor {
 public:
  explicit Surveyor(const Program& p) : p_(p) {}

  void frame(const FrameSpreads& frame) {
    const Lets lets = lets_of(p_, p_[frame.function]);
    for (const auto& [id, construct] : frame.constructs) {
      const auto* loop = std::get_if<LoopStmt>(&p_[id].node);
      if (loop == nullptr || std::max(construct.leaves, construct.continues) != Spread::lane) {
        continue;
      }
      LoopWork work;
      std::set<LocalId> locals;
      for (const Block b : {loop->body, loop->continuing}) add(frame, b, work, locals);
      work.searches = searches(lets, loop->body);
      loops.push_back(work);
    }
    for (const auto& call : frame.calls) this->frame(*call.second);
  }

  std::vector<LoopWork> loops;

 private:
  using Lets = std::map<LocalId, ExprId>;

  // An `if` with a break asks data.
  bool searches(const Lets& lets, Block block) const {
    return std::ranges::any_of(p_.block(block), [&](StmtId id) {
      const auto* s = std::get_if<IfStmt>(&p_[id].node);
      if (s == nullptr) return false;
      const auto leaves = [&](Block b) {
        return std::ranges::any_of(p_.block(b), [&](StmtId inner) {
          return std::holds_alternative<BreakStmt>(p_[inner].node);
        });
      };
      if (!leaves(s->then) && !leaves(s->otherwise)) return searches(lets, s->then);
      std::set<LocalId> seen;
      return reads_data(lets, s->condition, seen);
    });
  }

  bool reads_data(const Lets& lets, ExprId root, std::set<LocalId>& seen) const {
    bool found = false;
    for_each_subexpr(p_, root, [&](ExprId e) {
      if (const auto* load = std::get_if<LoadExpr>(&p_[e].node)) {
        const auto* pointer = p_.types.get_if<PointerType>(p_[load->pointer].type);
        found = found || (pointer != nullptr && pointer->memory == MemoryKind::storage);
      } else if (const auto* local = std::get_if<LocalExpr>(&p_[e].node)) {
        const auto let = lets.find(local->id);
        if (found || let == lets.end() || !seen.insert(local->id).second) return;
        found = reads_data(lets, let->second, seen);
      }
    });
    return found;
  }

  void add(const FrameSpreads& frame, Block block, LoopWork& work, std::set<LocalId>& locals) {
    for_each_stmt(p_, block, [&](StmtId id) {
      for_each_expr(p_, p_[id].node, [&](ExprId root) {
        for_each_subexpr(p_, root, [&](ExprId e) { add(frame, e, work, locals); });
      });
      if (std::get_if<CallStmt>(&p_[id].node) == nullptr) return;
      const auto found = frame.calls.find(id);
      if (found == frame.calls.end()) return;
      std::set<LocalId> own;
      add(*found->second, p_[found->second->function].body, work, own);
    });
  }

  void add(const FrameSpreads& frame, ExprId id, LoopWork& work, std::set<LocalId>& locals) {
    const ExprNode& node = p_[id].node;
    const auto name = [&](LocalId local) {
      if (!locals.insert(local).second) return;
      const TypeId type = p_[frame.function].locals[static_cast<std::size_t>(local)].type;
      work.cells += p_.types.get_if<PointerType>(type) != nullptr ? 1 : p_.types.scalar_count(type);
    };
    if (const auto* e = std::get_if<LocalExpr>(&node)) name(e->id);
    if (const auto* e = std::get_if<LocalPtrExpr>(&node)) name(e->id);
    if (std::holds_alternative<UnaryExpr>(node) || std::holds_alternative<BinaryExpr>(node) ||
        std::holds_alternative<SelectExpr>(node) || std::holds_alternative<ConvertExpr>(node) ||
        std::holds_alternative<MathExpr>(node)) {
      work.operations += std::max<std::uint64_t>(1, p_.types.scalar_count(p_[id].type));
    }
    if (const auto* e = std::get_if<LoadExpr>(&node)) {
      const PointerRoot root = root_of(p_, frame, e->pointer);
      if (root.kind == PointerRoot::Kind::global && p_[root.global].memory == MemoryKind::storage &&
          joined(spreads_of(p_, frame, e->pointer)) == Spread::lane) {
        work.gathers += std::max<std::uint64_t>(1, p_.types.scalar_count(p_[id].type));
      }
    }
  }

  const Program& p_;
};

}  // namespace

std::uint32_t host_default_gang(const Kernel& kernel) {
  if (kernel.stats.subgroup_operations != 0) return kSubgroupSize;
  std::uint32_t gang = std::max(8U, host_vector_width());
  const bool rows_are_long = kernel.stats.barriers == 0 && kernel.stats.workgroup_bytes == 0;
  if (!rows_are_long) {
    while (gang > kernel.program->workgroup[0]) gang = gang > 8 ? gang / 2 : 1;
    return gang;
  }
  const auto spreads = analyse_spreads(*kernel.program, {});
  if (!spreads) return gang;
  Surveyor survey(*kernel.program);
  survey.frame(*spreads->entry);
  if (survey.loops.empty()) return gang;
  // A gang waits for its last lane. Vectors do not pay for that if a lane mostly loads from
  // unrelated addresses, because gathers are no faster than single loads.
  // A search ends early in most lanes, and late in one of a gang.
  constexpr std::uint64_t kShortSearch = 16;
  const auto mostly_gathers = [](const LoopWork& w) {
    return w.gathers > 0 && w.operations <= (w.searches ? kShortSearch : 2 * w.gathers);
  };
  // Rounds that wait for each other leave time for a second vector, if there are enough registers.
  const auto has_room = [](const LoopWork& w) { return w.gathers == 0 && w.cells <= 10; };
  if (std::ranges::any_of(survey.loops, mostly_gathers)) return 1;
  return std::ranges::all_of(survey.loops, has_room) ? 2 * gang : gang;
}

}  // namespace vyre
