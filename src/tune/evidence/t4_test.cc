#include "vyre/tune/evidence/t4.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

namespace vyre {
namespace {

// A file of the community, cut to four results.
constexpr std::string_view kForeign = R"({
  "metadata": {"timeunit": "miliseconds"},
  "schema_version": "1.0.0",
  "results": [
    {"timestamp": "2023-12-22 09:53:48.691683+00:00",
     "configuration": {"block_size_x": 16, "tile": 1.5, "use_shmem": false, "name": "a"},
     "objectives": ["time"],
     "times": {"compilation": 892.9, "framework": 81.5, "search_algorithm": 0, "validation": 0,
               "runtimes": [5.25, 5.0, 5.5]},
     "invalidity": "correct", "correctness": 1,
     "measurements": [{"name": "time", "value": 5.25, "unit": "ms"}]},
    {"timestamp": "later", "configuration": {"block_size_x": 32},
     "times": {"runtimes": [4.0]}, "invalidity": "correct", "correctness": 1},
    {"configuration": {"block_size_x": 64},
     "times": {"runtimes": []}, "invalidity": "compile", "correctness": 0},
    {"configuration": {"block_size_x": 128},
     "times": {"runtimes": [1.0]}, "invalidity": "correctness", "correctness": 0}
  ]})";

TEST(T4, ReadsWhatOtherTunersWrite) {
  const auto file = parse_t4(kForeign, "A100_T4.json");
  ASSERT_TRUE(file) << describe(file.error());
  EXPECT_FALSE(file->key);
  ASSERT_EQ(file->results.size(), 4u);
  EXPECT_EQ(file->results[0].candidate, "block_size_x=16 tile=1.5 use_shmem=false name=a");
  EXPECT_EQ(file->results[0].runtimes_ns, (std::vector<double>{5.25e6, 5e6, 5.5e6}));
  EXPECT_EQ(file->results[0].at_ms, 1703238828000);
  EXPECT_EQ(file->results[1].at_ms, 0);
  EXPECT_EQ(file->results[2].invalidity, T4Invalidity::compile);
}

TEST(T4, TeachesTimesRejectionsAndTheFastest) {
  const auto events = evidence_of(parse_t4(kForeign, "A100_T4.json").value(), "A100_T4.json");
  const TuningKey key{.program = "conv", .device = "A100"};
  const auto store = EvidenceStore::in_memory();
  ASSERT_TRUE(store->append(key, events));
  const auto state = store->find(key).value();
  EXPECT_EQ(state.incumbent, "block_size_x=32");
  EXPECT_EQ(state.reason, "the fastest of 2 in A100_T4.json");
  ASSERT_EQ(state.candidates.size(), 4u);
  EXPECT_EQ(state.candidates[0].samples, 3u);
  EXPECT_FALSE(state.candidates[0].verified) << "whoever wrote it compared with something else";
  EXPECT_EQ(state.candidates[2].rejected, "it did not compile, says A100_T4.json");
  EXPECT_EQ(state.candidates[3].rejected, "its results were wrong, says A100_T4.json");
  EXPECT_EQ(state.candidates[3].samples, 0u) << "the time of a wrong result is no time";
}

TEST(T4, TimesHaveTheUnitOfTheFile) {
  const auto first_ns = [](std::string_view metadata) {
    const std::string text = fmt::format(
        R"({{{}"results":[{{"configuration":{{"a":1}},"times":{{"runtimes":[2]}},
        "invalidity":"correct","correctness":1}}]}})",
        metadata);
    return parse_t4(text, "x").value().results[0].runtimes_ns[0];
  };
  EXPECT_EQ(first_ns(""), 2e6);
  EXPECT_EQ(first_ns(R"("metadata":{"timeUnit":"Microseconds"},)"), 2e3);
  EXPECT_EQ(first_ns(R"("metadata":{"timeunit":"seconds"},)"), 2e9);
  EXPECT_EQ(first_ns(R"("metadata":{"timeunit":"ns"},)"), 2);
}

KeyState some_state() {
  return {.key = {.program = "c0ffee",
                  .name = "saxpy",
                  .overrides = "TILE=16",
                  .size = "1000x1x1",
                  .device = "NVIDIA H200",
                  .driver = "580",
                  .generator = "1"},
          .candidates = {{.candidate = "workgroup=256x1x1 items=4 fast=true share=0.5",
                          .recent_ns = {188000, 189000},
                          .samples = 20},
                         {.candidate = "workgroup=64x1x1 items=1 fast=false share=1",
                          .rejected = "its results differ"},
                         {.candidate = "workgroup=32x1x1 items=1 fast=false share=1"}},
          .incumbent = "workgroup=256x1x1 items=4 fast=true share=0.5",
          .last_ms = 1703238828000};
}

