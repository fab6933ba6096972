// Memory of an invocation, functions and statements.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "vyre/base/overloaded.h"
#include "vyre/ir/interpret/interpret_compiler.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMaxInvocationBytes = std::uint64_t{1} << 30;
// Constants of up to this size are copied into the memory of every invocation.
constexpr std::uint64_t kSmallConstant = 64;

std::size_t at(FunctionId id) { return static_cast<std::size_t>(id); }
std::size_t at(LocalId id) { return static_cast<std::size_t>(id); }

}  // namespace

Result<FlatCode> compile_for_interpreter(const Program& program,
                                         std::span<const GlobalBytes> globals) {
  return Compiler(program, globals).run();
}

Result<FlatCode> Compiler::run() {
  known_.resize(program_.exprs.size());
  plans_.assign(types_.size(), -2);
  place_constants();
  place_globals();
  place_functions();
  place_counters();
  if (memory_end_ > kMaxInvocationBytes) {
    return fail(Code::limit,
                fmt::format("kernel `{}` needs {} bytes of private memory for one invocation; the "
                            "interpreter allows {}",
                            program_.name, memory_end_, kMaxInvocationBytes),
                "use smaller local arrays");
  }
  prologue();
  function(program_.entry);
  for (const FunctionId id : order_) {
    if (id != program_.entry) function(id);
  }
  for (const auto& [instr, callee] : calls_) code_.instrs[instr].a = frames_[at(callee)].start;
  if (error_) return std::unexpected(*std::move(error_));

  code_.invocation_bytes = memory_end_ + temporaries_high_;
  if (code_.invocation_bytes > kMaxInvocationBytes) {
    return fail(Code::limit,
                fmt::format("kernel `{}` needs {} bytes for one invocation's values; the "
                            "interpreter allows {}",
                            program_.name, code_.invocation_bytes, kMaxInvocationBytes),
                "use smaller local arrays");
  }
  return std::move(code_);
}

// ---- Memory ------------------------------------------------------------------------------------

Slot Compiler::reserve(TypeId type) {
  const std::uint64_t slot = memory_end_;
  const std::uint64_t bytes = bytes_of(type);
  memory_end_ += std::min(bytes, kMaxInvocationBytes) / 16 * 16 + 16;
  return static_cast<Slot>(slot);
}

void Compiler::place_constants() {
  constant_slots_.assign(program_.constants.size(), 0);
  constant_indices_.assign(program_.constants.size(), -1);
  std::map<std::vector<std::byte>, Slot> small;  // equal bytes share a place
  for (std::size_t i = 0; i < program_.constants.size(); ++i) {
    const Constant& constant = program_.constants[i];
    std::vector<std::byte> bytes(types_.layout(constant.type).size);
    write_value(types_, constant.type, constant.scalars, bytes.data());
    if (bytes.size() > kSmallConstant) {
      constant_indices_[i] = static_cast<std::int64_t>(code_.constants.size());
      code_.constants.push_back(std::move(bytes));
      continue;
    }
    const auto [known, fresh] = small.try_emplace(std::move(bytes), Slot{0});
    if (fresh) known->second = reserve(constant.type);
    constant_slots_[i] = known->second;
  }
  code_.image.assign(memory_end_, std::byte{0});
  for (const auto& [bytes, slot] : small) {
    std::ranges::copy(bytes, code_.image.begin() + static_cast<std::ptrdiff_t>(slot));
  }
}

void Compiler::place_globals() {
  global_slots_.assign(program_.globals.size(), 0);
  for (std::size_t i = 0; i < program_.globals.size(); ++i) {
    const Global& global = program_.globals[i];
    if (global.memory == MemoryKind::private_) global_slots_[i] = reserve(global.type);
  }
}

void Compiler::reach(FunctionId id) {
  if (frames_[at(id)].reached) return;
  frames_[at(id)].reached = true;
  order_.push_back(id);
}

