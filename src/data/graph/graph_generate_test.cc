#include "vyre/data/graph/graph_generate.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

GraphData made(std::string_view text) {
  const auto recipe = parse_graph_recipe(text);
  if (!recipe) {
    ADD_FAILURE() << describe(recipe.error());
    return {};
  }
  auto graph = make_graph(*recipe);
  if (!graph) {
    ADD_FAILURE() << describe(graph.error());
    return {};
  }
  return *graph;
}

std::string error_of(std::string_view text) {
  const auto recipe = parse_graph_recipe(text);
  return recipe ? "no error" : describe(recipe.error());
}

TEST(GraphRecipe, IsReadFromTextAndPrintedAgain) {
  for (const char* text : {"path:1", "path:4294967", "grid:3x2", "kron:10:16", "uniform:0:1"}) {
    const auto recipe = parse_graph_recipe(text);
    ASSERT_TRUE(recipe) << describe(recipe.error());
    EXPECT_EQ(describe(*recipe), text);
  }
  EXPECT_EQ(describe(*parse_graph_recipe("kron:20")), "kron:20:16");
}

TEST(GraphRecipe, ThatIsWrongSaysHow) {
  EXPECT_EQ(error_of("krom:3"), "no graph is made by 'krom:3'; did you mean kron?");
  EXPECT_EQ(error_of("path:0"),
            "'0' is not a number of vertices (a whole number from 1 to 4294967294)");
  EXPECT_EQ(error_of("path:-1"),
            "'-1' is not a number of vertices (a whole number from 1 to 4294967294)");
  EXPECT_EQ(error_of("grid:3"), "'grid:3' is not grid:WxH");
  EXPECT_EQ(error_of("kron:31"), "'31' is not a scale (a whole number from 0 to 30)");
  EXPECT_EQ(error_of("kron:20:0"), "'0' is not a degree (a whole number from 1 to 1024)");
  EXPECT_EQ(error_of("kron:1:2:3"), "'kron:1:2:3' is not kron:S or kron:S:DEGREE");
  EXPECT_EQ(error_of("grid:4294967294x4294967294"),
            "'grid:4294967294x4294967294' has 18,446,744,056,529,682,436 vertices; a graph has up "
            "to 4,294,967,294");
  EXPECT_EQ(error_of("uniform:30:2"),
            "'uniform:30:2' has 4,294,967,296 edges; a graph has up to 4,294,967,294");
  EXPECT_EQ(error_of("path:4294967294"),
            "'path:4294967294' has 8,589,934,586 edges; a graph has up to 4,294,967,294");
}

TEST(MakeGraph, Path) {
  EXPECT_EQ(made("path:1"), (GraphData{{0, 0}, {}, {}}));
  EXPECT_EQ(made("path:4"), (GraphData{{0, 1, 3, 5, 6}, {1, 0, 2, 1, 3, 2}, {}}));
}

TEST(MakeGraph, Grid) {
  // 0 1 2
  // 3 4 5
  EXPECT_EQ(made("grid:3x2"),
            (GraphData{{0, 2, 5, 7, 9, 12, 14}, {1, 3, 0, 2, 4, 1, 5, 0, 4, 1, 3, 5, 2, 4}, {}}));
  EXPECT_EQ(made("grid:1x3"), made("path:3"));
  EXPECT_EQ(made("grid:3x1"), made("path:3"));
}

TEST(MakeGraph, RandomGraphsAreSimpleUndirectedAndTheSameEachTime) {
  for (const char* text :
       {"kron:0", "kron:1", "kron:9", "uniform:0", "uniform:9", "uniform:5:40"}) {
    const GraphData graph = made(text);
    EXPECT_TRUE(check_graph(graph)) << text;
    EXPECT_TRUE(is_symmetric(graph)) << text;
    EXPECT_EQ(simplify(graph), graph) << text;
    EXPECT_EQ(made(text), graph) << text;
  }
  EXPECT_EQ(made("kron:0").vertices(), 1U);
  EXPECT_EQ(made("kron:9").vertices(), 512U);
}

TEST(MakeGraph, UniformDegreesAreEvenAndKroneckerDegreesAreNot) {
  const GraphShape uniform = shape_of(made("uniform:14")), kron = shape_of(made("kron:14"));
  EXPECT_NEAR(uniform.mean_degree, 32, 0.2);  // 16 draws, both directions, few of them repeated
  EXPECT_LT(uniform.largest_degree, 70U);
  EXPECT_EQ(uniform.isolated, 0U);
  EXPECT_GT(kron.largest_degree, 1000U);
  EXPECT_GT(kron.isolated, 2000U);
}

// How many different edges the draws make depends on all four probabilities. The GAP benchmark
// suite's generator makes 48,386 and 212,930 of them at these scales.
TEST(MakeGraph, KroneckerEdgesAreDrawnWithTheProbabilitiesOfGraph500) {
  EXPECT_NEAR(made("kron:12").edges(), 2 * 48386, 2 * 250);
  EXPECT_NEAR(made("kron:14").edges(), 2 * 212930, 2 * 600);
}

TEST(MakeGraph, KnowsTheMemoryItNeeds) {
  EXPECT_EQ(bytes_to_make(*parse_graph_recipe("path:3")), 4U * 3 * (4 + 3));
  EXPECT_EQ(bytes_to_make(*parse_graph_recipe("uniform:1:1")), 4U * 4 * (4 + 2));
}

}  // namespace
}  // namespace vyre
