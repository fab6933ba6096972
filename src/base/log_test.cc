#include "vyre/base/log.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace vyre {
namespace {

class Log : public ::testing::Test {
 protected:
  void SetUp() override { forget_level(); }
  void TearDown() override {
    ::unsetenv("VYRE_LOG");
    forget_level();
  }

  // As at the start of a process.
  static void forget_level() { log_detail::current_level = log_detail::kUnread; }

  static std::string told_with(const char* variable) {
    if (variable == nullptr) {
      ::unsetenv("VYRE_LOG");
    } else {
      ::setenv("VYRE_LOG", variable, 1);
    }
    forget_level();
    ::testing::internal::CaptureStderr();
    VYRE_LOG(error, "e{}", 1);
    VYRE_LOG(warn, "w{}", 2);
    VYRE_LOG(info, "i{}", 3);
    VYRE_LOG(debug, "d{}", 4);
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(Log, EachLevelTellsItselfAndWhatIsWorse) {
  EXPECT_EQ(told_with("off"), "");
  EXPECT_EQ(told_with("error"), "vyre: error: e1\n");
  EXPECT_EQ(told_with("warn"), "vyre: error: e1\nvyre: warning: w2\n");
  EXPECT_EQ(told_with("info"), "vyre: error: e1\nvyre: warning: w2\nvyre: info: i3\n");
  EXPECT_EQ(told_with("debug"),
            "vyre: error: e1\nvyre: warning: w2\nvyre: info: i3\nvyre: debug: d4\n");
}

TEST_F(Log, UnsetAndEmptyMeanWarnings) {
  EXPECT_EQ(told_with(nullptr), "vyre: error: e1\nvyre: warning: w2\n");
  EXPECT_EQ(told_with(""), "vyre: error: e1\nvyre: warning: w2\n");
}

TEST_F(Log, AnUnknownWordWarnsOnceAndMeansTheDefault) {
  EXPECT_EQ(told_with("verbose"),
            "vyre: warning: VYRE_LOG is \"verbose\", which is none of off, error, warn, info, "
            "debug; using warn\nvyre: error: e1\nvyre: warning: w2\n");
}

TEST_F(Log, BracesInTheEnvironmentAndInMessagesAreText) {
  EXPECT_NE(told_with("{}{0}").find("\"{}{0}\""), std::string::npos);
  ::testing::internal::CaptureStderr();
  log_message(LogLevel::error, "a {} b");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "vyre: error: a {} b\n");
}

TEST_F(Log, TheProgramOverrulesTheEnvironment) {
  ::setenv("VYRE_LOG", "debug", 1);
  set_log_level(LogLevel::off);
  EXPECT_EQ(log_level(), LogLevel::off);
  EXPECT_FALSE(log_enabled(LogLevel::error));
}

TEST_F(Log, ArgumentsOfAnUntoldMessageAreNotEvaluated) {
  set_log_level(LogLevel::warn);
  int evaluated = 0;
  VYRE_LOG(debug, "{}", ++evaluated);
  EXPECT_EQ(evaluated, 0);
}

TEST_F(Log, EveryLevelRoundTripsThroughItsWord) {
  for (const LogLevel level :
       {LogLevel::off, LogLevel::error, LogLevel::warn, LogLevel::info, LogLevel::debug}) {
    EXPECT_EQ(parse_log_level(to_string(level)), level);
  }
  EXPECT_EQ(parse_log_level("WARN"), std::nullopt);
}

}  // namespace
}  // namespace vyre
