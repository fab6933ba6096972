#include <algorithm>
#include <bit>

#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/emit/row_blocks_internal.h"
#include "vyre/lower/emit/store_blocks_internal.h"

namespace vyre {

using llvm::Value;

struct StoreBlock {
  unsigned columns = 0;                // words of each lane
  llvm::Function* write = nullptr;     // (buffer, memory, begins, lanes, words)
  llvm::AllocaInst* memory = nullptr;  // by column: a word for each lane
  Value* begins_at = nullptr;          // each lane's offset of the first word
  Value* lanes_at = nullptr;           // the lanes that stored
  Value* words_at = nullptr;           // i32: how many each has stored; 0: the block is empty
  Value* buffer = nullptr;
};

namespace {

constexpr std::uint64_t kMostBytes = 16 * 1024;  // of all blocks of a function

llvm::Type* words_of(EmitContext& e) { return e.lanes_of(e.b.getInt32Ty()); }
llvm::IntegerType* bits_of(EmitContext& e) { return e.b.getIntNTy(e.width); }
llvm::Align row_alignment(std::uint64_t words) {
  return llvm::Align(std::min<std::uint64_t>(64, words * 4));
}

// Writes what a block keeps, whatever that is.
llvm::Function* emit_write(EmitContext& e, unsigned columns) {
  auto& context = e.context();
  llvm::IRBuilder<> b(context);
  auto* ptr = b.getPtrTy();
  auto* type = llvm::FunctionType::get(b.getVoidTy(),
                                       {ptr, ptr, words_of(e), bits_of(e), b.getInt32Ty()}, false);
  auto* f = llvm::Function::Create(type, llvm::Function::InternalLinkage, "write_block",
                                   e.function->getParent());
  f->setAttributes(e.function->getAttributes());
  f->addFnAttr(llvm::Attribute::NoInline);
  f->setOnlyAccessesArgMemory();
  Value* buffer = f->getArg(0);
  Value* memory = f->getArg(1);
  Value* begins = f->getArg(2);
  Value* lanes = f->getArg(3);
  Value* words = f->getArg(4);
  auto* entry = llvm::BasicBlock::Create(context, "entry", f);
  auto* wide = llvm::BasicBlock::Create(context, "wide", f);
  auto* head = llvm::BasicBlock::Create(context, "column", f);
  auto* scatter = llvm::BasicBlock::Create(context, "scatter", f);
  auto* done = llvm::BasicBlock::Create(context, "done", f);
  b.SetInsertPoint(entry);
  Value* all_lanes = b.CreateICmpEQ(lanes, llvm::Constant::getAllOnesValue(lanes->getType()));
  Value* full = b.CreateICmpEQ(words, b.getInt32(columns));
  b.CreateCondBr(b.CreateAnd(all_lanes, full), wide, head);

  b.SetInsertPoint(wide);
  auto* row_type = llvm::FixedVectorType::get(b.getInt32Ty(), columns);
  for (unsigned top = 0; top < e.width; top += columns) {
    std::vector<Value*> rows;
    for (unsigned c = 0; c < columns; ++c) {
      Value* at = b.CreatePtrAdd(memory, b.getInt64((c * e.width + top) * 4));
      rows.push_back(b.CreateAlignedLoad(row_type, at, row_alignment(columns)));
    }
    transpose(b, rows);
    for (unsigned r = 0; r < columns; ++r) {
      Value* offset = b.CreateExtractElement(begins, std::uint64_t{top + r});
      Value* at = b.CreatePtrAdd(buffer, b.CreateZExt(offset, b.getInt64Ty()));
      b.CreateAlignedStore(rows[r], at, llvm::Align(4));
    }
  }
  b.CreateBr(done);

  b.SetInsertPoint(head);
  auto* column = b.CreatePHI(b.getInt32Ty(), 2);
  column->addIncoming(b.getInt32(0), entry);
  b.CreateCondBr(b.CreateICmpULT(column, words), scatter, done);
  b.SetInsertPoint(scatter);
  Value* row = b.CreateMul(b.CreateZExt(column, b.getInt64Ty()), b.getInt64(e.width * 4));
  Value* kept =
      b.CreateAlignedLoad(words_of(e), b.CreatePtrAdd(memory, row), row_alignment(e.width));
  Value* offsets =
      b.CreateAdd(begins, b.CreateVectorSplat(e.width, b.CreateMul(column, b.getInt32(4))));
  b.CreateMaskedScatter(kept, b.CreateGEP(b.getInt8Ty(), buffer, offsets), llvm::Align(4),
                        b.CreateBitCast(lanes, e.lanes_of(b.getInt1Ty())));
  column->addIncoming(b.CreateAdd(column, b.getInt32(1)), scatter);
  b.CreateBr(head);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return f;
}

void write_kept(EmitContext& e, const StoreBlock& block) {
  auto& b = e.b;
  b.CreateCall(block.write, {block.buffer, block.memory, b.CreateLoad(words_of(e), block.begins_at),
                             b.CreateLoad(bits_of(e), block.lanes_at),
                             b.CreateLoad(b.getInt32Ty(), block.words_at)});
  b.CreateStore(b.getInt32(0), block.words_at);
}

// A line of the cache, or what a lane has to itself before the next lane's elements begin.
unsigned columns_of(const EmitContext& e, const Pointer& pointer) {
  unsigned out = std::min(e.row_walks->stores.at(*pointer.store), e.width);
  const std::int64_t stride = pointer.offset.linear.stride;
  if (pointer.offset.linear.base == nullptr || stride <= 0 || stride % 4 != 0) return out;
  const auto words = static_cast<std::uint64_t>(stride) / 4;
  return std::has_single_bit(words) && words < out ? static_cast<unsigned>(words) : out;
}

std::shared_ptr<StoreBlock> new_block(EmitContext& e, const Pointer& pointer) {
  auto& b = e.b;
  auto out = std::make_shared<StoreBlock>();
  out->columns = columns_of(e, pointer);
  out->write = emit_write(e, out->columns);
  out->memory = e.alloca_of(llvm::ArrayType::get(words_of(e), out->columns), "store_block");
  out->memory->setAlignment(llvm::Align(64));
  out->begins_at = e.alloca_of(words_of(e), "store_block_begins");
  out->lanes_at = e.alloca_of(bits_of(e), "store_block_lanes");
  out->words_at = e.alloca_of(b.getInt32Ty(), "store_block_words");
  out->buffer = pointer.base;
  llvm::IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(e.allocas->getTerminator());
  b.CreateStore(llvm::Constant::getNullValue(words_of(e)), out->begins_at);
  b.CreateStore(llvm::ConstantInt::get(bits_of(e), 0), out->lanes_at);
  b.CreateStore(b.getInt32(0), out->words_at);
  return out;
}

bool may_keep(const EmitContext& e, const Pointer& pointer,
              const std::vector<ScalarField>& fields) {
  if (e.wide_offsets || e.gpu || e.at_row_end || e.width < 8 || pointer.is_workgroup) return false;
  const bool next_to_each_other = pointer.along.known && e.rows_tested;
  const std::int64_t stride = pointer.offset.linear.stride;
  const bool contiguous = pointer.offset.linear.base != nullptr &&
                          stride == static_cast<std::int64_t>(4 * fields.size());
  if (next_to_each_other || contiguous || pointer.usual.base != nullptr ||
      !pointer.offset.varying) {
    return false;
  }
  const unsigned columns = columns_of(e, pointer);
  if (columns < 4) return false;
  if (fields.size() > 4 || columns % fields.size() != 0) return false;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].kind == ScalarKind::f16 || fields[i].offset != 4 * i) return false;
  }
  return e.block_bytes + std::uint64_t{columns} * e.width * 4 <= kMostBytes;
}

}  // namespace

