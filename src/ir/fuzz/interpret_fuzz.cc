// Random programs: whatever make_kernel accepts runs without touching foreign memory, and twice the
// same way.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include "vyre/ir/argument_rules.h"
#include "vyre/ir/interpret/interpret_testing.h"
#include "vyre/ir/print.h"

namespace {

using namespace vyre;

constexpr int kMaxDepth = 5;
constexpr std::size_t kMaxStatements = 60;

class Generator {
 public:
  explicit Generator(std::span<const std::uint8_t> bytes) : in_(bytes) {}

  Program make() {
    declare();
    const std::uint32_t functions = byte() % 3;
    for (std::uint32_t i = 0; i < functions; ++i) function();
    k_.begin("main");
    statements(6 + byte() % 16, true);
    k_.end();
    // Sometimes more than one subgroup, the last one with missing lanes.
    const std::uint32_t width = byte() % 4 == 0 ? 33 : 1U + byte() % 5;
    k_.finish({width, 1U + byte() % 2, 1}, false);
    return k_.program;
  }
  std::uint8_t byte() {
    if (in_.empty()) return 0;
    const std::uint8_t out = in_.front();
    in_ = in_.subspan(1);
    return out;
  }

 private:
  struct Named {
    TypeId type;
    ExprId id;
  };
  struct Callee {
    FunctionId id;
    std::vector<TypeId> parameters;
  };

  void declare() {
    vec3_ = k_.vec(ScalarKind::f32, 3);
    struct_ = k_.structure("S", {{"a", k_.f32},
                                 {"v", vec3_},
                                 {"n", k_.array(k_.i32, 3)},
                                 {"m", k_.mat(ScalarKind::f32, 2, 3)},
                                 {"h", k_.f16}});
    const TypeId atomic = k_.program.types.atomic(ScalarKind::u32);
    const TypeId tail = k_.structure("T", {{"head", k_.f32}, {"list", k_.runtime_array(struct_)}});
    places_.push_back({k_.runtime_array(k_.u32), k_.buffer("words", k_.runtime_array(k_.u32))});
    places_.push_back({tail, k_.buffer("tail", tail)});
    places_.push_back({k_.runtime_array(vec3_), k_.buffer("vectors", k_.runtime_array(vec3_))});
    const TypeId shared = k_.array(k_.array(k_.f32, 3), 4);
    places_.push_back({shared, k_.workgroup("shared", shared)});
    places_.push_back({struct_, k_.private_("mine", struct_)});
    atomics_ = k_.workgroup("atomics", k_.array(atomic, 3));
    for (const ScalarKind kind : {ScalarKind::boolean, ScalarKind::i32, ScalarKind::u32,
                                  ScalarKind::f32, ScalarKind::f16}) {
      values_.push_back(k_.program.types.scalar(kind));
      for (std::uint32_t n = 2; n <= 4; ++n) values_.push_back(k_.vec(kind, n));
    }
    values_.push_back(k_.mat(ScalarKind::f32, 2, 3));
    values_.push_back(k_.mat(ScalarKind::f16, 3, 3));
    values_.push_back(struct_);
    values_.push_back(k_.array(k_.i32, 3));
  }

  TypeId any_type() { return values_[byte() % values_.size()]; }

  void function() {
    std::vector<TypeId> parameters;
    for (std::uint32_t i = byte() % 3; i > 0; --i) parameters.push_back(any_type());
    if (byte() % 2 == 0) parameters.push_back(k_.pointer_type(MemoryKind::function, k_.u32));
    const TypeId result = any_type();
    const FunctionId id = k_.begin("f", parameters, result);
    const auto outer_lets = std::exchange(lets_, {});
    const auto outer_vars = std::exchange(vars_, {});
    for (std::uint32_t i = 0; i < parameters.size(); ++i) {
      if (k_.program.types.get_if<PointerType>(parameters[i]) != nullptr) {
        vars_.push_back({k_.u32, k_.parameter(i)});
      } else {
        lets_.push_back({parameters[i], k_.parameter(i)});
      }
    }
    statements(byte() % 8, false);
    k_.return_(value(result, 0));
    k_.end();
    lets_ = outer_lets;
    vars_ = outer_vars;
    callees_.push_back({id, parameters});
  }

  void statements(std::uint32_t count, bool uniform, int depth = 0) {
    const std::size_t lets = lets_.size(), vars = vars_.size();
    for (std::uint32_t i = 0; i < count && ++written_ < kMaxStatements; ++i) {
      statement(uniform, depth);
    }
    lets_.resize(lets);
    vars_.resize(vars);
  }

