// References, pointers, access modes, aliases, atomics and barriers.
#include <gtest/gtest.h>

#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

using Ints = std::vector<std::int32_t>;

TEST(Memory, PointersReachPartsOfVariables) {
  EXPECT_EQ(run_body_i32("var a = array<array<i32, 3>, 2>(); var i = 1;\n"
                         "let row = &a[i]; i = 0; let cell = &row[2]; *cell = 7; (*row)[0] = 5;\n"
                         "let q = cell; *q += 1; out[0] = a[1][2]; out[1] = a[1][0]; out[2] = "
                         "a[0][2];",
                         3),
            (Ints{8, 5, 0}));
}

TEST(Memory, APointerKeepsTheIndexItWasMadeWith) {
  EXPECT_EQ(body_text("var a = array<i32, 4>(); var i = 1; let p = &a[i + 1]; i = 3; *p = i;"),
            "var %a: array<i32, 4> = array<i32, 4>()\n"
            "var %i: i32 = 1i\n"
            "let %index: i32 = (load %i + 1i)\n"
            "%i = 3i\n"
            "%a[%index] = load %i\n");
}

TEST(Memory, MembersAndIndicesApplyToPointers) {
  EXPECT_EQ(run_body_i32("var s = S(vec2(1, 2), array(3, 4)); let p = &s; p.v.y = 5; p.a[1] += 6;\n"
                         "let v = &p.v; v.x = v.y + 1; out[0] = s.v.x; out[1] = s.a[1]; out[2] = "
                         "p.v.yx.x;",
                         3, "struct S { v: vec2<i32>, a: array<i32, 2> }"),
            (Ints{6, 10, 5}));
}

TEST(Memory, FunctionsTakePointersToAllMemory) {
  EXPECT_EQ(run_body_i32("var f = 1; one(&f); two(&p); three(&w[1]); four(&out[3]); out[0] = f; "
                         "out[1] = p; out[2] = w[1];",
                         4,
                         "var<private> p: i32; var<workgroup> w: array<i32, 2>;\n"
                         "fn one(a: ptr<function, i32>) { *a = 1 + *a; }\n"
                         "fn two(a: ptr<private, i32>) { *a = 3; }\n"
                         "fn three(a: ptr<workgroup, i32>) { *a = 4; }\n"
                         "fn four(a: ptr<storage, i32, read_write>) { *a = 5; }\n"),
            (Ints{2, 3, 4, 5}));
}

TEST(Memory, PointersMustMatchTheParameter) {
  EXPECT_EQ(body_errors("var a = 1; f(&a);", "fn f(p: ptr<private, i32>) {}"),
            "1:14: argument 1 of 'f' is ptr<function, i32>; it must be ptr<private, i32>\n");
  EXPECT_EQ(body_errors("f(&b);",
                        "@group(0) @binding(0) var<storage, read_write> b: i32;\n"
                        "fn f(p: ptr<storage, i32>) {}"),
            "1:3: argument 1 of 'f' is ptr<storage, i32, read_write>; it must be ptr<storage, i32, "
            "read>\n");
  EXPECT_EQ(error_text("fn f(p: ptr<workgroup, array<f32>>) {}"), "");  // of a view
  EXPECT_EQ(error_text("fn f(p: ptr<workgroup, array<atomic<u32>>>) {}"),
            "1:24: array<atomic<u32>> cannot live in workgroup memory\n");
  EXPECT_EQ(error_text("fn f(p: ptr<function, atomic<i32>>) {}"),
            "1:23: atomic<i32> cannot live in function memory\n");
  EXPECT_EQ(error_text("fn f(p: ptr<storage, i32, write>) {}"),
            "1:27: storage memory is read or read_write\n");
  EXPECT_EQ(error_text("fn f(p: ptr<handle, i32>) {}"),
            "1:13: 'handle' is not an address space that vyre has; there are function, private, "
            "workgroup, storage, uniform and immediate\n");
}

TEST(Memory, AddressesAreOfVariablesOnly) {
  EXPECT_EQ(body_errors("let a = 1; let p = &a;"),
            "1:20: '&' needs a variable or a part of one; this is a value of type i32\n");
  EXPECT_EQ(body_errors("var v = vec2f(); let p = &v.x;"),
            "1:26: a pointer to one component of a vector cannot be made\n");
  EXPECT_EQ(body_errors("var v = 1; let p = *v;"), "1:20: '*' needs a pointer; this is i32\n");
}

