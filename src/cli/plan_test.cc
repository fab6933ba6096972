#include "vyre/cli/plan.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"
#include "vyre/tune/decisions/decision_file.h"

namespace vyre {
namespace {

constexpr const char* kScale = R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(96) fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.x] = 2.0 * x[id.x];
}
@compute @workgroup_size(16, 16) fn tiles(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.x] = x[id.y];
}
)";

// Decisions of the user who runs the tests stay out of them.
class Plan : public testing::Test {
 protected:
  Plan() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    ::unsetenv("VYRE_AUTOTUNER");
  }
  ~Plan() override { ::unsetenv("XDG_CACHE_HOME"); }

  static CommandResult plan(std::vector<std::string> arguments, const std::string& text = kScale) {
    arguments.insert(arguments.begin(), {"plan", "-"});
    return run_vyre(arguments, text);
  }
  static nlohmann::json json(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const CommandResult result = plan(std::move(arguments));
    EXPECT_EQ(result.exit, 0) << result.err;
    return result.exit == 0 ? nlohmann::json::parse(result.out) : nlohmann::json{};
  }
  static std::string error(std::vector<std::string> arguments) {
    const CommandResult result = plan(std::move(arguments));
    EXPECT_EQ(result.exit, 2) << result.out;
    EXPECT_EQ(result.out, "");
    return result.err;
  }

  TemporaryFolder folder_;
};

// It can run in its own workgroup and in gangs of 32 alone, on every device.
TEST_F(Plan, AKernelWithSubgroupOperationsIsAsDeclared) {
  constexpr const char* kAdds = R"(
enable subgroups;
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(96) fn adds(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.x] = subgroupAdd(y[id.x]);
}
)";
  for (const char* device : {"--limits=name=cuda", "--limits=name=cpu", "--device=interp",
                             "--device=null", "--device=cpu"}) {
    const CommandResult done =
        plan({"--size", "1000", "--mode", "natural", device, "--json"}, kAdds);
    ASSERT_EQ(done.exit, 0) << device << ": " << done.err;
    const auto json = nlohmann::json::parse(done.out);
    EXPECT_EQ(json.at("decided_by"), "declared") << device;
    EXPECT_EQ(json.at("variant").at("workgroup"), nlohmann::json({96, 1, 1})) << device;
  }
}

// The costs and weights were computed by hand for 96 and 1000 elements under these limits.
TEST_F(Plan, ColdStartShowsItsCosts) {
  const auto plan = json({"--entry", "scale", "--size", "1000", "--limits", "name=cuda"});
  EXPECT_EQ(plan.at("decided_by"), "cold start");
  EXPECT_EQ(plan.at("variant").at("workgroup"), nlohmann::json({1024, 1, 1}));
  EXPECT_EQ(plan.at("grid"), nlohmann::json({1, 1, 1}));
  EXPECT_EQ(plan.at("element_count"), 1000);
  const std::vector<std::vector<std::uint64_t>> expected{
      {32, 32960, 11},    {64, 16576, 610},    {128, 8384, 4508}, {256, 4288, 12255},
      {512, 2240, 20206}, {1024, 1216, 25945}, {96, 11712, 2001}};
  ASSERT_EQ(plan.at("costs").size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(plan.at("costs")[i].at("width"), expected[i][0]);
    EXPECT_EQ(plan.at("costs")[i].at("cost_ns"), expected[i][1]);
    EXPECT_EQ(plan.at("costs")[i].at("weight_q16"), expected[i][2]);
    EXPECT_EQ(plan.at("costs")[i].at("chosen"), expected[i][0] == 1024);
  }
  const CommandResult human =
      Plan::plan({"--entry", "scale", "--size", "1000", "--limits", "name=cuda"});
  expect_golden(human.out, "plan_cold_start.txt");
}

TEST_F(Plan, ModesOtherThanNaturalKeepTheDeclaredWorkgroup) {
  for (const char* mode : {"off", "on", "frozen", "default"}) {
    const auto plan =
        json({"--entry", "scale", "--size", "1000", "--limits", "name=cuda", "--mode", mode});
    EXPECT_EQ(plan.at("variant").at("workgroup"), nlohmann::json({96, 1, 1})) << mode;
    EXPECT_EQ(plan.at("grid"), nlohmann::json({11, 1, 1})) << mode;
    EXPECT_EQ(plan.at("costs").size(), 0U);
    EXPECT_EQ(plan.at("mode_from"), "--mode");
  }
  EXPECT_EQ(
      error({"--entry", "scale", "--size", "1000", "--mode", "Natural"}).find("vyre: --mode:"), 0U);
  ::setenv("VYRE_AUTOTUNER", "off", 1);
  EXPECT_EQ(json({"--entry", "scale", "--size", "1000"}).at("mode_from"), "VYRE_AUTOTUNER");
}

