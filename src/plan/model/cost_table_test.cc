// The cost model is fitted to measured times, so its figures follow from no rule that a test could
// state. A recorded table shows what a change of the model changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "vyre/base/golden_testing.h"
#include "vyre/plan/kernels_testing.h"
#include "vyre/plan/model/cost_model.h"

namespace vyre {
namespace {

struct Case {
  const char* name;
  std::function<void(CostFacts&)> change;
};

const std::vector<Case> kCases = {
    {"plain", [](CostFacts&) {}},
    {"tiny", [](CostFacts& f) { f.extent = {100, 1, 1}; }},
    {"small", [](CostFacts& f) { f.extent = {1 << 14, 1, 1}; }},
    {"large", [](CostFacts& f) { f.extent = {1 << 26, 1, 1}; }},
    {"large loops", [](CostFacts& f) { f.extent = {1 << 26, 1, 1}, f.loops = true; }},
    {"uneven", [](CostFacts& f) { f.extent = {1'000'003, 1, 1}; }},
    {"empty", [](CostFacts& f) { f.extent = {0, 0, 0}; }},
    {"planes", [](CostFacts& f) { f.extent = {1000, 1001, 1}; }},
    {"space", [](CostFacts& f) { f.extent = {100, 101, 102}; }},
    {"streams", [](CostFacts& f) { f.pointwise = true; }},
    {"streams much", [](CostFacts& f) { f.pointwise = true, f.extent = {1 << 26, 1, 1}; }},
    {"streams, 50", [](CostFacts& f) { f.pointwise = true, f.operations = 50; }},
    {"streams, 51", [](CostFacts& f) { f.pointwise = true, f.operations = 51; }},
    {"no operations", [](CostFacts& f) { f.operations = 0; }},
    {"400 operations", [](CostFacts& f) { f.operations = 400; }},
    {"401 operations", [](CostFacts& f) { f.operations = 401; }},
    {"little traffic", [](CostFacts& f) { f.traffic_bytes = 1 << 20; }},
    {"much traffic", [](CostFacts& f) { f.traffic_bytes = 1 << 30; }},
    {"columns", [](CostFacts& f) { f.column_bytes = 4, f.extent = {1024, 1024, 1}; }},
    {"loops", [](CostFacts& f) { f.loops = true; }},
    {"loops in planes", [](CostFacts& f) { f.loops = true, f.extent = {1024, 1024, 1}; }},
    {"computes", [](CostFacts& f) { f.loops = true, f.loaded_bytes = 0; }},
    {"shares", [](CostFacts& f) { f.shared_bytes = 4096; }},
    {"shares in loops", [](CostFacts& f) { f.shared_bytes = 4096, f.loops = true; }},
    {"atomics", [](CostFacts& f) { f.atomics = true; }},
    {"atomics in loops", [](CostFacts& f) { f.atomics = true, f.loops = true; }},
    {"scattered", [](CostFacts& f) { f.scattered = true, f.loaded_bytes = 36; }},
    {"scattered loops", [](CostFacts& f) { f.scattered = true, f.loops = true; }},
    {"in place", [](CostFacts& f) { f.in_place = true, f.extent = {1 << 14, 1, 1}; }},
    {"usual gang 1", [](CostFacts& f) { f.usual.gang_width = 1; }},
    {"usual gang 32", [](CostFacts& f) { f.usual.gang_width = 32, f.loops = true; }},
};

std::vector<Variant> variants_of(TargetKind kind) {
  std::vector<Variant> out;
  const auto add = [&](Extent workgroup, std::uint32_t items, ItemLayout layout,
                       std::uint32_t gang = 1, std::uint32_t groups = 1) {
    out.push_back({.workgroup = workgroup,
                   .items_per_lane = items,
                   .layout = layout,
                   .gang_width = gang,
                   .groups_per_task = groups});
  };
  using enum ItemLayout;
  if (kind == TargetKind::host) {
    for (const std::uint32_t gang : {1U, 4U, 8U, 16U, 32U, 64U}) {
      add({64, 1, 1}, 1, strided, gang);
    }
    for (const std::uint32_t groups : {8U, 64U}) add({64, 1, 1}, 1, strided, 16, groups);
    add({1024, 1, 1}, 1, strided, 16);
    add({16, 4, 2}, 1, strided, 16);
    add({64, 1, 1}, 2, strided, 16);
    return out;
  }
  for (const std::uint32_t width : {8U, 16U, 32U, 64U, 128U, 512U, 1024U}) {
    add({width, 1, 1}, 1, strided);
  }
  for (const std::uint32_t items : {2U, 4U, 8U, 16U}) {
    add({256, 1, 1}, items, strided);
    add({256, 1, 1}, items, blocked);
  }
  add({8, 8, 1}, 1, strided);
  add({16, 16, 4}, 1, strided);
  add({32, 8, 1}, 4, strided);
  return out;
}

std::string table_of(const PlanDevice& device) {
  const std::vector<Variant> variants = variants_of(device.kind);
  std::string text = fmt::format("{} {}\n", device.name, device.profile.device_name);
  for (const Case& c : kCases) {
    CostFacts facts;
    facts.kind = device.kind;
    facts.extent = {1 << 20, 1, 1};
    facts.usual = variants.front();
    facts.usual.gang_width = device.kind == TargetKind::host ? 16 : 1;
    facts.loaded_bytes = 8;
    facts.stored_bytes = 4;
    facts.operations = 10;
    c.change(facts);
    text += fmt::format("{:<17}", c.name);
    for (const double ns : expected_ns_of(facts, device.profile, variants)) {
      text += fmt::format(" {:.7g}", ns);
    }
    text += '\n';
  }
  return text;
}

TEST(CostTable, IsAsRecorded) {
  expect_golden(table_of(large_gpu()) + table_of(unknown_gpu()) +
                    table_of(processor_of_16_lanes()) + table_of(processor_of_8_lanes()),
                "costs.txt");
}

TEST(CostTable, OccupancyIsLimitedByWhatRunsOutFirst) {
  const Profile h200 = large_gpu().profile;
  EXPECT_EQ(resident_groups(h200, 0, 32, 0), 0U);
  EXPECT_EQ(resident_groups(h200, 1, 0, 0), 32U) << "blocks";
  EXPECT_EQ(resident_groups(h200, 65, 0, 0), 21U) << "whole warps: 96 lanes of 2048";
  EXPECT_EQ(resident_groups(h200, 96, 0, 0), 21U);
  EXPECT_EQ(resident_groups(h200, 256, 33, 0), 6U) << "33 registers take the room of 40";
  EXPECT_EQ(resident_groups(h200, 256, 40, 0), 6U);
  EXPECT_EQ(resident_groups(h200, 256, 41, 0), 5U);
  EXPECT_EQ(resident_groups(h200, 32, 0, 56 << 10), 4U) << "each block also takes 1024 bytes";
  EXPECT_EQ(resident_groups(h200, 32, 0, (57 << 10) - 1024), 4U);
  EXPECT_EQ(resident_groups(h200, 32, 0, (57 << 10) - 1023), 3U);
  const Profile unknown;
  EXPECT_EQ(resident_groups(unknown, 1024, 255, 1 << 20), 32U) << "nothing is known to run out";
  Profile wide;
  wide.warp_size = 64;
  wide.max_threads_per_multiprocessor = 1024;
  EXPECT_EQ(resident_groups(wide, 33, 0, 0), 16U) << "warps of 64 lanes";
}

}  // namespace
}  // namespace vyre
