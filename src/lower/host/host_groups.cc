// Programs with barriers, workgroup memory or subgroup operations: one thread runs a workgroup.
// Statements between barriers form regions, and a region is a loop over the workgroup's gangs. What
// contains a barrier runs once for the whole workgroup, on conditions that are the same for all
// lanes (taken from the first lane). A local that outlives its region is kept in scratch memory, a
// set of cells per gang.
#include <algorithm>
#include <functional>

#include "vyre/base/overloaded.h"
#include "vyre/ir/walk.h"
#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_control_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/host/host_groups_internal.h"
#include "vyre/lower/host/host_prologue_internal.h"
#include "vyre/lower/host/interleave_gangs_internal.h"
#include "vyre/lower/host/region_cells_internal.h"
#include "vyre/lower/host/region_locals_internal.h"
#include "vyre/lower/host/stop_checks_internal.h"

namespace vyre {

using llvm::Value;

namespace {

std::size_t index_of(LocalId id) { return static_cast<std::size_t>(id); }

// ---- Emission -----------------------------------------------------------------------------------

struct GroupFrame {
  std::unique_ptr<EmitFrame> frame;
  std::unique_ptr<RegionCells> plan;
  GroupFrame* parent = nullptr;
  ExprRange arguments{};  // of the call, in the parent
};

class Group {
 public:
  Group(EmitContext& e, const ProgramSpreads& spreads, const PrivateCounts& counts, bool partial,
        bool across_rows)
      : e_(e),
        b_(e.b),
        p_(e.program),
        spreads_(spreads),
        counts_(counts),
        partial_(partial),
        across_rows_(across_rows) {
    for (const Function& f : p_.functions) {
      for_each_stmt(p_, f.body, [&](StmtId id) {
        const auto* let = std::get_if<LetStmt>(&p_[id].node);
        if (let != nullptr) lets_.emplace(std::pair(&f, let->local), let->value);
      });
    }
  }

  void emit(llvm::Function* function) {
    const auto arguments = emit_host_prologue(e_, function, function->getArg(0));
    for (unsigned i = 0; i < 3; ++i) extent_[i] = arguments.extent[i];
    counts_.use(e_, function->getArg(1), function->getArg(5));
    e_.scratch = counts_.rest_of(e_, function->getArg(1));
    for (unsigned i = 0; i < 3; ++i) group_[i] = function->getArg(2 + i);
    const Extent& w = e_.workgroup;
    gangs_per_row_ = (w[0] + e_.width - 1) / e_.width;
    e_.gangs = std::uint64_t{gangs_per_row_} * w[1] * w[2];
    if (across_rows_) e_.gangs = (lanes() + e_.width - 1) / e_.width;
    workgroup_memory();
    private_memory();

    GroupFrame entry = new_group_frame(*spreads_.entry, nullptr);
    at_group_level();
    begin(entry);
    region(entry, [&] { begin_privates(e_, *entry.frame); });
    block(entry, p_.block(entry.frame->function->body));
    if (!e_.ended()) b_.CreateBr(entry.frame->exit);
    b_.SetInsertPoint(entry.frame->exit);
    b_.CreateRet(emit_not_stopped(b_));
  }

 private:
  // Sets workgroup memory to zeros at the start of every workgroup.
  void workgroup_memory() {
    for (std::uint32_t i = 0; i < p_.globals.size(); ++i) {
      const Global& g = p_.globals[i];
      if (g.memory != MemoryKind::workgroup) continue;
      const std::uint64_t bytes = p_.types.layout(g.type).size;
      Pointer pointer;
      pointer.base = b_.CreatePtrAdd(e_.scratch, b_.getInt64(e_.scratch_bytes));
      pointer.offset = uniform_leaf(llvm::ConstantInt::get(e_.offset_type(), 0));
      pointer.pointee = g.type;
      pointer.global = GlobalId{i};
      pointer.is_workgroup = true;
      e_.globals[i] = pointer;
      e_.scratch_bytes += (bytes + 63) / 64 * 64;
    }
    if (e_.scratch_bytes != 0) {
      b_.CreateMemSet(e_.scratch, b_.getInt8(0), e_.scratch_bytes, llvm::Align(64));
    }
  }

  void private_memory() {
    for (std::uint32_t i = 0; i < p_.globals.size(); ++i) {
      if (p_.globals[i].memory != MemoryKind::private_) continue;
      private_slots_[GlobalId{i}] =
          reserve_slot(e_, cells_of(e_, p_.globals[i].type), Spread::lane);
    }
  }