TEST_F(Plan, SaysThatARunMeasuresBeforeItsFirstLaunch) {
  const std::vector<std::string> launch{"--entry", "scale", "--size", "1000", "--device", "cpu"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = launch;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  EXPECT_EQ(json(with({"--mode", "on"})).at("sweeps_first"), true);
  EXPECT_TRUE(Plan::plan(with({"--mode", "on"})).out.contains("`vyre run` first measures"));
  EXPECT_EQ(json(with({"--mode", "frozen"})).at("sweeps_first"), false);
  EXPECT_FALSE(Plan::plan(with({"--mode", "frozen"})).out.contains("first measures"));
  EXPECT_EQ(json(with({"--mode", "on", "--workgroup", "32"})).at("sweeps_first"), false);
}

TEST_F(Plan, LimitsBoundTheChoice) {
  const auto plan = json({"--entry", "scale", "--size", "1000", "--limits", "threads=128"});
  EXPECT_EQ(plan.at("variant").at("workgroup"), nlohmann::json({128, 1, 1}));
  EXPECT_EQ(plan.at("limits").at("threads"), 128);
  EXPECT_EQ(plan.at("limits").at("block"), nlohmann::json({1024, 1024, 64}));
  EXPECT_NE(error({"--entry", "scale", "--size", "1000", "--limits", "threads=64", "--mode", "off"})
                .find("96"),
            std::string::npos);
}

TEST_F(Plan, OverridesAndGridsAreObeyed) {
  const auto workgroup = json({"--entry", "scale", "--size", "1000", "--workgroup", "50"});
  EXPECT_EQ(workgroup.at("decided_by"), "caller");
  EXPECT_EQ(workgroup.at("choices")[0].at("by"), "caller");
  EXPECT_EQ(workgroup.at("grid"), nlohmann::json({20, 1, 1}));
  const auto grid = json({"--entry", "scale", "--grid", "5,2"});
  EXPECT_EQ(grid.at("variant").at("workgroup"), nlohmann::json({96, 1, 1}));
  EXPECT_EQ(grid.at("extent"), nlohmann::json({480, 2, 1}));
  EXPECT_EQ(grid.at("grid"), nlohmann::json({5, 2, 1}));
}

TEST_F(Plan, SeveralAxesAreLaidOutByTheSize) {
  const auto plan = json({"--entry", "tiles", "--size", "100,50"});
  EXPECT_EQ(plan.at("variant").at("workgroup"), nlohmann::json({16, 16, 1}));
  EXPECT_EQ(plan.at("grid"), nlohmann::json({7, 4, 1}));
  EXPECT_EQ(plan.at("element_count"), 5000);
}

TEST_F(Plan, ExtentsBeyond32BitsArePlannedWithoutParameterWords) {
  const auto plan = json({"--entry", "tiles", "--size", "65536,65536", "--in", "x=fill:zeros:4"});
  EXPECT_EQ(plan.at("grid"), nlohmann::json({4096, 4096, 1}));
  EXPECT_EQ(plan.at("param_words"), nullptr);
}

TEST_F(Plan, StoredDecisionsAreFollowed) {
  for (const std::vector<std::string>& where :
       {std::vector<std::string>{"--device", "cpu"}, {"--limits", "name=cuda"}}) {
    std::vector<std::string> arguments{"--entry", "scale", "--size", "1000"};
    arguments.insert(arguments.end(), where.begin(), where.end());
    const auto before = json(arguments);
    const std::filesystem::path file = before.at("decision_file").get<std::string>();
    ASSERT_TRUE(make_folders(file.parent_path()));
    ASSERT_TRUE(
        save_decisions(file, {{before.at("decision_key").get<std::string>(), {256, 1, 1}}}));
    const auto stored = json(arguments);
    EXPECT_EQ(stored.at("variant").at("workgroup"), nlohmann::json({256, 1, 1}));
    EXPECT_EQ(stored.at("decided_by"), "decision file");
  }
}

TEST_F(Plan, ADeviceThatIsHereBringsItsOwnLimits) {
  const auto plan = json({"--entry", "scale", "--size", "1000", "--device", "cpu"});
  EXPECT_EQ(plan.at("device"), "cpu");
  EXPECT_EQ(plan.at("limits").at("name"), "cpu");
  EXPECT_GE(plan.at("profile").at("multiprocessors"), 1);
  // Its decisions are its own.
  const auto other = json({"--entry", "scale", "--size", "1000", "--limits", "name=cuda"});
  EXPECT_EQ(other.at("device"), "cuda");
  EXPECT_EQ(other.at("profile"), nullptr);
  EXPECT_NE(other.at("decision_file"), plan.at("decision_file"));
  EXPECT_EQ(error({"--size", "1", "--device", "cpu", "--limits", "threads=64"}),
            "vyre: --device and --limits cannot both be given; give one of them\n");
}

TEST_F(Plan, SaysWhatToGive) {
  EXPECT_EQ(run_vyre({"plan"}).err, "vyre: FILE is missing; give a WGSL file, or --stages FILE\n");
  EXPECT_NE(error({"--entry", "scale"}).find("nothing says how many elements"), std::string::npos);
  EXPECT_EQ(error({"--size", "1", "--grid", "1"}),
            "vyre: --size and --grid cannot both be given; give one of them\n");
  EXPECT_EQ(error({"--size", "1"}),
            "vyre: <stdin> has 2 entry points: scale and tiles; choose one, e.g. --entry scale\n");
  for (const char* limits : {"threads", "threads=0", "threads=1,threads=2", "block=0x1", "lanes=3",
                             "grid=1x1x1x1", ""}) {
    EXPECT_NE(error({"--size", "1", "--limits", limits}), "") << limits;
  }
  EXPECT_EQ(error({"--size", "1", "--budget", "4KiB"}),
            "vyre: --budget needs --stages; see vyre plan --help\n");
}

// Stages, groups and bytes of the published example.
class Stages : public testing::Test {
 protected:
  static CommandResult plan(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"plan", "--stages", "-"});
    return run_vyre(arguments, read_file(VYRE_ROOT_DIR "/examples/stages.toml").value());
  }
};