  void statement(bool uniform, int depth) {
    switch (byte() % 13) {
      case 0:
      case 1: {
        const TypeId type = any_type();
        const ExprId v = value(type, 0);
        lets_.push_back({type, k_.let(v)});
        return;
      }
      case 2: {
        const TypeId type = any_type();
        vars_.push_back({type, byte() % 3 == 0 ? k_.var(type) : k_.var(value(type, 0))});
        return;
      }
      case 3:
      case 4:
      case 5: {
        const auto [type, pointer] = place();
        return k_.store(pointer, value(type, 0));
      }
      case 6: {
        if (depth > 3) return;
        const ExprId condition = value(k_.boolean, 0);
        return k_.if_(
            condition, [&] { statements(byte() % 5, false, depth + 1); },
            [&] { statements(byte() % 3, false, depth + 1); });
      }
      case 7: {
        if (depth > 3) return;
        if (byte() % 4 == 0) {  // perhaps endless
          return k_.loop([&] { statements(byte() % 4, false, depth + 1); },
                         [&] { statements(byte() % 2, false, depth + 1); }, value(k_.boolean, 0));
        }
        return k_.count(k_.u(0), k_.u(byte() % 6), [&](ExprId i) {
          lets_.push_back({k_.u32, i});
          statements(byte() % 5, false, depth + 1);
          if (byte() % 4 == 0) k_.if_(value(k_.boolean, 0), [&] { k_.break_(); });
          if (byte() % 4 == 0) k_.if_(value(k_.boolean, 0), [&] { k_.continue_(); });
        });
      }
      case 8: return choose(depth);
      case 9: return call();
      case 10: {
        static constexpr AtomicOp kOps[] = {AtomicOp::add, AtomicOp::max, AtomicOp::exchange,
                                            AtomicOp::bit_xor, AtomicOp::min};
        const ExprId pointer = k_.at(atomics_, value(k_.u32, 2));
        const ExprId old = k_.atomic(kOps[byte() % std::size(kOps)], pointer, value(k_.u32, 1));
        lets_.push_back({k_.u32, old});
        return;
      }
      case 11: return exchange();
      default:
        if (uniform) k_.barrier();
        return;
    }
  }

  // A subgroup operation, in control flow of any kind.
  void exchange() {
    const auto op = static_cast<SubgroupOp>(
        byte() % (static_cast<unsigned>(SubgroupOp::quad_swap_diagonal) + 1));
    const bool votes = op >= SubgroupOp::all && op <= SubgroupOp::ballot;
    const bool bits = op >= SubgroupOp::bit_and && op <= SubgroupOp::bit_xor;
    static constexpr ScalarKind kNumbers[] = {ScalarKind::u32, ScalarKind::i32, ScalarKind::f32,
                                              ScalarKind::f16};
    TypeId type = k_.boolean;
    if (!votes && op != SubgroupOp::elect) {
      const ScalarKind kind = kNumbers[byte() % (bits ? 2 : std::size(kNumbers))];
      const std::uint32_t size = 1 + byte() % 4;
      type = size == 1 ? k_.program.types.scalar(kind) : k_.vec(kind, size);
    }
    ExprId lane = kNoExpr;
    if (op >= SubgroupOp::broadcast && op <= SubgroupOp::quad_broadcast) {
      const bool fixed = op == SubgroupOp::broadcast || op == SubgroupOp::quad_broadcast;
      lane = fixed ? k_.u(byte() % lane_limit(op)) : value(k_.u32, 1);
    }
    const ExprId given = op == SubgroupOp::elect ? kNoExpr : value(type, 1);
    const TypeId result = op == SubgroupOp::ballot ? k_.vec(ScalarKind::u32, 4) : type;
    lets_.push_back({result, k_.subgroup(op, result, given, lane)});
  }

  void choose(int depth) {
    if (depth > 3) return;
    const ExprId selector = value(k_.i32, 1);
    std::vector<SwitchCase> cases;
    for (std::uint32_t i = 0; i < 3; ++i) {
      cases.push_back(
          {{i, 100 + i}, i == 1, k_.block([&] { statements(byte() % 3, false, depth + 1); })});
    }
    const auto first = static_cast<std::uint32_t>(k_.program.switch_cases.size());
    for (SwitchCase& c : cases) k_.program.switch_cases.push_back(std::move(c));
    k_.writer.stmt(SwitchStmt{selector, first, 3});
  }

