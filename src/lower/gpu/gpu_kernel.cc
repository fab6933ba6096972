// Threads are invocations, blocks are workgroups. Programs without barriers are tested once: a
// thread whose accesses along x stay inside runs unchecked code, the others checked code. With
// several items a thread, the unchecked code is unrolled over them.
#include <fmt/format.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <charconv>

#include "vyre/ir/slots.h"
#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_control_internal.h"
#include "vyre/lower/emit/emit_gpu_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_warp_internal.h"
#include "vyre/lower/gpu/gpu_kernel_internal.h"
#include "vyre/lower/gpu/tile_check_internal.h"
#include "vyre/lower/gpu/workgroup_init_internal.h"
#include "vyre/lower/host/host_prologue_internal.h"

namespace vyre {
namespace {

using llvm::Value;

constexpr unsigned kGlobalSpace = 1;
constexpr unsigned kSharedSpace = 3;
constexpr std::uint64_t kBindingAlignment = 16;
constexpr std::uint32_t kQuickTiles =
    2000;  // the number of whole tiles that are assumed for each ragged one
constexpr std::uint32_t kMostNodesTwice = 4000;

constexpr llvm::Intrinsic::ID kThread[3] = {llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                            llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                            llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z};
constexpr llvm::Intrinsic::ID kBlock[3] = {llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                           llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                           llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
constexpr llvm::Intrinsic::ID kBlocks[3] = {llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x,
                                            llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                                            llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z};

std::vector<GlobalId> globals_in(const Program& p, std::initializer_list<MemoryKind> kinds) {
  std::vector<GlobalId> out;
  for (std::uint32_t i = 0; i < p.globals.size(); ++i) {
    if (std::ranges::find(kinds, p.globals[i].memory) != kinds.end()) out.push_back(GlobalId{i});
  }
  return out;
}

// Available from compute capability 8.0.
bool has_redux(std::string_view processor) {
  unsigned number = 0;
  if (processor.starts_with("sm_")) processor.remove_prefix(3);
  std::from_chars(processor.data(), processor.data() + processor.size(), number);
  return number >= 80;
}

class GpuKernel {
 public:
  GpuKernel(llvm::Module& module, const Kernel& kernel, const ProgramSpreads& spreads,
            const Variant& variant, const GpuOptions& options)
      : module_(module),
        p_(*kernel.program),
        spreads_(spreads),
        variant_(variant),
        options_(options),
        subgroups_(kernel.stats.subgroup_operations != 0),
        groups_(works_together(kernel)),
        knows_whole_warps_(subgroups_ && threads() % kSubgroupSize == 0 &&
                           kernel.stats.nodes <= kMostNodesTwice),
        function_(make_function()),
        e_(p_, spreads, function_, 1, variant.workgroup),
        b_(e_.b) {}

  void emit() {
    e_.wide_offsets = options_.wide_offsets;
    begin();
    if (groups_) {
      zero_what_is_read_first();
      set_group_ids(e_, block_, thread_[0], thread_[1], thread_[2]);
      if (subgroups_) e_.gpu->has_redux = has_redux(options_.processor);
      if (knows_whole_warps_) {
        e_.branch(
            is_whole(),
            [&] {
              e_.gpu->active = b_.getInt32(~0U);
              body();
            },
            [&] { ragged_group(); });
      } else if (subgroups_) {
        ragged_group();
      } else {
        e_.branch(is_whole(), [] {}, [&] { end_lanes_outside(); });
        body();
      }
    } else {
      tile();
    }
    b_.CreateRetVoid();
  }

  const std::string& problem() const { return e_.problem; }
  std::vector<GpuParameter> parameters() const { return parameters_; }

 private:
  struct Shared {
    llvm::GlobalVariable* memory;
    std::uint64_t bytes;
    bool written_first;  // by a workgroup with all its lanes
  };

  llvm::Function* make_function() {
    auto& context = module_.getContext();
    auto* global = llvm::PointerType::get(context, kGlobalSpace);
    auto* i64 = llvm::Type::getInt64Ty(context);
    auto* i32 = llvm::Type::getInt32Ty(context);
    std::vector<llvm::Type*> types;
    const auto add = [&](llvm::Type* type, GpuParameterKind kind, std::uint32_t slot) {
      types.push_back(type);
      parameters_.push_back({kind, slot, {}});
    };
    const auto slots = slots_of(p_);
    for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
      if (is_by_value(slot)) {
        add(llvm::PointerType::getUnqual(context), GpuParameterKind::contents, slot);
        parameters_.back().value.resize(p_.types.layout(p_[slots[slot]].type).size);
      } else {
        add(global, GpuParameterKind::address, slot);
        add(i64, GpuParameterKind::bytes, slot);
      }
    }
    for (std::uint32_t axis = 0; axis < 3; ++axis) add(i32, GpuParameterKind::extent, axis);
    add(i64, GpuParameterKind::deadline, 0);
    add(global, GpuParameterKind::status, 0);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
    auto* f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kGpuEntryName, module_);
    f->addFnAttr(llvm::Attribute::NoUnwind);
    // Binding refuses memory that is written through one binding and reached through another, so
    // pointers do not alias.
    unsigned argument = 0;
    for (std::uint32_t slot = 0; slot < slots.size(); ++slot) {
      const auto aligned =
          llvm::Attribute::getWithAlignment(context, llvm::Align(kBindingAlignment));
      f->addParamAttr(argument, aligned);
      if (is_by_value(slot)) {
        auto* bytes = llvm::ArrayType::get(llvm::Type::getInt8Ty(context),
                                           p_.types.layout(p_[slots[slot]].type).size);
        f->addParamAttr(argument++, llvm::Attribute::getWithByValType(context, bytes));
        continue;
      }
      f->addParamAttr(argument, llvm::Attribute::NoAlias);
      if (!is_written(p_[slots[slot]])) f->addParamAttr(argument, llvm::Attribute::ReadOnly);
      argument += 2;
    }
    const auto note = [&](const char* name, std::uint32_t value) {
      llvm::Metadata* parts[] = {llvm::ValueAsMetadata::get(f), llvm::MDString::get(context, name),
                                 llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(i32, value))};
      module_.getOrInsertNamedMetadata("nvvm.annotations")
          ->addOperand(llvm::MDNode::get(context, parts));
    };
    note("kernel", 1);
    note("reqntidx", variant_.workgroup[0]);
    note("reqntidy", variant_.workgroup[1]);
    note("reqntidz", variant_.workgroup[2]);
    return f;
  }

