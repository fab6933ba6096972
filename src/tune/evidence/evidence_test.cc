#include "vyre/tune/evidence/evidence.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/base/text/json_limits.h"
#include "vyre/tune/evidence/evidence_file.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

TuningKey key_of(const std::string& program, const std::string& size = "1000x1x1") {
  return {.program = program, .name = program + "_main", .size = size, .device = "gpu"};
}

EvidenceEvent measured(const std::string& candidate, std::vector<double> times_ns) {
  return {.kind = EventKind::measured, .candidate = candidate, .times_ns = std::move(times_ns)};
}
EvidenceEvent promoted(const std::string& candidate, std::int64_t at_ms = 0) {
  return {.kind = EventKind::promoted,
          .candidate = candidate,
          .reason = "it is faster",
          .over = "a=0",
          .gain = 0.25,
          .gain_low = 0.01,
          .pairs = 5,
          .at_ms = at_ms};
}

class Evidence : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "tuner" / "evidence.jsonl"; }
  std::shared_ptr<EvidenceStore> open() const {
    auto store = EvidenceStore::open(path());
    EXPECT_TRUE(store) << (store ? "" : describe(store.error()));
    return store ? *store : nullptr;
  }
  std::string text() const { return read_file(path()).value(); }
  void write(const std::string& content) const {
    ASSERT_TRUE(make_folders(path().parent_path()));
    ASSERT_TRUE(replace_file(path(), content));
  }
  static void append(EvidenceStore& store, const TuningKey& key,
                     const std::vector<EvidenceEvent>& events) {
    const auto appended = store.append(key, events);
    ASSERT_TRUE(appended) << describe(appended.error());
  }
  static std::size_t lines(const std::string& content) {
    return static_cast<std::size_t>(std::ranges::count(content, '\n'));
  }

  TemporaryFolder folder_;
};

TEST_F(Evidence, IsThereAfterAReopening) {
  {
    const auto store = open();
    EXPECT_FALSE(fs::exists(path())) << "reading makes no file";
    append(*store, key_of("p"), {measured("a=1", {10, 11, 12}), promoted("a=1")});
    EXPECT_EQ(store->find(key_of("p"))->incumbent, "a=1");
  }
  const auto state = open()->find(key_of("p"));
  ASSERT_TRUE(state);
  EXPECT_EQ(state->key, key_of("p"));
  EXPECT_EQ(state->incumbent, "a=1");
  EXPECT_EQ(state->decision(), "a=1");
  EXPECT_EQ(state->reason, "it is faster");
  EXPECT_EQ(state->gain, 0.25);
  EXPECT_EQ(state->pairs, 5u);
  ASSERT_EQ(state->candidates.size(), 1u);
  EXPECT_EQ(state->candidates[0].recent_ns, (std::vector<double>{10, 11, 12}));
  EXPECT_EQ(state->events, 2u);
  EXPECT_GT(state->first_ms, 1'500'000'000'000);
}

TEST_F(Evidence, AKeyIsDescribedOncePerFile) {
  const auto store = open();
  append(*store, key_of("p"), {measured("a=1", {10})});
  append(*store, key_of("p"), {measured("a=1", {10})});
  append(*open(), key_of("p"), {measured("a=1", {10})});
  EXPECT_EQ(lines(text()), 4u) << text();
}

TEST_F(Evidence, StoresOnOneFileSeeEachOther) {
  const auto one = open();
  const auto two = open();
  append(*one, key_of("p"), {measured("a=1", {10})});
  EXPECT_FALSE(two->find(key_of("p")));
  ASSERT_TRUE(two->refresh());
  EXPECT_TRUE(two->find(key_of("p")));
  append(*two, key_of("q"), {measured("a=1", {10})});
  append(*one, key_of("p"), {measured("a=2", {10})});
  EXPECT_TRUE(one->find(key_of("q"))) << "appending takes over what others wrote";
  EXPECT_EQ(open()->all().size(), 2u);
}

TEST_F(Evidence, FilesMergeByConcatenationInAnyOrder) {
  const TuningKey key = key_of("p");
  append(*open(), key, {measured("a=1", {10, 11}), promoted("a=1", 2000)});
  const std::string first = text();
  fs::remove(path());
  append(*open(), key,
         {measured("a=2", {9}),
          promoted("a=2", 1000),
          {.kind = EventKind::spent, .lost_ns = 5, .spent_ns = 50}});
  const std::string second = text();
  for (const std::string& merged : {first + second, second + first, first + second + first}) {
    write(merged);
    const auto state = open()->find(key);
    ASSERT_TRUE(state);
    EXPECT_EQ(state->incumbent, "a=1") << "the later choice";
    EXPECT_EQ(state->candidates.size(), 2u);
    EXPECT_EQ(state->events, 5u);
    EXPECT_EQ(state->spent_ns, 50);
    std::uint64_t samples = 0;
    for (const CandidateState& each : state->candidates) samples += each.samples;
    EXPECT_EQ(samples, 3u);
  }
}

