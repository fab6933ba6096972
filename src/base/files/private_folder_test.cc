#include "vyre/base/files/private_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>

#include "vyre/base/files/other_user_testing.h"
#include "vyre/base/files/temporary_folder_testing.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

class PrivateFolders : public ::testing::Test {
 protected:
  PrivateFolders() { ::setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1); }
  ~PrivateFolders() override { ::unsetenv("XDG_CACHE_HOME"); }

  fs::path at(const std::string& name) const { return folder_.path() / name; }
  static unsigned mode_of(const fs::path& path) {
    return static_cast<unsigned>(fs::status(path).permissions());
  }
  static void set_mode(const fs::path& path, unsigned mode) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
  }
  // The error of using the folder in either way; empty where it is used.
  static std::string fault(const fs::path& path) {
    const auto found = PrivateFolder::find(path);
    const auto made = PrivateFolder::make(path);
    EXPECT_EQ(found.has_value(), made.has_value());
    return made ? "" : made.error().what;
  }
  // The same of a file; what it holds must stay as it is.
  std::string file_fault(const std::string& name) const {
    const PrivateFolder folder = PrivateFolder::make(folder_.path()).value();
    const auto read = folder.read(name, 1000);
    const auto written = folder.replace(name, "new");
    EXPECT_EQ(read.has_value(), written.has_value());
    EXPECT_EQ(folder.open(name, O_RDWR | O_APPEND | O_CREAT).has_value(), written.has_value());
    return written ? "" : written.error().what;
  }

  TemporaryFolder folder_;
};

