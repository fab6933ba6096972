#include "vyre/pipeline/dim_expression.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

Result<std::uint64_t> dims(std::string_view name) {
  if (name == "w") return 37;
  if (name == "huge") return UINT64_MAX / 4;
  return fail(Code::invalid_input, "no such dim");
}
std::uint64_t size(std::string_view text) {
  const auto value = evaluate_size(text, dims, 1'000'000);
  EXPECT_TRUE(value) << text << ": " << value.error().what;
  return value.value_or(0);
}
std::string error(std::string_view text) {
  const auto value = evaluate_size(text, dims, 1'000'000);
  return value ? "" : value.error().what;
}

TEST(DimExpression, OperatorsHaveTheirUsualOrder) {
  EXPECT_EQ(size("w"), 37U);
  EXPECT_EQ(size(" 2+3 * w -1 "), 112U);
  EXPECT_EQ(size("(2 + 3) * w"), 185U);
  EXPECT_EQ(size("w / 2 * 2"), 37U) << "a division loses nothing";
  EXPECT_EQ(size("10 - 3 - 2"), 5U);
}

TEST(DimExpression, FunctionsRoundAndChoose) {
  EXPECT_EQ(size("ceil(w / 16)"), 3U);
  EXPECT_EQ(size("floor(w / 16)"), 2U);
  EXPECT_EQ(size("max(w, 40) - min(w, 36)"), 4U);
  EXPECT_EQ(size("ceil(4)"), 4U);
}

TEST(DimExpression, WhatIsWrongIsSaid) {
  EXPECT_NE(error("w / 2").find("37/2, not a whole number"), std::string::npos);
  EXPECT_NE(error("w - w").find("must be from 1"), std::string::npos);
  EXPECT_NE(error("1 / (w - w)").find("division by zero"), std::string::npos);
  EXPECT_NE(error("huge * huge").find("too large"), std::string::npos);
  EXPECT_NE(error("99999999999999999999").find("too large"), std::string::npos);
  EXPECT_NE(error("w w").find("not expected"), std::string::npos);
  EXPECT_NE(error("(w").find("')' is missing"), std::string::npos);
  EXPECT_NE(error("").find("missing"), std::string::npos);
  EXPECT_NE(error("2x").find("no whole number"), std::string::npos);
  EXPECT_NE(error("sin(w)").find("no function 'sin'"), std::string::npos);
  EXPECT_NE(error("min(w)").find("two arguments"), std::string::npos);
  EXPECT_NE(error(std::string(1000, '(')).find("nested too deeply"), std::string::npos);
}

}  // namespace
}  // namespace vyre
