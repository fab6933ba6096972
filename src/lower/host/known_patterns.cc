#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "vyre/lower/host/known_patterns_internal.h"

namespace vyre {
namespace {

using llvm::Value;
using Distances = std::vector<std::int64_t>;

// Beyond so many wide accesses, a gather or scatter takes less.
constexpr std::int64_t kMostParts = 8;
// Lanes of a mask that is known for which scalars take less than a vector.
constexpr unsigned kFewLanes = 8;

// Lane l has the value scalar + distances[l], in the bits of the scalar.
struct Spread {
  Value* scalar = nullptr;  // an integer or a pointer
  Distances distances;
};

// How the lanes of an index or pointer lie. The arithmetic on scalars that this writes is dead
// unless it is used.
class Reader {
 public:
  Reader(llvm::IRBuilder<>& b, const llvm::DataLayout& layout) : b_(b), layout_(layout) {}

  std::optional<Spread> integer(Value* v, unsigned depth = 0) {
    if (depth > kMostDepth) return std::nullopt;
    const unsigned lanes = lanes_of(v);
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantDataVector>(v)) {
      Spread out{llvm::ConstantInt::get(v->getType()->getScalarType(), 0), {}};
      for (unsigned l = 0; l < lanes; ++l) {
        out.distances.push_back(constant->getElementAsAPInt(l).getSExtValue());
      }
      return out;
    }
    if (Value* same = llvm::getSplatValue(v)) return Spread{same, Distances(lanes, 0)};
    if (auto* cast = llvm::dyn_cast<llvm::CastInst>(v)) return extended(*cast, depth);
    const auto* op = llvm::dyn_cast<llvm::BinaryOperator>(v);
    if (op == nullptr) return std::nullopt;
    const auto* disjoint = llvm::dyn_cast<llvm::PossiblyDisjointInst>(op);
    const bool adds = op->getOpcode() == llvm::Instruction::Add ||
                      (disjoint != nullptr && disjoint->isDisjoint());
    if (adds || op->getOpcode() == llvm::Instruction::Sub) {
      auto x = integer(op->getOperand(0), depth + 1);
      auto y = x ? integer(op->getOperand(1), depth + 1) : std::nullopt;
      if (!y) return std::nullopt;
      x->scalar = adds ? b_.CreateAdd(x->scalar, y->scalar) : b_.CreateSub(x->scalar, y->scalar);
      for (unsigned l = 0; l < lanes; ++l) {
        x->distances[l] += adds ? y->distances[l] : -y->distances[l];
      }
      return x;
    }
    auto* by = llvm::dyn_cast_or_null<llvm::ConstantInt>(llvm::getSplatValue(op->getOperand(1)));
    if (by == nullptr || by->getValue().getActiveBits() > 32) return std::nullopt;
    auto x = integer(op->getOperand(0), depth + 1);
    return x ? combined(*op, *std::move(x), by) : std::nullopt;
  }

  std::optional<Spread> pointer(Value* v, unsigned depth = 0) {
    if (depth > kMostDepth) return std::nullopt;
    if (!v->getType()->isVectorTy()) return std::nullopt;
    const unsigned lanes = lanes_of(v);
    if (Value* same = llvm::getSplatValue(v)) return Spread{same, Distances(lanes, 0)};
    auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(v);
    if (step == nullptr || step->getNumIndices() != 1) return std::nullopt;
    Value* base = step->getPointerOperand();
    Value* index = *step->idx_begin();
    std::optional<Spread> from = Spread{base, Distances(lanes, 0)};
    if (base->getType()->isVectorTy()) from = pointer(base, depth + 1);
    std::optional<Spread> by = Spread{index, Distances(lanes, 0)};
    if (index->getType()->isVectorTy()) by = integer(index, depth + 1);
    if (!from || !by) return std::nullopt;
    if (by->scalar->getType() != b_.getInt64Ty()) by = widened(*std::move(by), true);
    const auto size =
        static_cast<std::int64_t>(layout_.getTypeAllocSize(step->getSourceElementType()));
    from->scalar = b_.CreatePtrAdd(
        from->scalar, b_.CreateMul(by->scalar, b_.getInt64(static_cast<std::uint64_t>(size))));
    for (unsigned l = 0; l < lanes; ++l) from->distances[l] += by->distances[l] * size;
    return from;
  }

