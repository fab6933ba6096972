// vyre run on devices that run compiled code.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"

namespace vyre {
namespace {

constexpr const char* kAdd = R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.x] = 2.0 * x[id.x] + y[id.x];
}
)";

constexpr const char* kShared = R"(
var<workgroup> tile: array<u32, 8>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8) fn shared_sum(@builtin(local_invocation_index) i: u32) {
  tile[i] = i;
  workgroupBarrier();
  out[i] = tile[7u - i];
}
)";

constexpr const char* kEndless = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn spin() {
  loop {
    out[0] += 1;
    if (out[0] == 0xffffffff) { break; }
  }
}
)";

class RunDevice : public testing::Test {
 protected:
  RunDevice() {
    const char* before = std::getenv("XDG_CACHE_HOME");
    if (before != nullptr) before_ = before;
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    ::unsetenv("VYRE_THREADS");
  }
  ~RunDevice() override {
    ::unsetenv("VYRE_THREADS");
    if (before_.empty()) {
      ::unsetenv("XDG_CACHE_HOME");
    } else {
      ::setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    }
  }

  CommandResult run(const std::string& text, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", "-"});
    if (std::ranges::none_of(
            arguments, [](const std::string& word) { return word.starts_with("--device"); })) {
      arguments.emplace_back("--device=cpu");
    }
    return run_vyre(arguments, text);
  }
  nlohmann::json json(const std::string& text, std::vector<std::string> arguments, int exit = 0) {
    arguments.emplace_back("--json");
    const CommandResult result = run(text, std::move(arguments));
    EXPECT_EQ(result.exit, exit) << result.err;
    return nlohmann::json::parse(result.out, nullptr, false);
  }
  std::string error(const std::string& text, std::vector<std::string> arguments, int exit = 2) {
    const CommandResult result = run(text, std::move(arguments));
    EXPECT_EQ(result.exit, exit) << result.out;
    EXPECT_EQ(result.out, "");
    return result.err;
  }
  std::string path(const std::string& name) const { return folder_.path() / name; }

  TemporaryFolder folder_;
  std::string before_;
};

TEST_F(RunDevice, ComputesAndSaysWhereAndHow) {
  const auto first = json(kAdd, {"--in", "x=fill:iota:10", "--in", "y=fill:const=1:10"});
  EXPECT_EQ(first.at("device"), "cpu");
  EXPECT_EQ(first.at("printed").at(0).at("values"),
            nlohmann::json({1, 3, 5, 7, 9, 11, 13, 15, 17, 19}));
  EXPECT_EQ(first.at("invocations"), 10);
  EXPECT_EQ(first.at("steps"), nullptr);
  EXPECT_EQ(first.at("time"), nullptr);
  EXPECT_EQ(first.at("verify"), nullptr);
  EXPECT_EQ(first.at("code").at("source"), "compiled");
  // The second time it comes from the cache, whatever the data.
  const auto second = json(kAdd, {"--in", "x=fill:const=3:10"});
  EXPECT_EQ(second.at("code").at("source"), "disk");
  EXPECT_EQ(second.at("printed").at(0).at("values"),
            nlohmann::json({6, 6, 6, 6, 6, 6, 6, 6, 6, 6}));
}

TEST_F(RunDevice, SaysWhenAKernelWasTooLargeForAllOptimisations) {
  std::string large =
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n"
      "@compute @workgroup_size(64) fn sines(@builtin(global_invocation_id) id: vec3<u32>) {\n"
      "  var a = x[id.x];\n";
  for (int i = 0; i < 2000; ++i) large += "  a = a * 1.01 + sin(a);\n";
  large += "  x[id.x] = a;\n}\n";
  const std::vector<std::string> in{"--in", "x=fill:const=0:8"};
  EXPECT_EQ(json(large, in).at("code").at("brief"), true);
  EXPECT_EQ(json(kAdd, {"--in", "x=fill:iota:3"}).at("code").at("brief"), false);
  // The code in the cache says so as well.
  EXPECT_NE(run(large, in).out.find(", briefly: the kernel is too large for all optimisations"),
            std::string::npos);
}

