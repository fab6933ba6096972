#include "vyre/base/sort.h"

#include <gtest/gtest.h>

#include <string>

namespace vyre {
namespace {

TEST(SortTest, EqualsKeepTheirOrder) {
  std::vector<std::string> words{"pear", "fig", "plum", "kiwi", "nut", "apple"};
  sort_stably(words, [](const std::string& w) { return w.size(); });
  EXPECT_EQ(words, (std::vector<std::string>{"fig", "nut", "pear", "plum", "kiwi", "apple"}));
  std::vector<int> none;
  sort_stably(none, [](int i) { return i; });
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace vyre
