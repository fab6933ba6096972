// The command as a process: streams, signals, time.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "spawn.h"
#include "vyre/base/process/sanitizers_testing.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

const std::string kExamples = VYRE_ROOT_DIR "/examples/";

// The thread sanitizer delivers a signal with the next call that it knows: a loop has none.
constexpr bool kSignalsWait = VYRE_THREAD_SANITIZER != 0;

constexpr const char* kEndless = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn spin() {
  loop {
    out[0] += 1;
    if (out[0] == 0xffffffff) { break; }
  }
}
)";

class Process : public testing::Test {
 protected:
  Process() {
    std::string name = fs::temp_directory_path() / "vyre-cli-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~Process() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ / name; }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++count;
    return count;
  }

  fs::path folder_;
};

TEST_F(Process, ExitCodesAreThree) {
  EXPECT_EQ(vyre_command({"--version"}).exit, 0);
  EXPECT_EQ(vyre_command({"bananas"}).exit, 2);
  EXPECT_EQ(vyre_command({"run", "-", "--device", "interp", "--size", "1", "--step-budget", "100"},
                         {.input = kEndless})
                .exit,
            1);
}

TEST_F(Process, OutputAndErrorsAreApart) {
  const Finished good = vyre_command({"check", kExamples + "saxpy.wgsl"});
  EXPECT_EQ(good.err, "");
  EXPECT_NE(good.out, "");
  const Finished bad = vyre_command({"check", "-"}, {.input = "fn"});
  EXPECT_EQ(bad.out, "");
  EXPECT_NE(bad.err, "");
}

TEST_F(Process, AReaderThatLeavesIsNoNews) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  const Finished result =
      vyre_command({"check", kExamples + "saxpy.wgsl"}, {.out_descriptor = ends[1]});
  ::close(ends[1]);
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(result.err, "");
}

TEST_F(Process, AFullDiskIsReported) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  const std::string saxpy = kExamples + "saxpy.wgsl";
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"--help"},
           {"check", saxpy},
           {"check", "--json", saxpy},
           {"devices"},
           {"run", saxpy, "--in", "x=fill:iota:4", "--uniform", "a=1", "--device=cpu"},
           {"run", saxpy, "--in", "x=fill:iota:4", "--uniform", "a=1", "--json", "--device=cpu"}}) {
    const Finished result = vyre_command(arguments, {.out_descriptor = full});
    EXPECT_EQ(result.exit, 1);
    EXPECT_EQ(result.err, "vyre: cannot write the output: No space left on device\n");
  }
  ::close(full);
}

TEST_F(Process, AClosedOutputDoesNotBecomeAFile) {
  const std::string out = path("y.bin");
  const Finished result =
      vyre_command({"run", kExamples + "saxpy.wgsl", "--in", "x=fill:iota:4", "--uniform", "a=1",
                    "--out", "y=raw:" + out, "--device=cpu"},
                   {.close_out = true});
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(result.err, "vyre: cannot write the output: Bad file descriptor\n");
  EXPECT_EQ(fs::file_size(out), 16U);
  EXPECT_EQ(vyre_command({"check", "-"}, {.close_all = true}).exit, 2);
}

TEST_F(Process, InterruptedRunsEndByTheirSignalAndLeaveNothing) {
  if (kSignalsWait) GTEST_SKIP() << "signals do not end a loop here";
  for (const std::string& device : {std::string("--device=interp"), std::string("--device=cpu")}) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      Spawned spawned({"run", "-", "--size", "1", device, "--out", "out=" + path("out.npy")},
                      {.input = kEndless});
      spawned.wait_for_work(0.3);
      ASSERT_EQ(::kill(spawned.pid(), signal), 0);
      const Finished finished = spawned.wait();
      EXPECT_EQ(finished.signal, signal) << device;
      EXPECT_EQ(finished.out, "");
      EXPECT_EQ(files(), 0U);
    }
  }
}

TEST_F(Process, InterruptedTimingAndVerifyingEndToo) {
  if (kSignalsWait) GTEST_SKIP() << "signals do not end a loop here";
  constexpr const char* slow = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64) fn slow(@builtin(global_invocation_id) id: vec3<u32>) {
  var x = id.x;
  for (var i = 0u; i < 2000u; i++) { x = x * 1664525u + 1013904223u; }
  out[id.x] = x;
}
)";
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{"--time=1000000"}, {"--verify"}}) {
    std::vector<std::string> arguments{
        "run", "-", "--size", "1000000", "--device=cpu", "--out", "out=" + path("out.npy")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Spawned spawned(arguments, {.input = slow});
    spawned.wait_for_work(0.6);
    ASSERT_EQ(::kill(spawned.pid(), SIGINT), 0);
    const Finished finished = spawned.wait();
    EXPECT_EQ(finished.signal, SIGINT) << more[0] << finished.err;
    EXPECT_EQ(files(), 0U);
  }
}

