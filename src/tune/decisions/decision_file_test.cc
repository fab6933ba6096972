#include "vyre/tune/decisions/decision_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

class DecisionFile : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "cache.toml"; }
  fs::path path(std::string_view name) const { return folder_.path() / name; }

  void put(std::string_view content) const { put(path(), content); }
  static void put(const fs::path& where, std::string_view content) {
    ASSERT_TRUE(replace_file(where, content));
  }
  static std::string content(const fs::path& where) { return read_file(where).value_or("(none)"); }
  std::string content() const { return content(path()); }

  // The kind of the error, "" when there is none.
  std::string load_fault() const { return name_of(load_decisions(path())); }
  std::string save_fault(const Decisions& decisions = {{"k", {1, 2, 3}}}) const {
    return name_of(save_decisions(path(), decisions));
  }

  TemporaryFolder folder_;

 private:
  template <class T>
  static std::string name_of(const std::expected<T, CacheError>& result) {
    return result ? "" : std::string(wire_name(result.error()));
  }
};

TEST_F(DecisionFile, AMissingFileIsEmptyAndItsFoldersAreMade) {
  const fs::path deep = path("a/b/c.toml");
  EXPECT_EQ(load_decisions(deep).value(), ParsedDecisions{});
  ASSERT_TRUE(save_decisions(deep, {{"k", {1, 2, 3}}}));
  EXPECT_EQ(content(deep), "\"k\" = [1, 2, 3]\n");
}

TEST_F(DecisionFile, ASaveKeepsWhatOthersWroteAndDropsWhatIsNoDecision) {
  put("# mine\nother = [4, 5, 6]\nk = [9, 9, 9]\nbad = [0, 1, 1]\n[table]\nx = 1\n");
  const auto saved = save_decisions(path(), {{"k", {1, 2, 3}}, {"new", {7, 8, 9}}});
  ASSERT_TRUE(saved);
  EXPECT_EQ(content(), "\"k\" = [1, 2, 3]\n\"new\" = [7, 8, 9]\n\"other\" = [4, 5, 6]\n");
  EXPECT_EQ(saved->skipped, 2u);
  EXPECT_EQ(saved->evicted, 0u);
  EXPECT_EQ(saved->entries.size(), 3u);
}

TEST_F(DecisionFile, FilesThatAreNotUnderstoodAreErrorsAndStayAsTheyAre) {
  const std::string too_large(kMaxCacheBytes + 1, '#');
  const std::pair<std::string, std::string> faults[] = {
      {"\"a\" = [1, 2, 3]\n\"b\" = [1, 2", "invalid_toml"},        // cut off
      {"\"a\" = [1, 2, 3]\n\"a\" = [1, 2, 3]\n", "invalid_toml"},  // repeated
      {"\x7f"
       "ELF\x02\x01\x01",
       "invalid_toml"},                      // foreign
      {"# \xed\xa0\x80\n", "invalid_toml"},  // not UTF-8
      {std::string("a = [1, 1, 1]\n\0", 15), "invalid_toml"},
      {too_large, "cache_too_large"},
  };
  for (const auto& [bytes, kind] : faults) {
    put(bytes);
    EXPECT_EQ(load_fault(), kind);
    EXPECT_EQ(save_fault(), kind);
    EXPECT_EQ(content(), bytes);
  }
}

TEST_F(DecisionFile, TheSizeBoundIsInclusive) {
  put("k = [1, 1, 1]\n#" + std::string(kMaxCacheBytes - 15, 'x'));
  EXPECT_EQ(load_decisions(path()).value().entries.size(), 1u);
  put("k = [1, 1, 1]\n#" + std::string(kMaxCacheBytes - 14, 'x'));
  const auto loaded = load_decisions(path());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error(),
            CacheError(CacheTooLarge{path().string(), kMaxCacheBytes + 1, kMaxCacheBytes}));
}

TEST_F(DecisionFile, AByteOrderMarkIsIgnored) {
  put("\xef\xbb\xbfk = [1, 1, 1]\n");
  EXPECT_EQ(load_decisions(path()).value().entries.size(), 1u);
}

TEST_F(DecisionFile, WhatIsNoRegularFileIsUnreadable) {
  fs::create_directory(path());
  EXPECT_EQ(load_fault(), "cache_unreadable");
  EXPECT_EQ(save_fault(), "cache_unreadable");
  EXPECT_TRUE(fs::is_directory(path()));
  fs::remove(path());
  // Reading a pipe would wait for a writer that never comes.
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_EQ(load_fault(), "cache_unreadable");
  EXPECT_EQ(save_fault(), "cache_unreadable");
  fs::remove(path());
  fs::create_symlink(path(), path());
  EXPECT_EQ(load_fault(), "cache_unreadable");
  EXPECT_EQ(save_fault(), "cache_unreadable");
}

TEST_F(DecisionFile, AFileWithoutPermissionToReadIsUnreadable) {
  put("k = [1, 1, 1]\n");
  fs::permissions(path(), fs::perms::none);
  if (access(path().c_str(), R_OK) == 0) GTEST_SKIP() << "permissions do not bind this user";
  EXPECT_EQ(load_fault(), "cache_unreadable");
}

TEST_F(DecisionFile, AReadOnlyFileIsReadAndNotReplaced) {
  put("k = [1, 1, 1]\n");
  fs::permissions(path(), fs::perms::owner_read);
  EXPECT_EQ(load_fault(), "");
  EXPECT_EQ(save_fault(), "cache_write");
  EXPECT_EQ(content(), "k = [1, 1, 1]\n");
}