TEST_F(RunDevice, AutoIsADeviceAndSaysWhich) {
  const CommandResult result = run(kAdd, {"--device", "auto", "--in", "x=fill:iota:3"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("add on c")) << result.out;
  EXPECT_NE(result.out.find("chosen by auto"), std::string::npos);
}

// The record is of what ran, and the search is none of its time.
TEST_F(RunDevice, TheModeOnTellsWhatItFoundAndThenRan) {
  const std::vector<std::string> data{"--in", "x=fill:iota:5000", "--size", "5000"};
  std::vector<std::string> on = data;
  on.insert(on.end(), {"--mode", "on"});
  const auto found = json(kAdd, on);
  EXPECT_GT(found.at("code").at("search_ns"), 0);
  EXPECT_LT(found.at("elapsed_ns"), found.at("code").at("search_ns"));
  EXPECT_EQ(found.at("plan").at("decided_by"), "evidence");
  EXPECT_EQ(found.at("plan").at("variant").at("text"), found.at("code").at("variant"));
  EXPECT_EQ(found.at("plan").at("grid"), found.at("grid"));
  const auto later = json(kAdd, data);
  EXPECT_EQ(later.at("plan").at("variant"), found.at("plan").at("variant"));
  EXPECT_EQ(later.at("plan").at("decided_by"), "evidence");
  EXPECT_EQ(later.at("code").at("search_ns"), 0);
  EXPECT_EQ(later.at("printed"), found.at("printed"));
}

TEST_F(RunDevice, TimingLeavesTheResultsOfOneRun) {
  const auto out = json(kAdd, {"--in", "x=fill:iota:5", "--in", "y=fill:const=1:5", "--time=20"});
  EXPECT_EQ(out.at("printed").at(0).at("values"), nlohmann::json({1, 3, 5, 7, 9}));
  const auto& time = out.at("time");
  EXPECT_EQ(time.at("runs"), 20);
  EXPECT_GT(time.at("warm_up_runs"), 1);
  EXPECT_LE(time.at("p10_ns"), time.at("median_ns"));
  EXPECT_LE(time.at("median_ns"), time.at("p90_ns"));
  EXPECT_EQ(time.at("moved_bytes"), 5 * 4 + 2 * 5 * 4);
  EXPECT_GT(time.at("bytes_per_second"), 0);
}

TEST_F(RunDevice, TheInterpreterIsTimedToo) {
  const auto out = json(kAdd, {"--device=interp", "--in", "x=fill:iota:5", "--time=3"});
  EXPECT_EQ(out.at("printed").at(0).at("values"), nlohmann::json({0, 2, 4, 6, 8}));
  EXPECT_EQ(out.at("time").at("runs"), 3);
}

TEST_F(RunDevice, RunsAreCountedSensibly) {
  EXPECT_EQ(error(kAdd, {"--time=0"}),
            "vyre: --time: it must be at least 1; see vyre run --help\n");
  EXPECT_EQ(error(kAdd, {"--time=many"}),
            "vyre: --time: 'many' is not a whole number; see vyre run --help\n");
  EXPECT_EQ(error(kAdd, {"--time", "5"}),
            "vyre: unexpected argument '5'; --time takes a value as --time=VALUE\n");
  EXPECT_EQ(error(kAdd, {"--time", "--time"}), "vyre: --time was given 2 times; give it once\n");
}

TEST_F(RunDevice, VerifiesBitForBit) {
  const auto out = json(kAdd, {"--in", "x=fill:random=1:1000", "--in", "y=fill:random=2:1000",
                               "--verify", "--time=3"});
  EXPECT_EQ(out.at("verify").at("same"), true);
  EXPECT_EQ(out.at("verify").at("values"), 1000);
  EXPECT_EQ(out.at("verify").at("tolerance"), "bit for bit");
  const CommandResult text = run(kAdd, {"--in", "x=fill:iota:8", "--verify"});
  EXPECT_NE(text.out.find("verified: 8 values in 1 buffer equal"), std::string::npos) << text.out;
}

// The interpreter runs invocations in order; on a device the last one need not be the last.
TEST_F(RunDevice, ADifferenceIsShownAndNothingIsWritten) {
  constexpr const char* last = R"(
@group(0) @binding(0) var<storage, read_write> count: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> when: array<u32>;
@compute @workgroup_size(64) fn order(@builtin(global_invocation_id) id: vec3<u32>) {
  when[id.x] = atomicAdd(&count[0], 1u);
}
)";
  // One lane after the other, in whatever order the threads take the workgroups.
  for (int attempt = 0; attempt < 20; ++attempt) {
    const CommandResult result = run(last, {"--size", "2000000", "--in", "count=fill:zeros:1",
                                            "--verify", "--out", "when=" + path("when.npy")});
    if (result.exit == 0) {
      std::filesystem::remove(path("when.npy"));
      continue;  // in order, by chance: one thread took everything
    }
    EXPECT_EQ(result.exit, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("values differ from the interpreter's"), std::string::npos);
    EXPECT_NE(result.err.find("when["), std::string::npos) << result.err;
    EXPECT_FALSE(std::filesystem::exists(path("when.npy")));
    return;
  }
  GTEST_SKIP() << "every run was in order";
}

