#include "vyre/plan/model/program_work.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vyre/base/golden_testing.h"
#include "vyre/plan/kernels_testing.h"

namespace vyre {
namespace {

std::string line_of(const CostFacts& f) {
  std::string out = fmt::format("loads {} stores {} columns {} traffic {} operations {} shared {}",
                                f.loaded_bytes, f.stored_bytes, f.column_bytes, f.traffic_bytes,
                                f.operations, f.shared_bytes);
  const auto add = [&](bool is, const char* word) {
    if (is) out += fmt::format(" {}", word);
  };
  add(f.loops, "loops");
  add(f.atomics, "atomics");
  add(f.pointwise, "pointwise");
  add(f.scattered, "scattered");
  add(f.in_place, "in_place");
  return out;
}

TEST(ProgramWork, OfEveryKindOfKernel) {
  std::string text;
  for (const Kernel& kernel : kernels_of_all_kinds()) {
    for (const TargetKind kind : {TargetKind::host, TargetKind::nvptx}) {
      text += fmt::format("{:<30} {:<5} {}\n", kernel.program->name,
                          kind == TargetKind::host ? "host" : "gpu",
                          line_of(cost_facts_of(kernel, kind, {1000, 1, 1}, 24'000)));
    }
  }
  expect_golden(text, "program_work.txt");
}

TEST(ProgramWork, KnowsTheLaunch) {
  const CostFacts facts =
      cost_facts_of(kernel_named("streams"), TargetKind::nvptx, {3, 4, 5}, 24'000);
  EXPECT_EQ(facts.kind, TargetKind::nvptx);
  EXPECT_EQ(facts.extent, (Extent{3, 4, 5}));
}

}  // namespace
}  // namespace vyre
