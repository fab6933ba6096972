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

TEST(ParsedModule, KeepsFunctionsWhereTheyAreAskedFor) {
  const char* text =
      "var<private> calls: u32;\n"
      "fn twice(x: u32) -> u32 { calls++; return x + x; }\n"
      "fn four(x: u32) -> u32 { return twice(twice(x)); }\n"
      "@compute @workgroup_size(1) fn entry() {}\n";
  const ParsedModule without = parse_wgsl(text);
  ASSERT_TRUE(without.module);
  EXPECT_TRUE(without.module->functions.empty());
  EXPECT_EQ(without.module->library, nullptr);

  const ParsedModule parsed = parse_wgsl(text, "a.wgsl", {.functions = true});
  ASSERT_TRUE(parsed.module);
  const Module& module = *parsed.module;
  ASSERT_EQ(module.functions.size(), 3U);
  EXPECT_EQ(module.find_function("five"), nullptr);
  const ModuleFunction* four = module.find_function("four");
  ASSERT_NE(four, nullptr);
  EXPECT_FALSE(four->entry);
  EXPECT_EQ(four->not_run, "");
  const Function& function = (*module.library)[four->id];
  EXPECT_EQ(function.name, "four");
  EXPECT_EQ(function.parameters, 1U);
  EXPECT_EQ(function.pos.line, 3U);
  ASSERT_NE(module.find_function("entry"), nullptr);
  EXPECT_TRUE(module.find_function("entry")->entry);
}

}  // namespace
}  // namespace vyre