TEST(T4, WritesWhatTheSchemaDemands) {
  const auto json = nlohmann::json::parse(t4_text(some_state()));
  EXPECT_EQ(json.at("schema_version"), "1.0.0");
  ASSERT_EQ(json.at("results").size(), 2u) << "nothing is known of the third";
  const auto& first = json.at("results").at(0);
  EXPECT_EQ(first.at("timestamp"), "2023-12-22 09:53:48+00:00");
  EXPECT_EQ(first.at("configuration").at("workgroup"), "256x1x1");
  EXPECT_EQ(first.at("configuration").at("items"), 4);
  EXPECT_EQ(first.at("configuration").at("fast"), true);
  EXPECT_EQ(first.at("configuration").at("share"), 0.5);
  EXPECT_EQ(first.at("times").at("runtimes"), nlohmann::json({0.188, 0.189}));
  EXPECT_EQ(first.at("invalidity"), "correct");
  EXPECT_EQ(first.at("correctness"), 1);
  EXPECT_EQ(json.at("results").at(1).at("invalidity"), "correctness");
  EXPECT_EQ(json.at("results").at(1).at("correctness"), 0);
}

// What version 1.0.0 of the results schema demands, member by member.
void expect_by_schema(const nlohmann::json& file) {
  ASSERT_TRUE(file.is_object());
  EXPECT_TRUE(
      std::regex_match(file.value("schema_version", ""), std::regex("[0-9]+\\.[0-9]+\\.[0-9]+")));
  ASSERT_TRUE(file.at("results").is_array());
  const std::set<std::string> invalidities{"timeout",     "compile",     "runtime",
                                           "correctness", "constraints", "correct"};
  for (const auto& result : file.at("results")) {
    ASSERT_TRUE(result.is_object());
    for (const char* required : {"configuration", "times", "invalidity", "correctness"}) {
      ASSERT_TRUE(result.contains(required)) << required;
    }
    EXPECT_TRUE(result.at("timestamp").is_string());
    EXPECT_TRUE(result.at("configuration").is_object());
    EXPECT_TRUE(result.at("objectives").is_array());
    const auto& times = result.at("times");
    EXPECT_TRUE(times.is_object());
    for (const char* number : {"compilation_time", "framework", "search_algorithm", "validation"}) {
      if (times.contains(number)) {
        EXPECT_TRUE(times.at(number).is_number()) << number;
      }
    }
    EXPECT_TRUE(times.at("runtimes").is_array());
    for (const auto& time : times.at("runtimes")) EXPECT_TRUE(time.is_number());
    EXPECT_TRUE(invalidities.contains(result.at("invalidity").get<std::string>()));
    EXPECT_TRUE(result.at("correctness").is_number());
    ASSERT_TRUE(result.at("measurements").is_array());
    for (const auto& measurement : result.at("measurements")) {
      EXPECT_TRUE(measurement.at("name").is_string());
      EXPECT_TRUE(measurement.at("value").is_number());
      EXPECT_TRUE(measurement.at("unit").is_string());
    }
  }
}

// Everything a key can hold that a T4 file can: odd times, names without parameters, all reasons.
KeyState odd_state() {
  KeyState state = some_state();
  state.candidates.push_back(
      {.candidate = "naive", .recent_ns = {1.0 / 3, 1e9 / 7, 123456.789}, .samples = 3});
  state.candidates.push_back({.candidate = "two words", .recent_ns = {5}, .samples = 1});
  state.candidates.push_back({.candidate = "candidate=x", .recent_ns = {6.5}, .samples = 1});
  state.candidates.push_back({.candidate = "items=007 share=1.50", .recent_ns = {7}, .samples = 1});
  int number = 0;
  for (const char* why : {"it did not compile: no such type", "its run failed", "it took too long",
                          "its code takes 255 registers a lane", "something else"}) {
    state.candidates.push_back({.candidate = fmt::format("bad={}", ++number),
                                .recent_ns = {9},
                                .samples = 1,
                                .rejected = why});
  }
  return state;
}

TEST(T4, WhatItWritesHoldsAgainstTheSchema) {
  expect_by_schema(nlohmann::json::parse(t4_text(some_state())));
  expect_by_schema(nlohmann::json::parse(t4_text(odd_state())));
  expect_by_schema(nlohmann::json::parse(t4_text({.key = {.program = "empty"}})));
}

TEST(T4, WritesTheSameAfterReadingItBack) {
  const std::string first = t4_text(odd_state());
  const auto file = parse_t4(first, "mine.json");
  ASSERT_TRUE(file) << describe(file.error());
  const auto store = EvidenceStore::in_memory();
  ASSERT_TRUE(store->append(*file->key, evidence_of(*file, "mine.json")));
  const auto state = store->find(*file->key);
  ASSERT_TRUE(state);
  EXPECT_EQ(t4_text(*state), first);
}