bool begin_store_block(EmitContext& e, const Pointer& pointer,
                       const std::vector<ScalarField>& fields) {
  if (!pointer.store || e.row_walks == nullptr) return false;
  // Ends of rows belong to other invocations.
  if (e.at_row_end) return false;
  const auto known = e.store_blocks.find(*pointer.store);
  const bool refused = known != e.store_blocks.end() && known->second == nullptr;
  const bool keeps = !refused && may_keep(e, pointer, fields);
  if (known == e.store_blocks.end()) {
    auto block = keeps ? new_block(e, pointer) : nullptr;
    if (keeps) e.block_bytes += std::uint64_t{block->columns} * e.width * 4;
    e.store_blocks.emplace(*pointer.store, std::move(block));
  } else if (!keeps && !refused) {
    write_kept(e, *known->second);
  }
  return keeps;
}

void store_to_block(EmitContext& e, const Pointer& pointer, const std::vector<ScalarField>& fields,
                    const Val& value, Value* lanes) {
  auto& b = e.b;
  const StoreBlock& block = *e.store_blocks.at(*pointer.store);
  Value* running = lanes == nullptr ? llvm::Constant::getAllOnesValue(bits_of(e))
                                    : b.CreateBitCast(lanes, bits_of(e));
  const auto keep = [&] {
    Value* offsets = vector_of(e, pointer.offset);
    Value* words = b.CreateLoad(b.getInt32Ty(), block.words_at);
    Value* further = b.CreateSub(offsets, b.CreateLoad(words_of(e), block.begins_at));
    Value* behind = b.CreateVectorSplat(e.width, b.CreateMul(words, b.getInt32(4)));
    Value* elsewhere = b.CreateBitCast(b.CreateICmpNE(further, behind), bits_of(e));
    Value* follow =
        b.CreateICmpEQ(b.CreateAnd(elsewhere, running), llvm::ConstantInt::get(bits_of(e), 0));
    Value* same = b.CreateICmpEQ(running, b.CreateLoad(bits_of(e), block.lanes_at));
    Value* begun = b.CreateICmpNE(words, b.getInt32(0));
    e.branch(
        b.CreateAnd(b.CreateAnd(follow, same), begun), [] {},
        [&] {
          write_kept(e, block);
          b.CreateStore(offsets, block.begins_at);
          b.CreateStore(running, block.lanes_at);
        });
    words = b.CreateLoad(b.getInt32Ty(), block.words_at);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      Value* v = to_memory(e, fields[i].kind, vector_of(e, value.leaves[i]));
      Value* column = b.CreateZExt(b.CreateAdd(words, b.getInt32(static_cast<std::uint32_t>(i))),
                                   b.getInt64Ty());
      Value* at = b.CreatePtrAdd(block.memory, b.CreateMul(column, b.getInt64(e.width * 4)));
      b.CreateAlignedStore(b.CreateBitCast(v, words_of(e)), at, row_alignment(e.width));
    }
    words = b.CreateAdd(words, b.getInt32(static_cast<std::uint32_t>(fields.size())));
    b.CreateStore(words, block.words_at);
    e.branch(
        b.CreateICmpEQ(words, b.getInt32(block.columns)), [&] { write_kept(e, block); }, [] {});
  };
  if (lanes == nullptr) return keep();
  e.branch(b.CreateICmpNE(running, llvm::ConstantInt::get(bits_of(e), 0)), keep, [] {});
}

void end_store_blocks(EmitContext& e) {
  for (const auto& [statement, block] : e.store_blocks) {
    if (block != nullptr) write_kept(e, *block);
  }
}

}  // namespace vyre