TEST_F(DecisionFile, AFolderThatCannotBeIsADirectoryError) {
  put(path("file"), "");
  const auto saved = save_decisions(path("file/cache.toml"), {{"k", {1, 1, 1}}});
  ASSERT_FALSE(saved);
  EXPECT_EQ(wire_name(saved.error()), "cache_directory");
}

TEST_F(DecisionFile, ASymbolicLinkIsNotFollowed) {
  const fs::path target = path("real.toml");
  put(target, "a = [1, 1, 1]\n");
  fs::create_symlink("real.toml", path());
  EXPECT_EQ(load_fault(), "cache_unreadable");
  EXPECT_EQ(save_fault(), "cache_unreadable");
  EXPECT_TRUE(fs::is_symlink(path()));
  EXPECT_EQ(content(target), "a = [1, 1, 1]\n");
}

TEST_F(DecisionFile, ARelativeFileIsRefused) {
  const auto loaded = load_decisions("./vyre/tuner/a.toml");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(wire_name(loaded.error()), "cache_unreadable");
  const auto saved = save_decisions("./vyre/tuner/a.toml", {{"k", {1, 1, 1}}});
  ASSERT_FALSE(saved);
  EXPECT_EQ(wire_name(saved.error()), "cache_directory");
  EXPECT_FALSE(fs::exists("vyre/tuner"));
}

TEST_F(DecisionFile, NothingButTheFileAndItsLockIsLeftBehind) {
  ASSERT_EQ(save_fault(), "");
  ASSERT_EQ(save_fault({{"j", {1, 1, 1}}}), "");
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    files.insert(entry.path().filename().string());
  }
  EXPECT_EQ(files,
            (std::set<std::string>{path().filename(), "." + path().filename().string() + ".lock"}));
}

TEST_F(DecisionFile, EvictsWhatWasOnlyFoundFirstAndThenTheLeastRecentlyUsed) {
  put("a = [1, 1, 1]\nb = [1, 1, 1]\nc = [1, 1, 1]\nd = [1, 1, 1]\n");
  SaveOptions options{4, [](std::string_view key) -> std::uint64_t {
                        return key == "a" ? 9 : key == "c" ? 5 : 0;
                      }};
  const auto keys = [this] {
    const ParsedDecisions loaded = load_decisions(path()).value();
    std::string out;
    for (const auto& [key, workgroup] : loaded.entries) out += key;
    return out;
  };
  // b and d were only found.
  const auto first = save_decisions(path(), {{"e", {1, 1, 1}}}, options);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->evicted, 1u);
  EXPECT_EQ(keys(), "acde");
  ASSERT_TRUE(save_decisions(path(), {{"f", {1, 1, 1}}, {"g", {1, 1, 1}}}, options));
  EXPECT_EQ(keys(), "acfg");  // d, then e
  ASSERT_TRUE(
      save_decisions(path(), {{"h", {1, 1, 1}}, {"i", {1, 1, 1}}, {"j", {1, 1, 1}}}, options));
  EXPECT_EQ(keys(), "ahij");  // f, g, and c before a
}

TEST_F(DecisionFile, RewritingKeysEvictsNothing) {
  put("a = [1, 1, 1]\nb = [1, 1, 1]\nc = [1, 1, 1]\n");
  const auto saved = save_decisions(path(), {{"b", {2, 2, 2}}}, {.max_entries = 2, .last_use = {}});
  ASSERT_TRUE(saved);
  EXPECT_EQ(saved->entries.size(), 3u);
  const auto added = save_decisions(path(), {{"d", {2, 2, 2}}}, {.max_entries = 2, .last_use = {}});
  ASSERT_TRUE(added);
  EXPECT_EQ(added->evicted, 2u);
  EXPECT_EQ(content(), "\"c\" = [1, 1, 1]\n\"d\" = [2, 2, 2]\n");
}

TEST_F(DecisionFile, ASaveThatWouldPassTheSizeBoundEvictsUntilItFits) {
  Decisions many;
  std::size_t bytes = 0;
  for (int i = 0; bytes + 100 < kMaxCacheBytes; ++i) {
    const auto entry = many.emplace(fmt::format("{:064}", i), Extent{1, 1, 1}).first;
    bytes += decision_line_bytes(entry->first, entry->second);
  }
  ASSERT_TRUE(save_decisions(path(), many));
  const auto saved = save_decisions(path(), {{std::string(500, 'z'), {1, 1, 1}}});
  ASSERT_TRUE(saved);
  EXPECT_GE(saved->evicted, 1u);
  EXPECT_LE(fs::file_size(path()), kMaxCacheBytes);
  const auto loaded = load_decisions(path());
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->entries.contains(std::string(500, 'z')));
  EXPECT_EQ(loaded->entries.size(), many.size() + 1 - saved->evicted);
  EXPECT_FALSE(loaded->entries.contains(many.begin()->first));

  // One decision alone that does not fit cannot be saved, and changes nothing.
  EXPECT_EQ(save_fault({{std::string(kMaxCacheBytes, 'y'), {1, 1, 1}}}), "cache_too_large");
  EXPECT_EQ(load_decisions(path()), loaded);
}

TEST_F(DecisionFile, ErrorsTellThePathAndWhatToDo) {
  put("a = ");
  const auto loaded = load_decisions(path());
  ASSERT_FALSE(loaded);
  const Error error = to_error(loaded.error());
  EXPECT_EQ(error.code, Code::invalid_input);
  EXPECT_NE(error.what.find(path().string()), std::string::npos);
  EXPECT_NE(error.what.find("line 1, column 5"), std::string::npos);
  EXPECT_FALSE(error.fix.empty());
}

}  // namespace
}  // namespace vyre
