// Compiled code that somebody planted: in each test it is correct in every byte but gives another
// number, so that a kernel that runs it is found out.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "doors.h"
#include "vyre/base/files/files.h"
#include "vyre/base/files/other_user_testing.h"
#include "vyre/base/files/temporary_folder_testing.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

constexpr int kOwn = 1111, kPlanted = 2222;

class PlantedCode : public testing::TestWithParam<Door> {
 protected:
  void SetUp() override {
    ASSERT_EQ(::chmod(root_.path().c_str(), 0755), 0);
    fs::create_directories(at("current"));
    fs::create_directories(at("usual"));
    const auto own = code_of(kOwn), other = code_of(kPlanted);
    // A graph program has several kernels, of which one gives the number.
    const auto of_one_alone = [](const auto& all, const auto& others) {
      std::vector<std::pair<std::string, std::string>> out;
      for (const auto& each : all) {
        if (!others.contains(each.first)) out.push_back(each);
      }
      EXPECT_EQ(out.size(), 1u);
      return out.empty() ? std::pair<std::string, std::string>() : out.front();
    };
    name_ = of_one_alone(own, other).first;
    code_ = of_one_alone(other, own).second;
    ASSERT_FALSE(name_.empty());
  }

  fs::path at(const std::string& name) const { return root_.path() / name; }

  // The files of code, by name, that a kernel leaves in a cache that is in order.
  std::map<std::string, std::string> code_of(int number) {
    fs::remove_all(at("usual/vyre"));
    const Told told = run({.xdg_cache_home = at("usual"), .current = at("current")}, number);
    EXPECT_EQ(told.status, 0) << told.errors;
    EXPECT_EQ(told.number, std::to_string(number)) << told.errors;
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator(at("usual/vyre/code"))) {
      out[entry.path().filename()] = *read_file(entry.path());
    }
    return out;
  }
  Told run(const Place& place, int number = kOwn) const { return GetParam().run(place, number); }

  void plant(const fs::path& cache) const {
    fs::create_directories(cache / "vyre/code");
    ASSERT_TRUE(replace_file(planted(cache), code_));
  }
  fs::path planted(const fs::path& cache) const { return cache / "vyre/code" / name_; }
  // The kernel ran as it was written, the planted file is as it was, and one warning names it or a
  // folder that it is in.
  void expect_refused(const Told& told, const fs::path& named) const {
    EXPECT_EQ(told.status, 0) << told.errors;
    EXPECT_EQ(told.number, std::to_string(kOwn)) << told.errors;
    const std::string text = named.string() + " is neither read nor written";
    const auto first = told.errors.find(text);
    EXPECT_NE(first, std::string::npos) << told.errors;
    EXPECT_EQ(told.errors.find("is neither", first + text.size()), std::string::npos)
        << told.errors;
  }
  void expect_untouched(const fs::path& cache) const {
    EXPECT_EQ(read_file(planted(cache)).value_or("gone"), code_);
    EXPECT_EQ(std::distance(fs::directory_iterator(cache / "vyre/code"), {}), 1);
    EXPECT_FALSE(fs::exists(cache / "vyre/tuner"));
  }

  TemporaryFolder root_;
  std::string name_, code_;
};

