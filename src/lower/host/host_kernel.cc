#include <fmt/format.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

#include "vyre/lower/emit/emit_context_internal.h"
#include "vyre/lower/emit/memory_scopes_internal.h"
#include "vyre/lower/host/host_groups_internal.h"
#include "vyre/lower/host/host_kernel_internal.h"
#include "vyre/lower/host/host_rows_internal.h"
#include "vyre/lower/host/known_patterns_internal.h"
#include "vyre/lower/loop_shape_internal.h"
#include "vyre/lower/row_walks_internal.h"

namespace vyre {
namespace {

using llvm::Value;

llvm::Function* new_function(llvm::Module& m, llvm::ArrayRef<llvm::Type*> parameters,
                             const char* name, bool internal) {
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(m.getContext()), parameters, false);
  auto* f = llvm::Function::Create(
      type, internal ? llvm::Function::InternalLinkage : llvm::Function::ExternalLinkage, name, m);
  f->addFnAttr(llvm::Attribute::NoUnwind);
  // Gangs are vectors of this width whatever the processor's tuning prefers.
  f->addFnAttr("min-legal-vector-width", "512");
  f->addFnAttr("prefer-vector-width", "512");
  return f;
}

void mark_memory(EmitContext& e, llvm::Function& function) {
  std::vector<const Value*> bases;
  for (const Pointer& p : e.globals) bases.push_back(p.base);
  bases.push_back(e.scratch);
  mark_memory_scopes(function, bases);
}

// Calls the function for whole or for partial workgroups, for one workgroup after the other.
void emit_group_driver(llvm::Function* f, llvm::Function* full, llvm::Function* partial,
                       const Extent& w, const PrivateCounts& counts) {
  auto& context = f->getContext();
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", f));
  Value* launch = f->getArg(0);
  const auto read = [&](std::uint64_t at) {
    return b.CreateZExt(b.CreateLoad(b.getInt32Ty(), b.CreatePtrAdd(launch, b.getInt64(at))),
                        b.getInt64Ty());
  };
  Value* grid[2] = {read(8), read(12)};
  Value* extent[3] = {read(20), read(24), read(28)};
  Value* end = b.CreateAdd(f->getArg(1), f->getArg(2));
  Value* copied = counts.begin(b, launch, f->getArg(2), f->getArg(3));
  auto* entry = b.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(context, "groups", f);
  auto* body = llvm::BasicBlock::Create(context, "group", f);
  auto* next = llvm::BasicBlock::Create(context, "next", f);
  auto* done = llvm::BasicBlock::Create(context, "done", f);
  auto* stopped = llvm::BasicBlock::Create(context, "stopped", f);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto* g = b.CreatePHI(b.getInt64Ty(), 2);
  g->addIncoming(f->getArg(1), entry);
  b.CreateCondBr(b.CreateICmpULT(g, end), body, done);
  b.SetInsertPoint(body);
  Value* rest = b.CreateUDiv(g, grid[0]);
  Value* id[3] = {b.CreateURem(g, grid[0]), b.CreateURem(rest, grid[1]),
                  b.CreateUDiv(rest, grid[1])};
  Value* whole = b.getTrue();
  Value* none = b.getFalse();
  llvm::SmallVector<Value*, 6> arguments{launch, f->getArg(3)};
  for (unsigned i = 0; i < 3; ++i) {
    Value* first = b.CreateMul(id[i], b.getInt64(w[i]));
    whole = b.CreateAnd(whole, b.CreateICmpULE(b.CreateAdd(first, b.getInt64(w[i])), extent[i]));
    none = b.CreateOr(none, b.CreateICmpUGE(first, extent[i]));
    arguments.push_back(b.CreateTrunc(id[i], b.getInt32Ty()));
  }
  arguments.push_back(copied);
  auto* some = llvm::BasicBlock::Create(context, "some", f);
  auto* run_full = llvm::BasicBlock::Create(context, "full", f);
  auto* run_partial = llvm::BasicBlock::Create(context, "partial", f);
  b.CreateCondBr(none, next, some);
  b.SetInsertPoint(some);
  b.CreateCondBr(whole, run_full, run_partial);
  for (auto [block, callee] : {std::pair(run_full, full), std::pair(run_partial, partial)}) {
    b.SetInsertPoint(block);
    Value* status = b.CreateCall(callee, arguments);
    b.CreateCondBr(b.CreateICmpNE(status, b.getInt32(0)), stopped, next);
  }
  b.SetInsertPoint(next);
  g->addIncoming(b.CreateAdd(g, b.getInt64(1)), next);
  b.CreateBr(head);
  b.SetInsertPoint(stopped);
  b.CreateRet(b.getInt32(1));
  b.SetInsertPoint(done);
  counts.end(b, launch, f->getArg(3), copied);
  b.CreateRet(b.getInt32(0));
}

}  // namespace

