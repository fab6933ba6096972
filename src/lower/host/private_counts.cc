#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "vyre/ir/slots.h"
#include "vyre/ir/walk.h"
#include "vyre/lower/emit/emit_atomic_internal.h"
#include "vyre/lower/emit/emit_context_internal.h"
#include "vyre/lower/host/private_counts_internal.h"

namespace vyre {

using llvm::Value;

namespace {

constexpr std::uint64_t kCopyBytes = std::uint64_t{32} * 1024;  // less than the nearest cache
constexpr std::size_t kMostBuffers = 2;
constexpr unsigned kWords = 16;  // that are filled or looked at together

// What all accesses to each storage buffer are.
class Survey {
 public:
  Survey(const Program& p, const CallPlan& plan) : p_(p) {
    for (std::size_t i = 0; i < p.functions.size(); ++i) {
      used_ = &plan.needs[i].used;
      for_each_stmt(p, p.functions[i].body, [&](StmtId id) { statement(p[id].node); });
    }
  }

  std::vector<BufferOfCounts> counted() const {
    std::vector<BufferOfCounts> out;
    for (const auto& [global, buffer] : found_) {
      if (!others_.contains(global) && out.size() < kMostBuffers) out.push_back(buffer);
    }
    return out;
  }

 private:
  void statement(const StmtNode& node) {
    const auto* atomic = std::get_if<AtomicStmt>(&node);
    const std::optional<GlobalId> counts = atomic == nullptr ? std::nullopt : counted_by(*atomic);
    for_each_expr(p_, node,
                  [&](ExprId root) { mentions(root, counts && root == atomic->pointer); });
    if (!counts) return;
    const auto* pointer = p_.types.get_if<PointerType>(p_[atomic->pointer].type);
    const bool is_signed = p_.types.get_if<AtomicType>(pointer->pointee)->kind == ScalarKind::i32;
    const auto [at, fresh] =
        found_.try_emplace(*counts, BufferOfCounts{*counts, atomic->op, is_signed});
    if (!fresh && (at->second.op != atomic->op || at->second.is_signed != is_signed)) {
      others_.insert(*counts);
    }
  }

  std::optional<GlobalId> counted_by(const AtomicStmt& s) const {
    switch (s.op) {
      case AtomicOp::add:
      case AtomicOp::sub:
      case AtomicOp::max:
      case AtomicOp::min:
      case AtomicOp::bit_and:
      case AtomicOp::bit_or:
      case AtomicOp::bit_xor: break;
      default: return std::nullopt;
    }
    const bool wanted = s.result != kNoLocal && (*used_)[static_cast<std::size_t>(s.result)];
    const auto* pointer = p_.types.get_if<PointerType>(p_[s.pointer].type);
    const bool is_pair = p_.types.get_if<AtomicType>(pointer->pointee)->size == 2;
    return wanted || is_pair ? std::nullopt : buffer_of(s.pointer);
  }

  std::optional<GlobalId> buffer_of(ExprId pointer) const {
    const ExprNode& node = p_[pointer].node;
    if (const auto* e = std::get_if<IndexExpr>(&node)) return buffer_of(e->base);
    if (const auto* e = std::get_if<MemberExpr>(&node)) return buffer_of(e->base);
    const auto* e = std::get_if<GlobalPtrExpr>(&node);
    if (e == nullptr || p_[e->id].memory != MemoryKind::storage) return std::nullopt;
    return e->id;
  }

  // Every name of a buffer but that in the place of an operation counts as some other access.
  void mentions(ExprId id, bool is_place) {
    const ExprNode& node = p_[id].node;
    if (std::holds_alternative<ArrayLengthExpr>(node)) return;
    if (const auto* e = std::get_if<GlobalPtrExpr>(&node); e != nullptr && !is_place) {
      others_.insert(e->id);
    }
    if (const auto* e = std::get_if<IndexExpr>(&node)) {
      mentions(e->base, is_place);
      mentions(e->index, false);
      return;
    }
    const bool goes_on = is_place && std::holds_alternative<MemberExpr>(node);
    for_each_operand(p_, node, [&](ExprId operand) { mentions(operand, goes_on); });
  }

