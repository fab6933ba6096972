// How the emitter holds values: flattened to scalars ("leaves"), each either one scalar for the
// whole gang or a vector with an entry per lane.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Value.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "vyre/ir/program.h"

namespace vyre {

// base + lane·stride (modulo 2^32): what makes an access contiguous.
struct Linear {
  llvm::Value* base = nullptr;  // i32 scalar; null: not linear
  std::int64_t stride = 0;
};

// global_id.x + row + offset, where `row` (i32, may be null) does not change along a row of gangs.
struct AlongRow {
  bool known = false;
  llvm::Value* row = nullptr;
  std::int64_t offset = 0;
};

// A requirement that one test before a row or tile can check: x < `count` for each x in it.
struct RowRequirement {
  AlongRow along;
  llvm::Value* count = nullptr;  // i32, row-invariant
  // `count` is the number of an array's elements: below 2^31 if offsets have 32 bits.
  bool elements = false;
  // Used instead of `along`: an i32 that is the same for all x. On a GPU it is a global id, or the
  // upper bound of an index.
  llvm::Value* position = nullptr;
};

struct Leaf {
  // A scalar when !varying, else <W x T>; may be null for a linear leaf until it is needed.
  llvm::Value* value = nullptr;
  bool varying = false;
  bool row_invariant = false;  // computed before the loop over a row's gangs
  Linear linear{};
  AlongRow along_row{};
  std::uint64_t max = std::numeric_limits<std::uint32_t>::max();  // of an integer's bits
  // For an integer that is not linear: the values of its lanes if `usual_if` (i1) holds; null:
  // unknown.
  Linear usual{};
  llvm::Value* usual_if = nullptr;
  // In rows and tiles that are tested once: an upper bound of an integer's bits, as an i32 that was
  // computed before the row; null if none is known.
  llvm::Value* most = nullptr;
  // For conditions: scalar i1 that, when true, says that all lanes (no lane) are true.
  llvm::Value* all = nullptr;
  llvm::Value* none = nullptr;
  // For conditions: where all of `held` hold, the condition is `rest` (i1).
  std::shared_ptr<const std::vector<RowRequirement>> held{};
  llvm::Value* rest = nullptr;
};

// Memory of a var: a 32-bit cell per scalar, one for the gang or W of them.
struct LaneMemory {
  llvm::Value* base = nullptr;
  bool varying = false;
};

struct Pointer {
  enum class Kind : std::uint8_t { shared, lanes } kind = Kind::shared;
  llvm::Value* base = nullptr;  // shared: first byte
  LaneMemory lanes{};           // lanes: the var's cells
  Leaf offset{};                // shared: bytes; lanes: cells
  // Scalar or per lane; null value: always inside.
  Leaf inside{};
  // A linear index that has yet to be compared with its count (i32).
  Linear pending{};
  llvm::Value* pending_count = nullptr;
  // Where `usual_if` (i1) holds, all lanes are inside, and this is the offset; null: unknown.
  Linear usual{};
  llvm::Value* usual_if = nullptr;
  // The whole row is known to be inside: (global x + along.row + along.offset)·along_stride bytes
  // + along_bytes, in 64 bits.
  AlongRow along{};
  std::uint64_t along_stride = 0, along_bytes = 0;
  TypeId pointee{};
  GlobalId global{};      // shared: which one
  bool constant = false;  // no invocation writes it during the launch
  bool is_workgroup = false;
  bool walks = false;             // each lane loads what follows its last load (row_walks.h)
  std::optional<StmtId> store{};  // the statement, where each lane stores behind its last store
};

// One scalar of a flattened type, and its bytes from the start of it.
struct ScalarField {
  ScalarKind kind;
  std::uint64_t offset;
};

struct Val {
  TypeId type{};
  llvm::SmallVector<Leaf, 4> leaves;
  std::optional<Pointer> pointer;
};

}  // namespace vyre