TEST(Memory, ReadOnlyMemoryIsNotWritten) {
  constexpr std::string_view kModule =
      "@group(0) @binding(0) var<storage> s: array<i32>;\n"
      "@group(0) @binding(1) var<uniform> u: vec4<i32>;";
  EXPECT_EQ(body_errors("s[0] = 1; u.x = 2; let p = &s[1]; *p += 1;", kModule),
            "1:1: this storage memory is read-only [declare it var<storage, read_write>]\n"
            "1:11: this uniform memory is read-only\n"
            "1:35: this storage memory is read-only [declare it var<storage, read_write>]\n");
}

TEST(Memory, OnlyVariablesAreAssigned) {
  EXPECT_EQ(body_errors("let a = 1; a = 2; const b = vec2(1, 2); b.x = 1; f(3) = 4;",
                        "fn f(x: i32) -> i32 { return x; }"),
            "1:12: 'a' is a value and cannot be assigned; only variables can\n"
            "1:41: 'b' is a constant and cannot be assigned; only variables can\n"
            "1:50: this is a value and cannot be assigned; only variables can\n");
}

TEST(Memory, AtomicsAreNotOrdinaryValues) {
  constexpr std::string_view kModule = "var<workgroup> a: atomic<u32>;";
  EXPECT_EQ(body_errors("let x = a;", kModule),
            "1:9: a value of type atomic<u32> cannot be loaded [use atomicLoad with a pointer: "
            "atomicLoad(&...)]\n");
  EXPECT_EQ(body_errors("a = 1u;", kModule),
            "1:1: atomic<u32> cannot be assigned [use atomicStore]\n");
  EXPECT_EQ(body_errors("atomicAdd(a, 1u);", kModule),
            "1:11: a value of type atomic<u32> cannot be loaded [use atomicLoad with a pointer: "
            "atomicLoad(&...)]\n");
  EXPECT_EQ(body_errors("atomicAdd(&a, 1i);", kModule),
            "1:15: argument 2 of 'atomicAdd' is i32; it must be u32\n");
  EXPECT_EQ(body_errors("var b = 1u; atomicAdd(&b, 1u);"),
            "1:23: 'atomicAdd' takes a pointer to an atomic; this points to u32\n");
  EXPECT_EQ(body_errors("atomicStore(&a);", kModule),
            "1:1: 'atomicStore' takes 2 arguments; 1 given\n");
}

TEST(Memory, AtomicOperations) {
  EXPECT_EQ(body_text("atomicStore(&a, 1); let b = atomicSub(&a, 2); atomicMax(&s, 3);\n"
                      "let c = atomicCompareExchangeWeak(&a, b, 4).exchanged;",
                      "var<workgroup> a: atomic<u32>;\n"
                      "@group(0) @binding(0) var<storage, read_write> s: atomic<i32>;"),
            "atomicStore(@a, 1u) workgroup relaxed\n"
            "let %b: u32 = atomicSub(@a, 2u) workgroup relaxed\n"
            "let %old: i32 = atomicMax(@s, 3i) device relaxed\n"
            "let %old_2: __atomic_compare_exchange_result_u32 = atomicCompareExchange(@a, %b, 4u) "
            "workgroup relaxed\n"
            "let %c: bool = %old_2.exchanged\n");
}

TEST(Memory, BarriersAndUniformLoads) {
  EXPECT_EQ(body_text("workgroupBarrier(); storageBarrier(); textureBarrier(); let x = "
                      "workgroupUniformLoad(&w) + workgroupUniformLoad(&a);",
                      "var<workgroup> w: i32; var<workgroup> a: atomic<i32>;"),
            "barrier workgroup\n"
            "barrier storage\n"
            "barrier\n"
            "let %uniform: i32 = workgroupUniformLoad(@w)\n"
            "let %uniform_1: i32 = workgroupUniformLoad(@a)\n"
            "let %x: i32 = (%uniform + %uniform_1)\n");
  EXPECT_EQ(body_errors("var a = 1; let x = workgroupUniformLoad(&a);"),
            "1:41: 'workgroupUniformLoad' takes a pointer to workgroup memory; this is "
            "ptr<function, i32>\n");
  EXPECT_EQ(body_errors("let x = workgroupBarrier();"),
            "1:9: this function returns nothing; a value is needed here\n");
}

