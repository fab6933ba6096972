#include "vyre/cli/pipeline/pipeline_command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"
#include "vyre/report/trace_testing.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

// The example, in a folder where it may write.
class PipelineCommand : public testing::Test {
 protected:
  PipelineCommand() {
    ::setenv("XDG_CACHE_HOME", (folder_.path() / "cache").c_str(), 1);
    ::unsetenv("VYRE_AUTOTUNER");
    const fs::path example = fs::path(VYRE_ROOT_DIR) / "examples" / "edges";
    for (const char* name : {"edges.toml", "edges.wgsl"}) {
      fs::copy_file(example / name, folder_.path() / name);
    }
    for (const char* name : {"fluid.toml", "fluid.wgsl"}) {
      fs::copy_file(example.parent_path() / "fluid" / name, folder_.path() / name);
    }
  }
  ~PipelineCommand() override { ::unsetenv("XDG_CACHE_HOME"); }

  std::string file() const { return (folder_.path() / "edges.toml").string(); }
  std::string bytes(const char* name) const {
    return read_file(folder_.path() / name, 1 << 24).value_or("");
  }

  TemporaryFolder folder_;
};

TEST_F(PipelineCommand, FusedAndSeparateLaunchesWriteTheSameFiles) {
  const std::vector<std::string> sizes{"--dim", "width=83", "--dim", "height=47"};
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"run", file(), "--device", "cpu", "--verify", "--json"};
    arguments.insert(arguments.end(), sizes.begin(), sizes.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit, 0) << result.err;
    return result.exit == 0 ? nlohmann::json::parse(result.out) : nlohmann::json{};
  };
  const auto fused = run({});
  EXPECT_LT(fused.at("launches").size(), 5U);
  EXPECT_EQ(fused.at("verified_values"), 83 * 47 + 64);
  const std::string edges = bytes("edges.png");
  const std::string counts = bytes("counts.npy");
  EXPECT_GT(edges.size(), 100U);
  const auto separate = run({"--no-fuse"});
  EXPECT_EQ(separate.at("launches").size(), 5U);
  EXPECT_LE(fused.at("allocated_bytes"), separate.at("allocated_bytes"));
  EXPECT_EQ(bytes("edges.png"), edges);
  EXPECT_EQ(bytes("counts.npy"), counts);
}

TEST_F(PipelineCommand, LenientIsForItsStagesToo) {
  ASSERT_TRUE(replace_file(folder_.path() / "lanes.wgsl",
                           "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
                           "@compute @workgroup_size(32) fn lanes(\n"
                           "    @builtin(global_invocation_index) i: u32) {\n"
                           "  out[i] = subgroupAdd(1u);\n"
                           "}\n"));
  ASSERT_TRUE(replace_file(folder_.path() / "lanes.toml",
                           "vyre = 1\nname = \"lanes\"\n[buffers]\n"
                           "out = { type = \"array<u32>\", shape = [\"32\"], sink = \"out.npy\" }\n"
                           "[[stage]]\nname = \"lanes\"\nfile = \"lanes.wgsl\"\nsize = [\"32\"]\n"
                           "bind = { out = \"out\" }\n"));
  const std::string lanes = (folder_.path() / "lanes.toml").string();
  const CommandResult refused = run_vyre({"run", lanes, "--device", "interp"});
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("needs the extension 'subgroups'"), std::string::npos) << refused.err;
  const CommandResult lenient = run_vyre({"run", lanes, "--device", "interp", "--lenient"});
  EXPECT_EQ(lenient.exit, 0) << lenient.err;
  EXPECT_NE(lenient.err.find("warning: 'subgroupAdd' needs the extension"), std::string::npos)
      << lenient.err;
  EXPECT_TRUE(fs::exists(folder_.path() / "out.npy"));
}

TEST_F(PipelineCommand, ThePlanSaysWhatWasFusedAndWhyNot) {
  const CommandResult result = run_vyre({"plan", file(), "--device", "cpu"});
  EXPECT_EQ(result.exit, 0) << result.err;
  // The gang is that of this processor's vectors, and bands are those of its caches.
  const std::string any_gang = std::regex_replace(result.out, std::regex("gang=[0-9]+"), "gang=N");
  expect_golden(std::regex_replace(any_gang, std::regex(" +(not )?in bands.*\n"), ""),
                "plan_pipeline.txt");
  EXPECT_FALSE(fs::exists(folder_.path() / "edges.png")) << "nothing ran";
}

