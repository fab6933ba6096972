#include "vyre/cli/cache/cache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"

namespace vyre {
namespace {

class Cache : public testing::Test {
 protected:
  Cache() { ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  ~Cache() override { ::unsetenv("XDG_CACHE_HOME"); }

  static CommandResult cache(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "cache");
    return run_vyre(arguments);
  }
  std::string path(const std::string& name) const {
    return folder_.path() / "vyre" / "tuner" / name;
  }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(folder_.path() / "vyre" / "tuner");
    ASSERT_TRUE(replace_file(path(name), text));
  }
  std::string text_of(const std::string& name) const {
    return read_file(path(name)).value_or("gone");
  }

  TemporaryFolder folder_;
};

TEST_F(Cache, PathIsWhereDecisionsAre) {
  EXPECT_EQ(cache({"path"}).out, (folder_.path() / "vyre" / "tuner").string() + "\n");
}

TEST_F(Cache, AnEmptyCacheIsNoError) {
  EXPECT_EQ(cache({"list"}).out, "no evidence in " + path("evidence.jsonl") +
                                     "\nno compiled code in " +
                                     (folder_.path() / "vyre" / "code").string() + "\n");
  EXPECT_EQ(cache({"show"}).out, "the cache is empty\n");
  const CommandResult cleared = cache({"clear", "--yes"});
  EXPECT_EQ(cleared.exit, 0);
  EXPECT_EQ(cleared.out, "removed 0 decisions\n");
}

TEST_F(Cache, ListsAndShows) {
  write("gpu.toml", "\"launch-1\" = [64, 1, 1]\n\"launch-2\" = [128, 1, 1]\n");
  write("cpu.toml", "\"launch-1\" = [16, 1, 1]\n");
  EXPECT_EQ(cache({"list"}).out, "no evidence in " + path("evidence.jsonl") +
                                     "\n"
                                     "adapter  decisions  bytes  state\n"
                                     "cpu              1     24  ok\n"
                                     "gpu              2     49  ok\n"
                                     "no compiled code in " +
                                     (folder_.path() / "vyre" / "code").string() + "\n");
  EXPECT_EQ(cache({"list", "--adapter", "cpu"}).out,
            "adapter  decisions  bytes  state\n"
            "cpu              1     24  ok\n");
  EXPECT_EQ(cache({"show", "launch-1"}).out,
            "key       workgroup  adapter\n"
            "launch-1  16x1x1     cpu\n"
            "launch-1  64x1x1     gpu\n");
  EXPECT_EQ(cache({"show", "launch-2", "--adapter", "cpu"}).out, "there is no such key\n");
  const auto json = nlohmann::json::parse(cache({"show", "--json", "--adapter", "gpu"}).out);
  EXPECT_EQ(json.at("decisions").at(1).at("workgroup"), nlohmann::json({128, 1, 1}));
  EXPECT_EQ(nlohmann::json::parse(cache({"list", "--json"}).out).at("adapters").size(), 2U);
}

TEST_F(Cache, ClearNeedsToBeMeant) {
  write("gpu.toml", "\"launch-1\" = [64, 1, 1]\n");
  const CommandResult result = cache({"clear"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(result.err,
            "vyre: this would remove all evidence and decisions; give --yes, or name a key or an "
            "--adapter\n");
  EXPECT_EQ(text_of("gpu.toml"), "\"launch-1\" = [64, 1, 1]\n");
}

TEST_F(Cache, ClearRemovesAllOrOneAdapterOrOneKey) {
  const auto fill = [&] {
    write("gpu.toml", "\"launch-1\" = [64, 1, 1]\n\"launch-2\" = [128, 1, 1]\n");
    write("cpu.toml", "\"launch-1\" = [16, 1, 1]\n");
  };
  fill();
  EXPECT_EQ(cache({"clear", "launch-1"}).out, "removed 2 decisions\n");
  EXPECT_EQ(text_of("gpu.toml"), "\"launch-2\" = [128, 1, 1]\n");
  EXPECT_EQ(text_of("cpu.toml"), "");
  fill();
  EXPECT_EQ(cache({"clear", "launch-1", "--adapter", "cpu"}).out, "removed 1 decision\n");
  EXPECT_EQ(text_of("gpu.toml").size(), 49U);
  fill();
  EXPECT_EQ(cache({"clear", "--adapter", "gpu"}).out, "removed 2 decisions\n");
  EXPECT_EQ(text_of("gpu.toml"), "gone");
  EXPECT_NE(text_of("cpu.toml"), "gone");
  fill();
  EXPECT_EQ(cache({"clear", "--yes"}).out, "removed 3 decisions\n");
  EXPECT_EQ(text_of("gpu.toml"), "gone");
  EXPECT_EQ(text_of("cpu.toml"), "gone");
}

TEST_F(Cache, WhatIsNotUnderstoodIsNeverRemoved) {
  write("notes.toml", "this is not a decision file");
  write("mixed.toml", "\"launch-1\" = [64, 1, 1]\ntitle = \"mine\"\n");
  write("diary.txt", "dear diary");
  std::filesystem::create_directories(path("folder.toml"));
  const CommandResult result = cache({"clear", "--yes"});
  EXPECT_EQ(result.exit, 1);
  EXPECT_NE(result.err.find("notes.toml"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("mixed.toml"), std::string::npos) << result.err;
  EXPECT_EQ(text_of("notes.toml"), "this is not a decision file");
  EXPECT_EQ(text_of("mixed.toml"), "\"launch-1\" = [64, 1, 1]\ntitle = \"mine\"\n");
  EXPECT_EQ(text_of("diary.txt"), "dear diary");
  EXPECT_TRUE(std::filesystem::exists(path("folder.toml")));
  EXPECT_EQ(cache({"clear", "launch-1"}).exit, 1);
  EXPECT_NE(text_of("mixed.toml"), "gone");
  const CommandResult listed = cache({"list"});
  EXPECT_EQ(listed.exit, 0);
  EXPECT_NE(listed.out.find("not understood"), std::string::npos) << listed.out;
}

TEST_F(Cache, SaysWhatIsWrong) {
  const auto error = [](std::vector<std::string> arguments) {
    const CommandResult result = cache(std::move(arguments));
    EXPECT_EQ(result.exit, 2);
    return result.err;
  };
  write("gpu.toml", "\"launch-1\" = [64, 1, 1]\n");
  EXPECT_EQ(error({}), "vyre: ACTION [WORD...] is missing; see vyre cache --help\n");
  EXPECT_EQ(error({"lits"}), "vyre: there is no action 'lits'; did you mean list?\n");
  EXPECT_EQ(error({"list", "launch-1"}), "vyre: list takes nothing; see vyre cache --help\n");
  EXPECT_EQ(error({"list", "--yes"}),
            "vyre: only clear and pin take --yes; see vyre cache --help\n");
  EXPECT_EQ(error({"pin", "t1-0"}),
            "vyre: pin takes a key and a candidate; see vyre cache --help\n");
  EXPECT_EQ(error({"show", "--t4"}),
            "vyre: only export and import take --t4; see vyre cache --help\n");
  EXPECT_EQ(error({"import", "x", "--device", "d"}),
            "vyre: only import --t4 takes --program, --name, --size, --device and --set; see vyre "
            "cache --help\n");
  EXPECT_EQ(error({"show", "--adapter", "tpu"}),
            "vyre: there are no decisions of 'tpu'; see vyre cache list\n");
  EXPECT_EQ(error({"clear", "launch-9"}),
            "vyre: there is no key 'launch-9'; see vyre cache show\n");
  EXPECT_NE(text_of("gpu.toml"), "gone");
}

TEST_F(Cache, DecisionsGoFromMachineToMachine) {
  const std::string adapter = "launch-adapter-v2-" + std::string(64, 'a');
  const std::string other = "launch-adapter-v2-" + std::string(64, 'b');
  write(adapter + ".toml", "\"launch-1\" = [64, 1, 1]\n\"launch-2\" = [128, 1, 1]\n");
  const std::string file = (folder_.path() / "moved.toml").string();
  EXPECT_EQ(cache({"export", "--toml", file}).out, "wrote 2 decisions to " + file + "\n");
  EXPECT_EQ(cache({"export", "--toml", "-"}).out, text_of(adapter + ".toml"));
  const CommandResult unnamed = cache({"import", "--toml", file});
  EXPECT_EQ(unnamed.exit, 2);
  EXPECT_NE(unnamed.err.find("give --adapter ID"), std::string::npos) << unnamed.err;
  const CommandResult done = cache({"import", "--toml", file, "--adapter", other});
  EXPECT_EQ(done.exit, 0) << done.err;
  EXPECT_EQ(done.out, "added 2 decisions to " + path(other + ".toml") +
                          "\nthey are for a device, driver or code generator that is not in "
                          "this machine, which will not use them\n");
  EXPECT_EQ(text_of(other + ".toml"), text_of(adapter + ".toml"));
  // What the file names after its adapter needs no option, and what is here stays.
  const std::string named = (folder_.path() / (adapter + ".toml")).string();
  ASSERT_TRUE(replace_file(named, "\"launch-2\" = [256, 1, 1]\nname = \"x\"\n"));
  const CommandResult merged = cache({"import", "--toml", named});
  EXPECT_EQ(merged.exit, 0) << merged.err;
  EXPECT_NE(merged.out.find("added 1 decision to"), std::string::npos) << merged.out;
  EXPECT_NE(merged.out.find("left out 1 value: not a decision"), std::string::npos) << merged.out;
  EXPECT_EQ(text_of(adapter + ".toml"), "\"launch-1\" = [64, 1, 1]\n\"launch-2\" = [256, 1, 1]\n");
  EXPECT_NE(cache({"export", "--toml", "-"}).err.find("there are 2"), std::string::npos);
  EXPECT_EQ(cache({"import", "--toml", "--t4", file}).exit, 2);
  EXPECT_EQ(cache({"list", "--toml"}).exit, 2);
  EXPECT_EQ(cache({"import", "--toml", (folder_.path() / "none.toml").string()}).exit, 2);
  ASSERT_TRUE(replace_file(named, "\"launch-2\" = [256, 1\n"));
  const CommandResult wrong = cache({"import", "--toml", named});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_NE(wrong.err.find(named + ":"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace vyre
