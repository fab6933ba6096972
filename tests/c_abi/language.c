/* Small WGSL programs with the words they must leave, driven as a conformance suite would drive
 * them: one module and one launch a case, through the C ABI alone.
 *
 *   language [CACHE_FOLDER [DEVICE]] */
#include <string.h>

#include "check.h"

enum { kWords = 8 };

struct program {
  const char* name;
  const char* declarations;
  const char* body; /* of main: one invocation, unless it is "" and the declarations have main */
  uint32_t groups;
  uint32_t expected[kWords];
};

#define F(bits) 0x##bits##U

static const struct program kPrograms[] = {
    /* Zero initialisation. */
    {"function variables are zero each time",
     "",
     "for (var i = 0u; i < 3u; i++) { var x: vec2<u32>; out[i] = x.y; x.y = 7u; }",
     1,
     {0}},
    {"private variables start with their value",
     "var<private> p: u32 = 5u; var<private> q: i32;",
     "out[0] = p; out[1] = u32(q); p = 9u; out[2] = p;",
     1,
     {5, 0, 9}},
    {"workgroup memory is zero in every workgroup",
     "var<workgroup> w: array<atomic<u32>, 4>;\n"
     "@compute @workgroup_size(4) fn main(@builtin(workgroup_id) g: vec3<u32>,\n"
     "    @builtin(local_invocation_index) i: u32) {\n"
     "  atomicAdd(&w[i], g.x + 1u);\n"
     "  workgroupBarrier();\n"
     "  if (i == 0u) { out[g.x] = atomicLoad(&w[0]) + atomicLoad(&w[3]); }\n"
     "}",
     "",
     4,
     {2, 4, 6, 8}},
    {"a buffer is zero at first", "", "out[0] = out[1] + 1u;", 1, {1}},

    /* Memory layout: `data` holds the numbers 0, 1, 2, ... as words. */
    {"a vec3 takes the room of a vec4",
     "struct S { a: u32, b: vec3<u32>, c: u32 }",
     "out[0] = at_s.a; out[1] = at_s.b.x; out[2] = at_s.b.z; out[3] = at_s.c;",
     1,
     {0, 4, 6, 7}},
    {"columns of a mat3x2 are 8 bytes apart",
     "struct S { m: mat3x2<f32>, last: u32 }",
     "out[0] = bitcast<u32>(at_s.m[0].y); out[1] = bitcast<u32>(at_s.m[2].x); out[2] = at_s.last;",
     1,
     {1, 4, 6}},
    {"columns of a mat2x3 are 16 bytes apart",
     "struct S { m: mat2x3<f32>, last: u32 }",
     "out[0] = bitcast<u32>(at_s.m[1].z); out[1] = at_s.last;",
     1,
     {6, 8}},
    {"an array of vec3 has a stride of 16",
     "struct S { a: array<vec3<u32>, 3>, last: u32 }",
     "out[0] = at_s.a[2].y; out[1] = at_s.last;",
     1,
     {9, 12}},
    {"@align and @size move members",
     "struct S { a: u32, @size(16) b: u32, @align(32) c: u32 }",
     "out[0] = at_s.b; out[1] = at_s.c;",
     1,
     {1, 8}},
    {"structs nest at their alignment",
     "struct I { x: u32, y: vec2<u32> }\nstruct S { a: u32, i: array<I, 2>, z: u32 }",
     "out[0] = at_s.i[0].x; out[1] = at_s.i[1].y.y; out[2] = at_s.z;",
     1,
     {2, 9, 10}},

    /* Robust access: outside reads give a value of the binding or zero; here, zero. */
    {"a storage array ends where its binding ends",
     "",
     "out[0] = arrayLength(&data); var i = 1000000u; out[1] = data[i]; out[i] = 7u; out[2] = 1u;",
     1,
     {16, 0, 1}},
    {"a function array is not left",
     "",
     "var a = array<u32, 4>(1, 2, 3, 4); var i = 4u + data[0]; a[i] = 9u;\n"
     "out[0] = a[0] + a[1] + a[2] + a[3];",
     1,
     {10}},
    {"a negative index is outside",
     "",
     "var i = -1 - i32(data[0]); out[0] = 3u; out[i] = 9u;",
     1,
     {3}},
    {"a workgroup array is not left",
     "var<workgroup> w: array<u32, 2>; var<workgroup> v: u32;",
     "let i = data[2]; w[i] = 5u; out[0] = v; out[1] = w[0] + w[1];",
     1,
     {0, 0}},

    /* Control flow. */
    {"loops continue, break and count",
     "",
     "var sum = 0u; var i = 0u;\n"
     "loop { if (i == 3u) { continue; } if (i >= 6u) { break; } sum += i;\n"
     "  continuing { i++; } }\nout[0] = sum; out[1] = i;",
     1,
     {12, 6}},
    {"break if ends a loop after its body",
     "",
     "var i = 0u; loop { out[0] += 1u; continuing { i++; break if i == 4u; } }",
     1,
     {4}},
    {"a switch takes one case",
     "",
     "for (var i = 0; i < 5; i++) {\n"
     "  switch (i) { case 0, 3: { out[0] += 1u; } case 1: { out[1] += 1u; break; }\n"
     "    default: { out[2] += 1u; } } }",
     1,
     {2, 1, 2}},
    {"a continue inside a switch goes on with the loop",
     "",
     "for (var i = 0u; i < 4u; i++) { switch (i) { case 2u: { continue; } default: {} } out[0]++; "
     "}",
     1,
     {3}},
    {"short circuits do not evaluate",
     "fn touch(i: u32) -> bool { out[i] += 1u; return true; }",
     "if (data[0] == 1u && touch(0u)) {} if (data[0] == 0u || touch(1u)) {} if (touch(2u)) {}",
     1,
     {0, 0, 1}},
    {"early returns leave all loops",
     "fn f() -> u32 { for (;;) { while (true) { return 8u; } } }",
     "out[0] = f();",
     1,
     {8}},
    {"divergent invocations meet again",
     "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {\n"
     "  var n = i; var steps = 0u;\n"
     "  while (n != 0u) { n = select(n - 1u, n / 2u, n % 2u == 0u); steps++; }\n"
     "  out[i] = steps;\n"
     "}",
     "",
     1,
     {0, 1, 2, 3, 3, 4, 4, 5}},

    /* Operations at their edges. */
    {"division by zero and overflow are defined",
     "",
     "let z = data[0]; let least = i32(0x80000000u); let m = i32(z) - 1;\n"
     "out[0] = 7u / z; out[1] = 7u % z; out[2] = u32(least / m); out[3] = u32(least % m);",
     1,
     {7, 0, F(80000000), 0}},
    {"shifts take the count modulo the width",
     "",
     "let n = data[1] + 32u; out[0] = 1u << n; out[1] = 0x80000000u >> n;\n"
     "out[2] = u32(i32(0x80000000u) >> n);",
     1,
     {2, F(40000000), F(c0000000)}},
    {"conversions stop at the last number that both types have",
     "",
     "let big = f32(data[1]) * 1e30; out[0] = u32(big); out[1] = u32(-big); out[2] = "
     "u32(i32(big));",
     1,
     {F(ffffff00), 0, F(7fffff80)}},
    {"bits are counted, reversed and moved",
     "",
     "let x = data[6]; out[0] = countOneBits(x); out[1] = reverseBits(x); out[2] = "
     "firstLeadingBit(x);\n"
     "out[3] = firstTrailingBit(x); out[4] = countLeadingZeros(x); out[5] = extractBits(x, 1u, "
     "2u);\n"
     "out[6] = insertBits(x, 1u, 4u, 3u); out[7] = firstLeadingBit(data[0]);",
     1,
     {2, F(60000000), 2, 1, 29, 3, 22, F(ffffffff)}},
    {"numbers pack and unpack",
     "",
     "out[0] = pack2x16float(vec2(1.0, -2.0)); out[1] = pack4x8unorm(vec4(0.0, 1.0, 0.5, 2.0));\n"
     "out[2] = pack4x8snorm(vec4(-1.0, 1.0, 0.0, -2.0));\n"
     "out[3] = bitcast<u32>(unpack2x16float(0xc0003c00u).y); out[4] = dot4U8Packed(0x01020304u, "
     "0x02020202u);",
     1,
     {F(c0003c00), F(ff80ff00), F(81007f81), F(c0000000), 20}},
    {"rounding goes to even",
     "",
     "let h = f32(data[1]) * 0.5; out[0] = u32(round(h)); out[1] = u32(round(h + 1.0));\n"
     "out[2] = u32(round(h + 2.0)); out[3] = u32(trunc(h + 2.0)); out[4] = u32(ceil(h));",
     1,
     {0, 2, 2, 2, 1}},
    {"vectors, matrices and swizzles",
     "",
     "let m = mat2x2<f32>(1.0, 2.0, 3.0, 4.0); let v = m * vec2(1.0, 1.0); let w = vec2(1.0) * m;\n"
     "out[0] = u32(v.x); out[1] = u32(v.y); out[2] = u32(w.y); out[3] = u32(determinant(m) + "
     "3.0);\n"
     "out[4] = dot(vec3(1u, 2u, 3u), vec3(data[1]).zyx); out[5] = vec4(1u, 2u, 3u, 4u).wzyx[0];",
     1,
     {4, 6, 7, 1, 6, 4}},
    {"atomics return what was there",
     "@group(0) @binding(3) var<storage, read_write> a: array<atomic<u32>>;",
     "out[0] = atomicAdd(&a[0], 5u); out[1] = atomicMax(&a[0], 9u); out[2] = atomicXor(&a[0], "
     "1u);\n"
     "let r = atomicCompareExchangeWeak(&a[0], 8u, 3u); out[3] = r.old_value;\n"
     "out[4] = atomicExchange(&a[1], 6u); out[5] = atomicLoad(&a[1]);",
     1,
     {0, 5, 9, 8, 0, 6}},
    {"pointers reach into memory",
     "fn bump(p: ptr<function, u32>) { *p += 2u; }",
     "var a = array<u32, 2>(); let p = &a[1]; *p = 4u; var x = a[1]; bump(&x); out[0] = x;",
     1,
     {6}},
};

