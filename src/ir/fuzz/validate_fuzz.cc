// Programs with any content at all: validate and print take them, and what validate accepts goes
// through every pass without trouble.
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "vyre/ir/fingerprint.h"
#include "vyre/ir/kernel.h"
#include "vyre/ir/print.h"
#include "vyre/ir/validate/validate.h"
#include "vyre/ir/writer.h"

namespace {

using namespace vyre;

class Generator {
 public:
  explicit Generator(std::span<const std::uint8_t> bytes) : in_(bytes) {}

  Program make() {
    p_.name = "f";
    types();
    for (std::uint32_t n = pick(3); n > 0; --n) {
      p_.overrides.push_back({.name = "o", .id = {}, .type = type(), .initial = maybe_expr()});
    }
    for (std::uint32_t n = pick(5); n > 0; --n) global();
    for (std::uint32_t n = 1 + pick(32); n > 0; --n) w_.expr(type(), expr_node());
    for (std::uint32_t n = pick(12); n > 0; --n) p_.expr_lists.push_back(expr());
    for (std::uint32_t n = pick(4); n > 0; --n) {
      p_.switch_cases.push_back({{pick(4)}, pick(2) == 0, block()});
    }
    for (std::uint32_t n = 1 + pick(3); n > 0; --n) function();
    p_.entry = pick(8) == 0 ? static_cast<FunctionId>(pick(4))
                            : static_cast<FunctionId>(p_.functions.size() - 1);
    p_.workgroup = {pick(3), 1, 1};
    if (pick(4) == 0) p_.workgroup_exprs[pick(3)] = expr();
    return p_;
  }

 private:
  std::uint32_t byte() {
    if (in_.empty()) return 0;
    const std::uint8_t out = in_.front();
    in_ = in_.subspan(1);
    return out;
  }
  std::uint32_t pick(std::uint32_t n) { return byte() % n; }

  void types() {
    for (std::uint32_t k = 0; k < 5; ++k) p_.types.scalar(static_cast<ScalarKind>(k));
    for (std::uint32_t n = pick(12); n > 0; --n) {
      switch (pick(8)) {
        case 0: p_.types.vector(static_cast<ScalarKind>(pick(7)), pick(6)); break;
        case 1: p_.types.matrix(static_cast<ScalarKind>(pick(7)), pick(6), pick(6)); break;
        case 2: p_.types.array(type(), pick(9)); break;
        case 3: p_.types.intern(ArrayType{type(), 0, expr()}); break;
        case 4: p_.types.atomic(static_cast<ScalarKind>(pick(7))); break;
        case 5: p_.types.structure("S", {{"a", type()}, {"b", type(), 0, pick(9), pick(9)}}); break;
        default:
          p_.types.pointer(static_cast<MemoryKind>(pick(5)), type(), static_cast<Access>(pick(3)));
      }
    }
  }
  void global() {
    p_.globals.push_back({.name = "g",
                          .memory = static_cast<MemoryKind>(pick(5)),
                          .access = static_cast<Access>(pick(3)),
                          .type = type(),
                          .binding = pick(4),
                          .initial = maybe_expr()});
  }
  void function() {
    Function f;
    f.name = "f";
    f.result = pick(2) == 0 ? type() : p_.types.void_type();
    f.parameters = pick(3);
    for (std::uint32_t n = pick(8); n > 0; --n) {
      const auto kind = f.locals.size() < f.parameters ? 0 : pick(3);
      f.locals.push_back({"l", static_cast<LocalKind>(kind), type()});
    }
    w_.open();
    for (std::uint32_t n = pick(12); n > 0; --n) {
      if (pick(4) == 0) {
        w_.open();
        for (std::uint32_t m = pick(4); m > 0; --m) w_.stmt(stmt_node());
        last_block_ = w_.close();
      }
      w_.stmt(stmt_node());
    }
    f.body = w_.close();
    p_.functions.push_back(f);
  }

