// Every operation through the interpreter gives the bits that `apply` gives, whatever path it
// takes.
#include <gtest/gtest.h>

#include "vyre/ir/interpret/interpret_testing.h"
#include "vyre/ir/operation_testing.h"

namespace vyre {
namespace {

// A kernel that reads its operands from private memory, so that they are not constants, and writes
// the flattened result to a buffer of words.
struct Bench {
  KernelWriter k;
  ExprId out = k.buffer("out", k.runtime_array(k.u32));
  std::vector<std::uint64_t> expected;
  std::uint32_t at = 0;

  Bench() { k.begin("main"); }

  TypeId type(const TestValue& v) { return v.type(k.program.types); }
  // Alternately out of a variable and out of a let.
  ExprId operand(const TestValue& v) {
    const ExprId constant = k.writer.constant(type(v), v.bits);
    return at % 2 == 0 ? k.load(k.var(constant)) : k.let(constant);
  }
  void store_scalar(ExprId value) {
    const ScalarKind kind = *k.program.types.scalar_kind(k.type_of(value));
    ExprId word = value;
    if (kind == ScalarKind::boolean) {
      word = k.select(k.u(0), k.u(1), value);
    } else if (kind == ScalarKind::f16) {
      word = k.bitcast(k.u32, k.construct(k.vec(ScalarKind::f16, 2), {value, k.h(0)}));
    } else {
      word = k.bitcast(k.u32, value);
    }
    k.store(k.at(out, at++), word);
  }
  // Goes through a variable or is stored as it is.
  void check(ExprId value, const std::vector<std::uint64_t>& bits) {
    const TypeId type = k.type_of(value);
    ExprId whole = value;
    if (at % 3 == 0) {
      whole = k.let(value);
    } else if (at % 3 == 1) {
      const ExprId var = k.var(type);
      k.store(var, value);
      whole = k.load(var);
    }
    store_parts(whole);
    expected.insert(expected.end(), bits.begin(), bits.end());
  }
  void store_parts(ExprId value) {
    const TypeId type = k.type_of(value);
    const std::uint32_t n = k.program.types.component_count(type);
    if (n == 0) return store_scalar(value);
    const bool is_struct = k.program.types.get_if<StructType>(type) != nullptr;
    for (std::uint32_t i = 0; i < n; ++i) {
      store_parts(is_struct ? k.member(value, i) : k.at(value, i));
    }
  }
  void run() {
    k.end();
    std::vector<std::uint32_t> got(at);
    const auto report = run_with(k.finish(), {1, 1, 1}, got);
    ASSERT_TRUE(report) << describe(report.error());
    ASSERT_EQ(expected.size(), got.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], expected[i]) << "word " << i;
  }
};

struct Draw {
  std::mt19937_64 engine{31};
  TestValue operator()(ScalarKind kind, std::uint32_t n, std::uint32_t columns = 0) {
    static const auto words = word_samples(100);
    static const auto singles = float_samples(kF32, 100), halves = float_samples(kF16, 100);
    TestValue out{kind, {}, columns};
    for (std::uint32_t i = 0; i < n; ++i) {
      switch (kind) {
        case ScalarKind::boolean: out.bits.push_back(engine() % 2); break;
        case ScalarKind::f32: out.bits.push_back(singles[engine() % singles.size()]); break;
        case ScalarKind::f16: out.bits.push_back(halves[engine() % halves.size()]); break;
        default: out.bits.push_back(words[engine() % words.size()]); break;
      }
    }
    return out;
  }
};

constexpr ScalarKind kKinds[] = {ScalarKind::boolean, ScalarKind::i32, ScalarKind::u32,
                                 ScalarKind::f32, ScalarKind::f16};

bool allowed(BinaryOp op, ScalarKind kind) {
  const bool is_bool = kind == ScalarKind::boolean;
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::mul:
    case BinaryOp::div:
    case BinaryOp::rem:
    case BinaryOp::less:
    case BinaryOp::less_equal:
    case BinaryOp::greater:
    case BinaryOp::greater_equal: return !is_bool;
    case BinaryOp::equal:
    case BinaryOp::not_equal: return true;
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: return is_bool;
    case BinaryOp::bit_and:
    case BinaryOp::bit_or: return !is_float(kind);
    case BinaryOp::bit_xor:
    case BinaryOp::shift_left:
    case BinaryOp::shift_right: return kind == ScalarKind::i32 || kind == ScalarKind::u32;
  }
  return false;
}

