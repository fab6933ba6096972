#include <algorithm>
#include <bit>

#include "vyre/lower/emit/emit_leaf_internal.h"
#include "vyre/lower/emit/emit_memory_internal.h"
#include "vyre/lower/emit/records_internal.h"

namespace vyre {

using llvm::Value;

namespace {

// The words of larger records, for all lanes of a gang, would not fit into registers.
constexpr std::uint64_t kMostWords = 16;

using Words = llvm::SmallVector<Value*, 16>;  // one for each lane of a gang in each

std::uint64_t size_of(ScalarKind kind) { return kind == ScalarKind::f16 ? 2 : 4; }

llvm::Type* words_of(EmitContext& e, std::uint64_t size) {
  return e.lanes_of(e.b.getIntNTy(static_cast<unsigned>(8 * size)));
}

Value* as_words(EmitContext& e, ScalarKind kind, const Leaf& leaf) {
  return e.b.CreateBitCast(to_memory(e, kind, vector_of(e, leaf)), words_of(e, size_of(kind)));
}

Leaf from_words(EmitContext& e, ScalarKind kind, Value* words) {
  return varying_leaf(
      e, from_memory(e, kind, e.b.CreateBitCast(words, e.lanes_of(memory_type(e, kind)))));
}

// Takes every second word of x, and then of y.
Value* every_second(EmitContext& e, Value* x, Value* y, unsigned from, unsigned count) {
  llvm::SmallVector<int, 64> order;
  for (unsigned i = 0; i < count; ++i) order.push_back(static_cast<int>(2 * i + from));
  return e.b.CreateShuffleVector(x, y, order);
}

// Alternates words of x and y, and returns the first or the second half of the result.
Value* in_turns(EmitContext& e, Value* x, Value* y, unsigned from) {
  llvm::SmallVector<int, 64> order;
  for (unsigned i = 0; i < e.width / 2; ++i) {
    order.push_back(static_cast<int>(from + i));
    order.push_back(static_cast<int>(from + i + e.width));
  }
  return e.b.CreateShuffleVector(x, y, order);
}

// Turns vectors in the order of memory into one vector for each word of a record.
Words apart(EmitContext& e, const Words& chunks) {
  if (chunks.size() == 1) return chunks;
  Words even, odd;
  for (std::size_t i = 0; i < chunks.size(); i += 2) {
    even.push_back(every_second(e, chunks[i], chunks[i + 1], 0, e.width));
    odd.push_back(every_second(e, chunks[i], chunks[i + 1], 1, e.width));
  }
  even = apart(e, even);
  odd = apart(e, odd);
  Words out;
  for (std::size_t i = 0; i < even.size(); ++i) {
    out.push_back(even[i]);
    out.push_back(odd[i]);
  }
  return out;
}

Words together(EmitContext& e, const Words& words) {
  if (words.size() == 1) return words;
  Words even, odd;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    even.push_back(words[i]);
    odd.push_back(words[i + 1]);
  }
  even = together(e, even);
  odd = together(e, odd);
  Words out;
  for (std::size_t i = 0; i < even.size(); ++i) {
    out.push_back(in_turns(e, even[i], odd[i], 0));
    out.push_back(in_turns(e, even[i], odd[i], e.width / 2));
  }
  return out;
}

llvm::Type* pairs_of_words(EmitContext& e) {
  return llvm::FixedVectorType::get(e.b.getInt32Ty(), 2 * e.width);
}

}  // namespace

bool are_records(const std::vector<ScalarField>& fields, std::uint64_t stride) {
  const std::uint64_t size = size_of(fields[0].kind);
  const std::uint64_t words = stride / size;
  if (stride % size != 0 || !std::has_single_bit(words) || words == 1 || words > kMostWords) {
    return false;
  }
  return std::ranges::all_of(fields, [&](const ScalarField& f) {
    return size_of(f.kind) == size && f.offset % size == 0 && f.offset < stride;
  });
}

