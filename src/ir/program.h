// A Program is one compute entry point with everything it reaches: types, constants, overrides,
// global memory, functions. Storage is flat: expressions, statements, argument lists and blocks are
// ids and ranges into vectors, so a walk is a loop and a copy is cheap.
//
// Expressions are pure trees: evaluating one reads memory (Load, ArrayLength) but changes nothing.
// Every operation with an effect (store, atomic, call, barrier) is a statement, and its result is a
// local. An expression is evaluated when the statement that holds it executes; operands left to
// right. A statement evaluates its expressions in the order of its fields.
//
// Memory is accessed through pointer-typed expressions: GlobalPtr and LocalPtr are roots,
// MemberAccess and IndexAccess of a pointer are pointers, Load turns one into a value. An index
// outside its array, vector or matrix makes the pointer invalid (negative i32 counts as outside): a
// load through it gives zero, a store does nothing, an atomic does nothing and gives zero. The same
// index rule holds for values: a component outside gives zero.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "vyre/base/extent.h"
#include "vyre/ir/operation.h"
#include "vyre/ir/type.h"

namespace vyre {

enum class StmtId : std::uint32_t {};
enum class LocalId : std::uint32_t {};  // within one function
enum class GlobalId : std::uint32_t {};
enum class FunctionId : std::uint32_t {};
enum class ConstantId : std::uint32_t {};
enum class OverrideId : std::uint32_t {};
constexpr LocalId kNoLocal{0xFFFFFFFFU};

// The limits of validate, so that walks over a valid program may recurse.
constexpr std::uint32_t kMaxExprDepth = 1024;
constexpr std::uint32_t kMaxBlockDepth = 512;
constexpr std::uint32_t kMaxCallDepth = 256;
constexpr std::uint32_t kMaxNesting = 4096;  // of blocks, counted through calls
constexpr std::uint32_t kMaxTypeNesting = 255;

// Lines and columns count from 1; 0 is unknown. A column counts bytes. Programs built in C++ have
// the positions of the C++ source.
struct SourcePos {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const SourcePos&) const = default;
};

// ---- Expressions ----------------------------------------------------------------------------

