#include <algorithm>
#include <utility>

#include "vyre/fuse/fusion_plan_internal.h"
#include "vyre/ir/buffer_layout.h"
#include "vyre/ir/copy_program.h"
#include "vyre/ir/walk.h"

namespace vyre {
namespace {

bool needs_memory(BufferFate fate) {
  return fate == BufferFate::memory || fate == BufferFate::registers;
}

// What the copies of all stages add to the fused program.
struct Output {
  const GroupPlan& plan;
  std::span<const FusedBuffer> buffers;
  Program program;
  Function entry;
  std::vector<std::size_t> bindings;         // the pipeline's buffer of each binding
  std::map<std::size_t, LocalId> registers;  // by buffer
  std::map<std::size_t, FunctionId>
      functions;  // functions that compute elements, by the stage that produces them
};

// Copies what one stage does: into the entry of the group, or into a function that computes one
// element of what the stage would have written.
class StageCopy : public ProgramCopy {
 public:
  StageCopy(Output& out, std::size_t stage)
      : ProgramCopy(out.plan.stages[stage].program, out.program),
        out_(out),
        stage_(stage),
        analysis_(out.plan.stages[stage]) {}

  // Variables for a buffer that the group shares become one variable; all others stay separate.
  void declare_globals() {
    for (std::uint32_t g = 0; g < from_.globals.size(); ++g) {
      const std::size_t buffer = analysis_.buffer[g];
      if (buffer == kNoBuffer) {
        global(GlobalId{g});
      } else if (needs_memory(out_.plan.fates[buffer])) {
        use_global(GlobalId{g}, shared_global(GlobalId{g}, buffer));
      }
    }
  }

  // ---- Into the entry

  void begin_entry() {
    target_ = &out_.entry;
    first_local_ = static_cast<std::uint32_t>(out_.entry.locals.size());
    for (const Local& l : from_[from_.entry].locals) {
      out_.entry.locals.push_back({l.name, l.kind, type(l.type), l.pos});
    }
  }
  void copy(std::span<const StmtId> stmts) {
    for (const StmtId id : stmts) stmt(from_[id]);
  }
  Writer& writer() { return writer_; }

  // ---- As a function of the global id

  FunctionId as_function(std::size_t buffer) {
    Function function;
    target_ = &function;
    element_of_ = buffer;
    function.name = from_.name + "_at";
    function.pos = from_[from_.entry].pos;
    const TypeId u32 = to_.types.scalar(ScalarKind::u32);
    for (const char* axis : {"x", "y", "z"}) {
      function.locals.push_back({axis, LocalKind::parameter, u32, function.pos});
    }
    function.parameters = 3;
    const TypeId type_of_element = element_type(buffer);
    function.result = type_of_element;
    result_ = LocalId{3};
    function.locals.push_back({"element", LocalKind::var, type_of_element, function.pos});
    first_local_ = 4;
    for (const Local& l : from_[from_.entry].locals) {
      function.locals.push_back({l.name, l.kind, type(l.type), l.pos});
    }
    writer_.open();
    writer_.stmt(VarStmt{*result_});
    statements(from_[from_.entry].body);
    writer_.stmt(ReturnStmt{load(*result_)});
    function.body = writer_.close();
    const auto id = static_cast<FunctionId>(to_.functions.size());
    to_.functions.push_back(std::move(function));
    return id;
  }

 protected:
  LocalId local(LocalId id) override {
    return target_ == nullptr ? id : LocalId{static_cast<std::uint32_t>(id) + first_local_};
  }

 public:
  ExprId expr(ExprId id) override {
    const Expr& original = from_[id];
    if (const auto* e = std::get_if<LoadExpr>(&original.node)) {
      if (const auto buffer = buffer_of(e->pointer)) {
        if (out_.plan.fates[*buffer] == BufferFate::recomputed) {
          return computed(*buffer, e->pointer, original.type);
        }
        if (access(e->pointer).through_register) {
          const ExprId pointer = in_register(e->pointer, *buffer);
          return writer_.expr(type(original.type), LoadExpr{pointer});
        }
      }
    }
    if (const auto* e = std::get_if<ArrayLengthExpr>(&original.node)) {
      const auto buffer = buffer_of(e->pointer);
      if (buffer && !needs_memory(out_.plan.fates[*buffer])) return length(*buffer);
    }
    if (const auto* e = std::get_if<InvocationIdExpr>(&original.node)) {
      if (element_of_ && e->kind == InvocationIdKind::global_invocation) return place();
    }
    const ExprId copy = ProgramCopy::expr(id);
    retype(copy);
    return copy;
  }