TEST_F(Evidence, EventsBeforeTheLineOfTheirKeyAreNotLost) {
  append(*open(), key_of("p"), {measured("a=1", {10}), promoted("a=1")});
  std::string content = text();
  const std::size_t end_of_first = content.find('\n') + 1;
  const std::string events = content.substr(end_of_first);
  write(events);
  const auto store = open();
  EXPECT_TRUE(store->all().empty());
  EXPECT_FALSE(store->find(key_of("p")));
  ASSERT_TRUE(store->compact()) << "nor by a compaction in between";
  write(text() + content.substr(0, end_of_first));
  ASSERT_TRUE(store->refresh());
  ASSERT_TRUE(store->find(key_of("p")));
  EXPECT_EQ(store->find(key_of("p"))->incumbent, "a=1");
}

TEST_F(Evidence, ATornLastLineIsLeftOutAndThenClosed) {
  append(*open(), key_of("p"), {measured("a=1", {10})});
  const std::string whole = text();
  for (std::size_t cut = 1; cut <= 40; ++cut) {
    write(whole + whole.substr(0, cut));
    const auto store = open();
    EXPECT_EQ(store->all().size(), 1u);
    append(*store, key_of("q"), {measured("a=1", {10})});
    EXPECT_EQ(open()->all().size(), 2u);
  }
  write(whole.substr(0, whole.size() - 1));
  append(*open(), key_of("q"), {measured("a=1", {10})});
  EXPECT_EQ(open()->find(key_of("p"))->events, 1u) << "a line that only lacks its end counts";
  write(whole + std::string(100, '\0'));
  append(*open(), key_of("q"), {measured("a=1", {10})});
  EXPECT_EQ(open()->all().size(), 2u);
}

TEST_F(Evidence, AnyOtherWrongLineIsNamedAndTheFileStaysAsItIs) {
  append(*open(), key_of("p"), {measured("a=1", {10}), measured("a=1", {11})});
  const std::string good = text();
  const std::string id = key_id(key_of("p"));
  const auto line = [&](const std::string& rest) {
    return fmt::format("{{\"v\":1,\"key\":\"{}\",{}}}\n", id, rest);
  };
  const std::vector<std::pair<std::string, std::string>> cases{
      {"dear diary\n", "it is no JSON object: dear diary"},
      {"[1]\n", "it is no JSON object"},
      {"{}\n", "it has no version"},
      {"{\"v\":3,\"new\":true}\n",
       "it has version 3 of the format; this vyre reads versions up to 2"},
      {"{\"v\":1}\n", "it has no \"key\""},
      {"{\"v\":1,\"key\":\"t1-12\",\"event\":\"key\"}\n", "its key 't1-12' is no id of a key"},
      {line("\"at\":1"), "it has no \"event\""},
      {line("\"at\":1,\"event\":\"danced\""), "its event 'danced' is unknown"},
      {line("\"at\":1,\"event\":\"measured\""), "it has no \"candidate\""},
      {line("\"event\":\"spent\""), "it has no \"at\""},
      {line("\"at\":-5,\"event\":\"spent\""), "\"at\" is not a whole number"},
      {line("\"at\":1,\"event\":\"measured\",\"candidate\":\"a\",\"ns\":[1,-2]"),
       "\"ns\" is not at least 0"},
      {line("\"at\":1,\"event\":\"measured\",\"candidate\":\"a\",\"ns\":7"),
       "\"ns\" is not a list of numbers"},
      {line("\"event\":\"key\""), "it has no \"identity\""},
      {line("\"event\":\"key\",\"identity\":{\"program\":\"other\"}"),
       "its identity is that of t1-"},
      {line("\"event\":\"key\",\"identity\":{}"), "it has no identity.\"program\""},
      {line("\"event\":\"summary\",\"at\":1,\"candidates\":[3]"),
       "\"candidates\" is not a list of objects"},
  };
  for (const auto& [bad, why] : cases) {
    write(good + bad + good);
    const auto store = EvidenceStore::open(path());
    ASSERT_FALSE(store) << bad;
    const std::string what = describe(store.error());
    EXPECT_NE(what.find(fmt::format("line 4 of {} is no evidence: ", path().string())),
              std::string::npos)
        << what;
    EXPECT_NE(what.find(why), std::string::npos) << what;
    EXPECT_EQ(text(), good + bad + good);
  }
  write("dear diary");
  EXPECT_FALSE(EvidenceStore::open(path())) << "a foreign file is no torn line";
}

