#include <algorithm>

#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/emit/row_blocks_internal.h"

namespace vyre {

using llvm::Value;

namespace {

constexpr unsigned kMostColumns = 16;
constexpr std::uint64_t kMostBytes = 16 * 1024;  // of all blocks of a function

class RowBlock {
 public:
  explicit RowBlock(EmitContext& e)
      : e_(e),
        b_(e.b),
        columns_(std::min(e.width, kMostColumns)),
        words_(e.lanes_of(e.b.getInt32Ty())),
        bits_(e.b.getIntNTy(e.width)) {
    memory_ = e.alloca_of(llvm::ArrayType::get(words_, columns_), "row_block");
    memory_->setAlignment(llvm::Align(64));
    begins_at_ = e.alloca_of(words_, "row_block_begins");
    lanes_at_ = e.alloca_of(bits_, "row_block_lanes");
    llvm::IRBuilder<>::InsertPointGuard guard(b_);
    b_.SetInsertPoint(e.allocas->getTerminator());
    b_.CreateStore(llvm::ConstantInt::get(bits_, 0), lanes_at_);
    b_.CreateStore(llvm::Constant::getNullValue(words_), begins_at_);
  }

  std::uint64_t bytes() const { return std::uint64_t{columns_} * 4; }

  // i1: whether the block holds `size` bytes at these offsets for all running lanes, and all at the
  // same distance from the start of their rows. `place` is set to that distance in bytes.
  Value* holds(Value* offsets, Value* running, std::uint64_t size, Value*& place) {
    Value* further = b_.CreateSub(offsets, b_.CreateLoad(words_, begins_at_));
    place = b_.CreateExtractElement(further, std::uint64_t{0});
    Value* elsewhere =
        b_.CreateBitCast(b_.CreateICmpNE(further, b_.CreateVectorSplat(e_.width, place)), bits_);
    Value* missing = b_.CreateNot(b_.CreateLoad(bits_, lanes_at_));
    Value* without = b_.CreateAnd(running, b_.CreateOr(elsewhere, missing));
    return b_.CreateAnd(b_.CreateICmpEQ(without, llvm::ConstantInt::get(bits_, 0)),
                        b_.CreateICmpULE(place, b_.getInt32(bytes() - size)));
  }

  // i1: whether the first lane runs, and the blocks that begin at these offsets lie inside the
  // buffer for all running lanes.
  Value* fits(Value* offsets, Value* running, Value* buffer_bytes) {
    Value* length = b_.CreateTrunc(buffer_bytes, b_.getInt32Ty());
    Value* last = b_.CreateSub(length, b_.getInt32(bytes()));
    Value* beyond =
        b_.CreateBitCast(b_.CreateICmpUGT(offsets, b_.CreateVectorSplat(e_.width, last)), bits_);
    Value* outside = b_.CreateAnd(running, beyond);
    Value* first_runs = b_.CreateTrunc(running, b_.getInt1Ty());
    return b_.CreateAnd(
        b_.CreateAnd(b_.CreateICmpEQ(outside, llvm::ConstantInt::get(bits_, 0)), first_runs),
        b_.CreateICmpUGE(length, b_.getInt32(bytes())));
  }

  void fill(const Pointer& pointer, Value* offsets, Value* lanes, Value* running) {
    b_.CreateStore(offsets, begins_at_);
    b_.CreateStore(running, lanes_at_);
    if (lanes != nullptr) {
      Value* first = b_.CreateExtractElement(offsets, std::uint64_t{0});
      offsets = b_.CreateSelect(lanes, offsets, b_.CreateVectorSplat(e_.width, first));
    }
    auto* row_type = llvm::FixedVectorType::get(b_.getInt32Ty(), columns_);
    for (unsigned top = 0; top < e_.width; top += columns_) {
      std::vector<Value*> rows;
      for (unsigned l = top; l < top + columns_; ++l) {
        Value* at = address(e_, pointer, b_.CreateExtractElement(offsets, std::uint64_t{l}), 0);
        rows.push_back(b_.CreateAlignedLoad(row_type, at, llvm::Align(4)));
      }
      transpose(b_, rows);
      for (unsigned c = 0; c < columns_; ++c) {
        Value* at = b_.CreatePtrAdd(memory_, b_.getInt64((c * e_.width + top) * 4));
        b_.CreateAlignedStore(rows[c], at, llvm::Align(std::min(64U, columns_ * 4)));
      }
    }
  }

  // The words of all lanes, `offset` bytes behind `place`.
  Value* words(Value* place, std::uint64_t offset) {
    Value* row = b_.CreateMul(b_.CreateZExt(place, b_.getInt64Ty()), b_.getInt64(e_.width));
    Value* at = b_.CreatePtrAdd(memory_, b_.CreateAdd(row, b_.getInt64(offset * e_.width)));
    return b_.CreateAlignedLoad(words_, at, llvm::Align(std::min(64U, e_.width * 4)));
  }

