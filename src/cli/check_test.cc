#include "vyre/cli/check.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"

namespace vyre {
namespace {

constexpr const char* kTwoEntries = R"(
override LIMIT: u32 = 10;
@id(7) override SCALE: f32;
@group(0) @binding(3) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> items: array<vec3<f32>, 4>;
@compute @workgroup_size(8) fn plain(@builtin(global_invocation_id) id: vec3<u32>) {
  out[id.x] = LIMIT;
}
@compute @workgroup_size(4, 4) fn scaled(@builtin(local_invocation_id) id: vec3<u32>) {
  out[id.x] = u32(items[id.y].x * SCALE);
}
)";

TEST(Check, DescribesEachEntryPoint) {
  const CommandResult result = run_vyre({"check", "-"}, kTwoEntries);
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(result.err, "");
  expect_golden(result.out, "check_two_entries.txt");
}

TEST(Check, SettingsMakeTheUnknownKnown) {
  const CommandResult result = run_vyre({"check", "-", "--set", "7=2.5,LIMIT=3"}, kTwoEntries);
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(result.out.find("unknown"), std::string::npos) << result.out;
  EXPECT_EQ(run_vyre({"check", "-", "--set", "SCALE=2.5", "--set", "LIMIT=3"}, kTwoEntries).out,
            result.out);
}

TEST(Check, SettingsMustBelongToSomething) {
  const CommandResult unknown = run_vyre({"check", "-", "--set", "TILE=8"}, kTwoEntries);
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_EQ(unknown.err, "vyre: --set: no entry point has an override 'TILE'\n");
  const CommandResult twice = run_vyre({"check", "-", "--set", "SCALE=1,7=2"}, kTwoEntries);
  EXPECT_EQ(twice.exit, 2);
  EXPECT_NE(twice.err.find("SCALE was set 2 times"), std::string::npos) << twice.err;
  const CommandResult misfit = run_vyre({"check", "-", "--set", "LIMIT=1.5"}, kTwoEntries);
  EXPECT_EQ(misfit.exit, 2);
  EXPECT_NE(misfit.err.find("LIMIT"), std::string::npos) << misfit.err;
}

TEST(Check, OverrideSizedThingsAreUnknownUntilSet) {
  constexpr const char* text = R"(
override WIDTH: u32;
var<workgroup> slots: array<f32, WIDTH>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(WIDTH, 2) fn main(@builtin(local_invocation_index) i: u32) {
  slots[i] = 1.0;
  workgroupBarrier();
  out[i] = slots[0];
}
)";
  const CommandResult unset = run_vyre({"check", "-"}, text);
  EXPECT_EQ(unset.exit, 0) << unset.err;
  expect_golden(unset.out, "check_unset_override.txt");
  const CommandResult set = run_vyre({"check", "-", "--set", "WIDTH=32"}, text);
  EXPECT_EQ(set.exit, 0) << set.err;
  EXPECT_NE(set.out.find("32x2x1"), std::string::npos);
  EXPECT_NE(set.out.find("128 bytes"), std::string::npos);
}

TEST(Check, ErrorsExitWith2AndKeepTheirPlace) {
  const CommandResult result =
      run_vyre({"check", "-"}, "@compute @workgroup_size(1)\nfn main() { x }\n");
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("<stdin>:2:")) << result.err;
}

