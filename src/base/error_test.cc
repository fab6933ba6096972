#include "vyre/base/error.h"

#include <gtest/gtest.h>

#include <memory>

namespace vyre {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return fail(Code::invalid_input, "odd", "give an even number");
  return value / 2;
}

Result<int> quarter(int value) {
  VYRE_TRY(const int once, half(value));
  VYRE_TRY(const int twice, half(once));
  return twice;
}

Result<void> check_even(int value) {
  VYRE_TRY([[maybe_unused]] const int ignored, half(value));
  return {};
}

Result<std::string> checked(int value) {
  VYRE_CHECK(check_even(value));
  return "even";
}

TEST(Error, TryBindsTheValueOrReturnsTheError) {
  EXPECT_EQ(quarter(12), 3);
  const auto refused = quarter(6);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid_input);
  EXPECT_EQ(refused.error().what, "odd");
}

TEST(Error, CheckReturnsTheErrorOfAnEmptyResult) {
  EXPECT_EQ(checked(2), "even");
  EXPECT_FALSE(checked(1));
}

TEST(Error, TryMovesValuesThatCannotBeCopied) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
  const auto use = [&]() -> Result<int> {
    VYRE_TRY(auto owned, make());
    return *owned;
  };
  EXPECT_EQ(use(), 7);
}

TEST(Error, DescribesWhatHappenedAndWhatToDo) {
  EXPECT_EQ(describe(half(1).error()), "odd; give an even number");
  EXPECT_EQ(describe(fail(Code::io, "disk full").error()), "disk full");
}

TEST(Error, KnowsWhereItWasMade) {
  const Error error = half(1).error();
  EXPECT_TRUE(std::string_view(error.where.file_name()).ends_with("base/error_test.cc"));
  EXPECT_GT(error.where.line(), 0u);
}

TEST(Error, EveryCodeHasItsWord) {
  for (const Code code : {Code::invalid_input, Code::limit, Code::io, Code::unavailable,
                          Code::out_of_memory, Code::device, Code::internal}) {
    EXPECT_NE(to_string(code), "unknown");
  }
}

}  // namespace
}  // namespace vyre