TEST(Memory, BarriersNeedUniformControlFlow) {
  const std::string errors = error_text(
      "@compute @workgroup_size(8)\n"
      "fn main(@builtin(local_invocation_index) i: u32) {\n"
      "  if (i < 4u) {\n"
      "    workgroupBarrier();\n"
      "  }\n"
      "}\n");
  EXPECT_TRUE(errors.starts_with("4:5: ")) << errors;
}

TEST(Memory, ArrayLengthTakesAPointer) {
  constexpr std::string_view kModule =
      "struct S { n: u32, a: array<u32> } @group(0) @binding(0) var<storage> s: S;";
  EXPECT_EQ(body_text("let n = arrayLength(&s.a); let p = &s.a; let m = arrayLength(p);", kModule),
            "let %n: u32 = arrayLength(@s.a)\n"
            "let %m: u32 = arrayLength(@s.a)\n");
  EXPECT_EQ(body_errors("let n = arrayLength(s.a);", kModule),
            "1:21: a value of type array<u32> cannot be loaded\n");
  EXPECT_EQ(body_errors("var a = array(1, 2); let n = arrayLength(&a);"),
            "1:42: 'arrayLength' takes a pointer to a run-time sized array; this points to "
            "array<i32, 2>\n");
}

TEST(Memory, AliasedPointersAreRefusedWhenOneIsWritten) {
  constexpr std::string_view kModule =
      "var<private> x: i32;\n"
      "fn copy(p: ptr<function, i32>, q: ptr<function, i32>) { *p = *q; }\n"
      "fn deep(p: ptr<function, i32>, q: ptr<function, i32>) { copy(p, q); }\n"
      "fn both(p: ptr<function, i32>, q: ptr<function, i32>) -> i32 { return *p + *q; }\n"
      "fn write_x(p: ptr<private, i32>) { x = *p; }\n"
      "fn read_x(p: ptr<private, i32>) -> i32 { return x + *p; }\n"
      "fn write_p(p: ptr<private, i32>) { *p = x; }\n"
      "fn unused(p: ptr<function, i32>, q: ptr<function, i32>) { *p = 1; }\n";
  EXPECT_EQ(
      body_errors("var a = 1; var b = 2; copy(&a, &b); let c = both(&a, &a); _ = read_x(&x);\n"
                  "unused(&a, &a);",
                  kModule),
      "");
  EXPECT_EQ(body_errors("var a = 1; copy(&a, &a);", kModule),
            "1:21: this pointer aliases other memory that 'copy' uses: argument 1 points into the "
            "same variable, and one of them is written\n");
  EXPECT_EQ(body_errors("var a = 1; let p = &a; deep(p, &a);", kModule),
            "1:32: this pointer aliases other memory that 'deep' uses: argument 1 points into the "
            "same variable, and one of them is written\n");
  EXPECT_EQ(body_errors("write_x(&x);", kModule),
            "1:9: this pointer aliases other memory that 'write_x' uses: it accesses the variable "
            "'x' itself, and one of the accesses writes\n");
  EXPECT_EQ(body_errors("write_p(&x);", kModule),
            "1:9: this pointer aliases other memory that 'write_p' uses: it accesses the variable "
            "'x' itself, and one of the accesses writes\n");
}

TEST(Memory, PhonyAssignmentsKeepWhatTheyMention) {
  EXPECT_EQ(program_text("@group(0) @binding(0) var<storage> a: array<u32>;\n"
                         "@group(0) @binding(1) var<uniform> b: u32;\n"
                         "@group(0) @binding(2) var<uniform> unused: u32;\n"
                         "@compute @workgroup_size(1) fn main() { _ = &a; _ = b; }"),
            "program main\n"
            "workgroup 1, 1, 1\n"
            "\n"
            "@group(0) @binding(0) storage read @a: array<u32>\n"
            "@group(0) @binding(1) uniform @b: u32\n"
            "\n"
            "entry fn main() {\n"
            "}\n");
}

}  // namespace
}  // namespace vyre
