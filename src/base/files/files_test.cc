#include "vyre/base/files/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vyre/base/files/temporary_folder_testing.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  TemporaryFolder folder_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string content("one\0two\nthree", 13);
  ASSERT_TRUE(replace_file(at("a"), content));
  EXPECT_EQ(*read_file(at("a")), content);
}

TEST_F(Files, AMissingFileIsAnErrorWithItsPathAndTheReason) {
  const auto content = read_file(at("missing"));
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, Code::io);
  EXPECT_EQ(content.error().what,
            fmt::format("cannot open {}: No such file or directory", at("missing").string()));
}

TEST_F(Files, AMissingFileMayBeExpected) {
  const auto content = read_file_if_exists(at("missing"));
  ASSERT_TRUE(content);
  EXPECT_EQ(*content, std::nullopt);
  ASSERT_TRUE(replace_file(at("there"), "x"));
  EXPECT_EQ(**read_file_if_exists(at("there")), "x");
}

TEST_F(Files, AFolderCannotBeReadOrReplaced) {
  const auto content = read_file(folder_.path());
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().code, Code::io);
  const auto replaced = replace_file(folder_.path(), "x");
  ASSERT_FALSE(replaced);
  EXPECT_NE(replaced.error().what.find("Is a directory"), std::string::npos);
}

TEST_F(Files, TheReadLimitIsExact) {
  ASSERT_TRUE(replace_file(at("a"), "12345"));
  EXPECT_EQ(*read_file(at("a"), 5), "12345");
  const auto refused = read_file(at("a"), 4);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit);
}

TEST_F(Files, AFileBeyondTheLimitIsNotReadAtAll) {
  // A sparse file of a terabyte: reading up to the limit would take minutes.
  ASSERT_TRUE(replace_file(at("sparse"), std::string_view("")));
  std::filesystem::resize_file(at("sparse"), std::uintmax_t{1} << 40);
  EXPECT_EQ(read_file(at("sparse"), (std::uint64_t{1} << 40) - 1).error().code, Code::limit);
}

TEST_F(Files, AnEndlessInputStopsAtTheLimit) {
  const auto refused = read_file("/dev/zero", 100'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::limit);
}

TEST_F(Files, ReplacingLeavesNoTemporaryFile) {
  ASSERT_TRUE(replace_file(at("a"), "old"));
  ASSERT_TRUE(replace_file(at("a"), "new"));
  EXPECT_EQ(*read_file(at("a")), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, AFailedReplaceLeavesNothingBehind) {
  const auto replaced = replace_file(at("no/such/folder/a"), "x");
  ASSERT_FALSE(replaced);
  EXPECT_NE(replaced.error().what.find("No such file or directory"), std::string::npos);
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, ReplacingKeepsThePermissions) {
  ASSERT_TRUE(replace_file(at("a"), "old"));
  ASSERT_EQ(::chmod(at("a").c_str(), 0640), 0);
  ASSERT_TRUE(replace_file(at("a"), "new"));
  EXPECT_EQ(fs::status(at("a")).permissions(), static_cast<fs::perms>(0640));
}

TEST_F(Files, ASymbolicLinkStaysALink) {
  ASSERT_TRUE(make_folders(at("data")));
  ASSERT_TRUE(replace_file(at("data/real"), "old"));
  fs::create_symlink("data/real", at("link"));
  ASSERT_TRUE(replace_file(at("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(*read_file(at("data/real")), "new");
}

TEST_F(Files, ALinkToNothingMakesTheFileItNames) {
  fs::create_symlink("later", at("link"));
  ASSERT_TRUE(replace_file(at("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(*read_file(at("later")), "new");
}

TEST_F(Files, LinksInACircleAreAnError) {
  fs::create_symlink("b", at("a"));
  fs::create_symlink("a", at("b"));
  const auto replaced = replace_file(at("a"), "x");
  ASSERT_FALSE(replaced);
  EXPECT_EQ(replaced.error().code, Code::io);
}

TEST_F(Files, ADeviceIsWrittenToAndStaysADevice) {
  ASSERT_TRUE(replace_file("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(replace_file("/dev/full", "x"));
}

TEST_F(Files, AReaderNeverSeesHalfAReplacement) {
  const std::string one(200'000, '1');
  const std::string two(300'000, '2');
  ASSERT_TRUE(replace_file(at("a"), one));
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(replace_file(at("a"), i % 2 == 0 ? two : one));
  });
  for (int i = 0; i < 50; ++i) {
    const auto content = read_file(at("a"));
    EXPECT_TRUE(content && (*content == one || *content == two));
  }
  writer.join();
}

TEST_F(Files, FoldersAreMadeWithThoseAbove) {
  ASSERT_TRUE(make_folders(at("a/b/c")));
  ASSERT_TRUE(make_folders(at("a/b/c")));
  EXPECT_TRUE(fs::is_directory(at("a/b/c")));
  ASSERT_TRUE(replace_file(at("file"), ""));
  EXPECT_FALSE(make_folders(at("file/below")));
}

}  // namespace
}  // namespace vyre