TEST(Check, EveryFileIsCheckedAndOneErrorIsEnough) {
  TemporaryFolder folder;
  const std::string good = folder.path() / "good.wgsl", bad = folder.path() / "bad.wgsl";
  ASSERT_TRUE(replace_file(good, "@compute @workgroup_size(1) fn main() {}"));
  ASSERT_TRUE(replace_file(bad, "fn"));
  const CommandResult result = run_vyre({"check", bad, folder.path() / "missing.wgsl", good});
  EXPECT_EQ(result.exit, 2);
  EXPECT_NE(result.err.find("bad.wgsl:1:"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("missing.wgsl: No such file or directory"), std::string::npos);
  EXPECT_NE(result.out.find("good.wgsl: 1 entry point"), std::string::npos) << result.out;
}

TEST(Check, FoldersAndEmptyFilesAreNoTrouble) {
  TemporaryFolder folder;
  const CommandResult directory = run_vyre({"check", folder.path()});
  EXPECT_EQ(directory.exit, 2);
  EXPECT_NE(directory.err.find("Is a directory"), std::string::npos) << directory.err;
  const CommandResult empty = run_vyre({"check", "-"}, "");
  EXPECT_EQ(empty.exit, 0);
  EXPECT_EQ(empty.out, "<stdin>: 0 entry points\n");
}

TEST(Check, JsonHasStableKeys) {
  const CommandResult result = run_vyre({"check", "-", "--json", "--ir"}, kTwoEntries);
  EXPECT_EQ(result.exit, 0);
  const auto json = nlohmann::json::parse(result.out);
  const auto& file = json.at("files").at(0);
  EXPECT_EQ(file.at("file"), "<stdin>");
  EXPECT_EQ(file.at("ok"), true);
  const auto& plain = file.at("entries").at(0);
  EXPECT_EQ(plain.at("name"), "plain");
  EXPECT_EQ(plain.at("workgroup"), nlohmann::json({8, 1, 1}));
  EXPECT_EQ(plain.at("tunable"), true);
  EXPECT_EQ(plain.at("tunable_parts"),
            (nlohmann::json{{"cpu", {"workgroup", "gang", "groups per task"}},
                            {"gpu", {"workgroup", "items per lane", "layout"}}}));
  EXPECT_EQ(plain.at("fingerprint").get<std::string>().size(), 64U);
  EXPECT_EQ(plain.at("buffers").at(0).at("name"), "out");
  EXPECT_EQ(plain.at("buffers").at(0).at("slot"), 0);
  EXPECT_EQ(plain.at("buffers").at(0).at("element_bytes"), 4);
  EXPECT_EQ(plain.at("overrides").at(0).at("name"), "LIMIT");
  EXPECT_FALSE(plain.at("ir").get<std::string>().empty());
  const auto& scaled = file.at("entries").at(1);
  EXPECT_EQ(scaled.at("unset_overrides"), nlohmann::json({"SCALE"}));
  EXPECT_TRUE(scaled.at("tunable").is_null());
  EXPECT_TRUE(scaled.at("fingerprint").is_null());
  EXPECT_EQ(scaled.at("buffers").at(0).at("name"), "items");
  EXPECT_EQ(scaled.at("buffers").at(0).at("bytes"), 64);
  EXPECT_EQ(scaled.at("overrides").at(0).at("id"), 7);
}

// What it says of tuning is what the planner has candidates for.
TEST(Check, SaysWhichPartsOfALaunchMayBeTuned) {
  constexpr const char* kShared = R"(
var<workgroup> tile: array<u32, 64>;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64) fn turns(@builtin(local_invocation_index) i: u32) {
  tile[i] = i;
  workgroupBarrier();
  out[i] = tile[63u - i];
}
)";
  const CommandResult any = run_vyre({"check", "-"}, kShared);
  EXPECT_NE(any.out.find("launch            may be tuned: gang, groups per task on a CPU; the "
                         "workgroup as declared: it shares memory or waits within its workgroup\n"),
            std::string::npos)
      << any.out;
  const auto on_cpu =
      nlohmann::json::parse(run_vyre({"check", "-", "--device", "cpu", "--json"}, kShared).out);
  const auto& entry = on_cpu.at("files").at(0).at("entries").at(0);
  EXPECT_EQ(entry.at("tunable"), true);
  EXPECT_EQ(entry.at("tunable_parts"), (nlohmann::json{{"cpu", {"gang", "groups per task"}}}));
}

TEST(Check, RefusesWhatIsBeyondTheLimitsOfADevice) {
  constexpr const char* kWide = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1024, 2) fn wide() { out[0] = 1u; }
)";
  EXPECT_EQ(run_vyre({"check", "-"}, kWide).exit, 0) << "no device is known";
  const CommandResult refused = run_vyre({"check", "-", "--device", "cpu"}, kWide);
  EXPECT_EQ(refused.exit, 2);
  EXPECT_NE(refused.err.find("cannot run on cpu: the workgroup has 2048 invocations; cpu allows "
                             "1024"),
            std::string::npos)
      << refused.err;
  const CommandResult ran =
      run_vyre({"run", "-", "--device", "cpu", "--size", "8", "--in", "out=fill:zeros:8"}, kWide);
  EXPECT_EQ(ran.exit, 2) << "and it does not run";
}

