#include "vyre/ir/fuse_multiply_add.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/interpret/interpret.h"
#include "vyre/ir/kernel.h"
#include "vyre/ir/print.h"
#include "vyre/ir/validate/validate.h"

namespace vyre {
namespace {

// What is stored after contraction, given what is written; four values of type `f32` (or of `of`).
std::string contracted(
    const std::function<Value(Value, Value, Value, Value)>& make,
    const std::function<TypeId(ProgramBuilder&)>& of = [](ProgramBuilder& b) { return b.f32; }) {
  ProgramBuilder b("f");
  const TypeId type = of(b);
  Ref in = b.storage_read("in", b.array(type, 4));
  Ref out = b.storage("out", type);
  Value a = b.let("a", in[0u]);
  Value c = b.let("b", in[1u]);
  Value d = b.let("c", in[2u]);
  Value e = b.let("d", in[3u]);
  out = make(a, c, d, e);
  auto program = std::move(b).build();
  EXPECT_TRUE(program) << (program ? "" : program.error().what);
  if (!program) return "";
  contract_multiply_add(*program);
  EXPECT_TRUE(validate(*program).empty());
  const std::string text = print(*program);
  const std::size_t at = text.find("@out = ") + 7;
  return text.substr(at, text.find('\n', at) - at);
}

TEST(Contract, FusesProductsWithSums) {
  EXPECT_EQ(contracted([](auto a, auto b, auto c, auto) { return a * b + c; }), "fma(%a, %b, %c)");
  EXPECT_EQ(contracted([](auto a, auto b, auto c, auto) { return c + a * b; }), "fma(%a, %b, %c)");
  EXPECT_EQ(contracted([](auto a, auto b, auto c, auto) { return a * b - c; }), "fma(%a, %b, -%c)");
  EXPECT_EQ(contracted([](auto a, auto b, auto c, auto) { return c - a * b; }), "fma(-%a, %b, %c)");
}

TEST(Contract, TheLeftProductComesFirst) {
  EXPECT_EQ(contracted([](auto a, auto b, auto c, auto d) { return a * b + c * d; }),
            "fma(%a, %b, (%c * %d))");
  EXPECT_EQ(contracted([](auto a, auto b, auto c, auto d) { return a * b - c * d; }),
            "fma(%a, %b, -(%c * %d))");
}

TEST(Contract, ReachesIntoExpressions) {
  EXPECT_EQ(contracted([](auto a, auto b, auto c, auto d) { return (a * b + c) * d + a; }),
            "fma(fma(%a, %b, %c), %d, %a)");
  EXPECT_EQ(contracted([](auto a, auto b, auto c, auto d) { return (a * b + c) + d; }),
            "(fma(%a, %b, %c) + %d)");
}

TEST(Contract, LeavesOtherThingsAlone) {
  const auto integers = [](ProgramBuilder& b) { return b.u32; };
  EXPECT_EQ(contracted([](auto a, auto b, auto c, auto) { return a * b + c; }, integers),
            "((%a * %b) + %c)");
  EXPECT_EQ(contracted([](auto a, auto b, auto c, auto) { return a / b + c; }), "((%a / %b) + %c)");
  EXPECT_EQ(contracted([](auto a, auto b, auto, auto) { return -(a * b); }), "-(%a * %b)");
}

TEST(Contract, WorksOnVectorsAndHalves) {
  const auto vectors = [](ProgramBuilder& b) { return b.vec(b.f32, 3); };
  const auto halves = [](ProgramBuilder& b) { return b.f16; };
  const auto sum = [](auto a, auto b, auto c, auto) { return a * b + c; };
  EXPECT_EQ(contracted(sum, vectors), "fma(%a, %b, %c)");
  EXPECT_EQ(contracted(sum, halves), "fma(%a, %b, %c)");
}

TEST(Contract, ProductsOfMatricesAreNotFused) {
  ProgramBuilder b("f");
  Ref m = b.storage_read("m", b.mat(b.f32, 2, 2));
  Ref v = b.storage("v", b.vec(b.f32, 2));
  v = m * v + v;
  auto program = std::move(b).build();
  ASSERT_TRUE(program) << program.error().what;
  contract_multiply_add(*program);
  EXPECT_NE(print(*program).find("@v = ((load @m * load @v) + load @v)"), std::string::npos);
}

TEST(Contract, DoesNotCrossALet) {
  ProgramBuilder b("f");
  Ref x = b.storage("x", b.f32);
  Value product = b.let("product", x * x);
  x = product + 1.0F;
  auto program = std::move(b).build();
  ASSERT_TRUE(program);
  contract_multiply_add(*program);
  EXPECT_NE(print(*program).find("@x = (%product + 1f)"), std::string::npos);
}

TEST(Contract, IsDoneOnce) {
  ProgramBuilder b("f");
  Ref x = b.storage("x", b.f32);
  x = x * x + x;
  auto program = std::move(b).build();
  ASSERT_TRUE(program);
  contract_multiply_add(*program);
  const std::string once = print(*program);
  contract_multiply_add(*program);
  EXPECT_EQ(print(*program), once);
}

TEST(Contract, KernelsRoundOnce) {
  ProgramBuilder b("f", {1, 1, 1});
  Ref x = b.storage("x", b.array(b.f32, 3));
  x[2u] = x[0u] * x[0u] - x[1u];
  auto program = std::move(b).build();
  ASSERT_TRUE(program);
  const auto kernel = make_kernel(*std::move(program));
  ASSERT_TRUE(kernel);
  const float a = 1.0F + std::ldexp(1.0F, -12);
  const float square = a * a;
  float data[3] = {a, square, 0};
  const BoundBuffer buffers[] = {{0, 0, std::as_writable_bytes(std::span(data))}};
  ASSERT_TRUE(interpret(*kernel, buffers, {}));
  EXPECT_EQ(data[2], std::fma(a, a, -square));
  EXPECT_NE(data[2], 0.0F);
}

}  // namespace
}  // namespace vyre
