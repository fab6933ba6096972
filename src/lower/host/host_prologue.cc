#include <algorithm>

#include "vyre/ir/slots.h"
#include "vyre/lower/emit/emit_cells_internal.h"
#include "vyre/lower/emit/emit_expr_internal.h"
#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/host/host_prologue_internal.h"
#include "vyre/lower/host/stop_checks_internal.h"

namespace vyre {

using llvm::Value;

HostArguments emit_host_prologue(EmitContext& e, llvm::Function* function, Value* launch) {
  auto& b = e.b;
  const Program& p = e.program;
  e.allocas = llvm::BasicBlock::Create(e.context(), "entry", function);
  auto* body = llvm::BasicBlock::Create(e.context(), "body", function);
  b.SetInsertPoint(e.allocas);
  b.SetInsertPoint(b.CreateBr(body));

  HostArguments out;
  out.launch = launch;
  const auto at = [&](std::uint64_t offset) { return b.CreatePtrAdd(launch, b.getInt64(offset)); };
  // Nothing in the record, nor the bindings, changes during a launch.
  const auto fixed = [&](llvm::LoadInst* load) {
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(e.context(), {}));
    return load;
  };
  Value* bindings = fixed(b.CreateLoad(b.getPtrTy(), at(0)));
  for (unsigned i = 0; i < 3; ++i) {
    e.grid[i] = fixed(b.CreateLoad(b.getInt32Ty(), at(8 + 4 * i)));
    out.extent[i] =
        b.CreateZExt(fixed(b.CreateLoad(b.getInt32Ty(), at(20 + 4 * i))), b.getInt64Ty());
  }
  e.stop_flag = fixed(b.CreateLoad(b.getPtrTy(), at(32)));

  e.globals.resize(p.globals.size());
  e.global_bytes.resize(p.globals.size());
  const auto slots = slots_of(p);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    const Global& g = p[slots[slot]];
    Pointer pointer;
    Value* record = b.CreatePtrAdd(bindings, b.getInt64(slot * 16));
    pointer.base = fixed(b.CreateLoad(b.getPtrTy(), record));
    pointer.offset = uniform_leaf(llvm::ConstantInt::get(e.offset_type(), 0));
    pointer.offset.row_invariant = true;
    pointer.pointee = g.type;
    pointer.global = slots[slot];
    pointer.constant = !is_written(g);
    e.globals[static_cast<std::size_t>(slots[slot])] = pointer;
    e.global_bytes[static_cast<std::size_t>(slots[slot])] =
        fixed(b.CreateLoad(b.getInt64Ty(), b.CreatePtrAdd(record, b.getInt64(8))));
  }
  b.SetInsertPoint(body);
  emit_may_stop_at_once(b);
  return out;
}

namespace {
bool is_zero(const Program& p, ExprId id) {
  if (const auto* c = std::get_if<ConstantExpr>(&p[id].node)) {
    return std::ranges::all_of(p[c->id].scalars, [](std::uint64_t s) { return s == 0; });
  }
  return std::holds_alternative<ZeroExpr>(p[id].node);
}
}  // namespace

void begin_privates(EmitContext& e, EmitFrame& entry) {
  const Program& p = e.program;
  for (std::uint32_t i = 0; i < p.globals.size(); ++i) {
    const Global& g = p.globals[i];
    if (g.memory != MemoryKind::private_) continue;
    const auto cells = cells_of(e, g.type);
    LaneMemory& memory = e.privates[GlobalId{i}];
    if (memory.base == nullptr) memory = new_lane_memory(e, cells, true, "private");
    if (g.initial == kNoExpr || is_zero(p, g.initial)) {
      zero_cells(e, memory, cells, nullptr);
    } else {
      store_cells(e, memory, eval(e, entry, g.initial), nullptr);
    }
  }
}

void set_group_ids(EmitContext& e, Value* const group[3], Value* local_x, Value* local_y,
                   Value* local_z) {
  auto& b = e.b;
  const Extent& w = e.workgroup;
  Value* local[3] = {local_x, local_y, local_z};
  for (unsigned i = 0; i < 3; ++i) {
    e.ids.workgroup[i] = uniform_leaf(group[i]);
    Value* first = b.CreateAdd(b.CreateMul(group[i], b.getInt32(w[i])), local[i]);
    e.ids.local[i] = i == 0 ? linear_leaf(e, local[i], 1) : uniform_leaf(local[i]);
    e.ids.local[i].max = w[i] - 1;
    e.ids.global[i] = i == 0 ? linear_leaf(e, first, 1) : uniform_leaf(first);
  }
  Value* row = b.CreateAdd(b.CreateMul(local_z, b.getInt32(w[1])), local_y);
  e.ids.local_index = linear_leaf(e, b.CreateAdd(b.CreateMul(row, b.getInt32(w[0])), local_x), 1);
  e.ids.local_index.max = std::uint64_t{w[0]} * w[1] * w[2] - 1;
}

}  // namespace vyre