TEST(InterpretedValues, OperatorsMatchApply) {
  Bench b;
  Draw draw;
  for (const ScalarKind kind : kKinds) {
    for (std::uint32_t n = 1; n <= 4; ++n) {
      for (int op = 0; op <= static_cast<int>(BinaryOp::shift_right); ++op) {
        const auto binary = static_cast<BinaryOp>(op);
        if (!allowed(binary, kind)) continue;
        if ((op == static_cast<int>(BinaryOp::logical_and) ||
             op == static_cast<int>(BinaryOp::logical_or)) &&
            n > 1) {
          continue;
        }
        const bool shifts = op >= static_cast<int>(BinaryOp::shift_left);
        const bool compares = binary >= BinaryOp::equal && binary <= BinaryOp::greater_equal;
        for (int round = 0; round < 6; ++round) {
          const TestValue x = draw(kind, n), y = draw(shifts ? ScalarKind::u32 : kind, n);
          const Outcome expected = call(binary, x, y, compares ? ScalarKind::boolean : kind, n);
          const ExprId left = b.operand(x), right = b.operand(y);
          b.check(b.k.binary(binary, left, right), expected.out);
        }
      }
      for (const UnaryOp op : {UnaryOp::negate, UnaryOp::logical_not, UnaryOp::bit_not}) {
        const bool fits = op == UnaryOp::logical_not ? kind == ScalarKind::boolean
                          : op == UnaryOp::bit_not
                              ? kind == ScalarKind::i32 || kind == ScalarKind::u32
                              : is_float(kind) || kind == ScalarKind::i32;
        if (!fits) continue;
        const TestValue x = draw(kind, n);
        std::vector<std::uint64_t> out;
        for (const std::uint64_t bits : x.bits) {
          Scalar result;
          apply(op, {kind, bits}, result);
          out.push_back(result.bits);
        }
        b.check(b.k.unary(op, b.operand(x)), out);
      }
    }
  }
  b.run();
}

TEST(InterpretedValues, ConversionsMatchApply) {
  Bench b;
  Draw draw;
  for (const ScalarKind from : kKinds) {
    for (const ScalarKind to : kKinds) {
      for (std::uint32_t n = 1; n <= 4; ++n) {
        for (int round = 0; round < 6; ++round) {
          const TestValue x = draw(from, n);
          std::vector<std::uint64_t> out;
          for (const std::uint64_t bits : x.bits) {
            Scalar result;
            convert({from, bits}, to, result);
            out.push_back(result.bits);
          }
          const TypeId type =
              TestValue{to, std::vector<std::uint64_t>(n), 0}.type(b.k.program.types);
          b.check(b.k.convert(type, b.operand(x)), out);
        }
      }
    }
  }
  b.run();
}

TEST(InterpretedValues, FunctionsMatchApply) {
  struct Form {
    MathFn fn;
    std::vector<ScalarKind> arguments;  // of one shape
    ScalarKind result;
  };
  std::vector<Form> forms;
  for (const ScalarKind f : {ScalarKind::f32, ScalarKind::f16}) {
    for (const MathFn fn :
         {MathFn::abs,          MathFn::acos,  MathFn::acosh, MathFn::asin,    MathFn::asinh,
          MathFn::atan,         MathFn::atanh, MathFn::ceil,  MathFn::cos,     MathFn::cosh,
          MathFn::degrees,      MathFn::exp,   MathFn::exp2,  MathFn::floor,   MathFn::fract,
          MathFn::inverse_sqrt, MathFn::log,   MathFn::log2,  MathFn::radians, MathFn::round,
          MathFn::saturate,     MathFn::sign,  MathFn::sin,   MathFn::sinh,    MathFn::sqrt,
          MathFn::tan,          MathFn::tanh,  MathFn::trunc}) {
      forms.push_back({fn, {f}, f});
    }
    for (const MathFn fn : {MathFn::atan2, MathFn::max, MathFn::min, MathFn::pow, MathFn::step}) {
      forms.push_back({fn, {f, f}, f});
    }
    for (const MathFn fn : {MathFn::clamp, MathFn::fma, MathFn::mix, MathFn::smoothstep}) {
      forms.push_back({fn, {f, f, f}, f});
    }
    forms.push_back({MathFn::ldexp, {f, ScalarKind::i32}, f});
  }
  forms.push_back({MathFn::quantize_to_f16, {ScalarKind::f32}, ScalarKind::f32});
  for (const ScalarKind i : {ScalarKind::i32, ScalarKind::u32}) {
    for (const MathFn fn : {MathFn::abs, MathFn::count_leading_zeros, MathFn::count_one_bits,
                            MathFn::count_trailing_zeros, MathFn::first_leading_bit,
                            MathFn::first_trailing_bit, MathFn::reverse_bits}) {
      forms.push_back({fn, {i}, i});
    }
    forms.push_back({MathFn::max, {i, i}, i});
    forms.push_back({MathFn::min, {i, i}, i});
    forms.push_back({MathFn::clamp, {i, i, i}, i});
  }
  forms.push_back({MathFn::sign, {ScalarKind::i32}, ScalarKind::i32});
  Bench b;
  Draw draw;
  for (const Form& form : forms) {
    for (std::uint32_t n = 1; n <= 4; ++n) {
      std::vector<TestValue> in;
      for (const ScalarKind kind : form.arguments) in.push_back(draw(kind, n));
      const Outcome expected = call(form.fn, form.result, n, in);
      std::vector<ExprId> arguments;
      for (const TestValue& v : in) arguments.push_back(b.operand(v));
      const TypeId type =
          TestValue{form.result, std::vector<std::uint64_t>(n), 0}.type(b.k.program.types);
      b.check(b.k.math(type, form.fn, arguments), expected.out);
    }
  }
  b.run();
}