TEST_F(RunDevice, AToleranceIsObeyedAndTold) {
  constexpr const char* text = R"(
@group(0) @binding(0) var<storage, read_write> v: array<f32>;
@compute @workgroup_size(64) fn f(@builtin(global_invocation_id) id: vec3<u32>) {
  v[id.x] = sin(v[id.x]) + exp(v[id.x]);
}
)";
  const auto out = json(text, {"--in", "v=fill:random=3:5000", "--verify", "--tolerance", "1e-3"});
  EXPECT_EQ(out.at("verify").at("same"), true);
  EXPECT_EQ(out.at("verify").at("tolerance"), "within 0.001 of the larger magnitude");
  EXPECT_EQ(error(text, {"--tolerance", "1e-3"}),
            "vyre: --tolerance needs --verify; see vyre run --help\n");
  EXPECT_EQ(error(text, {"--verify", "--tolerance", "close"}),
            "vyre: --tolerance: 'close' is not a tolerance; write it like 4ulp, or like 1e-5 for a "
            "share of the larger magnitude\n");
}

TEST_F(RunDevice, VariantsGiveTheSameResults) {
  for (const std::vector<std::string>& variant :
       std::vector<std::vector<std::string>>{{"--gang", "1"},
                                             {"--gang", "8"},
                                             {"--gang", "32"},
                                             {"--items-per-lane", "4"},
                                             {"--items-per-lane", "16", "--layout", "blocked"},
                                             {"--workgroup", "128"},
                                             {"--workgroup", "2,1,1", "--groups-per-task", "3"}}) {
    std::vector<std::string> arguments{"--in", "x=fill:iota:777", "--verify", "--print", "y:0"};
    arguments.insert(arguments.end(), variant.begin(), variant.end());
    const auto out = json(kAdd, arguments);
    EXPECT_EQ(out.at("verify").at("same"), true) << variant[1];
  }
  const auto out = json(kAdd, {"--in", "x=fill:iota:8", "--items-per-lane", "4", "--layout",
                               "blocked", "--gang", "8", "--workgroup", "16"});
  EXPECT_EQ(out.at("code").at("items_per_lane"), 4);
  EXPECT_EQ(out.at("code").at("layout"), "blocked");
  EXPECT_EQ(out.at("code").at("gang"), 8);
  EXPECT_EQ(out.at("workgroup"), nlohmann::json({16, 1, 1}));
}

