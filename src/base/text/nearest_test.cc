#include "vyre/base/text/nearest.h"

#include <gtest/gtest.h>

#include <vector>

namespace vyre {
namespace {

TEST(Nearest, FindsTypingErrorsOnly) {
  const std::vector<std::string> known{"check", "run", "plan", "resident", "cache"};
  EXPECT_EQ(nearest("chekc", known), "check");
  EXPECT_EQ(nearest("rnu", known), "run");
  EXPECT_EQ(nearest("residnet", known), "resident");
  EXPECT_EQ(nearest("bananas", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest(std::string(10000, 'x'), known), "");
}

}  // namespace
}  // namespace vyre
