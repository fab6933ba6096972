#include "vyre/data/graph/graph.h"

#include <gtest/gtest.h>

#include <array>

namespace vyre {
namespace {

using Numbers = std::vector<std::uint32_t>;

std::string error_of(const Numbers& offsets, const Numbers& columns, const Numbers& weights = {}) {
  const auto checked = check_graph(offsets, columns, weights, {"o.npy", "c.npy", "w.npy"});
  return checked ? "no error" : describe(checked.error());
}

TEST(Graph, AcceptsWhatIsAGraph) {
  EXPECT_EQ(error_of({0}, {}), "no error");
  EXPECT_EQ(error_of({0, 0, 0}, {}), "no error");
  EXPECT_EQ(error_of({0, 2, 3}, {0, 1, 1}), "no error");
  EXPECT_EQ(error_of({0, 2, 3}, {0, 1, 1}, {7, 0, 0xffffffff}), "no error");
  EXPECT_TRUE(check_graph(GraphData{}));
}

TEST(Graph, NamesTheFirstWrongEntry) {
  EXPECT_EQ(error_of({}, {}), "o.npy: is empty; a graph of n vertices has n + 1 offsets");
  EXPECT_EQ(error_of({1, 2}, {0, 0}), "o.npy: begins with 1 instead of 0");
  EXPECT_EQ(error_of({0, 2, 1, 0, 2}, {0, 0}), "o.npy: entry 2 is 1, below the 2 before it");
  EXPECT_EQ(error_of({0, 2}, {0, 0, 0}), "o.npy: ends with 2, but c.npy has 3 edges");
  EXPECT_EQ(error_of({0, 4}, {0, 0, 0}), "o.npy: ends with 4, but c.npy has 3 edges");
  EXPECT_EQ(error_of({0, 1, 3}, {0, 2, 5}), "c.npy: entry 1 is 2, but the last vertex is 1");
  EXPECT_EQ(error_of({0, 1}, {0xffffffff}),
            "c.npy: entry 0 is 4294967295, but the last vertex is 0");
  EXPECT_EQ(error_of({0, 2}, {0, 0}, {1}), "w.npy: has 1 weight for 2 edges");
}

TEST(Graph, IsMadeOfEdgesInTheirOrder) {
  const std::array<GraphEdge, 4> edges{GraphEdge{2, 1}, {0, 2}, {2, 0}, {0, 0}};
  const GraphData graph = graph_from_edges(3, edges, Numbers{10, 20, 30, 40});
  EXPECT_EQ(graph.offsets, (Numbers{0, 2, 2, 4}));
  EXPECT_EQ(graph.columns, (Numbers{2, 0, 1, 0}));
  EXPECT_EQ(graph.weights, (Numbers{20, 40, 10, 30}));
  EXPECT_EQ(graph.vertices(), 3U);
  EXPECT_EQ(graph.edges(), 4U);
  EXPECT_EQ(graph.degree(1), 0U);
  EXPECT_EQ(graph.targets(2)[0], 1U);
  EXPECT_EQ(graph_from_edges(0, {}), GraphData{});
}

TEST(Graph, IsTransposedWithTheIndicesOfItsEdges) {
  const GraphData graph{{0, 2, 2, 4}, {2, 0, 1, 0}, {20, 40, 10, 30}};
  Numbers original;
  const GraphData reversed = transpose(graph, &original);
  EXPECT_EQ(reversed, (GraphData{{0, 2, 3, 4}, {0, 2, 2, 0}, {40, 30, 10, 20}}));
  EXPECT_EQ(original, (Numbers{1, 3, 2, 0}));
  EXPECT_EQ(transpose(GraphData{}), GraphData{});
}

TEST(Graph, LosesSelfLoopsAndRepeatedEdges) {
  const GraphData graph{{0, 5, 6}, {1, 0, 1, 0, 1}, {9, 1, 3, 1, 5}};
  GraphData loops = graph;
  loops.columns.push_back(1);
  loops.weights.push_back(2);
  EXPECT_EQ(simplify(loops), (GraphData{{0, 1, 1}, {1}, {3}}));
  loops.weights.clear();
  EXPECT_EQ(simplify(loops), (GraphData{{0, 1, 1}, {1}, {}}));
}

TEST(Graph, IsSymmetricWhenEveryEdgeHasItsReverse) {
  EXPECT_TRUE(is_symmetric(GraphData{}));
  EXPECT_TRUE(is_symmetric({{0, 2, 3, 4}, {2, 1, 0, 0}, {}}));
  EXPECT_FALSE(is_symmetric({{0, 1, 1}, {1}, {}}));
  // A cycle of three: degrees agree, edges do not.
  EXPECT_FALSE(is_symmetric({{0, 1, 2, 3}, {1, 2, 0}, {}}));
  // One edge twice, its reverse once, and a self loop in place of the other.
  EXPECT_FALSE(is_symmetric({{0, 2, 4}, {1, 1, 0, 1}, {}}));
}

TEST(Graph, GetsTheReverseOfEachEdge) {
  // 0 -> 1 (5), 1 -> 0 (3), 1 -> 2 (7), 2 -> 2.
  const auto both = with_reverse_edges({{0, 1, 3, 4}, {1, 0, 2, 2}, {5, 3, 7, 1}});
  ASSERT_TRUE(both);
  EXPECT_EQ(*both, (GraphData{{0, 1, 3, 4}, {1, 0, 2, 1}, {3, 3, 7, 7}}));
  EXPECT_EQ(with_reverse_edges(GraphData{}), GraphData{});
}

TEST(Graph, WeighsAnEdgeAndItsReverseAlike) {
  GraphData graph{{0, 2, 3, 4}, {2, 1, 0, 0}, {}};
  add_weights(graph);
  ASSERT_EQ(graph.weights.size(), 4U);
  EXPECT_EQ(graph.weights[0], graph.weights[3]);
  EXPECT_EQ(graph.weights[1], graph.weights[2]);
  for (const std::uint32_t weight : graph.weights) {
    EXPECT_GE(weight, 1U);
    EXPECT_LE(weight, 255U);
  }
  GraphData other = graph;
  add_weights(other, 2);
  EXPECT_NE(other.weights, graph.weights);
}

TEST(Graph, HasAShape) {
  const GraphShape shape = shape_of({{0, 3, 3, 4}, {2, 1, 0, 0}, {}});
  EXPECT_EQ(shape.vertices, 3U);
  EXPECT_EQ(shape.edges, 4U);
  EXPECT_EQ(shape.largest_degree, 3U);
  EXPECT_EQ(shape.isolated, 1U);
  EXPECT_DOUBLE_EQ(shape.mean_degree, 4.0 / 3);
  EXPECT_EQ(shape_of({}).mean_degree, 0);
}

}  // namespace
}  // namespace vyre