 protected:
  void stmt(const Stmt& original) override {
    const auto* s = std::get_if<StoreStmt>(&original.node);
    const auto buffer = s != nullptr ? buffer_of(s->pointer) : std::nullopt;
    if (!buffer) return copy_stmt(original);
    writer_.pos = original.pos;
    if (element_of_ == *buffer) {
      const ExprId value = expr(s->value);
      const ExprId at = index_of(s->pointer);
      within_bounds(at, *buffer, out_.plan.stages[stage_].accesses, s->pointer,
                    [&] { writer_.stmt(StoreStmt{pointer_to(*result_), value}); });
      return;
    }
    const AccessPlan how = access(s->pointer);
    if (!how.through_register) return copy_stmt(original);
    ExprId value = expr(s->value);
    if (how.through_memory) {
      const LocalId let = add_local("value", LocalKind::let, to_[value].type, original.pos);
      writer_.stmt(LetStmt{let, value});
      value = writer_.expr(to_[value].type, LocalExpr{let});
    }
    const auto store = [&] {
      const ExprId pointer = in_register(s->pointer, *buffer);
      writer_.stmt(StoreStmt{pointer, value});
    };
    if (how.tests_bounds) {
      if_inside(index_of(s->pointer), *buffer, store);
    } else {
      store();
    }
    if (!how.through_memory) return;
    const ExprId again =
        writer_.expr(to_[value].type, LocalExpr{std::get<LocalExpr>(to_[value].node).id});
    writer_.stmt(StoreStmt{expr(s->pointer), again});
  }

 private:
  // A function that is copied has its own locals.
  void copy_stmt(const Stmt& original) {
    if (const auto* call = std::get_if<CallStmt>(&original.node)) {
      Function* const here = std::exchange(target_, nullptr);
      const auto element = std::exchange(element_of_, std::nullopt);
      function(call->callee);
      target_ = here;
      element_of_ = element;
    }
    ProgramCopy::stmt(original);
  }

  // ---- Small expressions

  LocalId add_local(std::string name, LocalKind kind, TypeId type, SourcePos pos) {
    target_->locals.push_back({std::move(name), kind, type, pos});
    return static_cast<LocalId>(target_->locals.size() - 1);
  }
  TypeId u32() { return to_.types.scalar(ScalarKind::u32); }
  TypeId boolean() { return to_.types.scalar(ScalarKind::boolean); }
  ExprId number(std::uint32_t n) { return writer_.constant(Scalar::of(n)); }
  ExprId binary(BinaryOp op, TypeId type, ExprId a, ExprId b) {
    return writer_.expr(type, BinaryExpr{op, a, b});
  }
  ExprId pointer_to(LocalId variable) {
    const TypeId type = target_->locals[static_cast<std::size_t>(variable)].type;
    return writer_.expr(to_.types.pointer(MemoryKind::function, type, Access::read_write),
                        LocalPtrExpr{variable});
  }
  ExprId load(LocalId variable) {
    const TypeId type = target_->locals[static_cast<std::size_t>(variable)].type;
    return writer_.expr(type, LoadExpr{pointer_to(variable)});
  }

  // Gives a pointer the memory and the access of the variable that it leads into.
  void retype(ExprId id) {
    if (to_.types.get_if<PointerType>(to_[id].type) == nullptr) return;
    if (const auto* e = std::get_if<GlobalPtrExpr>(&to_[id].node)) {
      const Global& g = to_[e->id];
      to_[id].type = to_.types.pointer(g.memory, g.type, g.access);
      return;
    }
    ExprId base = kNoExpr;
    std::uint32_t member = 0;
    if (const auto* e = std::get_if<MemberExpr>(&to_[id].node)) {
      base = e->base;
      member = e->member;
    } else if (const auto* e = std::get_if<IndexExpr>(&to_[id].node)) {
      base = e->base;
    }
    if (base == kNoExpr) return;
    const PointerType outer = *to_.types.get_if<PointerType>(to_[base].type);
    const TypeId inner = to_.types.component(outer.pointee, member);
    to_[id].type = to_.types.pointer(outer.memory, inner, outer.access);
  }

  // ---- Buffers