  GroupFrame new_group_frame(const FrameSpreads& spreads, GroupFrame* parent) {
    GroupFrame out;
    out.parent = parent;
    out.frame = new_frame(e_, spreads, parent == nullptr ? nullptr : parent->frame.get(), true);
    out.plan = std::make_unique<RegionCells>(p_, spreads_, spreads, out.frame->masked_return);
    EmitFrame& f = *out.frame;
    f.again = out.plan->again();
    for (std::uint32_t i = 0; i < f.locals.size(); ++i) {
      const LocalId id{i};
      LocalSlot& slot = f.locals[i];
      if (f.again.contains(id)) {
        slot.kind = LocalSlot::Kind::again;
        continue;
      }
      const bool parameter = i < f.function->parameters;
      if (!out.plan->many(id) && !parameter) continue;
      const TypeId type = f.function->locals[i].type;
      const bool pointer = p_.types.get_if<PointerType>(type) != nullptr;
      const std::uint64_t cells = pointer ? kPointerCells : cells_of(e_, type);
      slot.kind = LocalSlot::Kind::slot;
      slot.spread = joined(spreads.locals[i]);
      const bool is_var = f.function->locals[i].kind == LocalKind::var;
      // A var that some gang stores to on its own needs a cell per gang even if all agree.
      if (is_var && slot.spread == Spread::group && !out.plan->is_group_var(id)) {
        slot.spread = Spread::gang;
      }
      if (slot.spread == Spread::group) {
        slot.memory = new_lane_memory(e_, cells, false, "group");
      } else {
        slot.scratch_offset = reserve_slot(e_, cells, slot.spread);
      }
    }
    return out;
  }

  // The workgroup's own code sees the ids of its first lane.
  void at_group_level() {
    e_.mask = nullptr;
    e_.gang_index = b_.getInt64(0);
    set_group_ids(e_, group_, b_.getInt32(0), b_.getInt32(0), b_.getInt32(0));
    bind_slots();
  }

  void bind_slots() {
    for (const auto& [id, offset] : private_slots_) {
      e_.privates[id] = slot_memory(e_, offset, cells_of(e_, p_[id].type), Spread::lane);
    }
  }

  void begin(GroupFrame& g) {
    EmitFrame& f = *g.frame;
    f.exit = e_.new_block("group_exit");
    const auto cells = cells_of(e_, f.function->result);
    if (f.masked_return) f.returned_slot = reserve_slot(e_, 1, Spread::lane);
    if (cells != 0) f.result_slot = reserve_slot(e_, cells, Spread::lane);
    if (!f.masked_return && cells == 0) return;
    begun_ = &f;
    region(g, [&] {
      if (f.masked_return) zero_cells(e_, f.returned, 1, nullptr);
      if (cells != 0) zero_cells(e_, f.result, cells, nullptr);
    });
    begun_ = nullptr;
  }

  // The cells of a gang that a region works on, taken out of scratch memory.
  struct AtHand {
    LocalId local;
    LaneMemory kept, at_hand;
    std::uint64_t cells;
  };

  void copy_cells(const LaneMemory& from, const LaneMemory& to, std::uint64_t cells) {
    for (std::uint32_t i = 0; i < cells; ++i) {
      const Leaf cell = load_cell(e_, from, b_.getInt32(i), ScalarKind::u32);
      store_cell(e_, to, b_.getInt32(i), ScalarKind::u32, cell, nullptr);
    }
  }

  // Locals with few cells live in registers while their region runs.
  std::vector<AtHand> take_at_hand(GroupFrame& g, const RegionLocals& locals) {
    constexpr std::uint64_t kMostCells = 16;
    EmitFrame& f = *g.frame;
    std::vector<AtHand> out;
    for (const LocalId id : locals.used) {
      LocalSlot& slot = f.locals[index_of(id)];
      const TypeId type = f.function->locals[index_of(id)].type;
      if (slot.kind != LocalSlot::Kind::slot || slot.spread == Spread::group ||
          p_.types.get_if<PointerType>(type) != nullptr) {
        continue;
      }
      const std::uint64_t cells = cells_of(e_, type);
      if (cells > kMostCells) continue;
      AtHand a{id, local_memory(e_, f, id), {}, cells};
      a.at_hand = new_lane_memory(e_, cells, slot.spread == Spread::lane, "at_hand");
      copy_cells(a.kept, a.at_hand, cells);
      slot.at_hand = a.at_hand;
      out.push_back(a);
    }
    return out;
  }

