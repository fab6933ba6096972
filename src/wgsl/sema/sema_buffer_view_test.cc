// Buffers and their views: what they give, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vyre/ir/interpret/interpret.h"
#include "vyre/wgsl/module.h"
#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::string_view kBuffer = "var<workgroup> b: buffer<64>;\n";

// What `body` leaves in out[0..3].
Words after(std::string_view body, std::string_view module = {}) {
  return run_body(body, 4, std::string(kBuffer) + std::string(module));
}

std::string errors(std::string_view body, std::string_view module = {}) {
  return body_errors(body, std::string(kBuffer) + std::string(module));
}

// The error of making a kernel with the override o, or "fine".
std::string with_override(std::string_view body, double o, std::string_view module = {}) {
  const std::string text = "override o: i32;\n" + std::string(kBuffer) + std::string(module) +
                           "@compute @workgroup_size(1) fn main() {" + std::string(body) + "}";
  const auto parsed = parse_wgsl(text, "");
  EXPECT_TRUE(parsed.module) << parsed.message();
  if (!parsed.module) return "refused";
  const std::vector<OverrideValue> values{{"o", o}};
  const auto kernel = make_kernel(parsed.module->programs.front(), values);
  return kernel ? "fine" : kernel.error().what;
}

TEST(BufferViews, ReinterpretBytes) {
  EXPECT_EQ(
      after("*bufferView<f32>(&b, 8) = 1.0; out[0] = *bufferView<u32>(&b, 8);"
            "bufferView<array<i32, 4>>(&b, 0)[1] = -1; out[1] = bufferView<vec2u>(&b, 0).y;"
            "out[2] = bufferLength(&b); out[3] = arrayLength(bufferView<array<vec3f>>(&b, 16));"),
      (Words{0x3F800000, 0xFFFFFFFF, 64, 3}));
}

TEST(BufferViews, RoundWhatIsKnownAtRunTime) {
  EXPECT_EQ(
      after("*bufferView<u32>(&b, 4) = 9; var o = 7u; out[0] = *bufferView<u32>(&b, o);"
            "o = 4; out[1] = arrayLength(bufferArrayView<array<vec2u>>(&b, o, 23 + out[3]));"
            "o = 62; *bufferView<vec2u>(&b, o + 3) = vec2u(5); out[2] = *bufferView<u32>(&b, 60);"),
      (Words{9, 2, 0, 0}));
}

TEST(BufferViews, OutsideAreInvalid) {
  EXPECT_EQ(after("for (var i = 0u; i < 16; i++) { bufferView<array<u32>>(&b, 0)[i] = i + 1; }"
                  "var o = 60u; out[0] = *bufferView<u32>(&b, o);"
                  "out[1] = bufferView<vec2u>(&b, o).x;"
                  "out[2] = bufferArrayView<array<u32>>(&b, o - 8, 16)[0];"
                  "var s = -4; out[3] = *bufferView<u32>(&b, s);"),
            (Words{16, 15, 0, 0}));
}

// The smallest size on the way counts.
TEST(BufferViews, AreOfTheSmallestBufferOnTheWay) {
  constexpr std::string_view kFunctions =
      "fn all(p: ptr<workgroup, buffer>) -> u32 { return bufferLength(p); }\n"
      "fn some(p: ptr<workgroup, buffer<32>>) -> u32 { return all(p) + "
      "arrayLength(bufferView<array<u32>>(p, 8)) * 100; }\n"
      "fn large(p: ptr<workgroup, buffer<48>>) -> u32 { return some(p) + bufferLength(p) * 10000; "
      "}\n"
      "fn put(p: ptr<workgroup, vec2u>, v: u32) { p.y = v; }\n";
  EXPECT_EQ(after("out[0] = all(&b); out[1] = some(&b); out[2] = large(&b);"
                  "put(bufferView<vec2u>(&b, 16), 7); let p = bufferView<array<u32>>(&b, 16);"
                  "out[3] = p[1] + arrayLength(p);",
                  kFunctions),
            (Words{64, 632, 480632, 19}));
}

TEST(BufferViews, KeepTheirPlaceAndOrder) {
  EXPECT_EQ(
      after("var at = 4u; let p = bufferView<u32>(&b, at); at = 8; *p = 3;"
            "out[0] = bufferView<array<u32>>(&b, 0)[1];"
            "loop { out[1] += 1; continuing { *p += 1; break if *bufferView<u32>(&b, 4) > 6; } }"
            "out[2] = *p; if *p == 7 && bufferView<vec2u>(&b, 0).y == 7 { out[3] = 1; }"),
      (Words{3, 4, 7, 1}));
}