TEST(InterpretedValues, FunctionsOfOtherShapesMatchApply) {
  Bench b;
  Draw draw;
  auto& types = b.k.program.types;
  const auto check = [&](MathFn fn, TypeId type, ScalarKind result, std::uint32_t count,
                         const std::vector<TestValue>& in, std::uint32_t columns = 0) {
    const Outcome expected = call(fn, result, count, in, columns);
    std::vector<ExprId> arguments;
    for (const TestValue& v : in) arguments.push_back(b.operand(v));
    b.check(b.k.math(type, fn, arguments), expected.out);
  };
  const ScalarKind u = ScalarKind::u32, i = ScalarKind::i32;
  for (const ScalarKind f : {ScalarKind::f32, ScalarKind::f16}) {
    for (std::uint32_t n = 2; n <= 4; ++n) {
      const TypeId vec = types.vector(f, n), scalar = types.scalar(f);
      check(MathFn::dot, scalar, f, 1, {draw(f, n), draw(f, n)});
      check(MathFn::length, scalar, f, 1, {draw(f, n)});
      check(MathFn::distance, scalar, f, 1, {draw(f, n), draw(f, n)});
      check(MathFn::normalize, vec, f, n, {draw(f, n)});
      check(MathFn::face_forward, vec, f, n, {draw(f, n), draw(f, n), draw(f, n)});
      check(MathFn::reflect, vec, f, n, {draw(f, n), draw(f, n)});
      check(MathFn::refract, vec, f, n, {draw(f, n), draw(f, n), draw(f, 1)});
      check(MathFn::mix, vec, f, n, {draw(f, n), draw(f, n), draw(f, 1)});
      check(MathFn::determinant, scalar, f, 1, {draw(f, n * n, n)});
      for (std::uint32_t rows = 2; rows <= 4; ++rows) {
        check(MathFn::transpose, types.matrix(f, rows, n), f, n * rows, {draw(f, n * rows, n)},
              rows);
        const TestValue m = draw(f, n * rows, n), v = draw(f, n), w = draw(f, rows);
        const TestValue m2 = draw(f, 3 * n, 3), s = draw(f, 1), m3 = draw(f, n * rows, n);
        const auto product = [&](const TestValue& x, const TestValue& y, TypeId type,
                                 std::uint32_t count, std::uint32_t columns, BinaryOp op) {
          const Outcome expected = call(op, x, y, f, count, columns);
          const ExprId left = b.operand(x), right = b.operand(y);
          b.check(b.k.binary_as(type, op, left, right), expected.out);
        };
        product(m, v, types.vector(f, rows), rows, 0, BinaryOp::mul);
        product(w, m, types.vector(f, n), n, 0, BinaryOp::mul);
        product(m, m2, types.matrix(f, 3, rows), 3 * rows, 3, BinaryOp::mul);
        product(m, s, types.matrix(f, n, rows), n * rows, n, BinaryOp::mul);
        product(s, m, types.matrix(f, n, rows), n * rows, n, BinaryOp::mul);
        product(m, m3, types.matrix(f, n, rows), n * rows, n, BinaryOp::add);
        product(m, m3, types.matrix(f, n, rows), n * rows, n, BinaryOp::sub);
      }
      const TypeId parts = b.k.structure("frexp", {{"fract", vec}, {"exp", types.vector(i, n)}});
      const TypeId whole = b.k.structure("modf", {{"fract", vec}, {"whole", vec}});
      check(MathFn::frexp, parts, f, 2 * n, {draw(f, n)});
      check(MathFn::modf, whole, f, 2 * n, {draw(f, n)});
    }
    check(MathFn::cross, types.vector(f, 3), f, 3, {draw(f, 3), draw(f, 3)});
    check(MathFn::frexp, b.k.structure("frexp1", {{"fract", types.scalar(f)}, {"exp", b.k.i32}}), f,
          2, {draw(f, 1)});
  }
  for (const ScalarKind kind : {i, u}) {
    for (std::uint32_t n = 1; n <= 4; ++n) {
      const TypeId type = n == 1 ? types.scalar(kind) : types.vector(kind, n);
      check(MathFn::extract_bits, type, kind, n, {draw(kind, n), draw(u, 1), draw(u, 1)});
      check(MathFn::insert_bits, type, kind, n,
            {draw(kind, n), draw(kind, n), draw(u, 1), draw(u, 1)});
      if (n > 1) check(MathFn::dot, types.scalar(kind), kind, 1, {draw(kind, n), draw(kind, n)});
      if (kind == u) {
        check(MathFn::all, b.k.boolean, ScalarKind::boolean, 1, {draw(ScalarKind::boolean, n)});
        check(MathFn::any, b.k.boolean, ScalarKind::boolean, 1, {draw(ScalarKind::boolean, n)});
      }
    }
  }
  check(MathFn::dot4_u8_packed, b.k.u32, u, 1, {draw(u, 1), draw(u, 1)});
  check(MathFn::dot4_i8_packed, b.k.i32, i, 1, {draw(u, 1), draw(u, 1)});
  for (const MathFn fn : {MathFn::pack4x8_snorm, MathFn::pack4x8_unorm}) {
    check(fn, b.k.u32, u, 1, {draw(ScalarKind::f32, 4)});
  }
  for (const MathFn fn : {MathFn::pack2x16_snorm, MathFn::pack2x16_unorm, MathFn::pack2x16_float}) {
    check(fn, b.k.u32, u, 1, {draw(ScalarKind::f32, 2)});
  }
  check(MathFn::pack4x_i8, b.k.u32, u, 1, {draw(i, 4)});
  check(MathFn::pack4x_u8, b.k.u32, u, 1, {draw(u, 4)});
  check(MathFn::pack4x_i8_clamp, b.k.u32, u, 1, {draw(i, 4)});
  check(MathFn::pack4x_u8_clamp, b.k.u32, u, 1, {draw(u, 4)});
  for (const MathFn fn : {MathFn::unpack4x8_snorm, MathFn::unpack4x8_unorm}) {
    check(fn, types.vector(ScalarKind::f32, 4), ScalarKind::f32, 4, {draw(u, 1)});
  }
  for (const MathFn fn :
       {MathFn::unpack2x16_snorm, MathFn::unpack2x16_unorm, MathFn::unpack2x16_float}) {
    check(fn, types.vector(ScalarKind::f32, 2), ScalarKind::f32, 2, {draw(u, 1)});
  }
  check(MathFn::unpack4x_i8, types.vector(i, 4), i, 4, {draw(u, 1)});
  check(MathFn::unpack4x_u8, types.vector(u, 4), u, 4, {draw(u, 1)});
  b.run();
}