TEST_F(PipelineCommand, ARunThatTunesTellsWhichWayAFusedLaunchRan) {
  const auto run = [&](const char* mode) {
    const CommandResult result =
        run_vyre({"run", file(), "--device", "cpu", "--json", "--time=2", "--dim", "width=64",
                  "--dim", "height=40", "--mode", mode});
    EXPECT_EQ(result.exit, 0) << result.err;
    return result.exit == 0 ? nlohmann::json::parse(result.out) : nlohmann::json{};
  };
  const auto tuned = run("natural");
  EXPECT_FALSE(tuned.at("launches").at(0).contains("choice")) << "it is one stage";
  EXPECT_EQ(tuned.at("launches").at(2).at("choice").at("runs"), "fused");
  EXPECT_FALSE(tuned.at("launches").at(2).at("choice").at("settled"));
  EXPECT_EQ(tuned.at("played"),
            "launch by launch: this device runs a launch as soon as it is told");
  EXPECT_FALSE(run("off").at("launches").at(2).contains("choice")) << "nothing is compared";
}

TEST_F(PipelineCommand, TheInterpreterRunsAPipelineToo) {
  const CommandResult result =
      run_vyre({"run", file(), "--device", "interp", "--dim", "width=16", "--dim", "height=9"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(result.out.find("5 stages"), std::string::npos);
}

TEST_F(PipelineCommand, WhatIsWrongIsSaidBeforeAnythingRuns) {
  const auto error = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", file()});
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit, 2) << result.out;
    return result.err;
  };
  EXPECT_NE(error({"--size", "3"}).find("--size is for kernels"), std::string::npos);
  EXPECT_NE(error({"--dim", "depth=3"}).find("no dim 'depth'"), std::string::npos);
  EXPECT_NE(error({"--in", "nothing=fill:zeros"}).find("no buffer 'nothing'"), std::string::npos);
  EXPECT_NE(error({"--memory-budget", "1KiB"}).find("budget"), std::string::npos);
  const CommandResult kernel =
      run_vyre({"run", (folder_.path() / "edges.wgsl").string(), "--dim", "width=3"});
  EXPECT_EQ(kernel.exit, 2);
  EXPECT_NE(kernel.err.find("--dim is for pipelines"), std::string::npos);
}

TEST_F(PipelineCommand, RepeatedRunsGoOnWhereTheLastOneEnded) {
  const std::string fluid = (folder_.path() / "fluid.toml").string();
  const auto run = [&](const char* repeat) {
    const CommandResult result = run_vyre({"run", fluid, "--device", "cpu", "--dim", "width=23",
                                           "--dim", "height=18", "--repeat", repeat, "--verify"});
    EXPECT_EQ(result.exit, 0) << result.err;
    EXPECT_NE(result.out.find("414 values are the interpreter's"), std::string::npos) << result.out;
    return bytes("dye.png");
  };
  EXPECT_NE(run("1"), run("4"));
}

TEST_F(PipelineCommand, ThePlanShowsLoops) {
  const CommandResult result = run_vyre({"plan", (folder_.path() / "fluid.toml").string()});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(result.out.find("==== loop 'balance': 34 rounds; 'pressure' and 'next_pressure' change "
                            "places"),
            std::string::npos)
      << result.out;
}

