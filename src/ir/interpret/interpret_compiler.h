// Compiles a program to the interpreter's code. Only for the interpret_* files.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/ir/interpret/interpret_code.h"

namespace vyre {

// The memory of a storage, uniform or workgroup global during the launch.
struct GlobalBytes {
  std::byte* data = nullptr;
  std::uint64_t size = 0;
};

// `globals` by GlobalId; entries of private globals are not used. The program must be valid and
// have no overrides; its declared workgroup size does not matter.
Result<FlatCode> compile_for_interpreter(const Program& program,
                                         std::span<const GlobalBytes> globals);

// A place in memory: a root, a constant offset, and indices that are known only at run time.
struct FlatPlace {
  enum class Root : std::uint8_t {
    nowhere,  // a constant index was out of bounds
    local,    // in the invocation's memory, at slot `at`
    fixed,    // at address `at`
    pointer,  // `at` bytes after the pointer in slot `pointer`
  };
  struct Step {
    Slot index;
    std::uint32_t stride;
    std::uint32_t count;  // at most this many, also where `runtime` holds
    bool runtime;         // an array behind a pointer value, as long as what is bound
    std::uint32_t array_offset;
  };
  Root root = Root::nowhere;
  std::uint64_t at = 0;
  Slot pointer = 0;
  std::uint64_t available = 0;  // bytes from here to the end of a fixed root's binding
  std::vector<Step> steps;
};

class Compiler {
 public:
  Compiler(const Program& program, std::span<const GlobalBytes> globals)
      : program_(program), types_(program.types), globals_(globals) {}
  Result<FlatCode> run();

 private:
  struct FunctionFrame {
    bool reached = false;
    std::uint32_t start = 0;  // instruction
    std::vector<Slot> locals;
    Slot result = 0, return_address = 0;
  };
  struct Breakable {
    bool is_loop;
    std::vector<std::uint32_t> breaks, continues;  // jumps to patch
  };

  // interpret_compile.cc: memory, functions, statements.
  void place_constants();
  void place_globals();
  void place_functions();
  void place_counters();
  void reach(FunctionId id);
  void reach(Block block);
  Slot reserve(TypeId type);
  void prologue();
  void function(FunctionId id);
  void block(Block block);
  void statement(const Stmt& stmt);
  void execute(const LetStmt& s);
  void execute(const VarStmt& s);
  void execute(const StoreStmt& s);
  void execute(const IfStmt& s);
  void execute(const LoopStmt& s);
  void execute(const SwitchStmt& s);
  void execute(const BreakStmt& s);
  void execute(const ContinueStmt& s);
  void execute(const ReturnStmt& s);
  void execute(const BarrierStmt& s);
  void execute(const UniformLoadStmt& s);
  void execute(const AtomicStmt& s);
  void execute(const SubgroupStmt& s);
  void execute(const CallStmt& s);
  void barrier();
  void note_site(std::uint32_t instruction);
  void leave_function();
  void begin_expressions();
  std::uint32_t label();
  std::uint32_t emit(Instr instr);
  void patch(std::span<const std::uint32_t> jumps, std::uint32_t target);

  // interpret_expr.cc: values. The slot of a value is `want` if it is given and fits, or another
  // slot that keeps the value until the end of the statement.
  Slot value(ExprId id, std::optional<Slot> want = {});
  void value_to(ExprId id, Slot dst);
  Slot evaluate(const Expr& expr, std::optional<Slot> want);
  Slot constant(ConstantId id);
  Slot zero(TypeId type, std::optional<Slot> want);
  Slot swizzle(const SwizzleExpr& e, TypeId type, std::optional<Slot> want);
  Slot construct(const ConstructExpr& e, TypeId type, std::optional<Slot> want);
  Slot splat(const SplatExpr& e, TypeId type, std::optional<Slot> want);
  Slot unary(const UnaryExpr& e, TypeId type, std::optional<Slot> want);
  Slot binary(const BinaryExpr& e, TypeId type, std::optional<Slot> want);
  Slot select(const SelectExpr& e, TypeId type, std::optional<Slot> want);
  Slot convert(const ConvertExpr& e, TypeId type, std::optional<Slot> want);
  Slot math(const MathExpr& e, TypeId type, std::optional<Slot> want);
  Slot apply(ApplyCall::Form form, std::uint8_t operation, TypeId type,
             std::span<const ExprId> arguments, std::optional<Slot> want);
  Slot into(std::optional<Slot> want, TypeId type);
  Slot temporary(std::uint64_t bytes);
  void copy(Slot dst, Slot from, std::uint64_t bytes);
  std::uint64_t bytes_of(TypeId type) const;
  TypeId type_of(ExprId id) const { return program_[id].type; }

  // interpret_place.cc: memory.
  FlatPlace place(ExprId id);  // of a pointer's pointee, or of a value
  FlatPlace member(FlatPlace base, TypeId composite, std::uint32_t index) const;
  FlatPlace index(FlatPlace base, TypeId composite, ExprId index);
  std::optional<std::uint32_t> constant_index(ExprId id) const;
  void address(const FlatPlace& place);
  Slot load(const FlatPlace& place, TypeId type, std::optional<Slot> want);
  void store(const FlatPlace& place, TypeId type, Slot from);
  void make_pointer(const FlatPlace& place, Slot dst);
  Slot array_length(const ArrayLengthExpr& e, std::optional<Slot> want);
  std::int64_t copy_plan(TypeId type);

  const Program& program_;
  const TypeTable& types_;
  std::span<const GlobalBytes> globals_;
  FlatCode code_;
  std::optional<Error> error_;

  std::vector<Slot> constant_slots_;            // small constants
  std::vector<std::int64_t> constant_indices_;  // large ones, in code_.constants; -1 otherwise
  std::vector<Slot> global_slots_;              // private globals
  std::vector<FunctionFrame> frames_;
  std::vector<FunctionId> order_;                            // reached functions
  std::vector<std::pair<std::uint32_t, FunctionId>> calls_;  // to patch
  std::uint64_t memory_end_ = kHeaderBytes;

  bool subgroups_ = false;  // the program has subgroup operations
  Slot one_ = 0;            // holds 1, where it has
  Slot next_counter_ = 0;   // of the next loop
  std::vector<Site::Loop> loops_;
  FunctionId current_{};
  std::vector<Breakable> breakables_;
  std::uint64_t temporaries_ = 0, temporaries_high_ = 0;
  std::uint16_t pending_steps_ = 0;
  SourcePos position_;  // of the current statement
  // The slot of each expression evaluated in the current statement: an expression named twice is
  // evaluated once.
  struct Known {
    std::uint32_t statement = 0;
    Slot slot = 0;
  };
  std::vector<Known> known_;
  std::uint32_t statement_ = 0;
  std::vector<std::int64_t> plans_;  // by type: -1 none needed, -2 not asked yet
};

// Scalars of a value in memory order. For scalars, vectors, matrices and structs of them.
std::vector<ScalarPlace> scalar_places(const TypeTable& types, TypeId type);
// A flattened value in its layout; `out` holds layout(type).size bytes.
void write_value(const TypeTable& types, TypeId type, std::span<const std::uint64_t> scalars,
                 std::byte* out);

}  // namespace vyre