  void call() {
    if (callees_.empty()) return;
    const Callee callee = callees_[byte() % callees_.size()];
    std::vector<ExprId> arguments;
    for (const TypeId type : callee.parameters) {
      if (k_.program.types.get_if<PointerType>(type) == nullptr) {
        arguments.push_back(value(type, 1));
        continue;
      }
      const auto var = std::ranges::find(vars_, k_.u32, &Named::type);
      arguments.push_back(var != vars_.end() ? var->id : k_.var(k_.u32));
    }
    lets_.push_back({k_.program[callee.id].result, k_.call(callee.id, arguments)});
  }

  // A pointer to something constructible.
  Named place() {
    Named at = byte() % 2 == 0 && !vars_.empty() ? vars_[byte() % vars_.size()]
                                                 : places_[byte() % places_.size()];
    while (true) {
      const bool must = !k_.program.types.is_constructible(at.type);
      const std::uint32_t parts = k_.program.types.component_count(at.type);
      const bool is_array = k_.program.types.get_if<ArrayType>(at.type) != nullptr;
      if (!must && ((parts == 0 && !is_array) || byte() % 2 == 0)) return at;
      if (k_.program.types.get_if<StructType>(at.type) != nullptr) {
        const std::uint32_t i = byte() % std::max(parts, 1U);
        at = {k_.program.types.component(at.type, i), k_.member(at.id, i)};
      } else {
        at = {k_.program.types.component(at.type), k_.at(at.id, value(k_.u32, 3))};
      }
    }
  }

  ExprId leaf(TypeId type) {
    if (byte() % 2 == 0) {
      const std::size_t start = byte();
      for (std::size_t i = 0; i < lets_.size(); ++i) {
        const Named& let = lets_[(start + i) % lets_.size()];
        if (let.type == type) return let.id;
      }
      for (std::size_t i = 0; i < vars_.size(); ++i) {
        const Named& var = vars_[(start + i) % vars_.size()];
        if (var.type == type) return k_.load(var.id);
      }
    }
    if (type == k_.u32) {
      switch (byte() % 6) {
        case 0: return k_.global_x();
        case 1: return k_.local_index();
        case 2: return k_.array_length(places_[byte() % 2 == 0 ? 0 : 2].id);
        case 3: return k_.array_length(k_.member(places_[1].id, 1));
        default: break;
      }
    }
    const std::uint64_t n = k_.program.types.scalar_count(type);
    const auto kind = k_.program.types.scalar_kind(type);
    if (!kind || byte() % 4 == 0) return k_.zero(type);
    std::vector<std::uint64_t> bits;
    for (std::uint64_t i = 0; i < n; ++i) {
      std::uint64_t word = byte();
      if (word % 5 == 0) word |= std::uint64_t{byte()} << 24 | std::uint64_t{byte()} << 12;
      if (*kind == ScalarKind::boolean) word &= 1;
      if (*kind == ScalarKind::f16) word &= 0x7BFF;
      if (*kind == ScalarKind::f32) word &= 0xFF7FFFFF;
      bits.push_back(word);
    }
    return k_.writer.constant(type, bits);
  }