TEST_F(Stages, AreDrawnWithTheReasonOfEachBoundary) {
  const CommandResult result = plan({"--budget", "1000"});
  EXPECT_EQ(result.exit, 0) << result.err;
  expect_golden(result.out, "plan_stages.txt");
}

TEST_F(Stages, AreGroupedAsPublished) {
  const auto json = nlohmann::json::parse(plan({"--budget", "1000", "--json"}).out);
  EXPECT_EQ(json.at("launch_count"), 4);
  EXPECT_EQ(json.at("avoided_launches"), 2);
  EXPECT_EQ(json.at("avoided_intermediate_bytes"), 250);
  const auto& groups = json.at("groups");
  EXPECT_EQ(groups.at(0).at("required_bytes"), 970);
  EXPECT_EQ(groups.at(1).at("required_bytes"), 800);
  EXPECT_EQ(groups.at(2).at("required_bytes"), 200);
  EXPECT_EQ(groups.at(3).at("required_bytes"), 190);
  EXPECT_EQ(groups.at(1).at("reason"), "with 12 sharpen the launch would need 1,470 bytes");
  EXPECT_EQ(groups.at(3).at("stages").at(1).at("name"), "threshold");
}

TEST_F(Stages, NeedABudgetThatHoldsThem) {
  EXPECT_EQ(plan({"--budget", "700"}).exit, 2);
  EXPECT_EQ(plan({"--budget", "0"}).exit, 2);
  EXPECT_EQ(plan({}).exit, 0);  // the file has one
  EXPECT_EQ(run_vyre({"plan", "--stages", "-"}, "").err,
            "vyre: the stages have no byte budget; give --budget BYTES, or a budget in the file\n");
  EXPECT_EQ(run_vyre({"plan", "--stages", "-", "--budget", "1"}, "").exit, 0);
  EXPECT_EQ(plan({"--size", "3"}).exit, 2);
}

}  // namespace
}  // namespace vyre
