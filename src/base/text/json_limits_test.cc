#include "vyre/base/text/json_limits.h"

#include <gtest/gtest.h>

#include <string>

namespace vyre {
namespace {

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(JsonLimits, NestingMayReachTheLimitAndNotPassIt) {
  EXPECT_TRUE(check_json_limits(nested(kMaxJsonNesting)));
  const auto deep = check_json_limits(nested(kMaxJsonNesting + 1));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code, Code::limit);
  EXPECT_EQ(deep.error().what, "it is nested more than 64 levels deep at byte 64");
  std::string objects;
  for (std::size_t i = 0; i <= kMaxJsonNesting; ++i) objects += R"({"a":)";
  EXPECT_FALSE(check_json_limits(objects));
}

TEST(JsonLimits, WhatFollowsEachOtherIsNotNested) {
  std::string list = "[";
  for (std::size_t i = 0; i < 2 * kMaxJsonNesting; ++i) list += "[],{},";
  EXPECT_TRUE(check_json_limits(list + "0]"));
  EXPECT_TRUE(check_json_limits("]]]]" + nested(kMaxJsonNesting)));
}

TEST(JsonLimits, BracketsAndCommasInStringsAreText) {
  const std::string many(2 * kMaxJsonNesting, '[');
  EXPECT_TRUE(check_json_limits("\"" + many + "\""));
  EXPECT_TRUE(check_json_limits(R"("\")" + many + "\""));
  EXPECT_FALSE(check_json_limits(R"("\\")" + many));
  EXPECT_TRUE(check_json_limits("\"" + many));
  EXPECT_TRUE(check_json_limits("\"\\"));
  EXPECT_TRUE(check_json_limits(R"("a,b,c")", 1));
}

TEST(JsonLimits, ValuesAreCountedUpToTheLimit) {
  EXPECT_TRUE(check_json_limits("[1,2,3]", 4));
  const auto more = check_json_limits("[1,2,3]", 3);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().what, "it has more than 3 values");
  EXPECT_FALSE(check_json_limits(R"({"a":{},"b":{}})", 3));
}

}  // namespace
}  // namespace vyre