  void put_back(GroupFrame& g, const RegionLocals& locals, std::span<const AtHand> taken) {
    for (const AtHand& a : taken) {
      g.frame->locals[index_of(a.local)].at_hand.reset();
      if (locals.changed.contains(a.local)) copy_cells(a.at_hand, a.kept, a.cells);
    }
  }

  // Runs `body` for every gang of the workgroup, with its ids and mask.
  // end: i64, behind the last gang that has something to do; null: all have.
  void region(GroupFrame& g, const std::function<void()>& body, const RegionLocals& locals = {},
              Value* end = nullptr) {
    const Extent& w = e_.workgroup;
    if (end == nullptr) end = b_.getInt64(e_.gangs);
    auto* at = e_.alloca_of(b_.getInt64Ty(), "gang");
    b_.CreateStore(b_.getInt64(0), at);
    auto* head = e_.new_block("gangs");
    auto* next = e_.new_block("next_gang");
    auto* after = e_.new_block("after_gangs");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    Value* gang = b_.CreateLoad(b_.getInt64Ty(), at);
    Value* gang32 = b_.CreateTrunc(gang, b_.getInt32Ty());
    Value* row = b_.CreateUDiv(gang32, b_.getInt32(gangs_per_row_));
    Value* x =
        b_.CreateMul(b_.CreateURem(gang32, b_.getInt32(gangs_per_row_)), b_.getInt32(e_.width));
    Value* y = w[1] == 1 ? b_.getInt32(0) : b_.CreateURem(row, b_.getInt32(w[1]));
    Value* z = w[2] == 1 ? b_.getInt32(0) : b_.CreateUDiv(row, b_.getInt32(w[1]));
    e_.gang_index = gang;
    set_group_ids(e_, group_, x, y, z);
    if (across_rows_) set_ids_across_rows(gang32);
    bind_slots();
    e_.mask = lanes_in_extent(x);
    for (GroupFrame* f = &g; f != nullptr; f = f->parent) bind_frame(*f);
    for (GroupFrame* f = &g; f != nullptr; f = f->parent) drop_returned(*f->frame);
    // With one lane a mask is a plain condition.
    if (e_.mask != nullptr) {
      auto* run = e_.new_block("gang_runs");
      b_.CreateCondBr(any_lane(e_, e_.mask), run, next);
      b_.SetInsertPoint(run);
      if (!e_.wide()) e_.mask = nullptr;
    }
    const auto taken = take_at_hand(g, locals);
    auto* ran = e_.new_block("gang_ran");
    auto* group_exit = g.frame->exit;
    if (!e_.wide() && g.frame->masked_return) g.frame->exit = ran;
    body();
    g.frame->exit = group_exit;
    if (!e_.ended()) b_.CreateBr(ran);
    b_.SetInsertPoint(ran);
    put_back(g, locals, taken);
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
    Value* following = b_.CreateAdd(gang, b_.getInt64(1));
    b_.CreateStore(following, at);
    mark_gang_loop(following, b_.CreateCondBr(b_.CreateICmpULT(following, end), head, after));
    b_.SetInsertPoint(after);
    at_group_level();
  }

  void bind_frame(GroupFrame& g) {
    EmitFrame& f = *g.frame;
    if (f.masked_return) f.returned = slot_memory(e_, f.returned_slot, 1, Spread::lane);
    const auto cells = cells_of(e_, f.function->result);
    if (cells != 0) f.result = slot_memory(e_, f.result_slot, cells, Spread::lane);
  }

  void drop_returned(EmitFrame& f) {
    if (!f.masked_return || &f == begun_) return;
    Value* stay =
        b_.CreateNot(load_cell(e_, f.returned, b_.getInt32(0), ScalarKind::boolean).value);
    e_.mask = e_.mask == nullptr ? stay : b_.CreateAnd(e_.mask, stay);
  }

  std::uint64_t lanes() const {
    const Extent& w = e_.workgroup;
    return std::uint64_t{w[0]} * w[1] * w[2];
  }

  // Lane i of gang g has the linear local index g * width + i.
  void set_ids_across_rows(Value* gang) {
    const auto all = [&](Value* scalar) { return b_.CreateVectorSplat(e_.width, scalar); };
    e_.ids.local_index = linear_leaf(e_, b_.CreateMul(gang, b_.getInt32(e_.width)), 1);
    Value* rest = vector_of(e_, e_.ids.local_index);
    for (unsigned i = 0; i < 3; ++i) {
      Value* size = b_.getInt32(e_.workgroup[i]);
      Value* local = i == 2 ? rest : b_.CreateURem(rest, all(size));
      rest = b_.CreateUDiv(rest, all(size));
      e_.ids.local[i] = varying_leaf(e_, local);
      e_.ids.global[i] = varying_leaf(e_, b_.CreateAdd(all(b_.CreateMul(group_[i], size)), local));
    }
  }

