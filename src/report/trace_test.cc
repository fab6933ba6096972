#include "vyre/report/trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "vyre/report/trace_testing.h"
#include "vyre/report/tune_record_testing.h"

namespace vyre {
namespace {

using Json = nlohmann::json;

// By process and thread; in whole nanoseconds.
struct Span {
  std::int64_t start, end;
};
std::map<std::pair<int, int>, std::vector<Span>> spans_of(const Json& trace) {
  std::map<std::pair<int, int>, std::vector<Span>> spans;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    const auto start = static_cast<std::int64_t>(event["ts"].get<double>() * 1e3);
    spans[{event["pid"], event["tid"]}].push_back(
        {start, start + static_cast<std::int64_t>(event["dur"].get<double>() * 1e3)});
  }
  return spans;
}

void expect_nesting(const Json& trace) {
  EXPECT_EQ(trace_faults(trace.dump()), std::vector<std::string>());
}

std::map<std::pair<int, int>, std::string> names_of(const Json& trace, std::string_view what) {
  std::map<std::pair<int, int>, std::string> names;
  for (const Json& event : trace["traceEvents"])
    if (event["name"] == what && event["ph"] == "M")
      names[{event["pid"], event["tid"]}] = event["args"]["name"];
  return names;
}

TEST(Trace, ProcessesAreKernelsAndThreadsAreTracks) {
  const Json trace = Json::parse(trace_json(synthetic_report(2, 200)));
  const auto processes = names_of(trace, "process_name");
  EXPECT_EQ(processes.at({1, 1}), "saxpy, 64,000,000 elements");
  EXPECT_EQ(processes.at({2, 2}), "stencil5, 2048x2048");
  const auto threads = names_of(trace, "thread_name");
  std::set<std::string> names;
  for (const auto& [thread, name] : threads)
    if (thread.first == 1) names.insert(name);
  for (const char* name : {"calls", "compile", "verify", "tuner"})
    EXPECT_TRUE(names.contains(name));
  for (const auto& [thread, spans] : spans_of(trace)) EXPECT_TRUE(threads.contains(thread));
  expect_nesting(trace);
}

TEST(Trace, SpansThatOverlapGoToThreadsOfTheirOwn) {
  const TuneReport report{
      .kernels = {
          {.spans = {{.name = "c", .track = "compile", .start_ns = 20, .duration_ns = 30},
                     {.name = "a", .track = "compile", .start_ns = 0, .duration_ns = 30},
                     {.name = "b", .track = "compile", .start_ns = 5, .duration_ns = 10},
                     {.name = "d", .track = "compile", .start_ns = 30, .duration_ns = 5}}}}};
  const Json trace = Json::parse(trace_json(report));
  expect_nesting(trace);
  const auto spans = spans_of(trace);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans.at({1, 2}).size(), 3u);
  EXPECT_EQ(names_of(trace, "thread_name").at({1, 3}), "compile 2");
}

TEST(Trace, SpansThatTouchShareAThreadWhateverTheirFractions) {
  TuneReport report{.kernels = {{}}};
  double at = 0.1;
  for (int i = 0; i < 1000; ++i) {
    report.kernels[0].spans.push_back(
        {.name = "call", .track = "calls", .start_ns = at, .duration_ns = 10.3});
    at += 10.3;
  }
  const Json trace = Json::parse(trace_json(report));
  expect_nesting(trace);
  EXPECT_EQ(spans_of(trace).size(), 1u);
}

TEST(Trace, CallsThatBecameKnownTogetherAreInARow) {
  TuneReport report{.kernels = {{}}};
  for (int i = 0; i < 100; ++i)
    report.kernels[0].spans.push_back({.name = std::to_string(i),
                                       .track = "calls",
                                       .start_ns = 5000.0 - i % 7,
                                       .duration_ns = 40});
  const Json trace = Json::parse(trace_json(report));
  const auto spans = spans_of(trace);
  ASSERT_EQ(spans.size(), 1u);
  const auto& calls = spans.at({1, 2});
  ASSERT_EQ(calls.size(), 100u);
  for (std::size_t i = 1; i < calls.size(); ++i) EXPECT_GE(calls[i].start, calls[i - 1].end);
  EXPECT_EQ(calls.back().end, 5040);
}

TEST(Trace, WholeNanosecondsSurviveReadersThatCutOff) {
  TuneReport report{.kernels = {{.kernel = "k"}}};
  double at = 0;
  for (int i = 0; i < 5'000; ++i) {
    const double length = 1 + i % 977;
    report.kernels[0].spans.push_back(
        {.name = "call", .track = "calls", .start_ns = at, .duration_ns = length});
    at += length;
  }
  const std::string text = trace_json(report);
  EXPECT_EQ(trace_faults(text), std::vector<std::string>());
  const auto spans = spans_of(Json::parse(text));
  ASSERT_EQ(spans.size(), 1U);
  std::int64_t expected = 0;
  for (const Span& span : spans.begin()->second) {
    ASSERT_EQ(span.start, expected);
    expected = span.end;
  }
}

