#include <gtest/gtest.h>

#include <string>

#include "vyre/wgsl/parser/ast_testing.h"

namespace vyre {
namespace {

std::string parsed(std::string_view text) { return parse_module_text(text); }

TEST(Module, MayBeEmpty) {
  EXPECT_EQ(parsed(""), "");
  EXPECT_EQ(parsed(" // nothing\n;;"), "");
}

TEST(Module, BeginsWithDirectives) {
  EXPECT_EQ(parsed("enable f16, subgroups,; requires a; diagnostic(off, b.c); enable d;\n"
                   "diagnostic(warning, e,);"),
            "enable f16\n"
            "enable subgroups\n"
            "enable d\n"
            "requires a\n"
            "diagnostic off b.c\n"
            "diagnostic warning e\n");
  EXPECT_EQ(parsed("const a = 1; enable f16;"),
            "error: 'enable' must come before all declarations\n");
  EXPECT_EQ(parsed("enable;"),
            "error: expected the name of an extension after 'enable', found ';'\n");
  EXPECT_EQ(parsed("diagnostic(off);"), "error: expected ',' after the severity, found ')'\n");
}

TEST(Module, DeclaresValues) {
  EXPECT_EQ(parsed("@group(0) @binding(1) var<storage, read_write> a: array<f32>;\n"
                   "var<workgroup> b: array<u32, 4>;\n"
                   "var<private> c = 1;\n"
                   "const d: i32 = 2;\n"
                   "@id(3) override e: f32 = 4;\n"
                   "override f = 5u;\n"
                   "override g: bool;\n"
                   "const_assert d < 3;\n"
                   "alias h = vec2<f32>;"),
            "@group(0) @binding(1) var<storage, read_write> a: array<f32>\n"
            "var<workgroup> b: array<u32, 4>\n"
            "var<private> c = 1\n"
            "const d: i32 = 2\n"
            "@id(3) override e: f32 = 4\n"
            "override f = 5u32\n"
            "override g: bool\n"
            "const_assert (< d 3)\n"
            "alias h = vec2<f32>\n");
}

TEST(Module, DeclaresStructs) {
  EXPECT_EQ(parsed("struct S { a: i32, @size(16) @align(8,) b: array<f32, 2>, } struct T{c:S};"),
            "struct S {\n"
            "  a: i32\n"
            "  @size(16) @align(8) b: array<f32, 2>\n"
            "}\n"
            "struct T {\n"
            "  c: S\n"
            "}\n");
  EXPECT_EQ(parsed("struct S { }"), "error: struct 'S' has no members\n");
}

TEST(Module, DeclaresFunctions) {
  EXPECT_EQ(parsed("@compute @workgroup_size(8, N * 2,)\n"
                   "fn main(@builtin(global_invocation_id) id: vec3<u32>,) { }\n"
                   "@must_use fn f(a: i32, b: ptr<function, f32>) -> i32 { return a; }\n"
                   "fn g() -> @location(0) f32 { return 1; }"),
            "@compute @workgroup_size(8, (* N 2)) fn main(@builtin(global_invocation_id) id: "
            "vec3<u32>) {\n"
            "}\n"
            "@must_use fn f(a: i32, b: ptr<function, f32>) -> i32 {\n"
            "  return a\n"
            "}\n"
            "fn g() -> @location(0) f32 {\n"
            "  return 1\n"
            "}\n");
}

TEST(Module, KeepsWhatBelongsToGraphics) {
  EXPECT_EQ(parsed("@group(0) @binding(0) var t: texture_2d<f32>;\n"
                   "struct V { @builtin(position) @invariant p: vec4f,\n"
                   "  @location(0) @interpolate(flat, either) @blend_src(1) c: u32 }\n"
                   "@vertex fn v() -> V { }\n"
                   "@fragment fn f(@builtin(frag_depth, less) d: f32) { discard; }"),
            "@group(0) @binding(0) var t: texture_2d<f32>\n"
            "struct V {\n"
            "  @builtin(position) @invariant p: vec4f\n"
            "  @location(0) @interpolate(flat, either) @blend_src(1) c: u32\n"
            "}\n"
            "@vertex fn v() -> V {\n"
            "}\n"
            "@fragment fn f(@builtin(frag_depth, less) d: f32) {\n"
            "  discard\n"
            "}\n");
}

TEST(Attribute, ChecksItsArguments) {
  EXPECT_EQ(parsed("@binding var a: i32;"),
            "error: expected '(': @binding takes one argument, found 'var'\n");
  EXPECT_EQ(parsed("@binding() var a: i32;"), "error: @binding takes one argument, found 0\n");
  EXPECT_EQ(parsed("@group(1, 2) var a: i32;"), "error: @group takes one argument, found 2\n");
  EXPECT_EQ(parsed("@compute() fn f() {}"), "error: @compute takes no arguments\n");
  EXPECT_EQ(parsed("@workgroup_size(1, 2, 3, 4) fn f() {}"),
            "error: @workgroup_size takes 1 to 3 arguments, found 4\n");
  EXPECT_EQ(parsed("@builtin(a, b) var a: i32;"), "error: @builtin takes one argument, found 2\n");
  EXPECT_EQ(parsed("@builtin(1) var a: i32;"),
            "error: expected the name of a built-in value, found '1'\n");
  EXPECT_EQ(parsed("@stage(compute) fn f() {}"), "error: there is no attribute '@stage'\n");
  EXPECT_EQ(parsed("@1 fn f() {}"), "error: expected an attribute's name after '@', found '1'\n");
  EXPECT_EQ(
      parsed("@auto fn f() {}"),
      "error: expected an attribute's name after '@', found 'auto', which is a reserved word\n");
}

TEST(Attribute, StandsOnlyWhereTheGrammarHasIt) {
  EXPECT_EQ(parsed("@size(4) struct S { a: i32 }"),
            "error: a struct declaration cannot have attributes\n");
  EXPECT_EQ(parsed("@id(1) const a = 1;"), "error: a const declaration cannot have attributes\n");
  EXPECT_EQ(parsed("@compute;"),
            "error: expected fn, var or override after the attributes, found ';'\n");
}

TEST(Module, SaysWhatIsWrong) {
  EXPECT_EQ(parsed("x"),
            "error: expected a declaration (fn, struct, alias, var, const, override or "
            "const_assert), found 'x'\n");
  EXPECT_EQ(parsed("let a = 1;"), "error: 'let' can only be used in a function\n");
  EXPECT_EQ(parsed("type a = i32;"), "error: expected a declaration, found 'type'\n");
  EXPECT_EQ(parsed("}"), "error: '}' without a '{' before it\n");
  EXPECT_EQ(parsed("[[block]] struct S { a: i32 }"), "error: expected a declaration, found '[['\n");
  EXPECT_EQ(parsed("alias a i32;"), "error: expected '=' after the alias's name, found 'i32'\n");
  EXPECT_EQ(parsed("alias a = 1;"), "error: expected a type, found '1'\n");
  EXPECT_EQ(parsed("override a;"),
            "error: expected ':' and a type, or '=' and a value, for 'a', found ';'\n");
  EXPECT_EQ(parsed("struct S { a i32 }"),
            "error: expected ':' after the member's name, found 'i32'\n");
  EXPECT_EQ(parsed("struct S { a: i32 b: i32 }"),
            "error: expected ',' or '}' after the member, found 'b'\n");
  EXPECT_EQ(parsed("fn f { }"), "error: expected '(' after the function's name, found '{'\n");
  EXPECT_EQ(parsed("fn f(a) { }"), "error: expected ':' after the parameter's name, found ')'\n");
  EXPECT_EQ(parsed("fn f(a: i32 b: i32) { }"),
            "error: expected ',' or ')' after the parameter, found 'b'\n");
  EXPECT_EQ(parsed("fn f() -> { }"), "error: expected a type, found '{'\n");
  EXPECT_EQ(parsed("fn f() i32 { }"),
            "error: expected '{' before the function's body, found 'i32'\n");
  EXPECT_EQ(parsed("fn f();"), "error: expected '{' before the function's body, found ';'\n");
  EXPECT_EQ(parsed("const a = 1"),
            "error: expected ';' after variable declaration, found the end of the text\n");
}

}  // namespace
}  // namespace vyre
