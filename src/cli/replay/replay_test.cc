#include "vyre/cli/replay/replay.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"
#include "vyre/cli/gzip_file.h"
#include "vyre/cli/gzip_testing.h"
#include "vyre/cli/replay/replay_plot.h"
#include "vyre/cli/table.h"
#include "vyre/tune/search/search_landscape_testing.h"

namespace vyre {
namespace {

class Replay : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view content) {
    const std::string path = (folder_.path() / name).string();
    EXPECT_TRUE(replace_file(path, content));
    return path;
  }
  static CommandResult replay(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "replay");
    return run_vyre(arguments);
  }

  TemporaryFolder folder_;
  RecordedSpace space_ = make_landscape({.seed = 1, .parameters = 4, .failing = 0.1});
};

TEST_F(Replay, ShowsFractionsGoalsAndAPlot) {
  const std::string file = write("space.json", kernel_tuner_text(space_));
  const CommandResult result = replay({file, "--runs", "5", "--budget", "60"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.err, "");
  for (const char* text :
       {"landscape on Made up", "natural", "hillclimb", "halving", "random", "to reach", "90%",
        "charged", "evaluations", "50", "60", "┤", "└",
        "performance over time (0: as random search, 1: the optimum)", "score"}) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << "\n" << result.out;
  }
  EXPECT_EQ(result.out.find("exhaustive"), std::string::npos);
  EXPECT_EQ(result.out, replay({file, "--runs", "5", "--budget", "60"}).out);
  EXPECT_NE(result.out, replay({file, "--runs", "5", "--budget", "60", "--seed", "2"}).out);
}

TEST_F(Replay, TheSameSpaceInEveryFormatGivesTheSameFractions) {
  const std::vector<std::string> files{write("a.json", kernel_tuner_text(space_)),
                                       write("b.json.gz", gzip(kernel_tuner_text(space_))),
                                       write("c.json.gz", gzip(t4_text(space_)))};
  const CommandResult result =
      replay({files[0], files[1], files[2], "--strategy", "natural", "--strategy", "random",
              "--runs", "3", "--budget", "30", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json.at("spaces").size(), 3U);
  ASSERT_EQ(json.at("mean").size(), 2U);
  const auto& first = json["spaces"][0];
  EXPECT_EQ(first.at("configurations"), space_.space.size());
  EXPECT_EQ(first.at("failed"), space_.failures());
  EXPECT_EQ(first["strategies"].size(), 2U);
  EXPECT_EQ(first["strategies"][0].at("mean").size(), 30U);
  EXPECT_GT(first.at("score_budget").at("evaluations"), 0);
  for (const auto& strategy : first["strategies"]) {
    EXPECT_LE(strategy.at("score"), 1.0);
    EXPECT_EQ(strategy.at("score_covered"), 1.0);
  }
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(json["spaces"][i]["strategies"][0]["mean"], first["strategies"][0]["mean"]);
  }
  for (std::size_t e = 0; e < 30; ++e) {
    EXPECT_NEAR(json["mean"][0]["mean"][e], first["strategies"][0]["mean"][e], 1e-12);
    EXPECT_LE(first["strategies"][0]["quartile_1"][e], first["strategies"][0]["quartile_3"][e]);
  }
}

TEST_F(Replay, TheExhaustiveStrategyReachesEveryGoalAndStopsAtTheEndOfTheSpace) {
  const std::string file = write("space.json", kernel_tuner_text(space_));
  const CommandResult result =
      replay({file, "--strategy", "exhaustive", "--runs", "1", "--budget", "1000", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  const auto& strategy = json["spaces"][0]["strategies"][0];
  EXPECT_EQ(strategy["mean"].size(), 1000U);
  EXPECT_EQ(strategy["mean"].back(), 1.0);
  EXPECT_EQ(strategy["goals"][2]["fraction"], 0.99);
  EXPECT_EQ(strategy["goals"][2]["runs"], 1);
  EXPECT_LE(strategy["goals"][2]["evaluations"], space_.space.size());
  // A second to compile and a tenth to time, each.
  EXPECT_NEAR(strategy["charged_s"].back(), space_.space.size() * 1.1, 1e-3);
}

TEST_F(Replay, DrawsAPictureThatStandsAlone) {
  const std::string file = write("space.json", t4_text(space_));
  const std::string svg = (folder_.path() / "curves.svg").string();
  const CommandResult result = replay({file, file, "--runs", "2", "--budget", "20", "--svg", svg});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_TRUE(result.out.ends_with("curves: " + svg + "\n")) << result.out;
  const auto picture = read_file(svg);
  ASSERT_TRUE(picture);
  EXPECT_TRUE(picture->starts_with("<svg "));
  EXPECT_TRUE(picture->ends_with("</svg>\n"));
  EXPECT_EQ(picture->find("href"), std::string::npos);
  EXPECT_EQ(picture->find("nan"), std::string::npos);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = picture->find("<polyline", at)) != std::string::npos; ++at)
    ++lines;
  EXPECT_EQ(lines, 3U * 4U);
  EXPECT_EQ(replay({file, "--runs", "1", "--svg", (folder_.path() / "no/x.svg").string()}).exit, 1);
}