TEST(BufferViews, TypesOfBuffersAreChecked) {
  EXPECT_EQ(error_text("var<private> x: buffer<4>;").substr(0, 60),
            "1:14: 'x' cannot be a private variable of type buffer<4>: a ");
  EXPECT_EQ(error_text("alias T = buffer<6>;"),
            "1:18: the size of a buffer is a positive multiple of 4 below 4 GiB; this is 6\n");
  EXPECT_EQ(error_text("enable f16; alias T = buffer<6>;"), "");
  EXPECT_NE(error_text("alias T = array<buffer<4>, 2>;"), "");
  EXPECT_NE(error_text("struct S { a: buffer<4> }"), "");
  EXPECT_NE(error_text("@group(0) @binding(0) var<uniform> u: buffer;"), "");
  EXPECT_NE(error_text("override o: i32; alias T = ptr<storage, buffer<o>>;"), "");
  EXPECT_NE(error_text("alias T = buffer<>;"), "");
  EXPECT_NE(errors("let x = b;"), "");
  EXPECT_NE(errors("var x: buffer<4>;"), "");
}

TEST(BufferViews, ArgumentsAreChecked) {
  EXPECT_EQ(errors("let p = bufferView<u32>(&b, 2);"),
            "1:9: the offset of this view is 2; its type needs a multiple of 4\n");
  EXPECT_EQ(errors("let p = bufferView<vec4u>(&b, 64);"),
            "1:9: this view needs a buffer of 80 bytes; this one has 64\n");
  EXPECT_EQ(errors("let p = bufferView<u32>(&b, -4);"),
            "1:9: the offset of a view is -4; it must not be negative\n");
  EXPECT_EQ(errors("let p = bufferArrayView<array<vec4u>>(&b, 0, 12);"),
            "1:9: the size of this view is 12; its type needs 16 bytes\n");
  EXPECT_EQ(errors("let p = bufferArrayView<array<vec2u>>(&b, 0, 20);"),
            "1:9: the size of this view is 20, which is no whole number of elements\n");
  EXPECT_NE(errors("let p = bufferArrayView<u32>(&b, 0, 4);"), "");
  EXPECT_NE(errors("let p = bufferView<atomic<u32>>(&b, 0);"), "");
  EXPECT_NE(errors("let p = bufferView<bool>(&b, 0);"), "");
  EXPECT_NE(errors("let p = bufferView<u32>(b, 0);"), "");
  EXPECT_NE(errors("let p = bufferView(&b, 0);"), "");
  EXPECT_NE(errors("let p = bufferView<u32>(&b, 0.0);"), "");
  EXPECT_NE(errors("bufferView<u32>(&b, 0);"), "");
  EXPECT_NE(errors("_ = bufferLength(b);"), "");
}

TEST(BufferViews, AreCheckedThroughCalls) {
  constexpr std::string_view kFunctions =
      "fn f(p: ptr<workgroup, buffer>) { let q = bufferView<vec4u>(p, 48); }\n"
      "fn g(p: ptr<workgroup, buffer>) { f(p); }\n"
      "fn small(p: ptr<workgroup, buffer<32>>) { }\n"
      "var<workgroup> c: buffer<48>; var<workgroup> d: buffer<16>;\n";
  EXPECT_EQ(errors("f(&b); g(&b); small(&b);", kFunctions), "");
  EXPECT_EQ(errors("f(&c);", kFunctions),
            "1:3: a view in the function needs a buffer of 64 bytes; this one has 48\n");
  EXPECT_NE(errors("g(&c);", kFunctions), "");
  EXPECT_NE(errors("small(&d);", kFunctions), "");
}

TEST(BufferViews, AreCheckedAgainOnceOverridesHaveValues) {
  EXPECT_EQ(with_override("let p = bufferView<vec4u>(&b, o);", 48), "fine");
  EXPECT_NE(with_override("let p = bufferView<vec4u>(&b, o);", 40), "fine");
  EXPECT_NE(with_override("let p = bufferView<vec4u>(&b, o + 16);", 48), "fine");
  EXPECT_NE(with_override("_ = bufferView<vec4u>(&b, o);", -16), "fine");
  EXPECT_NE(with_override("let p = bufferArrayView<array<u32>>(&b, 0, o);", 68), "fine");
  constexpr std::string_view kSized = "var<workgroup> s: buffer<o>;";
  EXPECT_EQ(with_override("let p = bufferView<vec4u>(&s, 0);", 16, kSized), "fine");
  EXPECT_NE(with_override("let p = bufferView<vec4u>(&s, 0);", 12, kSized), "fine");
  EXPECT_NE(with_override("let p = bufferView<u32>(&s, 0);", 6, kSized), "fine");
  EXPECT_NE(with_override("let p = bufferView<u32>(&s, 0);", 0, kSized), "fine");
  constexpr std::string_view kFunction =
      "fn f(p: ptr<workgroup, buffer>) { let q = bufferView<u32>(p, o); }";
  EXPECT_NE(with_override("f(&b);", 64, kFunction), "fine");
}

