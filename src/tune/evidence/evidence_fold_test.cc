#include "vyre/tune/evidence/evidence_fold.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace vyre {
namespace {

const TuningKey kKey{.program = "p", .device = "gpu"};

class Fold {
 public:
  Fold& take(EvidenceEvent event) {
    if (event.at_ms == 0) event.at_ms = ++now_;
    fold_.take(EventLine{key_id(kKey), "", std::move(event)});
    return *this;
  }
  Fold& measure(const std::string& candidate, std::vector<double> times_ns) {
    return take({.kind = EventKind::measured, .candidate = candidate, .times_ns = times_ns});
  }
  Fold& promote(const std::string& candidate, std::int64_t at_ms = 0) {
    return take({.kind = EventKind::promoted,
                 .candidate = candidate,
                 .reason = "faster",
                 .over = "before",
                 .gain = 0.1,
                 .gain_low = 0.01,
                 .pairs = 7,
                 .at_ms = at_ms});
  }
  Fold& settle(const std::string& candidate, std::int64_t at_ms = 0) {
    return take({.kind = EventKind::settled, .candidate = candidate, .at_ms = at_ms});
  }
  Fold& reject(const std::string& candidate) {
    return take({.kind = EventKind::rejected, .candidate = candidate, .reason = "wrong"});
  }
  const KeyState& state() const { return fold_.states().at(key_id(kKey)); }

