// Sessions whose files are on a disk that does not answer.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "vyre/base/files/disk_wait.h"
#include "vyre/base/files/silent_disk_testing.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/base/log.h"
#include "vyre/engine/session.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Kernel a_kernel() {
  return *make_kernel(parse_wgsl("@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
                                 "@compute @workgroup_size(8) fn main(\n"
                                 "    @builtin(global_invocation_id) id: vec3<u32>) {\n"
                                 "  x[id.x] += 1u;\n}\n")
                          .module->programs.front());
}

TEST(SilentDisk, SessionsOpenRunSaveAndCloseWithoutIt) {
  const LogLevel level = log_level();
  set_log_level(LogLevel::off);
  const TemporaryFolder temporary;
  const auto folder = temporary.path() / "silent";
  std::filesystem::create_directory(folder);
  SessionOptions options;
  options.cpu.threads = 1;
  options.code_folder = folder / "code";
  options.tuning.emplace();
  options.tuning->evidence = folder / "tuner" / "evidence.jsonl";
  options.tuning->mode = TunerMode::sweep;
  const auto begin = Clock::now();
  std::optional<Session> session;
  {
    const SilentDisk silent("silent");
    auto opened = Session::open("cpu", options);
    ASSERT_TRUE(opened);
    session = *std::move(opened);
    EXPECT_EQ(silent.waiting(), 1);
    const Kernel kernel = a_kernel();
    const auto x = session->buffer(64);
    ASSERT_TRUE(x);
    for (int i = 0; i < 3; ++i) {
      const auto dispatch = session->prepare(kernel, std::vector{Binding{0, 0, *x}},
                                             DispatchSize::extent({16, 1, 1}));
      ASSERT_TRUE(dispatch);
      EXPECT_TRUE(session->run(*dispatch));
    }
    std::uint32_t first = 0;
    EXPECT_TRUE(session->read(*x, 0, std::as_writable_bytes(std::span(&first, 1))));
    EXPECT_EQ(first, 3U);
    const auto saved = session->save();
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, Code::unavailable);
    EXPECT_TRUE(saved.error().what.contains(options.tuning->evidence->string()))
        << saved.error().what;
  }
  EXPECT_GE(Clock::now() - begin, kDiskWait);
  // Once for evidence and once for code, however often it is asked; a busy machine adds to it.
  EXPECT_LT(Clock::now() - begin, 6 * kDiskWait);
  // What was learned meanwhile is not lost.
  const auto end = Clock::now() + 60s;
  while (!session->save() && Clock::now() < end) std::this_thread::sleep_for(1ms);
  const auto store = EvidenceStore::open(*options.tuning->evidence);
  ASSERT_TRUE(store);
  ASSERT_EQ((*store)->all().size(), 1U);
  EXPECT_GT((*store)->all()[0].events, 0U);
  set_log_level(level);
}

}  // namespace
}  // namespace vyre