TEST_F(Evidence, AFileThatTurnedBadIsNotWrittenTo) {
  const auto store = open();
  append(*store, key_of("p"), {measured("a=1", {10})});
  const std::string bad = text() + "dear diary\n";
  write(bad);
  EXPECT_FALSE(store->append(key_of("p"), std::vector{measured("a=1", {11})}));
  EXPECT_FALSE(store->compact());
  EXPECT_FALSE(store->remove({}));
  EXPECT_EQ(text(), bad);
  EXPECT_TRUE(store->find(key_of("p"))) << "what was known stays known";
}

TEST_F(Evidence, WhatNoLineCanHoldIsRefusedBeforeAnythingIsWritten) {
  const auto store = open();
  const auto refused = [&](const TuningKey& key, const EvidenceEvent& event) {
    const auto appended = store->append(key, std::vector{measured("a=1", {1}), event});
    return !appended && appended.error().code == Code::invalid_input;
  };
  EXPECT_TRUE(refused(key_of(""), measured("a=1", {1})));
  EXPECT_TRUE(refused(key_of("\xff"), measured("a=1", {1})));
  EXPECT_TRUE(refused(key_of("p"), measured("", {1})));
  EXPECT_TRUE(refused(key_of("p"), measured("\xff", {1})));
  EXPECT_TRUE(refused(key_of("p"), measured("a=1", {-1})));
  EXPECT_TRUE(refused(key_of("p"), measured("a=1", {std::nan("")})));
  EXPECT_FALSE(fs::exists(path()));
  EvidenceEvent odd = promoted("a=1");
  odd.reason = "\xff\n\"";
  append(*store, key_of("p"), {odd});
  EXPECT_EQ(open()->find(key_of("p"))->reason, "\xef\xbf\xbd\n\"") << "wrong bytes are replaced";
}

TEST_F(Evidence, ACompactedFileFoldsToTheSame) {
  const auto store = open();
  for (int i = 0; i < 40; ++i) {
    append(*store, key_of("p"), {measured(fmt::format("a={}", i % 3), {10.0 + i, 0.1 * i})});
  }
  append(*store, key_of("p"),
         {{.kind = EventKind::verified, .candidate = "a=1"},
          {.kind = EventKind::rejected, .candidate = "a=2", .reason = "wrong"},
          promoted("a=1"),
          {.kind = EventKind::settled, .candidate = "a=1"},
          {.kind = EventKind::spent, .lost_ns = 1.25, .spent_ns = 1e12},
          {.kind = EventKind::reopened, .candidate = "a=1", .reason = "drift"},
          {.kind = EventKind::pinned, .candidate = "a=0", .reason = "mine"}});
  append(*store, key_of("q"), {{.kind = EventKind::untunable, .reason = "it differs from itself"}});
  const auto before = store->all();
  const auto other = open();
  ASSERT_TRUE(store->compact());
  EXPECT_EQ(lines(text()), 2u);
  EXPECT_EQ(store->all(), before);
  EXPECT_EQ(open()->all(), before);
  append(*other, key_of("p"), {measured("a=1", {7})});
  EXPECT_EQ(lines(text()), 3u) << "the key is described in its summary";
  EXPECT_EQ(open()->find(key_of("p"))->events,
            before[0].key.program == "p" ? before[0].events + 1 : before[1].events + 1);
  EXPECT_EQ(other->all(), open()->all());
}