TEST(T4, ReadsBackWhatItWrote) {
  const KeyState state = some_state();
  const auto file = parse_t4(t4_text(state), "mine.json");
  ASSERT_TRUE(file) << describe(file.error());
  EXPECT_EQ(file->key, state.key);
  ASSERT_EQ(file->results.size(), 2u);
  EXPECT_EQ(file->results[0].candidate, state.candidates[0].candidate);
  EXPECT_DOUBLE_EQ(file->results[0].runtimes_ns[1], 189000);
  EXPECT_EQ(file->results[1].candidate, state.candidates[1].candidate);
  EXPECT_EQ(evidence_of(*file, "mine.json")[1].reason, "its results differ");
}

TEST(T4, NamesWhatIsWrongAndWhere) {
  const auto why = [](const std::string& text) {
    const auto file = parse_t4(text, "x.json");
    return file ? "fine" : file.error().what;
  };
  const auto result = [&](const std::string& fields) {
    return why(fmt::format(R"({{"results":[{{{}}}]}})", fields));
  };
  const std::string rest = R"("times":{},"invalidity":"correct","correctness":1)";
  const std::string whole = R"("configuration":{"a":1},)" + rest;
  EXPECT_EQ(result(whole), "fine");
  EXPECT_EQ(why("{"), "x.json is no JSON");
  EXPECT_EQ(why(std::string(65, '[')),
            "x.json is too large: it is nested more than 64 levels deep at byte 64");
  EXPECT_EQ(why("[" + std::string(1 << 24, ',')),
            "x.json is too large: it has more than 16777216 values");
  EXPECT_EQ(why("[]"), "x.json is no T4 file: it is not an object");
  EXPECT_EQ(why("{}"), "x.json is no T4 file: results is missing");
  EXPECT_EQ(why(R"({"results":{}})"), "x.json is no T4 file: results is not a list");
  EXPECT_EQ(why(R"({"results":[3]})"), "x.json is no T4 file: results[0] is not an object");
  EXPECT_EQ(why(R"({"schema_version":"one","results":[]})"),
            "x.json is no T4 file: schema_version is not of the form 1.0.0");
  EXPECT_EQ(why(R"({"schema_version":"2.0.0","results":[]})"),
            "x.json is no T4 file: schema_version is 2.0.0, and version 1 is what is read");
  EXPECT_EQ(why(R"({"metadata":{"timeunit":"fortnights"},"results":[]})"),
            "x.json is no T4 file: metadata.timeunit is no unit of time");
  EXPECT_EQ(result(rest), "x.json is no T4 file: results[0].configuration is missing");
  EXPECT_EQ(result(R"("configuration":[],)" + rest),
            "x.json is no T4 file: results[0].configuration is not an object");
  EXPECT_EQ(result(R"("configuration":{},)" + rest),
            "x.json is no T4 file: results[0].configuration has no parameters");
  EXPECT_EQ(result(R"("configuration":{"a":[1]},)" + rest),
            "x.json is no T4 file: results[0].configuration.a is neither a number, nor a text, nor "
            "true or false");
  EXPECT_EQ(result(R"("configuration":{"a":"x y"},)" + rest),
            "x.json is no T4 file: results[0].configuration.a has a space or a '=' in it, which a "
            "candidate cannot have");
  const std::string begin = R"("configuration":{"a":1},)";
  EXPECT_EQ(result(begin + R"("times":{},"invalidity":"odd","correctness":1)"),
            "x.json is no T4 file: results[0].invalidity is none of correct, timeout, compile, "
            "runtime, correctness and constraints");
  EXPECT_EQ(result(begin + R"("times":{},"invalidity":"correct","correctness":"yes")"),
            "x.json is no T4 file: results[0].correctness is not a number");
  EXPECT_EQ(result(begin + R"("times":3,"invalidity":"correct","correctness":1)"),
            "x.json is no T4 file: results[0].times is not an object");
  EXPECT_EQ(
      result(begin + R"("times":{"runtimes":[1,"x"]},"invalidity":"correct","correctness":1)"),
      "x.json is no T4 file: results[0].times.runtimes[1] is not a time");
  EXPECT_EQ(result(begin + R"("times":{"runtimes":[-1]},"invalidity":"correct","correctness":1)"),
            "x.json is no T4 file: results[0].times.runtimes[0] is not a time");
  EXPECT_EQ(result(begin + R"("times":{"framework":"x"},"invalidity":"correct","correctness":1)"),
            "x.json is no T4 file: results[0].times.framework is not a number");
  EXPECT_EQ(result(whole + R"(,"timestamp":5)"),
            "x.json is no T4 file: results[0].timestamp is not a text");
  EXPECT_EQ(result(whole + R"(,"objectives":"time")"),
            "x.json is no T4 file: results[0].objectives is not a list");
  EXPECT_EQ(result(whole + R"(,"measurements":[{"value":true}])"),
            "x.json is no T4 file: results[0].measurements[0].value is neither a number, nor a "
            "text, nor a list");
  EXPECT_EQ(result(whole + R"(,"measurements":[{"name":3}])"),
            "x.json is no T4 file: results[0].measurements[0].name is not a text");
}

}  // namespace
}  // namespace vyre
