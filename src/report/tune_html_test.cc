#include "vyre/report/tune_html.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/report/page/charts.h"
#include "vyre/report/trace.h"
#include "vyre/report/tune_json.h"
#include "vyre/report/tune_record_testing.h"

namespace vyre {
namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// The texts between each pair of these.
std::vector<std::string> between(std::string_view text, std::string_view open,
                                 std::string_view close) {
  std::vector<std::string> parts;
  for (auto at = text.find(open); at != text.npos; at = text.find(open, at)) {
    at += open.size();
    parts.emplace_back(text.substr(at, text.find(close, at) - at));
  }
  return parts;
}

// Every element that is opened is closed, in order; scripts and styles hold no elements.
void expect_balanced(std::string_view page) {
  const std::set<std::string, std::less<>> alone{"meta", "link", "!DOCTYPE"};
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != page.npos; at = page.find('<', at)) {
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, page.npos);
    const std::string_view tag = page.substr(at + 1, end - at - 1);
    const std::string name(tag.substr(0, tag.find_first_of(" \n/", 1)));
    at = end;
    if (tag.ends_with('/') || alone.contains(name)) continue;
    if (tag.starts_with('/')) {
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ(open.back(), tag.substr(1));
      open.pop_back();
      continue;
    }
    open.push_back(name);
    if (name == "script" || name == "style") at = page.find("</" + name, at);
  }
  EXPECT_TRUE(open.empty());
}

void expect_sound(const std::string& page) {
  expect_balanced(page);
  std::set<std::string> ids;
  for (const std::string& id : between(page, " id=\"", "\""))
    EXPECT_TRUE(ids.insert(id).second) << id;
  for (const std::string& list : between(page, "aria-labelledby=\"", "\"")) {
    const auto space = list.find(' ');
    EXPECT_TRUE(ids.contains(list.substr(0, space)) && ids.contains(list.substr(space + 1)));
  }
  for (const std::string& target : between(page, "href=\"#", "\""))
    EXPECT_TRUE(ids.contains(target)) << target;
  // Nothing from anywhere else.
  const std::string_view namespace_name = "http://www.w3.org/2000/svg";
  EXPECT_EQ(count(page, "://"), count(page, namespace_name));
  EXPECT_EQ(count(page, " src=\""), 0u);
  EXPECT_EQ(count(page, "@import"), 0u);
  EXPECT_EQ(count(page, "url("), 0u);
  for (const char* bad : {"nan%", "inf%", "\"nan", "\"inf", "nan\xC2\xA0", ",nan", ",inf"})
    EXPECT_EQ(count(page, bad), 0u) << bad;
  for (const std::string& data : between(page, "application/json\"", "</script>"))
    EXPECT_TRUE(nlohmann::json::accept(data.substr(data.find('>') + 1)));
}

// Of the chart with this id.
std::string chart(const std::string& page, const std::string& id) {
  const auto at = page.find("id=\"" + id + "\" role");
  return at == page.npos ? "" : page.substr(at, page.find("</figure>", at) - at);
}

TEST(TuneHtml, ShowsCandidatesOfEarlierRunsWithoutQuartiles) {
  TuneReport report{.kernels = {{.kernel = "k", .decision = "a=1"}}};
  TuneRecord& record = report.kernels[0];
  record.candidates = {{.text = "a=1", .samples_ns = {100, 101, 99}, .time = {100, 99, 101}},
                       {.text = "a=2", .time = {90, 80, 110}}};
  const std::string page = tune_html(report);
  expect_sound(page);
  const std::string drawn = chart(page, "k1-candidates");
  EXPECT_EQ(count(drawn, "run earlier, and not in this run"), 1U);
  EXPECT_EQ(count(drawn, "class=\"quartiles\""), 1U);
  EXPECT_EQ(count(page, "never ran"), 0U);
}

TEST(TuneHtml, ShowsWhatPairsInTheEndSay) {
  const std::string words = "the chosen one again, in pairs: 3.1% faster (99% interval 1.2 to 5.0)";
  TuneReport report = synthetic_report(1, 10);
  EXPECT_EQ(count(tune_html(report), words), 0U);
  report.kernels[0].start.gain = {0.031, 0.012, 0.05};
  report.kernels[0].start.pairs = 40;
  EXPECT_EQ(count(tune_html(report), words + " in 40 pairs"), 1U);
}

TEST(TuneHtml, SweepsNameTheFastestSoFarAndNoPromotions) {
  TuneReport report = synthetic_report(1, 300);
  EXPECT_EQ(count(tune_html(report), "<ol class=\"promotions\">"), 1U);
  report.kernels[0].search = "by strategy natural";
  const std::string page = tune_html(report);
  expect_sound(page);
  EXPECT_EQ(count(page, "<ol class=\"promotions\">"), 0U);
  EXPECT_GE(count(page, "fastest so far"), 2U);
}