  GlobalId shared_global(GlobalId id, std::size_t buffer) {
    const Global& original = from_[id];
    const TypeId mapped = type(original.type);
    for (std::uint32_t g = 0; g < to_.globals.size(); ++g) {
      Global& known = to_.globals[g];
      const bool is_buffer =
          known.memory == MemoryKind::storage || known.memory == MemoryKind::uniform;
      if (!is_buffer || out_.bindings[known.binding] != buffer) continue;
      if (known.memory != original.memory || known.type != mapped) continue;
      if (original.access != Access::read) known.access = Access::read_write;
      known.live_out = known.live_out || original.live_out;
      known.alignment = std::max(known.alignment, original.alignment);
      return GlobalId{g};
    }
    Global copy = original;
    copy.type = mapped;
    copy.group = 0;
    copy.binding = static_cast<std::uint32_t>(out_.bindings.size());
    out_.bindings.push_back(buffer);
    to_.globals.push_back(std::move(copy));
    return static_cast<GlobalId>(to_.globals.size() - 1);
  }

  // The buffer that a path of the entry begins at.
  std::optional<std::size_t> buffer_of(ExprId pointer) const {
    while (true) {
      const ExprNode& node = from_[pointer].node;
      if (const auto* e = std::get_if<MemberExpr>(&node)) {
        pointer = e->base;
      } else if (const auto* e = std::get_if<IndexExpr>(&node)) {
        pointer = e->base;
      } else if (const auto* e = std::get_if<GlobalPtrExpr>(&node)) {
        const std::size_t buffer = analysis_.buffer[static_cast<std::size_t>(e->id)];
        return buffer == kNoBuffer ? std::nullopt : std::optional(buffer);
      } else {
        return std::nullopt;
      }
    }
  }
  AccessPlan access(ExprId pointer) const {
    const auto known = out_.plan.accesses.find({stage_, pointer});
    return known == out_.plan.accesses.end() ? AccessPlan{} : known->second;
  }
  // The index expression that picks the element.
  const IndexExpr& element_index(ExprId pointer) const {
    const IndexExpr* found = nullptr;
    while (true) {
      const ExprNode& node = from_[pointer].node;
      if (const auto* e = std::get_if<IndexExpr>(&node)) {
        found = e;
        pointer = e->base;
      } else if (const auto* e = std::get_if<MemberExpr>(&node)) {
        pointer = e->base;
      } else {
        return *found;
      }
    }
  }
  ExprId index_of(ExprId pointer) { return as_u32(expr(element_index(pointer).index)); }
  ExprId as_u32(ExprId value) {
    if (to_[value].type == u32()) return value;
    return writer_.expr(u32(), BitcastExpr{value});  // negative indices become large
  }

  // The pointer with the register in place of the element.
  ExprId in_register(ExprId pointer, std::size_t buffer) {
    const ExprNode& node = from_[pointer].node;
    if (const auto* e = std::get_if<IndexExpr>(&node)) {
      if (e == &element_index(pointer)) return pointer_to(out_.registers.at(buffer));
      const ExprId base = in_register(e->base, buffer);
      const ExprId at = expr(e->index);
      const ExprId made = writer_.expr(type(from_[pointer].type), IndexExpr{base, at});
      retype(made);
      return made;
    }
    const auto& e = std::get<MemberExpr>(node);
    const ExprId base = in_register(e.base, buffer);
    const ExprId made = writer_.expr(type(from_[pointer].type), MemberExpr{base, e.member});
    retype(made);
    return made;
  }

  BufferLayout layout_of(std::size_t buffer, const Program& program,
                         const StageAnalysis& stage) const {
    for (std::size_t g = 0; g < stage.buffer.size(); ++g) {
      if (stage.buffer[g] == buffer) return buffer_layout(program.types, program.globals[g].type);
    }
    return {};
  }
  TypeId element_type(std::size_t buffer) {
    return type(layout_of(buffer, from_, analysis_).element);
  }
  std::uint64_t elements(std::size_t buffer) const {
    return layout_of(buffer, from_, analysis_).elements_in(out_.buffers[buffer].bytes);
  }

