// Evidence that somebody planted: it says that another candidate than the first was chosen, so that
// a tuner that believes it is found out.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vyre/c.h>

#include <array>
#include <cstdio>
#include <string>

#include "doors.h"
#include "vyre/base/files/files.h"
#include "vyre/base/files/other_user_testing.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/tune/foreign/kernel_tuner.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

const KernelKey kKey{.name = "doors", .device = "numbers"};
constexpr std::array kCandidates{"a=0", "a=1"};

int tell_choice(std::uint32_t candidate) {
  std::printf("%u", candidate);
  std::fflush(stdout);
  return 0;
}

int run_tuner() {
  std::vector<Configuration> candidates;
  for (const char* text : kCandidates) candidates.push_back(parse_configuration(text).value());
  auto tuner = KernelTuner::open(kKey, candidates);
  return tuner ? tell_choice(tuner->next().choice.index()) : 1;
}

int run_c_tuner() {
  vyre_tuner_key key{};
  key.struct_size = sizeof key;
  key.name = kKey.name.c_str();
  key.device = kKey.device.c_str();
  vyre_tuner tuner = 0;
  vyre_tuner_call call{};
  call.struct_size = sizeof call;
  if (vyre_tuner_open(nullptr, &key, kCandidates.data(), kCandidates.size(), nullptr, &tuner) !=
          VYRE_OK ||
      vyre_tuner_next(tuner, &call) != VYRE_OK || vyre_tuner_close(tuner) != VYRE_OK) {
    return 1;
  }
  return tell_choice(call.candidate);
}

struct TunerDoor {
  std::string name;
  int (*work)();
};

class PlantedEvidence : public testing::TestWithParam<TunerDoor> {
 protected:
  void SetUp() override {
    ASSERT_EQ(::chmod(root_.path().c_str(), 0755), 0);
    fs::create_directories(at("current"));
    const auto store = EvidenceStore::open(file_in(at("source"))).value();
    ASSERT_TRUE(store->append(
        tuning_key(kKey),
        std::array{EvidenceEvent{.kind = EventKind::settled, .candidate = "a=1", .reason = "x"}}));
    text_ = *read_file(file_in(at("source")));
  }

  fs::path at(const std::string& name) const { return root_.path() / name; }
  static fs::path file_in(const fs::path& cache) { return cache / "vyre/tuner/evidence.jsonl"; }
  void plant(const fs::path& cache) const {
    fs::create_directories(file_in(cache).parent_path());
    ASSERT_TRUE(replace_file(file_in(cache), text_));
  }
  Told run(const Place& place) const { return in_process(place, GetParam().work); }
  // The tuner serves its first candidate, the planted file is as it was, and a warning names
  // `named`.
  void expect_refused(const Place& place, const fs::path& cache, const std::string& named) const {
    const Told told = run(place);
    EXPECT_EQ(told.status, 0) << told.errors;
    EXPECT_EQ(told.number, "0") << told.errors;
    EXPECT_NE(told.errors.find(named), std::string::npos) << told.errors;
    EXPECT_EQ(read_file(file_in(cache)).value_or("gone"), text_);
  }

  TemporaryFolder root_;
  std::string text_;
};

TEST_P(PlantedEvidence, IsBelievedWhereTheUserAloneCouldPutIt) {
  plant(at("mine"));
  const Told told = run({.xdg_cache_home = at("mine"), .current = at("current")});
  EXPECT_EQ(told.status, 0) << told.errors;
  EXPECT_EQ(told.number, "1") << told.errors;
}

TEST_P(PlantedEvidence, IsNotReadFromTheCurrentFolder) {
  plant(at("current"));
  plant(at("current/sub"));
  expect_refused({.current = at("current")}, at("current"), "relative to the current folder");
  expect_refused({.xdg_cache_home = "sub", .current = at("current")}, at("current/sub"),
                 "relative to the current folder");
}

TEST_P(PlantedEvidence, IsNotReadFromAFolderThatOthersMayWrite) {
  plant(at("shared"));
  for (const char* folder : {"shared", "shared/vyre", "shared/vyre/tuner"}) {
    ASSERT_EQ(::chmod(at(folder).c_str(), 0777), 0);
    expect_refused({.xdg_cache_home = at("shared"), .current = at("current")}, at("shared"),
                   at(folder).string() + " is neither read nor written");
    ASSERT_EQ(::chmod(at(folder).c_str(), 0700), 0);
  }
}

TEST_P(PlantedEvidence, OfAnotherUserIsNotRead) {
  if (!may_play_another_user()) GTEST_SKIP() << "needs root";
  plant(at("theirs"));
  for (const fs::path& given : {file_in(at("theirs")), at("theirs/vyre/tuner"), at("theirs")}) {
    give_to_another_user(given);
    expect_refused({.xdg_cache_home = at("theirs"), .current = at("current")}, at("theirs"),
                   "belongs to user 54321");
    ASSERT_EQ(::lchown(given.c_str(), 0, 0), 0);
  }
}

TEST_P(PlantedEvidence, ALinkOrAPipeInItsPlaceIsLeftAlone) {
  plant(at("linked"));
  fs::rename(file_in(at("linked")), at("precious"));
  fs::create_symlink(at("precious"), file_in(at("linked")));
  const Place place{.xdg_cache_home = at("linked"), .current = at("current")};
  expect_refused(place, at("linked"), file_in(at("linked")).string());
  fs::remove(file_in(at("linked")));
  ASSERT_EQ(::mkfifo(file_in(at("linked")).c_str(), 0600), 0);
  const Told told = run(place);
  EXPECT_EQ(told.status, 0) << told.errors;
  EXPECT_EQ(told.number, "0") << told.errors;
}

INSTANTIATE_TEST_SUITE_P(Doors, PlantedEvidence,
                         testing::Values(TunerDoor{"tuner", run_tuner},
                                         TunerDoor{"c_tuner", run_c_tuner}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vyre
