#include "vyre/plan/specification/launch_feedback.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/base/memory/allocation_count_testing.h"

namespace vyre {
namespace {

const Limits kLimits{"cuda", 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}};
constexpr std::uint32_t kElements = 1000;

class LaunchFeedbackTest : public testing::Test {
 protected:
  LaunchFeedbackTest() {
    adapter.decisions = folder.path() / "decisions.toml";
    program.workgroup = {64, 1, 1};
    program.entry_nonempty = true;
  }

  std::uint32_t resolved() {
    return feedback.resolve(program, adapter, kElements).workgroup.value_or(Extent{})[0];
  }
  RecordAnswer record(std::uint32_t width, std::uint64_t elapsed_ns,
                      TunerMode mode = TunerMode::natural_gradient) {
    return feedback.record(program, adapter, {config, kElements, {width, 1, 1}, elapsed_ns}, mode);
  }
  static ProgramFacts numbered(std::uint32_t number) {
    ProgramFacts facts;
    facts.workgroup = {64, 1, 1};
    facts.entry_nonempty = true;
    for (int byte = 0; byte < 4; ++byte)
      facts.fingerprint.bytes[byte] = static_cast<std::uint8_t>(number >> 8 * byte);
    return facts;
  }

  TemporaryFolder folder;
  Adapter adapter = make_adapter(kLimits);
  ProgramFacts program;
  DispatchConfig config;
  LaunchFeedback feedback;
};

TEST_F(LaunchFeedbackTest, FollowsWhatIsMeasured) {
  EXPECT_EQ(resolved(), 1024u);
  EXPECT_EQ(record(1024, 6000).selected[0], 512u);
  EXPECT_EQ(record(512, 5500).selected[0], 256u);
  EXPECT_EQ(record(256, 5200).selected[0], 256u);
  EXPECT_EQ(record(192, 4000).selected[0], 192u);
  EXPECT_EQ(resolved(), 192u);
  EXPECT_EQ(feedback.resolve(program, adapter, kElements).source, FeedbackSource::measured);
}

TEST_F(LaunchFeedbackTest, KeepsTheSmallestTimeOfAWidth) {
  record(256, 900);
  record(256, 5000);
  record(256, 700);
  EXPECT_EQ(feedback.measurements(program, adapter, kElements),
            (std::vector<Measurement>{{{256, 1, 1}, 700}}));
}

TEST_F(LaunchFeedbackTest, SaysWhyAMeasurementIsNotTaken) {
  using enum RecordRefusal;
  EXPECT_EQ(record(64, 5, TunerMode::sweep).refusal, mode);
  EXPECT_EQ(record(64, 0).refusal, no_time);
  EXPECT_EQ(record(2048, 5).refusal, does_not_fit);
  EXPECT_EQ(
      feedback
          .record(program, adapter, {config, kElements, {64, 2, 1}, 5}, TunerMode::natural_gradient)
          .refusal,
      does_not_fit);
  config.grid_override = Extent{1, 1, 1};
  EXPECT_EQ(record(64, 5).refusal, overridden);
  config = {};
  program.has_barrier = true;
  EXPECT_EQ(record(64, 5).refusal, ineligible);
  program.has_barrier = false;
  adapter.limits.max_threads_per_block = 32;
  EXPECT_EQ(record(32, 5).refusal, no_selection);
  EXPECT_EQ(feedback.size(), 0u);
  EXPECT_FALSE(std::filesystem::exists(adapter.decisions));
}

TEST_F(LaunchFeedbackTest, DecisionsOutliveTheProcessButTimesDoNot) {
  record(192, 10);
  EXPECT_EQ(resolved(), 192u);
  feedback.forget_memory();
  EXPECT_EQ(resolved(), 192u);
  EXPECT_EQ(feedback.resolve(program, adapter, kElements).source, FeedbackSource::stored);
  EXPECT_TRUE(feedback.measurements(program, adapter, kElements).empty());
}

TEST_F(LaunchFeedbackTest, AColdStartIsNotWritten) {
  EXPECT_EQ(resolved(), 1024u);
  EXPECT_FALSE(std::filesystem::exists(adapter.decisions));
}

TEST_F(LaunchFeedbackTest, AnotherProcessesDecisionIsSeen) {
  LaunchFeedback other;
  EXPECT_EQ(other.resolve(numbered(1), adapter, kElements).source, FeedbackSource::cold_start);
  record(192, 10);
  EXPECT_EQ(other.resolve(program, adapter, kElements).source, FeedbackSource::stored);
}

TEST_F(LaunchFeedbackTest, WritesAgainWhenTheFileIsGone) {
  record(192, 10);
  std::filesystem::remove(adapter.decisions);
  record(192, 10);
  feedback.forget_memory();
  EXPECT_EQ(resolved(), 192u);
}

TEST_F(LaunchFeedbackTest, LeavesTheFileAloneWhenNothingChanges) {
  record(192, 10);
  const auto written = std::filesystem::last_write_time(adapter.decisions);
  for (int i = 0; i < 5; ++i) record(192, 10);
  EXPECT_EQ(std::filesystem::last_write_time(adapter.decisions), written);
}

TEST_F(LaunchFeedbackTest, IgnoresStoredDecisionsThatDoNotFit) {
  record(1024, 1);
  EXPECT_EQ(resolved(), 1024u);
  const std::string key(
      feedback_key(program.fingerprint, program.workgroup, kElements, adapter.limits).view());
  for (const char* triple : {"[2048, 1, 1]", "[64, 2, 1]"}) {
    std::ofstream(adapter.decisions) << '"' << key << "\" = " << triple << '\n';
    feedback.forget_memory();
    EXPECT_EQ(feedback.resolve(program, adapter, kElements).source, FeedbackSource::cold_start);
  }
}

TEST_F(LaunchFeedbackTest, AFileItCannotReadStaysAndMemoryGoesOn) {
  std::ofstream(adapter.decisions) << "this is not TOML";
  EXPECT_TRUE(record(192, 10).accepted());
  EXPECT_EQ(resolved(), 192u);
  std::string text;
  std::getline(std::ifstream(adapter.decisions), text);
  EXPECT_EQ(text, "this is not TOML");
}

TEST_F(LaunchFeedbackTest, DevicesWithEqualLimitsDoNotShare) {
  record(192, 10);
  Adapter other = make_adapter(kLimits, {"another device", "1.2", "19"});
  other.decisions = folder.path() / "other.toml";
  EXPECT_EQ(feedback.resolve(program, other, kElements).source, FeedbackSource::cold_start);
  EXPECT_EQ(resolved(), 192u);
}

TEST_F(LaunchFeedbackTest, GivesUpTheLeastRecentlyUsed) {
  record(192, 10);
  std::filesystem::remove(adapter.decisions);
  for (std::uint32_t i = 1; i < kMaxFeedbackEntries; ++i)
    feedback.resolve(numbered(i), adapter, kElements);
  EXPECT_EQ(feedback.size(), kMaxFeedbackEntries);
  EXPECT_EQ(resolved(), 192u);  // refreshed
  feedback.resolve(numbered(100'000), adapter, kElements);
  EXPECT_EQ(feedback.size(), kMaxFeedbackEntries);
  EXPECT_EQ(resolved(), 192u);
  for (std::uint32_t i = 0; i < kMaxFeedbackEntries; ++i)
    feedback.resolve(numbered(200'000 + i), adapter, kElements);
  EXPECT_EQ(feedback.resolve(program, adapter, kElements).source, FeedbackSource::cold_start);
}

TEST_F(LaunchFeedbackTest, ResolvingAgainAllocatesNothing) {
  EXPECT_EQ(resolved(), 1024u);
  const std::uint64_t before = allocation_count();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(resolved(), 1024u);
  EXPECT_EQ(allocation_count(), before);
}

TEST_F(LaunchFeedbackTest, ConcurrentRecordsLoseNothing) {
  constexpr std::uint32_t kThreads = 4, kWidths = 24;
  std::vector<std::thread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uint32_t i = 0; i < kWidths; ++i) {
        const std::uint32_t width = 1 + thread * kWidths + i;
        EXPECT_TRUE(record(width, 100'000 + width).accepted());
        EXPECT_NE(resolved(), 0u);
        feedback.resolve(numbered(width), adapter, kElements);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto measured = feedback.measurements(program, adapter, kElements);
  ASSERT_EQ(measured.size(), kThreads * kWidths);
  for (std::uint32_t i = 0; i < measured.size(); ++i)
    EXPECT_EQ(measured[i], (Measurement{{i + 1, 1, 1}, 100'001 + i}));

  // The file holds the last choice.
  const std::uint32_t last = resolved();
  feedback.forget_memory();
  EXPECT_EQ(feedback.resolve(program, adapter, kElements).workgroup, (Extent{last, 1, 1}));
  EXPECT_EQ(feedback.resolve(program, adapter, kElements).source, FeedbackSource::stored);
}

TEST_F(LaunchFeedbackTest, ProcessesRacingOnFirstUseLoseNothing) {
  constexpr std::uint32_t kProcesses = 4;
  std::vector<pid_t> children;
  for (std::uint32_t i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const LaunchObservation observation{config, kElements, {192, 1, 1}, 10};
      const RecordAnswer answer =
          feedback.record(numbered(i), adapter, observation, TunerMode::natural_gradient);
      ::_exit(answer.accepted() ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (std::uint32_t i = 0; i < kProcesses; ++i) {
    const Resolution resolution = feedback.resolve(numbered(i), adapter, kElements);
    EXPECT_EQ(resolution.source, FeedbackSource::stored);
    EXPECT_EQ(resolution.workgroup, (Extent{192, 1, 1}));
  }
}

TEST_F(LaunchFeedbackTest, ThreadsRacingOnFirstUseAgree) {
  record(192, 10);
  LaunchFeedback fresh;
  std::vector<std::thread> threads;
  std::array<std::uint32_t, 4> answers{};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    threads.emplace_back(
        [&, i] { answers[i] = (*fresh.resolve(program, adapter, kElements).workgroup)[0]; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answers, (std::array<std::uint32_t, 4>{192, 192, 192, 192}));
  EXPECT_EQ(fresh.size(), 1u);
}

}  // namespace
}  // namespace vyre