  // The length of a buffer that has no memory, taken from another array with the same number of
  // elements.
  ExprId length(std::size_t buffer) {
    const std::uint64_t count = elements(buffer);
    for (std::uint32_t g = 0; g < to_.globals.size(); ++g) {
      const Global& other = to_.globals[g];
      const auto* array = to_.types.get_if<ArrayType>(other.type);
      if (other.memory != MemoryKind::storage || array == nullptr || array->count != 0) continue;
      const BufferLayout layout = buffer_layout(to_.types, other.type);
      if (layout.elements_in(out_.buffers[out_.bindings[other.binding]].bytes) != count) continue;
      const TypeId pointer = to_.types.pointer(other.memory, other.type, other.access);
      const ExprId root = writer_.expr(pointer, GlobalPtrExpr{GlobalId{g}});
      return writer_.expr(u32(), ArrayLengthExpr{root});
    }
    return number(static_cast<std::uint32_t>(count));
  }

  template <class F>
  void if_inside(ExprId index, std::size_t buffer, F&& then) {
    const ExprId condition = binary(BinaryOp::less, boolean(), index, length(buffer));
    if_(condition, std::forward<F>(then));
  }
  template <class F>
  void if_(ExprId condition, F&& then) {
    writer_.open();
    then();
    const Block inside = writer_.close();
    writer_.open();
    const Block nothing = writer_.close();
    writer_.stmt(IfStmt{condition, inside, nothing});
  }
  template <class F>
  void within_bounds(ExprId index, std::size_t buffer, const Accesses& accesses, ExprId pointer,
                     F&& then) {
    const auto count = static_cast<std::int64_t>(elements(buffer));
    for (const MemoryAccess& a : accesses.all) {
      if (a.pointer == pointer && a.index_range.low >= 0 && a.index_range.high < count) {
        return then();
      }
    }
    if_inside(index, buffer, std::forward<F>(then));
  }

  // ---- Elements that are computed where they are read

  // In the function that computes an element: the id of the invocation that would write it.
  ExprId place() {
    std::vector<ExprId> parts;
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      parts.push_back(writer_.expr(u32(), LocalExpr{LocalId{axis}}));
    }
    return writer_.expr(to_.types.vector(ScalarKind::u32, 3), ConstructExpr{writer_.list(parts)});
  }

  // Puts a call in front of the statement that computes the element; it is zero where no invocation
  // writes the element. A load of a part of the element takes this part from the result.
  ExprId computed(std::size_t buffer, ExprId pointer, TypeId result) {
    const ExprId at = let("at", index_of(pointer));
    const std::size_t producer = out_.plan.producer.at(buffer);
    const TypeId element = element_type(buffer);
    const LocalId value = add_local("element", LocalKind::var, element, writer_.pos);
    writer_.stmt(VarStmt{value});
    call_at(producer, buffer, at, value);
    const ExprId inside = from_register_path(pointer, value);
    return writer_.expr(type(result), LoadExpr{inside});
  }
  ExprId from_register_path(ExprId pointer, LocalId value) {
    const ExprNode& node = from_[pointer].node;
    if (const auto* e = std::get_if<IndexExpr>(&node)) {
      if (e == &element_index(pointer)) return pointer_to(value);
      const ExprId base = from_register_path(e->base, value);
      const ExprId made = writer_.expr(type(from_[pointer].type), IndexExpr{base, expr(e->index)});
      retype(made);
      return made;
    }
    const auto& e = std::get<MemberExpr>(node);
    const ExprId made = writer_.expr(type(from_[pointer].type),
                                     MemberExpr{from_register_path(e.base, value), e.member});
    retype(made);
    return made;
  }
  ExprId let(const char* name, ExprId value) {
    const LocalId local = add_local(name, LocalKind::let, to_[value].type, writer_.pos);
    writer_.stmt(LetStmt{local, value});
    return writer_.expr(to_[value].type, LocalExpr{local});
  }
  ExprId again(ExprId let) {
    return writer_.expr(to_[let].type, LocalExpr{std::get<LocalExpr>(to_[let].node).id});
  }