TEST(InterpretedValues, SelectChoosesWholesAndComponents) {
  Bench b;
  Draw draw;
  for (const ScalarKind kind : kKinds) {
    for (std::uint32_t n = 1; n <= 4; ++n) {
      for (int round = 0; round < 4; ++round) {
        const TestValue x = draw(kind, n), y = draw(kind, n);
        const TestValue one = draw(ScalarKind::boolean, 1), each = draw(ScalarKind::boolean, n);
        const ExprId on_false = b.operand(x), on_true = b.operand(y);
        b.check(b.k.select(on_false, on_true, b.operand(one)), one.bits[0] != 0 ? y.bits : x.bits);
        if (n == 1) continue;
        std::vector<std::uint64_t> mixed;
        for (std::uint32_t i = 0; i < n; ++i) {
          mixed.push_back(each.bits[i] != 0 ? y.bits[i] : x.bits[i]);
        }
        b.check(b.k.select(on_false, on_true, b.operand(each)), mixed);
      }
    }
  }
  b.run();
}

TEST(InterpretedValues, BitcastsKeepBitsOfEveryShape) {
  Bench b;
  Draw draw;
  auto& types = b.k.program.types;
  const ScalarKind h = ScalarKind::f16;
  for (const ScalarKind kind : {ScalarKind::i32, ScalarKind::u32, ScalarKind::f32}) {
    const TestValue two = draw(h, 2), four = draw(h, 4), word = draw(kind, 1), pair = draw(kind, 2);
    b.check(b.k.bitcast(types.scalar(kind), b.operand(two)), {two.bits[0] | two.bits[1] << 16});
    b.check(b.k.bitcast(types.vector(kind, 2), b.operand(four)),
            {four.bits[0] | four.bits[1] << 16, four.bits[2] | four.bits[3] << 16});
    b.check(b.k.bitcast(types.vector(h, 2), b.operand(word)),
            {word.bits[0] & 0xFFFF, word.bits[0] >> 16});
    b.check(b.k.bitcast(types.vector(h, 4), b.operand(pair)),
            {pair.bits[0] & 0xFFFF, pair.bits[0] >> 16, pair.bits[1] & 0xFFFF, pair.bits[1] >> 16});
  }
  b.run();
}

}  // namespace
}  // namespace vyre
