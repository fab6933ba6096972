#include "vyre/cli/resident_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "vyre/cli/command_line_testing.h"
#include "vyre/data/number_text.h"

namespace vyre {
namespace {

// What `vyre graph` writes about a run.
nlohmann::json written(std::vector<std::string> arguments) {
  std::vector<std::string> all{"graph"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), {"--explain", "--json", "--device", "cpu", "--threads", "2"});
  const CommandResult result = run_vyre(all);
  EXPECT_EQ(result.exit, 0) << result.err;
  return result.exit == 0 ? nlohmann::json::parse(result.out) : nlohmann::json{};
}

CommandResult resident(const nlohmann::json& run, std::vector<std::string> more = {}) {
  std::vector<std::string> all{"resident", "--run", "-"};
  all.insert(all.end(), more.begin(), more.end());
  return run_vyre(all, run.dump());
}

TEST(ResidentRun, EveryRoundIsDecidedAgainAsItRan) {
  for (const char* graph : {"kron:12", "grid:60x60", "path:3000", "uniform:11"}) {
    const nlohmann::json run = written({"bfs", graph});
    const CommandResult shown = resident(run);
    EXPECT_EQ(shown.exit, 0) << shown.err;
    const auto rounds = run.at("records").size();
    EXPECT_NE(shown.out.find(fmt::format("{} rounds decided again: every answer is the one that "
                                         "ran\n",
                                         with_commas(rounds))),
              std::string::npos)
        << shown.out;
    const auto again = nlohmann::json::parse(resident(run, {"--json"}).out);
    EXPECT_EQ(again.at("different"), 0);
    ASSERT_EQ(again.at("rounds").size(), rounds);
    for (std::size_t i = 0; i < rounds; ++i) {
      EXPECT_EQ(again.at("rounds")[i].at("decided"), run.at("records")[i].at("topology"));
    }
  }
}

TEST(ResidentRun, OneRoundIsShownInDetail) {
  const nlohmann::json run = written({"bfs", "kron:12"});
  std::size_t largest = 0;
  for (std::size_t i = 0; i < run.at("records").size(); ++i) {
    if (run["records"][i]["edges"] > run["records"][largest]["edges"]) largest = i;
  }
  const auto answer =
      nlohmann::json::parse(resident(run, {"--round", std::to_string(largest), "--json"}).out);
  EXPECT_EQ(answer.at("recommendation").at("topology"), run["records"][largest]["topology"]);
  EXPECT_EQ(resident(run, {"--round", "4000"}).exit, 2);
}

TEST(ResidentRun, ARoundThatRanOtherwiseIsNamed) {
  nlohmann::json run = written({"bfs", "kron:12"});
  for (nlohmann::json& record : run.at("records")) record["request"]["frontier_density_bps"] = 9000;
  run["records"][0]["topology"] = "hybrid_frontier";
  const CommandResult shown = resident(run);
  EXPECT_EQ(shown.exit, 1);
  EXPECT_NE(shown.out.find("; round 0 ran as hybrid_frontier with 1 worker, decided is "
                           "dense_frontier with 1 worker\n"),
            std::string::npos)
      << shown.out;
  // Another policy decides otherwise as well.
  nlohmann::json other = written({"bfs", "grid:30x30"});
  other["policy"]["memory_pressure_threshold_bps"] = 0;
  EXPECT_EQ(resident(other).exit, 1);
}

TEST(ResidentRun, ForcedRoundsAreNotJudged) {
  const nlohmann::json run = written({"bfs", "kron:8", "--topology", "dense"});
  const CommandResult shown = resident(run);
  EXPECT_EQ(shown.exit, 0) << shown.out;
  EXPECT_NE(shown.out.find("had a forced topology"), std::string::npos);
}

TEST(ResidentRun, NamesWhatIsWrongInTheFile) {
  const nlohmann::json run = written({"bfs", "path:5"});
  const auto error = [&](const std::function<void(nlohmann::json&)>& change) {
    nlohmann::json changed = run;
    change(changed);
    const CommandResult result = resident(changed);
    EXPECT_EQ(result.exit, 2);
    return result.err;
  };
  EXPECT_NE(error([](auto& j) { j.erase("records"); }).find("<stdin>: records is missing"),
            std::string::npos);
  EXPECT_NE(error([](auto& j) { j["records"] = 3; }).find("records is not a list"),
            std::string::npos);
  EXPECT_NE(error([](auto& j) {
              j["records"][1]["request"]["queue_len"] = -1;
            }).find("records[1].request.queue_len is not a whole number up to 4294967295"),
            std::string::npos);
  EXPECT_NE(error([](auto& j) {
              j["records"][0]["request"]["frontier_density_bps"] = 65536;
            }).find("records[0].request.frontier_density_bps is not a whole number up to 65535"),
            std::string::npos);
  EXPECT_NE(error([](auto& j) {
              j["records"][2]["topology"] = "sparse";
            }).find("records[2].topology is not a topology"),
            std::string::npos);
  EXPECT_NE(error([](auto& j) { j["records"][0] = 7; }).find("records[0] is not an object"),
            std::string::npos);
  EXPECT_NE(error([](auto& j) { j = "text"; }).find("it is not an object"), std::string::npos);
  EXPECT_EQ(run_vyre({"resident", "--run", "-"}, "{").exit, 2);
  EXPECT_EQ(run_vyre({"resident", "--run", "-", "--queue", "3"}, "{}").exit, 2);
  EXPECT_EQ(run_vyre({"resident", "--round", "3"}).exit, 2);
  EXPECT_EQ(run_vyre({"resident", "--run", "no/such/file"}).exit, 2);
}

}  // namespace
}  // namespace vyre
