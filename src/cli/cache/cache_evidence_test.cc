#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"
#include "vyre/cli/gzip_testing.h"
#include "vyre/tune/evidence/evidence.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

TuningKey key_of(const std::string& name, const std::string& size) {
  return {.program = "fingerprint of " + name,
          .name = name,
          .overrides = "TILE=16",
          .size = size,
          .device = "Nowhere 9000",
          .driver = "1.2",
          .generator = "7"};
}

class CacheEvidence : public testing::Test {
 protected:
  CacheEvidence() {
    ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    at_ms_ = now.count() - 3 * 3600 * 1000;
  }
  ~CacheEvidence() override { ::unsetenv("XDG_CACHE_HOME"); }

  static CommandResult cache(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "cache");
    return run_vyre(arguments);
  }
  static std::string error(std::vector<std::string> arguments) {
    const CommandResult result = cache(std::move(arguments));
    EXPECT_EQ(result.exit, 2) << result.out;
    return result.err;
  }
  std::string path(const std::string& name) const { return folder_.path() / name; }
  static std::shared_ptr<EvidenceStore> open(const fs::path& file = evidence_path()) {
    return EvidenceStore::open(file).value();
  }
  // A search that promoted the second candidate and rejected the third.
  void learn(const TuningKey& key, const fs::path& file = evidence_path()) const {
    std::vector<EvidenceEvent> events{
        {.kind = EventKind::measured, .candidate = "workgroup=64", .times_ns = {2000, 2010, 2020}},
        {.kind = EventKind::measured, .candidate = "workgroup=256", .times_ns = {1000, 1000, 1010}},
        {.kind = EventKind::verified, .candidate = "workgroup=256"},
        {.kind = EventKind::rejected, .candidate = "workgroup=512", .reason = "its results differ"},
        {.kind = EventKind::promoted,
         .candidate = "workgroup=256",
         .reason = "faster in every pair",
         .over = "workgroup=64",
         .gain = 0.5,
         .gain_low = 0.45,
         .gain_high = 0.55,
         .pairs = 4},
        {.kind = EventKind::settled, .candidate = "workgroup=256"},
        {.kind = EventKind::spent, .lost_ns = 20'000, .spent_ns = 2'000'000}};
    for (EvidenceEvent& event : events) event.at_ms = at_ms_;
    ASSERT_TRUE(open(file)->append(key, events));
  }

  TemporaryFolder folder_;
  std::int64_t at_ms_ = 0;
};

TEST_F(CacheEvidence, ListsWhatWasLearned) {
  learn(key_of("saxpy", "1000x1x1"));
  const std::string id = key_id(key_of("saxpy", "1000x1x1"));
  const std::string out = cache({"list"}).out;
  const std::string table =
      "key          kernel  size      device        decision        gain  samples  state    age\n" +
      id.substr(0, 11) +
      "  saxpy   1000x1x1  Nowhere 9000  workgroup=256  50.0%        6  settled  3 h\n";
  EXPECT_EQ(out.substr(0, table.size()), table);
  EXPECT_NE(out.find("1 key in " + evidence_path().string()), std::string::npos) << out;
  const auto json = nlohmann::json::parse(cache({"list", "--json"}).out);
  EXPECT_EQ(json.at("evidence").at("keys").at(0).at("decision"), "workgroup=256");
  EXPECT_EQ(json.at("evidence").at("keys").at(0).at("key"), id);
}

TEST_F(CacheEvidence, AnEvidenceFileThatIsNotUnderstoodIsListedAndLeftAlone) {
  ASSERT_TRUE(make_folders(evidence_path().parent_path()));
  ASSERT_TRUE(replace_file(evidence_path(), std::string_view("dear diary\n")));
  const CommandResult listed = cache({"list"});
  EXPECT_EQ(listed.exit, 0);
  EXPECT_NE(listed.out.find("evidence that is not understood: line 1 of "), std::string::npos);
  EXPECT_EQ(cache({"show"}).exit, 2);
  EXPECT_EQ(cache({"clear", "--yes"}).exit, 1);
  EXPECT_EQ(read_file(evidence_path()).value(), "dear diary\n");
}

TEST_F(CacheEvidence, ShowsCandidatesTheFastestFirst) {
  learn(key_of("saxpy", "1000x1x1"));
  const std::string out = cache({"show", "saxpy"}).out;
  EXPECT_EQ(out, key_id(key_of("saxpy", "1000x1x1")) +
                     "  saxpy\n"
                     "  size       1000x1x1\n"
                     "  overrides  TILE=16\n"
                     "  device     Nowhere 9000, driver 1.2, code generator 7\n"
                     "  program    fingerprint of saxpy\n"
                     "  decision   workgroup=256\n"
                     "  state      settled\n"
                     "  candidate         time        99% interval  samples  state\n"
                     "  workgroup=256  1.00 us  1.00 us to 1.01 us        3  incumbent, verified\n"
                     "  workgroup=64   2.01 us  2.00 us to 2.02 us        3\n"
                     "  workgroup=512        -                   -        0  rejected: its results "
                     "differ\n");
  const auto json = nlohmann::json::parse(cache({"show", "saxpy", "--json"}).out);
  EXPECT_EQ(json.at("keys").at(0).at("candidates").at(1).at("time_ns"), 1000.0);
}

TEST_F(CacheEvidence, ExplainsADecision) {
  learn(key_of("saxpy", "1000x1x1"));
  const std::string out = cache({"explain", "saxpy"}).out;
  EXPECT_EQ(
      out,
      "saxpy, 1000x1x1, on Nowhere 9000, driver 1.2, code generator 7 [" +
          key_id(key_of("saxpy", "1000x1x1")) +
          "]\n"
          "  The decision is workgroup=256, 3 h ago; the search has settled.\n"
          "  Why: faster in every pair.\n"
          "  It took the place of workgroup=64 after 4 pairs of calls: it is 50.0% faster (99% "
          "interval 45.0 to 55.0).\n"
          "  2 candidates were measured, with 6 samples in all.\n"
          "  It takes 1.00 us.\n"
          "  The best of the others, workgroup=64, takes 2.01 us: 101.0% more.\n"
          "  The search cost 20.0 us of 2.00 ms of calls (1.0%).\n"
          "  Rejected: workgroup=512, because its results differ.\n"
          "  Known for 3 h, from 7 events.\n");
  EXPECT_EQ(nlohmann::json::parse(cache({"explain", "saxpy", "--json"}).out)
                .at("keys")
                .at(0)
                .at("text")
                .size(),
            9U);
  EXPECT_EQ(error({"explain", "nothing"}),
            "vyre: no key and no kernel is called 'nothing'; see vyre cache list\n");
}

TEST_F(CacheEvidence, AShortIdIsEnoughUnlessItBeginsSeveral) {
  std::vector<std::string> ids;
  for (int i = 1; i <= 40; ++i) {  // more than there are digits
    learn(key_of("saxpy", fmt::format("{}x1x1", 1 << (i % 20) << (i / 20))));
    learn(key_of(fmt::format("k{}", i), "1x1x1"));
  }
  const std::string id = key_id(key_of("k7", "1x1x1"));
  EXPECT_TRUE(cache({"show", id.substr(0, 20)}).out.starts_with(id));
  EXPECT_TRUE(cache({"show", id.substr(3, 20)}).out.starts_with(id)) << "without t1-";
  const std::string several = error({"show", "t1-"});
  EXPECT_NE(several.find("'t1-' is the beginning of "), std::string::npos) << several;
  EXPECT_NE(several.find("; give more of the id\n"), std::string::npos) << several;
  EXPECT_NE(several.find(" on Nowhere 9000)"), std::string::npos) << several;
  EXPECT_NE(error({"pin", "saxpy", "workgroup=64"}).find("is the beginning of "), std::string::npos)
      << "a pin is for one key";
}

TEST_F(CacheEvidence, APinIsServedUntilItIsTakenBack) {
  const TuningKey key = key_of("saxpy", "1000x1x1");
  learn(key);
  EXPECT_EQ(cache({"pin", "saxpy", "workgroup=64", "--reason", "I know"}).out,
            key_id(key) + " of saxpy is pinned to workgroup=64\n");
  EXPECT_EQ(open()->find(key)->decision(), "workgroup=64");
  const std::string why = cache({"explain", "saxpy"}).out;
  EXPECT_NE(why.find("A person pinned workgroup=64 0 s ago (I know); nothing else is served."),
            std::string::npos)
      << why;
  EXPECT_NE(cache({"list"}).out.find("pinned"), std::string::npos);
  EXPECT_EQ(cache({"unpin", "saxpy"}).out,
            key_id(key) + " of saxpy is no longer pinned; its decision is workgroup=256\n");
  EXPECT_EQ(error({"unpin", "saxpy"}), "vyre: " + key_id(key) + " has no pin\n");
  EXPECT_EQ(error({"pin", "saxpy", "workgroup=65"}),
            "vyre: 'workgroup=65' was never tried for this key; did you mean 'workgroup=64'? give "
            "--yes to pin it anyway\n");
  EXPECT_EQ(error({"pin", "saxpy", "workgroup=512"}),
            "vyre: 'workgroup=512' was rejected: its results differ; give --yes to pin it "
            "anyway\n");
  EXPECT_EQ(cache({"pin", "saxpy", "workgroup=65", "items=2", "--yes"}).exit, 0);
  EXPECT_EQ(open()->find(key)->decision(), "workgroup=65 items=2");
}

TEST_F(CacheEvidence, ShowsWhichDecisionsDiffer) {
  learn(key_of("saxpy", "1000x1x1"));
  learn(key_of("saxpy", "1000x1x1"), path("other.jsonl"));
  EXPECT_EQ(cache({"diff", path("other.jsonl")}).out, "the decisions of 1 key are the same\n");
  ASSERT_EQ(cache({"pin", "saxpy", "workgroup=64", "--store", path("other.jsonl")}).exit, 0);
  learn(key_of("dot", "5x1x1"), path("other.jsonl"));
  const std::string out = cache({"diff", path("other.jsonl")}).out;
  EXPECT_NE(out.find("workgroup=256  workgroup=64\n"), std::string::npos) << out;
  EXPECT_NE(out.find("-              workgroup=256\n"), std::string::npos) << out;
  const auto json = nlohmann::json::parse(
      cache({"diff", path("other.jsonl"), evidence_path().string(), "--json"}).out);
  EXPECT_EQ(json.at("different").size(), 2U);
  EXPECT_EQ(error({"diff", path("gone.jsonl")}).substr(0, 24), "vyre: there is no file '");
}

TEST_F(CacheEvidence, MergesWhatOthersLearnedOnce) {
  learn(key_of("saxpy", "1000x1x1"), path("other.jsonl"));
  const CommandResult merged = cache({"merge", path("other.jsonl")});
  EXPECT_EQ(merged.out,
            "added 8 lines about 1 key to " + evidence_path().string() +
                "\n1 key for Nowhere 9000, which is not in this machine: it serves as a hint\n");
  EXPECT_EQ(open()->all(), open(path("other.jsonl"))->all());
  EXPECT_NE(cache({"merge", path("other.jsonl")}).out.find("(8 already known)"), std::string::npos);
  EXPECT_EQ(open()->all(), open(path("other.jsonl"))->all());
  EXPECT_EQ(cache({"merge", path("gone.jsonl")}).exit, 2);
}

TEST_F(CacheEvidence, ExportsAndImports) {
  learn(key_of("saxpy", "1000x1x1"));
  learn(key_of("dot", "1000x1x1"));
  EXPECT_EQ(cache({"export", path("all.jsonl")}).out,
            "wrote 2 keys to " + path("all.jsonl") + "\n");
  EXPECT_EQ(cache({"export", path("one.jsonl"), "dot"}).out,
            "wrote 1 key to " + path("one.jsonl") + "\n");
  EXPECT_EQ(open(path("all.jsonl"))->all(), open()->all());
  EXPECT_EQ(open(path("one.jsonl"))->all().size(), 1U);
  EXPECT_EQ(cache({"export", "-", "dot"}).out, read_file(path("one.jsonl")).value());
  EXPECT_NE(error({"export", evidence_path().string()}).find("is the evidence file itself"),
            std::string::npos);
  const auto before = open()->all();
  ASSERT_EQ(cache({"clear", "dot"}).out, "removed 1 key\n");
  EXPECT_EQ(cache({"import", path("all.jsonl")}).exit, 0);
  EXPECT_EQ(open()->all().size(), 2U);
  EXPECT_EQ(error({"export", path("x"), "--store", path("none.jsonl")}),
            "vyre: there is no evidence in " + path("none.jsonl") + "\n");
}

TEST_F(CacheEvidence, ExchangesT4Results) {
  const TuningKey key = key_of("saxpy", "1000x1x1");
  learn(key);
  learn(key_of("dot", "1000x1x1"));
  EXPECT_EQ(error({"export", "--t4", path("t4.json")}),
            "vyre: a T4 file holds the results of one key; there are 2; name a key; vyre cache "
            "list shows them\n");
  ASSERT_EQ(cache({"export", "--t4", path("t4.json"), "saxpy"}).exit, 0);
  const CommandResult imported =
      cache({"import", "--t4", path("t4.json"), "--store", path("new.jsonl")});
  EXPECT_EQ(imported.exit, 0) << imported.err;
  EXPECT_NE(imported.out.find(
                "1 key for Nowhere 9000, which is not in this machine: it serves as a hint\n"),
            std::string::npos)
      << imported.out;
  EXPECT_NE(cache({"import", "--t4", path("t4.json"), "--store", path("new.jsonl")})
                .out.find("added 0 lines about 1 key"),
            std::string::npos)
      << "once is enough";
  const auto state = open(path("new.jsonl"))->find(key);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->incumbent, "workgroup=256");
  EXPECT_EQ(state->reason, "the fastest of 2 in t4.json");
  EXPECT_EQ(state->candidates.size(), 3U);

  // The same packed brings nothing new, and written again it is the same.
  ASSERT_TRUE(replace_file(path("t4.json.gz"), gzip(*read_file(path("t4.json")))));
  EXPECT_NE(cache({"import", "--t4", path("t4.json.gz"), "--store", path("new.jsonl")})
                .out.find("added 0 lines about 1 key"),
            std::string::npos);
  ASSERT_EQ(cache({"import", "--t4", path("t4.json.gz"), "--store", path("packed.jsonl")}).exit, 0);
  ASSERT_EQ(
      cache({"export", "--t4", path("again.json"), "saxpy", "--store", path("packed.jsonl")}).exit,
      0);
  EXPECT_EQ(*read_file(path("again.json")), *read_file(path("t4.json")));
  EXPECT_NE(run_vyre({"cache", "import", "--t4", "-", "--store", path("new.jsonl")},
                     *read_file(path("t4.json.gz")))
                .out.find("added 0 lines about 1 key"),
            std::string::npos);
  ASSERT_TRUE(replace_file(path("cut.gz"), gzip(*read_file(path("t4.json"))).substr(0, 60)));
  EXPECT_EQ(error({"import", "--t4", path("cut.gz")}),
            "vyre: " + path("cut.gz") + ": the gzip data is damaged, or ends too early\n");

  ASSERT_TRUE(replace_file(path("foreign.json"), std::string_view(R"({"results":[
      {"configuration":{"block_size_x":32,"unroll":true},"times":{"runtimes":[0.5]},
       "invalidity":"correct","correctness":1}]})")));
  EXPECT_EQ(error({"import", "--t4", path("foreign.json")}),
            "vyre: the file does not name the program and the device of its results; give "
            "--program and --device\n");
  ASSERT_EQ(cache({"import", "--t4", path("foreign.json"), "--program", "conv", "--device", "A100",
                   "--size", "4096x4096x1"})
                .exit,
            0);
  EXPECT_EQ(open()->find({.program = "conv", .size = "4096x4096x1", .device = "A100"})->incumbent,
            "block_size_x=32 unroll=true");
}

TEST_F(CacheEvidence, ClearRemovesKeys) {
  learn(key_of("saxpy", "1000x1x1"));
  learn(key_of("saxpy", "2000x1x1"));
  learn(key_of("dot", "1000x1x1"));
  EXPECT_EQ(cache({"clear", key_id(key_of("dot", "1000x1x1")).substr(0, 12)}).out,
            "removed 1 key\n");
  EXPECT_EQ(cache({"clear", "saxpy"}).out, "removed 2 keys\n");
  learn(key_of("dot", "1000x1x1"));
  EXPECT_EQ(cache({"clear", "--yes"}).out, "removed 1 key\n");
  EXPECT_TRUE(open()->all().empty());
}

}  // namespace
}  // namespace vyre