TEST(TuneHtml, ShowsTheDecisionItsGainAndItsReason) {
  const TuneReport report = synthetic_report();
  const std::string page = tune_html(report);
  expect_sound(page);
  EXPECT_EQ(count(page, "faster than the declared workgroup"), 1u);
  EXPECT_GE(count(page, report.kernels[0].reason), 1u);
  EXPECT_GE(count(page, "NVIDIA H200"), 2u);
  EXPECT_EQ(count(page, report.command), 1u);
}

TEST(TuneHtml, ChartsHaveAMarkForEachCandidateAndCall) {
  const TuneReport report = synthetic_report();
  const Findings findings = findings_of(report.kernels[0]);
  const std::string page = tune_html(report);
  const std::size_t rows = count(chart(page, "k1-candidates"), "class=\"hit\"");
  EXPECT_GE(rows, kFastestRows);
  EXPECT_LE(rows, kFastestRows + 3);
  EXPECT_EQ(count(chart(page, "k1-candidates"), "href=\"#m-"), rows);
  EXPECT_EQ(count(chart(page, "k1-heat0"), "class=\"hit\"") +
                count(chart(page, "k1-heat1"), "class=\"hit\""),
            2u * 54 - 27);  // the first runs on to the end of their figure
  // A mark a call; the list of promotions has marks too.
  EXPECT_EQ(count(chart(page, "k1-search"), "href=\"#m-"), 1000 + findings.promotions.size());
  EXPECT_EQ(count(chart(page, "k1-search"), "promotion-number"), findings.promotions.size());
  EXPECT_EQ(count(chart(page, "k1-regret"), "class=\"bound\""), 1u);
  // All candidates, and the calls in at most 20 ranges twice.
  EXPECT_EQ(count(page, "<tr>"), 1 + 54 + 2 * (1 + 20u));
}

TEST(TuneHtml, EveryChartIsDescribedAndHasATable) {
  const std::string page = tune_html(synthetic_report(3, 200));
  const std::size_t charts = count(page, "role=\"img\"");
  EXPECT_EQ(count(page, "<desc "), charts);
  EXPECT_EQ(count(page, "<table "), 1 + 3 * 3u);
}

TEST(TuneHtml, HostileTextsStayTexts) {
  const std::string page = tune_html(hostile_report());
  expect_sound(page);
  EXPECT_EQ(count(page, "console.error(1)</script>"), 0u);
  EXPECT_EQ(count(page, "<script>"), 1u);
  EXPECT_EQ(count(page, "<b>") + count(page, "<img"), 0u);
  EXPECT_GE(count(page, "&lt;script&gt;console.error(1)"), 10u);
  for (const char byte : {'\xFF', '\xC0', '\xED'}) EXPECT_EQ(page.find(byte), page.npos);
}

