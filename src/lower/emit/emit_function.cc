// Functions that stay functions: the program's own, beyond the budget for expanding calls, and
// elementary functions that occur often.
//
// A function of the program is emitted once for each shape in which things are passed to it: which
// scalars are uniform, which are linear in the lane, where pointers point, and whether all lanes
// run. Nothing in WGSL recurses, so memory that a function needs is reserved once.
#include <fmt/format.h>

#include <algorithm>

#include "vyre/lower/emit/elementary_internal.h"
#include "vyre/lower/emit/emitter_internal.h"
#include "vyre/lower/emit/memory_scopes_internal.h"
#include "vyre/lower/gpu/ptx_ops_internal.h"
#include "vyre/lower/host/stop_checks_internal.h"

namespace vyre {

using llvm::Value;

namespace {

// Results of more scalars come back through memory.
constexpr std::uint64_t kMostReturned = 8;

// Shapes of one function with code of their own; further calls share one for everything that may
// vary.
constexpr std::size_t kMostShapes = 6;

enum Part : std::int64_t { kAbsent, kConstant, kUniform, kLinear, kVarying };

// Booleans travel as words.
Value* to_word(Emitter& e, ScalarKind kind, Value* v) {
  if (kind != ScalarKind::boolean) return v;
  llvm::Type* words = v->getType()->isVectorTy() ? e.lanes_of(e.b.getInt32Ty()) : e.b.getInt32Ty();
  return e.b.CreateZExt(v, words);
}
Value* from_word(Emitter& e, ScalarKind kind, Value* v) {
  if (kind != ScalarKind::boolean) return v;
  return e.b.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
}

// What a call passes: LLVM values, and the shape that tells what they are.
class Given {
 public:
  // general: only what the analysis promises of every call is uniform or constant.
  Given(Emitter& e, bool general) : e_(e), general_(general) {}

  std::vector<std::int64_t> shape;
  std::vector<Value*> values;

  void value(Value* v) { values.push_back(v); }
  void leaf(const Leaf& leaf, ScalarKind kind, bool one_value = false) {
    if ((!leaf.varying && !(general_ && e_.wide())) || one_value) {
      shape.push_back(kUniform);
      values.push_back(to_word(e_, kind, e_.agreed(leaf, e_.mask)));
    } else if (leaf.varying && leaf.linear.base != nullptr && leaf.linear.stride == 1 &&
               !general_) {
      shape.push_back(kLinear);
      values.push_back(leaf.linear.base);
    } else {
      shape.push_back(kVarying);
      values.push_back(to_word(e_, kind, e_.vector_of(leaf)));
    }
  }
  void pointer(const Pointer& p) {
    shape.insert(shape.end(), {static_cast<std::int64_t>(p.kind),
                               static_cast<std::int64_t>(p.global), p.lanes.varying ? 1 : 0});
    if (p.kind == Pointer::Kind::lanes) values.push_back(p.lanes.base);
    const auto* constant =
        p.offset.varying ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(p.offset.value);
    if (constant != nullptr && (constant->isZero() || !general_)) {
      shape.insert(shape.end(), {kConstant, constant->getSExtValue()});
    } else {
      leaf(p.offset, ScalarKind::u32);
    }
    if (p.inside.value == nullptr) {
      shape.push_back(kAbsent);
    } else {
      leaf(p.inside, ScalarKind::boolean);
    }
  }

 private:
  Emitter& e_;
  bool general_;
};

// The same on the function's side, in the same order.
class Taken {
 public:
  Taken(Emitter& e, llvm::Function* function, const std::vector<std::int64_t>& shape)
      : e_(e), function_(function), shape_(shape) {}

  bool flag() { return next() != 0; }
  Value* value() { return function_->getArg(argument_++); }
  Leaf leaf(ScalarKind kind) {
    switch (next()) {
      case kUniform: return e_.uniform(from_word(e_, kind, value()));
      case kLinear: return e_.linear_leaf(value(), 1);
      default: return e_.varying(from_word(e_, kind, value()));
    }
  }
  Pointer pointer(TypeId pointee) {
    const auto kind = static_cast<Pointer::Kind>(next());
    const auto global = static_cast<std::size_t>(next());
    const bool varying = next() != 0;
    Pointer out;
    if (kind == Pointer::Kind::shared) {
      out = e_.globals[global];
    } else {
      out.kind = kind;
      out.lanes = {value(), varying};
    }
    out.pointee = pointee;
    if (shape_[at_] == kConstant) {
      next();
      out.offset = e_.uniform(llvm::ConstantInt::getSigned(e_.offset_type(), next()));
    } else {
      out.offset = leaf(ScalarKind::u32);
    }
    if (shape_[at_] == kAbsent) {
      next();
    } else {
      out.inside = leaf(ScalarKind::boolean);
    }
    return out;
  }