  bool is_by_value(std::uint32_t slot) const {
    return std::ranges::find(options_.by_value, slot) != options_.by_value.end();
  }

  Value* special(llvm::Intrinsic::ID id, std::uint64_t below) {
    auto* call = llvm::cast<llvm::CallInst>(b_.CreateIntrinsic(id, {}, {}));
    call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, below)));
    return call;
  }

  // Parameters and registers into values.
  void begin() {
    e_.allocas = e_.new_block("entry");
    auto* start = e_.new_block("start");
    b_.SetInsertPoint(e_.allocas);
    b_.SetInsertPoint(b_.CreateBr(start));
    e_.globals.resize(p_.globals.size());
    e_.global_bytes.resize(p_.globals.size());
    unsigned argument = 0;
    std::uint32_t slot = 0;
    for (const GlobalId id : slots_of(p_)) {
      Pointer pointer = pointer_to(id);
      pointer.base = function_->getArg(argument++);
      pointer.constant = !is_written(p_[id]);
      e_.globals[static_cast<std::size_t>(id)] = pointer;
      if (is_by_value(slot++)) continue;  // of fixed size
      e_.global_bytes[static_cast<std::size_t>(id)] = function_->getArg(argument++);
    }
    for (Value*& extent : extent_) extent = function_->getArg(argument++);
    e_.gpu.emplace();
    e_.loops = std::make_shared<const LoopShapes>(p_);
    e_.gpu->deadline = function_->getArg(argument++);
    e_.gpu->status = function_->getArg(argument);
    for (unsigned i = 0; i < 3; ++i) {
      thread_[i] = special(kThread[i], variant_.workgroup[i]);
      block_[i] = special(kBlock[i], i == 0 ? 0x7FFFFFFFU : 65535);
      e_.grid[i] = special(kBlocks[i], std::uint64_t{1} + (i == 0 ? 0x7FFFFFFFU : 65535));
    }
    b_.SetInsertPoint(start);
    if (options_.check_at_start) gpu_check_deadline(e_);
    for (const GlobalId id : globals_in(p_, {MemoryKind::workgroup})) {
      Pointer pointer = pointer_to(id);
      pointer.base = shared_memory(id);
      pointer.is_workgroup = true;
      e_.globals[static_cast<std::size_t>(id)] = pointer;
    }
  }

  Pointer pointer_to(GlobalId id) {
    Pointer pointer;
    pointer.offset = uniform_leaf(llvm::ConstantInt::get(e_.offset_type(), 0));
    pointer.offset.row_invariant = true;
    pointer.pointee = p_[id].type;
    pointer.global = id;
    return pointer;
  }

  llvm::GlobalVariable* shared_memory(GlobalId id) {
    const std::uint64_t bytes = (p_.types.layout(p_[id].type).size + 3) / 4 * 4;
    auto* type = llvm::ArrayType::get(b_.getInt8Ty(), std::max<std::uint64_t>(bytes, 4));
    auto* memory = new llvm::GlobalVariable(
        module_, type, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(type),
        "workgroup", nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
    memory->setAlignment(llvm::Align(16));
    shared_.push_back({memory, std::max<std::uint64_t>(bytes, 4), written_before_read(p_, id)});
    return memory;
  }

  // The global id along an axis, of a thread with one item.
  Value* x(unsigned axis) {
    return b_.CreateAdd(b_.CreateMul(block_[axis], b_.getInt32(variant_.workgroup[axis])),
                        thread_[axis]);
  }

  void leave_unless(Value* condition) {
    auto* out = e_.new_block("outside");
    auto* in = e_.new_block("inside");
    b_.CreateCondBr(condition, in, out);
    b_.SetInsertPoint(out);
    b_.CreateRetVoid();
    b_.SetInsertPoint(in);
  }

  bool zeroes_always() const {
    return std::ranges::any_of(shared_, [](const Shared& s) { return !s.written_first; });
  }

  // Zeroes workgroup memory. A variable that all lanes write before any lane reads it needs no
  // zeros if no lane is missing.
  void zero_what_is_read_first() {
    if (!zeroes_always()) return;
    zero(shared_);
    gpu_barrier(e_);
  }

  // Whether all lanes of the workgroup are inside the extent.
  Value* is_whole() {
    Value* whole = b_.getTrue();
    for (unsigned i = 0; i < 3; ++i) {
      if (variant_.workgroup[i] == 1) continue;
      Value* size = b_.getInt32(variant_.workgroup[i]);
      Value* end = b_.CreateNUWMul(b_.CreateNUWAdd(block_[i], b_.getInt32(1)), size);
      whole = b_.CreateAnd(whole, b_.CreateICmpULE(end, extent_[i]));
    }
    return whole;
  }

  void end_lanes_outside() {
    if (!zeroes_always() && !shared_.empty()) {
      zero(shared_);
      gpu_barrier(e_);
    }
    for (unsigned i = 0; i < 3; ++i) {
      if (variant_.workgroup[i] != 1) leave_unless(b_.CreateICmpULT(x(i), extent_[i]));
    }
  }

  void ragged_group() {
    find_active_lanes();
    if (knows_whole_warps_) {
      end_lanes_outside();
    } else {
      e_.branch(is_whole(), [] {}, [&] { end_lanes_outside(); });
    }
    body();
  }

  std::uint32_t threads() const {
    const Extent& w = variant_.workgroup;
    return w[0] * w[1] * w[2];
  }

  Value* thread_number() {
    const Extent& w = variant_.workgroup;
    Value* row = b_.CreateAdd(b_.CreateMul(thread_[2], b_.getInt32(w[1])), thread_[1]);
    return b_.CreateAdd(b_.CreateMul(row, b_.getInt32(w[0])), thread_[0]);
  }

  // Finds the lanes of the warp that are inside the extent. At this point all lanes of the warp
  // still run.
  void find_active_lanes() {
    Value* there = b_.getInt32(~0U);
    if (const std::uint32_t rest = threads() % kSubgroupSize; rest != 0) {
      Value* is_last = b_.CreateICmpUGE(thread_number(), b_.getInt32(threads() - rest));
      there = b_.CreateSelect(is_last, b_.getInt32((1U << rest) - 1), there);
    }
    Value* inside = b_.getTrue();
    for (unsigned i = 0; i < 3; ++i) {
      inside = b_.CreateAnd(inside, b_.CreateICmpULT(x(i), extent_[i]));
    }
    e_.gpu->active = ballot(e_, there, inside);
  }

  void zero(const std::vector<Shared>& variables) {
    Value* number = thread_number();
    for (const Shared& variable : variables) {
      const auto words = static_cast<std::uint32_t>(variable.bytes / 4);
      auto* head = e_.new_block("zero");
      auto* inside = e_.new_block("zero_word");
      auto* after = e_.new_block("zeroed");
      auto* before = b_.GetInsertBlock();
      b_.CreateBr(head);
      b_.SetInsertPoint(head);
      auto* i = b_.CreatePHI(b_.getInt32Ty(), 2);
      i->addIncoming(number, before);
      b_.CreateCondBr(b_.CreateICmpULT(i, b_.getInt32(words)), inside, after);
      b_.SetInsertPoint(inside);
      b_.CreateAlignedStore(b_.getInt32(0), b_.CreateGEP(b_.getInt32Ty(), variable.memory, i),
                            llvm::Align(4));
      i->addIncoming(b_.CreateAdd(i, b_.getInt32(threads())), inside);
      b_.CreateBr(head);
      b_.SetInsertPoint(after);
    }
  }

  void body() {
    const auto frame = new_frame(e_, *spreads_.entry, nullptr, false);
    begin_frame_in_gang(e_, *frame);
    begin_privates(e_, *frame);
    emit_block(e_, *frame, p_.block(frame->function->body));
    if (!e_.ended()) b_.CreateBr(frame->exit);
    b_.SetInsertPoint(frame->exit);
  }

  // The ids of an item `offset` beyond `first`.
  void set_ids(Value* first, Value* offset, bool tested) {
    set_group_ids(e_, block_, thread_[0], thread_[1], thread_[2]);
    for (unsigned i = 1; i < 3; ++i) {
      e_.ids.global[i].row_invariant = true;
      e_.ids.workgroup[i].row_invariant = true;
      e_.ids.local[i].row_invariant = true;
    }
    e_.ids.global[1].value = position_[1];
    e_.ids.global[2].value = position_[2];
    e_.ids.global[0] = uniform_leaf(b_.CreateNUWAdd(first, offset));
    e_.ids.global[0].along_row = {true, nullptr, 0};
    e_.gpu->x = first;
    if (tested) e_.gpu->item_offset = llvm::cast<llvm::ConstantInt>(offset)->getZExtValue();
    e_.rows_tested = tested;
  }

  // If workgroups have one lane along an axis, there are as many workgroups as invocations, and no
  // test is needed.
  Value* row_inside() {
    Value* inside = b_.getTrue();
    for (unsigned i = 1; i < 3; ++i) {
      if (variant_.workgroup[i] == 1) continue;
      inside = b_.CreateAnd(inside, b_.CreateICmpULT(position_[i], extent_[i]));
    }
    return inside;
  }

  // Everything that the quick code relies on, for all items of the thread.
  Value* all_inside(std::uint32_t span, const std::vector<RowRequirement>& requirements) {
    std::vector<RowRequirement> all{{{true, nullptr, 0}, extent_[0]}};
    for (unsigned i = 1; i < 3; ++i) {
      if (variant_.workgroup[i] == 1) continue;
      all.push_back({{}, extent_[i], false, position_[i]});
    }
    all.insert(all.end(), requirements.begin(), requirements.end());
    return TileCheck(e_, span).all_inside(all);
  }

  // There are few ragged tiles, so their code is kept small, and separate from the quick code.
  void keep_rolled(llvm::BranchInst* latch) {
    auto& context = module_.getContext();
    auto* no = llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
    auto* loop = llvm::MDNode::getDistinct(context, {nullptr, no});
    loop->replaceOperandWith(0, loop);
    latch->setMetadata(llvm::LLVMContext::MD_loop, loop);
  }

  void tile() {
    const Extent& w = variant_.workgroup;
    const std::uint32_t items = variant_.items_per_lane;
    const bool blocked = variant_.layout == ItemLayout::blocked && items > 1;
    position_[1] = x(1);
    position_[2] = x(2);
    // Extents leave room below 2^32 for the last tile.
    Value* lane = thread_[0];
    if (blocked) lane = b_.CreateNUWMul(lane, b_.getInt32(items));
    Value* first = b_.CreateNUWAdd(b_.CreateNUWMul(block_[0], b_.getInt32(w[0] * items)), lane);
    const std::uint32_t step = blocked ? 1 : w[0];

    // Row-invariant code goes before this mark, and so does the test once the body is known.
    auto* before = e_.new_block("tile");
    b_.CreateBr(before);
    b_.SetInsertPoint(before);
    auto* quick = e_.new_block("quick");
    auto* careful = e_.new_block("careful");
    auto* done = e_.new_block("done");
    auto* mark = b_.CreateBr(quick);
    e_.row_start = mark;

    const bool quick_exists = variant_.bounds == BoundsMode::tested_once && !spreads_.plan.one_body;
    b_.SetInsertPoint(quick);
    for (std::uint32_t j = 0; quick_exists && j < items; ++j) {
      set_ids(first, b_.getInt32(j * step), true);
      body();
    }
    b_.CreateBr(done);
    const auto requirements = e_.requirements;

    b_.SetInsertPoint(careful);
    auto* one = e_.new_block("one");
    auto* next = e_.new_block("next");
    auto* j = b_.CreatePHI(b_.getInt32Ty(), 2);
    j->addIncoming(b_.getInt32(0), before);
    Value* offset = b_.CreateNUWMul(j, b_.getInt32(step));
    Value* runs = b_.CreateICmpULT(b_.CreateNUWAdd(first, offset), extent_[0]);
    b_.CreateCondBr(b_.CreateAnd(row_inside(), runs), one, done);
    b_.SetInsertPoint(one);
    set_ids(first, offset, false);
    body();
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
    Value* following = b_.CreateNUWAdd(j, b_.getInt32(1));
    j->addIncoming(following, next);
    auto* latch = b_.CreateCondBr(b_.CreateICmpULT(following, b_.getInt32(items)), careful, done);
    keep_rolled(latch);

    b_.SetInsertPoint(mark);
    // Finding out which requirements imply others takes more than linear time in their number.
    constexpr std::size_t kMostRequirements = 512;
    const bool tests = quick_exists && requirements.size() <= kMostRequirements;
    Value* inside = tests ? all_inside((items - 1) * step, requirements) : b_.getFalse();
    b_.CreateCondBr(inside, quick, careful,
                    llvm::MDBuilder(module_.getContext()).createBranchWeights(kQuickTiles, 1));
    mark->eraseFromParent();
    e_.row_start = nullptr;
    e_.rows_tested = false;
    b_.SetInsertPoint(done);
  }

  llvm::Module& module_;
  const Program& p_;
  const ProgramSpreads& spreads_;
  const Variant& variant_;
  const GpuOptions& options_;
  bool subgroups_;
  bool groups_;
  // Workgroups without missing lanes have code of their own, in which all warps are whole: an
  // operation over constant lanes is one instruction where that over some lanes is several.
  bool knows_whole_warps_;
  std::vector<GpuParameter> parameters_;
  llvm::Function* function_;
  EmitContext e_;
  llvm::IRBuilder<>& b_;
  Value* extent_[3] = {};
  Value* thread_[3] = {};
  Value* block_[3] = {};
  Value* position_[3] = {};
  std::vector<Shared> shared_;
};

}  // namespace

