#include "vyre/cli/streams.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <string>

namespace vyre {
namespace {

TEST(Printable, HasNoControlCharacters) {
  EXPECT_EQ(printable("a\tb\nm\u00fc \u2588", false), "a\tb\nm\u00fc \u2588");
  EXPECT_EQ(printable("\x1b]0;title\x07", false), "\uFFFD]0;title\uFFFD");
  EXPECT_EQ(printable("one\rtwo\x7f\x08", false), "one\uFFFDtwo\uFFFD\uFFFD");
  EXPECT_EQ(printable("\u009b1m\u0080\u009f\u00a0", false), "\uFFFD1m\uFFFD\uFFFD\u00a0");
  EXPECT_EQ(printable("\xc2", false), "\xc2");
}

TEST(Printable, KeepsColoursWhereTheyAreWelcome) {
  EXPECT_EQ(printable("\x1b[1mbold\x1b[0m", true), "\x1b[1mbold\x1b[0m");
  EXPECT_EQ(printable("\x1b[1mbold\x1b[0m", false), "\uFFFD[1mbold\uFFFD[0m");
  EXPECT_EQ(printable("\x1b[2J\x1b[1", true), "\uFFFD[2J\uFFFD[1");
}

// The two ends of a pseudo terminal.
struct Terminal {
  Terminal() : master(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return;
    slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  }
  ~Terminal() {
    if (slave >= 0) close(slave);
    if (master >= 0) close(master);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int master, slave = -1;
};

TEST(Output, ATerminalGetsNamesWithoutTheirControlCharacters) {
  const Terminal terminal;
  if (terminal.slave < 0) GTEST_SKIP() << "there are no pseudo terminals here";
  Output output(terminal.slave);
  output.write("\x1b]0;title\x07");
  output.overwrite("\rover\x1b[K");
  EXPECT_TRUE(output.flush());
  std::array<char, 256> text;
  const ssize_t got = read(terminal.master, text.data(), text.size());
  ASSERT_GT(got, 0);
  EXPECT_EQ(std::string(text.data(), static_cast<std::size_t>(got)),
            "\uFFFD]0;title\uFFFD\r\uFFFDover\uFFFD[K\x1b[K");
}

TEST(Output, AFileGetsAllBytes) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  Output output(ends[1]);
  output.write("\x1b]0;title\x07");
  EXPECT_TRUE(output.flush());
  std::array<char, 64> text;
  const ssize_t got = read(ends[0], text.data(), text.size());
  EXPECT_EQ(std::string(text.data(), static_cast<std::size_t>(got)), "\x1b]0;title\x07");
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace vyre