 private:
  static constexpr unsigned kMostDepth = 12;

  static unsigned lanes_of(const Value* v) {
    return llvm::cast<llvm::FixedVectorType>(v->getType())->getNumElements();
  }

  // Whoever uses this knows that all lanes are inside one buffer: nothing wraps between them.
  Spread widened(Spread x, bool is_signed) {
    const std::int64_t least = *std::ranges::min_element(x.distances);
    Value* lowest = b_.CreateAdd(
        x.scalar, llvm::ConstantInt::get(x.scalar->getType(), static_cast<std::uint64_t>(least),
                                         /*IsSigned=*/true));
    x.scalar =
        is_signed ? b_.CreateSExt(lowest, b_.getInt64Ty()) : b_.CreateZExt(lowest, b_.getInt64Ty());
    for (std::int64_t& d : x.distances) d -= least;
    return x;
  }

  std::optional<Spread> extended(llvm::CastInst& cast, unsigned depth) {
    const bool is_signed = cast.getOpcode() == llvm::Instruction::SExt;
    if (!is_signed && cast.getOpcode() != llvm::Instruction::ZExt) return std::nullopt;
    if (cast.getType()->getScalarType() != b_.getInt64Ty() ||
        cast.getSrcTy()->getScalarType() != b_.getInt32Ty()) {
      return std::nullopt;
    }
    auto x = integer(cast.getOperand(0), depth + 1);
    return x ? std::optional(widened(*std::move(x), is_signed)) : std::nullopt;
  }

  // The low bits of the scalar that are zero and hold the distances of all lanes: nothing is
  // carried from there.
  bool has_room(const Spread& x) const {
    const unsigned zeros = llvm::computeKnownBits(x.scalar, layout_).countMinTrailingZeros();
    const std::int64_t room = std::int64_t{1} << std::min(zeros, 30U);
    return std::ranges::all_of(x.distances, [&](std::int64_t d) { return d >= 0 && d < room; });
  }

  std::optional<Spread> combined(const llvm::BinaryOperator& op, Spread x, llvm::ConstantInt* by) {
    const std::int64_t c = by->getSExtValue();
    const std::int64_t bits = by->getType()->getIntegerBitWidth();
    switch (op.getOpcode()) {
      case llvm::Instruction::Shl:
        if (c < 0 || c > 16) return std::nullopt;
        x.scalar = b_.CreateShl(x.scalar, by);
        for (std::int64_t& d : x.distances) d *= std::int64_t{1} << c;
        return x;
      case llvm::Instruction::Mul:
        if (c < -(1 << 16) || c > (1 << 16)) return std::nullopt;
        x.scalar = b_.CreateMul(x.scalar, by);
        for (std::int64_t& d : x.distances) d *= c;
        return x;
      case llvm::Instruction::And:
        if (!has_room(x)) return std::nullopt;
        x.scalar = b_.CreateAnd(x.scalar, by);
        for (std::int64_t& d : x.distances) d &= c;
        return x;
      case llvm::Instruction::LShr:
        if (!has_room(x) || c < 0 || c >= bits) return std::nullopt;
        x.scalar = b_.CreateLShr(x.scalar, by);
        for (std::int64_t& d : x.distances) d >>= c;
        return x;
      default: return std::nullopt;
    }
  }

