// The canonical encoding: bytes in the order of a walk from the entry. Functions, locals, globals,
// overrides and types have numbers instead of names, assigned at first use. A local, global or
// override is described where it gets its number; functions follow in the order of their numbers,
// then the bindings that no expression names; types come last. Every node starts with a type and a
// tag that determine its form, and every list starts with its length, so that different programs
// have different encodings.
#include "vyre/ir/fingerprint.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "vyre/base/overloaded.h"
#include "vyre/ir/slots.h"

namespace vyre {
namespace {

constexpr std::string_view kFormat = "vyre program, encoding 1";
constexpr std::uint32_t kAbsent = std::numeric_limits<std::uint32_t>::max();

class Encoder {
 public:
  explicit Encoder(const Program& program)
      : program_(program),
        type_numbers_(program.types.size(), kAbsent),
        global_numbers_(program.globals.size(), kAbsent),
        override_numbers_(program.overrides.size(), kAbsent),
        function_numbers_(program.functions.size(), kAbsent) {}

  Digest run() {
    text(kFormat);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const ExprId size = program_.workgroup_exprs[axis];
      if (size == kNoExpr) word(program_.workgroup[axis]);
      optional_expr(size);
    }
    if (program_.subgroup_size != kNoExpr) optional_expr(program_.subgroup_size);
    function_number(program_.entry);
    // Bodies in the order of their first calls; encoding one may append others.
    for (std::size_t i = 0; i < function_order_.size(); ++i) function(function_order_[i]);
    // Compiled code finds its bindings by slot, so bindings that no expression names count as well.
    for (const GlobalId id : slots_of(program_)) {
      if (global_numbers_[static_cast<std::size_t>(id)] == kAbsent) global(id);
    }
    types();
    return hasher_.finish();
  }

 private:
  void byte(std::uint8_t value) { hasher_.update_u8(value); }
  void word(std::uint32_t value) { hasher_.update_u32(value); }
  void text(std::string_view value) {
    word(static_cast<std::uint32_t>(value.size()));
    hasher_.update(value);
  }
  template <class E>
  void choice(E value) {
    byte(static_cast<std::uint8_t>(value));
  }

  // ---- Types ----

  // The number of a type's structure, which is equal for structs that differ only in names.
  std::uint32_t type_number(TypeId id) {
    std::uint32_t& number = type_numbers_[static_cast<std::size_t>(id)];
    if (number != kAbsent) return number;
    const auto [found, fresh] =
        shapes_.try_emplace(type_shape(id), static_cast<std::uint32_t>(shape_order_.size()));
    if (fresh) shape_order_.push_back(&found->first);
    return number = found->second;
  }

  // Describes the numbered types. The sizes of override-sized arrays are expressions, which may add
  // further types.
  void types() {
    word(static_cast<std::uint32_t>(override_arrays_.size()));
    for (std::size_t i = 0; i < override_arrays_.size(); ++i) expr(override_arrays_[i]);
    word(static_cast<std::uint32_t>(shape_order_.size()));
    for (const std::string* shape : shape_order_) text(*shape);
  }

  std::string type_shape(TypeId id) {
    std::string out;
    const auto put = [&](std::uint64_t value) {
      for (unsigned i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i));
    };
    const auto put_all = [&](auto... values) { (put(static_cast<std::uint64_t>(values)), ...); };
    put_all(program_.types[id].index());
    std::visit(
        Overloaded{
            [](const VoidType&) {}, [&](const ScalarType& t) { put_all(t.kind); },
            [&](const VectorType& t) { put_all(t.kind, t.size); },
            [&](const MatrixType& t) { put_all(t.kind, t.columns, t.rows); },
            [&](const ArrayType& t) {
              put_all(type_number(t.element), t.count);
              if (t.count_expr == kNoExpr) return;
              override_arrays_.push_back(t.count_expr);
              put_all(override_arrays_.size());
            },
            [&](const StructType& t) {
              const Layout& layout = program_.types.layout(id);
              put_all(layout.size, layout.align, t.members.size());
              for (const Member& m : t.members) put_all(type_number(m.type), m.offset);
            },
            [&](const AtomicType& t) {
              put_all(t.kind);
              if (t.size != 1) put_all(t.size);
            },
            [&](const PointerType& t) { put_all(t.memory, type_number(t.pointee), t.access); },
            [&](const BufferType& t) { put_all(t.bytes, t.granule); },
            [](const HandleType&) {},  // in no valid program
        },
        program_.types[id]);
    return out;
  }