llvm::SmallVector<Leaf, 4> load_records(EmitContext& e, Value* first, std::uint64_t stride,
                                        const std::vector<ScalarField>& fields) {
  const std::uint64_t size = size_of(fields[0].kind);
  Words chunks;
  for (std::uint64_t c = 0; c < stride / size; ++c) {
    Value* at = e.b.CreatePtrAdd(first, e.b.getInt64(c * e.width * size));
    chunks.push_back(e.b.CreateAlignedLoad(words_of(e, size), at, llvm::Align(size)));
  }
  const Words words = apart(e, chunks);
  llvm::SmallVector<Leaf, 4> out;
  for (const ScalarField& f : fields) out.push_back(from_words(e, f.kind, words[f.offset / size]));
  return out;
}

void store_records(EmitContext& e, Value* first, std::uint64_t stride,
                   const std::vector<ScalarField>& fields, const Val& value) {
  const std::uint64_t size = size_of(fields[0].kind);
  const std::uint64_t per = stride / size;
  Words words(per, llvm::PoisonValue::get(words_of(e, size)));
  std::vector<bool> present(per);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    words[fields[i].offset / size] = as_words(e, fields[i].kind, value.leaves[i]);
    present[fields[i].offset / size] = true;
  }
  const bool has_gaps = fields.size() != per;
  const Words chunks = together(e, words);
  for (std::size_t c = 0; c < per; ++c) {
    llvm::SmallVector<int, 32> lane;
    llvm::SmallVector<llvm::Constant*, 32> written;
    for (unsigned i = 0; i < e.width; ++i) {
      const std::uint64_t word = c * e.width + i;
      lane.push_back(static_cast<int>(word / per));
      written.push_back(e.b.getInt1(present[word % per]));
    }
    Value* mask = has_gaps ? llvm::ConstantVector::get(written) : nullptr;
    if (e.mask != nullptr) {
      Value* runs = e.b.CreateShuffleVector(e.mask, lane);
      mask = mask == nullptr ? runs : e.b.CreateAnd(runs, mask);
    }
    Value* at = e.b.CreatePtrAdd(first, e.b.getInt64(c * e.width * size));
    if (mask == nullptr) {
      e.b.CreateAlignedStore(chunks[c], at, llvm::Align(size));
    } else {
      e.b.CreateMaskedStore(chunks[c], at, llvm::Align(size), mask);
    }
  }
}

bool is_pair(const std::vector<ScalarField>& fields, std::size_t i) {
  return i + 1 < fields.size() && size_of(fields[i].kind) == 4 &&
         size_of(fields[i + 1].kind) == 4 && fields[i].offset + 4 == fields[i + 1].offset;
}

std::pair<Leaf, Leaf> gather_pair(EmitContext& e, const std::vector<ScalarField>& fields,
                                  std::size_t i, Value* at, Value* lanes) {
  llvm::Type* type = e.lanes_of(e.b.getInt64Ty());
  Value* both =
      e.b.CreateMaskedGather(type, at, llvm::Align(4), lanes, llvm::Constant::getNullValue(type));
  Value* words = e.b.CreateBitCast(both, pairs_of_words(e));
  Value* none = llvm::PoisonValue::get(words->getType());
  return {from_words(e, fields[i].kind, every_second(e, words, none, 0, e.width)),
          from_words(e, fields[i + 1].kind, every_second(e, words, none, 1, e.width))};
}

void scatter_pair(EmitContext& e, const std::vector<ScalarField>& fields, std::size_t i, Value* at,
                  const Val& value, Value* lanes) {
  Value* x = as_words(e, fields[i].kind, value.leaves[i]);
  Value* y = as_words(e, fields[i + 1].kind, value.leaves[i + 1]);
  llvm::SmallVector<int, 64> order;
  for (unsigned lane = 0; lane < e.width; ++lane) {
    order.push_back(static_cast<int>(lane));
    order.push_back(static_cast<int>(lane + e.width));
  }
  Value* both =
      e.b.CreateBitCast(e.b.CreateShuffleVector(x, y, order), e.lanes_of(e.b.getInt64Ty()));
  e.b.CreateMaskedScatter(both, at, llvm::Align(4), lanes);
}

}  // namespace vyre