  const Program& p_;
  const std::vector<bool>* used_ = nullptr;  // locals of the function at hand
  std::map<GlobalId, BufferOfCounts> found_;
  std::set<GlobalId> others_;
};

struct Binding {
  Value* base;
  Value* bytes;  // i64
};

Binding binding_of(llvm::IRBuilder<>& b, Value* launch, std::uint64_t slot) {
  Value* bindings = b.CreateLoad(b.getPtrTy(), launch);
  Value* record = b.CreatePtrAdd(bindings, b.getInt64(slot * 16));
  return {b.CreateLoad(b.getPtrTy(), record),
          b.CreateLoad(b.getInt64Ty(), b.CreatePtrAdd(record, b.getInt64(8)))};
}

Value* copy_at(llvm::IRBuilder<>& b, Value* scratch, std::size_t i) {
  return b.CreatePtrAdd(scratch, b.getInt64(i * kCopyBytes));
}

Value* is_copied(llvm::IRBuilder<>& b, Value* copied, std::size_t i) {
  return b.CreateICmpNE(b.CreateAnd(copied, b.getInt32(1U << i)), b.getInt32(0));
}

llvm::BasicBlock* block(llvm::IRBuilder<>& b, const char* name) {
  return llvm::BasicBlock::Create(b.getContext(), name, b.GetInsertBlock()->getParent());
}

// for (i = 0; i < end; i += step) body(i), with i64 counters.
void rounds(llvm::IRBuilder<>& b, Value* end, std::uint64_t step,
            const std::function<void(Value*)>& body) {
  auto* before = b.GetInsertBlock();
  auto* head = block(b, "counts");
  auto* inside = block(b, "count");
  auto* after = block(b, "after_counts");
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(b.getInt64(0), before);
  b.CreateCondBr(b.CreateICmpULT(i, end), inside, after);
  b.SetInsertPoint(inside);
  body(i);
  i->addIncoming(b.CreateAdd(i, b.getInt64(step)), b.GetInsertBlock());
  b.CreateBr(head);
  b.SetInsertPoint(after);
}

void if_holds(llvm::IRBuilder<>& b, Value* condition, const std::function<void()>& body) {
  auto* inside = block(b, "holds");
  auto* after = block(b, "after");
  b.CreateCondBr(condition, inside, after);
  b.SetInsertPoint(inside);
  body();
  b.CreateBr(after);
  b.SetInsertPoint(after);
}

Value* some_words_differ(llvm::IRBuilder<>& b, Value* words, Value* from) {
  Value* differ = b.CreateICmpNE(words, b.CreateVectorSplat(kWords, from));
  return b.CreateICmpNE(b.CreateBitCast(differ, b.getIntNTy(kWords)), b.getIntN(kWords, 0));
}

}  // namespace

PrivateCounts::PrivateCounts(const Program& program, const CallPlan& plan, std::uint64_t lanes)
    : buffers_(Survey(program, plan).counted()), lanes_(lanes) {
  const auto slots = slots_of(program);
  for (const BufferOfCounts& c : buffers_) {
    const auto slot = std::ranges::find(slots, c.global) - slots.begin();
    slots_.push_back(static_cast<std::uint64_t>(slot));
  }
}

std::uint64_t PrivateCounts::scratch_bytes() const { return buffers_.size() * kCopyBytes; }

Value* PrivateCounts::begin(llvm::IRBuilder<>& b, Value* launch, Value* groups,
                            Value* scratch) const {
  Value* copied = b.getInt32(0);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Binding buffer = binding_of(b, launch, slots_[i]);
    // Two invocations for each word pay for filling and combining the copy.
    Value* enough = b.CreateICmpULE(buffer.bytes, b.CreateMul(groups, b.getInt64(2 * lanes_)));
    Value* small = b.CreateICmpULE(buffer.bytes, b.getInt64(kCopyBytes));
    Value* has_copy = b.CreateAnd(small, enough);
    if_holds(b, has_copy, [&] {
      Value* start = identity_of(b, buffers_[i].op, buffers_[i].is_signed);
      rounds(b, buffer.bytes, kWords * 4, [&](Value* at) {
        b.CreateAlignedStore(b.CreateVectorSplat(kWords, start),
                             b.CreatePtrAdd(copy_at(b, scratch, i), at), llvm::Align(4));
      });
    });
    Value* bit = b.CreateShl(b.CreateZExt(has_copy, b.getInt32Ty()), b.getInt32(i));
    copied = b.CreateOr(copied, bit);
  }
  return copied;
}

void PrivateCounts::end(llvm::IRBuilder<>& b, Value* launch, Value* scratch, Value* copied) const {
  auto* words = llvm::FixedVectorType::get(b.getInt32Ty(), kWords);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const BufferOfCounts& c = buffers_[i];
    if_holds(b, is_copied(b, copied, i), [&] {
      const Binding buffer = binding_of(b, launch, slots_[i]);
      Value* start = identity_of(b, c.op, c.is_signed);
      Value* copy = copy_at(b, scratch, i);
      Value* whole = b.CreateAnd(buffer.bytes, b.getInt64(~std::uint64_t{3}));
      rounds(b, whole, kWords * 4, [&](Value* first) {
        Value* some = b.CreateAlignedLoad(words, b.CreatePtrAdd(copy, first), llvm::Align(4));
        if_holds(b, some_words_differ(b, some, start), [&] {
          Value* left = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b.CreateSub(whole, first),
                                                b.getInt64(kWords * 4));
          rounds(b, left, 4, [&](Value* further) {
            Value* at = b.CreateAdd(first, further);
            Value* word =
                b.CreateAlignedLoad(b.getInt32Ty(), b.CreatePtrAdd(copy, at), llvm::Align(4));
            if_holds(b, b.CreateICmpNE(word, start), [&] {
              // What was subtracted from a copy is negative there.
              const AtomicOp op = c.op == AtomicOp::sub ? AtomicOp::add : c.op;
              b.CreateAtomicRMW(read_modify_write_of(op, c.is_signed),
                                b.CreatePtrAdd(buffer.base, at), word, llvm::Align(4),
                                llvm::AtomicOrdering::Monotonic);
            });
          });
        });
      });
    });
  }
}

Value* PrivateCounts::rest_of(EmitContext& e, Value* scratch) const {
  if (buffers_.empty()) return scratch;
  llvm::IRBuilder<>::InsertPointGuard guard(e.b);
  e.b.SetInsertPoint(e.allocas->getTerminator());
  return e.b.CreatePtrAdd(scratch, e.b.getInt64(scratch_bytes()));
}

void PrivateCounts::use(EmitContext& e, Value* scratch, Value* copied) const {
  auto& b = e.b;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const GlobalId global = buffers_[i].global;
    Pointer& pointer = e.globals[static_cast<std::size_t>(global)];
    Value* has_copy = is_copied(b, copied, i);
    pointer.base = b.CreateSelect(has_copy, copy_at(b, scratch, i), pointer.base);
    e.copied[global] = has_copy;
  }
}

}  // namespace vyre
