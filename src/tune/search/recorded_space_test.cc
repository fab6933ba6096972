#include "vyre/tune/search/recorded_space.h"

#include <gtest/gtest.h>

#include "vyre/tune/search/search_landscape_testing.h"

namespace vyre {
namespace {

RecordedSpace parsed(std::string_view text) {
  auto space = parse_recorded_space(text);
  EXPECT_TRUE(space) << describe(space.error());
  return space ? *std::move(space) : RecordedSpace{};
}

std::string error(std::string_view text) {
  const auto space = parse_recorded_space(text);
  EXPECT_FALSE(space) << text;
  return space ? "" : space.error().what;
}

std::string cache(std::string_view entries,
                  std::string_view head = R"("tune_params_keys":["a","b"],)") {
  return "{" + std::string(head) + R"("cache":{)" + std::string(entries) + "}}";
}

void expect_same(const RecordedSpace& a, const RecordedSpace& b) {
  ASSERT_EQ(a.space.size(), b.space.size());
  EXPECT_EQ(a.space.parameters(), b.space.parameters());
  for (std::uint32_t i = 0; i < a.space.size(); ++i) {
    EXPECT_EQ(a.space.configuration(i), b.space.configuration(i));
    const Recording& one = a.recordings[i];
    const Recording& other = b.recordings[i];
    ASSERT_EQ(one.cost_ns.has_value(), other.cost_ns.has_value());
    EXPECT_NEAR(one.cost_ns.value_or(0), other.cost_ns.value_or(0), 1e-6 * one.cost_ns.value_or(1));
    EXPECT_EQ(one.samples_ns.size(), other.samples_ns.size());
    EXPECT_NEAR(one.compile_ns, other.compile_ns, 1);
  }
  EXPECT_EQ(a.best, b.best);
}

TEST(RecordedSpace, ReadsWhatKernelTunerKeeps) {
  const RecordedSpace made = make_landscape({.seed = 3, .parameters = 4, .failing = 0.1});
  const RecordedSpace read = parsed(kernel_tuner_text(made));
  expect_same(made, read);
  EXPECT_EQ(read.kernel, "landscape");
  EXPECT_EQ(read.device, "Made up");
  EXPECT_GT(read.failures(), 0U);
  EXPECT_NEAR(read.recordings[0].benchmark_ns, 1e8, 1);
}

TEST(RecordedSpace, ReadsT4Results) {
  const RecordedSpace made = make_landscape({.seed = 4, .parameters = 4, .failing = 0.1});
  const RecordedSpace read = parsed(t4_text(made));
  expect_same(made, read);
  double sum = 0;
  for (const float sample : read.recordings[read.best].samples_ns) sum += sample;
  EXPECT_NEAR(read.recordings[read.best].benchmark_ns, sum, 1e-3 * sum);
}

TEST(RecordedSpace, ValuesComeFromTheFieldsOrFromTheKey) {
  const RecordedSpace space = parsed(cache(R"("16,1":{"a":16,"b":"x,y","time":2.0},)"
                                           R"("8,z":{"time":1.5})"));
  EXPECT_EQ(to_string(space.space.configuration(0)), "a=16 b=x,y");
  EXPECT_EQ(to_string(space.space.configuration(1)), "a=8 b=z");
  EXPECT_EQ(space.space.parameters()[0].values, (std::vector<std::string>{"8", "16"}));
  EXPECT_EQ(space.best, 1U);
  EXPECT_DOUBLE_EQ(space.best_ns(), 1.5e6);
}

TEST(RecordedSpace, KnowsFailuresByTheirValues) {
  const RecordedSpace space =
      parsed(cache(R"("1,1":{"time":"InvalidConfig"},"1,2":{"time":"CompilationFailedConfig"},)"
                   R"("1,3":{"time":1e20},"1,4":{"time":null},)"
                   R"("1,5":{"__error__":"RuntimeFailed"},"1,6":{"time":3})"));
  EXPECT_EQ(space.space.size(), 6U);
  EXPECT_EQ(space.failures(), 5U);
  EXPECT_EQ(space.best, 5U);
}

TEST(RecordedSpace, ALaterMeasurementOfTheSameConfigurationCounts) {
  const RecordedSpace space =
      parsed(cache(R"("1,1":{"time":3},"1,2":{"time":4},"1,1":{"time":5})"));
  EXPECT_EQ(space.space.size(), 2U);
  EXPECT_DOUBLE_EQ(*space.recordings[0].cost_ns, 5e6);
}

TEST(RecordedSpace, TheUnitOfT4IsItsOwn) {
  const auto read = [](std::string_view head) {
    return parse_recorded_space(
        "{" + std::string(head) +
        R"("results":[{"configuration":{"a":1},"times":{"runtimes":[2,4]}}]})");
  };
  EXPECT_DOUBLE_EQ(read(R"("metadata":{"timeunit":"microseconds"},)")->best_ns(), 3e3);
  EXPECT_DOUBLE_EQ(read("")->best_ns(), 3e6);
  EXPECT_EQ(read(R"("metadata":{"timeunit":"fortnights"},)").error().what,
            "$.metadata.timeunit is no unit of time: \"fortnights\"");
}

TEST(RecordedSpace, AMeasurementMayHaveAUnitOfItsOwn) {
  const RecordedSpace space = parsed(
      R"({"metadata":{"timeUnit":"seconds","vyre_key":{"name":"saxpy","device":"cpu"}},"results":[)"
      R"({"configuration":{"a":1},"measurements":[{"name":"time","value":2,"unit":"ms"}]},)"
      R"({"configuration":{"a":2},"measurements":[{"name":"time","value":2,"unit":""}]}]})");
  EXPECT_DOUBLE_EQ(*space.recordings[0].cost_ns, 2e6);
  EXPECT_DOUBLE_EQ(*space.recordings[1].cost_ns, 2e9);
  EXPECT_EQ(space.kernel, "saxpy");
  EXPECT_EQ(space.device, "cpu");
}

TEST(RecordedSpace, ErrorsNameThePlace) {
  EXPECT_EQ(error("[1, 2]"), "there is neither $.cache nor $.results");
  EXPECT_EQ(error("{\n\"cache\": {"), "line 2: the JSON ends too early");
  EXPECT_EQ(error("{\n\"cache\": oops}"), "line 2, byte 12 of the file: this is no JSON");
  EXPECT_EQ(error(R"({"cache": []})"), "$.cache is no object");
  EXPECT_EQ(error(R"({"results": {}})"), "$.results is no array");
  EXPECT_EQ(error(R"({"results": [7]})"), "$.results[0] is no object");
  EXPECT_EQ(error(R"({"results": [{}]})"), "$.results[0] has no \"configuration\" with parameters");
  EXPECT_EQ(error(R"({"cache": {"1": {"time": 1}}})"),
            "$.tune_params_keys is missing before $.cache: it names the parameters");
  EXPECT_EQ(error(cache(R"("1,2,3":{"time":1})")),
            "$.cache[\"1,2,3\"] has 3 values; there are 2 parameters");
  EXPECT_EQ(error(cache(R"("1,2":{"time":-1})")), "$.cache[\"1,2\"].time is not above zero: -1");
  EXPECT_EQ(error(cache(R"("1,2":{"time":1,"times":[1,"x"]})")),
            "$.cache[\"1,2\"].times[1] is no time: \"x\"");
  EXPECT_EQ(error(cache(R"("1,2":{"time":"failed"})")), "none of its 1 configurations has a time");
  EXPECT_EQ(error(cache("")), "none of its 0 configurations has a time");
  EXPECT_EQ(error(R"({"results":[{"configuration":{"a":1},"objectives":["score"]}]})"),
            "$.results[0].objectives has \"score\"; only times can be replayed");
  EXPECT_EQ(error(R"({"results":[{"configuration":{"a":1}},{"configuration":{"b":1}}]})"),
            "$.results[1].configuration lacks \"a\"");
}

TEST(RecordedSpace, NestingAndSizeAreNoTrouble) {
  const auto deep = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  const std::string too_deep = "it is nested more than 64 levels deep at byte ";
  EXPECT_EQ(error(deep(65)), too_deep + "64");
  EXPECT_EQ(error(R"({"other":)" + deep(64) + "}"), too_deep + "72");
  EXPECT_EQ(error(R"({"other":)" + deep(63) + "}"), "there is neither $.cache nor $.results");
  EXPECT_EQ(error(R"({"results":[{"configuration":)" + deep(62) + "}]}"), too_deep + "90");
  std::string many;
  for (int i = 0; i < 3000; ++i) many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
  EXPECT_EQ(error(R"({"results":[{"configuration":{)" + many + "}}]}"),
            "$.results[0] has more than 1024 keys");
}

}  // namespace
}  // namespace vyre
