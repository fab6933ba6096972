// The order of evaluation: effects become statements, and what WGSL evaluates before them is
// evaluated before them.
#include <gtest/gtest.h>

#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

using Ints = std::vector<std::int32_t>;

// bump() gives 1, 2, 3, ... and is remembered in `n`.
constexpr std::string_view kBump =
    "var<private> n: i32 = 0;\n"
    "fn bump() -> i32 { n++; return n; }\n"
    "fn add(p: ptr<function, i32>, v: i32) -> i32 { *p += v; return *p; }\n"
    "fn yes() -> bool { n += 1; return true; }\n"
    "fn no() -> bool { n += 1; return false; }\n";

TEST(Evaluation, AReadBeforeACallSeesTheOldValue) {
  EXPECT_EQ(run_body_i32("out[0] = n + bump(); out[1] = n; out[2] = bump() - n; "
                         "out[3] = n * 10 + bump() * n;",
                         4, kBump),
            (Ints{1, 1, 0, 29}));
}

TEST(Evaluation, OperandsAreEvaluatedLeftToRight) {
  EXPECT_EQ(run_body_i32("out[0] = bump() * 100 + bump() * 10 + bump();\n"
                         "let v = vec3(bump(), n, bump()); out[1] = v.x * 100 + v.y * 10 + v.z;\n"
                         "out[2] = max(n, bump()) - min(n, bump());",
                         3, kBump),
            (Ints{123, 445, 0}));
}

TEST(Evaluation, PointersIntoChangedVariablesSeeTheNewValue) {
  EXPECT_EQ(run_body_i32("var a = 1; out[0] = a + add(&a, 10) + a; out[1] = a;", 2, kBump),
            (Ints{23, 11}));
}

TEST(Evaluation, ArgumentsAreEvaluatedBeforeTheCall) {
  EXPECT_EQ(run_body_i32("var a = 5; out[0] = three(a, add(&a, 1), a);", 1,
                         std::string(kBump) + "fn three(x: i32, y: i32, z: i32) -> i32 { return x "
                                              "* 100 + y * 10 + z; }"),
            (Ints{566}));
}

TEST(Evaluation, TheTargetOfAnAssignmentIsEvaluatedFirst) {
  EXPECT_EQ(run_body_i32("var i = 0; out[i] = add(&i, 2); out[bump()] = n + bump();", 3, kBump),
            (Ints{2, 3, 0}));
}

TEST(Evaluation, ACompoundAssignmentEvaluatesItsTargetOnce) {
  EXPECT_EQ(
      run_body_i32("out[bump()] += 5; out[0] = n; out[bump()] -= bump(); out[3] = n;", 4, kBump),
      (Ints{1, 5, -3, 3}));
}

TEST(Evaluation, ACompoundAssignmentReadsBeforeItsRightSide) {
  EXPECT_EQ(run_body_i32("var a = 1; a += add(&a, 10); out[0] = a;", 1, kBump), (Ints{12}));
}

TEST(Evaluation, ShortCircuitsSkipEffects) {
  EXPECT_EQ(run_body_i32("let a = no() && yes(); out[0] = n; let b = yes() || yes(); out[1] = n;\n"
                         "let c = yes() && no(); out[2] = n; let d = (no() || yes()) && yes(); "
                         "out[3] = n; out[4] = i32(a) + i32(b) * 2 + i32(c) * 4 + i32(d) * 8;",
                         5, kBump),
            (Ints{1, 2, 4, 7, 10}));
}

TEST(Evaluation, WhatIsReadBeforeAShortCircuitIsReadBeforeIt) {
  EXPECT_EQ(run_body_i32("out[0] = n + select(0, 100, yes() && yes()) + n;", 1, kBump),
            (Ints{102}));
}

TEST(Evaluation, LoopConditionsRunEachTime) {
  EXPECT_EQ(run_body_i32("while (bump() < 4) { out[0] += 1; }\n"
                         "for (var i = 0; i < bump(); i += 3) { out[1] += 1; }\n"
                         "loop { out[2] += 1; continuing { break if bump() > 12; } }\n"
                         "out[3] = n;",
                         4, kBump),
            (Ints{3, 3, 5, 13}));
}

TEST(Evaluation, ConditionsOfElseIfRunOnlyWhenReached) {
  EXPECT_EQ(run_body_i32("if (bump() == 1) { out[0] = 1; } else if (bump() == 2) { out[0] = 2; }\n"
                         "out[1] = n;",
                         2, kBump),
            (Ints{1, 1}));
}

TEST(Evaluation, EffectsAreStatementsInTheIr) {
  EXPECT_EQ(body_text("var a = 1; let x = a + f(&a) * a;",
                      "fn f(p: ptr<function, i32>) -> i32 { *p = 2; return 3; }"),
            "var %a: i32 = 1i\n"
            "let %value: i32 = load %a\n"
            "let %f: i32 = call f(%a)\n"
            "let %x: i32 = (%value + (%f * load %a))\n");
  EXPECT_EQ(body_text("let b = f() && g(); if (g() || f()) { return; }",
                      "fn f() -> bool { return true; } fn g() -> bool { return false; }"),
            "let %f: bool = call f()\n"
            "var %both: bool = %f\n"
            "if load %both {\n"
            "  let %g: bool = call g()\n"
            "  %both = %g\n"
            "}\n"
            "let %b: bool = load %both\n"
            "let %g_4: bool = call g()\n"
            "var %either: bool = %g_4\n"
            "if load %either {\n"
            "} else {\n"
            "  let %f_6: bool = call f()\n"
            "  %either = %f_6\n"
            "}\n"
            "if load %either {\n"
            "  return\n"
            "}\n");
}

TEST(Evaluation, PureShortCircuitsStayExpressions) {
  EXPECT_EQ(body_text("var i = 0; let a = i > 0 && i < 5;"),
            "var %i: i32 = 0i\n"
            "let %a: bool = ((load %i > 0i) && (load %i < 5i))\n");
}

TEST(Evaluation, ReadOnlyMemoryNeedsNoTemporary) {
  EXPECT_EQ(body_text("let x = p + f();",
                      "@group(0) @binding(0) var<uniform> p: i32; fn f() -> "
                      "i32 { return 1; }"),
            "let %f: i32 = call f()\n"
            "let %x: i32 = (load @p + %f)\n");
}

TEST(Evaluation, AtomicsKeepTheirPlace) {
  EXPECT_EQ(run_body_i32("out[0] = atomicAdd(&a, 5) + atomicLoad(&a) * 10 + atomicAdd(&a, 1);\n"
                         "out[1] = atomicLoad(&a);",
                         2, "var<workgroup> a: atomic<i32>;"),
            (Ints{55, 6}));
}

}  // namespace
}  // namespace vyre
