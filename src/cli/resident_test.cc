#include "vyre/cli/resident.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "vyre/cli/command_line_testing.h"

namespace vyre {
namespace {

nlohmann::json resident(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "resident");
  arguments.emplace_back("--json");
  const CommandResult result = run_vyre(arguments);
  EXPECT_EQ(result.exit, 0) << result.err;
  return result.exit == 0 ? nlohmann::json::parse(result.out) : nlohmann::json{};
}

TEST(Resident, RecommendsFromOccupancy) {
  const auto json = resident({"--queue", "100000", "--max-invocations", "1024"});
  const auto& result = json.at("recommendation");
  EXPECT_EQ(result.at("worker_groups"), 255);
  EXPECT_EQ(result.at("workgroup_size_x"), 255);
  EXPECT_EQ(result.at("slot_count"), 100215);
  EXPECT_EQ(result.at("dispatch_grid"), nlohmann::json({255, 1, 1}));
  EXPECT_EQ(result.at("hit_capacity"), 200000);
  EXPECT_EQ(result.at("estimated_peak_device_bytes"), 3200000);
  EXPECT_EQ(result.at("pressure"), "balanced");
  EXPECT_EQ(result.at("execution_mode"), "jit");
}

TEST(Resident, ShedsWorkersUnderMemoryPressure) {
  const std::vector<std::string> arguments{
      "--queue", "20000",      "--workers", "200",      "--nodes", "40000",         "--edges",
      "90000",   "--resident", "7.3GB",     "--budget", "8GB",     "--hot-opcodes", "2"};
  const auto json = resident(arguments);
  EXPECT_EQ(json.at("signals").at("frontier_density_bps"), 5000);
  EXPECT_EQ(json.at("signals").at("frontier_density_inferred"), true);
  EXPECT_EQ(json.at("signals").at("memory_pressure_bps"), 9125);
  EXPECT_EQ(json.at("signals").at("requested_worker_groups"), 129);
  EXPECT_EQ(json.at("recommendation").at("topology"), "memory_constrained");
  EXPECT_EQ(json.at("recommendation").at("slot_count"), 20124);
  EXPECT_EQ(json.at("recommendation").at("estimated_peak_device_bytes"), 7300320000U);
  std::vector<std::string> human{"resident"};
  human.insert(human.end(), arguments.begin(), arguments.end());
  expect_golden(run_vyre(human).out, "resident_memory.txt");
}

TEST(Resident, ThePreviousTopologyIsHeldNearAThreshold) {
  const std::vector<std::string> request{"--queue", "3000", "--nodes", "40000", "--edges", "90000"};
  const auto with = [&](const char* density, const char* previous) {
    std::vector<std::string> all = request;
    all.insert(all.end(), {"--density", density, "--previous-topology", previous});
    return resident(all).at("recommendation").at("topology");
  };
  EXPECT_EQ(with("750", "sparse_frontier"), "sparse_frontier");
  EXPECT_EQ(with("751", "sparse_frontier"), "hybrid_frontier");
}

TEST(Resident, SaysWhatIsWrong) {
  const auto error = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "resident");
    const CommandResult result = run_vyre(arguments);
    EXPECT_EQ(result.exit, 2);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_EQ(error({}), "vyre: --queue is missing; see vyre resident --help\n");
  EXPECT_NE(error({"--queue", "1", "--max-width", "0"}), "");
  EXPECT_NE(error({"--queue", "1", "--density", "65536"}), "");
  EXPECT_NE(error({"--queue", "1", "--previous-topology", "round"}).find("sparse_frontier"),
            std::string::npos);
  EXPECT_NE(error({"--queue", "2000", "--budget", "200000", "--resident", "190000"})
                .find("200000 are allowed"),
            std::string::npos);
  EXPECT_EQ(error({"--queue", "1", "extra"}),
            "vyre: unexpected argument 'extra'; see vyre resident --help\n");
}

}  // namespace
}  // namespace vyre