struct ExprRange {  // of Program::expr_lists
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

enum class InvocationIdKind : std::uint8_t {
  global_invocation,       // vec3<u32>
  local_invocation,        // vec3<u32>
  local_invocation_index,  // u32
  workgroup,               // vec3<u32>
  workgroup_count,         // vec3<u32>
};

struct ConstantExpr {
  ConstantId id;
};
struct ZeroExpr {};  // the zero value of the expression's type
struct OverrideExpr {
  OverrideId id;
};
struct LocalExpr {  // the value of a let or a parameter (which may be a pointer)
  LocalId id;
};
struct GlobalPtrExpr {
  GlobalId id;
};
struct LocalPtrExpr {  // pointer to a var
  LocalId id;
};
struct MemberExpr {  // of a struct, or of a pointer to one
  ExprId base;
  std::uint32_t member;
};
struct IndexExpr {  // of an array, vector, matrix (gives a column), or of a pointer to one
  ExprId base;
  ExprId index;  // i32 or u32
};
struct LoadExpr {  // the pointee is constructible (atomics have statements)
  ExprId pointer;
};
struct SwizzleExpr {  // of a vector value; size 1 gives a scalar
  ExprId vector;
  std::uint8_t size;
  std::array<std::uint8_t, 4> lanes;
};
struct ConstructExpr {  // parts in order: scalars/vectors of a vector; columns or scalars of a
  ExprRange parts;      // matrix; elements of an array; members of a struct
};
struct SplatExpr {
  ExprId scalar;
};
struct UnaryExpr {
  UnaryOp op;
  ExprId operand;
};
// Both operands have the same type, except: a matrix product (matrix with matrix, vector or
// scalar), and shifts, whose right side is u32 of the left side's shape.
struct BinaryExpr {
  BinaryOp op;
  ExprId left;
  ExprId right;
};
struct SelectExpr {  // condition is bool, or a vector of bool for vectors
  ExprId on_false;
  ExprId on_true;
  ExprId condition;
};
struct ConvertExpr {  // value conversion to the expression's type, component by component
  ExprId value;
};
struct BitcastExpr {
  ExprId value;
};
struct MathExpr {
  MathFn fn;
  ExprRange arguments;
};
// Of a pointer to a run-time sized array: its elements. Of a pointer to a buffer: its bytes, which
// are at most those of every sized buffer among the parameters that the pointer came through.
struct ArrayLengthExpr {
  ExprId pointer;
};
// A pointer to what begins `offset` bytes into a buffer and, if `size` is present, ends `size`
// bytes later. The offset is rounded down to the alignment of the pointee, and the size to a whole
// number of elements. It is invalid if the pointee, with one element of its run-time sized array,
// does not fit there. `specialise` replaces views by accesses to arrays.
struct ViewExpr {
  ExprId buffer;  // a pointer to a buffer
  ExprId offset;  // i32 or u32
  ExprId size = kNoExpr;
};
struct InvocationIdExpr {
  InvocationIdKind kind;
};

using ExprNode =
    std::variant<ConstantExpr, ZeroExpr, OverrideExpr, LocalExpr, GlobalPtrExpr, LocalPtrExpr,
                 MemberExpr, IndexExpr, LoadExpr, SwizzleExpr, ConstructExpr, SplatExpr, UnaryExpr,
                 BinaryExpr, SelectExpr, ConvertExpr, BitcastExpr, MathExpr, ArrayLengthExpr,
                 ViewExpr, InvocationIdExpr>;

struct Expr {
  TypeId type;
  SourcePos pos;
  ExprNode node;
};

// ---- Statements -----------------------------------------------------------------------------

struct Block {  // range of Program::block_stmts
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

enum class Scope : std::uint8_t { workgroup, device };
enum class Order : std::uint8_t { relaxed, acquire, release, acquire_release, sequential };
enum class AtomicOp : std::uint8_t {
  load,
  store,
  add,
  sub,
  max,
  min,
  bit_and,
  bit_or,
  bit_xor,
  exchange,
  compare_exchange
};

struct LetStmt {
  LocalId local;
  ExprId value;
};
struct VarStmt {  // a new variable each time it executes
  LocalId local;
  ExprId initial = kNoExpr;  // zero when absent
};
struct StoreStmt {
  ExprId pointer;
  ExprId value;
};
struct IfStmt {
  ExprId condition;
  Block then;
  Block otherwise;
};
// body, then continuing, then leave if break_if is true; `continue` in body jumps to continuing.
struct LoopStmt {
  Block body;
  Block continuing;
  ExprId break_if = kNoExpr;
};
struct SwitchStmt {              // no fall-through; exactly one case is the default
  ExprId selector;               // i32 or u32
  std::uint32_t first_case = 0;  // of Program::switch_cases
  std::uint32_t case_count = 0;
};
struct BreakStmt {};  // leaves the innermost loop or switch
struct ContinueStmt {};
struct ReturnStmt {
  ExprId value = kNoExpr;
};
// Control barrier of the workgroup; orders the memory it names.
struct BarrierStmt {
  bool workgroup_memory;
  bool storage_memory;
};
// workgroupUniformLoad: barrier, load, barrier; the result is uniform. The pointee may be atomic.
struct UniformLoadStmt {
  LocalId result;
  ExprId pointer;
};
struct AtomicStmt {
  AtomicOp op;
  Scope scope;
  Order order;
  ExprId pointer;            // to an atomic
  ExprId compare = kNoExpr;  // compare_exchange only
  ExprId value = kNoExpr;    // absent for load
  // The old value; for compare_exchange a struct {old_value, exchanged}; kNoLocal when unused.
  LocalId result = kNoLocal;
};
// The invocations of a workgroup whose linear local index has the same quotient by kSubgroupSize
// are a subgroup; the remainder is the lane. A subgroup operation acts on the invocations that
// execute the statement together (those that took the same way through the program, each loop and
// call included): they are active. A result depends on the values of active lanes alone.
//
// Reductions combine lane i with lane i + 16, then with i + 8, 4, 2, 1, the lower lane on the left;
// lanes that are not active count as the operation's neutral value (-0.0 for sums of floats). Scans
// number the active lanes from 0 on and combine the value of number i - 1 with that of number i,
// then of i - 2, 4, 8, 16; an exclusive scan gives number i what the inclusive one gives number
// i - 1, combined with 0 or 1, and number 0 that 0 or 1. A shuffle, a broadcast or a swap whose
// source is not an active lane gives the lane's own value.
constexpr std::uint32_t kSubgroupSize = 32;

enum class SubgroupOp : std::uint8_t {
  // Reductions: numbers, or integers for the last three; component by component.
  add,
  mul,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  inclusive_add,
  exclusive_add,
  inclusive_mul,
  exclusive_mul,
  all,     // of bool
  any,     // of bool
  ballot,  // of bool; vec4<u32>, lane i is bit i of x
  elect,   // bool: true in the lowest active lane
  broadcast_first,
  // The source is `lane`, lane - `lane`, lane + `lane`, lane ^ `lane`.
  broadcast,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  // Within four neighbouring lanes: number `lane` of them, and lane ^ 1, 2, 3.
  quad_broadcast,
  quad_swap_x,
  quad_swap_y,
  quad_swap_diagonal,
};
std::string_view to_string(SubgroupOp op);  // WGSL's name of the function

// What is reported if control flow, or the distance of a shuffle, may differ within the subgroup.
enum class UniformityCheck : std::uint8_t { error, warning, none };

struct SubgroupStmt {
  SubgroupOp op;
  ExprId value = kNoExpr;  // absent for elect
  ExprId lane = kNoExpr;   // u32; present from broadcast to quad_broadcast
  LocalId result{};
  UniformityCheck check = UniformityCheck::error;
};
struct CallStmt {
  FunctionId callee;
  ExprRange arguments;
  LocalId result = kNoLocal;
};

using StmtNode =
    std::variant<LetStmt, VarStmt, StoreStmt, IfStmt, LoopStmt, SwitchStmt, BreakStmt, ContinueStmt,
                 ReturnStmt, BarrierStmt, UniformLoadStmt, AtomicStmt, SubgroupStmt, CallStmt>;

struct Stmt {
  SourcePos pos;
  StmtNode node;
};

struct SwitchCase {
  std::vector<std::uint32_t> values;  // bits of the selector's type
  bool is_default = false;
  Block body;
};

// ---- Declarations ---------------------------------------------------------------------------

// A value of a constructible type, flattened: scalars in memory order, bits as in Scalar.
struct Constant {
  TypeId type{};
  std::vector<std::uint64_t> scalars;
};

struct Override {
  std::string name;
  std::optional<std::uint16_t> id;  // @id
  TypeId type{};                    // a concrete scalar
  ExprId initial = kNoExpr;         // absent: a value must be given
  SourcePos pos = {};
};

// Storage and uniform globals are the buffers; workgroup and private globals are memory of a
// workgroup or an invocation, zero or `initial` at its start.
struct Global {
  std::string name;
  MemoryKind memory{};
  Access access{};
  TypeId type{};
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  std::uint32_t alignment = 0;  // preferred, bytes; 0 is none
  bool live_out = false;        // a later stage reads it
  ExprId initial = kNoExpr;     // private only: a constant or override expression
  SourcePos pos = {};
};

enum class LocalKind : std::uint8_t { parameter, let, var };
struct Local {
  std::string name;
  LocalKind kind{};
  TypeId type{};  // of the value; for var the type it stores
  SourcePos pos = {};
};

struct Function {
  std::string name;
  TypeId result{};  // void_type() when nothing is returned
  // The number of parameters, which are the first locals; the entry has none.
  std::uint32_t parameters = 0;
  std::vector<Local> locals;
  Block body;
  SourcePos pos = {};
};

struct Program {
  std::string name;         // of the entry point
  std::string source_name;  // file name, for messages; may be empty
  TypeTable types;
  // Declared workgroup size; an axis with an expression gets its value from specialise.
  Extent workgroup{1, 1, 1};
  std::array<ExprId, 3> workgroup_exprs{kNoExpr, kNoExpr, kNoExpr};
  // The subgroup size that the text asks for; `specialise` checks that it is kSubgroupSize.
  ExprId subgroup_size = kNoExpr;
  std::vector<Override> overrides;
  std::vector<Global> globals;
  std::vector<Constant> constants;
  std::vector<Function> functions;  // callees before callers
  FunctionId entry{0};