TEST_F(Replay, TextsOfAFileCannotBreakThePicture) {
  ReplayCurve curve;
  curve.strategy = "natural";
  curve.mean = curve.low = curve.high = {0.5};
  const std::vector<ReplayCurve> curves{curve};
  const std::vector<ReplayPanel> panels{{"<script>&\"\x01\xff", "é", curves}};
  const std::string svg = replay_svg(panels);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;&amp;&quot; ?"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">é<"), std::string::npos);
}

TEST_F(Replay, ThePlotFitsItsWidth) {
  ReplayCurve curve;
  curve.strategy = "natural";
  for (int i = 0; i < 200; ++i) curve.mean.push_back(1 - 1.0 / (i + 2));
  ReplayCurve flat = curve;
  flat.strategy = "hillclimb";
  for (double& value : flat.mean) value = 0;
  const std::vector<ReplayCurve> curves{curve, flat};
  for (const std::size_t width : {50UL, 80UL, 120UL}) {
    const std::string plot = replay_plot(curves, width, false);
    std::size_t begin = 0;
    while (begin < plot.size()) {
      const std::size_t end = plot.find('\n', begin);
      EXPECT_LE(text_width(plot.substr(begin, end - begin)), width);
      begin = end + 1;
    }
    EXPECT_NE(plot.find("natural 0.995"), std::string::npos);
    EXPECT_NE(plot.find("hillclimb 0.000"), std::string::npos);
  }
}

TEST_F(Replay, SaysWhatIsWrong) {
  const std::string file = write("space.json", kernel_tuner_text(space_));
  const auto error = [](std::vector<std::string> arguments) {
    const CommandResult result = replay(std::move(arguments));
    EXPECT_EQ(result.exit, 2) << result.err;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(error({}), "vyre: SPACE... is missing; see vyre replay --help\n");
  EXPECT_EQ(error({file, "--strategy", "natrual"}),
            "vyre: --strategy: there is no strategy 'natrual'; did you mean natural?\n");
  EXPECT_EQ(error({file, "--strategy", "random,random"}),
            "vyre: strategy random was given twice; see vyre replay --help\n");
  EXPECT_NE(error({file, "--runs", "0"}), "");
  EXPECT_NE(error({file, "--budget", "0"}), "");
  EXPECT_NE(error({file, "--runs", "100000", "--budget", "1000000"}).find("too many"),
            std::string::npos);
  EXPECT_NE(error({"nowhere.json"}).find("nowhere.json"), std::string::npos);
  const std::string wrong = write("wrong.json", R"({"cache": 7})");
  EXPECT_EQ(error({wrong}), "vyre: " + wrong + ": $.cache is no object\n");
  const std::string cut = write("cut.gz", gzip(kernel_tuner_text(space_)).substr(0, 500));
  EXPECT_EQ(error({cut}), "vyre: " + cut + ": the gzip data is damaged, or ends too early\n");
}

TEST_F(Replay, UnpacksWithinALimit) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(gunzip(gzip(text), 100'000), text);
  EXPECT_EQ(gunzip(gzip(text) + gzip("y") + std::string(8, '\0'), 200'000), text + "y");
  EXPECT_EQ(gunzip(gzip(text), 99'999).error().code, Code::limit);
  EXPECT_FALSE(gunzip("\x1f\x8b", 10));
  EXPECT_FALSE(gunzip(gzip(text) + "garbage", 200'000));
}

}  // namespace
}  // namespace vyre