  llvm::IRBuilder<>& b_;
  const llvm::DataLayout& layout_;
};

// A gather or scatter of words.
struct Access {
  llvm::IntrinsicInst* call = nullptr;
  bool stores = false;
  Value* pointers = nullptr;
  Value* mask = nullptr;
  llvm::FixedVectorType* type = nullptr;
};

std::optional<Access> access_of(llvm::Instruction& i) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (call == nullptr) return std::nullopt;
  Access out{call, false, nullptr, nullptr, nullptr};
  if (call->getIntrinsicID() == llvm::Intrinsic::masked_gather) {
    out.pointers = call->getArgOperand(0);
    out.mask = call->getArgOperand(2);
    out.type = llvm::dyn_cast<llvm::FixedVectorType>(call->getType());
  } else if (call->getIntrinsicID() == llvm::Intrinsic::masked_scatter) {
    out.stores = true;
    out.pointers = call->getArgOperand(1);
    out.mask = call->getArgOperand(3);
    out.type = llvm::dyn_cast<llvm::FixedVectorType>(call->getArgOperand(0)->getType());
  } else {
    return std::nullopt;
  }
  if (out.type == nullptr || out.type->getScalarSizeInBits() != 32) return std::nullopt;
  return out;
}

bool is_own_memory(const Value* pointer) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer, 0));
  return argument != nullptr &&
         argument->getParent()->getAttributes().hasParamAttr(argument->getArgNo(), kOwnMemory);
}

class Rewriter {
 public:
  explicit Rewriter(const Access& access)
      : a_(access), b_(access.call), width_(access.type->getNumElements()) {}

  bool rewrite() {
    if (few_lanes()) return true;
    const auto* known = llvm::dyn_cast<llvm::Constant>(a_.mask);
    if (known != nullptr && !known->isAllOnesValue()) return false;
    const auto lies = Reader(b_, a_.call->getModule()->getDataLayout()).pointer(a_.pointers);
    if (!lies || (a_.stores && !is_own_memory(lies->scalar)) || !take(*lies)) return false;
    if (known != nullptr) {
      finish(wide());
      return true;
    }
    Value* bits = b_.CreateBitCast(a_.mask, b_.getIntNTy(a_.type->getNumElements()));
    Value* all = b_.CreateICmpEQ(bits, llvm::Constant::getAllOnesValue(bits->getType()));
    llvm::Instruction* then = nullptr;
    llvm::Instruction* otherwise = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(all, a_.call, &then, &otherwise);
    b_.SetInsertPoint(then);
    Value* loaded = wide();
    auto* rest = a_.call->clone();
    rest->insertBefore(otherwise);
    if (!a_.stores) {
      b_.SetInsertPoint(a_.call);
      auto* joined = b_.CreatePHI(a_.type, 2);
      joined->addIncoming(loaded, then->getParent());
      joined->addIncoming(rest, otherwise->getParent());
      loaded = joined;
    }
    finish(loaded);
    return true;
  }

 private:
  void finish(Value* loaded) {
    if (loaded != nullptr) a_.call->replaceAllUsesWith(loaded);
    a_.call->eraseFromParent();
  }

  // A mask that is known, with few lanes.
  bool few_lanes() {
    const auto* known = llvm::dyn_cast<llvm::Constant>(a_.mask);
    if (known == nullptr || known->isAllOnesValue()) return false;
    llvm::SmallVector<unsigned, kFewLanes> lanes;
    for (unsigned l = 0; l < a_.type->getNumElements(); ++l) {
      const llvm::Constant* lane = known->getAggregateElement(l);
      if (lane == nullptr || !llvm::isa<llvm::ConstantInt>(lane)) return false;
      if (lane->isOneValue()) lanes.push_back(l);
    }
    if (lanes.size() > kFewLanes || 2 * lanes.size() > a_.type->getNumElements()) return false;
    Value* loaded = a_.stores ? nullptr : a_.call->getArgOperand(3);
    for (const unsigned l : lanes) {
      Value* at = b_.CreateExtractElement(a_.pointers, std::uint64_t{l});
      if (a_.stores) {
        Value* word = b_.CreateExtractElement(a_.call->getArgOperand(0), std::uint64_t{l});
        keep_scopes(b_.CreateAlignedStore(word, at, llvm::Align(4)));
      } else {
        auto* word = b_.CreateAlignedLoad(a_.type->getElementType(), at, llvm::Align(4));
        keep_scopes(word);
        loaded = b_.CreateInsertElement(loaded, word, std::uint64_t{l});
      }
    }
    finish(loaded);
    return true;
  }