TEST(Check, JsonHasDiagnosticsToo) {
  const CommandResult result = run_vyre({"check", "-", "--json"}, "fn f() { let x = y; }");
  EXPECT_EQ(result.exit, 2);
  EXPECT_EQ(result.err, "");
  const auto json = nlohmann::json::parse(result.out);
  const auto& diagnostic = json.at("files").at(0).at("diagnostics").at(0);
  EXPECT_EQ(diagnostic.at("severity"), "error");
  EXPECT_EQ(diagnostic.at("line"), 1);
  EXPECT_EQ(diagnostic.at("column"), 18);
}

TEST(Check, NamesThatAreNotUtf8SurviveJson) {
  const CommandResult result = run_vyre({"check", "\xff\xfe.wgsl", "--json"});
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(nlohmann::json::accept(result.out));
}

TEST(Check, FeaturesSayWhatAnEntryPointUsesAndNeeds) {
  constexpr const char* text = R"(
enable f16, subgroups;
override WIDTH: u32;
var<workgroup> part: array<f32, 96>;
var<workgroup> slots: array<u32, WIDTH>;
@group(0) @binding(0) var<uniform> scale: f32;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@group(2) @binding(0) var image: texture_2d<f32>;
@compute @workgroup_size(512) fn sums(@builtin(local_invocation_index) i: u32) {
  part[i % 96] = out[i];
  workgroupBarrier();
  out[i] = subgroupAdd(part[i % 96]) * scale + f32(max(1h, 2h));
}
@compute @workgroup_size(WIDTH) fn sized(@builtin(local_invocation_index) i: u32) { slots[i] = i; }
@compute @workgroup_size(2048) fn wide() { out[0] = 1; }
@compute @workgroup_size(1) fn blur() { out[0] = textureLoad(image, vec2u(), 0).x; }
@vertex fn place() -> @builtin(position) vec4f { return vec4f(); }
)";
  const CommandResult result = run_vyre({"check", "-", "--features"}, text);
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(result.err, "");
  expect_golden(result.out, "check_features.txt");
  const CommandResult json = run_vyre({"check", "-", "--features", "--json"}, text);
  const auto file = nlohmann::json::parse(json.out).at("files").at(0);
  EXPECT_EQ(file["ok"], true);
  const auto features = file["features"];
  EXPECT_EQ(features["extensions_used"], nlohmann::json::parse(R"(["f16", "subgroups"])"));
  EXPECT_EQ(features["device"], "cpu");
  const auto sums = features["entries"][0];
  EXPECT_EQ(sums["runs"], true);
  EXPECT_EQ(sums["needs_features"], nlohmann::json::parse(R"(["shader-f16", "subgroups"])"));
  EXPECT_EQ(sums["builtins"]["subgroup"][0], "subgroupAdd");
  EXPECT_EQ(sums["workgroup_bytes"], 384);
  EXPECT_EQ(sums["needs_limits"]["maxComputeInvocationsPerWorkgroup"]["needed"], 512);
  EXPECT_EQ(features["entries"][1]["runs"], nullptr);
  EXPECT_EQ(features["entries"][2]["runs"], false);
  EXPECT_EQ(features["entries"][3]["bindings"][1]["space"], "handle");
  EXPECT_EQ(features["entries"][4]["stage"], "vertex");
  EXPECT_EQ(
      run_vyre({"check", "-", "--device", "cpu"},
               "enable subgroups; @compute @workgroup_size(8) fn main() { _ = subgroupAdd(1); }")
          .exit,
      0);
  const CommandResult set = run_vyre({"check", "-", "--features", "--set", "WIDTH=64"}, text);
  EXPECT_EQ(set.out.find("unknown until"), std::string::npos) << set.out;
  const CommandResult wrong = run_vyre({"check", "-", "--features"}, "fn f() { x }");
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_EQ(wrong.out, "");
}

}  // namespace
}  // namespace vyre
