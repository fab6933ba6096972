#include "vyre/tune/decisions/decision_cache.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/tune/decisions/decision_tuner.h"

namespace vyre {
namespace {

class DecisionCacheTest : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_.path() / "tuner" / "cache.toml"; }
  std::string content() const { return read_file(path()).value_or("(none)"); }
  void put(std::string_view text) const {
    ASSERT_TRUE(make_folders(path().parent_path()));
    ASSERT_TRUE(replace_file(path(), text));
  }

  TemporaryFolder folder_;
};

using TunerTest = DecisionCacheTest;

TEST_F(DecisionCacheTest, RecordsInMemoryAndSavesInOneStep) {
  DecisionCache cache(path());
  EXPECT_EQ(cache.find("k"), std::nullopt);
  ASSERT_TRUE(cache.record("k", {1, 1, 1}));
  ASSERT_TRUE(cache.record("k", {2, 1, 1}));
  EXPECT_EQ(cache.find("k"), (Extent{2, 1, 1}));
  EXPECT_EQ(content(), "(none)");
  ASSERT_TRUE(cache.save());
  EXPECT_EQ(content(), "\"k\" = [2, 1, 1]\n");
}

TEST_F(DecisionCacheTest, RefusesWhatTheFileCouldNotHold) {
  DecisionCache cache(path());
  EXPECT_EQ(cache.record("k", {0, 1, 1}).error(), (InvalidDecision{"k", {0, 1, 1}}));
  EXPECT_FALSE(cache.record("\xc3", {1, 1, 1}));
  EXPECT_EQ(cache.size(), 0u);
}

TEST_F(DecisionCacheTest, ASaveWritesOnlyWhatWasRecordedHereAndTakesOverTheRest) {
  put("a = [1, 1, 1]\nb = [1, 1, 1]\n");
  DecisionCache mine(path());
  DecisionCache theirs(path());
  ASSERT_TRUE(theirs.record("a", {2, 2, 2}));
  ASSERT_TRUE(theirs.record("c", {3, 3, 3}));
  ASSERT_TRUE(theirs.save());
  ASSERT_TRUE(mine.record("b", {4, 4, 4}));
  ASSERT_TRUE(mine.save());
  EXPECT_EQ(content(), "\"a\" = [2, 2, 2]\n\"b\" = [4, 4, 4]\n\"c\" = [3, 3, 3]\n");
  EXPECT_EQ(mine.entries(), (Decisions{{"a", {2, 2, 2}}, {"b", {4, 4, 4}}, {"c", {3, 3, 3}}}));
  EXPECT_EQ(theirs.find("b"), (Extent{1, 1, 1}));
  ASSERT_TRUE(theirs.reload());
  EXPECT_EQ(theirs.find("b"), (Extent{4, 4, 4}));
  // A saved decision is not written again over a later decision of another process.
  ASSERT_TRUE(mine.record("a", {5, 5, 5}));
  ASSERT_TRUE(mine.save());
  ASSERT_TRUE(theirs.record("d", {6, 6, 6}));
  ASSERT_TRUE(theirs.save());
  EXPECT_EQ(theirs.find("a"), (Extent{5, 5, 5}));
}

TEST_F(DecisionCacheTest, ReloadKeepsWhatIsNotSaved) {
  put("a = [1, 1, 1]\n");
  DecisionCache cache(path());
  ASSERT_TRUE(cache.record("a", {2, 2, 2}));
  ASSERT_TRUE(cache.record("n", {3, 3, 3}));
  put("a = [7, 7, 7]\nz = [8, 8, 8]\n");
  ASSERT_TRUE(cache.reload());
  EXPECT_EQ(cache.entries(), (Decisions{{"a", {2, 2, 2}}, {"n", {3, 3, 3}}, {"z", {8, 8, 8}}}));
}

TEST_F(DecisionCacheTest, AFileThatIsNotUnderstoodIsReportedAndNeverOverwritten) {
  put("not a cache");
  testing::internal::CaptureStderr();
  DecisionCache cache(path());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("is not TOML"), std::string::npos);
  ASSERT_TRUE(cache.load_error());
  EXPECT_EQ(wire_name(*cache.load_error()), "invalid_toml");
  EXPECT_EQ(cache.size(), 0u);
  ASSERT_TRUE(cache.record("k", {1, 1, 1}));
  EXPECT_EQ(cache.find("k"), (Extent{1, 1, 1}));
  EXPECT_EQ(wire_name(cache.save().error()), "invalid_toml");
  EXPECT_EQ(content(), "not a cache");
  // After the file is repaired, every recorded decision is saved.
  put("a = [2, 2, 2]\n");
  ASSERT_TRUE(cache.save());
  EXPECT_EQ(content(), "\"a\" = [2, 2, 2]\n\"k\" = [1, 1, 1]\n");
  EXPECT_FALSE(cache.load_error());
}