 private:
  std::int64_t next() { return shape_[at_++]; }

  Emitter& e_;
  llvm::Function* function_;
  const std::vector<std::int64_t>& shape_;
  std::size_t at_ = 0;
  unsigned argument_ = 0;
};

// f(leaf) for each id that a function needs.
template <class F>
void for_each_id(Emitter& e, std::uint32_t kinds, F f) {
  const auto needed = [&](InvocationIdKind kind) {
    return (kinds >> static_cast<unsigned>(kind) & 1U) != 0;
  };
  for (unsigned i = 0; i < 3; ++i) {
    if (needed(InvocationIdKind::global_invocation)) f(e.ids.global[i]);
    if (needed(InvocationIdKind::local_invocation)) f(e.ids.local[i]);
    if (needed(InvocationIdKind::workgroup)) f(e.ids.workgroup[i]);
  }
  if (needed(InvocationIdKind::local_invocation_index)) f(e.ids.local_index);
}

bool needs_grid(const FunctionNeeds& needs) {
  return (needs.ids >> static_cast<unsigned>(InvocationIdKind::workgroup_count) & 1U) != 0;
}

// Globals that it names, and those that arguments point into.
std::vector<GlobalId> globals_of(const FunctionNeeds& needs, const FrameSpreads& use) {
  std::vector<GlobalId> out = needs.globals;
  for (const auto& [local, root] : use.pointers) {
    if (root.kind == PointerRoot::Kind::global) out.push_back(root.global);
  }
  std::ranges::sort(out);
  const auto rest = std::ranges::unique(out);
  out.erase(rest.begin(), rest.end());
  return out;
}

// What the kernel around it has: ids, memory, and what ends it early.
void give_kernel(Emitter& e, const FunctionNeeds& needs, std::span<const GlobalId> globals,
                 bool masked, Given& out) {
  out.shape.push_back(masked ? 1 : 0);
  if (masked) out.value(e.b.CreateBitCast(e.mask_or_all(), e.b.getIntNTy(e.width())));
  for_each_id(e, needs.ids, [&](const Leaf& leaf) { out.leaf(leaf, ScalarKind::u32); });
  if (needs_grid(needs)) {
    for (Value* g : e.grid) out.value(g);
  }
  for (const GlobalId id : globals) {
    if (const auto found = e.privates.find(id); found != e.privates.end()) {
      out.value(found->second.base);
      continue;
    }
    const auto i = static_cast<std::size_t>(id);
    if (!llvm::isa<llvm::Constant>(e.globals[i].base)) out.value(e.globals[i].base);
    if (e.global_bytes[i] != nullptr) out.value(e.global_bytes[i]);
  }
  if (e.scratch != nullptr) out.value(e.scratch);
  if (needs.may_stop && e.stop_flag != nullptr) out.value(e.stop_flag);
  if (needs.may_stop && e.gpu) {
    out.value(e.gpu->deadline);
    out.value(e.gpu->status);
  }
}

void take_kernel(const Emitter& caller, Emitter& e, const FunctionNeeds& needs,
                 std::span<const GlobalId> globals, bool masked, Taken& in) {
  if (masked) e.mask = e.b.CreateBitCast(in.value(), e.lanes_of(e.b.getInt1Ty()));
  for_each_id(e, needs.ids, [&](Leaf& leaf) { leaf = in.leaf(ScalarKind::u32); });
  if (needs_grid(needs)) {
    for (Value*& g : e.grid) g = in.value();
  }
  e.globals.resize(caller.globals.size());
  e.global_bytes.resize(caller.globals.size());
  for (const GlobalId id : globals) {
    if (const auto found = caller.privates.find(id); found != caller.privates.end()) {
      e.privates[id] = {in.value(), found->second.varying};
      continue;
    }
    const auto i = static_cast<std::size_t>(id);
    Pointer pointer = caller.globals[i];
    if (!llvm::isa<llvm::Constant>(pointer.base)) pointer.base = in.value();
    pointer.offset = e.uniform(llvm::ConstantInt::get(e.offset_type(), 0));
    e.globals[i] = pointer;
    if (caller.global_bytes[i] != nullptr) e.global_bytes[i] = in.value();
  }
  if (caller.scratch != nullptr) e.scratch = in.value();
  if (needs.may_stop && caller.stop_flag != nullptr) e.stop_flag = in.value();
  if (caller.gpu) e.gpu.emplace().loops = caller.gpu->loops;
  if (needs.may_stop && caller.gpu) {
    e.gpu->deadline = in.value();
    e.gpu->status = in.value();
  }
}

// How many shapes a function was emitted for.
std::size_t shapes_of(const FunctionTable& table, const FrameSpreads& use) {
  std::size_t count = 0;
  for (auto it = table.made.lower_bound({&use, {}});
       it != table.made.end() && it->first.first == &use; ++it) {
    ++count;
  }
  return count;
}

llvm::Function* new_function(llvm::Function* like, llvm::FunctionType* type, std::string name) {
  auto* f = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, like->getParent());
  f->addFnAttr(llvm::Attribute::NoUnwind);
  f->addFnAttr(llvm::Attribute::NoInline);
  // Vectors are passed alike only between functions that agree about these.
  for (const char* name : {"min-legal-vector-width", "prefer-vector-width"}) {
    if (like->hasFnAttribute(name)) f->addFnAttr(like->getFnAttribute(name));
  }
  return f;
}

}  // namespace

