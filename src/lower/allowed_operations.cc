#include <fmt/format.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include "vyre/lower/allowed_operations_internal.h"

namespace vyre {
namespace {

namespace I = llvm::Intrinsic;

bool allowed_everywhere(I::ID id) {
  switch (id) {
    case I::abs:
    case I::assume:
    case I::bitreverse:
    case I::bswap:
    case I::ceil:
    case I::copysign:
    case I::ctlz:
    case I::ctpop:
    case I::cttz:
    case I::experimental_noalias_scope_decl:
    case I::fabs:
    case I::floor:
    case I::fma:
    case I::fshl:
    case I::fshr:
    case I::is_fpclass:
    case I::lifetime_end:
    case I::lifetime_start:
    case I::maxnum:
    case I::memcpy:
    case I::memmove:
    case I::memset:
    case I::minnum:
    case I::rint:
    case I::roundeven:
    case I::sadd_sat:
    case I::sadd_with_overflow:
    case I::scmp:
    case I::smax:
    case I::smin:
    case I::sqrt:
    case I::smul_with_overflow:
    case I::ssub_sat:
    case I::ssub_with_overflow:
    case I::trunc:
    case I::uadd_sat:
    case I::uadd_with_overflow:
    case I::ucmp:
    case I::umax:
    case I::umin:
    case I::umul_with_overflow:
    case I::usub_sat:
    case I::usub_with_overflow: return true;
    default: return false;
  }
}

bool allowed_on_host(I::ID id) {
  switch (id) {
    case I::fptosi_sat:
    case I::fptoui_sat:
    case I::masked_gather:
    case I::masked_load:
    case I::masked_scatter:
    case I::masked_store:
    case I::vector_reduce_add:
    case I::vector_reduce_and:
    case I::vector_reduce_mul:
    case I::vector_reduce_or:
    case I::vector_reduce_xor:
    case I::vector_reduce_smax:
    case I::vector_reduce_smin:
    case I::vector_reduce_umax:
    case I::vector_reduce_umin: return true;
    default: return false;
  }
}

bool allowed_on_gpu(I::ID id) {
  switch (id) {
    case I::nvvm_barrier0:
    case I::nvvm_f2i_rz:
    case I::nvvm_f2ui_rz:
    case I::nvvm_read_ptx_sreg_ctaid_x:
    case I::nvvm_read_ptx_sreg_ctaid_y:
    case I::nvvm_read_ptx_sreg_ctaid_z:
    case I::nvvm_read_ptx_sreg_laneid:
    case I::nvvm_read_ptx_sreg_nctaid_x:
    case I::nvvm_read_ptx_sreg_nctaid_y:
    case I::nvvm_read_ptx_sreg_nctaid_z:
    case I::nvvm_read_ptx_sreg_tid_x:
    case I::nvvm_read_ptx_sreg_tid_y:
    case I::nvvm_read_ptx_sreg_tid_z:
    case I::nvvm_redux_sync_add:
    case I::nvvm_redux_sync_and:
    case I::nvvm_redux_sync_max:
    case I::nvvm_redux_sync_min:
    case I::nvvm_redux_sync_or:
    case I::nvvm_redux_sync_umax:
    case I::nvvm_redux_sync_umin:
    case I::nvvm_redux_sync_xor:
    case I::nvvm_shfl_sync_bfly_i32:
    case I::nvvm_shfl_sync_idx_i32:
    case I::nvvm_shfl_sync_up_i32:
    case I::nvvm_vote_all_sync:
    case I::nvvm_vote_any_sync:
    case I::nvvm_vote_ballot_sync: return true;
    default: return false;
  }
}

std::string fault_of(const llvm::Instruction& i, TargetKind target) {
  const bool gpu = target == TargetKind::nvptx;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
    if (call->isInlineAsm()) return gpu ? "" : "inline assembly";
    const llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr) return "an indirect call";
    if (!callee->isIntrinsic()) {
      if (!callee->isDeclaration()) return {};
      return fmt::format("a call of {}", callee->getName().str());
    }
    const I::ID id = callee->getIntrinsicID();
    if (allowed_everywhere(id) || (gpu ? allowed_on_gpu(id) : allowed_on_host(id))) return {};
    return callee->getName().str();
  }
  switch (i.getOpcode()) {
    case llvm::Instruction::FRem: return "frem";
    case llvm::Instruction::Invoke:
    case llvm::Instruction::Resume:
    case llvm::Instruction::IndirectBr: return i.getOpcodeName();
    case llvm::Instruction::Fence:
    case llvm::Instruction::AtomicCmpXchg:
    case llvm::Instruction::AtomicRMW:
      // The GPU's back end loses their order and scope.
      return gpu ? i.getOpcodeName() : "";
    default: break;
  }
  if (gpu && i.isAtomic()) return fmt::format("an atomic {}", i.getOpcodeName());
  return {};
}

}  // namespace

std::string not_allowed(const llvm::Module& module, TargetKind target) {
  for (const llvm::Function& function : module) {
    for (const llvm::Instruction& i : llvm::instructions(function)) {
      if (std::string fault = fault_of(i, target); !fault.empty()) return fault;
    }
  }
  return {};
}

}  // namespace vyre