 private:
  EvidenceFold fold_;
  std::int64_t now_ = 0;
};

TEST(LineNames, AreAWriterAndANumber) {
  EXPECT_EQ(parse_line_name("473f7a3b82d29af4-7"), (WriterMark{"473f7a3b82d29af4", 7}));
  EXPECT_EQ(parse_line_name("two-words-12"), (WriterMark{"two-words", 12}));
  for (const char* other : {"", "7", "-7", "a", "a-", "a-b", "a-7b", "a-99999999999999999999"}) {
    EXPECT_EQ(parse_line_name(other), std::nullopt) << other;
  }
}

TEST(EvidenceFold, KeepsTheLastSamplesOfACandidate) {
  Fold fold;
  for (int i = 0; i < 20; ++i) fold.measure("a", {1.0 * i, 0.5 * i});
  ASSERT_EQ(fold.state().candidates.size(), 1u);
  const CandidateState& candidate = fold.state().candidates[0];
  EXPECT_EQ(candidate.samples, 40u);
  EXPECT_EQ(candidate.recent_ns.size(), kRecentSamples);
  EXPECT_EQ(candidate.recent_ns.back(), 9.5);
  EXPECT_EQ(candidate.recent_ns.front(), 6.0) << "the second of the thirteenth";
}

TEST(EvidenceFold, TheLastPromotedIsTheIncumbentUntilItIsSettledOnAnother) {
  Fold fold;
  EXPECT_EQ(fold.promote("a").state().incumbent, "a");
  EXPECT_EQ(fold.promote("b").state().incumbent, "b");
  EXPECT_EQ(fold.state().promotions, 2u);
  EXPECT_FALSE(fold.state().settled);
  EXPECT_TRUE(fold.settle("b").state().settled);
  EXPECT_EQ(fold.state().gain, 0.1) << "settling on the incumbent keeps why it is that";
  EXPECT_EQ(fold.state().over, "before");
  EXPECT_TRUE(fold.settle("").state().settled);
  EXPECT_EQ(fold.state().incumbent, "b");
  EXPECT_EQ(fold.settle("c").state().incumbent, "c");
  EXPECT_EQ(fold.state().gain, 0);
  EXPECT_EQ(fold.state().reason, "");
}

TEST(EvidenceFold, AnOlderChoiceChangesNothing) {
  Fold fold;
  fold.promote("a", 1000).settle("a", 1001).promote("b", 500).settle("b", 900);
  EXPECT_EQ(fold.state().incumbent, "a");
  EXPECT_TRUE(fold.state().settled);
  EXPECT_EQ(fold.state().first_ms, 500);
  EXPECT_EQ(fold.state().last_ms, 1001);
}

TEST(EvidenceFold, ARejectedCandidateIsNeverServedAgain) {
  Fold fold;
  fold.promote("a").settle("a").reject("a");
  EXPECT_EQ(fold.state().incumbent, "");
  EXPECT_FALSE(fold.state().settled);
  EXPECT_EQ(fold.promote("a").state().incumbent, "");
  EXPECT_EQ(fold.settle("a").state().incumbent, "");
  EXPECT_EQ(fold.state().candidates[0].rejected, "wrong");
  EXPECT_EQ(fold.promote("b").state().incumbent, "b");
}

TEST(EvidenceFold, DriftReopensAndLeavesOneSampleOfEach) {
  Fold fold;
  fold.measure("a", {1, 2, 3, 4, 5}).measure("b", {9}).promote("a").settle("a");
  fold.take({.kind = EventKind::reopened, .candidate = "a", .reason = "times drifted"});
  EXPECT_FALSE(fold.state().settled);
  EXPECT_EQ(fold.state().incumbent, "a");
  EXPECT_EQ(fold.state().reopenings, 1u);
  EXPECT_EQ(fold.state().reopened, "times drifted");
  EXPECT_EQ(fold.state().candidates[0].recent_ns, (std::vector<double>{3}));
  EXPECT_EQ(fold.state().candidates[0].samples, 5u);
  EXPECT_EQ(fold.state().candidates[1].recent_ns, (std::vector<double>{9}));
}

TEST(EvidenceFold, APinStandsBeforeTheIncumbentUntilItIsTakenBack) {
  Fold fold;
  fold.promote("a");
  fold.take({.kind = EventKind::pinned, .candidate = "b", .reason = "mine", .at_ms = 1000});
  fold.take({.kind = EventKind::unpinned, .at_ms = 900});
  EXPECT_EQ(fold.state().decision(), "b");
  EXPECT_EQ(fold.state().pin_reason, "mine");
  fold.promote("c");
  EXPECT_EQ(fold.state().decision(), "b");
  fold.take({.kind = EventKind::unpinned, .at_ms = 1100});
  EXPECT_EQ(fold.state().decision(), "c");
}

TEST(EvidenceFold, OfPinsOfTheSameTimeTheLastLineStands) {
  Fold fold;
  fold.take({.kind = EventKind::pinned, .candidate = "a", .at_ms = 1000});
  fold.take({.kind = EventKind::pinned, .candidate = "b", .reason = "mine", .at_ms = 1000});
  EXPECT_EQ(fold.state().pin, "b");
  EXPECT_EQ(fold.state().pin_reason, "mine");

  // A summary is copied like any other line.
  Fold other;
  other.take({.kind = EventKind::pinned, .candidate = "c", .at_ms = 1000});
  EvidenceFold both;
  both.take(SummaryLine{key_id(kKey), "x", fold.state()});
  both.take(SummaryLine{key_id(kKey), "y", other.state()});
  EXPECT_EQ(both.states().at(key_id(kKey)).pin, "c");

  fold.take({.kind = EventKind::unpinned, .at_ms = 1000});
  EXPECT_EQ(fold.state().pin, "");
}

TEST(EvidenceFold, KeepsTheMarksOfTheLastWritersAlone) {
  EvidenceFold fold;
  const std::string id = key_id(kKey);
  for (std::size_t writer = 0; writer < kMostWriterMarks + 5; ++writer) {
    const EvidenceEvent event{.kind = EventKind::measured,
                              .candidate = "a",
                              .times_ns = {1},
                              .at_ms = static_cast<std::int64_t>(writer) + 1};
    fold.take(EventLine{id, fmt::format("writer{}-1", writer), event});
  }
  const SummaryLine summary = fold.summary(id, "compact-1");
  ASSERT_EQ(summary.includes.size(), kMostWriterMarks);
  EXPECT_EQ(summary.includes.front().writer, "writer5") << "the first five are forgotten";
  // The summary can be read back; a reader would refuse a larger number of marks.
  const auto parsed = parse_evidence(evidence_text(summary), 0, "evidence.jsonl");
  ASSERT_TRUE(parsed) << describe(parsed.error());
  EXPECT_EQ(parsed->lines.size(), 1U);
}

TEST(EvidenceFold, TheLedgerAddsUp) {
  Fold fold;
  fold.take({.kind = EventKind::spent, .lost_ns = 1, .spent_ns = 100});
  fold.take({.kind = EventKind::spent, .lost_ns = 2, .spent_ns = 50});
  EXPECT_EQ(fold.state().lost_ns, 3);
  EXPECT_EQ(fold.state().spent_ns, 150);
  fold.take({.kind = EventKind::spent, .spent_ns = 1.7e308});
  fold.take({.kind = EventKind::spent, .spent_ns = 1.7e308});
  EXPECT_TRUE(std::isfinite(fold.state().spent_ns));
}

TEST(EvidenceFold, AProgramThatIsNotToBeTunedStaysThat) {
  Fold fold;
  fold.take({.kind = EventKind::untunable, .reason = "it differs from itself"});
  fold.promote("a");
  EXPECT_EQ(fold.state().untunable, "it differs from itself");
}

TEST(EvidenceFold, ASummaryAddsToWhatIsThere) {
  Fold one;
  one.measure("a", {1, 2})
      .promote("a", 1000)
      .take({.kind = EventKind::spent, .lost_ns = 1, .spent_ns = 10});
  Fold two;
  two.measure("b", {3}).promote("b", 2000).reject("c").take(
      {.kind = EventKind::spent, .lost_ns = 2, .spent_ns = 20});
  for (const bool swapped : {false, true}) {
    EvidenceFold both;
    const std::string id = key_id(kKey);
    both.take(SummaryLine{id, "x", swapped ? two.state() : one.state()});
    both.take(SummaryLine{id, "y", swapped ? one.state() : two.state()});
    both.take(SummaryLine{id, "y", one.state()});
    EXPECT_FALSE(both.knows(id));
    both.take(KeyLine{kKey});
    EXPECT_TRUE(both.knows(id));
    const KeyState& state = both.states().at(id);
    EXPECT_EQ(state.incumbent, "b");
    EXPECT_EQ(state.candidates.size(), 3u);
    EXPECT_EQ(state.events, 7u);
    EXPECT_EQ(state.spent_ns, 30);
    EXPECT_EQ(state.promotions, 2u);
  }
}

TEST(EvidenceFold, OfSeveralNamesThereIsOneWhateverTheOrder) {
  for (const bool swapped : {false, true}) {
    EvidenceFold fold;
    TuningKey key = kKey;
    for (const char* name : {swapped ? "b" : "a", "", swapped ? "a" : "b"}) {
      key.name = name;
      fold.take(KeyLine{key});
    }
    EXPECT_EQ(fold.states().at(key_id(kKey)).key.name, "a");
  }
}

TEST(EvidenceText, EveryKindOfLineReadsBackAsItself) {
  KeyState state{.key = kKey,
                 .candidates = {{.candidate = "a=1",
                                 .recent_ns = {0.1, 1e-300, 123456789.125},
                                 .samples = 77,
                                 .verified = true},
                                {.candidate = "a=2", .rejected = "wrong \"bytes\""}},
                 .incumbent = "a=1",
                 .reason = "faster",
                 .settled = true,
                 .pin = "a=2",
                 .untunable = "no",
                 .lost_ns = 0.5,
                 .spent_ns = 1e18,
                 .first_ms = 1,
                 .last_ms = 99,
                 .events = 12,
                 .over = "a=0",
                 .gain = -0.25,
                 .gain_low = 0.125,
                 .pairs = 9,
                 .decided_ms = 55,
                 .promotions = 3,
                 .reopenings = 2,
                 .reopened = "drift",
                 .pin_reason = "mine",
                 .pinned_ms = 44};
  const std::string text = evidence_text(SummaryLine{key_id(kKey), "w-1", state});
  ASSERT_TRUE(text.ends_with("}\n"));
  const auto line = parse_evidence_line(std::string_view(text).substr(0, text.size() - 1));
  ASSERT_TRUE(line) << describe(line.error());
  EXPECT_EQ(std::get<SummaryLine>(*line).state, state);
  EXPECT_EQ(std::get<SummaryLine>(*line).by, "w-1");

  const EvidenceEvent event{.kind = EventKind::promoted,
                            .candidate = "a=1",
                            .times_ns = {1, 2.5},
                            .reason = "why\nnot",
                            .over = "a=0",
                            .gain = 0.1,
                            .gain_low = 0.2,
                            .pairs = 3,
                            .lost_ns = 4,
                            .spent_ns = 5,
                            .at_ms = 6};
  for (const auto& each :
       {EvidenceLine(EventLine{key_id(kKey), "w-2", event}), EvidenceLine(KeyLine{kKey})}) {
    const std::string once = evidence_text(each);
    const auto parsed = parse_evidence_line(std::string_view(once).substr(0, once.size() - 1));
    ASSERT_TRUE(parsed) << describe(parsed.error());
    EXPECT_EQ(evidence_text(*parsed), once);
  }
}

TEST(EvidenceText, LinesMayHaveFieldsOfTheirOwn) {
  EXPECT_TRUE(parse_evidence_line(
      fmt::format(R"({{"v":1,"key":"{}","event":"spent","at":5,"host":"here","more":{{"a":[1]}}}})",
                  key_id(kKey))));
}

}  // namespace
}  // namespace vyre