void Compiler::reach(Block block) {
  for (const StmtId id : program_.block(block)) {
    const StmtNode& node = program_[id].node;
    if (const auto* call = std::get_if<CallStmt>(&node)) reach(call->callee);
    if (const auto* s = std::get_if<IfStmt>(&node)) {
      reach(s->then);
      reach(s->otherwise);
    } else if (const auto* loop = std::get_if<LoopStmt>(&node)) {
      reach(loop->body);
      reach(loop->continuing);
    } else if (const auto* chooser = std::get_if<SwitchStmt>(&node)) {
      for (const SwitchCase& c : program_.cases(*chooser)) reach(c.body);
    }
  }
}

void Compiler::place_functions() {
  frames_.resize(program_.functions.size());
  reach(program_.entry);
  for (std::size_t i = 0; i < order_.size(); ++i) reach(program_[order_[i]].body);
  for (const FunctionId id : order_) {
    const Function& function = program_[id];
    FunctionFrame& frame = frames_[at(id)];
    for (const Local& local : function.locals) frame.locals.push_back(reserve(local.type));
    frame.result = reserve(function.result);
    frame.return_address = static_cast<Slot>(memory_end_);
    memory_end_ += 16;
  }
}

// If the program has subgroup operations, every loop counts its iterations.
void Compiler::place_counters() {
  std::uint64_t loops = 0;
  for (const Stmt& s : program_.stmts) {
    subgroups_ = subgroups_ || std::holds_alternative<SubgroupStmt>(s.node);
    loops += std::holds_alternative<LoopStmt>(s.node) ? 1 : 0;
  }
  if (!subgroups_) return;
  one_ = static_cast<Slot>(memory_end_);
  next_counter_ = one_ + 4;
  memory_end_ += 4 * (loops + 1) / 16 * 16 + 16;
}

// ---- Instructions ------------------------------------------------------------------------------

std::uint32_t Compiler::emit(Instr instr) {
  instr.steps = static_cast<std::uint16_t>(instr.steps + pending_steps_);
  pending_steps_ = 0;
  code_.instrs.push_back(instr);
  return static_cast<std::uint32_t>(code_.instrs.size() - 1);
}

// Steps of statements before a label belong before it.
std::uint32_t Compiler::label() {
  if (pending_steps_ != 0) emit({.op = Op::nop});
  return static_cast<std::uint32_t>(code_.instrs.size());
}

void Compiler::patch(std::span<const std::uint32_t> jumps, std::uint32_t target) {
  for (const std::uint32_t jump : jumps) {
    Instr& instr = code_.instrs[jump];
    (instr.op == Op::jump_if_not ? instr.b : instr.a) = target;
  }
}

void Compiler::begin_expressions() {
  ++statement_;
  temporaries_ = 0;
}

// The initial contents of private memory; pointers that were not set are invalid.
void Compiler::prologue() {
  current_ = program_.entry;
  if (subgroups_) emit({.op = Op::set, .dst = one_, .wide = 1});
  for (std::size_t i = 0; i < program_.globals.size(); ++i) {
    const Global& global = program_.globals[i];
    if (global.memory != MemoryKind::private_) continue;
    begin_expressions();
    if (global.initial != kNoExpr) {
      value_to(global.initial, global_slots_[i]);
    } else {
      emit({.op = Op::zero,
            .n = static_cast<std::uint32_t>(bytes_of(global.type)),
            .dst = global_slots_[i]});
    }
  }
  for (const FunctionId id : order_) {
    const Function& function = program_[id];
    for (std::size_t i = 0; i < function.locals.size(); ++i) {
      if (types_.get_if<PointerType>(function.locals[i].type) == nullptr) continue;
      emit({.op = Op::zero, .n = sizeof(MemoryPointer), .dst = frames_[at(id)].locals[i]});
    }
  }
}

void Compiler::function(FunctionId id) {
  current_ = id;
  frames_[at(id)].start = label();
  block(program_[id].body);
  // The end of an invocation counts as a step, so that an empty kernel has steps too.
  if (id == program_.entry) ++pending_steps_;
  leave_function();
}

void Compiler::leave_function() {
  if (current_ == program_.entry) {
    emit({.op = Op::end});
  } else {
    emit({.op = Op::return_to, .a = frames_[at(current_)].return_address});
  }
}

