#include "vyre/base/files/paths.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace vyre {
namespace {

TEST(CachePaths, TheXdgVariableWins) {
  EXPECT_EQ(cache_root({.xdg_cache_home = "/caches", .home = "/home/ada"}), "/caches");
}

TEST(CachePaths, HomeIsNext) {
  EXPECT_EQ(cache_root({.xdg_cache_home = {}, .home = "/home/ada"}), "/home/ada/.cache");
}

TEST(CachePaths, AnEmptyVariableCountsAsUnset) {
  EXPECT_EQ(cache_root({.xdg_cache_home = "", .home = "/home/ada"}), "/home/ada/.cache");
  EXPECT_EQ(cache_root({.xdg_cache_home = "", .home = ""}), ".");
}

TEST(CachePaths, WithoutAnyItIsTheCurrentFolder) { EXPECT_EQ(cache_root({}), "."); }

TEST(CachePaths, OurFolderIsUnderTheRoot) {
  EXPECT_EQ(cache_folder({.xdg_cache_home = "/caches", .home = {}}), "/caches/vyre");
}

TEST(CachePaths, TheProcessEnvironmentIsRead) {
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::optional<std::string> saved =
      before == nullptr ? std::nullopt : std::optional<std::string>(before);
  ::setenv("XDG_CACHE_HOME", "/somewhere", 1);
  EXPECT_EQ(cache_folder(), "/somewhere/vyre");
  ::unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(CacheEnvironment::of_process().xdg_cache_home, std::nullopt);
  if (saved) ::setenv("XDG_CACHE_HOME", saved->c_str(), 1);
}

}  // namespace
}  // namespace vyre
