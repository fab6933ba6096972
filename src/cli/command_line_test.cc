#include "vyre/cli/command_line.h"

#include <gtest/gtest.h>

#include "vyre/base/version.h"
#include "vyre/cli/command_line_testing.h"

namespace vyre {
namespace {

TEST(CommandLine, TellsItsVersion) {
  const CommandResult result = run_vyre({"--version"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(result.out, "vyre " + std::string(version()) + "\n");
}

TEST(CommandLine, HelpNamesEveryCommand) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"--help"}, {"-h"}, {"help"}}) {
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit, 0);
    EXPECT_EQ(result.err, "");
    for (const char* command : {"check", "run", "graph", "plan", "resident", "replay", "cache"}) {
      EXPECT_NE(result.out.find(command), std::string::npos) << command;
    }
  }
  expect_golden(run_vyre({"--help"}).out, "help.txt");
}

TEST(CommandLine, EveryCommandHasHelpWithExamples) {
  for (const std::string command :
       {"check", "run", "graph", "plan", "resident", "replay", "cache"}) {
    const CommandResult result = run_vyre({command, "--help"});
    EXPECT_EQ(result.exit, 0) << command;
    EXPECT_TRUE(result.out.starts_with("usage: vyre " + command)) << result.out;
    EXPECT_NE(result.out.find("examples:\n  vyre " + command), std::string::npos) << command;
    EXPECT_EQ(result.out, run_vyre({"help", command}).out);
    expect_golden(result.out, "help_" + command + ".txt");
    std::size_t begin = 0;
    while (begin < result.out.size()) {
      const std::size_t end = result.out.find('\n', begin);
      EXPECT_LE(end - begin, 100U) << result.out.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(CommandLine, WrongCommandsExitWith2) {
  const auto error = [](std::vector<std::string> arguments) {
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(error({}), "vyre: no command given; see vyre --help\n");
  EXPECT_EQ(error({"chekc"}), "vyre: there is no command 'chekc'; did you mean check?\n");
  EXPECT_EQ(error({"bananas"}), "vyre: there is no command 'bananas'; see vyre --help\n");
  EXPECT_EQ(error({"--versoin"}), "vyre: there is no option '--versoin'; see vyre --help\n");
  EXPECT_EQ(error({"help", "bananas"}), "vyre: there is no command 'bananas'; see vyre --help\n");
  EXPECT_EQ(error({"check"}), "vyre: FILE... is missing; see vyre check --help\n");
  EXPECT_EQ(error({"run", "--size"}), "vyre: --size needs a value; see vyre run --help\n");
  EXPECT_EQ(error({"run", "x", "--sise", "3"}),
            "vyre: unknown option '--sise'; did you mean --size?\n");
  EXPECT_EQ(error({"run", "x", "--size", "1", "--size", "1"}),
            "vyre: --size was given 2 times; give it once\n");
}

TEST(CommandLine, ParsingAloneTouchesNothing) {
  const auto understood = [](std::vector<std::string> arguments) { return understands(arguments); };
  EXPECT_TRUE(understood({"run", "does-not-exist.wgsl"}));
  EXPECT_FALSE(understood({"run"}));
  EXPECT_TRUE(understood({"cache", "clear", "--yes"}));
  EXPECT_FALSE(understood({""}));
}

}  // namespace
}  // namespace vyre
