// Statements: control flow, scopes, behaviour.
#include <gtest/gtest.h>

#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

using Ints = std::vector<std::int32_t>;

TEST(Statements, LoopsBecomeOneKindOfLoop) {
  EXPECT_EQ(body_text("for (var i = 0; i < 3; i++) { if (i == 1) { continue; } }\n"
                      "while (true) { break; }\n"
                      "loop { var x = 1; continuing { x += 1; break if x > 3; } }"),
            "var %i: i32 = 0i\n"
            "loop {\n"
            "  if !(load %i < 3i) {\n"
            "    break\n"
            "  }\n"
            "  if (load %i == 1i) {\n"
            "    continue\n"
            "  }\n"
            "  continuing {\n"
            "    %i = (load %i + 1i)\n"
            "  }\n"
            "}\n"
            "loop {\n"
            "  if !true {\n"
            "    break\n"
            "  }\n"
            "  break\n"
            "}\n"
            "loop {\n"
            "  var %x: i32 = 1i\n"
            "  continuing {\n"
            "    %x = (load %x + 1i)\n"
            "    break if (load %x > 3i)\n"
            "  }\n"
            "}\n");
}

TEST(Statements, SwitchesSelectOneClause) {
  EXPECT_EQ(run_body_i32("for (var i = 0; i < 6; i++) { switch (i) { case 0: { out[i] = 10; } case "
                         "1, 2: { if (i == 2) { break; } out[i] = 20; } case k, default { out[i] = "
                         "30; } case 4: { continue; } } out[i] += 1; }",
                         6, "const k = 3;"),
            (Ints{11, 21, 1, 31, 0, 31}));
  EXPECT_EQ(body_text("let x = 1u; switch (x) { case 2, 3u { } default { } }"),
            "let %x: u32 = 1u\n"
            "switch %x {\n"
            "  case 2u, 3u {\n"
            "  }\n"
            "  default {\n"
            "  }\n"
            "}\n");
}

TEST(Statements, SwitchErrors) {
  EXPECT_EQ(body_errors("var x = 1; switch (x) { case 1 {} }"),
            "1:19: this switch has no default\n");
  EXPECT_EQ(body_errors("var x = 1; switch (x) { default {} case 2, default {} }"),
            "1:36: a switch has one default; this is the second\n");
  EXPECT_EQ(body_errors("var x = 1; switch (x) { case 1, 2 {} case 2 {} default {} }"),
            "1:43: the selector 2 is given twice\n");
  EXPECT_EQ(body_errors("var x = 1; switch (x) { case 1u {} default {} }"),
            "1:30: the selectors of a switch have one type; this is u32, those before are i32\n");
  EXPECT_EQ(body_errors("var x = 1; switch (x) { case x {} default {} }"),
            "1:30: a case selector must be a constant expression\n");
  EXPECT_EQ(body_errors("switch (1.5) { default {} }"),
            "1:8: 'switch' works on i32 and u32; this is AbstractFloat\n");
}

TEST(Statements, ConditionsAreBool) {
  EXPECT_EQ(
      body_errors("if (1) {} while (2.5) {} for (; 3; ) {} loop { continuing { break if 4; } }"),
      "1:4: an 'if' condition is a bool; this is AbstractInt\n"
      "1:17: a 'while' condition is a bool; this is AbstractFloat\n"
      "1:33: a 'for' condition is a bool; this is AbstractInt\n"
      "1:70: a 'break if' condition is a bool; this is AbstractInt\n");
}

TEST(Statements, ScopesNest) {
  EXPECT_EQ(run_body_i32(
                "let x = 1; { let x = x + 1; out[0] = x; { let x = x * 5; out[1] = x; } "
                "} out[2] = x; for (var x = 7; x < 8; x++) { out[3] = x; let y = x; } out[4] = x;",
                5),
            (Ints{2, 10, 1, 7, 1}));
  EXPECT_EQ(body_errors("let a = 1; let a = 2;"), "1:16: 'a' is declared twice in this scope\n");
  EXPECT_EQ(body_errors("{ let a = 1; } let b = a;"), "1:24: unknown name 'a'\n");
  EXPECT_EQ(body_errors("let a = a;"), "1:9: unknown name 'a'\n");
  EXPECT_EQ(error_text("fn f(a: i32) { let a = 1; }"),
            "1:20: 'a' is declared twice in this scope\n");
}

TEST(Statements, ParametersAreNoNamesOfTheHeader) {
  EXPECT_EQ(error_text("struct S { a: i32 } fn f(S: i32, b: S) -> S { return b; }"), "");
}

TEST(Statements, FunctionsReturnOnAllPaths) {
  EXPECT_EQ(error_text("fn f(a: bool) -> i32 { if (a) { return 1; } else { return 2; } }"), "");
  EXPECT_EQ(error_text("fn f(a: bool) -> i32 { loop { if (a) { return 1; } } }"), "");
  EXPECT_EQ(
      error_text(
          "fn f(a: i32) -> i32 { switch (a) { case 1 { return 1; } default { return 2; } } }"),
      "");
  EXPECT_EQ(error_text("fn f(a: bool) -> i32 { if (a) { return 1; } }"),
            "1:45: 'f' can end without returning a value of type i32\n");
  EXPECT_EQ(
      error_text("fn f(a: i32) -> i32 { switch (a) { case 1 { return 1; } default { break; } } }"),
      "1:78: 'f' can end without returning a value of type i32\n");
  EXPECT_EQ(error_text("fn f(a: bool) -> i32 { while (a) { return 1; } }"),
            "1:48: 'f' can end without returning a value of type i32\n");
  EXPECT_EQ(error_text("fn f() -> i32 { return 1.5; }"),
            "1:24: the returned value is AbstractFloat; it must be i32\n");
  EXPECT_EQ(error_text("fn f() -> i32 { return; }"), "1:17: 'f' must return a value of type i32\n");
  EXPECT_EQ(error_text("fn f() { return 1; }"), "1:17: 'f' returns nothing\n");
}