  // Stores element `at` of what the producer writes in `value`, if the producer writes it. The
  // index is divided into ids, beginning with the axis that has the largest factor.
  void call_at(std::size_t producer, std::size_t buffer, ExprId at, LocalId value) {
    const StageAnalysis& stage = out_.plan.stages[producer];
    const MemoryAccess* store = nullptr;
    for (const MemoryAccess& a : stage.accesses.all) {
      if (a.kind == AccessKind::store) store = &a;
    }
    std::vector<KeyPart> parts = *store->key;
    // An id that is always 0 needs no part of the index, whatever its factor.
    std::erase_if(parts, [](const KeyPart& p) { return p.factor == 0 || p.range.high == 0; });
    std::ranges::sort(parts, std::greater(), &KeyPart::factor);
    const std::int64_t constant = out_.plan.numbers.as_linear(store->index()).constant;
    // A load outside of the buffer gives zero, and so does one before the first element that is
    // written.
    ExprId inside = binary(BinaryOp::less, boolean(), again(at), length(buffer));
    ExprId rest = again(at);
    if (constant != 0) {
      const ExprId first = number(static_cast<std::uint32_t>(constant));
      rest = let("rest", binary(BinaryOp::sub, u32(), rest, first));
    }
    std::array<ExprId, 3> ids{kNoExpr, kNoExpr, kNoExpr};
    for (const KeyPart& p : parts) {
      ExprId id = rest;
      if (p.factor != 1) {
        const auto factor = static_cast<std::uint32_t>(p.factor);
        id = let("id", binary(BinaryOp::div, u32(), rest, number(factor)));
        rest = let("rest", binary(BinaryOp::rem, u32(), again(rest), number(factor)));
      } else {
        rest = kNoExpr;
      }
      ids[p.axis] = id;
      const auto count = stage.facts.extent[p.axis];
      inside = binary(BinaryOp::logical_and, boolean(), inside,
                      binary(BinaryOp::less, boolean(), again(id), number(count)));
    }
    if (rest != kNoExpr) {
      inside = binary(BinaryOp::logical_and, boolean(), inside,
                      binary(BinaryOp::equal, boolean(), again(rest), number(0)));
    }
    if_(inside, [&] {
      std::vector<ExprId> arguments;
      for (const ExprId id : ids) arguments.push_back(id == kNoExpr ? number(0) : again(id));
      const LocalId made =
          add_local("made", LocalKind::let, target_->locals[static_cast<std::size_t>(value)].type,
                    writer_.pos);
      writer_.stmt(CallStmt{out_.functions.at(producer), writer_.list(arguments), made});
      const ExprId result =
          writer_.expr(target_->locals[static_cast<std::size_t>(value)].type, LocalExpr{made});
      writer_.stmt(StoreStmt{pointer_to(value), result});
    });
  }

  Output& out_;
  const std::size_t stage_;
  const StageAnalysis& analysis_;
  Function* target_ =
      nullptr;  // the function that gets the locals; null while a function is copied whole
  std::uint32_t first_local_ = 0;
  std::optional<std::size_t> element_of_;  // the buffer that the function being written computes
  std::optional<LocalId> result_;
};

// The body of a stage: the statements before its guard, the guard's condition, and the statements
// that it guards.
struct Guarded {
  std::span<const StmtId> before;
  const IfStmt* guard = nullptr;
  std::span<const StmtId> rest;  // of a stage without a guard
  ValueNumber condition{};
};

bool may_move(const StageAnalysis& stage, const StmtNode& node) {
  if (!std::holds_alternative<LetStmt>(node) && !std::holds_alternative<VarStmt>(node)) {
    return false;
  }
  const Program& p = stage.program;
  bool fixed = true;
  for_each_expr(p, node, [&](ExprId root) {
    for_each_subexpr(p, root, [&](ExprId expr) {
      const auto* e = std::get_if<LoadExpr>(&p[expr].node);
      if (e == nullptr) return;
      const MemoryKind memory = p.types.get_if<PointerType>(p[e->pointer].type)->memory;
      fixed = fixed && (memory == MemoryKind::uniform || memory == MemoryKind::function);
    });
  });
  return fixed;
}

Guarded guarded(const StageAnalysis& stage, const ValueNumbers& numbers) {
  const Program& p = stage.program;
  const auto all = p.block(p[p.entry].body);
  std::size_t at = 0;
  while (at < all.size() && may_move(stage, p[all[at]].node)) ++at;
  Guarded out{.before = all.first(at), .rest = all.subspan(at)};
  if (at + 1 != all.size()) return out;
  const auto* s = std::get_if<IfStmt>(&p[all[at]].node);
  if (s == nullptr || s->otherwise.count != 0) return out;
  const auto known = stage.accesses.conditions.find(static_cast<std::uint32_t>(all[at]));
  if (known == stage.accesses.conditions.end() || !numbers.is_fixed(known->second)) return out;
  out.guard = s;
  out.condition = known->second;
  return out;
}

}  // namespace

