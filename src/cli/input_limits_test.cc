// Every kind of file that the command reads has a limit, and the message about a longer file says
// it. The files are sparse: nothing of them is read.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/base/text/toml.h"
#include "vyre/cli/command_line_testing.h"
#include "vyre/cli/gzip_file.h"
#include "vyre/cli/gzip_testing.h"
#include "vyre/tune/decisions/decision_file.h"
#include "vyre/tune/evidence/evidence_file.h"
#include "vyre/wgsl/source.h"

namespace vyre {
namespace {

TEST(InputLimits, AreSaidForEveryKindOfFile) {
  struct Case {
    std::vector<std::string> arguments;  // before the file
    std::uint64_t limit;
  };
  const std::string adapter = "launch-adapter-v2-" + std::string(64, 'a');
  const std::vector<Case> cases{
      {{"check"}, Source::kMaxBytes},
      {{"run", "--size", "1"}, Source::kMaxBytes},
      {{"plan", "--stages"}, kMaxTomlBytes},
      {{"tune", "--kernels"}, kMaxTomlBytes},
      {{"replay"}, kMaxPackedInput},
      {{"cache", "import"}, kMaxPackedInput},
      {{"cache", "import", "--t4"}, kMaxPackedInput},
      {{"cache", "import", "--adapter", adapter, "--toml"}, kMaxCacheBytes},
  };
  const TemporaryFolder folder;
  ::setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  const std::string file = (folder.path() / "file").string();
  ASSERT_TRUE(replace_file(file, std::string_view("")));
  for (const Case& each : cases) {
    std::filesystem::resize_file(file, each.limit + 1);
    std::vector<std::string> arguments = each.arguments;
    arguments.push_back(file);
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit, 2) << result.out << result.err;
    EXPECT_NE(result.err.find(std::to_string(each.limit) + " bytes"), std::string::npos)
        << testing::PrintToString(each.arguments) << result.err;
  }
  ::unsetenv("XDG_CACHE_HOME");
}

TEST(InputLimits, PackedDecisionsMayNotBeLongerThanPlainOnes) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "packed").string();
  ASSERT_TRUE(replace_file(file, gzip(std::string(kMaxCacheBytes + 1, ' '))));
  const CommandResult result = run_vyre({"cache", "import", "--toml", file, "--adapter",
                                         "launch-adapter-v2-" + std::string(64, 'a')});
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(result.err, "vyre: " + file + ": it unpacks to more than 4 MiB\n");
}

}  // namespace
}  // namespace vyre