  // The words of the lanes, counted from the lowest.
  bool take(const Spread& lies) {
    const auto [least, most] = std::ranges::minmax_element(lies.distances);
    const std::int64_t from = *least;
    for (const std::int64_t d : lies.distances) {
      if ((d - from) % 4 != 0) return false;
      words_.push_back((d - from) / 4);
    }
    const std::int64_t count = (*most - from) / 4 + 1;
    const std::int64_t parts = (count + width_ - 1) / width_;
    if (count < width_ || parts > kMostParts) return false;
    for (std::int64_t k = 0; k < parts; ++k) {
      begins_.push_back(std::min(k * width_, count - width_));
    }
    first_ = b_.CreatePtrAdd(lies.scalar, b_.getInt64(static_cast<std::uint64_t>(from)));
    return true;
  }

  Value* wide() { return a_.stores ? (store(), nullptr) : load(); }

  Value* part_at(std::int64_t begins) {
    return b_.CreatePtrAdd(first_, b_.getInt64(static_cast<std::uint64_t>(begins * 4)));
  }

  Value* load() {
    Value* out = nullptr;
    std::vector<bool> taken(static_cast<std::size_t>(width_), false);
    for (const std::int64_t begins : begins_) {
      auto* part = b_.CreateAlignedLoad(a_.type, part_at(begins), llvm::Align(4));
      keep_scopes(part);
      llvm::SmallVector<int, 32> lanes;
      for (std::size_t l = 0; l < taken.size(); ++l) {
        const bool here = !taken[l] && words_[l] >= begins && words_[l] < begins + width_;
        lanes.push_back(here ? static_cast<int>(width_ + words_[l] - begins) : static_cast<int>(l));
        taken[l] = taken[l] || here;
      }
      Value* before = out == nullptr ? llvm::PoisonValue::get(a_.type) : out;
      out = b_.CreateShuffleVector(before, part, lanes);
    }
    return out;
  }

  void store() {
    Value* value = a_.call->getArgOperand(0);
    std::vector<bool> taken(static_cast<std::size_t>(width_), false);
    for (const std::int64_t begins : begins_) {
      llvm::SmallVector<int, 32> from;
      for (std::int64_t i = 0; i < width_; ++i) from.push_back(static_cast<int>(i));
      // Of lanes at one place the last one's value remains.
      for (std::size_t l = 0; l < taken.size(); ++l) {
        if (taken[l] || words_[l] < begins || words_[l] >= begins + width_) continue;
        from[static_cast<std::size_t>(words_[l] - begins)] = static_cast<int>(width_ + l);
        taken[l] = true;
      }
      Value* at = part_at(begins);
      auto* old = b_.CreateAlignedLoad(a_.type, at, llvm::Align(4));
      keep_scopes(old);
      keep_scopes(
          b_.CreateAlignedStore(b_.CreateShuffleVector(old, value, from), at, llvm::Align(4)));
    }
  }

  void keep_scopes(llvm::Instruction* i) {
    i->copyMetadata(*a_.call, {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias});
  }

  Access a_;
  llvm::IRBuilder<> b_;
  std::int64_t width_;
  Distances words_;                   // of each lane, from `first_`
  std::vector<std::int64_t> begins_;  // the words at which wide accesses begin
  Value* first_ = nullptr;
};

}  // namespace

llvm::PreservedAnalyses UseKnownPatterns::run(llvm::Function& function,
                                              llvm::FunctionAnalysisManager&) {
  std::vector<Access> found;
  for (llvm::Instruction& i : llvm::instructions(function)) {
    if (const auto access = access_of(i)) found.push_back(*access);
  }
  bool changed = false;
  for (const Access& access : found) changed = Rewriter(access).rewrite() || changed;
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace vyre