TEST(BufferViews, OfLongArraysTakeLoops) {
  EXPECT_EQ(run_body("let p = bufferView<array<vec2u, 100>>(&b, 8); var a: array<vec2u, 100>;"
                     "for (var i = 0u; i < 100; i++) { a[i] = vec2(i, i * i); }"
                     "*p = a; let c = *bufferView<array<array<u32, 8>, 26>>(&b, 0);"
                     "out[0] = c[0][1]; out[1] = c[25][1]; out[2] = c[12][7];",
                     3, "var<workgroup> b: buffer<1024>;"),
            (Words{0, 99 * 99, 50 * 50}));
  std::string text = "struct S0 { a: vec4u }\n";
  for (int i = 1; i <= 15; ++i) {
    text += fmt::format("struct S{0} {{ a: S{1}, b: S{1} }}\n", i, i - 1);
  }
  text +=
      "@group(0) @binding(0) var<storage, read_write> b: buffer;\n"
      "@compute @workgroup_size(1) fn main() {\n"
      "  let p = bufferView<S15>(&b, 0); *p = S15(); *p = S15(); *p = S15();\n"
      "}\n";
  const auto parsed = parse_wgsl(text, "");
  ASSERT_TRUE(parsed.module) << parsed.message();
  const auto kernel = make_kernel(parsed.module->programs.front());
  ASSERT_FALSE(kernel);
  EXPECT_NE(kernel.error().what.find("one by one"), std::string::npos) << kernel.error().what;
}

// Sparse memory of more than 4 GiB; it costs only the pages that are written.
TEST(BufferViews, ReachAlmostFourGigabytes) {
  constexpr std::size_t kBytes = (std::size_t{1} << 32U) + 64;
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) GTEST_SKIP() << "no address space for 4 GiB";
  const std::span large(static_cast<std::byte*>(memory), kBytes);
  constexpr std::size_t kLast = (std::size_t{1} << 32U) - 8;  // of the words within reach
  large[kLast] = std::byte{9};
  std::ranges::fill(large.subspan((std::size_t{1} << 32U) - 4), std::byte{1});
  // Elements of 4 bytes, and of 2 where there is an f16.
  for (const auto& [more, length] :
       {std::pair{"", 0xFFFFFFFCU}, {"out[0] += u32(*bufferView<f16>(&b, 0));", 0xFFFFFFFEU}}) {
    const std::string text = std::string(R"(enable f16;
@group(0) @binding(0) var<storage, read> b: buffer;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
  out[0] = bufferLength(&b);
  var at = 0xfffffff8u;
  out[1] = *bufferView<u32>(&b, at);
  out[2] = bufferView<vec4u>(&b, at).w;
  out[3] = arrayLength(bufferView<array<vec2u>>(&b, 0));
  )") + more + "}";
    const auto parsed = parse_wgsl(text, "");
    ASSERT_TRUE(parsed.module) << parsed.message();
    const auto kernel = make_kernel(parsed.module->programs.front());
    ASSERT_TRUE(kernel) << kernel.error().what;
    Words out(4, 77);
    const std::vector<BoundBuffer> bound{{0, 0, large},
                                         {0, 1, std::as_writable_bytes(std::span(out))}};
    ASSERT_TRUE(interpret(*kernel, bound, {}));
    EXPECT_EQ(out, (Words{length, 9, 0, 0x1FFFFFFF}));
  }
  munmap(memory, kBytes);
}

TEST(AtomicPairs, AreCheckedAndRun) {
  constexpr std::string_view kModule =
      "enable atomic_vec2u_min_max;\n"
      "@group(0) @binding(0) var<storage, read_write> out: array<atomic<vec2u>>;\n"
      "@compute @workgroup_size(1) fn main() {\n"
      "  atomicStoreMax(&out[0], vec2u(1, 2)); atomicStoreMax(&out[0], vec2(9, 1));\n"
      "  atomicStoreMax(&out[1], vec2(3, 4)); atomicStoreMin(&out[1], vec2(7, 1));\n"
      "}";
  EXPECT_EQ(run_module(kModule, 4), (Words{1, 2, 7, 1}));
}

TEST(AtomicPairs, HaveTwoFunctionsInStorageMemory) {
  const auto text = [](std::string_view variable, std::string_view body) {
    return error_text("enable atomic_vec2u_min_max; @group(0) @binding(0) " +
                      std::string(variable) + " fn f() { " + std::string(body) + " }");
  };
  constexpr std::string_view kPair = "var<storage, read_write> a: atomic<vec2u>;";
  EXPECT_EQ(text(kPair, "atomicStoreMin(&a, vec2(1, 2));"), "");
  EXPECT_NE(text(kPair, "_ = atomicLoad(&a);"), "");
  EXPECT_NE(text(kPair, "let x = atomicStoreMin(&a, vec2(1, 2));"), "");
  EXPECT_NE(text(kPair, "atomicStoreMin(&a, vec2(1.0, 2.0));"), "");
  EXPECT_NE(text("var<storage, read_write> a: atomic<u32>;", "atomicStoreMin(&a, 1u);"), "");
  EXPECT_NE(text("var<storage, read_write> a: vec2u;", "atomicStoreMin(&a, vec2(1, 2));"), "");
  EXPECT_NE(error_text("var<workgroup> a: atomic<vec2u>;"), "");
  EXPECT_NE(error_text("enable atomic_vec2u_min_max; var<workgroup> a: atomic<vec2u>;"
                       "fn f() { atomicStoreMin(&a, vec2(1, 2)); }"),
            "");
}

}  // namespace
}  // namespace vyre
