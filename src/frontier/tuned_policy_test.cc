#include "vyre/frontier/tuned_policy.h"

#include <gtest/gtest.h>

#include <set>

#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/data/graph/graph.h"
#include "vyre/data/graph/graph_generate.h"
#include "vyre/frontier/frontier.h"
#include "vyre/frontier/reference.h"
#include "vyre/frontier/session_testing.h"

namespace vyre {
namespace {

constexpr const char* kSearch =
    "@group(0) @binding(0) var<storage, read_write> depth: array<atomic<u32>>;\n"
    "fn init(v: u32) { atomicStore(&depth[v], 0xffffffffu); }\n"
    "fn start(v: u32) { atomicStore(&depth[v], 0u); }\n"
    "fn wants(v: u32) -> bool { return atomicLoad(&depth[v]) == 0xffffffffu; }\n"
    "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n"
    "  return atomicCompareExchangeWeak(&depth[v], 0xffffffffu, r + 1u).exchanged;\n"
    "}\n";

class TunedPolicies : public testing::Test {
 protected:
  KernelTunerOptions kept(TunerMode mode) const {
    return {.path = folder_.path() / "evidence.jsonl", .mode = mode, .allowance_ns = 1e12};
  }
  // Runs as if a dense threshold of 20% took half of the time.
  void work(TunedPolicy& policy, int runs) const {
    for (int i = 0; i < runs; ++i) {
      const TunedPolicy::Turn turn = policy.next();
      const bool best = turn.policy.dense_frontier_threshold_bps == 2000;
      ASSERT_TRUE(policy.report(turn, best ? 1e6 : 2e6 + i));
    }
  }
  TemporaryFolder folder_;
  TunedSubject subject_{.vertices = 1000, .edges = 9000, .largest_degree = 30};
};

TEST_F(TunedPolicies, TheGivenPolicyIsServedFirstAndKeepsItsOtherConstants) {
  ResidentPolicy policy = kFrontierPolicy;
  policy.dense_frontier_threshold_bps = 1234;
  policy.hot_window_threshold = 77;
  auto tuned = TunedPolicy::open(subject_, policy, kept(TunerMode::frozen));
  ASSERT_TRUE(tuned) << describe(tuned.error());
  EXPECT_EQ(tuned->next().policy, policy);
}

TEST_F(TunedPolicies, WhatOneProcessLearnedServesTheNextForGraphsOfTheClass) {
  {
    auto tuned = TunedPolicy::open(subject_, kFrontierPolicy, kept(TunerMode::sweep));
    ASSERT_TRUE(tuned) << describe(tuned.error());
    work(*tuned, 300);
  }
  TunedSubject alike = subject_, other = subject_, larger = subject_;
  alike.vertices = 900;
  other.program.bytes[0] = 1;
  larger.vertices = 100'000;
  const auto dense = [&](const TunedSubject& subject) {
    auto tuned = TunedPolicy::open(subject, kFrontierPolicy, kept(TunerMode::frozen));
    EXPECT_TRUE(tuned);
    return tuned->next().policy.dense_frontier_threshold_bps;
  };
  EXPECT_EQ(dense(subject_), 2000);
  EXPECT_EQ(dense(alike), 2000);
  EXPECT_EQ(dense(other), kFrontierPolicy.dense_frontier_threshold_bps);
  EXPECT_EQ(dense(larger), kFrontierPolicy.dense_frontier_threshold_bps);
}

TEST_F(TunedPolicies, RunsTryThresholdsAndStayRight) {
  const Session session = session_to_test();
  const GraphData data = *make_graph(*parse_graph_recipe("kron:9"));
  const auto graph = Graph::from_csr(session, data.offsets, data.columns);
  const auto program = FrontierProgram::from_wgsl(kSearch, "s.wgsl");
  ASSERT_TRUE(graph && program);
  const auto p = prepare(session, *program, *graph, {}, {.tuning = kept(TunerMode::sweep)});
  ASSERT_TRUE(p) << describe(p.error());
  ASSERT_TRUE(p->tuning_text());
  std::uint32_t from = 0;
  while (data.degree(from) == 0) ++from;
  const std::uint32_t first[] = {from};
  const auto expected = reference_depths(data, first);
  std::set<std::uint16_t> tried;
  for (int i = 0; i < 60; ++i) {
    const auto result = p->run({.first = {from}});
    ASSERT_TRUE(result) << describe(result.error());
    tried.insert(result->policy.dense_frontier_threshold_bps);
    for (const RoundRecord& r : result->rounds) {
      const auto answer = compute_recommendation(result->policy, r.request, r.previous);
      ASSERT_TRUE(answer);
      ASSERT_EQ(answer->topology, r.topology);
    }
    std::vector<std::uint32_t> depth(data.vertices());
    ASSERT_TRUE(session.read(*p->buffer("depth"), 0, std::as_writable_bytes(std::span(depth))));
    ASSERT_EQ(depth, expected);
  }
  EXPECT_GE(tried.size(), 4U);
  // Forced runs and runs that are cut short are not compared, and have the policy that was given.
  EXPECT_EQ(p->run({.first = {from}, .most_rounds = 2})->policy, kFrontierPolicy);
  const auto plain = prepare(session, *program, *graph, {});
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->tuning_text());
}

}  // namespace
}  // namespace vyre