  void type(TypeId id) { word(type_number(id)); }

  // ---- Declarations ----

  void global(GlobalId id) {
    std::uint32_t& number = global_numbers_[static_cast<std::size_t>(id)];
    if (number != kAbsent) {
      word(number);
      return;
    }
    number = globals_seen_++;
    word(number);
    const Global& g = program_[id];
    choice(g.memory);
    choice(g.access);
    type(g.type);
    word(g.alignment);
    byte(g.live_out ? 1 : 0);
    if (g.memory == MemoryKind::storage || g.memory == MemoryKind::uniform) {
      word(g.group);
      word(g.binding);
    }
    optional_expr(g.initial);
  }

  void override_value(OverrideId id) {
    std::uint32_t& number = override_numbers_[static_cast<std::size_t>(id)];
    if (number != kAbsent) {
      word(number);
      return;
    }
    number = overrides_seen_++;
    word(number);
    const Override& o = program_[id];
    byte(o.id ? 1 : 0);
    // An override is set from outside by its id, or by its name if it has none.
    if (o.id) {
      word(*o.id);
    } else {
      text(o.name);
    }
    type(o.type);
    optional_expr(o.initial);
  }

  std::uint32_t function_number(FunctionId id) {
    std::uint32_t& number = function_numbers_[static_cast<std::size_t>(id)];
    if (number == kAbsent) {
      number = static_cast<std::uint32_t>(function_order_.size());
      function_order_.push_back(id);
    }
    return number;
  }

  void function(FunctionId id) {
    const Function& f = program_[id];
    locals_ = &f.locals;
    local_numbers_.assign(f.locals.size(), kAbsent);
    locals_seen_ = 0;
    type(f.result);
    word(f.parameters);
    for (std::uint32_t i = 0; i < f.parameters; ++i) local(static_cast<LocalId>(i));
    block(f.body);
  }

  void local(LocalId id) {
    if (id == kNoLocal) {
      word(kAbsent);
      return;
    }
    std::uint32_t& number = local_numbers_[static_cast<std::size_t>(id)];
    if (number != kAbsent) {
      word(number);
      return;
    }
    number = locals_seen_++;
    word(number);
    const Local& l = (*locals_)[static_cast<std::size_t>(id)];
    choice(l.kind);
    type(l.type);
  }

  // ---- Expressions ----

  void optional_expr(ExprId id) {
    byte(id == kNoExpr ? 0 : 1);
    if (id != kNoExpr) expr(id);
  }

  void exprs(ExprRange range) {
    word(range.count);
    for (const ExprId id : program_.list(range)) expr(id);
  }

  void expr(ExprId id) {
    const Expr& e = program_[id];
    type(e.type);
    std::visit([&](const auto& node) { encode(e, node); }, e.node);
  }

  void tag(const Expr& e) { byte(static_cast<std::uint8_t>(e.node.index())); }