  Value* lanes_in_extent(Value* x) {
    const Extent& w = e_.workgroup;
    Value* out = nullptr;
    const auto add = [&](Value* c) { out = out == nullptr ? c : b_.CreateAnd(out, c); };
    if (across_rows_) {
      if (lanes() % e_.width != 0) {
        Value* end = b_.getInt32(static_cast<std::uint32_t>(lanes()));
        add(b_.CreateICmpULT(vector_of(e_, e_.ids.local_index),
                             b_.CreateVectorSplat(e_.width, end)));
      }
    } else if (w[0] % e_.width != 0) {
      const Leaf lane = linear_leaf(e_, x, 1);
      add(b_.CreateICmpULT(vector_of(e_, lane), b_.CreateVectorSplat(e_.width, b_.getInt32(w[0]))));
    }
    if (!partial_) return out;
    for (unsigned i = 0; i < 3; ++i) {
      Value* limit = b_.CreateTrunc(extent_[i], b_.getInt32Ty());
      Value* id = vector_of(e_, e_.ids.global[i]);
      if (e_.wide()) limit = b_.CreateVectorSplat(e_.width, limit);
      add(b_.CreateICmpULT(id, limit));
    }
    return out;
  }

  // ---- statements ------------------------------------------------------------------------------

  void block(GroupFrame& g, std::span<const StmtId> stmts) {
    std::size_t i = 0;
    while (i < stmts.size() && !e_.ended()) {
      if (g.plan->at_group_level(stmts[i])) {
        statement(g, stmts[i++]);
        continue;
      }
      std::size_t end = i;
      while (end < stmts.size() && !g.plan->at_group_level(stmts[end])) ++end;
      const auto statements = stmts.subspan(i, end - i);
      Value* gangs_end = statements.size() == 1 ? end_of_lanes(g, statements[0]) : nullptr;
      region(
          g, [&] { emit_block(e_, *g.frame, statements); },
          locals_of(p_, *g.frame->spreads, statements), gangs_end);
      i = end;
    }
  }

  // Each round of a tree reduction, `if (local_index < end) { ... }`, needs fewer gangs. The result
  // is one past the last gang that may run, as i64; null: nothing is known of the condition.
  Value* end_of_lanes(GroupFrame& g, StmtId id) {
    const auto* s = std::get_if<IfStmt>(&p_[id].node);
    if (s == nullptr || s->otherwise.count != 0 || lanes() != e_.workgroup[0]) return nullptr;
    const auto* below = std::get_if<BinaryExpr>(&p_[s->condition].node);
    if (below == nullptr || below->op != BinaryOp::less || !is_local_index(g, below->left) ||
        !is_known_before(g, below->right)) {
      return nullptr;
    }
    Value* end = b_.CreateZExt(group_value(g, below->right), b_.getInt64Ty());
    end = b_.CreateUDiv(b_.CreateAdd(end, b_.getInt64(e_.width - 1)), b_.getInt64(e_.width));
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, end, b_.getInt64(e_.gangs));
  }

  bool is_local_index(const GroupFrame& g, ExprId id) const {
    if (const auto* local = std::get_if<LocalExpr>(&p_[id].node)) {
      const auto at = static_cast<std::uint32_t>(local->id);
      if (at < g.frame->function->parameters) {
        return g.parent != nullptr && is_local_index(*g.parent, p_.list(g.arguments)[at]);
      }
      const auto let = lets_.find({g.frame->function, local->id});
      return let != lets_.end() && is_local_index(g, let->second);
    }
    const auto is = [&](ExprId e, InvocationIdKind kind) {
      const auto* found = std::get_if<InvocationIdExpr>(&p_[e].node);
      return found != nullptr && found->kind == kind;
    };
    if (is(id, InvocationIdKind::local_invocation_index)) return true;
    const auto* part = std::get_if<SwizzleExpr>(&p_[id].node);
    return part != nullptr && part->size == 1 && part->lanes[0] == 0 &&
           is(part->vector, InvocationIdKind::local_invocation);
  }

