// The text of GPU kernels with subgroup operations: which lanes an instruction names.
#include <gtest/gtest.h>

#include <sstream>

#include "kernels.h"
#include "vyre/plan/variants/variant_legality.h"

namespace vyre {
namespace {

Kernel with_body(const std::string& body, const std::string& functions = {}) {
  return kernels_of(R"(
enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> data: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;
)" + functions + R"(
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  var x = data[id.x];
  )" + body + "\n  result[id.x] = x;\n}")
      .at(0);
}

std::string ptx_with(const std::string& body, const std::string& functions = {},
                     const std::string& processor = "sm_90") {
  const Kernel kernel = with_body(body, functions);
  return ptx_of(kernel, variant_of(kernel), {.processor = processor});
}

std::size_t ballots(const std::string& ptx) { return count(ptx, "vote.sync.ballot"); }

TEST(SubgroupPtx, AsksTheHardwareNeverWhichLanesRun) {
  const std::string ptx = ptx_with("if (x > 3u) { x = subgroupAdd(x); }");
  EXPECT_EQ(count(ptx, "activemask"), 0U);
}

// One for the lanes inside the extent.
TEST(SubgroupPtx, HasNoBallotWhereAllLanesAgree) {
  EXPECT_EQ(ballots(ptx_with("x = subgroupAdd(x);")), 1U);
  EXPECT_EQ(ballots(ptx_with("if (n > 3u) { x = subgroupAdd(x); }")), 1U);
  EXPECT_EQ(ballots(ptx_with("for (var i = 0u; i < n; i++) { x += subgroupAdd(x); }")), 1U);
  EXPECT_EQ(ballots(ptx_with("while (subgroupAny(x > 9u)) { x = subgroupAdd(x) / 64u; }")), 1U);
}

// Whole workgroups and those at the end of the extent have code of their own: one ballot in each,
// and one for the lanes inside the extent.
TEST(SubgroupPtx, FindsTheLanesOfEachSide) {
  EXPECT_EQ(ballots(ptx_with("if (x > 3u) { x = subgroupAdd(x); }")), 3U);
  EXPECT_EQ(ballots(ptx_with("if (x > 3u) { return; } x = subgroupAdd(x);")), 3U);
  // What another lane may have written may differ from lane to lane.
  EXPECT_EQ(ballots(ptx_with("if (result[0] > 3u) { x = subgroupAdd(x); }")), 3U);
  // Nothing after it exchanges values, but the lanes meet again.
  EXPECT_EQ(ballots(ptx_with("if (x > 3u) { x += 1u; } x = subgroupAdd(x);")), 1U);
}

TEST(SubgroupPtx, ReducesIntegersByOneInstructionWhereThereIsOne) {
  EXPECT_EQ(count(ptx_with("x = subgroupAdd(x);"), "redux.sync.add"), 2U);
  EXPECT_EQ(count(ptx_with("x = subgroupAdd(x);", "", "sm_80"), "redux.sync.add"), 2U);
  EXPECT_EQ(count(ptx_with("x = subgroupAdd(x);", "", "sm_75"), "redux.sync"), 0U);
  EXPECT_EQ(count(ptx_with("x = subgroupAdd(x);", "", "sm_75"), "shfl.sync.bfly"), 10U);
}

// So many calls that the function is one in the PTX as well.
TEST(SubgroupPtx, FunctionsAreTheSameForAllLanesOfTheirCalls) {
  std::string function = "fn total(u: u32) -> u32 { var v = u;";
  for (int i = 0; i < 60; ++i) function += " v = v * 3u + (v >> 5u);";
  function += " return subgroupAdd(v); }\n";
  std::string body;
  for (int i = 0; i < 60; ++i) body += "if (x > 3u) { x = total(x); }\n";
  const std::string ptx = ptx_with(body, function);
  EXPECT_EQ(count(ptx, "redux.sync.add"), 1U);
  EXPECT_GE(ballots(ptx), 60U);
}

TEST(SubgroupPtx, NamesAllLanesByAConstantInWholeWorkgroups) {
  const std::string ptx = ptx_with("x = subgroupAdd(x);");
  std::size_t constant = 0;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    if (!line.contains("redux.sync")) continue;
    const std::string mask = line.substr(line.rfind(' ') + 1);  // %r20;
    constant += count(ptx, "mov.b32 \t" + mask.substr(0, mask.size() - 1) + ", -1;");
  }
  EXPECT_EQ(constant, 1U) << ptx;
}

TEST(SubgroupPtx, KeepsTheDeclaredWorkgroup) {
  const Kernel kernel = with_body("x = subgroupAdd(x);");
  Variant other = variant_of(kernel);
  EXPECT_EQ(why_not(kernel, other, TargetKind::nvptx, gpu_limits()), "");
  other.workgroup = {32, 1, 1};
  EXPECT_NE(why_not(kernel, other, TargetKind::nvptx, gpu_limits()), "");
  EXPECT_NE(why_not(kernel, variant_of(kernel, 2), TargetKind::nvptx, gpu_limits()), "");
  Variant gang = variant_of(kernel);
  gang.gang_width = 16;
  EXPECT_NE(why_not(kernel, gang, TargetKind::host, gpu_limits()), "");
  gang.gang_width = 32;
  EXPECT_EQ(why_not(kernel, gang, TargetKind::host, gpu_limits()), "");
}

}  // namespace
}  // namespace vyre