TEST(TuneHtml, StaysBelowAMegabyteForAnyNumberOfCalls) {
  const std::size_t calls = kSanitized ? 20'000 : 100'000;
  EXPECT_LT(tune_html(synthetic_report(1, calls)).size(), 300'000u);
  EXPECT_LT(tune_html(synthetic_report(6, calls / 5)).size(), 1'000'000u);
}

TEST(TuneHtml, ManyCandidatesAreDrawnInPart) {
  TuneReport report = synthetic_report(1, 10);
  auto& candidates = report.kernels[0].candidates;
  candidates.clear();
  for (int i = 0; i < 5000; ++i)
    candidates.push_back({.text = "TILE=" + std::to_string(i),
                          .parameters = {{"TILE", std::to_string(i)}},
                          .samples_ns = {1000.0 + i}});
  const std::string page = tune_html(report);
  expect_sound(page);
  EXPECT_LT(page.size(), 400'000u);
  EXPECT_EQ(count(page, "The first 400 of 5000"), 1u);
}

TEST(TuneHtml, NothingMeasuredIsStillAPage) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_sound(tune_html({}));
  expect_sound(tune_html({.kernels = {{}}}));
  TuneRecord record{.kernel = "lonely", .decision = "a"};
  expect_sound(tune_html({.kernels = {record, record}}));
  record.candidates = {{.text = "a", .samples_ns = {nan, 0, -1}}};
  record.calls = {{.ns = nan, .incumbent_ns = nan, .lost_ns = nan, .bound_ns = nan},
                  {.call = 1, .candidate = 8, .ns = 5}};
  const std::string page = tune_html({.kernels = {record}});
  expect_sound(page);
  EXPECT_EQ(count(page, "No candidate was timed."), 1u);
  EXPECT_EQ(count(page, "No call was timed."), 1u);
  record.candidates[0].samples_ns = {5};
  record.calls = {{.ns = 5, .incumbent_ns = 5, .lost_ns = 0, .bound_ns = 1}};
  expect_sound(tune_html({.kernels = {record}}));
}

// Any number may stand anywhere: records come out of measurements, and files of others.
TEST(TuneHtml, AnyNumbersGiveASoundPage) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr std::array kNumbers{std::numeric_limits<double>::quiet_NaN(),
                                kInfinity,
                                -kInfinity,
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::denorm_min(),
                                -1.0,
                                0.0,
                                1.0,
                                1.5,
                                7e3,
                                2e5,
                                3e9,
                                1e25};
  std::minstd_rand random(1);
  const auto number = [&] { return kNumbers[random() % kNumbers.size()]; };
  for (int round = 0; round < 150; ++round) {
    TuneReport report{.started_ms = static_cast<std::int64_t>(random()) << (random() % 32),
                      .seconds = number(),
                      .budget_seconds = number(),
                      .device = {.memory_bytes_per_second = number()},
                      .kernels = std::vector<TuneRecord>(1 + random() % 2)};
    for (TuneRecord& record : report.kernels) {
      record.decision = record.start.candidate = "g=0 h=0";
      record.declared = {.candidate = "g=1 h=0", .again_ns = number()};
      record.start.again_ns = number();
      record.bytes = number();
      record.ledger = {number(), number(), number(), number()};
      const auto candidates = random() % 9;
      for (std::uint32_t i = 0; i < candidates; ++i) {
        const std::string g = std::to_string(i % 3), h = std::to_string(i / 3);
        record.candidates.push_back({.text = "g=" + g + " h=" + h,
                                     .parameters = {{"g", g}, {"h", h}},
                                     .prior_ns = number(),
                                     .samples_ns = {number(), number(), number()}});
      }
      for (int i = 0; i < 6; ++i)
        record.calls.push_back({.seconds = number(),
                                .call = random() % 3 == 0 ? ~std::uint64_t{0} : random() % 1000,
                                .candidate = static_cast<std::uint32_t>(random() % 9),
                                .ns = number(),
                                .probe = random() % 2 == 0,
                                .incumbent = static_cast<std::uint32_t>(random() % 9),
                                .incumbent_ns = number(),
                                .lost_ns = number(),
                                .bound_ns = number()});
      record.spans.push_back({.start_ns = number(), .duration_ns = number()});
    }
    SCOPED_TRACE(round);
    expect_sound(tune_html(report));
    EXPECT_TRUE(nlohmann::json::accept(tune_json(report)));
    EXPECT_TRUE(nlohmann::json::accept(trace_json(report)));
  }
}

TEST(TuneHtml, HugeRangesAreLogarithmic) {
  TuneRecord record{.kernel = "wide", .decision = "a=0"};
  for (int i = 0; i < 12; ++i)
    record.candidates.push_back({.text = "a=" + std::to_string(i),
                                 .samples_ns = {std::pow(10.0, i), 2 * std::pow(10.0, i)}});
  for (std::uint32_t i = 0; i < 12; ++i)
    record.calls.push_back({.call = i, .candidate = i, .ns = std::pow(10.0, i), .probe = true});
  const std::string page = tune_html({.kernels = {record}});
  expect_sound(page);
  EXPECT_EQ(count(page, "on a logarithmic axis"), 1u);
}

TEST(TuneHtml, ALateCallStandsAtTheEndOfTheAxis) {
  TuneRecord record{.kernel = "late", .decision = "a", .candidates = {{.text = "a"}}};
  for (std::uint32_t i = 0; i < 50; ++i) {
    const double ns = i == 20 ? 9e6 : 1000.0 + i;
    record.candidates[0].samples_ns.push_back(ns);
    record.calls.push_back({.call = i, .ns = ns});
  }
  const std::string page = tune_html({.kernels = {record}});
  expect_sound(page);
  EXPECT_EQ(count(page, "1 call took longer than the axis shows, up to 9.00\u00a0ms"), 1u);
}

TEST(TuneHtml, SaysWhatWasNotTunedStoppedOrDropped) {
  TuneReport report = synthetic_report(1, 100);
  report.interrupted = true;
  report.kernels[0].untunable = "it differs from itself";
  const std::string page = tune_html(report);
  EXPECT_EQ(count(page, "The run was stopped"), 1u);
  EXPECT_EQ(count(page, "it differs from itself"), 1u);
  EXPECT_EQ(count(page, "<h3>Dropped: 2</h3>"), 1u);
}

}  // namespace
}  // namespace vyre