TEST_F(DecisionCacheTest, SkippedEntriesAreToldWithTheirCount) {
  put("a = 1\nb = [1, 1]\nc = [1, 1, 1]\n");
  testing::internal::CaptureStderr();
  DecisionCache cache(path());
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("2 entries"), std::string::npos);
}

TEST_F(DecisionCacheTest, EvictionGoesByUse) {
  put("a = [1, 1, 1]\nb = [1, 1, 1]\nc = [1, 1, 1]\n");
  DecisionCache cache(path(), 3);
  EXPECT_TRUE(cache.find("a"));
  ASSERT_TRUE(cache.record("d", {1, 1, 1}));
  ASSERT_TRUE(cache.save());
  EXPECT_EQ(content(), "\"a\" = [1, 1, 1]\n\"c\" = [1, 1, 1]\n\"d\" = [1, 1, 1]\n");
  EXPECT_TRUE(cache.find("a"));
  ASSERT_TRUE(cache.record("e", {1, 1, 1}));
  ASSERT_TRUE(cache.record("f", {1, 1, 1}));
  ASSERT_TRUE(cache.save());
  EXPECT_EQ(content(), "\"a\" = [1, 1, 1]\n\"e\" = [1, 1, 1]\n\"f\" = [1, 1, 1]\n");
  EXPECT_EQ(cache.size(), 3u);
}

TEST_F(DecisionCacheTest, ThreadsLoseNothing) {
  DecisionCache cache(path());
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 40;
  std::atomic<int> faults = 0;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&cache, &faults, t] {
      for (std::size_t i = 0; i < kEach; ++i) {
        const std::string key = fmt::format("t{}-{}", t, i);
        if (!cache.record(key, {1, 1, 1}) || !cache.find(key)) ++faults;
        if (i % 10 == 9 && !cache.save()) ++faults;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(faults, 0);
  EXPECT_EQ(load_decisions(path()).value().entries.size(), kThreads * kEach);
  EXPECT_EQ(cache.size(), kThreads * kEach);
}

TEST_F(DecisionCacheTest, TwoThreadsMayRaceOnFirstUse) {
  for (int round = 0; round < 20; ++round) {
    std::filesystem::remove_all(folder_.path() / "tuner");
    std::atomic<int> ready = 0;
    std::atomic<int> faults = 0;
    const auto use = [&](const char* key) {
      ++ready;
      while (ready < 2) std::this_thread::yield();
      DecisionCache cache(path());
      if (cache.load_error() || !cache.record(key, {1, 1, 1}) || !cache.save()) ++faults;
    };
    std::thread other(use, "b");
    use("a");
    other.join();
    ASSERT_EQ(faults, 0);
    ASSERT_EQ(content(), "\"a\" = [1, 1, 1]\n\"b\" = [1, 1, 1]\n");
  }
}

TEST_F(TunerTest, ResolvesToTheDefaultUntilSomethingIsDecided) {
  Tuner tuner(path(), TunerMode::frozen);
  EXPECT_EQ(tuner.mode(), TunerMode::frozen);
  EXPECT_EQ(tuner.path(), path());
  EXPECT_EQ(tuner.resolve("k"), kDefaultWorkgroup);
  ASSERT_TRUE(tuner.record("k", {128, 2, 1}));
  EXPECT_EQ(tuner.resolve("k"), (Extent{128, 2, 1}));
  ASSERT_TRUE(tuner.persist());
  Tuner again(path(), TunerMode::sweep);
  EXPECT_EQ(again.resolve("k"), (Extent{128, 2, 1}));
}

TEST(DecisionCachePath, IsUnderTheCacheFolderAndEmptyVariablesCountAsUnset) {
  EXPECT_EQ(decision_cache_path({"/x", "/h"}, "a"), "/x/vyre/tuner/a.toml");
  EXPECT_EQ(decision_cache_path({"", "/h"}, "a"), "/h/.cache/vyre/tuner/a.toml");
  EXPECT_EQ(decision_cache_path({std::nullopt, ""}, "a.v2"), "./vyre/tuner/a.v2.toml");
}

}  // namespace
}  // namespace vyre