// How the result of a function comes back.
struct Emitter::FunctionResult {
  std::uint64_t cells = 0;
  bool varying = false;
  bool by_value = false;  // else through memory that the caller gives
};

Emitter::FunctionResult Emitter::result_of(const FrameSpreads& use) const {
  FunctionResult out;
  out.cells = cells_of(p_[use.function].result);
  out.varying = wide() && joined(use.result) == Spread::lane;
  out.by_value = out.cells != 0 && out.cells <= kMostReturned &&
                 !spreads_.plan.needs[static_cast<std::size_t>(use.function)].may_stop;
  return out;
}

void Emitter::give_up() {
  if (function_->getReturnType()->isVoidTy()) {
    b.CreateRetVoid();
  } else {
    b.CreateRet(b.getInt32(1));
  }
}

void Emitter::call_function(EmitFrame& frame, const FrameSpreads& use, const CallStmt& s) {
  const FunctionNeeds& needs = spreads_.plan.needs[static_cast<std::size_t>(use.function)];
  const bool general = shapes_of(*functions, use) >= kMostShapes;
  Given given(*this, general);
  const bool masked = mask != nullptr || (general && wide());
  give_kernel(*this, needs, globals_of(needs, use), masked, given);
  const FunctionResult result = result_of(use);
  LaneMemory memory;
  if (result.cells != 0 && !result.by_value) {
    memory = new_lane_memory(result.cells, result.varying, "result");
    given.value(memory.base);
  }
  const auto arguments = p_.list(s.arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Val value = eval(frame, arguments[i]);
    if (value.pointer) {
      given.pointer(resolved(*value.pointer));
      continue;
    }
    const auto& fields = fields_of(value.type);
    const Spreads& spreads = use.locals[i];
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const Spread spread = spreads[spreads.size() == fields.size() ? k : 0];
      given.leaf(value.leaves[k], fields[k].kind, spread != Spread::lane);
    }
  }
  llvm::Function*& callee = functions->made[{&use, given.shape}];
  if (callee == nullptr) callee = emit_function(use, given.shape, given.values);
  Value* out = b.CreateCall(callee, given.values);
  if (needs.may_stop) {
    auto* stopped = new_block("stopped");
    auto* go_on = new_block("go_on");
    b.CreateCondBr(b.CreateICmpNE(out, b.getInt32(0)), stopped, go_on);
    b.SetInsertPoint(stopped);
    give_up();
    b.SetInsertPoint(go_on);
  }
  if (s.result == kNoLocal) return;
  const TypeId type = p_[use.function].result;
  if (!result.by_value) return put_local(frame, s.result, load_cells(memory, type));
  Val value;
  value.type = type;
  const auto& fields = fields_of(type);
  for (unsigned k = 0; k < fields.size(); ++k) {
    Value* leaf = from_word(*this, fields[k].kind, b.CreateExtractValue(out, k));
    value.leaves.push_back(result.varying ? varying(leaf) : uniform(leaf));
  }
  put_local(frame, s.result, value);
}

