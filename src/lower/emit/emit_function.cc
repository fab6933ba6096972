// Functions that stay functions: the program's own, beyond the budget for expanding calls, and
// elementary functions that occur often.
//
// A function of the program is emitted once for each shape in which things are passed to it: which
// scalars are uniform, which are linear in the lane, where pointers point, and whether all lanes
// run. Nothing in WGSL recurses, so memory that a function needs is reserved once.
#include <fmt/format.h>

#include <algorithm>

#include "vyre/lower/emit/elementary_internal.h"
#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_control_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/emit/emit_operation_internal.h"
#include "vyre/lower/emit/memory_scopes_internal.h"
#include "vyre/lower/gpu/ptx_ops_internal.h"
#include "vyre/lower/host/stop_checks_internal.h"

namespace vyre {

using llvm::Value;

namespace {

// Results with more scalars than this are returned through memory.
constexpr std::uint64_t kMostReturned = 8;

// Shapes of one function with code of their own; further calls share one for everything that may
// vary.
constexpr std::size_t kMostShapes = 6;

enum Part : std::int64_t { kAbsent, kConstant, kUniform, kLinear, kVarying };

// Booleans travel as words.
Value* to_word(EmitContext& e, ScalarKind kind, Value* v) {
  if (kind != ScalarKind::boolean) return v;
  llvm::Type* words = v->getType()->isVectorTy() ? e.lanes_of(e.b.getInt32Ty()) : e.b.getInt32Ty();
  return e.b.CreateZExt(v, words);
}
Value* from_word(EmitContext& e, ScalarKind kind, Value* v) {
  if (kind != ScalarKind::boolean) return v;
  return e.b.CreateICmpNE(v, llvm::Constant::getNullValue(v->getType()));
}

// The values that a call passes, and the shape that describes them.
class Given {
 public:
  // general: a value counts as uniform or constant only if the analysis promises that for every
  // call.
  Given(EmitContext& e, bool general) : e_(e), general_(general) {}

  std::vector<std::int64_t> shape;
  std::vector<Value*> values;

