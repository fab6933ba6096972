// What was decided before, in memory and in a file. The file's format is described in
// decision_text.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "vyre/base/extent.h"
#include "vyre/base/fork_watch.h"
#include "vyre/base/paths.h"
#include "vyre/tune/decisions/decision_file.h"
#include "vyre/tune/errors.h"

namespace vyre {

// <cache folder>/tuner
std::filesystem::path decision_cache_folder(const CacheEnvironment& environment);
// <cache folder>/tuner/<adapter>.toml
std::filesystem::path decision_cache_path(const CacheEnvironment& environment,
                                          std::string_view adapter);

// Safe to use from any number of threads, and beside other caches and processes on the same file:
// a save writes only what was recorded here, over what the file then holds.
class DecisionCache {
 public:
  // Reads the file. If it cannot be understood the cache begins empty, load_error() says why, and
  // the file stays as it is for as long as that is so.
  explicit DecisionCache(std::filesystem::path path,
                         std::size_t max_entries = std::numeric_limits<std::size_t>::max());
  DecisionCache(const DecisionCache&) = delete;
  DecisionCache& operator=(const DecisionCache&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::optional<CacheError> load_error() const;

  // Counts as use of the key.
  std::optional<Extent> find(std::string_view key);
  // In memory; save() makes it last. The last record of a key stands.
  std::expected<void, InvalidDecision> record(std::string_view key, const Extent& workgroup);

  // Everything recorded since the last save goes to the file in one merging save. Afterwards the
  // cache holds what the file holds. After an error nothing is forgotten: the next save tries
  // again.
  std::expected<SaveReport, CacheError> save();

  // Takes over what the file holds now; what was recorded and not saved stays.
  std::expected<void, CacheError> reload();

  Decisions entries() const;
  std::size_t size() const;

 private:
  struct Entry {
    Extent workgroup{};
    std::uint64_t last_use = 0;     // 0: only found in the file
    std::uint64_t recorded_at = 0;  // 0: not since the last save
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  // With the mutex held.
  void take_over(const Decisions& in_file);

  const std::filesystem::path path_;
  const std::size_t max_entries_;
  ForkSafeMutex saving_;  // one save at a time; taken before mutex_
  mutable ForkSafeMutex mutex_;
  Entries entries_;
  std::uint64_t clock_ = 0;  // the last use
  std::optional<CacheError> load_error_;
};

}  // namespace vyre
