#include "vyre/report/findings.h"

#include <gtest/gtest.h>

#include "vyre/report/tune_record_testing.h"

namespace vyre {
namespace {

CandidateRecord candidate(std::string text, std::vector<double> samples) {
  return {.text = std::move(text), .samples_ns = std::move(samples)};
}

TEST(Findings, OrderTheMeasuredAndSetTheOthersApart) {
  TuneRecord record{.decision = "b",
                    .candidates = {candidate("a", {30}), candidate("b", {10}), candidate("c", {}),
                                   candidate("d", {5})}};
  record.candidates[3].dropped = "wrong";
  const Findings findings = findings_of(record);
  EXPECT_EQ(findings.measured, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(findings.untried, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(findings.dropped, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(findings.chosen, 1u);
}

TEST(Findings, ABaselineOutsideTheSpaceCountsWithItsOwnMedian) {
  TuneRecord record{.decision = "a",
                    .start = {.candidate = "b"},
                    .declared = {.candidate = "elsewhere", .again_ns = 50},
                    .candidates = {candidate("a", {10}), candidate("b", {20})}};
  const Findings findings = findings_of(record);
  EXPECT_EQ(gain_over_start(findings), 2);
  EXPECT_EQ(gain_over_declared(findings), 5);
  EXPECT_EQ(findings.declared, std::nullopt);
  EXPECT_EQ(
      headline(record, findings),
      "5.00\u00d7 faster than the declared workgroup, 2.00\u00d7 faster than the first guess");
}

TEST(Findings, HeadlinesSayLossesAndTiesToo) {
  TuneRecord record{
      .decision = "a",
      .start = {.candidate = "b"},
      .declared = {.candidate = "c"},
      .candidates = {candidate("a", {100}), candidate("b", {50}), candidate("c", {100.1})}};
  EXPECT_EQ(headline(record, findings_of(record)),
            "as fast as the declared workgroup, 2.00\u00d7 slower than the first guess");
  record.start.candidate = "a";
  EXPECT_EQ(
      headline(record, findings_of(record)),
      "as fast as the declared workgroup, no candidate was proved faster than the first guess "
      "so far");
  record.settled = true;
  EXPECT_EQ(headline(record, findings_of(record)),
            "as fast as the declared workgroup, no candidate was faster than the first guess "
            "beyond the noise");
  record.untunable = "differs from itself";
  EXPECT_EQ(headline(record, findings_of(record)), "not tuned");
  EXPECT_EQ(headline({}, findings_of({})), "no decision yet");
}

TEST(Findings, LabelsAreTheValuesThatVary) {
  const TuneRecord record = synthetic_gpu_record(10);
  const Findings findings = findings_of(record);
  EXPECT_EQ(findings.label_names, "workgroup \u00b7 items \u00b7 layout");
  EXPECT_EQ(findings.labels[0], "32 \u00b7 1 \u00b7 strided");
  TuneRecord two{.candidates = {{.text = "w=1 t=8", .parameters = {{"w", "1"}, {"t", "8"}}},
                                {.text = "w=1 t=9", .parameters = {{"w", "1"}, {"t", "9"}}}}};
  EXPECT_EQ(findings_of(two).labels, (std::vector<std::string>{"8", "9"}));
  two.candidates[1].parameters = {{"other", "9"}};
  EXPECT_EQ(findings_of(two).labels, (std::vector<std::string>{"w=1 t=8", "w=1 t=9"}));
}

TEST(Findings, PromotionsAreWhereTheIncumbentChanges) {
  const TuneRecord record = synthetic_gpu_record();
  const Findings findings = findings_of(record);
  ASSERT_GE(findings.promotions.size(), 2u);
  EXPECT_EQ(findings.promotions.front().from, findings.start);
  EXPECT_EQ(findings.promotions.back().to, findings.chosen);
}

TEST(Findings, SweepsPromoteNothingOnTheWay) {
  TuneRecord record = synthetic_gpu_record();
  record.search = "by strategy natural";
  EXPECT_TRUE(findings_of(record).promotions.empty());
}

TEST(Findings, CandidatesOfEarlierRunsAreMeasured) {
  TuneRecord record{
      .decision = "a",
      .candidates = {candidate("a", {100, 100}), candidate("b", {}), candidate("c", {})}};
  record.candidates[0].time = {100, 99, 101};
  record.candidates[1].time = {90, 80, 110};
  const Findings findings = findings_of(record);
  EXPECT_EQ(findings.measured, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(findings.untried, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(findings.ties, (std::vector<std::uint32_t>{1}));
}

TEST(Findings, TiesAreThoseWhoseIntervalHoldsTheChosenOnesTime) {
  const auto timed = [](std::string text, CandidateTime time) {
    return CandidateRecord{.text = std::move(text), .samples_ns = {90, 110}, .time = time};
  };
  TuneRecord record{.decision = "a",
                    .candidates = {timed("a", {100, 99, 101}), timed("b", {103, 102, 104}),
                                   timed("c", {98, 96, 100.5}), timed("d", {102, 90, 120}),
                                   candidate("e", {100, 100})}};
  EXPECT_EQ(findings_of(record).ties, (std::vector<std::uint32_t>{2, 3}));
  record.decision.clear();
  EXPECT_TRUE(findings_of(record).ties.empty());
}

TEST(Findings, CallsOfCandidatesThatAreNotThereAreLeftOut) {
  TuneRecord record{.candidates = {candidate("a", {1})},
                    .calls = {{.candidate = 7, .ns = 1}, {.ns = 1, .incumbent = 9}}};
  EXPECT_TRUE(findings_of(record).promotions.empty());
}

TEST(Findings, AParameterThatOthersTellIsNoPartOfALabel) {
  TuneRecord record;
  for (const char* x : {"8", "16", "32"}) {
    for (const char* y : {"4", "8"}) {
      for (const char* gang : {"4", "8", "16", "32"}) {
        const std::string workgroup = std::string(x) + "x" + y + "x1";
        record.candidates.push_back(
            {.text = workgroup + gang,
             .parameters = {{"workgroup", workgroup}, {"gang", gang}, {"X", x}, {"Y", y}}});
      }
    }
  }
  EXPECT_EQ(telling_parameters(record), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(findings_of(record).label_names, "gang \xC2\xB7 X \xC2\xB7 Y");
  // Too few to tell.
  record.candidates.resize(6);
  EXPECT_EQ(telling_parameters(record).front(), 0U);
}

}  // namespace
}  // namespace vyre
