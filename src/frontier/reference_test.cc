#include "vyre/frontier/reference.h"

#include <gtest/gtest.h>

#include <array>

namespace vyre {
namespace {

using Numbers = std::vector<std::uint32_t>;
using Distances = std::vector<std::uint64_t>;

// 0 -> 1 -> 2 -> 3, 0 -> 3, 3 -> 4, 5 -> 4, 6 alone. The edge 0 -> 3 weighs more than the way
// round.
GraphData directed() { return {{0, 2, 3, 4, 5, 5, 6, 6}, {1, 3, 2, 3, 4, 4}, {2, 10, 3, 4, 1, 7}}; }

GraphData undirected(std::uint32_t vertices, std::span<const GraphEdge> edges) {
  std::vector<GraphEdge> both;
  for (const auto& [a, b] : edges) {
    both.emplace_back(a, b);
    both.emplace_back(b, a);
  }
  return graph_from_edges(vertices, both);
}

TEST(Reference, DepthsFollowTheDirectionOfEdges) {
  constexpr std::uint32_t kNone = kUnreachedDepth;
  EXPECT_EQ(reference_depths(directed(), Numbers{0}), (Numbers{0, 1, 2, 1, 2, kNone, kNone}));
  EXPECT_EQ(reference_depths(directed(), Numbers{2, 5, 2}),
            (Numbers{kNone, kNone, 0, 1, 1, 0, kNone}));
  EXPECT_EQ(reference_depths(directed(), {}), Numbers(7, kNone));
  EXPECT_EQ(reference_depths(GraphData{}, {}), Numbers{});
}

TEST(Reference, DistancesTakeTheLighterWay) {
  constexpr std::uint64_t kNone = kUnreachedDistance;
  EXPECT_EQ(reference_distances(directed(), Numbers{0}), (Distances{0, 2, 5, 9, 10, kNone, kNone}));
  EXPECT_EQ(reference_distances(directed(), Numbers{0, 2}),
            (Distances{0, 2, 0, 4, 5, kNone, kNone}));
  GraphData plain = directed();
  plain.weights.clear();
  EXPECT_EQ(reference_distances(plain, Numbers{0}), (Distances{0, 1, 2, 1, 2, kNone, kNone}));
  // Sums beyond 32 bits.
  EXPECT_EQ(reference_distances({{0, 1, 2, 2}, {1, 2}, {0xffffffff, 0xffffffff}}, Numbers{0}),
            (Distances{0, 0xffffffff, 0x1fffffffe}));
}

TEST(Reference, ComponentsIgnoreTheDirectionOfEdges) {
  EXPECT_EQ(reference_components(directed()), (Numbers{0, 0, 0, 0, 0, 0, 6}));
  // 4 -> 2, 2 -> 3, 1 -> 0, a self loop on 5.
  EXPECT_EQ(reference_components({{0, 0, 1, 2, 2, 3, 4}, {0, 3, 2, 5}, {}}),
            (Numbers{0, 0, 2, 2, 2, 5}));
  EXPECT_EQ(reference_components(GraphData{}), Numbers{});
}

TEST(Reference, PageRankIsThatOfTheEquations) {
  // A cycle of three: nothing changes.
  for (const double score : reference_pagerank({{0, 1, 2, 3}, {1, 2, 0}, {}}, 5)) {
    EXPECT_DOUBLE_EQ(score, 1.0 / 3);
  }
  // 0 -> 1, 0 -> 2, 1 -> 2: two rounds by hand, with a damping of one half.
  const auto scores = reference_pagerank({{0, 2, 3, 3}, {1, 2, 2}, {}}, 2, 0.5);
  // After one round: 1/6, 1/6 + 1/12 = 1/4, 1/6 + 1/12 + 1/6 = 5/12.
  EXPECT_DOUBLE_EQ(scores[0], 1.0 / 6);
  EXPECT_DOUBLE_EQ(scores[1], 1.0 / 6 + 0.5 * (1.0 / 12));
  EXPECT_DOUBLE_EQ(scores[2], 1.0 / 6 + 0.5 * (1.0 / 12 + 1.0 / 4));
  EXPECT_EQ(reference_pagerank({{0, 0}, {}, {}}, 0), std::vector<double>{1});
  EXPECT_TRUE(reference_pagerank({}, 3).empty());
}

TEST(Reference, CoreNumbersPeelTheGraph) {
  // A clique of 0, 1, 2, 3; 4 hangs on 3 and 2; 5 on 4; 6 alone.
  constexpr std::array<GraphEdge, 9> kEdges{GraphEdge{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3},
                                            {2, 3},          {4, 3}, {4, 2}, {5, 4}};
  EXPECT_EQ(reference_core_numbers(undirected(7, kEdges)), (Numbers{3, 3, 3, 3, 2, 1, 0}));
  // A path, and a star.
  constexpr std::array<GraphEdge, 3> kPath{GraphEdge{0, 1}, {1, 2}, {2, 3}};
  EXPECT_EQ(reference_core_numbers(undirected(4, kPath)), (Numbers{1, 1, 1, 1}));
  constexpr std::array<GraphEdge, 3> kStar{GraphEdge{0, 1}, {0, 2}, {0, 3}};
  EXPECT_EQ(reference_core_numbers(undirected(4, kStar)), (Numbers{1, 1, 1, 1}));
  EXPECT_EQ(reference_core_numbers(GraphData{}), Numbers{});
}

}  // namespace
}  // namespace vyre
