// Any operation on any bits: no undefined behaviour, and results are proper patterns of their type.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "vyre/ir/operation.h"

namespace {

using vyre::MathFn;
using vyre::Operand;
using vyre::ScalarKind;
using vyre::TypeId;

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const std::uint8_t out = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return out;
  }
  std::uint64_t word() {
    std::uint64_t out = 0;
    for (int i = 0; i < 8; ++i) out = out << 8 | byte();
    return out;
  }
  bool empty() const { return bytes_.empty(); }

 private:
  std::span<const std::uint8_t> bytes_;
};

std::uint64_t mask_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::boolean: return 1;
    case ScalarKind::f16: return 0xFFFF;
    case ScalarKind::abstract_int:
    case ScalarKind::abstract_float: return ~std::uint64_t{0};
    default: return 0xFFFFFFFF;
  }
}

struct Value {
  TypeId type;
  std::vector<std::uint64_t> bits;
  operator Operand() const { return {type, bits}; }
};

class Bench {
 public:
  explicit Bench(std::span<const std::uint8_t> bytes) : in_(bytes) {}

  void run() {
    while (!in_.empty()) step();
  }

 private:
  Value draw(ScalarKind kind, std::uint32_t n, std::uint32_t columns = 0) {
    Value out{type(kind, n, columns), {}};
    for (std::uint32_t i = 0; i < n; ++i) out.bits.push_back(in_.word() & mask_of(kind));
    return out;
  }
  TypeId type(ScalarKind kind, std::uint32_t n, std::uint32_t columns = 0) {
    if (columns != 0) return types_.matrix(kind, columns, n / columns);
    return n == 1 ? types_.scalar(kind) : types_.vector(kind, n);
  }
  void check(ScalarKind kind, std::span<const std::uint64_t> bits) {
    for (const std::uint64_t b : bits) {
      if ((b & ~mask_of(kind)) != 0) std::abort();
    }
  }
  ScalarKind kind_of(std::initializer_list<ScalarKind> kinds) {
    return kinds.begin()[in_.byte() % kinds.size()];
  }

  void step() {
    const std::uint32_t n = in_.byte() % 4 + 1;
    switch (in_.byte() % 6) {
      case 0: return operators(n);
      case 1: return conversions(n);
      case 2: return float_functions(n);
      case 3: return integer_functions(n);
      case 4: return matrices();
      default: return packing();
    }
  }

  void operators(std::uint32_t n) {
    const ScalarKind kind =
        kind_of({ScalarKind::i32, ScalarKind::u32, ScalarKind::f32, ScalarKind::f16,
                 ScalarKind::abstract_int, ScalarKind::abstract_float, ScalarKind::boolean});
    auto op = static_cast<vyre::BinaryOp>(in_.byte() % 18);
    if (vyre::is_float(kind) && op >= vyre::BinaryOp::logical_and) op = vyre::BinaryOp::rem;
    if (vyre::is_integer(kind) &&
        (op == vyre::BinaryOp::logical_and || op == vyre::BinaryOp::logical_or)) {
      op = vyre::BinaryOp::div;
    }
    if (kind == ScalarKind::boolean) op = vyre::BinaryOp::bit_or;
    const bool shifts = op >= vyre::BinaryOp::shift_left;
    const bool compares = op >= vyre::BinaryOp::equal && op <= vyre::BinaryOp::greater_equal;
    const Value a = draw(kind, n), b = draw(shifts ? ScalarKind::u32 : kind, n);
    const ScalarKind result = compares ? ScalarKind::boolean : kind;
    std::vector<std::uint64_t> out(n);
    vyre::apply(op, types_, type(result, n), a, b, out);
    check(result, out);
    if (kind == ScalarKind::boolean) return;
    vyre::apply(vyre::UnaryOp::negate, types_, a.type, a, out);
    check(kind, out);
  }