  // The same for the workgroup, and not changed by what runs under the condition.
  bool is_known_before(const GroupFrame& g, ExprId id) const {
    if (joined(spreads_of(p_, *g.frame->spreads, id)) != Spread::group) return false;
    bool known = true;
    for_each_subexpr(p_, id, [&](ExprId e) {
      const auto* load = std::get_if<LoadExpr>(&p_[e].node);
      if (load == nullptr) return;
      const auto* var = std::get_if<LocalPtrExpr>(&p_[load->pointer].node);
      known = known && var != nullptr && g.plan->is_group_var(var->id);
    });
    return known;
  }

  // A value that is the same for the workgroup, from its first lane.
  Value* group_value(GroupFrame& g, ExprId id) {
    const Leaf leaf = eval_leaf(e_, *g.frame, id);
    if (!leaf.varying) return leaf.value;
    return b_.CreateExtractElement(vector_of(e_, leaf), std::uint64_t{0});
  }

  void statement(GroupFrame& g, StmtId id) {
    EmitFrame& f = *g.frame;
    std::visit(Overloaded{
                   [&](const BarrierStmt&) {},
                   [&](const UniformLoadStmt& s) {
                     Pointer at = *eval(e_, f, s.pointer).pointer;
                     const TypeId type = f.function->locals[index_of(s.result)].type;
                     Val value = load_value(e_, at, type);
                     for (Leaf& leaf : value.leaves) {
                       if (leaf.varying) {
                         leaf = uniform_leaf(
                             b_.CreateExtractElement(vector_of(e_, leaf), std::uint64_t{0}));
                       }
                     }
                     put_group(g, s.result, value);
                   },
                   [&](const VarStmt& s) { emit_statement(e_, f, id), static_cast<void>(s); },
                   [&](const StoreStmt& s) { emit_statement(e_, f, id), static_cast<void>(s); },
                   [&](const IfStmt& s) {
                     e_.branch(
                         group_value(g, s.condition), [&] { block(g, p_.block(s.then)); },
                         [&] { block(g, p_.block(s.otherwise)); });
                   },
                   [&](const LoopStmt& s) {
                     if (!unrolled(g, id, s)) loop(g, s);
                   },
                   [&](const SwitchStmt& s) { switch_(g, s); },
                   [&](const ReturnStmt& s) {
                     if (s.value != kNoExpr) {
                       region(g, [&] { store_cells(e_, f.result, eval(e_, f, s.value), e_.mask); });
                     }
                     b_.CreateBr(f.exit);
                   },
                   [&](const CallStmt& s) { call(g, id, s); },
                   [&](const auto&) { emit_statement(e_, f, id); },
               },
               p_[id].node);
  }

  // Stores the value once if the local has one cell for the workgroup, else once for each gang.
  void put_group(GroupFrame& g, LocalId local, const Val& value) {
    const LocalSlot& slot = g.frame->locals[index_of(local)];
    if (slot.kind == LocalSlot::Kind::slot && slot.spread != Spread::group) {
      region(g, [&] { put_local(e_, *g.frame, local, value); });
      return;
    }
    put_local(e_, *g.frame, local, value);
  }

  // Unrolls a loop around barriers that makes few, known rounds, such as a tree over workgroup
  // memory: LLVM then knows for each round which lanes run and where they access memory.
  bool unrolled(GroupFrame& g, StmtId id, const LoopStmt& s) {
    constexpr std::size_t kMostRounds = 12, kMostStatements = 100;
    if (e_.loops == nullptr || s.break_if != kNoExpr) return false;
    const auto rounds = e_.loops->of(id).rounds;
    if (!rounds || *rounds > kMostRounds) return false;
    const auto body = p_.block(s.body).subspan(1);
    const auto continuing = p_.block(s.continuing);
    std::size_t statements = 0;
    bool plain = true;
    for (const auto part : {body, continuing}) {
      plain = plain && std::ranges::none_of(part, [&](StmtId i) { return has_jump(p_, i); });
    }
    for (const Block part : {s.body, s.continuing}) {
      for_each_stmt(p_, part, [&](StmtId i) {
        const StmtNode& node = p_[i].node;
        plain = plain && !std::holds_alternative<CallStmt>(node);
        ++statements;
      });
    }
    if (!plain || statements * *rounds > kMostStatements) return false;
    for (std::uint32_t round = 0; round < *rounds; ++round) {
      block(g, body);
      block(g, continuing);
    }
    return true;
  }