TEST(Trace, FaultsOfATraceAreFound) {
  const auto faults = [](const std::string& events) {
    return trace_faults(R"({"traceEvents":[{"name":"process_name","ph":"M","pid":1,"tid":1,)"
                        R"("args":{"name":"p"}},{"name":"thread_name","ph":"M","pid":1,"tid":2,)"
                        R"("args":{"name":"t"}})" +
                        events + "]}")
        .size();
  };
  const std::string slice = R"(,{"name":"a","ph":"X","pid":1,"tid":2,"ts":0,"dur":10})";
  EXPECT_EQ(faults(""), 0U);
  EXPECT_EQ(faults(slice), 0U);
  EXPECT_EQ(faults(slice + R"(,{"name":"b","ph":"X","pid":1,"tid":2,"ts":2,"dur":3})"), 0U);
  EXPECT_EQ(faults(slice + R"(,{"name":"b","ph":"X","pid":1,"tid":2,"ts":5,"dur":6})"), 1U);
  EXPECT_EQ(faults(R"(,{"name":"b","ph":"X","pid":1,"tid":3,"ts":5,"dur":6})"), 1U);
  EXPECT_EQ(faults(R"(,{"name":"b","ph":"X","pid":1.5,"tid":2,"ts":5,"dur":6})"), 1U);
  EXPECT_EQ(faults(R"(,{"name":"b","ph":"X","pid":1,"tid":2,"ts":-5,"dur":6})"), 1U);
  EXPECT_EQ(faults(R"(,{"name":"b","ph":"C","pid":1,"tid":1,"ts":5,"args":{"us":4}})"), 0U);
  EXPECT_EQ(faults(R"(,{"name":"b","ph":"C","pid":1,"tid":2,"ts":5,"args":{"us":4}})"), 1U);
  EXPECT_EQ(faults(R"(,{"name":"b","ph":"C","pid":1,"tid":1,"ts":5,"args":{"us":"x"}})"), 1U);
  EXPECT_EQ(faults(R"(,{"name":"b","ph":"Q","pid":1,"tid":2,"ts":5})"), 1U);
  EXPECT_EQ(faults(R"(,{"name":"process_name","ph":"M","pid":2,"tid":0,"args":{"name":"q"}})"), 1U);
  EXPECT_EQ(faults(R"(,{"name":"process_name","ph":"M","pid":3,"tid":3,"args":{"name":"q"}},)"
                   R"({"name":"thread_name","ph":"M","pid":3,"tid":2,"args":{"name":"u"}})"),
            1U);
  EXPECT_EQ(trace_faults(R"({"traceEvents":[{"ts":NaN}]})").size(), 1U);
}

TEST(Trace, CountersSayWhatWasLostAndMayBe) {
  const TuneReport report = synthetic_report(1, 300);
  const Json trace = Json::parse(trace_json(report));
  std::map<std::string, double> last;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "C") last[event["name"]] = event["args"]["us"];
  EXPECT_NEAR(last.at("lost"), report.kernels[0].calls.back().lost_ns / 1e3, 0.001);
  EXPECT_NEAR(last.at("may be lost"), report.kernels[0].calls.back().bound_ns / 1e3, 0.001);
  EXPECT_NEAR(last.at("incumbent"), report.kernels[0].calls.back().incumbent_ns / 1e3, 5);
}

TEST(Trace, CountersLieAtTheEndsOfTheirCalls) {
  // Calls that were known together, long after the search began with a compilation.
  TuneReport report{.kernels = {{.kernel = "k"}}};
  TuneRecord& record = report.kernels[0];
  record.candidates = {{.text = "a"}};
  record.spans.push_back({.name = "a", .track = "compile", .start_ns = 1e6, .duration_ns = 80e6});
  for (int i = 0; i < 20; ++i) {
    record.spans.push_back(
        {.name = "a", .track = "calls", .start_ns = 90e6 + i, .duration_ns = 1000});
    record.calls.push_back({.seconds = 0.09 + i * 1e-9,
                            .call = static_cast<std::uint64_t>(i),
                            .ns = 1000,
                            .incumbent_ns = 1000.0 - i,
                            .lost_ns = 100.0 * i,
                            .bound_ns = 1e6});
  }
  const std::string text = trace_json(report);
  EXPECT_EQ(trace_faults(text), std::vector<std::string>());
  const Json trace = Json::parse(text);
  const auto spans = spans_of(trace);
  std::set<std::int64_t> ends;
  for (const Span& call : spans.at({1, 3})) ends.insert(call.end);
  EXPECT_EQ(ends.size(), 20U);
  std::size_t counters = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "C") continue;
    ++counters;
    EXPECT_TRUE(ends.contains(static_cast<std::int64_t>(event["ts"].get<double>() * 1e3))) << event;
  }
  EXPECT_GE(counters, 40U);
}

TEST(Trace, HostileTextsAndTimesLeaveItWhole) {
  TuneReport report = hostile_report();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  report.kernels[0].spans.push_back({.name = "x", .start_ns = nan, .duration_ns = 1});
  report.kernels[0].spans.push_back({.name = "y", .start_ns = 1, .duration_ns = -1});
  report.kernels[0].calls.push_back({.seconds = nan, .lost_ns = nan, .bound_ns = nan});
  expect_nesting(Json::parse(trace_json(report)));
  EXPECT_TRUE(Json::parse(trace_json({}))["traceEvents"].empty());
}

}  // namespace
}  // namespace vyre