  void conversions(std::uint32_t n) {
    const auto from = static_cast<ScalarKind>(in_.byte() % 7);
    const auto to = static_cast<ScalarKind>(in_.byte() % 7);
    const Value a = draw(from, n);
    std::vector<std::uint64_t> out(4);
    const auto used = std::span(out).first(n);
    vyre::apply_convert(types_, type(to, n), a, used);
    check(to, used);
    const Value word = draw(ScalarKind::u32, n);
    const ScalarKind same = kind_of({ScalarKind::i32, ScalarKind::u32, ScalarKind::f32});
    vyre::apply_bitcast(types_, type(same, n), word, used);
    check(same, used);
    if (n <= 2) {
      vyre::apply_bitcast(types_, type(ScalarKind::f16, 2 * n), word,
                          std::span(out).first(std::size_t{2} * n));
      check(ScalarKind::f16, std::span(out).first(std::size_t{2} * n));
    }
  }

  void call(MathFn fn, ScalarKind kind, TypeId type, std::uint32_t count,
            const std::vector<Value>& values) {
    std::vector<Operand> operands(values.begin(), values.end());
    std::vector<std::uint64_t> out(count);
    vyre::apply(fn, types_, type, operands, out);
    check(kind, out);
  }

  void float_functions(std::uint32_t n) {
    const ScalarKind f = kind_of({ScalarKind::f32, ScalarKind::f16, ScalarKind::abstract_float});
    static constexpr MathFn kOne[] = {MathFn::abs,
                                      MathFn::acos,
                                      MathFn::acosh,
                                      MathFn::asin,
                                      MathFn::asinh,
                                      MathFn::atan,
                                      MathFn::atanh,
                                      MathFn::ceil,
                                      MathFn::cos,
                                      MathFn::cosh,
                                      MathFn::exp,
                                      MathFn::exp2,
                                      MathFn::degrees,
                                      MathFn::floor,
                                      MathFn::fract,
                                      MathFn::log,
                                      MathFn::log2,
                                      MathFn::inverse_sqrt,
                                      MathFn::radians,
                                      MathFn::round,
                                      MathFn::sign,
                                      MathFn::sin,
                                      MathFn::sinh,
                                      MathFn::sqrt,
                                      MathFn::saturate,
                                      MathFn::tan,
                                      MathFn::tanh,
                                      MathFn::trunc,
                                      MathFn::quantize_to_f16};
    static constexpr MathFn kThree[] = {MathFn::atan2, MathFn::clamp, MathFn::fma,
                                        MathFn::max,   MathFn::min,   MathFn::mix,
                                        MathFn::pow,   MathFn::step,  MathFn::smoothstep};
    const Value a = draw(f, n), b = draw(f, n), c = draw(f, n);
    call(kOne[in_.byte() % std::size(kOne)], f, a.type, n, {a});
    call(kThree[in_.byte() % std::size(kThree)], f, a.type, n, {a, b, c});
    const bool abstract = f == ScalarKind::abstract_float;
    const ScalarKind exponent = abstract ? ScalarKind::abstract_int : ScalarKind::i32;
    call(MathFn::ldexp, f, a.type, n, {a, draw(exponent, n)});
    std::vector<std::uint64_t> out(std::size_t{2} * n);
    const Operand operand = a;
    vyre::apply(MathFn::frexp, types_, a.type, {&operand, 1}, out);
    vyre::apply(MathFn::modf, types_, a.type, {&operand, 1}, out);
    check(f, out);
    call(MathFn::length, f, type(f, 1), 1, {a});
    call(MathFn::distance, f, type(f, 1), 1, {a, b});
    if (n == 1) return;
    call(MathFn::dot, f, type(f, 1), 1, {a, b});
    call(MathFn::normalize, f, a.type, n, {a});
    call(MathFn::face_forward, f, a.type, n, {a, b, c});
    call(MathFn::reflect, f, a.type, n, {a, b});
    call(MathFn::refract, f, a.type, n, {a, b, draw(f, 1)});
    if (n == 3) call(MathFn::cross, f, a.type, n, {a, b});
  }