TEST_P(PlantedCode, IsRunWhereTheUserAloneCouldPutIt) {  // the attack, where it is none
  plant(at("mine"));
  const Told told = run({.xdg_cache_home = at("mine"), .current = at("current")});
  EXPECT_EQ(told.number, std::to_string(kPlanted)) << told.errors;
  EXPECT_EQ(fs::status(at("mine/vyre")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(at("mine/vyre/code")).permissions(), fs::perms::owner_all);
}

TEST_P(PlantedCode, IsNotRunFromTheCurrentFolder) {
  plant(at("current"));
  plant(at("current/.cache"));
  plant(at("current/sub"));
  for (const Place& place :
       {Place{.current = at("current")},
        Place{.xdg_cache_home = "", .home = "", .current = at("current")},
        Place{.home = ".", .current = at("current")},
        Place{.xdg_cache_home = "sub", .current = at("current")},
        Place{.xdg_cache_home = "./sub", .home = at("usual"), .current = at("current")}}) {
    const Told told = run(place);
    EXPECT_EQ(told.status, 0) << told.errors;
    EXPECT_EQ(told.number, std::to_string(kOwn)) << told.errors;
    EXPECT_NE(told.errors.find("relative to the current folder"), std::string::npos) << told.errors;
    EXPECT_EQ(std::ranges::count(told.errors, '\n'), 1) << told.errors;
    for (const char* cache : {"current", "current/.cache", "current/sub"}) {
      expect_untouched(at(cache));
    }
  }
}

TEST_P(PlantedCode, IsNotRunFromAFolderThatOthersMayWrite) {
  plant(at("shared"));
  const Place place{.xdg_cache_home = at("shared"), .current = at("current")};
  for (const char* folder : {"shared", "shared/vyre", "shared/vyre/code"}) {
    ASSERT_EQ(::chmod(at(folder).c_str(), 0777), 0);
    if (std::string(folder) == "shared/vyre/code") {
      // Evidence has a folder of its own, which is in order.
      const Told told = run(place);
      EXPECT_EQ(told.number, std::to_string(kOwn)) << told.errors;
      EXPECT_EQ(read_file(planted(at("shared"))).value_or("gone"), code_);
    } else {
      expect_refused(run(place), at(folder));
      expect_untouched(at("shared"));
    }
    ASSERT_EQ(::chmod(at(folder).c_str(), 0700), 0);
  }
}

TEST_P(PlantedCode, OfAnotherUserIsNotRun) {
  if (!may_play_another_user()) GTEST_SKIP() << "needs root";
  plant(at("theirs"));
  const Place there{.xdg_cache_home = at("theirs"), .current = at("current")};
  for (const char* path : {"vyre/code/", "vyre/code", "vyre", ""}) {
    const fs::path given =
        std::string(path) == "vyre/code/" ? planted(at("theirs")) : at("theirs") / path;
    ASSERT_EQ(::lchown(given.c_str(), kOtherUser, kOtherUser), 0);
    const Told told = run(there);
    EXPECT_EQ(told.number, std::to_string(kOwn)) << told.errors;
    EXPECT_EQ(read_file(planted(at("theirs"))).value_or("gone"), code_);
    EXPECT_NE(told.errors.find("belongs to user 54321"), std::string::npos) << told.errors;
    ASSERT_EQ(::lchown(given.c_str(), 0, 0), 0);
  }
}

TEST_P(PlantedCode, OfAUserIsNotRunByAnother) {
  if (!may_play_another_user()) GTEST_SKIP() << "needs root";
  // The other way round: a user whose cache folder belongs to a third one.
  plant(at("theirs"));
  for (const auto& entry : fs::recursive_directory_iterator(at("theirs"))) {
    ASSERT_EQ(::chown(entry.path().c_str(), kOtherUser + 1, kOtherUser + 1), 0);
    ASSERT_EQ(::chmod(entry.path().c_str(), 0755), 0);
  }
  const Told told =
      run({.xdg_cache_home = at("theirs"), .current = at("current"), .as_another_user = true});
  expect_refused(told, at("theirs/vyre"));
}

TEST_P(PlantedCode, ALinkInItsPlaceIsNotFollowed) {
  plant(at("linked"));
  fs::rename(planted(at("linked")), at("precious"));
  fs::create_symlink(at("precious"), planted(at("linked")));
  const Place place{.xdg_cache_home = at("linked"), .current = at("current")};
  expect_refused(run(place), planted(at("linked")));
  EXPECT_EQ(*read_file(at("precious")), code_);
  // Nor is one to something that is no code.
  ASSERT_TRUE(replace_file(at("precious"), "dear diary"));
  expect_refused(run(place), planted(at("linked")));
  EXPECT_EQ(*read_file(at("precious")), "dear diary");
  fs::remove(at("precious"));
  expect_refused(run(place), planted(at("linked")));
  EXPECT_FALSE(fs::exists(at("precious")));
}

TEST_P(PlantedCode, APipeInItsPlaceIsNotWaitedFor) {
  plant(at("pipe"));
  fs::remove(planted(at("pipe")));
  ASSERT_EQ(::mkfifo(planted(at("pipe")).c_str(), 0600), 0);
  expect_refused(run({.xdg_cache_home = at("pipe"), .current = at("current")}),
                 planted(at("pipe")));
}

TEST_P(PlantedCode, AFolderInItsPlaceCostsAWarning) {
  fs::create_directories(planted(at("folder")));
  const Told told = run({.xdg_cache_home = at("folder"), .current = at("current")});
  EXPECT_EQ(told.number, std::to_string(kOwn)) << told.errors;
  EXPECT_NE(told.errors.find(name_), std::string::npos) << told.errors;
}

INSTANTIATE_TEST_SUITE_P(Doors, PlantedCode, testing::ValuesIn(doors()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace vyre
