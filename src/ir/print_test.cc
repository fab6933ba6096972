#include "vyre/ir/print.h"

#include <gtest/gtest.h>

#include <limits>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/writer.h"

namespace vyre {
namespace {

// The text of a value stored by the entry.
std::string stored(const std::function<Value(ProgramBuilder&)>& make,
                   TypeId (*type)(ProgramBuilder&)) {
  ProgramBuilder b("f");
  Ref out = b.private_("out", type(b));
  out = make(b);
  auto program = std::move(b).build();
  EXPECT_TRUE(program) << (program ? "" : program.error().what);
  if (!program) return "";
  const std::string text = print(*program);
  const std::size_t at = text.find("@out = ") + 7;
  return text.substr(at, text.find('\n', at) - at);
}

TypeId f32(ProgramBuilder& b) { return b.f32; }
TypeId f16(ProgramBuilder& b) { return b.f16; }

TEST(Print, NumbersReadBackAsTheyAre) {
  const auto number = [](float v) {
    return stored([v](ProgramBuilder& b) { return b.constant(b.f32, v); }, f32);
  };
  EXPECT_EQ(number(1.0F), "1f");
  EXPECT_EQ(number(0.1F), "0.1f");
  EXPECT_EQ(number(-0.0F), "-0f");
  EXPECT_EQ(number(1e20F), "1e+20f");
  EXPECT_EQ(number(std::numeric_limits<float>::infinity()), "f32(0x7f800000)");
  EXPECT_EQ(stored([](ProgramBuilder& b) { return b.constant(b.f16, 0.5); }, f16), "0.5h");
}

TEST(Print, ConstantsOfAllShapes) {
  Program program;
  program.name = "f";
  Writer w(program);
  TypeTable& types = program.types;
  const TypeId u32 = types.scalar(ScalarKind::u32);
  const TypeId vec2 = types.vector(ScalarKind::i32, 2);
  const TypeId pair = types.structure("Pair", {{"a", vec2}, {"b", types.array(u32, 2)}});
  Function f;
  f.name = "f";
  f.locals = {{"x", LocalKind::let, pair},
              {"x", LocalKind::let, types.scalar(ScalarKind::boolean)}};
  w.open();
  w.stmt(LetStmt{LocalId{0}, w.constant(pair, {1, 0xFFFFFFFF, 3, 4})});
  w.stmt(LetStmt{LocalId{1}, w.constant(Scalar::of(true))});
  f.body = w.close();
  program.functions.push_back(f);
  EXPECT_EQ(print(program), R"(program f
workgroup 1, 1, 1

struct Pair {  // size 16, align 8
  a: vec2<i32>  // offset 0, size 8
  b: array<u32, 2>  // offset 8, size 8
}

entry fn f() {
  let %x: Pair = Pair(vec2<i32>(1i, -1i), array<u32, 2>(3u, 4u))
  let %x_1: bool = true
}
)");
}

TEST(Print, NamesAreMadeUnique) {
  ProgramBuilder b("f");
  Ref first = b.storage("x", b.u32);
  Ref second = b.storage("x", b.u32);
  b.function("f", b.none, {}, [&](auto) { first = 1u; });
  Value a = b.let("a", first);
  Value c = b.let("a", second);
  second = a + c;
  auto program = std::move(b).build();
  ASSERT_TRUE(program) << program.error().what;
  EXPECT_EQ(print(*program), R"(program f
workgroup 64, 1, 1

@group(0) @binding(0) storage read_write @x: u32
@group(0) @binding(1) storage read_write @x_1: u32

fn f() {
  @x = 1u
}

entry fn f_1() {
  let %a: u32 = load @x
  let %a_1: u32 = load @x_1
  @x_1 = (%a + %a_1)
}
)");
}

TEST(Print, WhatIsUnknownIsSaid) {
  Program program;
  Writer w(program);
  program.functions.emplace_back();
  w.open();
  w.stmt(StoreStmt{ExprId{70}, w.expr(TypeId{80}, GlobalPtrExpr{GlobalId{90}})});
  w.stmt(CallStmt{FunctionId{60}, {40, 2}, LocalId{50}});
  program.functions[0].body = w.close();
  const std::string text = print(program);
  EXPECT_NE(text.find("<unknown expression 70> = <unknown global 90>"), std::string::npos) << text;
  EXPECT_NE(text.find("<unknown local 50> = call <unknown function 60>(<unknown list 40>)"),
            std::string::npos)
      << text;
}

TEST(Print, ExpressionsThatContainThemselvesEnd) {
  Program program;
  Writer w(program);
  program.functions.emplace_back();
  const TypeId u32 = program.types.scalar(ScalarKind::u32);
  const ExprId e = w.expr(u32, ZeroExpr{});
  program[e].node = BinaryExpr{BinaryOp::add, e, e};
  w.open();
  w.stmt(ReturnStmt{e});
  program.functions[0].body = w.close();
  EXPECT_LT(print(program).size(), 10000U);
}

}  // namespace
}  // namespace vyre