  void integer_functions(std::uint32_t n) {
    const ScalarKind kind = kind_of({ScalarKind::i32, ScalarKind::u32});
    static constexpr MathFn kOne[] = {MathFn::abs,
                                      MathFn::sign,
                                      MathFn::count_leading_zeros,
                                      MathFn::count_one_bits,
                                      MathFn::count_trailing_zeros,
                                      MathFn::first_leading_bit,
                                      MathFn::first_trailing_bit,
                                      MathFn::reverse_bits};
    const Value a = draw(kind, n), b = draw(kind, n), c = draw(kind, n);
    const Value offset = draw(ScalarKind::u32, 1), count = draw(ScalarKind::u32, 1);
    call(kOne[in_.byte() % std::size(kOne)], kind, a.type, n, {a});
    call(MathFn::clamp, kind, a.type, n, {a, b, c});
    call(MathFn::extract_bits, kind, a.type, n, {a, offset, count});
    call(MathFn::insert_bits, kind, a.type, n, {a, b, offset, count});
    if (n > 1) call(MathFn::dot, kind, type(kind, 1), 1, {a, b});
  }

  void matrices() {
    const ScalarKind f = kind_of({ScalarKind::f32, ScalarKind::f16, ScalarKind::abstract_float});
    const std::uint32_t columns = in_.byte() % 3 + 2, rows = in_.byte() % 3 + 2;
    const Value m = draw(f, columns * rows, columns), t = draw(f, rows * columns, rows);
    const Value v = draw(f, columns), s = draw(f, 1), square = draw(f, rows * rows, rows);
    std::vector<std::uint64_t> out(16);
    vyre::apply(vyre::BinaryOp::mul, types_, square.type, m, t,
                std::span(out).first(std::size_t{rows} * rows));
    vyre::apply(vyre::BinaryOp::mul, types_, type(f, rows), m, v, std::span(out).first(rows));
    vyre::apply(vyre::BinaryOp::mul, types_, type(f, rows), v, t, std::span(out).first(rows));
    vyre::apply(vyre::BinaryOp::mul, types_, m.type, m, s,
                std::span(out).first(std::size_t{columns} * rows));
    check(f, out);
    call(MathFn::determinant, f, type(f, 1), 1, {square});
    call(MathFn::transpose, f, t.type, rows * columns, {m});
  }

  void packing() {
    const ScalarKind f = ScalarKind::f32, u = ScalarKind::u32, i = ScalarKind::i32;
    const Value word = draw(u, 1);
    call(MathFn::pack4x8_snorm, u, type(u, 1), 1, {draw(f, 4)});
    call(MathFn::pack4x8_unorm, u, type(u, 1), 1, {draw(f, 4)});
    call(MathFn::pack2x16_snorm, u, type(u, 1), 1, {draw(f, 2)});
    call(MathFn::pack2x16_unorm, u, type(u, 1), 1, {draw(f, 2)});
    call(MathFn::pack2x16_float, u, type(u, 1), 1, {draw(f, 2)});
    call(MathFn::pack4x_i8_clamp, u, type(u, 1), 1, {draw(i, 4)});
    call(MathFn::pack4x_u8_clamp, u, type(u, 1), 1, {draw(u, 4)});
    call(MathFn::unpack4x8_snorm, f, type(f, 4), 4, {word});
    call(MathFn::unpack4x8_unorm, f, type(f, 4), 4, {word});
    call(MathFn::unpack2x16_snorm, f, type(f, 2), 2, {word});
    call(MathFn::unpack2x16_float, f, type(f, 2), 2, {word});
    call(MathFn::dot4_i8_packed, i, type(i, 1), 1, {word, word});
  }

  Input in_;
  vyre::TypeTable types_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bench({data, size}).run();
  return 0;
}