static vyre_session session;

static void run(const struct program* p) {
  char text[4096];
  const int own_main = strcmp(p->body, "") == 0;
  const int has_struct = strstr(p->declarations, "struct S") != NULL;
  const int has_atomics = strstr(p->declarations, "@binding(3)") != NULL;
  snprintf(text, sizeof text,
           "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
           "@group(0) @binding(1) var<storage, read> data: array<u32>;\n"
           "%s\n%s%s%s%s\n",
           p->declarations, has_struct ? "@group(0) @binding(2) var<storage, read> at_s: S;\n" : "",
           own_main ? "" : "@compute @workgroup_size(1) fn main() {\n", p->body,
           own_main ? "" : "\n}");

  vyre_module module = 0;
  vyre_kernel kernel = 0;
  vyre_buffer out = 0, data = 0, atomics = 0;
  uint32_t numbers[16], words[kWords];
  for (uint32_t i = 0; i < 16; ++i) numbers[i] = i;
  CHECK_OK(vyre_module_load(session, text, VYRE_TO_THE_END, p->name, &module));
  CHECK_OK(vyre_kernel_create(module, "main", NULL, 0, &kernel));
  CHECK_OK(vyre_buffer_create(session, sizeof words, &out));
  CHECK_OK(vyre_buffer_create(session, sizeof numbers, &data));
  CHECK_OK(vyre_buffer_create(session, sizeof words, &atomics));
  CHECK_OK(vyre_buffer_write(data, 0, numbers, sizeof numbers));
  const vyre_binding bindings[] = {
      {0, 0, out, 0, VYRE_TO_THE_END},
      {0, 1, data, 0, VYRE_TO_THE_END},
      {0, 2, data, 0, VYRE_TO_THE_END},
      {0, 3, atomics, 0, VYRE_TO_THE_END},
  };
  const vyre_grid grid = {VYRE_WORKGROUPS, p->groups, 1, 1};
  CHECK_OK(vyre_run(kernel, bindings, has_atomics ? 4 : 3, &grid, NULL, 1000000000));
  CHECK_OK(vyre_buffer_read(out, 0, words, sizeof words));
  for (int i = 0; i < kWords; ++i) {
    if (words[i] == p->expected[i]) continue;
    printf("%s: word %d is %#x, not %#x\n", p->name, i, words[i], p->expected[i]);
    CHECK(words[i] == p->expected[i]);
  }
  CHECK_OK(vyre_buffer_free(out));
  CHECK_OK(vyre_buffer_free(data));
  CHECK_OK(vyre_buffer_free(atomics));
  CHECK_OK(vyre_kernel_free(kernel));
  CHECK_OK(vyre_module_free(module));
}

int main(int argc, char** argv) {
  CHECK_OK(vyre_session_open(argc > 1 ? argv[1] : "cpu", NULL, &session));
  for (size_t i = 0; i < sizeof kPrograms / sizeof *kPrograms; ++i) run(&kPrograms[i]);
  CHECK_OK(vyre_session_close(session));
  return checks_failed();
}
