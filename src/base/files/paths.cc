#include "vyre/base/files/paths.h"

#include <cstdlib>

namespace vyre {
namespace {

std::optional<std::string> variable(const char* name) {
  // Empty for a setuid program: the user who started it must not choose its files.
  const char* value = ::secure_getenv(name);
  if (value == nullptr) return std::nullopt;
  return value;
}

}  // namespace

CacheEnvironment CacheEnvironment::of_process() {
  return {.xdg_cache_home = variable("XDG_CACHE_HOME"), .home = variable("HOME")};
}

std::filesystem::path cache_root(const CacheEnvironment& environment) {
  if (environment.xdg_cache_home && !environment.xdg_cache_home->empty()) {
    return *environment.xdg_cache_home;
  }
  if (environment.home && !environment.home->empty()) {
    return std::filesystem::path(*environment.home) / ".cache";
  }
  return ".";
}

std::filesystem::path cache_folder(const CacheEnvironment& environment) {
  return cache_root(environment) / "vyre";
}

std::filesystem::path named_path(const std::filesystem::path& given) {
  std::error_code error;
  const std::filesystem::path full = std::filesystem::absolute(given, error);
  return error ? given : full;
}

std::filesystem::path cache_folder() { return cache_folder(CacheEnvironment::of_process()); }

}  // namespace vyre
