#include "vyre/report/tune_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "vyre/report/tune_record_testing.h"

namespace vyre {
namespace {

using Json = nlohmann::json;

TEST(TuneJson, HoldsTheRunItsCandidatesAndItsCalls) {
  const TuneReport report = synthetic_report(2, 300);
  const Json json = Json::parse(tune_json(report));
  EXPECT_EQ(json["format"], "vyre-tune-report");
  EXPECT_EQ(json["device"]["name"], "NVIDIA H200");
  ASSERT_EQ(json["kernels"].size(), 2u);
  const Json& kernel = json["kernels"][0];
  EXPECT_EQ(kernel["decision"]["candidate"], report.kernels[0].decision);
  EXPECT_GT(kernel["gain_over_start"], 1.0);
  ASSERT_EQ(kernel["candidates"].size(), 54u);
  EXPECT_EQ(kernel["candidates"][0]["parameters"]["workgroup"], "32x1x1");
  ASSERT_EQ(kernel["calls"].size(), 300u);
  for (const Json& call : kernel["calls"]) ASSERT_EQ(call.size(), kernel["call_fields"].size());
  EXPECT_EQ(kernel["calls"][299][1], 299);
}

TEST(TuneJson, TextsOfAnyBytesParse) {
  const TuneReport report = hostile_report();
  const Json json = Json::parse(tune_json(report));
  const std::string kernel = json["kernels"][0]["kernel"];
  EXPECT_TRUE(kernel.starts_with("</script><script>")) << kernel;
  EXPECT_TRUE(kernel.contains("\"'&<b>\n\uFFFD")) << kernel;
}

TEST(TuneJson, WhatIsNoNumberIsNull) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  TuneReport report{.seconds = nan,
                    .kernels = {{.candidates = {{.text = "a", .samples_ns = {nan, 3}}},
                                 .calls = {{.seconds = nan, .ns = nan, .bound_ns = 1 / 0.0},
                                           {.ns = 3, .lost_ns = 2}}}}};
  const Json json = Json::parse(tune_json(report));
  EXPECT_TRUE(json["seconds"].is_null());
  EXPECT_TRUE(json["kernels"][0]["candidates"][0]["samples_ns"][0].is_null());
  EXPECT_TRUE(json["kernels"][0]["candidates"][0]["time_ns"].is_null())
      << "samples alone are no time";
  EXPECT_TRUE(json["kernels"][0]["calls"][0][3].is_null());
  EXPECT_TRUE(json["kernels"][0]["calls"][1][8].is_null()) << "the bound is not known yet";
  EXPECT_TRUE(json["kernels"][0]["decision"].is_null());
}

TEST(TuneJson, AnEmptyReportIsAnObject) {
  EXPECT_TRUE(Json::parse(tune_json({}))["kernels"].empty());
}

}  // namespace
}  // namespace vyre
