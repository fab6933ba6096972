#include "vyre/tune/search/search_space.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vyre {
namespace {

SearchSpace grid() {
  // 3 x 2, without (4, fast).
  auto space = SearchSpace::make({{"width", {"1", "2", "4"}}, {"mode", {"slow", "fast"}}},
                                 {0, 0, 0, 1, 1, 0, 1, 1, 2, 0});
  EXPECT_TRUE(space) << describe(space.error());
  return *std::move(space);
}

TEST(SearchSpace, FindsConfigurationsByTheirValues) {
  const SearchSpace space = grid();
  ASSERT_EQ(space.size(), 5U);
  for (std::uint32_t i = 0; i < space.size(); ++i) EXPECT_EQ(space.find(space.row(i)), i);
  const std::vector<std::uint16_t> missing{2, 1};
  EXPECT_EQ(space.find(missing), std::nullopt);
  EXPECT_EQ(to_string(space.configuration(3)), "width=2 mode=fast");
}

TEST(SearchSpace, NeighboursDifferInOneParameter) {
  const SearchSpace space = grid();
  std::vector<std::uint32_t> near;
  space.neighbours(0, near);
  EXPECT_EQ(near, (std::vector<std::uint32_t>{2, 4, 1}));
  space.neighbours(4, near);
  EXPECT_EQ(near, (std::vector<std::uint32_t>{0, 2}));
}

TEST(SearchSpace, NumbersHavePlacesAndNamesHaveNone) {
  const SearchSpace space = grid();
  ASSERT_EQ(space.positions(0).size(), 3U);
  EXPECT_DOUBLE_EQ(space.positions(0)[1], 0.5);  // by the logarithm
  EXPECT_TRUE(space.positions(1).empty());
}

TEST(SearchSpace, ConfigurationsGiveValuesInOrder) {
  const std::vector<Configuration> all{
      {{"workgroup", "256x1x1"}, {"items", "16"}},
      {{"workgroup", "8x8x1"}, {"items", "2"}},
      {{"workgroup", "1024x1x1"}, {"items", "4"}},
  };
  const auto space = SearchSpace::from_configurations(all);
  ASSERT_TRUE(space) << describe(space.error());
  EXPECT_EQ(space->parameters()[0].values,
            (std::vector<std::string>{"8x8x1", "256x1x1", "1024x1x1"}));
  EXPECT_EQ(space->parameters()[1].values, (std::vector<std::string>{"2", "4", "16"}));
  for (std::uint32_t i = 0; i < space->size(); ++i) EXPECT_EQ(space->configuration(i), all[i]);
}

TEST(SearchSpace, RefusesWhatIsNoSpace) {
  EXPECT_FALSE(SearchSpace::make({}, {}));
  EXPECT_FALSE(SearchSpace::make({{"a", {"1", "2"}}}, {0, 1, 0}));  // twice
  EXPECT_FALSE(SearchSpace::make({{"a", {"1", "2"}}}, {0, 2}));     // no such value
  EXPECT_FALSE(SearchSpace::from_configurations({}));
  const std::vector<Configuration> mixed{{{"a", "1"}}, {{"b", "1"}}};
  EXPECT_FALSE(SearchSpace::from_configurations(mixed));
}

TEST(SearchSpace, ReadsNumbersOfValues) {
  EXPECT_EQ(value_number("16"), 16.0);
  EXPECT_EQ(value_number("0.5"), 0.5);
  EXPECT_EQ(value_number("16x16x1"), 256.0);
  EXPECT_EQ(value_number("true"), 1.0);
  EXPECT_EQ(value_number("x"), std::nullopt);
  EXPECT_EQ(value_number("16x"), std::nullopt);
  EXPECT_EQ(value_number(""), std::nullopt);
  EXPECT_EQ(value_number("row_major"), std::nullopt);
  EXPECT_EQ(value_number("1e300x1e300"), std::nullopt);
}

}  // namespace
}  // namespace vyre