Result<HostModule> emit_host_module(llvm::LLVMContext& context, const Kernel& kernel,
                                    const Variant& variant, bool wide_offsets) {
  const Program& p = *kernel.program;
  const unsigned width = variant.gang_width;
  const Extent& w = variant.workgroup;
  const bool groups = works_together(kernel);
  // A gang is a subgroup. Subgroups continue in the next row if a row is not a whole number of
  // them.
  const bool across_rows =
      kernel.stats.subgroup_operations != 0 && w[0] % width != 0 && w[1] * w[2] != 1;
  GangLayout layout;
  if (groups) {
    layout.workgroup_x = Spread::group;
  } else if (w[0] % width == 0) {
    layout.workgroup_x = Spread::gang;
  }
  if (across_rows) layout.rows = Spread::lane;
  layout.one_lane = width == 1;
  VYRE_TRY(const auto spreads, analyse_spreads(p, layout));

  // Large programs are emitted once only, not once more for rounds that all lanes make.
  std::shared_ptr<const LoopShapes> loops;
  std::shared_ptr<const RowWalks> walks;
  if (width > 1 && !spreads.plan.one_body) {
    loops = std::make_shared<const LoopShapes>(p);
    RowWalks found = row_walks(p, groups ? 1 : w[1]);
    // Barriers give stores of different lanes an order.
    if (groups) found.stores.clear();
    walks = std::make_shared<const RowWalks>(std::move(found));
  }

  HostModule out;
  out.module = std::make_unique<llvm::Module>(p.name, context);
  auto* ptr = llvm::PointerType::getUnqual(context);
  auto* i64 = llvm::Type::getInt64Ty(context);
  auto* i32 = llvm::Type::getInt32Ty(context);
  auto* entry = new_function(*out.module, {ptr, i64, i64, ptr}, kHostEntryName, false);
  std::string problem;
  // A function of its own would have to be told of the copies.
  const PrivateCounts counts =
      spreads.functions.empty() ? PrivateCounts(p, spreads.plan, std::uint64_t{w[0]} * w[1] * w[2])
                                : PrivateCounts();
  if (!groups) {
    EmitContext e(p, spreads, entry, width, w);
    e.loops = loops;
    e.row_walks = walks;
    e.emits_usual = loops != nullptr;
    e.wide_offsets = wide_offsets;
    emit_rows(e, spreads, variant, counts, entry);
    mark_memory(e, *entry);
    problem = e.problem;
    out.scratch_bytes = e.scratch_bytes;
  } else {
    llvm::Function* bodies[2] = {};
    for (const bool partial : {false, true}) {
      auto* f = new_function(*out.module, {ptr, ptr, i32, i32, i32, i32},
                             partial ? "partial_group" : "whole_group", true);
      if (partial) f->addFnAttr(llvm::Attribute::Cold);
      f->addParamAttr(1, llvm::Attribute::get(context, kOwnMemory));
      // If ids are arguments of a function that is not inlined, LLVM moves what depends only on
      // them out of loops.
      f->addFnAttr(llvm::Attribute::NoInline);
      EmitContext e(p, spreads, f, width, w);
      e.loops = loops;
      e.row_walks = walks;
      e.emits_usual = loops != nullptr;
      e.wide_offsets = wide_offsets;
      emit_group(e, spreads, counts, f, partial, across_rows);
      mark_memory(e, *f);
      if (problem.empty()) problem = e.problem;
      out.scratch_bytes = std::max(out.scratch_bytes, e.scratch_bytes);
      bodies[partial ? 1 : 0] = f;
    }
    emit_group_driver(entry, bodies[0], bodies[1], w, counts);
  }
  out.scratch_bytes += counts.scratch_bytes();
  constexpr std::uint64_t kMostScratch = std::uint64_t{1} << 30;
  if (out.scratch_bytes > kMostScratch) {
    return fail(Code::limit,
                fmt::format("kernel '{}' needs {} bytes of memory for each thread; {} are allowed",
                            p.name, out.scratch_bytes, kMostScratch),
                "use smaller arrays, or a narrower gang");
  }
  if (!problem.empty()) {
    return fail(Code::internal,
                fmt::format("kernel '{}' could not be lowered: {}", p.name, problem));
  }
  std::string faults;
  llvm::raw_string_ostream stream(faults);
  if (llvm::verifyModule(*out.module, &stream)) {
    return fail(Code::internal, fmt::format("kernel '{}' gave invalid code: {}", p.name, faults));
  }
  return out;
}

}  // namespace vyre
