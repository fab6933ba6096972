#include "vyre/cli/graph/graph_rounds.h"

#include <gtest/gtest.h>

#include "vyre/cli/command_line_testing.h"
#include "vyre/cli/graph/topology_words.h"
#include "vyre/data/number_text.h"

namespace vyre {
namespace {

ResidentRequest request(std::uint32_t frontier, std::uint16_t density) {
  return {.queue_len = frontier,
          .requested_worker_groups = 8,
          .max_workgroup_size_x = 256,
          .max_compute_workgroups_per_dimension = 65535,
          .max_compute_invocations_per_workgroup = 256,
          .expected_hits_per_item = 4,
          .graph_node_count = 1'000'000,
          .graph_edge_count = 4'000'000,
          .frontier_density_bps = density};
}

// A round that the standard policy decides.
RoundRecord decided(std::uint32_t number, std::uint32_t frontier, std::uint16_t density,
                    std::optional<Topology> previous = {}) {
  RoundRecord round{.round = number, .request = request(frontier, density), .previous = previous};
  const auto answer = compute_recommendation(kStandardPolicy, round.request, previous);
  EXPECT_TRUE(answer);
  round.topology = answer->topology;
  round.workers = round.launched = answer->worker_groups;
  round.edges = std::uint64_t{4} * frontier;
  round.nanoseconds = 1000 + frontier;
  return round;
}

TEST(GraphRounds, SayWhyTheyRanAsTheyDid) {
  EXPECT_EQ(round_reason(decided(0, 1, 1), kStandardPolicy), "density 0.01%, at most 5.00%");
  EXPECT_EQ(round_reason(decided(1, 200'000, 2000), kStandardPolicy),
            "density 20.00%, between 5.00% and 40.00%");
  EXPECT_EQ(round_reason(decided(2, 600'000, 6000), kStandardPolicy),
            "density 60.00%, at least 40.00%");
  EXPECT_EQ(round_reason(decided(3, 70'000, 700, Topology::sparse_frontier), kStandardPolicy),
            "density 7.00%, between 5.00% and 40.00%: kept, within 2.50% of the threshold");
  RoundRecord short_of_memory = decided(4, 100, 100);
  short_of_memory.request.memory_pressure_bps = 9000;
  EXPECT_EQ(round_reason(short_of_memory, kStandardPolicy), "memory 90.00%, at least 85.00%");
  RoundRecord hot = decided(5, 600'000, 6000);
  hot.request.hot_window_count = 4;
  EXPECT_EQ(round_reason(hot, kStandardPolicy), "density 60.00%, at least 40.00%, in a hot window");
  RoundRecord forced = decided(6, 1, 1);
  forced.forced = true;
  EXPECT_EQ(round_reason(forced, kStandardPolicy), "--topology");
}

TEST(GraphRounds, NameTheirTopologyAndHowItRan) {
  RoundRecord round = decided(0, 1, 1);
  EXPECT_EQ(round_topology(round), "sparse_frontier");
  round.solo = true;
  EXPECT_EQ(round_topology(round), "sparse_frontier, alone");
  round.solo = false;
  round.topology = Topology::dense_frontier;
  round.pulled = round.overflowed = true;
  EXPECT_EQ(round_topology(round), "dense_frontier, pulled, overflowed");
}

TEST(GraphRounds, AreGroupedWhereThereAreMany) {
  std::vector<RoundRecord> rounds;
  for (std::uint32_t i = 0; i < 6; ++i) rounds.push_back(decided(i, i + 1, i == 3 ? 6000 : 1));
  ASSERT_EQ(group_rounds(rounds, 6).size(), 6U);
  const auto groups = group_rounds(rounds, 5);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].first.round, 0U);
  EXPECT_EQ(groups[0].last(), 2U);
  EXPECT_EQ(groups[0].largest_frontier, 3U);
  EXPECT_EQ(groups[0].edges, 4U + 8 + 12);
  EXPECT_EQ(groups[0].nanoseconds, 3000U + 1 + 2 + 3);
  EXPECT_EQ(groups[1].first.topology, Topology::dense_frontier);
  EXPECT_EQ(groups[1].rounds, 1U);
  EXPECT_EQ(groups[2].last(), 5U);
  EXPECT_TRUE(group_rounds({}, 5).empty());
}

// What `vyre resident` recommends.
nlohmann::json again(const std::string& command) {
  std::vector<std::string> words;
  for (const std::string_view word : split(command, ' ')) words.emplace_back(word);
  EXPECT_EQ(words.front(), "vyre");
  words.erase(words.begin());
  words.emplace_back("--json");
  const CommandResult result = run_vyre(words);
  EXPECT_EQ(result.exit, 0) << result.err;
  return nlohmann::json::parse(result.out).at("recommendation");
}

TEST(GraphRounds, CanBeDecidedAgainByTheCommandForThem) {
  for (const RoundRecord& round :
       {decided(0, 1, 1), decided(1, 70'000, 700, Topology::sparse_frontier),
        decided(2, 600'000, 6000, Topology::hybrid_frontier)}) {
    const nlohmann::json answer = again(resident_command(round, kStandardPolicy));
    EXPECT_EQ(answer.at("topology"), to_string(round.topology));
    EXPECT_EQ(answer.at("worker_groups"), round.workers);
  }
  // 20% is dense where graph programs run.
  RoundRecord round = decided(1, 200'000, 2000);
  EXPECT_EQ(again(resident_command(round, kStandardPolicy)).at("topology"), "hybrid_frontier");
  EXPECT_EQ(again(resident_command(round, kFrontierPolicy)).at("topology"), "dense_frontier");
}

TEST(GraphRounds, CommandHasEverySignal) {
  RoundRecord round;
  round.request = {.queue_len = 1,
                   .requested_worker_groups = 2,
                   .max_workgroup_size_x = 3,
                   .max_compute_workgroups_per_dimension = 4,
                   .max_compute_invocations_per_workgroup = 5,
                   .requested_hit_capacity = 6,
                   .expected_hits_per_item = 7,
                   .hot_opcode_count = 8,
                   .hot_window_count = 9,
                   .max_priority_age = 10,
                   .graph_node_count = 11,
                   .graph_edge_count = 12,
                   .frontier_density_bps = 13,
                   .memory_pressure_bps = 14,
                   .requeue_count = 15,
                   .resident_device_bytes = 16,
                   .device_memory_budget_bytes = 17};
  round.previous = Topology::fused_dense;
  EXPECT_EQ(resident_command(round, kStandardPolicy),
            "vyre resident --queue 1 --workers 2 --nodes 11 --edges 12 --density 13 --pressure 14 "
            "--resident 16 --budget 17 --hit-capacity 6 --hits-per-item 7 --hot-opcodes 8 "
            "--hot-windows 9 --requeues 15 --max-age 10 --max-width 3 --max-groups 4 "
            "--max-invocations 5 --previous-topology fused_dense");
}

TEST(GraphRounds, ArePrintedAsATable) {
  std::string text;
  Output out(text);
  FrontierResult result;
  result.policy = kStandardPolicy;
  result.rounds = {decided(0, 1, 1), decided(1, 600'000, 6000)};
  result.round_count = 2;
  print_rounds(out, result);
  EXPECT_TRUE(
      text.starts_with("round  frontier      edges      time  workers  topology         why\n"
                       "0             1          4   1.00 us        8  sparse_frontier  density "
                       "0.01%, at most 5.00%\n"))
      << text;
  EXPECT_NE(text.find("the decision of round 1 again:\n  vyre resident --queue 600000 "),
            std::string::npos)
      << text;
}

TEST(TopologyWords, AreShortOrWhole) {
  EXPECT_EQ(parse_round_topology("sparse"), Topology::sparse_frontier);
  EXPECT_EQ(parse_round_topology("dense_frontier"), Topology::dense_frontier);
  EXPECT_EQ(describe(parse_round_topology("denze").error()),
            "there is no topology 'denze'; did you mean dense?");
  EXPECT_EQ(describe(parse_round_topology("empty").error()),
            "there is no topology 'empty'; there are sparse, hybrid, dense, fused and memory");
}

}  // namespace
}  // namespace vyre
