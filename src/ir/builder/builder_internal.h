// The state of a ProgramBuilder.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/writer.h"

namespace vyre {

class BuilderState {
 public:
  using Where = std::source_location;
  BuilderState(std::string name, Extent workgroup, Where where);

  Program program;
  std::vector<std::string> errors;

  // ---- Errors
  void error(Where where, const std::string& what);
  SourcePos pos(Where where) const;  // unknown in files other than the one of the builder

  // ---- Values: indices of values_; 0 is an error that has been reported
  Value wrap(std::uint32_t id) { return {this, id}; }
  Ref wrap_ref(std::uint32_t id) { return {this, id}; }
  static BuilderState* state_of(const Arg& arg);
  static BuilderState* state_of(const Value& value) { return value.state_; }
  static BuilderState* state_of(const Ref& ref) { return ref.state_; }

  // A C++ number takes the scalar kind of `like`, or its own.
  std::uint32_t value_of(const Arg& arg, TypeId like = TypeId{0});
  std::uint32_t value_of(const Value& value, Where where);
  TypeId type(std::uint32_t value) const { return values_[value].type; }
  bool is_number(const Arg& arg) const { return arg.what.index() >= 2; }

  // An expression that can be emitted again at each use.
  std::uint32_t leaf(TypeId type, ExprNode node);
  std::uint32_t scoped_leaf(TypeId type, ExprNode node);  // of a local
  // Any other expression, whose operands were given to use() immediately before; checked.
  std::uint32_t computed(TypeId type, ExprNode node, std::initializer_list<std::uint32_t> operands,
                         Where where);
  std::uint32_t computed(TypeId type, ExprNode node, std::span<const std::uint32_t> operands,
                         Where where);
  // The expression of the value at this point. A value that is used again, or in another block, or
  // after memory that it read may have changed, becomes a let at the point where it was made.
  ExprId use(std::uint32_t value, Where where);
  // A copy of the expression of a value that depends only on constants and overrides.
  ExprId use_constant(std::uint32_t value, Where where);

  std::uint32_t unary(UnaryOp op, const Arg& a);
  std::uint32_t binary(BinaryOp op, const Arg& a, const Arg& b);
  std::uint32_t spread(std::uint32_t scalar, TypeId vector, Where where);
  std::uint32_t number(const Arg& arg, ScalarKind kind);
  std::uint32_t math(MathFn fn, std::span<const Arg> arguments, Where where);
  ExprId condition(const Arg& arg);
  ExprRange list(std::span<const ExprId> ids) { return writer_.list(ids); }
  Value invocation_id(InvocationIdKind kind);

  // ---- Places: numbers of places_
  struct Place {
    enum class Kind : std::uint8_t { bad, global, local, pointer, member, index };
    Kind kind = Kind::bad;
    TypeId type{};  // of what is stored there
    MemoryKind memory{};
    Access access{};
    GlobalId global{};
    LocalId local{};
    std::uint32_t frame = 0;  // where a local is in scope
    std::uint32_t base = 0;   // of members and elements
    std::uint32_t value = 0;  // the index, or the pointer
    std::uint32_t member = 0;
    Where where;
  };
  std::uint32_t add_place(Place place);
  const Place& place(const Ref& ref) const { return places_[ref.id_]; }
  std::uint32_t member_place(std::uint32_t base, std::string_view name, Where where);
  std::uint32_t index_place(std::uint32_t base, const Arg& index);
  ExprId pointer_expr(std::uint32_t place, Where where);
  TypeId pointer_type(const Place& place) {
    return program.types.pointer(place.memory, place.type, place.access);
  }
  // The values that determine the place.
  std::vector<std::uint32_t> indices_of(std::uint32_t place) const;
  std::uint32_t load(std::uint32_t place, Where where);
  std::uint32_t length(std::uint32_t place, Where where);
  std::uint32_t address(std::uint32_t place, Where where);
  void store(std::uint32_t place, const Arg& value);
  Value atomic(AtomicOp op, const Ref& at, const Arg* compare, const Arg* value, Order order,
               Where where);
  Ref add_global(Global global, Where where);
  Ref add_buffer(std::string name, MemoryKind memory, Access access, TypeId type,
                 std::optional<BindingPoint> at, Where where);
  Ref add_var(std::string name, TypeId type, ExprId initial, Where where);

  // ---- Statements
  void stmt(StmtNode node, Where where, bool effect);
  LocalId local(std::string name, LocalKind kind, TypeId type, Where where);
  // A let that is defined by a statement with an effect.
  std::uint32_t result_local(TypeId type, Where where, LocalId& id);
  void open();
  Block close();
  Block block(const Body& body);

  void open_function(std::string name, TypeId result, Where where);
  FunctionId close_function();
  Function& function() { return functions_.back().function; }
  std::uint32_t call(FunctionId id, std::span<const Arg> arguments, Where where);
  std::uint32_t uniform_load(const Ref& from, Where where);
  std::uint32_t subgroup(SubgroupOp op, const Arg* value, const Arg* lane, Where where);

 private:
  struct ValueInfo {
    TypeId type{};
    ExprId expr = kNoExpr;
    bool leaf = false;      // made again at each use
    bool constant = false;  // of constants and overrides alone: copied at each use
    bool reads = false;     // memory that may change
    bool used = false;
    std::uint32_t nodes = 1;
    std::uint32_t frame = 0;  // where it was made; kAnywhere for what has no scope
    std::uint64_t when = 0;
    std::uint64_t effects = 0;  // how many there were
  };
  struct Frame {
    std::uint32_t id;
    std::vector<std::pair<std::uint64_t, StmtId>> stmts;  // with the moment they belong to
  };
  struct OpenFunction {
    Function function;
    std::vector<Frame> frames;
  };
  static constexpr std::uint32_t kAnywhere = 0xFFFFFFFFU;
  static constexpr std::uint32_t kMaxConstantNodes = 1024;

  Frame* find_frame(std::uint32_t id);
  Frame& frame() { return functions_.back().frames.back(); }
  void make_let(ValueInfo& info, Frame& at);
  ExprId copy_tree(ExprId id);
  ExprId leaf_expr_of_error(TypeId type);
  std::uint32_t add_value(ValueInfo info);

  Writer writer_;
  std::string file_;
  std::vector<ValueInfo> values_;
  std::vector<Place> places_;
  std::vector<OpenFunction> functions_;
  std::uint32_t next_frame_ = 1;
  std::uint64_t now_ = 0;
  std::uint64_t effects_ = 0;
};

}  // namespace vyre
