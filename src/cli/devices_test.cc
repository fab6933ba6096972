#include "vyre/cli/devices.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "vyre/cli/command_line_testing.h"

namespace vyre {
namespace {

TEST(Devices, TheCpuIsListedWithWhatIsKnownOfIt) {
  const CommandResult result = run_vyre({"devices", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_FALSE(json.at("devices").empty());
  const auto& cpu = json.at("devices").back();
  EXPECT_EQ(cpu.at("name"), "cpu");
  EXPECT_EQ(cpu.at("available"), true);
  EXPECT_EQ(cpu.at("missing"), nullptr);
  EXPECT_GE(cpu.at("profile").at("multiprocessors"), 1);
  EXPECT_GT(cpu.at("profile").at("memory_bytes_per_second"), 0);
  EXPECT_GT(cpu.at("profile").at("memory_bytes"), 0);
  EXPECT_GE(cpu.at("limits").at("threads"), 256);
}

TEST(Devices, WhatIsMissingSaysWhy) {
  const auto json = nlohmann::json::parse(run_vyre({"devices", "--json"}).out);
  for (const auto& device : json.at("devices")) {
    EXPECT_EQ(device.at("missing").is_null(), device.at("available").get<bool>());
  }
  const CommandResult text = run_vyre({"devices"});
  EXPECT_EQ(text.exit, 0);
  for (const auto& device : json.at("devices")) {
    EXPECT_NE(text.out.find(device.at("name").get<std::string>() + "\n"), std::string::npos);
    if (device.at("available").get<bool>()) continue;
    EXPECT_NE(text.out.find(device.at("missing").get<std::string>()), std::string::npos);
  }
}

TEST(Devices, TakesNoArguments) {
  EXPECT_EQ(run_vyre({"devices", "cpu"}).exit, 2);
  ::setenv("VYRE_THREADS", "none", 1);
  EXPECT_EQ(run_vyre({"devices"}).exit, 2);
  ::unsetenv("VYRE_THREADS");
}

}  // namespace
}  // namespace vyre
