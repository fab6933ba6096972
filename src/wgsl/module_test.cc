#include "vyre/wgsl/module.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

constexpr const char* kTwo = R"(
override N: u32 = 4;
@compute @workgroup_size(1) fn first() {}
@compute @workgroup_size(N) fn second() {}
)";

std::string error_of(const Result<Kernel>& kernel) {
  return kernel ? "" : describe(kernel.error());
}

TEST(ParsedModule, GivesTheKernelOfAnEntryPoint) {
  const std::vector<OverrideValue> values{{"N", 8}};
  const auto kernel = parse_wgsl(kTwo).kernel("second", values);
  ASSERT_TRUE(kernel) << error_of(kernel);
  EXPECT_EQ(kernel->program->name, "second");
  EXPECT_EQ(kernel->program->workgroup, (Extent{8, 1, 1}));
  const auto only = parse_wgsl("@compute @workgroup_size(1) fn f() {}").kernel("");
  ASSERT_TRUE(only) << error_of(only);
  EXPECT_EQ(only->program->name, "f");
}

TEST(ParsedModule, NamesTheEntryPointsWhereThereIsNoSuch) {
  EXPECT_EQ(error_of(parse_wgsl(kTwo).kernel("frist")),
            "the module has no entry point 'frist'; name one of them: first, second");
  EXPECT_EQ(error_of(parse_wgsl(kTwo).kernel("")),
            "the module has 2 entry points; name one of them: first, second");
  EXPECT_EQ(error_of(parse_wgsl("@compute @workgroup_size(1) fn f() {}").kernel("g")),
            "the module has no entry point 'g'; name the only one: f");
  EXPECT_EQ(error_of(parse_wgsl("fn f() {}").kernel("f")),
            "the module has no @compute entry point");
  EXPECT_NE(error_of(parse_wgsl("fn f() { x }", "a.wgsl").kernel("f")).find("a.wgsl:1:"),
            std::string::npos);
}

}  // namespace
}  // namespace vyre