TEST_F(RunDevice, AnIneligibleVariantSaysWhy) {
  EXPECT_EQ(
      error(kShared, {"--size", "8", "--items-per-lane", "4"}),
      "vyre: kernel 'shared_sum' cannot run as 8x1x1 items=4 gang=8: the program shares memory "
      "or waits within its workgroup\n");
  EXPECT_NE(error(kShared, {"--size", "8", "--workgroup", "16"}).find("so its shape is fixed"),
            std::string::npos);
  EXPECT_NE(error(kAdd, {"--in", "x=fill:iota:8", "--gang", "7"})
                .find("a gang has 1, 8, 16 or 32 lanes, not 7"),
            std::string::npos);
  EXPECT_NE(error(kAdd, {"--in", "x=fill:iota:8", "--items-per-lane", "3"}).find("not 3"),
            std::string::npos);
  EXPECT_NE(error(kAdd, {"--in", "x=fill:iota:8", "--workgroup", "100000"}).find("cpu allows 1024"),
            std::string::npos);
  EXPECT_NE(error(kAdd, {"--layout", "sideways"}).find("strided and blocked"), std::string::npos);
  EXPECT_NE(error(kAdd, {"--gang", "0"}).find("it must be at least 1"), std::string::npos);
}

TEST_F(RunDevice, SomeOptionsContradictEachOther) {
  EXPECT_EQ(error(kAdd, {"--device=interp", "--gang", "8"}),
            "vyre: --gang is for devices that run compiled code, not for interp; give another "
            "--device\n");
  EXPECT_EQ(error(kAdd, {"--device=interp", "--verify"}),
            "vyre: --verify is for devices that run compiled code, not for interp; give another "
            "--device\n");
  EXPECT_EQ(error(kAdd, {"--step-budget", "5"}),
            "vyre: --step-budget: only the interpreter counts steps; give --deadline SECONDS, or "
            "--device interp\n");
  EXPECT_EQ(error(kAdd, {"--emit-to", "x"}),
            "vyre: --emit-to needs --emit; see vyre run "
            "--help\n");
  EXPECT_EQ(error(kAdd, {"--emit", "llvm", "--time"}),
            "vyre: --time and --emit cannot both be given; give one of them\n");
  EXPECT_EQ(error(kAdd, {"--emit", "wasm"}),
            "vyre: --emit: there is no 'wasm'; there are llvm, asm and ptx\n");
}

TEST_F(RunDevice, DevicesAreNamed) {
  EXPECT_EQ(error(kAdd, {"--device", "gpu"}),
            "vyre: --device: there is no 'gpu'; there are auto, cpu, cuda, cuda:N, null and "
            "interp\n");
  EXPECT_NE(error(kAdd, {"--device", "cuda:x"}).find("there is no 'cuda:x'"), std::string::npos);
  // A GPU that is not there is no mistake in the command.
  const std::string missing = error(kAdd, {"--device", "cuda:4096", "--in", "x=fill:iota:8"}, 1);
  EXPECT_NE(missing, "");
}

TEST_F(RunDevice, TheNullDeviceRunsNothing) {
  const auto out = json(kAdd, {"--device", "null", "--in", "x=fill:iota:3", "--time=5"});
  EXPECT_EQ(out.at("device"), "null");
  EXPECT_EQ(out.at("printed").at(0).at("values"), nlohmann::json({0, 0, 0}));
  EXPECT_NE(error(kAdd, {"--device", "null", "--verify"}).find("null runs nothing"),
            std::string::npos);
}

TEST_F(RunDevice, CodeIsEmittedAndNothingRuns) {
  const CommandResult llvm = run(kAdd, {"--emit", "llvm"});
  EXPECT_EQ(llvm.exit, 0) << llvm.err;
  EXPECT_NE(llvm.out.find("define "), std::string::npos);
  const CommandResult assembly = run(kAdd, {"--emit", "asm", "--gang", "8"});
  EXPECT_NE(assembly.out.find(".text"), std::string::npos);
  const std::string file = path("add.s");
  const CommandResult to_file = run(kAdd, {"--emit", "asm", "--gang", "8", "--emit-to", file});
  EXPECT_EQ(to_file.exit, 0) << to_file.err;
  EXPECT_EQ(*read_file(file), assembly.out);
  EXPECT_NE(to_file.out.find("wrote asm to"), std::string::npos);
  const auto out = json(kAdd, {"--emit", "asm", "--gang", "8"});
  EXPECT_EQ(out.at("text"), assembly.out);
  EXPECT_EQ(out.at("variant"), "4x1x1 gang=8");
  EXPECT_NE(error(kShared, {"--emit", "asm", "--items-per-lane", "2"}).find("cannot run"),
            std::string::npos);
  EXPECT_EQ(run(kAdd, {"--emit", "asm", "--emit-to", "/dev/full"}).exit, 1);
  EXPECT_EQ(error(kAdd, {"--emit", "asm", "--emit-to", path("none/add.s")}),
            "vyre: --emit-to: there is no folder " + path("none") + "\n");
}

