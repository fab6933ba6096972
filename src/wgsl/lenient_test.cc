// What wgpu's front end accepts beyond the specification.
#include <gtest/gtest.h>

#include <string>

#include "vyre/wgsl/module.h"
#include "vyre/wgsl/sema/sema_testing.h"

namespace vyre {
namespace {

constexpr std::string_view kMain = "@compute @workgroup_size(1) fn main() { ";

// The warnings of a module that is accepted leniently and refused otherwise, one a line.
std::string warnings(const std::string& text) {
  EXPECT_FALSE(parse_wgsl(text).module) << text;
  const ParsedModule parsed = parse_wgsl(text, {}, {.lenient = true});
  EXPECT_TRUE(parsed.module) << parsed.message();
  std::string out;
  for (const Diagnostic& d : parsed.diagnostics.all()) out += d.message + "\n";
  return out;
}

TEST(Lenient, ExtensionsNeedNotBeEnabled) {
  EXPECT_EQ(warnings(std::string(kMain) + "_ = subgroupAdd(1) + subgroupMax(2); }"),
            "'subgroupAdd' needs the extension 'subgroups', which is not enabled\n");
  EXPECT_EQ(warnings(std::string(kMain) + "_ = 1h; }"),
            "f16 needs the extension 'f16', which is not enabled\n");
  EXPECT_EQ(warnings("@fragment fn main(@builtin(primitive_index) i: u32) { }"),
            "'primitive_index' needs the extension 'primitive_index', which is not enabled\n");
}

TEST(Lenient, AtomicsMayBeUsedPlainly) {
  constexpr std::string_view kWarning =
      "an atomic is loaded or stored like a plain variable, which WGSL does not allow\n";
  const std::string text =
      warnings("var<workgroup> a: atomic<u32>;\n" + std::string(kMain) + "a = 1; let b = a + 1; }");
  EXPECT_EQ(text, std::string(kWarning) + std::string(kWarning));
}

TEST(Lenient, OperatorsBindAsInC) {
  EXPECT_EQ(warnings("const_assert (1 | 2 + 4 & 6) == 7;"),
            "'+' and '&' are mixed without parentheses, which WGSL does not allow\n"
            "'&' and '|' are mixed without parentheses, which WGSL does not allow\n");
  EXPECT_EQ(warnings("const_assert true || false && false;"),
            "'&&' and '||' are mixed without parentheses, which WGSL does not allow\n");
  EXPECT_EQ(warnings("const_assert 1u << 2u + 1u == 8u;"),
            "'+' and '<<' are mixed without parentheses, which WGSL does not allow\n");
  const ParsedModule plain =
      parse_wgsl("const_assert 1 + 2 * 3 - 4 == 3 && 2 < 3 && (1 | 2 | 4) == 7 && 1 << 2u == 4;",
                 {}, {.lenient = true});
  EXPECT_EQ(plain.message(), "");
}

TEST(Lenient, SubgroupOperationsMayStandInBranches) {
  const std::string text =
      "enable subgroups;\n"
      "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {\n"
      "  if (i > 3) { _ = subgroupAdd(1); } }";
  EXPECT_EQ(warnings(text), "subgroupAdd must be in subgroup-uniform control flow\n");
  EXPECT_FALSE(
      parse_wgsl("diagnostic(error, subgroup_uniformity);\n" + text, {}, {.lenient = true}).module);
}

TEST(Lenient, ErrorsStayErrors) {
  EXPECT_FALSE(parse_wgsl("const a = b;", {}, {.lenient = true}).module);
  EXPECT_FALSE(parse_wgsl("const a = 1 +;", {}, {.lenient = true}).module);
  EXPECT_FALSE(parse_wgsl("enable warp_speed;", {}, {.lenient = true}).module);
}

}  // namespace
}  // namespace vyre