TEST_F(PrivateFolders, AFolderThatIsNotThereIsNothingUntilItIsMade) {
  EXPECT_EQ(PrivateFolder::find(at("a/b")).value().has_value(), false);
  const auto made = PrivateFolder::make(at("a/b"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->path(), at("a/b"));
  EXPECT_EQ(mode_of(at("a")), 0700u);
  EXPECT_EQ(mode_of(at("a/b")), 0700u);
  EXPECT_EQ(PrivateFolder::find(at("a/b")).value().has_value(), true);
}

TEST_F(PrivateFolders, ARelativeFolderIsRefused) {
  for (const char* path : {"", ".", "vyre", "./vyre/code", "../vyre"}) {
    EXPECT_NE(fault(path).find("relative"), std::string::npos) << path;
  }
  EXPECT_FALSE(fs::exists("vyre"));
}

TEST_F(PrivateFolders, FoldersOfTheCacheThatOthersMayReadAreMadePrivate) {
  fs::create_directories(at("vyre/code"));
  set_mode(at("vyre"), 0755);
  set_mode(at("vyre/code"), 0755);
  set_mode(folder_.path(), 0755);
  ASSERT_TRUE(PrivateFolder::find(at("vyre/code")));
  EXPECT_EQ(mode_of(at("vyre")), 0700u);
  EXPECT_EQ(mode_of(at("vyre/code")), 0700u);
  EXPECT_EQ(mode_of(folder_.path()), 0755u);
}

TEST_F(PrivateFolders, AFolderThatAPersonNamedKeepsItsMode) {
  fs::create_directories(at("mine"));
  set_mode(at("mine"), 0755);
  ASSERT_TRUE(PrivateFolder::make(at("mine")));
  EXPECT_EQ(mode_of(at("mine")), 0755u);
}

TEST_F(PrivateFolders, AFolderThatOthersMayWriteIsRefused) {
  fs::create_directories(at("vyre/code"));
  for (const unsigned mode : {0777u, 0770u, 0720u, 0702u}) {
    set_mode(at("vyre/code"), mode);
    EXPECT_NE(fault(at("vyre/code")).find(at("vyre/code").string() + " is neither"),
              std::string::npos);
    EXPECT_EQ(mode_of(at("vyre/code")), mode);
  }
  set_mode(at("vyre/code"), 0700);
  EXPECT_EQ(fault(at("vyre/code")), "");
}

TEST_F(PrivateFolders, AFolderBelowOneThatOthersMayWriteIsRefused) {
  fs::create_directories(at("shared/vyre/code"));
  set_mode(at("shared"), 0777);
  EXPECT_NE(fault(at("shared/vyre/code")).find(at("shared").string() + " is neither"),
            std::string::npos);
  EXPECT_NE(fault(at("shared/new")), "");
  EXPECT_FALSE(fs::exists(at("shared/new")));
  // As /tmp is: what is ours there, others can neither rename nor remove.
  set_mode(at("shared"), 01777);
  EXPECT_EQ(fault(at("shared/vyre/code")), "");
}

TEST_F(PrivateFolders, AFolderOfTheCacheItselfIsNoPlaceForOthersEvenIfSticky) {
  fs::create_directories(at("vyre/code"));
  set_mode(at("vyre/code"), 01777);
  EXPECT_NE(fault(at("vyre/code")), "");
}

TEST_F(PrivateFolders, AFolderOfAnotherUserIsRefused) {
  if (!may_play_another_user()) GTEST_SKIP() << "needs root";
  fs::create_directories(at("vyre/code"));
  give_to_another_user(at("vyre/code"));
  EXPECT_NE(fault(at("vyre/code")).find("54321"), std::string::npos);
  give_to_another_user(at("vyre"));
  EXPECT_NE(fault(at("vyre/code")).find(at("vyre").string() + " is neither"), std::string::npos);
}

TEST_F(PrivateFolders, AFolderOfRootIsUsedByOthersWhoMayReadIt) {
  if (!may_play_another_user()) GTEST_SKIP() << "needs root";
  fs::create_directories(at("mine"));
  set_mode(folder_.path(), 0755);
  set_mode(at("mine"), 0755);
  EXPECT_EQ(as_another_user([&] {
              const auto folder = PrivateFolder::find(at("mine"));
              if (!folder || !*folder) return 1;
              return (*folder)->replace("a", "x") ? 2 : 0;  // not allowed, and told
            }),
            0);
}

TEST_F(PrivateFolders, LinksToFoldersAreFollowedWhereTheyAreOurs) {
  fs::create_directories(at("real"));
  set_mode(at("real"), 0755);
  fs::create_directory_symlink(at("real"), at("vyre"));
  fs::create_directory_symlink("../real", at("real/again"));
  ASSERT_TRUE(PrivateFolder::make(at("vyre/again/code")));
  EXPECT_TRUE(fs::is_directory(at("real/code")));
  EXPECT_EQ(mode_of(at("real/code")), 0700u);
  EXPECT_EQ(mode_of(at("real")), 0755u);
  // What they lead to is checked like everything else.
  set_mode(at("real"), 0777);
  EXPECT_NE(fault(at("vyre/code")), "");
  set_mode(at("real"), 0700);
  EXPECT_EQ(fault(at("vyre/code")), "");
  if (!may_play_another_user()) return;
  give_to_another_user(at("vyre"));
  EXPECT_NE(fault(at("vyre/code")).find(at("vyre").string() + " is neither"), std::string::npos);
}

TEST_F(PrivateFolders, LinksInACircleAreAnError) {
  fs::create_symlink("b", at("a"));
  fs::create_symlink("a", at("b"));
  EXPECT_NE(fault(at("a/code")), "");
}

TEST_F(PrivateFolders, SomethingElseInPlaceOfAFolderIsAnError) {
  ASSERT_TRUE(replace_file(at("vyre"), "a file"));
  EXPECT_NE(fault(at("vyre/code")), "");
  fs::remove(at("vyre"));
  ASSERT_EQ(::mkfifo(at("vyre").c_str(), 0600), 0);
  EXPECT_NE(fault(at("vyre/code")), "");
}

TEST_F(PrivateFolders, AFileIsReadAndReplacedAndKeepsItsMode) {
  EXPECT_EQ(file_fault("file"), "");
  EXPECT_EQ(mode_of(at("file")), 0600u);
  set_mode(at("file"), 0644);
  const PrivateFolder folder = PrivateFolder::make(folder_.path()).value();
  ASSERT_TRUE(folder.replace("file", "newer"));
  EXPECT_EQ(folder.read("file", 5).value(), "newer");
  EXPECT_EQ(folder.read("file", 4).error().code, Code::limit);
  EXPECT_EQ(folder.read("none", 5).value(), std::nullopt);
  EXPECT_EQ(mode_of(at("file")), 0644u);
  EXPECT_EQ(folder.names().value(), std::vector<std::string>{"file"});
  ASSERT_TRUE(folder.remove("file"));
  ASSERT_TRUE(folder.remove("file"));
  EXPECT_EQ(folder.names().value().size(), 0u);
}

TEST_F(PrivateFolders, ALinkInPlaceOfAFileIsNeitherReadNorWritten) {
  ASSERT_TRUE(replace_file(at("target"), "mine"));
  fs::create_symlink("target", at("file"));
  EXPECT_NE(file_fault("file").find(at("file").string() + " is neither"), std::string::npos);
  EXPECT_EQ(*read_file(at("target")), "mine");
  fs::remove(at("target"));
  EXPECT_NE(file_fault("file"), "");
  EXPECT_FALSE(fs::exists(at("target")));
}

TEST_F(PrivateFolders, APipeADeviceOrAFolderInPlaceOfAFileIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(at("file").c_str(), 0600), 0);
  EXPECT_NE(file_fault("file").find("not a plain file"), std::string::npos);
  fs::remove(at("file"));
  fs::create_directory(at("file"));
  EXPECT_NE(file_fault("file"), "");
  fs::remove(at("file"));
  if (::mknod(at("file").c_str(), S_IFCHR | 0600, 0x103) != 0) return;  // as /dev/null
  EXPECT_NE(file_fault("file").find("not a plain file"), std::string::npos);
}

