#include "vyre/cli/progress.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace vyre {
namespace {

using namespace std::chrono_literals;

TEST(ProgressLine, DrawsOneLineOnATerminalAndRemovesIt) {
  std::string text;
  Output err(text);
  {
    const ProgressLine progress(err, [] { return "compiling large"; },
                                {.is_terminal = true, .patience = 5ms});
    std::this_thread::sleep_for(200ms);
  }
  EXPECT_EQ(text.find("\rcompiling large: 0 s\x1b[K"), 0U) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(ProgressLine, SaysNothingOfWhatIsQuick) {
  std::string text;
  Output err(text);
  {
    const ProgressLine progress(err, [] { return "compiling small"; },
                                {.is_terminal = true, .patience = 1h});
  }
  EXPECT_EQ(text, "");
}

TEST(ProgressLine, SaysNothingWhereThereIsNoTerminal) {
  std::string text;
  Output err(text);
  {
    const ProgressLine progress(err, [] { return "compiling large"; },
                                {.is_terminal = false, .patience = 1ms});
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_EQ(text, "");
}

}  // namespace
}  // namespace vyre