TEST_F(Evidence, AFileThatGrewLargeIsCompactedByWhoAppends) {
  const auto store = open();
  const std::vector<EvidenceEvent> many(500, measured("a=1", {123456.5, 123456.25, 123457}));
  std::uint64_t largest = 0;
  for (int i = 0; i < 10; ++i) {
    append(*store, key_of("p"), many);
    largest = std::max<std::uint64_t>(largest, fs::file_size(path()));
  }
  EXPECT_LT(largest, 400'000u);
  EXPECT_EQ(open()->find(key_of("p"))->events, 5000u);
  EXPECT_EQ(open()->find(key_of("p"))->candidates[0].samples, 15000u);
}

TEST_F(Evidence, WhatIsMergedTwiceCountsOnce) {
  const auto store = open();
  append(*store, key_of("p"), {measured("a=1", {10, 11}), promoted("a=1")});
  append(*store, key_of("q"), {measured("a=1", {10})});
  const std::string exported = text();
  const auto all = store->all();
  EXPECT_EQ(store->merge(exported, "copy").value().taken, 0u);
  ASSERT_TRUE(store->compact());
  const auto again = store->merge(exported, "copy").value();
  EXPECT_EQ(again.taken, 0u) << "lines that went into a summary";
  EXPECT_EQ(again.copies, 5u);
  const std::string compacted = text();
  append(*store, key_of("p"), {measured("a=1", {12})});
  ASSERT_TRUE(store->compact());
  EXPECT_EQ(store->merge(compacted, "copy").value().taken, 0u) << "an earlier summary";

  const auto other = EvidenceStore::in_memory();
  EXPECT_EQ(other->merge(exported + exported, "copy").value().taken, 5u);
  EXPECT_EQ(other->all(), all);
  EXPECT_EQ(other->merge(text(), "newer").value().taken, 1u) << "the summary that has more in it";
  EXPECT_EQ(other->all(), store->all()) << "takes the place of what went into it";
  const auto bad = other->merge("dear diary\n", "diary.txt");
  ASSERT_FALSE(bad);
  EXPECT_TRUE(bad.error().what.starts_with("line 1 of diary.txt is no evidence"));
}

TEST_F(Evidence, RemovedKeysAreGoneForAllStores) {
  const auto store = open();
  const auto other = open();
  for (const char* program : {"p", "q", "r"}) {
    append(*store, key_of(program), {measured("a=1", {10})});
  }
  ASSERT_TRUE(other->refresh());
  EXPECT_EQ(store->remove(std::vector{key_id(key_of("q")), key_id(key_of("none"))}).value(), 1u);
  EXPECT_FALSE(store->find(key_of("q")));
  ASSERT_TRUE(other->refresh());
  EXPECT_EQ(other->all().size(), 2u);
  append(*other, key_of("q"), {measured("a=1", {10})});
  EXPECT_EQ(open()->find(key_of("q"))->events, 1u);
  EXPECT_EQ(other->remove({}).value(), 3u);
  EXPECT_EQ(text(), "");
  EXPECT_TRUE(open()->all().empty());
  fs::remove(path());
  EXPECT_EQ(other->remove({}).value(), 0u);
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(Evidence, AFileThatIsDeletedBeginsAnew) {
  const auto store = open();
  append(*store, key_of("p"), {measured("a=1", {10})});
  fs::remove(path());
  append(*store, key_of("q"), {measured("a=1", {10})});
  EXPECT_EQ(open()->all().size(), 1u);
  EXPECT_EQ(store->all(), open()->all());
}

TEST_F(Evidence, InMemoryItIsTheSameWithoutAFile) {
  const auto store = EvidenceStore::in_memory();
  append(*store, key_of("p"), {measured("a=1", {10}), promoted("a=1")});
  append(*store, key_of("q"), {measured("a=1", {10})});
  EXPECT_EQ(store->all().size(), 2u);
  const auto before = store->all();
  EXPECT_TRUE(store->refresh());
  EXPECT_TRUE(store->compact());
  EXPECT_EQ(store->all(), before);
  EXPECT_EQ(store->remove(std::vector{key_id(key_of("p"))}).value(), 1u);
  EXPECT_EQ(store->all().size(), 1u);
  EXPECT_EQ(store->remove({}).value(), 1u);
  EXPECT_TRUE(store->path().empty());
}

TEST_F(Evidence, ManyThreadsOnSeveralStoresLoseNothing) {
  constexpr int kThreads = 8;
  constexpr int kEach = 50;
  const auto shared = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const auto store = t % 2 == 0 ? shared : open();
      for (int i = 0; i < kEach; ++i) {
        append(*store, key_of(fmt::format("p{}", i % 3)), {measured(fmt::format("a={}", t), {1})});
        const bool compacts = t == 1 && i % 10 == 0;
        EXPECT_TRUE(!compacts || store->compact());
        (void)store->lookup(key_of("p0"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t events = 0;
  for (const KeyState& state : open()->all()) events += state.events;
  EXPECT_EQ(events, std::uint64_t{kThreads} * kEach);
}

TEST_F(Evidence, AForkedProcessIsAnotherWriter) {
  const auto store = open();
  append(*store, key_of("p"), {measured("a=1", {1})});
  const pid_t child = fork();
  if (child == 0) {
    _exit(store->append(key_of("p"), std::vector{measured("a=1", {2})}) ? 0 : 1);
  }
  append(*store, key_of("p"), {measured("a=1", {3})});
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(open()->find(key_of("p"))->events, 3u);
}

TEST_F(Evidence, AChildUsesAStoreInMemoryThatOthersWereUsing) {
  const auto store = EvidenceStore::in_memory();
  std::atomic<bool> stop = false;
  std::thread user([&] {
    const std::vector events(1000, measured("a=1", {2}));
    while (!stop) append(*store, key_of("p"), events);
  });
  while (!store->find(key_of("p"))) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const bool kept = store->append(key_of("c"), std::vector{measured("a=1", {2})}).has_value();
      _exit(kept && store->find(key_of("c")) ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    if (HasFailure()) break;
  }
  stop = true;
  user.join();
}

std::set<pid_t> threads_of_this_process() {
  std::set<pid_t> out;
  for (const auto& entry : fs::directory_iterator("/proc/self/task")) {
    out.insert(std::stoi(entry.path().filename()));
  }
  return out;
}

std::atomic<bool> thread_hangs = false;

TEST_F(Evidence, NobodyWaitsLongForADiskThatDoesNotAnswer) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kLong{30};
  constexpr std::chrono::milliseconds kMoment{50};
  if (VYRE_THREAD_SANITIZER) GTEST_SKIP() << "it holds signals back";
  const std::set<pid_t> before = threads_of_this_process();
  auto store = open();
  store->hand_over(key_of("p"), {measured("a=1", {1})});
  ASSERT_TRUE(store->flush(kLong));
  std::this_thread::sleep_for(kMoment);  // until the thread of the store waits for more
  // A signal stops the thread, as a disk that does not answer would.
  std::set<pid_t> fresh = threads_of_this_process();
  std::erase_if(fresh, [&](pid_t id) { return before.contains(id); });
  ASSERT_EQ(fresh.size(), 1u);
  thread_hangs = true;
  ::signal(SIGUSR1, [](int) {
    while (thread_hangs) ::usleep(1000);
  });
  ASSERT_EQ(::syscall(SYS_tgkill, ::getpid(), *fresh.begin(), SIGUSR1), 0);
  std::this_thread::sleep_for(kMoment);
  const auto begin = Clock::now();
  store->hand_over(key_of("p"), {measured("a=2", {1})});
  const auto flushed = store->flush(kMoment);
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().code, Code::unavailable);
  store.reset();
  EXPECT_LT(Clock::now() - begin, kLong);
  EXPECT_FALSE(text().contains("a=2"));
  // When the disk answers, everything that the thread uses still exists, and the thread ends.
  thread_hangs = false;
  const auto has_ended = [&] { return !threads_of_this_process().contains(*fresh.begin()); };
  while (!has_ended() && Clock::now() - begin < 2 * kLong) std::this_thread::sleep_for(kMoment);
  EXPECT_TRUE(has_ended());
  ::signal(SIGUSR1, SIG_DFL);
}

TEST_F(Evidence, WhatIsNoFileIsAnError) {
  ASSERT_TRUE(make_folders(path()));
  EXPECT_EQ(EvidenceStore::open(path()).error().code, Code::io);
  EXPECT_EQ(EvidenceStore::open("").error().code, Code::invalid_input);
  const fs::path pipe = folder_.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(EvidenceStore::open(pipe).error().code, Code::io);
  fs::create_symlink(folder_.path() / "elsewhere", folder_.path() / "link");
  EXPECT_EQ(EvidenceStore::open(folder_.path() / "link").error().code, Code::io);
  EXPECT_EQ(EvidenceStore::open("relative.jsonl").error().code, Code::io);
}

TEST_F(Evidence, NestingAndSizeHaveLimits) {
  write(R"({"v":)" + std::string(kMaxJsonNesting, '[') + "\n");
  EXPECT_NE(EvidenceStore::open(path()).error().what.find(
                "is no evidence: it is nested more than 64 levels deep at byte 68"),
            std::string::npos);
  write("");
  fs::resize_file(path(), kMaxEvidenceBytes + 1);
  EXPECT_EQ(EvidenceStore::open(path()).error().what,
            path().string() + " has 268435457 bytes, and evidence may have 268435456");
  fs::remove(path());
  EvidenceFile file(path());
  const auto lock = file.lock(EvidenceFile::Missing::is_made, std::chrono::milliseconds(1000));
  ASSERT_TRUE(lock && *lock);
  const auto appended = file.append(**lock, std::string(kMaxEvidenceBytes + 1, '\n'));
  EXPECT_EQ(appended.error().code, Code::limit);
  EXPECT_EQ(fs::file_size(path()), 0U);
}

}  // namespace
}  // namespace vyre
