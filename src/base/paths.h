// Where files that outlive a process are kept.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vyre {

// The environment variables that say where caches live. An empty value counts as unset.
struct CacheEnvironment {
  std::optional<std::string> xdg_cache_home;
  std::optional<std::string> home;

  static CacheEnvironment of_process();
};

// XDG_CACHE_HOME, else HOME/.cache, else ".".
std::filesystem::path cache_root(const CacheEnvironment& environment);

// The folder of everything that vyre caches, `vyre` under the root. It may not exist yet.
std::filesystem::path cache_folder(const CacheEnvironment& environment);
std::filesystem::path cache_folder();

// A file that a person or a program names may be relative to the current folder; this is where it
// is. (What the environment says may not be relative: private_folder.h refuses that.)
std::filesystem::path named_path(const std::filesystem::path& given);

}  // namespace vyre