Result<GpuModule> emit_gpu_module(llvm::LLVMContext& context, const Kernel& kernel,
                                  const Variant& variant, const GpuOptions& options) {
  const Program& p = *kernel.program;
  GangLayout layout{.one_lane = true};
  if (kernel.stats.subgroup_operations != 0) {  // gangs are warps
    const Extent& w = variant.workgroup;
    layout.workgroup_x = Spread::group;
    layout.written = Spread::lane;
    if (w[0] % kSubgroupSize != 0 && w[1] * w[2] != 1) layout.rows = Spread::lane;
  }
  VYRE_TRY(const auto spreads, analyse_spreads(p, layout));
  GpuModule out;
  out.module = std::make_unique<llvm::Module>(p.name, context);
  GpuKernel gpu(*out.module, kernel, spreads, variant, options);
  gpu.emit();
  out.parameters = gpu.parameters();
  if (!gpu.problem().empty()) {
    return fail(Code::internal,
                fmt::format("kernel '{}' could not be lowered: {}", p.name, gpu.problem()));
  }
  std::string faults;
  llvm::raw_string_ostream stream(faults);
  if (llvm::verifyModule(*out.module, &stream)) {
    return fail(Code::internal, fmt::format("kernel '{}' gave invalid code: {}", p.name, faults));
  }
  return out;
}

}  // namespace vyre