  ExprId value(TypeId type, int depth) {
    if (depth >= kMaxDepth || in_.empty()) return leaf(type);
    const auto& types = k_.program.types;
    const auto kind = types.scalar_kind(type);
    const auto* vector = types.get_if<VectorType>(type);
    const std::uint32_t size = vector == nullptr ? 1 : vector->size;
    const bool simple = vector != nullptr || types.get_if<ScalarType>(type) != nullptr;
    const auto of = [&](ScalarKind k) {
      return size == 1 ? k_.program.types.scalar(k) : k_.vec(k, size);
    };
    switch (byte() % 9) {
      case 0: return leaf(type);
      case 1: {  // out of memory
        for (int attempt = 0; attempt < 3; ++attempt) {
          const Named at = place();
          if (at.type == type) return k_.load(at.id);
        }
        return leaf(type);
      }
      case 2:
        return k_.select(value(type, depth + 1), value(type, depth + 1),
                         value(k_.boolean, depth + 1));
      case 3:
        if (!simple) return leaf(type);
        return k_.convert(type, value(of(static_cast<ScalarKind>(byte() % 5)), depth + 1));
      case 4: {
        if (!simple || *kind == ScalarKind::boolean) return compare(type, of, depth);
        static constexpr BinaryOp kOps[] = {BinaryOp::add, BinaryOp::sub, BinaryOp::mul,
                                            BinaryOp::div, BinaryOp::rem};
        const ExprId a = value(type, depth + 1);
        return k_.binary(kOps[byte() % 5], a, value(type, depth + 1));
      }
      case 5: {
        if (*&simple && is_integer(*kind)) {
          static constexpr BinaryOp kOps[] = {BinaryOp::bit_and, BinaryOp::bit_or,
                                              BinaryOp::bit_xor, BinaryOp::shift_left,
                                              BinaryOp::shift_right};
          const BinaryOp op = kOps[byte() % 5];
          const bool shifts = op >= BinaryOp::shift_left;
          const ExprId a = value(type, depth + 1);
          return k_.binary(op, a, value(shifts ? of(ScalarKind::u32) : type, depth + 1));
        }
        return leaf(type);
      }
      case 6: {
        if (!simple || !is_float(*kind)) return leaf(type);
        static constexpr MathFn kFns[] = {MathFn::fma, MathFn::clamp, MathFn::mix};
        const ExprId a = value(type, depth + 1), b = value(type, depth + 1);
        return k_.math(type, kFns[byte() % 3], {a, b, value(type, depth + 1)});
      }
      case 7: {
        if (vector == nullptr) {
          if (!simple) return leaf(type);
          const ExprId whole = value(k_.vec(*kind, 4), depth + 1);
          return byte() % 2 == 0 ? k_.lane(whole, byte() % 4)
                                 : k_.at(whole, value(k_.u32, depth + 1));
        }
        const ScalarKind k = *kind;
        const ExprId other = value(k_.vec(k, 2 + byte() % 3), depth + 1);
        const auto* from = k_.program.types.get_if<VectorType>(k_.type_of(other));
        SwizzleExpr e{.vector = other, .size = static_cast<std::uint8_t>(size), .lanes = {}};
        for (std::uint32_t i = 0; i < size; ++i) {
          e.lanes[i] = static_cast<std::uint8_t>(byte() % from->size);
        }
        return k_.writer.expr(type, e);
      }
      default: {
        if (types.get_if<ScalarType>(type) != nullptr) return leaf(type);
        std::vector<TypeId> part_types;
        for (std::uint32_t i = 0; i < types.component_count(type); ++i) {
          part_types.push_back(types.component(type, i));
        }
        std::vector<ExprId> parts;
        for (const TypeId t : part_types) parts.push_back(value(t, depth + 1));
        return k_.construct(type, parts);
      }
    }
  }

  template <class Of>
  ExprId compare(TypeId type, Of&& of, int depth) {
    const auto kind = k_.program.types.scalar_kind(type);
    if (!kind || *kind != ScalarKind::boolean) return leaf(type);
    const TypeId operand = of(byte() % 2 == 0 ? ScalarKind::i32 : ScalarKind::f32);
    static constexpr BinaryOp kOps[] = {BinaryOp::less, BinaryOp::equal, BinaryOp::greater_equal};
    const ExprId a = value(operand, depth + 1);
    return k_.binary(kOps[byte() % 3], a, value(operand, depth + 1));
  }

  KernelWriter k_;
  std::span<const std::uint8_t> in_;
  TypeId vec3_{}, struct_{};
  std::vector<TypeId> values_;
  std::vector<Named> places_, lets_, vars_;
  ExprId atomics_{};
  std::vector<Callee> callees_;
  std::size_t written_ = 0;
};

// Buffers of their own allocations, so that the sanitizer sees every byte outside.
struct Buffers {
  std::vector<std::vector<std::byte>> memory;
  explicit Buffers(Generator& g) {
    for (const std::size_t smallest : {4U, 16U + 96U, 16U}) {
      auto& buffer = memory.emplace_back(smallest + g.byte());
      for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = std::byte(i * 37);
      buffer.shrink_to_fit();
    }
  }
  std::vector<BoundBuffer> bound() {
    std::vector<BoundBuffer> out;
    for (std::uint32_t i = 0; i < memory.size(); ++i) out.push_back({0, i, memory[i]});
    return out;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Generator generator({data, size});
  Buffers first(generator);
  Program program = generator.make();
  if (print(program).empty()) std::abort();
  const auto kernel = make_kernel(std::move(program));
  if (!kernel) return 0;
  Buffers second = first;
  const LaunchShape shape{.grid = {2, 1, 1}, .extent = {7, 2, 1}};
  const InterpretOptions options{.step_budget = 3000, .cancelled = {}};
  const auto a = interpret(*kernel, first.bound(), shape, options);
  const auto b = interpret(*kernel, second.bound(), shape, options);
  if (a.has_value() != b.has_value() || first.memory != second.memory) std::abort();
  return 0;
}