  std::vector<Expr> exprs;
  std::vector<ExprId> expr_lists;
  std::vector<Stmt> stmts;
  std::vector<StmtId> block_stmts;
  std::vector<SwitchCase> switch_cases;

  const Expr& operator[](ExprId id) const { return exprs[static_cast<std::size_t>(id)]; }
  const Stmt& operator[](StmtId id) const { return stmts[static_cast<std::size_t>(id)]; }
  const Global& operator[](GlobalId id) const { return globals[static_cast<std::size_t>(id)]; }
  const Function& operator[](FunctionId id) const {
    return functions[static_cast<std::size_t>(id)];
  }
  const Constant& operator[](ConstantId id) const {
    return constants[static_cast<std::size_t>(id)];
  }
  const Override& operator[](OverrideId id) const {
    return overrides[static_cast<std::size_t>(id)];
  }
  Expr& operator[](ExprId id) { return exprs[static_cast<std::size_t>(id)]; }
  Stmt& operator[](StmtId id) { return stmts[static_cast<std::size_t>(id)]; }

  std::span<const ExprId> list(ExprRange r) const { return {expr_lists.data() + r.first, r.count}; }
  std::span<const StmtId> block(Block b) const { return {block_stmts.data() + b.first, b.count}; }
  std::span<const SwitchCase> cases(const SwitchStmt& s) const {
    return {switch_cases.data() + s.first_case, s.case_count};
  }
};

}  // namespace vyre