TEST_F(PrivateFolders, AFileThatOthersMayWriteIsRefused) {
  ASSERT_TRUE(replace_file(at("file"), "old"));
  for (const unsigned mode : {0666u, 0620u, 0602u}) {
    set_mode(at("file"), mode);
    EXPECT_NE(file_fault("file").find("other users may write"), std::string::npos);
    EXPECT_EQ(*read_file(at("file")), "old");
  }
}

TEST_F(PrivateFolders, AFileOfAnotherUserIsRefused) {
  if (!may_play_another_user()) GTEST_SKIP() << "needs root";
  ASSERT_TRUE(replace_file(at("file"), "old"));
  give_to_another_user(at("file"));
  EXPECT_NE(file_fault("file").find("54321"), std::string::npos);
  EXPECT_EQ(*read_file(at("file")), "old");
}

TEST_F(PrivateFolders, TemporariesOfAKilledProcessAreRemovedForOneFileOnly) {
  const std::set<std::string> kept{"a.toml", ".b.toml.vyre-7-0.tmp", ".a.toml.tmp", "a.toml.tmp"};
  for (const std::string& name : kept) ASSERT_TRUE(replace_file(at(name), "x"));
  ASSERT_TRUE(replace_file(at(".a.toml.vyre-7-0.tmp"), "x"));
  const PrivateFolder folder = PrivateFolder::make(folder_.path()).value();
  folder.remove_abandoned_temporaries("a.toml");
  const auto names = folder.names().value();
  EXPECT_EQ(std::set(names.begin(), names.end()), kept);
}

TEST_F(PrivateFolders, AFolderThatIsExchangedAfterTheCheckIsNotWrittenTo) {
  const PrivateFolder folder = PrivateFolder::make(at("mine")).value();
  fs::rename(at("mine"), at("away"));
  fs::create_directory(at("mine"));
  ASSERT_TRUE(folder.replace("file", "x"));
  EXPECT_FALSE(fs::exists(at("mine/file")));
  EXPECT_TRUE(fs::exists(at("away/file")));
}

TEST(WarnOnce, EachReasonIsToldOnce) {
  testing::internal::CaptureStderr();
  const Error error{
      .code = Code::io, .what = "/some/folder is neither read nor written", .fix = {}};
  warn_once("first", error);
  warn_once("second", error);
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("first: /some/folder"), std::string::npos);
  EXPECT_EQ(told.find("second"), std::string::npos);
}

}  // namespace
}  // namespace vyre
