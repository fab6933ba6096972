#include "vyre/tune/tuning_mode.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

namespace vyre {
namespace {

// Sets the variable for one scope.
class ModeVariable {
 public:
  explicit ModeVariable(const char* value) {
    if (const char* before = std::getenv(kModeVariable)) before_ = before;
    set(value);
  }
  ~ModeVariable() { set(before_ ? before_->c_str() : nullptr); }
  ModeVariable(const ModeVariable&) = delete;
  ModeVariable& operator=(const ModeVariable&) = delete;

 private:
  static void set(const char* value) {
    if (value == nullptr) {
      unsetenv(kModeVariable);
    } else {
      setenv(kModeVariable, value, 1);
    }
  }
  std::optional<std::string> before_;
};

TunerMode mode_with(const char* value) {
  const ModeVariable variable(value);
  return mode_from_environment();
}

TEST(Mode, WordsAreMatchedExactly) {
  EXPECT_EQ(mode_of_word("on"), TunerMode::sweep);
  EXPECT_EQ(mode_of_word("natural"), TunerMode::natural_gradient);
  EXPECT_EQ(mode_of_word("ng"), TunerMode::natural_gradient);
  EXPECT_EQ(mode_of_word("off"), TunerMode::cached_or_default);
  EXPECT_EQ(mode_of_word("default"), TunerMode::cached_or_default);
  EXPECT_EQ(mode_of_word("frozen"), TunerMode::frozen);
  for (const char* word : {"", "On", " on", "on\n", "natural_gradient", "of"}) {
    EXPECT_EQ(mode_of_word(word), std::nullopt) << word;
  }
}

TEST(Mode, TheEnvironmentIsReadAtEveryQuestion) {
  EXPECT_EQ(mode_with(nullptr), TunerMode::natural_gradient);
  EXPECT_EQ(mode_with("off"), TunerMode::cached_or_default);
  EXPECT_EQ(mode_with("frozen"), TunerMode::frozen);
  EXPECT_EQ(mode_with("on"), TunerMode::sweep);
  EXPECT_EQ(mode_with(""), TunerMode::natural_gradient);
}

TEST(Mode, AnUnknownWordInTheEnvironmentIsTheProductionModeWithOneWarning) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(mode_with("natrual"), kProductionMode);
  EXPECT_EQ(mode_with("Off"), kProductionMode);
  EXPECT_EQ(mode_with("\xff"), kProductionMode);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("natrual"), std::string::npos) << told;
  EXPECT_EQ(told.find("Off"), std::string::npos) << told;
}

TEST(Mode, AnUnknownWordOnTheCommandLineIsAnErrorThatNamesIt) {
  EXPECT_EQ(parse_mode("ng"), TunerMode::natural_gradient);
  const auto wrong = parse_mode("fast");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error(), UnknownMode{"fast"});
  const Error error = to_error(wrong.error());
  EXPECT_EQ(error.code, Code::invalid_input);
  EXPECT_NE(error.what.find("fast"), std::string::npos);
  EXPECT_NE(error.fix.find("frozen"), std::string::npos);
}

TEST(Mode, WireNamesAreThoseOfTheVectors) {
  EXPECT_EQ(wire_name(TunerMode::sweep), "on");
  EXPECT_EQ(wire_name(TunerMode::natural_gradient), "natural_gradient");
  EXPECT_EQ(wire_name(TunerMode::cached_or_default), "off_use_default");
  EXPECT_EQ(wire_name(TunerMode::frozen), "frozen");
}

}  // namespace
}  // namespace vyre
