// The command as a process: streams, signals, time.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "spawn.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

const std::string kExamples = VYRE_ROOT_DIR "/examples/";

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
  EXPECT_EQ(
      vyre_command({"run", "-", "--size", "1", "--step-budget", "100"}, {.input = kEndless}).exit,
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
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"check", kExamples + "saxpy.wgsl"},
                                             {"check", "--json", kExamples + "saxpy.wgsl"}}) {
    const Finished result = vyre_command(arguments, {.out_descriptor = full});
    EXPECT_EQ(result.exit, 1);
    EXPECT_EQ(result.err, "vyre: cannot write the output: No space left on device\n");
  }
  ::close(full);
}

TEST_F(Process, AClosedOutputDoesNotBecomeAFile) {
  const std::string out = path("y.bin");
  const Finished result = vyre_command({"run", kExamples + "saxpy.wgsl", "--in", "x=fill:iota:4",
                                        "--uniform", "a=1", "--out", "y=raw:" + out},
                                       {.close_out = true});
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(result.err, "vyre: cannot write the output: Bad file descriptor\n");
  EXPECT_EQ(fs::file_size(out), 16U);
  EXPECT_EQ(vyre_command({"check", "-"}, {.close_all = true}).exit, 2);
}

TEST_F(Process, InterruptedRunsEndByTheirSignalAndLeaveNothing) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Spawned spawned({"run", "-", "--size", "1", "--out", "out=" + path("out.npy")},
                    {.input = kEndless});
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ASSERT_EQ(::kill(spawned.pid(), signal), 0);
    const Finished finished = spawned.wait();
    EXPECT_EQ(finished.signal, signal);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(files(), 0U);
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
  const Finished result =
      vyre_command({"run", "-", "--size", "1", "--step-budget", "100", "--out", "out=" + out},
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
    std::string text(65536, '\0');
    const ssize_t got = ::read(master, text.data(), text.size());
    ::close(slave);
    ::close(master);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  };
  EXPECT_NE(on_terminal("").find("\x1b["), std::string::npos);
  EXPECT_EQ(on_terminal("1").find("\x1b["), std::string::npos);
}

}  // namespace
}  // namespace vyre