  // Mostly what exists, now and then what does not.
  TypeId type() {
    return static_cast<TypeId>(pick(static_cast<std::uint32_t>(p_.types.size()) + (pick(16) == 0)));
  }
  ExprId expr() { return static_cast<ExprId>(pick(32)); }
  ExprId maybe_expr() { return pick(2) == 0 ? kNoExpr : expr(); }
  LocalId local() { return static_cast<LocalId>(pick(8)); }
  ExprRange list() { return {pick(12), pick(4)}; }
  Block block() { return pick(3) == 0 ? Block{pick(24), pick(4)} : last_block_; }

  ExprNode expr_node() {
    switch (pick(20)) {
      case 0: {
        p_.constants.push_back({type(), {byte()}});
        return ConstantExpr{static_cast<ConstantId>(p_.constants.size() - 1)};
      }
      case 1: return ZeroExpr{};
      case 2: return OverrideExpr{static_cast<OverrideId>(pick(3))};
      case 3: return LocalExpr{local()};
      case 4: return GlobalPtrExpr{static_cast<GlobalId>(pick(5))};
      case 5: return LocalPtrExpr{local()};
      case 6: return MemberExpr{expr(), pick(3)};
      case 7: return IndexExpr{expr(), expr()};
      case 8: return LoadExpr{expr()};
      case 9:
        return SwizzleExpr{expr(),
                           static_cast<std::uint8_t>(pick(6)),
                           {static_cast<std::uint8_t>(pick(5)), 1, 2, 3}};
      case 10: return ConstructExpr{list()};
      case 11: return SplatExpr{expr()};
      case 12: return UnaryExpr{static_cast<UnaryOp>(pick(4)), expr()};
      case 13: return BinaryExpr{static_cast<BinaryOp>(pick(20)), expr(), expr()};
      case 14: return SelectExpr{expr(), expr(), expr()};
      case 15: return ConvertExpr{expr()};
      case 16: return BitcastExpr{expr()};
      case 17: return MathExpr{static_cast<MathFn>(pick(90)), list()};
      case 18: return ArrayLengthExpr{expr()};
      case 19: return ViewExpr{expr(), expr(), maybe_expr()};
      default: return InvocationIdExpr{static_cast<InvocationIdKind>(pick(6))};
    }
  }
  StmtNode stmt_node() {
    switch (pick(14)) {
      case 0: return LetStmt{local(), expr()};
      case 1: return VarStmt{local(), maybe_expr()};
      case 2: return StoreStmt{expr(), expr()};
      case 3: return IfStmt{expr(), block(), {}};
      case 4: return LoopStmt{block(), {}, maybe_expr()};
      case 5: return SwitchStmt{expr(), pick(3), pick(3)};
      case 6: return BreakStmt{};
      case 7: return ContinueStmt{};
      case 8: return ReturnStmt{maybe_expr()};
      case 9: return BarrierStmt{true, false};
      case 10: return UniformLoadStmt{local(), expr()};
      case 11:
        return AtomicStmt{.op = static_cast<AtomicOp>(pick(12)),
                          .scope = Scope::device,
                          .order = Order::relaxed,
                          .pointer = expr(),
                          .compare = maybe_expr(),
                          .value = maybe_expr(),
                          .result = pick(2) == 0 ? kNoLocal : local()};
      case 12:
        return SubgroupStmt{.op = static_cast<SubgroupOp>(pick(26)),
                            .value = maybe_expr(),
                            .lane = maybe_expr(),
                            .result = local()};
      default: return CallStmt{static_cast<FunctionId>(pick(3)), list(), local()};
    }
  }

  std::span<const std::uint8_t> in_;
  Program p_;
  Writer w_{p_};
  Block last_block_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Program program = Generator({data, size}).make();
  const bool valid = validate(program).empty();
  print(program);
  if (valid) fingerprint(program);
  static_cast<void>(make_kernel(program));
  return 0;
}