void Compiler::block(Block block) {
  for (const StmtId id : program_.block(block)) statement(program_[id]);
}

void Compiler::statement(const Stmt& stmt) {
  if (pending_steps_ == std::numeric_limits<std::uint16_t>::max()) label();
  ++pending_steps_;
  begin_expressions();
  position_ = stmt.pos;
  std::visit([&](const auto& s) { execute(s); }, stmt.node);
}

// ---- Statements --------------------------------------------------------------------------------

void Compiler::execute(const LetStmt& s) {
  const Slot slot = frames_[at(current_)].locals[at(s.local)];
  if (types_.get_if<PointerType>(type_of(s.value)) != nullptr) {
    make_pointer(place(s.value), slot);
  } else {
    value_to(s.value, slot);
  }
}

void Compiler::execute(const VarStmt& s) {
  const Slot slot = frames_[at(current_)].locals[at(s.local)];
  if (s.initial != kNoExpr) {
    value_to(s.initial, slot);
    return;
  }
  const TypeId type = program_[current_].locals[at(s.local)].type;
  emit({.op = Op::zero, .n = static_cast<std::uint32_t>(bytes_of(type)), .dst = slot});
}

void Compiler::execute(const StoreStmt& s) {
  const FlatPlace to = place(s.pointer);
  if (to.root == FlatPlace::Root::local && to.steps.empty()) {
    value_to(s.value, static_cast<Slot>(to.at));
  } else {
    store(to, type_of(s.value), value(s.value));
  }
}

void Compiler::execute(const IfStmt& s) {
  const Slot condition = value(s.condition);
  const std::uint32_t skip = emit({.op = Op::jump_if_not, .a = condition});
  block(s.then);
  if (s.otherwise.count == 0) {
    patch({&skip, 1}, label());
    return;
  }
  const std::uint32_t over = emit({.op = Op::jump});
  patch({&skip, 1}, label());
  block(s.otherwise);
  patch({&over, 1}, label());
}

void Compiler::execute(const LoopStmt& s) {
  Slot iterations = 0;
  if (subgroups_) {
    iterations = next_counter_;
    next_counter_ += 4;
    emit({.op = Op::set, .dst = iterations, .wide = 0});
  }
  const std::uint32_t start = label();
  loops_.push_back({start, iterations});
  breakables_.push_back({.is_loop = true, .breaks = {}, .continues = {}});
  block(s.body);
  patch(breakables_.back().continues, label());
  block(s.continuing);
  if (subgroups_) {
    emit({.op = Op::add, .n = 1, .dst = iterations, .a = iterations, .b = one_});
  }
  begin_expressions();
  if (s.break_if != kNoExpr) {
    const Slot condition = value(s.break_if);
    emit({.op = Op::back_if_not, .steps = 1, .a = condition, .b = start});
  } else {
    emit({.op = Op::jump_back, .steps = 1, .a = start});
  }
  loops_.pop_back();
  patch(breakables_.back().breaks, label());
  breakables_.pop_back();
}

void Compiler::execute(const SwitchStmt& s) {
  const Slot selector = value(s.selector);
  const std::size_t table = code_.switches.size();
  code_.switches.emplace_back();
  emit({.op = Op::switch_on, .a = selector, .wide = table});
  breakables_.push_back({.is_loop = false, .breaks = {}, .continues = {}});
  for (const SwitchCase& c : program_.cases(s)) {
    const std::uint32_t start = label();
    for (const std::uint32_t v : c.values) code_.switches[table].targets.emplace_back(v, start);
    if (c.is_default) code_.switches[table].otherwise = start;
    block(c.body);
    breakables_.back().breaks.push_back(emit({.op = Op::jump}));
  }
  std::ranges::sort(code_.switches[table].targets);
  patch(breakables_.back().breaks, label());
  breakables_.pop_back();
}

void Compiler::execute(const BreakStmt&) {
  breakables_.back().breaks.push_back(emit({.op = Op::jump}));
}