TEST_F(Process, WhatAParentIgnoresStaysIgnored) {
  // As under nohup: the run ends by its deadline, not by the signal.
  Spawned spawned({"run", "-", "--size", "1", "--deadline", "1", "--device=cpu"},
                  {.input = kEndless, .ignore_hangup = true});
  spawned.wait_for_work(0.3);
  ASSERT_EQ(::kill(spawned.pid(), SIGHUP), 0);
  EXPECT_EQ(spawned.wait().exit, 1);
}

TEST_F(Process, ACacheFolderThatCannotBeWrittenCostsAWarning) {
  std::ofstream(path("file")) << "in the way";
  const Finished result = vyre_command({"run", kExamples + "saxpy.wgsl", "--in", "x=fill:iota:4",
                                        "--uniform", "a=1", "--device=cpu"},
                                       {.environment = {{"XDG_CACHE_HOME", path("file")}}});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_TRUE(result.err.starts_with("vyre: warning: what was learned before is not used"))
      << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;  // one for one folder
}

TEST_F(Process, AFullDiskCostsTuningOneWarning) {
  std::ofstream set(path("set.toml"));
  for (const char* size : {"4096", "8192"}) {
    set << "[[kernel]]\nfile = \"" << kExamples << "saxpy.wgsl\"\narguments = [\"--size\", \""
        << size << R"(", "--in", "x=fill:iota", "--in", "y=fill:zeros", "--uniform", "a=2"])"
        << "\n";
  }
  set.close();
  const Finished result =
      vyre_command({"tune", "--kernels", path("set.toml"), "--budget", "200ms", "--device=cpu"},
                   {.file_bytes = 0, .environment = {{"XDG_CACHE_HOME", path("cache")}}});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.err.find("vyre: warning: what is learned is not kept: "), 0U) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  for (const std::string part :
       {"saxpy: 4,096 invocations", "saxpy: 8,192 invocations", "candidate", "choice: "}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << result.out;
  }
}

TEST_F(Process, InterruptedTuningEndsAKernelThatNeverEnds) {
  for (const std::string mode : {"natural", "on"}) {
    Spawned spawned({"tune", "-", "--size", "1", "--mode", mode, "--fresh", "--device=cpu"},
                    {.input = kEndless});
    spawned.wait_for_work(0.7);
    ASSERT_EQ(::kill(spawned.pid(), SIGINT), 0);
    const Finished finished = spawned.wait();
    EXPECT_EQ(finished.signal, SIGINT) << finished.err;
    EXPECT_NE(finished.out.find("the search has not ended"), std::string::npos) << finished.out;
  }
}

// Takes ten seconds of a fast processor to compile: what ends before five has not been compiled.
constexpr double kMostSeconds = 5;
std::string slow_to_compile() {
  std::string out = R"(
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64) fn slow(@builtin(global_invocation_id) id: vec3<u32>) {
  var a = out[id.x];
)";
  for (int i = 0; i < 12000; ++i) {
    out +=
        "  for (var i = 0u; i < u32(a); i += 1u) { a += out[i + " + std::to_string(i) + "u]; }\n";
  }
  return out + "  out[id.x] = a;\n}\n";
}

TEST_F(Process, ADeadlineEndsCompiling) {
  const std::string text = slow_to_compile();
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"run"}, {"tune", "--mode", "on", "--fresh"}}) {
    std::vector<std::string> arguments = command;
    for (const char* more : {"-", "--size", "64", "--deadline", "0.5", "--device=cpu"}) {
      arguments.emplace_back(more);
    }
    const Finished finished = vyre_command(arguments, {.input = text});
    EXPECT_LT(finished.cpu_seconds, kMostSeconds) << command[0];
    EXPECT_EQ(finished.exit, 1) << finished.out;
    EXPECT_NE(finished.err.find("compiling kernel 'slow' was not done by its deadline"),
              std::string::npos)
        << finished.err;
  }
}

TEST_F(Process, ADeadlineEndsCompilingAPipeline) {
  const std::string pipeline = path("slow.toml");
  std::ofstream(path("slow.wgsl")) << slow_to_compile();
  std::ofstream(pipeline) << R"(
vyre = 1
name = "slow"
buffers.out = { type = "array<f32>", shape = [16384], source = "fill:const=0" }
[[stage]]
name = "slow"
file = "slow.wgsl"
size = [64]
bind = { out = "out" }
)";
  for (const std::string command : {"run", "tune"}) {
    const Finished finished =
        vyre_command({command, pipeline, "--deadline", "0.5", "--device=cpu"}, {});
    EXPECT_LT(finished.cpu_seconds, kMostSeconds) << command;
    EXPECT_EQ(finished.exit, 1) << finished.out;
    EXPECT_NE(finished.err.find("compiling kernel 'slow' was not done by its deadline"),
              std::string::npos)
        << finished.err;
  }
}

