#include "vyre/cli/tune.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "vyre/base/files.h"
#include "vyre/base/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"

namespace vyre {
namespace {

constexpr const char* kAdd = R"(
override SCALE: u32 = 2u;
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.x] = x[id.x] + y[id.x] + f32(SCALE - SCALE);
}
)";

class TuneCommand : public testing::Test {
 protected:
  TuneCommand() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    EXPECT_TRUE(replace_file(path("add.wgsl"), kAdd));
  }
  ~TuneCommand() override { ::unsetenv("XDG_CACHE_HOME"); }

  // A build with sanitizers has no code generator; what is wrong is told there, too.
  static bool can_run() {
    const auto done = run_vyre({"run", "-", "--device", "cpu", "--size", "1"},
                               "@compute @workgroup_size(1) fn f() {}");
    return done.err.find("no code generator") == std::string::npos;
  }

  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::vector<std::string> tune(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> out{"tune",   path("add.wgsl"), "--device", "cpu",
                                 "--size", "20000",          "--in",     "x=fill:iota",
                                 "--in",   "y=fill:const=1", "--budget", "300ms"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  TemporaryFolder folder_;
};

TEST_F(TuneCommand, ShowsKeepsAndReportsWhatItFinds) {
  if (!can_run()) GTEST_SKIP() << "this build has no code generator";
  const auto done = run_vyre(
      tune({"--mode", "on", "--verify", "--report", path("r.html"), "--trace", path("t.json")}));
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_NE(done.out.find("add: 20,000 invocations"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("choice: workgroup="), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("20,000 values equal the interpreter's"), std::string::npos) << done.out;
  const auto page = read_file(path("r.html"));
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("<svg"), std::string::npos);
  const auto trace = read_file(path("t.json"));
  ASSERT_TRUE(trace);
  EXPECT_TRUE(nlohmann::json::accept(*trace));
  // The next run, and every other use of the kernel at this size, begins with it.
  const auto again = run_vyre(tune());
  ASSERT_EQ(again.exit, 0) << again.err;
  EXPECT_NE(again.out.find("decided before for this size"), std::string::npos) << again.out;
  const auto list = run_vyre({"cache", "list", "--json"});
  ASSERT_EQ(list.exit, 0) << list.err;
  EXPECT_NE(list.out.find("add"), std::string::npos);
}

TEST_F(TuneCommand, SearchesWhileItCalls) {
  if (!can_run()) GTEST_SKIP() << "this build has no code generator";
  const auto done = run_vyre(tune({"--json", "--store", path("own.jsonl")}));
  ASSERT_EQ(done.exit, 0) << done.err;
  const auto report = nlohmann::json::parse(done.out);
  ASSERT_EQ(report["kernels"].size(), 1U);
  const auto& kernel = report["kernels"][0];
  EXPECT_EQ(kernel["kernel"], "add");
  EXPECT_GT(kernel["ledger"]["spent_ns"], 0);
  EXPECT_GT(kernel["candidates"].size(), 8U);
  EXPECT_TRUE(std::filesystem::exists(path("own.jsonl")));
}

TEST_F(TuneCommand, SearchesOverrides) {
  if (!can_run()) GTEST_SKIP() << "this build has no code generator";
  const auto done =
      run_vyre(tune({"--mode", "on", "--tune", "SCALE=1,2,3", "--where", "SCALE != 2"}));
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_NE(done.out.find("SCALE="), std::string::npos) << done.out;
  EXPECT_EQ(done.out.find("SCALE=2"), std::string::npos) << done.out;
}

TEST_F(TuneCommand, TunesTheKernelsOfAFile) {
  if (!can_run()) GTEST_SKIP() << "this build has no code generator";
  ASSERT_TRUE(replace_file(path("set.toml"),
                           "[[kernel]]\nfile = \"add.wgsl\"\narguments = [\"--size\", \"5000\", "
                           "\"--in\", \"x=fill:iota\", \"--in\", \"y=fill:const=1\"]\n"
                           "[[kernel]]\nfile = \"add.wgsl\"\narguments = [\"--size\", \"900\", "
                           "\"--in\", \"x=fill:iota\", \"--in\", \"y=fill:const=1\"]\n"));
  const auto done = run_vyre({"tune", "--kernels", path("set.toml"), "--device", "cpu", "--mode",
                              "on", "--budget", "200ms"});
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_NE(done.out.find("add: 5,000 invocations"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("add: 900 invocations"), std::string::npos) << done.out;
}

TEST_F(TuneCommand, WrongArgumentsSayWhatIsWrong) {
  const auto says = [&](const std::vector<std::string>& arguments, std::string_view text) {
    const auto done = run_vyre(arguments);
    EXPECT_EQ(done.exit, 2) << done.out << done.err;
    EXPECT_NE(done.err.find(text), std::string::npos) << done.err;
  };
  says({"tune"}, "give a WGSL file");
  says(tune({"--mode", "maybe"}), "there is no 'maybe'");
  says(tune({"--budget", "0"}), "--budget");
  says(tune({"--regret", "200%"}), "--regret");
  says(tune({"--tune", "SCALE"}), "NAME=VALUE");
  says(tune({"--tune", "OTHER=1,2"}), "OTHER");
  says(tune({"--where", "SCALE > 1"}), "--where");
  says(tune({"--tune", "SCALE=1,2", "--where", "SCALE > 7"}), "no combination");
  says(tune({"--fresh", "--store", path("s")}), "--fresh");
  says(tune({"--kernels", path("set.toml")}), "--kernels");
  says({"tune", path("add.wgsl"), "--device", "interp", "--size", "8"}, "interp");
  says({"tune", "--kernels", path("missing.toml")}, "missing.toml");
  ASSERT_TRUE(replace_file(path("bad.toml"), "[[kernel]]\nfile = 3\n"));
  says({"tune", "--kernels", path("bad.toml")}, "bad.toml:2");
  ASSERT_TRUE(replace_file(path("broken.jsonl"), "this is no evidence\n"));
  says(tune({"--store", path("broken.jsonl")}), "broken.jsonl");
  EXPECT_EQ(*read_file(path("broken.jsonl")), "this is no evidence\n");
}

}  // namespace
}  // namespace vyre