void Compiler::execute(const ContinueStmt&) {
  const auto loop = std::ranges::find_if(breakables_.rbegin(), breakables_.rend(),
                                         [](const Breakable& b) { return b.is_loop; });
  loop->continues.push_back(emit({.op = Op::jump}));
}

void Compiler::execute(const ReturnStmt& s) {
  if (s.value != kNoExpr) value_to(s.value, frames_[at(current_)].result);
  leave_function();
}

void Compiler::barrier() {
  code_.barriers.push_back(position_);
  emit({.op = Op::barrier, .wide = code_.barriers.size() - 1});
}

void Compiler::execute(const BarrierStmt&) { barrier(); }

void Compiler::execute(const UniformLoadStmt& s) {
  const Slot slot = frames_[at(current_)].locals[at(s.result)];
  const TypeId type = program_[current_].locals[at(s.result)].type;
  const FlatPlace from = place(s.pointer);
  barrier();
  copy(slot, load(from, type, slot), bytes_of(type));
  barrier();
}

void Compiler::execute(const AtomicStmt& s) {
  const FlatPlace to = place(s.pointer);
  const TypeId pointee = types_.get_if<PointerType>(type_of(s.pointer))->pointee;
  if (types_.get_if<AtomicType>(pointee)->size == 2) {
    const Slot stored = value(s.value);
    address(to);
    Instr wide{.op = Op::wide_atomic, .n = s.op == AtomicOp::max ? 1U : 0U};
    wide.a = stored;
    emit(wide);
    return;
  }
  const bool is_signed = types_.get_if<AtomicType>(pointee)->kind == ScalarKind::i32;
  Instr instr{.op = Op::atomic, .n = static_cast<std::uint32_t>(s.op) * 2 + (is_signed ? 1 : 0)};
  if (s.compare != kNoExpr) instr.b = value(s.compare);
  if (s.value != kNoExpr) instr.a = value(s.value);
  const bool compares = s.op == AtomicOp::compare_exchange;
  if (s.result != kNoLocal) {
    instr.dst = frames_[at(current_)].locals[at(s.result)];
    if (compares) {
      const TypeId result = program_[current_].locals[at(s.result)].type;
      instr.c = types_.get_if<StructType>(result)->members[1].offset;
    }
  } else {
    instr.dst = temporary(8);
    instr.c = 4;
  }
  address(to);
  emit(instr);
}

void Compiler::note_site(std::uint32_t instruction) {
  if (!subgroups_) return;
  const bool entry = current_ == program_.entry;
  code_.sites[instruction] = {loops_, entry ? 0 : frames_[at(current_)].return_address};
}

void Compiler::execute(const SubgroupStmt& s) {
  const auto described = [&](TypeId type, Slot slot) {
    return ApplyCall::Value{type, slot, scalar_places(types_, type)};
  };
  SubgroupCall call{.op = s.op, .value = {}, .result = {}};
  if (s.value != kNoExpr) call.value = described(type_of(s.value), value(s.value));
  if (s.lane != kNoExpr) call.lane = value(s.lane);
  call.result = described(program_[current_].locals[at(s.result)].type,
                          frames_[at(current_)].locals[at(s.result)]);
  code_.subgroups.push_back(std::move(call));
  note_site(emit({.op = Op::subgroup, .wide = code_.subgroups.size() - 1}));
}

void Compiler::execute(const CallStmt& s) {
  const FunctionFrame& callee = frames_[at(s.callee)];
  const auto arguments = program_.list(s.arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (types_.get_if<PointerType>(type_of(arguments[i])) != nullptr) {
      make_pointer(place(arguments[i]), callee.locals[i]);
    } else {
      value_to(arguments[i], callee.locals[i]);
    }
  }
  calls_.emplace_back(emit({.op = Op::call, .dst = callee.return_address}), s.callee);
  note_site(calls_.back().first);
  if (s.result != kNoLocal) {
    copy(frames_[at(current_)].locals[at(s.result)], callee.result,
         bytes_of(program_[s.callee].result));
  }
}

}  // namespace vyre