  void loop(GroupFrame& g, const LoopStmt& s) {
    JumpTarget target;
    target.is_loop = true;
    target.frame = g.frame.get();
    auto* head = e_.new_block("group_loop");
    target.next = e_.new_block("group_continuing");
    target.exit = e_.new_block("after_group_loop");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    check_stop(e_);
    e_.targets.push_back(target);
    block(g, p_.block(s.body));
    if (!e_.ended()) b_.CreateBr(target.next);
    b_.SetInsertPoint(target.next);
    block(g, p_.block(s.continuing));
    if (!e_.ended()) {
      if (s.break_if != kNoExpr) {
        b_.CreateCondBr(group_value(g, s.break_if), target.exit, head);
      } else {
        b_.CreateBr(head);
      }
    }
    e_.targets.pop_back();
    b_.SetInsertPoint(target.exit);
    at_group_level();
  }

  void switch_(GroupFrame& g, const SwitchStmt& s) {
    Value* selector = group_value(g, s.selector);
    JumpTarget target;
    target.frame = g.frame.get();
    target.exit = e_.new_block("after_group_switch");
    auto* dispatch = b_.GetInsertBlock();
    llvm::BasicBlock* fallback = target.exit;
    std::vector<std::pair<std::uint32_t, llvm::BasicBlock*>> cases;
    e_.targets.push_back(target);
    for (const SwitchCase& c : p_.cases(s)) {
      auto* body = e_.new_block("group_case");
      if (c.is_default) fallback = body;
      for (std::uint32_t v : c.values) cases.emplace_back(v, body);
      b_.SetInsertPoint(body);
      at_group_level();
      block(g, p_.block(c.body));
      if (!e_.ended()) b_.CreateBr(target.exit);
    }
    e_.targets.pop_back();
    b_.SetInsertPoint(dispatch);
    auto* sw = b_.CreateSwitch(selector, fallback);
    for (const auto& [v, body] : cases) sw->addCase(b_.getInt32(v), body);
    b_.SetInsertPoint(target.exit);
    at_group_level();
  }

  void call(GroupFrame& g, StmtId id, const CallStmt& s) {
    GroupFrame callee = new_group_frame(*g.frame->spreads->calls.at(id), &g);
    callee.arguments = s.arguments;
    EmitFrame& f = *callee.frame;
    const auto arguments = p_.list(s.arguments);
    region(g, [&] {
      for (std::uint32_t i = 0; i < arguments.size(); ++i) {
        put_local(e_, f, LocalId{i}, eval(e_, *g.frame, arguments[i]));
      }
    });
    const auto outer_targets = std::move(e_.targets);
    e_.targets.clear();
    begin(callee);
    block(callee, p_.block(f.function->body));
    if (!e_.ended()) b_.CreateBr(f.exit);
    b_.SetInsertPoint(f.exit);
    at_group_level();
    e_.targets = outer_targets;
    if (s.result == kNoLocal) return;
    region(g, [&] {
      bind_frame(callee);
      Val value = load_cells(e_, f.result, f.function->result);
      const LocalSlot& slot = g.frame->locals[index_of(s.result)];
      if (slot.kind == LocalSlot::Kind::slot && slot.spread != Spread::lane) {
        for (Leaf& leaf : value.leaves) {
          if (!leaf.varying) continue;
          Value* lane =
              e_.mask == nullptr ? static_cast<Value*>(b_.getInt32(0)) : first_lane(e_, e_.mask);
          leaf = uniform_leaf(b_.CreateExtractElement(vector_of(e_, leaf), lane));
        }
      }
      put_local(e_, *g.frame, s.result, value);
    });
  }

  EmitContext& e_;
  llvm::IRBuilder<>& b_;
  const Program& p_;
  const ProgramSpreads& spreads_;
  const PrivateCounts& counts_;
  bool partial_;
  bool across_rows_;  // gangs follow the linear local index instead of rows along x
  std::uint32_t gangs_per_row_ = 1;
  Value* extent_[3] = {};
  Value* group_[3] = {};
  std::map<GlobalId, std::uint64_t> private_slots_;
  std::map<std::pair<const Function*, LocalId>, ExprId> lets_;
  const EmitFrame* begun_ = nullptr;  // the frame whose `returned` is being set for the first time
};

}  // namespace

void emit_group(EmitContext& e, const ProgramSpreads& spreads, const PrivateCounts& counts,
                llvm::Function* function, bool partial, bool across_rows) {
  Group(e, spreads, counts, partial, across_rows).emit(function);
}

}  // namespace vyre