TEST_F(PipelineCommand, ThePageNamesNothingElse) {
  const std::string page = (folder_.path() / "page.html").string();
  const CommandResult result = run_vyre({"run", file(), "--device", "cpu", "--dim", "width=16",
                                         "--dim", "height=9", "--report", page});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(result.out.find("wrote " + page), std::string::npos);
  const std::string text = bytes("page.html");
  for (const char* part : {"<h1>edges: 5 stages in 3 launches</h1>", "histogram", "Timeline",
                           "passed on in registers", "computing &#39;soft&#39; again"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(text.find("http"), std::string::npos) << "it stands alone";
}

TEST_F(PipelineCommand, ThePageTellsHowEachLaunchRan) {
  const std::string page = (folder_.path() / "page.html").string();
  const CommandResult result =
      run_vyre({"run", file(), "--device", "cpu", "--time=2", "--mode", "natural", "--dim",
                "width=64", "--dim", "height=40", "--report", page});
  ASSERT_EQ(result.exit, 0) << result.err;
  const std::string text = bytes("page.html");
  for (const char* part : {"how it ran", "fused, ", "; as 3 stages ", " gang=", "in bands",
                           "played launch by launch: this device"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST_F(PipelineCommand, TheTraceHasASliceForEachLaunch) {
  const std::string fluid = (folder_.path() / "fluid.toml").string();
  const std::string trace = (folder_.path() / "trace.json").string();
  const CommandResult result =
      run_vyre({"run", fluid, "--device", "cpu", "--dim", "width=16", "--trace", trace});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(result.out.find("wrote " + trace), std::string::npos);
  const std::string text = bytes("trace.json");
  EXPECT_EQ(trace_faults(text), std::vector<std::string>());
  for (const char* name : {"fluid on cpu", "one round of 'balance'", "begins because"}) {
    EXPECT_NE(text.find(name), std::string::npos) << name << "\n" << text;
  }
  const CommandResult interpreted =
      run_vyre({"run", fluid, "--device", "interp", "--trace", trace});
  EXPECT_EQ(interpreted.exit, 2);
  EXPECT_NE(interpreted.err.find("the interpreter has none"), std::string::npos);
}

TEST_F(PipelineCommand, FoldersOfOutputsAreLookedForBeforeTheRun) {
  const CommandResult result =
      run_vyre({"run", file(), "--device", "cpu", "--out", "edges=nowhere/edges.png"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_NE(result.err.find("buffer 'edges': cannot write"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("there is no folder"), std::string::npos) << result.err;
}

TEST_F(PipelineCommand, ALaunchBeyondTheDevicesLimitsNamesItsStage) {
  std::ofstream(folder_.path() / "k.wgsl")
      << "@group(0) @binding(0) var<storage, read_write> a: array<f32>;"
         "@compute @workgroup_size(1) fn main() { a[0] = 1; }";
  const std::string path = (folder_.path() / "large.toml").string();
  std::ofstream(path) << "vyre = 1\nname = \"large\"\n[buffers]\n"
                         "a = { type = \"array<f32>\", shape = [4], sink = \"a.npy\" }\n"
                         "[[stage]]\nname = \"first\"\nentry = \"main\"\nfile = \"k.wgsl\"\n"
                         "size = [1, 4294967295]\nbind = { a = \"a\" }\n";
  const CommandResult result = run_vyre({"run", path, "--device", "cpu"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_NE(result.err.find("large.toml:5: stage 'first': axis 1 has 4294967295 workgroups"),
            std::string::npos)
      << result.err;
}

TEST_F(PipelineCommand, BenchVerifiesAndTimesBothWays) {
  const CommandResult result = run_vyre({"bench", file(), "--device", "cpu", "--dim", "width=40",
                                         "--dim", "height=30", "--time=3", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("verified_values"), 40 * 30 + 64);
  EXPECT_EQ(json.at("fused").at("runs"), 3);
  EXPECT_EQ(json.at("separate_launches"), 5);
  EXPECT_LE(json.at("ratio").at("p10"), json.at("ratio").at("p90"));
  EXPECT_FALSE(fs::exists(folder_.path() / "edges.png")) << "it writes nothing";
  const CommandResult kernel = run_vyre({"bench", (folder_.path() / "edges.wgsl").string()});
  EXPECT_EQ(kernel.exit, 2);
}

TEST_F(PipelineCommand, TuneRunsUntilEveryLaunchHasItsVariant) {
  const CommandResult result = run_vyre({"tune", file(), "--device", "cpu", "--dim", "width=64",
                                         "--dim", "height=48", "--budget", "10s", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_GT(json.at("runs"), 0);
  ASSERT_EQ(json.at("launches").size(), 3U);
  for (const auto& launch : json.at("launches")) {
    EXPECT_NE(launch.at("variant").get<std::string>().find("workgroup="), std::string::npos);
  }
  // The command waits for candidates to compile, however busy the machine is.
  EXPECT_TRUE(std::ranges::any_of(json.at("launches"), [](const nlohmann::json& launch) {
    const auto reason = launch.at("reason").get<std::string>();
    return reason.find("nothing else is measured yet") == std::string::npos;
  })) << json.at("launches").dump(2);
  EXPECT_TRUE(fs::exists(folder_.path() / "cache" / "vyre" / "tuner" / "evidence.jsonl"))
      << "what was learned is kept";
  const CommandResult odd = run_vyre({"tune", file(), "--size", "3"});
  EXPECT_EQ(odd.exit, 2);
  EXPECT_NE(odd.err.find("--size is for kernels"), std::string::npos) << odd.err;
}

}  // namespace
}  // namespace vyre