TEST(Statements, CodeThatIsNeverReachedIsAccepted) {
  EXPECT_EQ(run_body_i32("out[0] = f(); if (true) { return; } out[1] = 2;", 2,
                         "fn f() -> i32 { return 1; return 2; }"),
            (Ints{1, 0}));
}

TEST(Statements, LoopsMustHaveAWayOut) {
  EXPECT_EQ(body_errors("loop { }"), "1:1: this loop never ends\n");
  EXPECT_EQ(body_errors("for (;;) { }"), "1:1: this loop never ends\n");
  EXPECT_EQ(body_errors("loop { return; }"), "");
  EXPECT_EQ(body_errors("for (;;) { break; }"), "");
}

TEST(Statements, JumpsStandWhereTheyCan) {
  EXPECT_EQ(body_errors("break;"), "1:1: 'break' stands in no loop and no switch\n");
  EXPECT_EQ(body_errors("continue;"), "1:1: 'continue' stands in no loop\n");
  EXPECT_EQ(body_errors("switch (1) { default { continue; } }"),
            "1:24: 'continue' stands in no loop\n");
  EXPECT_EQ(body_errors("loop { break; continuing { continue; } }"),
            "1:28: 'continue' cannot stand in 'continuing'\n");
  EXPECT_EQ(body_errors("loop { break; continuing { if (true) { break; } } }"),
            "1:40: 'break' cannot stand in 'continuing' [end the continuing block with 'break if "
            "condition;']\n");
  EXPECT_EQ(body_errors("loop { break; continuing { return; } }"),
            "1:28: 'return' cannot stand in 'continuing'\n");
  EXPECT_EQ(body_errors("loop { break; continuing { loop { break; } } }"), "");
  EXPECT_EQ(body_errors("discard;"),
            "1:1: 'discard' exists in fragment shaders only; the compute shader 'main' uses it\n");
}

TEST(Statements, ContinueDoesNotSkipWhatContinuingUses) {
  EXPECT_EQ(
      body_errors("var i = 0; loop { if (i > 2) { break; } let a = 1; if (i > 1) { continue; } "
                  "continuing { i += a; } }"),
      "");
  EXPECT_EQ(
      body_errors("var i = 0; loop { if (i > 2) { break; } if (i > 1) { continue; } let a = 1; "
                  "continuing { i += a; } }"),
      "1:95: 'a' may not be declared yet when 'continuing' uses it\n");
}

TEST(Statements, IncrementsTakeIntegers) {
  EXPECT_EQ(run_body_i32("var a = array(5, 6); var i = 0; a[i]++; a[1]--; i--; out[0] = a[0]; "
                         "out[1] = a[1]; out[2] = i;",
                         3),
            (Ints{6, 5, -1}));
  EXPECT_EQ(body_errors("var a = 1.5; a++;"),
            "1:14: '++' takes a variable of type i32 or u32; this is f32\n");
}

TEST(Statements, ResultsMustBeUsed) {
  EXPECT_EQ(body_errors("max(1, 2);"),
            "1:1: the result of 'max' is not used [use it, or write '_ = ' in front]\n");
  EXPECT_EQ(body_errors("i32(1);"),
            "1:1: the result of 'i32' is not used [use it, or write '_ = ' in front]\n");
  EXPECT_EQ(body_errors("f();", "@must_use fn f() -> i32 { return 1; }"),
            "1:1: the result of 'f' is not used [use it, or write '_ = ' in front]\n");
  EXPECT_EQ(body_errors("f(); _ = max(1, 2);", "fn f() -> i32 { return 1; }"), "");
  EXPECT_EQ(error_text("@must_use fn f() {}"), "1:1: 'f' returns nothing that must be used\n");
}

TEST(Statements, CallsMatchTheirParameters) {
  constexpr std::string_view kModule = "fn f(a: i32, b: f32) {}";
  EXPECT_EQ(body_errors("f(1, 2);", kModule), "");
  EXPECT_EQ(body_errors("f(1);", kModule), "1:1: 'f' takes 2 arguments; 1 given\n");
  EXPECT_EQ(body_errors("f(1u, 2i);", kModule),
            "1:3: argument 1 of 'f' is u32; it must be i32\n"
            "1:7: argument 2 of 'f' is i32; it must be f32\n");
  EXPECT_EQ(body_errors("main();"), "1:1: recursion is not possible: 'main' uses 'main'\n");
  EXPECT_EQ(error_text("@compute @workgroup_size(1) fn a() {} fn b() { a(); }"),
            "1:48: the entry point 'a' cannot be called\n");
}

TEST(Statements, LocalsLiveInFunctionMemory) {
  EXPECT_EQ(body_errors("var<function> a = 1; var<private> b = 2;"),
            "1:26: a variable in a function lives in 'function' memory, not 'private' [declare it "
            "outside of functions]\n");
  EXPECT_EQ(body_errors("var a: atomic<i32>;"),
            "1:5: 'a' cannot be a variable of type atomic<i32> in a function\n");
  EXPECT_EQ(body_errors("var a: i32 = 1.5;"),
            "1:14: the value of 'a' is AbstractFloat; it must be i32\n");
}

}  // namespace
}  // namespace vyre
