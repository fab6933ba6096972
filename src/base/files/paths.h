// The folders of files that outlive a process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace vyre {

// The environment variables with the location of caches. An empty value counts as unset.
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

// The absolute path of a file that a person or a program names, which may be relative to the
// current folder. (Paths from the environment may not be relative: private_folder.h refuses them.)
std::filesystem::path named_path(const std::filesystem::path& given);

}  // namespace vyre