TEST_F(RunDevice, PtxNeedsNoGpu) {
  const CommandResult ptx = run(kAdd, {"--device=auto", "--emit", "ptx"});
  EXPECT_EQ(ptx.exit, 0) << ptx.err;
  EXPECT_NE(ptx.out.find(".visible .entry"), std::string::npos);
  EXPECT_EQ(error(kAdd, {"--emit", "ptx"}), "vyre: --emit: cpu has no ptx; it has llvm and asm\n");
}

TEST_F(RunDevice, EndlessKernelsEndAtTheDeadline) {
  const std::string out = path("out.npy");
  const std::string message =
      error(kEndless, {"--size", "1", "--deadline", "1", "--out", "out=" + out}, 1);
  EXPECT_NE(message.find("'spin' did not end within 1000 ms"), std::string::npos)
      << "it names the deadline as it was given: " << message;
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(RunDevice, TheNumberOfThreadsIsANumber) {
  for (const char* bad : {"0", "-1", "many", "1.5", "99999999999999999999", " 2"}) {
    ::setenv("VYRE_THREADS", bad, 1);
    EXPECT_EQ(
        error(kAdd, {"--in", "x=fill:iota:8"}),
        std::string("vyre: VYRE_THREADS is '") + bad + "'; give a whole number from 1 to 1024\n");
  }
  ::setenv("VYRE_THREADS", "3", 1);
  EXPECT_EQ(json(kAdd, {"--in", "x=fill:iota:100000", "--verify", "--print", "y:0"})
                .at("verify")
                .at("same"),
            true);
}

TEST_F(RunDevice, AnUnwritableCacheCostsAWarningOnly) {
  ASSERT_TRUE(replace_file(path("file"), "not a folder"));
  ::setenv("XDG_CACHE_HOME", path("file").c_str(), 1);
  const auto out = json(kAdd, {"--in", "x=fill:iota:3"});
  EXPECT_EQ(out.at("printed").at(0).at("values"), nlohmann::json({0, 2, 4}));
}

TEST_F(RunDevice, ADamagedCacheIsCompiledAnew) {
  json(kAdd, {"--in", "x=fill:iota:3"});
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "vyre" / "code")) {
    auto content = *read_file(entry.path());
    content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
    ASSERT_TRUE(replace_file(entry.path(), content));
  }
  const auto again = json(kAdd, {"--in", "x=fill:iota:3"});
  EXPECT_EQ(again.at("code").at("source"), "compiled");
  EXPECT_EQ(again.at("printed").at(0).at("values"), nlohmann::json({0, 2, 4}));
}

TEST_F(RunDevice, KeptCodeIsCountedAndCleared) {
  run_vyre({"cache", "clear-code"});
  json(kAdd, {"--in", "x=fill:iota:3"});
  ASSERT_TRUE(replace_file(folder_.path() / "vyre" / "code" / "notes.txt", "mine"));
  const auto listed = nlohmann::json::parse(run_vyre({"cache", "list", "--json"}).out);
  EXPECT_EQ(listed.at("code").at("files"), 1);
  EXPECT_GT(listed.at("code").at("bytes"), 100);
  EXPECT_NE(run_vyre({"cache", "list"}).out.find("compiled code of 1 kernel, "), std::string::npos);
  const CommandResult cleared = run_vyre({"cache", "clear-code"});
  EXPECT_EQ(cleared.exit, 0) << cleared.err;
  EXPECT_TRUE(cleared.out.starts_with("removed the code of 1 kernel (")) << cleared.out;
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "vyre" / "code" / "notes.txt"));
  EXPECT_EQ(json(kAdd, {"--in", "x=fill:iota:3"}).at("code").at("source"), "compiled");
}

}  // namespace
}  // namespace vyre