TEST_F(Process, ASignalEndsCompiling) {
  const std::string text = slow_to_compile();
  for (const std::string command : {"run", "tune"}) {
    for (const int signal : {SIGINT, SIGTERM}) {
      Spawned spawned({command, "-", "--size", "64", "--device=cpu"}, {.input = text});
      spawned.wait_for_work(1);
      ASSERT_EQ(::kill(spawned.pid(), signal), 0);
      const Finished finished = spawned.wait();
      EXPECT_LT(finished.cpu_seconds, kMostSeconds) << command;
      EXPECT_EQ(finished.signal, signal) << command << finished.err;
    }
  }
}

TEST_F(Process, NonsenseInTheEnvironmentIsWrong) {
  const Finished result =
      vyre_command({"run", kExamples + "saxpy.wgsl", "--in", "x=fill:iota:4", "--uniform", "a=1"},
                   {.environment = {{"VYRE_THREADS", "lots"}}});
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(result.err, "vyre: VYRE_THREADS is 'lots'; give a whole number from 1 to 1024\n");
}

TEST_F(Process, MissingFilesAreNamed) {
  const Finished result = vyre_command({"run", path("none.wgsl"), "--size", "1"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_NE(result.err.find("none.wgsl: No such file"), std::string::npos) << result.err;
}

TEST_F(Process, TwoProcessesShareTheCache) {
  // Both compile, both write, neither reads half of what the other wrote.
  const std::vector<std::string> arguments{"run",         kExamples + "saxpy.wgsl",
                                           "--size",      "1000",
                                           "--in",        "x=fill:iota",
                                           "--uniform",   "a=2",
                                           "--device=cpu"};
  const SpawnOptions options{.environment = {{"XDG_CACHE_HOME", path("cache")}}};
  for (int round = 0; round < 3; ++round) {
    fs::remove_all(path("cache"));
    std::vector<std::unique_ptr<Spawned>> all;
    for (int i = 0; i < 4; ++i) all.push_back(std::make_unique<Spawned>(arguments, options));
    for (const auto& each : all) {
      const Finished finished = each->wait();
      EXPECT_EQ(finished.exit, 0) << finished.err;
      EXPECT_EQ(finished.err, "");
    }
  }
}

TEST_F(Process, UnreadableFilesAreWrongInput) {
  const std::string secret = path("secret.wgsl");
  std::ofstream(secret) << "@compute @workgroup_size(1) fn main() {}";
  ::chmod(secret.c_str(), 0);
  const Finished result = vyre_command({"check", secret});
  if (::geteuid() == 0) {
    EXPECT_EQ(result.exit, 0);  // root reads everything
  } else {
    EXPECT_EQ(result.exit, 2);
    EXPECT_NE(result.err.find("Permission denied"), std::string::npos);
  }
}

TEST_F(Process, FailedRunsKeepTheOldOutput) {
  const std::string out = path("out.npy");
  std::ofstream(out) << "precious";
  const Finished result = vyre_command(
      {"run", "-", "--size", "1", "--deadline", "0.1", "--out", "out=" + out, "--device=cpu"},
      {.input = kEndless});
  EXPECT_EQ(result.exit, 1);
  std::stringstream content;
  content << std::ifstream(out).rdbuf();
  EXPECT_EQ(content.str(), "precious");
  EXPECT_EQ(files(), 1U);
}

TEST_F(Process, PipesHaveNoColour) {
  const Finished plain =
      vyre_command({"check", kExamples + "saxpy.wgsl"}, {.environment = {{"TERM", "xterm"}}});
  EXPECT_EQ(plain.out.find('\x1b'), std::string::npos);
}

constexpr int kMostHandingOverMs = 500;

TEST_F(Process, TerminalsHaveColourUnlessToldOtherwise) {
  const auto on_terminal = [](const char* no_colour) {
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_GE(master, 0);
    ::grantpt(master);
    ::unlockpt(master);
    const int slave = ::open(::ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_GE(slave, 0);
    vyre_command({"cache", "list"}, {.out_descriptor = slave,
                                     .environment = {{"TERM", "xterm"}, {"NO_COLOR", no_colour}}});
    vyre_command(
        {"resident", "--queue", "5"},
        {.out_descriptor = slave, .environment = {{"TERM", "xterm"}, {"NO_COLOR", no_colour}}});
    // The kernel hands over what was written bit by bit, also when both processes have ended.
    std::string text;
    for (pollfd ready{master, POLLIN, 0}; ::poll(&ready, 1, kMostHandingOverMs) == 1;) {
      std::array<char, 4096> part{};
      const ssize_t got = ::read(master, part.data(), part.size());
      if (got <= 0) break;
      text.append(part.data(), static_cast<std::size_t>(got));
    }
    ::close(slave);
    ::close(master);
    return text;
  };
  EXPECT_NE(on_terminal("").find("\x1b["), std::string::npos);
  EXPECT_EQ(on_terminal("1").find("\x1b["), std::string::npos);
}

}  // namespace
}  // namespace vyre