 private:
  EmitContext& e_;
  llvm::IRBuilder<>& b_;
  unsigned columns_;  // words of each lane that a block holds
  llvm::Type* words_;
  llvm::Type* bits_;
  llvm::AllocaInst* memory_ = nullptr;  // by place of the row: a word for each lane
  Value* begins_at_ = nullptr;          // each lane's offset of the first word
  Value* lanes_at_ = nullptr;           // the lanes that the block was loaded for
};

}  // namespace

// Transposes by exchanging the off-diagonal squares: single words first, then 2x2, then 4x4.
void transpose(llvm::IRBuilder<>& b, std::vector<Value*>& rows) {
  const auto columns = static_cast<unsigned>(rows.size());
  for (unsigned side = 1; side < columns; side *= 2) {
    llvm::SmallVector<int, 16> upper, lower;
    for (unsigned c = 0; c < columns; ++c) {
      upper.push_back(static_cast<int>((c & side) == 0 ? c : columns + c - side));
      lower.push_back(static_cast<int>((c & side) == 0 ? c + side : columns + c));
    }
    for (unsigned r = 0; r < columns; ++r) {
      if ((r & side) != 0) continue;
      Value* above = rows[r];
      Value* below = rows[r + side];
      rows[r] = b.CreateShuffleVector(above, below, upper);
      rows[r + side] = b.CreateShuffleVector(above, below, lower);
    }
  }
}

bool may_take_block(const EmitContext& e, const Pointer& pointer,
                    const std::vector<ScalarField>& fields) {
  if (!pointer.walks || !pointer.constant || e.wide_offsets || e.gpu || e.at_row_end) return false;
  if (e.width < 8 || fields.size() > 4) return false;
  const std::uint64_t bytes = std::uint64_t{e.width} * std::min(e.width, kMostColumns) * 4;
  if (e.block_bytes + bytes > kMostBytes) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].kind == ScalarKind::f16 || fields[i].offset != 4 * i) return false;
  }
  return true;
}

llvm::SmallVector<Leaf, 4> load_from_block(
    EmitContext& e, const Pointer& pointer, const std::vector<ScalarField>& fields, Value* lanes,
    llvm::function_ref<llvm::SmallVector<Leaf, 4>()> otherwise) {
  auto& b = e.b;
  RowBlock block(e);
  e.block_bytes += block.bytes() * e.width;
  llvm::Type* bits = b.getIntNTy(e.width);
  Value* running =
      lanes == nullptr ? llvm::Constant::getAllOnesValue(bits) : b.CreateBitCast(lanes, bits);
  Value* offsets = vector_of(e, pointer.offset);
  auto* looks = e.new_block("row_block_ends");
  auto* fills = e.new_block("row_block_fills");
  auto* serves = e.new_block("row_block_serves");
  auto* gathers = e.new_block("row_block_gathers");
  auto* after = e.new_block("after_row_block");
  Value* place = nullptr;
  Value* held = block.holds(offsets, running, 4 * fields.size(), place);
  auto* asked = b.GetInsertBlock();
  b.CreateCondBr(held, serves, looks);
  b.SetInsertPoint(looks);
  Value* bytes = e.global_bytes[static_cast<std::size_t>(pointer.global)];
  b.CreateCondBr(block.fits(offsets, running, bytes), fills, gathers);
  b.SetInsertPoint(fills);
  block.fill(pointer, offsets, lanes, running);
  b.CreateBr(serves);
  b.SetInsertPoint(serves);
  auto* at = b.CreatePHI(b.getInt32Ty(), 2);
  at->addIncoming(place, asked);
  at->addIncoming(b.getInt32(0), fills);
  llvm::SmallVector<Value*, 4> served, gathered;
  for (const ScalarField& field : fields) {
    Value* word = block.words(at, field.offset);
    // Beyond the end of a buffer there are zeros.
    if (lanes != nullptr) {
      word = b.CreateSelect(lanes, word, llvm::Constant::getNullValue(word->getType()));
    }
    Value* v = b.CreateBitCast(word, e.lanes_of(memory_type(e, field.kind)));
    served.push_back(from_memory(e, field.kind, v));
  }
  b.CreateBr(after);
  b.SetInsertPoint(gathers);
  for (const Leaf& leaf : otherwise()) gathered.push_back(vector_of(e, leaf));
  auto* gathers_end = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  llvm::SmallVector<Leaf, 4> out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    auto* phi = b.CreatePHI(served[i]->getType(), 2);
    phi->addIncoming(served[i], serves);
    phi->addIncoming(gathered[i], gathers_end);
    out.push_back(varying_leaf(e, phi));
  }
  return out;
}

}  // namespace vyre