  void encode(const Expr& e, const ConstantExpr& n) {
    const std::vector<std::uint64_t>& scalars = program_[n.id].scalars;
    if (std::ranges::all_of(scalars, [](std::uint64_t s) { return s == 0; })) {
      zero();
      return;
    }
    tag(e);
    word(static_cast<std::uint32_t>(scalars.size()));
    for (const std::uint64_t s : scalars) hasher_.update_u64(s);
  }
  void encode(const Expr&, const ZeroExpr&) { zero(); }
  void zero() { byte(static_cast<std::uint8_t>(ExprNode(ZeroExpr{}).index())); }
  void encode(const Expr& e, const OverrideExpr& n) {
    tag(e);
    override_value(n.id);
  }
  void encode(const Expr& e, const LocalExpr& n) {
    tag(e);
    local(n.id);
  }
  void encode(const Expr& e, const GlobalPtrExpr& n) {
    tag(e);
    global(n.id);
  }
  void encode(const Expr& e, const LocalPtrExpr& n) {
    tag(e);
    local(n.id);
  }
  void encode(const Expr& e, const MemberExpr& n) {
    tag(e);
    word(n.member);
    expr(n.base);
  }
  void encode(const Expr& e, const IndexExpr& n) {
    tag(e);
    expr(n.base);
    expr(n.index);
  }
  void encode(const Expr& e, const LoadExpr& n) {
    tag(e);
    expr(n.pointer);
  }
  void encode(const Expr& e, const SwizzleExpr& n) {
    tag(e);
    byte(n.size);
    for (std::size_t i = 0; i < n.size; ++i) byte(n.lanes[i]);
    expr(n.vector);
  }
  void encode(const Expr& e, const ConstructExpr& n) {
    tag(e);
    exprs(n.parts);
  }
  void encode(const Expr& e, const SplatExpr& n) {
    tag(e);
    expr(n.scalar);
  }
  void encode(const Expr& e, const UnaryExpr& n) {
    tag(e);
    choice(n.op);
    expr(n.operand);
  }
  void encode(const Expr& e, const BinaryExpr& n) {
    tag(e);
    choice(n.op);
    expr(n.left);
    expr(n.right);
  }
  void encode(const Expr& e, const SelectExpr& n) {
    tag(e);
    expr(n.on_false);
    expr(n.on_true);
    expr(n.condition);
  }
  void encode(const Expr& e, const ConvertExpr& n) {
    tag(e);
    expr(n.value);
  }
  void encode(const Expr& e, const BitcastExpr& n) {
    tag(e);
    expr(n.value);
  }
  void encode(const Expr& e, const MathExpr& n) {
    tag(e);
    choice(n.fn);
    exprs(n.arguments);
  }
  void encode(const Expr& e, const ArrayLengthExpr& n) {
    tag(e);
    expr(n.pointer);
  }
  void encode(const Expr& e, const ViewExpr& n) {
    tag(e);
    expr(n.buffer);
    expr(n.offset);
    if (n.size != kNoExpr) expr(n.size);
  }
  void encode(const Expr& e, const InvocationIdExpr& n) {
    tag(e);
    choice(n.kind);
  }

  // ---- Statements ----

  void block(Block b) {
    word(b.count);
    for (const StmtId id : program_.block(b)) {
      const StmtNode& node = program_[id].node;
      byte(static_cast<std::uint8_t>(node.index()));
      std::visit([&](const auto& s) { encode(s); }, node);
    }
  }

  void encode(const LetStmt& s) {
    expr(s.value);
    local(s.local);
  }
  void encode(const VarStmt& s) {
    optional_expr(s.initial);
    local(s.local);
  }
  void encode(const StoreStmt& s) {
    expr(s.pointer);
    expr(s.value);
  }
  void encode(const IfStmt& s) {
    expr(s.condition);
    block(s.then);
    block(s.otherwise);
  }
  void encode(const LoopStmt& s) {
    block(s.body);
    block(s.continuing);
    optional_expr(s.break_if);
  }
  void encode(const SwitchStmt& s) {
    expr(s.selector);
    word(s.case_count);
    for (const SwitchCase& c : program_.cases(s)) {
      word(static_cast<std::uint32_t>(c.values.size()));
      for (const std::uint32_t value : c.values) word(value);
      byte(c.is_default ? 1 : 0);
      block(c.body);
    }
  }
  void encode(const BreakStmt&) {}
  void encode(const ContinueStmt&) {}
  void encode(const ReturnStmt& s) { optional_expr(s.value); }
  void encode(const BarrierStmt& s) {
    byte(s.workgroup_memory ? 1 : 0);
    byte(s.storage_memory ? 1 : 0);
  }
  void encode(const UniformLoadStmt& s) {
    expr(s.pointer);
    local(s.result);
  }
  void encode(const AtomicStmt& s) {
    choice(s.op);
    choice(s.scope);
    choice(s.order);
    expr(s.pointer);
    optional_expr(s.compare);
    optional_expr(s.value);
    local(s.result);
  }
  void encode(const SubgroupStmt& s) {
    choice(s.op);
    optional_expr(s.value);
    optional_expr(s.lane);
    local(s.result);
  }
  void encode(const CallStmt& s) {
    word(function_number(s.callee));
    exprs(s.arguments);
    local(s.result);
  }

  const Program& program_;
  Hasher hasher_;
  std::map<std::string, std::uint32_t> shapes_;
  std::vector<const std::string*> shape_order_;
  std::vector<ExprId> override_arrays_;
  std::vector<std::uint32_t> type_numbers_, global_numbers_, override_numbers_, function_numbers_;
  std::vector<FunctionId> function_order_;
  std::uint32_t globals_seen_ = 0, overrides_seen_ = 0, locals_seen_ = 0;
  const std::vector<Local>* locals_ = nullptr;
  std::vector<std::uint32_t> local_numbers_;
};

}  // namespace

Digest fingerprint(const Program& program) { return Encoder(program).run(); }

}  // namespace vyre