  void value(Value* v) { values.push_back(v); }
  void leaf(const Leaf& leaf, ScalarKind kind, bool one_value = false) {
    if ((!leaf.varying && !(general_ && e_.wide())) || one_value) {
      shape.push_back(kUniform);
      values.push_back(to_word(e_, kind, agreed(e_, leaf, e_.mask)));
    } else if (leaf.varying && leaf.linear.base != nullptr && leaf.linear.stride == 1 &&
               !general_) {
      shape.push_back(kLinear);
      values.push_back(leaf.linear.base);
    } else {
      shape.push_back(kVarying);
      values.push_back(to_word(e_, kind, vector_of(e_, leaf)));
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
  EmitContext& e_;
  bool general_;
};

// The same on the function's side, in the same order.
class Taken {
 public:
  Taken(EmitContext& e, llvm::Function* function, const std::vector<std::int64_t>& shape)
      : e_(e), function_(function), shape_(shape) {}

  bool flag() { return next() != 0; }
  Value* value() { return function_->getArg(argument_++); }
  Leaf leaf(ScalarKind kind) {
    switch (next()) {
      case kUniform: return uniform_leaf(from_word(e_, kind, value()));
      case kLinear: return linear_leaf(e_, value(), 1);
      default: return varying_leaf(e_, from_word(e_, kind, value()));
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
      out.offset = uniform_leaf(llvm::ConstantInt::getSigned(e_.offset_type(), next()));
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

  EmitContext& e_;
  llvm::Function* function_;
  const std::vector<std::int64_t>& shape_;
  std::size_t at_ = 0;
  unsigned argument_ = 0;
};

// f(leaf) for each id that a function needs.
template <class F>
void for_each_id(EmitContext& e, std::uint32_t kinds, F f) {
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

// Passes the ids, the memory, and the stop flag or deadline of the kernel.
void give_kernel(EmitContext& e, const FunctionNeeds& needs, std::span<const GlobalId> globals,
                 bool masked, Given& out) {
  out.shape.push_back(masked ? 1 : 0);
  if (masked) out.value(e.b.CreateBitCast(e.mask_or_all(), e.b.getIntNTy(e.width)));
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
  if (needs.subgroup && e.gpu) out.value(e.gpu->active);
}

void take_kernel(const EmitContext& caller, EmitContext& e, const FunctionNeeds& needs,
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
    pointer.offset = uniform_leaf(llvm::ConstantInt::get(e.offset_type(), 0));
    e.globals[i] = pointer;
    if (caller.global_bytes[i] != nullptr) e.global_bytes[i] = in.value();
  }
  if (caller.scratch != nullptr) e.scratch = in.value();
  if (needs.may_stop && caller.stop_flag != nullptr) e.stop_flag = in.value();
  e.loops = caller.loops;
  e.emits_usual = caller.emits_usual;
  if (caller.gpu) e.gpu.emplace();
  if (needs.may_stop && caller.gpu) {
    e.gpu->deadline = in.value();
    e.gpu->status = in.value();
  }
  if (needs.subgroup && caller.gpu) {
    e.gpu->active = in.value();
    e.gpu->has_redux = caller.gpu->has_redux;
  }
}

// The number of shapes for which a function was emitted.
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
  // Functions pass vectors in the same way only if these attributes are equal.
  for (const char* name : {"min-legal-vector-width", "prefer-vector-width"}) {
    if (like->hasFnAttribute(name)) f->addFnAttr(like->getFnAttribute(name));
  }
  return f;
}

// How the result of a function comes back.
struct FunctionResult {
  std::uint64_t cells = 0;
  bool varying = false;
  bool by_value = false;  // else through memory that the caller gives
};

FunctionResult result_of(const EmitContext& e, const FrameSpreads& use) {
  FunctionResult out;
  out.cells = cells_of(e, e.program[use.function].result);
  out.varying = e.wide() && joined(use.result) == Spread::lane;
  out.by_value = out.cells != 0 && out.cells <= kMostReturned &&
                 !e.spreads.plan.needs[static_cast<std::size_t>(use.function)].may_stop;
  return out;
}

}  // namespace

void give_up(EmitContext& e) {
  if (e.function->getReturnType()->isVoidTy()) {
    e.b.CreateRetVoid();
  } else {
    e.b.CreateRet(e.b.getInt32(1));
  }
}

static llvm::Function* emit_function(EmitContext& caller, const FrameSpreads& use,
                                     const std::vector<std::int64_t>& shape,
                                     llvm::ArrayRef<Value*> like);

void emit_function_call(EmitContext& e, EmitFrame& frame, const FrameSpreads& use,
                        const CallStmt& s) {
  const FunctionNeeds& needs = e.spreads.plan.needs[static_cast<std::size_t>(use.function)];
  const bool general = shapes_of(*e.functions, use) >= kMostShapes;
  Given given(e, general);
  const bool masked = e.mask != nullptr || (general && e.wide());
  give_kernel(e, needs, globals_of(needs, use), masked, given);
  const FunctionResult result = result_of(e, use);
  LaneMemory memory;
  if (result.cells != 0 && !result.by_value) {
    memory = new_lane_memory(e, result.cells, result.varying, "result");
    given.value(memory.base);
  }
  const auto arguments = e.program.list(s.arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Val value = eval(e, frame, arguments[i]);
    if (value.pointer) {
      given.pointer(resolved(e, *value.pointer));
      continue;
    }
    const auto& fields = fields_of(e, value.type);
    const Spreads& spreads = use.locals[i];
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const Spread spread = spreads[spreads.size() == fields.size() ? k : 0];
      given.leaf(value.leaves[k], fields[k].kind, spread != Spread::lane);
    }
  }
  llvm::Function*& callee = e.functions->made[{&use, given.shape}];
  if (callee == nullptr) callee = emit_function(e, use, given.shape, given.values);
  Value* out = e.b.CreateCall(callee, given.values);
  if (needs.may_stop) {
    auto* stopped = e.new_block("stopped");
    auto* go_on = e.new_block("go_on");
    e.b.CreateCondBr(e.b.CreateICmpNE(out, e.b.getInt32(0)), stopped, go_on);
    e.b.SetInsertPoint(stopped);
    give_up(e);
    e.b.SetInsertPoint(go_on);
  }
  if (s.result == kNoLocal) return;
  const TypeId type = e.program[use.function].result;
  if (!result.by_value) return put_local(e, frame, s.result, load_cells(e, memory, type));
  Val value;
  value.type = type;
  const auto& fields = fields_of(e, type);
  for (unsigned k = 0; k < fields.size(); ++k) {
    Value* leaf = from_word(e, fields[k].kind, e.b.CreateExtractValue(out, k));
    value.leaves.push_back(result.varying ? varying_leaf(e, leaf) : uniform_leaf(leaf));
  }
  put_local(e, frame, s.result, value);
}

static llvm::Function* emit_function(EmitContext& caller, const FrameSpreads& use,
                                     const std::vector<std::int64_t>& shape,
                                     llvm::ArrayRef<Value*> like) {
  const FunctionNeeds& needs = caller.spreads.plan.needs[static_cast<std::size_t>(use.function)];
  const Function& source = caller.program[use.function];
  const FunctionResult result = result_of(caller, use);
  llvm::Type* returned = caller.b.getVoidTy();
  if (needs.may_stop) returned = caller.b.getInt32Ty();
  if (result.by_value) {
    std::vector<llvm::Type*> parts;
    for (const ScalarField& f : fields_of(caller, source.result)) {
      llvm::Type* part = memory_type(caller, f.kind);
      parts.push_back(result.varying ? caller.lanes_of(part) : part);
    }
    returned = llvm::StructType::get(caller.context(), parts);
  }
  std::vector<llvm::Type*> types;
  for (const Value* v : like) types.push_back(v->getType());
  auto* f =
      new_function(caller.function, llvm::FunctionType::get(returned, types, false), "function");
  if (needs.may_stop) f->addFnAttr(kLoopsAttribute);
  if (needs.subgroup && caller.gpu) f->setConvergent();

  EmitContext e(caller.program, caller.spreads, f, caller.width, caller.workgroup);
  e.functions = caller.functions;
  e.wide_offsets = caller.wide_offsets;
  e.scratch_bytes = caller.scratch_bytes;
  e.stack_bytes = caller.stack_bytes;
  e.allocas = e.new_block("entry");
  auto* body = e.new_block("body");
  e.b.SetInsertPoint(e.allocas);
  e.b.SetInsertPoint(e.b.CreateBr(body));
  Taken taken(e, f, shape);
  const bool masked = taken.flag();
  take_kernel(caller, e, needs, globals_of(needs, use), masked, taken);
  const auto frame = new_frame(e, use, nullptr, false);
  std::optional<LaneMemory> memory;
  if (result.cells != 0 && !result.by_value) memory = LaneMemory{taken.value(), result.varying};
  for (std::uint32_t i = 0; i < source.parameters; ++i) {
    const TypeId type = source.locals[i].type;
    LocalSlot& slot = frame->locals[i];
    slot.kind = LocalSlot::Kind::value;
    slot.value.type = type;
    if (const auto* pointer = caller.program.types.get_if<PointerType>(type)) {
      slot.value.pointer = taken.pointer(pointer->pointee);
      continue;
    }
    for (const ScalarField& field : fields_of(e, type)) {
      slot.value.leaves.push_back(taken.leaf(field.kind));
    }
  }
  e.b.SetInsertPoint(body);
  if (needs.may_stop && !caller.gpu) emit_may_stop_at_once(e.b);
  begin_frame_in_gang(e, *frame, memory);
  emit_block(e, *frame, caller.program.block(source.body));
  if (!e.ended()) e.b.CreateBr(frame->exit);
  e.b.SetInsertPoint(frame->exit);
  if (needs.may_stop) {
    e.b.CreateRet(caller.gpu ? e.b.getInt32(0) : emit_not_stopped(e.b));
  } else if (result.by_value) {
    const Val value = load_cells(e, frame->result, source.result);
    Value* all = llvm::PoisonValue::get(returned);
    const auto& fields = fields_of(e, source.result);
    for (unsigned k = 0; k < fields.size(); ++k) {
      const Leaf& leaf = value.leaves[k];
      Value* part = result.varying ? vector_of(e, leaf) : leaf.value;
      all = e.b.CreateInsertValue(all, to_word(e, fields[k].kind, part), k);
    }
    e.b.CreateRet(all);
  } else {
    e.b.CreateRetVoid();
  }
  caller.scratch_bytes = e.scratch_bytes;
  caller.stack_bytes = e.stack_bytes;
  if (caller.problem.empty()) caller.problem = e.problem;
  if (!caller.gpu) {
    std::vector<const Value*> bases;
    for (const Pointer& p : e.globals) bases.push_back(p.base);
    mark_memory_scopes(*f, bases);
  }
  return f;
}

Value* emit_elementary_function(EmitContext& e, MathFn fn, llvm::ArrayRef<Value*> arguments) {
  const bool once = e.spreads.plan.elementary_once && is_large_elementary(fn) &&
                    !(e.gpu && has_ptx_instruction(fn));
  if (!once) return emit_elementary(e.b, fn, arguments, e.gpu.has_value());
  llvm::Type* type = arguments[0]->getType();
  const std::string name = fmt::format("{}_{}", to_string(fn), type->isVectorTy() ? e.width : 1U);
  llvm::Function* f = e.function->getParent()->getFunction(name);
  if (f == nullptr) {
    const std::vector<llvm::Type*> types(arguments.size(), type);
    f = new_function(e.function, llvm::FunctionType::get(type, types, false), name);
    f->setDoesNotAccessMemory();
    f->addFnAttr(llvm::Attribute::WillReturn);
    f->addFnAttr(llvm::Attribute::Speculatable);
    llvm::IRBuilder<> inside(llvm::BasicBlock::Create(e.context(), "entry", f));
    llvm::SmallVector<Value*, 2> parameters;
    for (llvm::Argument& a : f->args()) parameters.push_back(&a);
    inside.CreateRet(emit_elementary(inside, fn, parameters, e.gpu.has_value()));
  }
  return e.b.CreateCall(f, arguments);
}

}  // namespace vyre
