// Files that somebody planted for `vyre tune`, which needs its evidence, and a planted decision
// file, which names a workgroup.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include "doors.h"
#include "vyre/base/files/files.h"
#include "vyre/base/files/other_user_testing.h"
#include "vyre/base/files/paths.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/engine/plan_facts.h"
#include "vyre/engine/session.h"
#include "vyre/plan/decision_lookup.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

constexpr const char* kText =
    "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
    "  out[id.x] = 1u;\n}\n";
constexpr Extent kSize{100'000, 1, 1};

// Does not return where the command can be started.
int tune() {
  ::execl(VYRE_PROGRAM, "vyre", "tune", "kernel.wgsl", "--device", "cpu", "--size", "64",
          "--budget", "0.1", nullptr);
  return 120;
}

Kernel kernel() { return *make_kernel(parse_wgsl(kText, "kernel.wgsl").module->programs.front()); }

// Prints the workgroup that a session would launch, which is what the decision file says where it
// is believed.
int plan() {
  auto options = SessionOptions::from_environment();
  if (!options) return 1;
  const auto session = Session::open("null", *std::move(options));
  if (!session) return 2;
  const std::array<BindingBytes, 1> bindings{BindingBytes{0, 0, 400'000}};
  const auto plan = session->plan(kernel(), bindings, DispatchSize::extent(kSize));
  if (!plan) return 3;
  std::printf("%u", plan->variant.workgroup[0]);
  std::fflush(stdout);
  return 0;
}

class PlantedForCommands : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::chmod(root_.path().c_str(), 0755), 0);
    fs::create_directories(at("current"));
    ASSERT_TRUE(replace_file(at("current/kernel.wgsl"), kText));
  }
  fs::path at(const std::string& name) const { return root_.path() / name; }
  Place place(const std::string& cache) const {
    return {.xdg_cache_home = at(cache), .current = at("current")};
  }

  TemporaryFolder root_;
};

TEST_F(PlantedForCommands, TuneReadsEvidenceOnlyWhereTheUserAloneCouldPutIt) {
  const std::string text = "planted\n";
  const fs::path file = at("cache/vyre/tuner/evidence.jsonl");
  fs::create_directories(file.parent_path());
  ASSERT_TRUE(replace_file(file, text));
  const auto expect = [&](const std::string& words) {
    const Told told = in_process(place("cache"), tune);
    EXPECT_GT(told.status, 0) << told.errors;
    EXPECT_NE(told.errors.find(words), std::string::npos) << words << " in " << told.errors;
    EXPECT_EQ(*read_file(file), text);
  };
  expect("is no evidence");
  for (const char* folder : {"cache", "cache/vyre", "cache/vyre/tuner"}) {
    ASSERT_EQ(::chmod(at(folder).c_str(), 0777), 0);
    expect(at(folder).string() + " is neither read nor written");
    ASSERT_EQ(::chmod(at(folder).c_str(), 0700), 0);
  }
  if (may_play_another_user()) {
    give_to_another_user(file);
    expect("belongs to user 54321");
    ASSERT_EQ(::lchown(file.c_str(), 0, 0), 0);
  }
  fs::rename(file, at("precious"));
  fs::create_symlink(at("precious"), file);
  expect(file.string() + " is neither read nor written");
}

TEST_F(PlantedForCommands, ADecisionFileIsReadOnlyWhereTheUserAloneCouldPutIt) {
  const Told declared = in_process(place("empty"), plan);
  ASSERT_EQ(declared.status, 0) << declared.errors;
  // Another process writes the file, since the cache folder is that of the environment.
  const Told made = in_process(place("cache"), [] {
    const auto session = Session::open("null", {});
    if (!session) return 1;
    // A candidate that differs from the declared variant in its workgroup alone.
    Extent workgroup{};
    const auto variants = session->variants(kernel(), DispatchSize::extent(kSize));
    for (Variant v : variants) {
      const Extent its = std::exchange(v.workgroup, variants.front().workgroup);
      if (its != v.workgroup && v == variants.front()) workgroup = its;
    }
    std::printf("%u", workgroup[0]);
    std::fflush(stdout);
    const Adapter adapter = adapter_of(plan_device_of(session->device()));
    return export_decision(adapter, kernel(), kSize, workgroup) ? 0 : 2;
  });
  ASSERT_EQ(made.status, 0) << made.errors;
  ASSERT_NE(made.number, declared.number);
  fs::path file;
  for (const auto& entry : fs::recursive_directory_iterator(at("cache/vyre"))) {
    if (entry.path().extension() == ".toml") file = entry.path();
  }
  ASSERT_FALSE(file.empty());
  const std::string text = *read_file(file);
  const auto expect = [&](const std::string& number, const std::string& words) {
    const Told told = in_process(place("cache"), plan);
    EXPECT_EQ(told.status, 0) << told.errors;
    EXPECT_EQ(told.number, number) << told.errors;
    EXPECT_NE(told.errors.find(words), std::string::npos) << words << " in " << told.errors;
    EXPECT_EQ(*read_file(file), text);
  };
  expect(made.number, "");
  for (fs::path folder = file.parent_path(); folder != root_.path();
       folder = folder.parent_path()) {
    ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
    expect(declared.number, folder.string() + " is neither read nor written");
    ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
  }
  if (may_play_another_user()) {
    give_to_another_user(file);
    expect(declared.number, "belongs to user 54321");
    ASSERT_EQ(::lchown(file.c_str(), 0, 0), 0);
  }
  fs::rename(file, at("precious"));
  fs::create_symlink(at("precious"), file);
  expect(declared.number, file.string() + " is neither read nor written");
}

}  // namespace
}  // namespace vyre