WrittenGroup write_group(const GroupPlan& plan, std::span<const KernelStage> stages,
                         std::span<const FusedBuffer> buffers) {
  Output out{.plan = plan,
             .buffers = buffers,
             .program = {},
             .entry = {},
             .bindings = {},
             .registers = {},
             .functions = {}};
  std::deque<StageCopy> copies;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const Program& program = plan.stages[s].program;
    out.program.name += (s == 0 ? "" : "_") + program.name;
    copies.emplace_back(out, s).declare_globals();
  }
  out.program.source_name = plan.stages.back().program.source_name;
  out.program.workgroup = plan.stages.back().program.workgroup;
  for (const auto& [buffer, producer] : plan.producer) {
    if (!out.functions.contains(producer)) {
      out.functions.emplace(producer, FunctionId{});
    }
  }
  for (auto& [producer, function] : out.functions) {  // in order: later ones call earlier ones
    const auto made = std::ranges::find_if(
        plan.producer, [&](const auto& entry) { return entry.second == producer; });
    function = copies[producer].as_function(made->first);
  }

  Writer writer(out.program);
  out.entry.name = out.program.name;
  out.entry.result = out.program.types.void_type();
  writer.open();
  std::vector<StmtId> body;
  // Each stage has its own writer. Here their blocks are joined.
  const auto collect = [&](StageCopy& copy, auto&& write) {
    copy.writer().open();
    write();
    const Block block = copy.writer().close();
    const auto made = out.program.block(block);
    return std::vector<StmtId>(made.begin(), made.end());
  };
  const auto append = [&](std::vector<StmtId>& to, const std::vector<StmtId>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  const auto as_block = [&](const std::vector<StmtId>& stmts) {
    const Block block{static_cast<std::uint32_t>(out.program.block_stmts.size()),
                      static_cast<std::uint32_t>(stmts.size())};
    out.program.block_stmts.insert(out.program.block_stmts.end(), stmts.begin(), stmts.end());
    return block;
  };
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (plan.fates[b] != BufferFate::registers && plan.fates[b] != BufferFate::dropped) continue;
    for (std::size_t s = 0; s < stages.size() && !out.registers.contains(b); ++s) {
      const StageAnalysis& stage = plan.stages[s];
      for (std::size_t g = 0; g < stage.buffer.size(); ++g) {
        if (stage.buffer[g] != b) continue;
        const Program& p = stage.program;
        const TypeId element = copies[s].type(buffer_layout(p.types, p.globals[g].type).element);
        out.entry.locals.push_back({p.globals[g].name, LocalKind::var, element, {}});
        const LocalId local{static_cast<std::uint32_t>(out.entry.locals.size() - 1)};
        out.registers.emplace(b, local);
        body.push_back(writer.stmt(VarStmt{local}));
        break;
      }
    }
  }
  std::vector<std::size_t> running;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (!plan.stages[s].recomputed) running.push_back(s);
  }
  for (std::size_t i = 0; i < running.size();) {
    const Guarded first = guarded(plan.stages[running[i]], plan.numbers);
    std::vector<StmtId> inside;
    ExprId condition = kNoExpr;
    std::size_t next = i;
    for (; next < running.size(); ++next) {
      StageCopy& copy = copies[running[next]];
      const Guarded stage = guarded(plan.stages[running[next]], plan.numbers);
      if (next != i && (first.guard == nullptr || stage.guard == nullptr ||
                        stage.condition != first.condition)) {
        break;
      }
      copy.begin_entry();
      append(body, collect(copy, [&] {
               copy.copy(stage.before);
               if (stage.guard == nullptr) {
                 copy.copy(stage.rest);
               } else if (next == i) {
                 condition = copy.expr(stage.guard->condition);
               }
             }));
      if (stage.guard == nullptr) {
        ++next;
        break;
      }
      append(inside, collect(copy, [&] {
               copy.copy(plan.stages[running[next]].program.block(stage.guard->then));
             }));
    }
    if (condition != kNoExpr) {
      const Block then = as_block(inside);
      body.push_back(writer.stmt(IfStmt{condition, then, as_block({})}));
    }
    i = next;
  }
  writer.close();
  out.entry.body = as_block(body);
  out.program.entry = static_cast<FunctionId>(out.program.functions.size());
  out.program.functions.push_back(std::move(out.entry));
  return {std::move(out.program), std::move(out.bindings)};
}

}  // namespace vyre
