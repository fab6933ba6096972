#include "vyre/cli/graph/graph_page.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

FrontierResult result_of(std::uint32_t rounds) {
  FrontierResult result;
  for (std::uint32_t i = 0; i < rounds; ++i) {
    RoundRecord round{.round = i};
    round.request.queue_len = i + 1;
    round.request.graph_node_count = 100'000;
    round.topology = i % 2 == 0 ? Topology::sparse_frontier : Topology::dense_frontier;
    round.edges = 10 * i;
    round.nanoseconds = 100;
    result.rounds.push_back(round);
  }
  result.round_count = rounds;
  result.ended = true;
  return result;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(GraphPage, ShowsEachRoundInThreeCharts) {
  const FrontierResult result = result_of(3);
  const std::string page = graph_page({.command = "vyre graph x.wgsl a<b.mtx",
                                       .title = "x.wgsl on a<b.mtx",
                                       .summary = "",
                                       .device = "cpu",
                                       .vertices = 1000,
                                       .edges = 20,
                                       .result = result});
  EXPECT_EQ(count(page, "<svg"), 3U);
  EXPECT_EQ(count(page, "<rect class=\"sparse_frontier\""), 6U);
  EXPECT_EQ(count(page, "<rect class=\"dense_frontier\""), 3U);
  EXPECT_EQ(count(page, "sparse_frontier: 2 rounds"), 1U);
  EXPECT_EQ(count(page, "a&lt;b.mtx"), 3U);  // the page's title, its heading and the command
  EXPECT_EQ(count(page, "a<b"), 0U);
  EXPECT_EQ(count(page, "http"), 0U);
  EXPECT_EQ(count(page, "1,000 vertices and 20 edges on cpu: 3 rounds"), 1U);
}

TEST(GraphPage, StaysSmallWithManyRounds) {
  const FrontierResult result = result_of(100'000);
  const std::string page =
      graph_page({.command = "", .title = "", .summary = "", .device = "", .result = result});
  EXPECT_LT(page.size(), 500'000U);
  EXPECT_EQ(count(page, "round 99999"), 0U);
  EXPECT_NE(page.find(" to 99999: frontier 100,000, "), std::string::npos);
}

TEST(GraphPage, OfARunWithoutRoundsHasNoCharts) {
  const FrontierResult result;
  const std::string page =
      graph_page({.command = "", .title = "", .summary = "", .device = "", .result = result});
  EXPECT_EQ(count(page, "<svg"), 0U);
}

}  // namespace
}  // namespace vyre