llvm::Function* Emitter::emit_function(const FrameSpreads& use,
                                       const std::vector<std::int64_t>& shape,
                                       llvm::ArrayRef<Value*> like) {
  const FunctionNeeds& needs = spreads_.plan.needs[static_cast<std::size_t>(use.function)];
  const Function& source = p_[use.function];
  const FunctionResult result = result_of(use);
  llvm::Type* returned = b.getVoidTy();
  if (needs.may_stop) returned = b.getInt32Ty();
  if (result.by_value) {
    std::vector<llvm::Type*> parts;
    for (const Field& f : fields_of(source.result)) {
      llvm::Type* part = memory_type(f.kind);
      parts.push_back(result.varying ? lanes_of(part) : part);
    }
    returned = llvm::StructType::get(context(), parts);
  }
  std::vector<llvm::Type*> types;
  for (const Value* v : like) types.push_back(v->getType());
  auto* f = new_function(function_, llvm::FunctionType::get(returned, types, false), "function");
  if (needs.may_stop) f->addFnAttr(kLoopsAttribute);

  Emitter e(p_, spreads_, f, width_, workgroup_);
  e.functions = functions;
  e.wide_offsets = wide_offsets;
  e.scratch_bytes = scratch_bytes;
  e.stack_bytes_ = stack_bytes_;
  e.allocas = e.new_block("entry");
  auto* body = e.new_block("body");
  e.b.SetInsertPoint(e.allocas);
  e.b.SetInsertPoint(e.b.CreateBr(body));
  Taken taken(e, f, shape);
  const bool masked = taken.flag();
  take_kernel(*this, e, needs, globals_of(needs, use), masked, taken);
  const auto frame = e.new_frame(use, nullptr, false);
  std::optional<LaneMemory> memory;
  if (result.cells != 0 && !result.by_value) memory = LaneMemory{taken.value(), result.varying};
  for (std::uint32_t i = 0; i < source.parameters; ++i) {
    const TypeId type = source.locals[i].type;
    LocalSlot& slot = frame->locals[i];
    slot.kind = LocalSlot::Kind::value;
    slot.value.type = type;
    if (const auto* pointer = p_.types.get_if<PointerType>(type)) {
      slot.value.pointer = taken.pointer(pointer->pointee);
      continue;
    }
    for (const Field& field : e.fields_of(type)) {
      slot.value.leaves.push_back(taken.leaf(field.kind));
    }
  }
  e.b.SetInsertPoint(body);
  if (needs.may_stop && !gpu) emit_may_stop_at_once(e.b);
  e.begin_frame_in_gang(*frame, memory);
  e.block(*frame, p_.block(source.body));
  if (!e.ended()) e.b.CreateBr(frame->exit);
  e.b.SetInsertPoint(frame->exit);
  if (needs.may_stop) {
    e.b.CreateRet(gpu ? e.b.getInt32(0) : emit_not_stopped(e.b));
  } else if (result.by_value) {
    const Val value = e.load_cells(frame->result, source.result);
    Value* all = llvm::PoisonValue::get(returned);
    const auto& fields = e.fields_of(source.result);
    for (unsigned k = 0; k < fields.size(); ++k) {
      const Leaf& leaf = value.leaves[k];
      Value* part = result.varying ? e.vector_of(leaf) : leaf.value;
      all = e.b.CreateInsertValue(all, to_word(e, fields[k].kind, part), k);
    }
    e.b.CreateRet(all);
  } else {
    e.b.CreateRetVoid();
  }
  scratch_bytes = e.scratch_bytes;
  stack_bytes_ = e.stack_bytes_;
  if (problem.empty()) problem = e.problem;
  if (!gpu) {
    std::vector<const Value*> bases;
    for (const Pointer& p : e.globals) bases.push_back(p.base);
    mark_memory_scopes(*f, bases);
  }
  return f;
}

Value* Emitter::elementary(MathFn fn, llvm::ArrayRef<Value*> arguments) {
  const bool once =
      spreads_.plan.elementary_once && is_large_elementary(fn) && !(gpu && has_ptx_instruction(fn));
  if (!once) return emit_elementary(b, fn, arguments, gpu.has_value());
  llvm::Type* type = arguments[0]->getType();
  const std::string name = fmt::format("{}_{}", to_string(fn), type->isVectorTy() ? width_ : 1U);
  llvm::Function* f = function_->getParent()->getFunction(name);
  if (f == nullptr) {
    const std::vector<llvm::Type*> types(arguments.size(), type);
    f = new_function(function_, llvm::FunctionType::get(type, types, false), name);
    f->setDoesNotAccessMemory();
    f->addFnAttr(llvm::Attribute::WillReturn);
    f->addFnAttr(llvm::Attribute::Speculatable);
    llvm::IRBuilder<> inside(llvm::BasicBlock::Create(context(), "entry", f));
    llvm::SmallVector<Value*, 2> parameters;
    for (llvm::Argument& a : f->args()) parameters.push_back(&a);
    inside.CreateRet(emit_elementary(inside, fn, parameters, gpu.has_value()));
  }
  return b.CreateCall(f, arguments);
}

}  // namespace vyre
