// Earlier decisions, in memory and in a file. decision_text.h describes the format.
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
#include "vyre/base/files/paths.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/tune/decisions/decision_file.h"
#include "vyre/tune/errors.h"

namespace vyre {

// <cache folder>/tuner
std::filesystem::path decision_cache_folder(const CacheEnvironment& environment);
// <cache folder>/tuner/<adapter>.toml
std::filesystem::path decision_cache_path(const CacheEnvironment& environment,
                                          std::string_view adapter);

// May be used from many threads, and beside other caches and processes on the same file: a save
// merges what was recorded here into the file.
class DecisionCache {
 public:
  // Reads the file. If it cannot be parsed, the cache begins empty, load_error() says why, and the
  // file is not changed.
  explicit DecisionCache(std::filesystem::path path,
                         std::size_t max_entries = std::numeric_limits<std::size_t>::max());
  DecisionCache(const DecisionCache&) = delete;
  DecisionCache& operator=(const DecisionCache&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::optional<CacheError> load_error() const;

  // Counts as a use of the key.
  std::optional<Extent> find(std::string_view key);
  // Records a decision in memory; save() writes it. The last record of a key counts.
  std::expected<void, InvalidDecision> record(std::string_view key, const Extent& workgroup);

  // Merges everything recorded since the last save into the file. Afterwards the cache equals the
  // file. After an error nothing is lost, and the next save tries again.
  std::expected<SaveReport, CacheError> save();

  // Reads the file again; unsaved records are kept.
  std::expected<void, CacheError> reload();

  Decisions entries() const;
  std::size_t size() const;

 private:
  struct Entry {
    Extent workgroup{};
    std::uint64_t last_use = 0;     // 0: read from the file and not used
    std::uint64_t recorded_at = 0;  // 0: not since the last save
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  // With the mutex held.
  void take_over(const Decisions& in_file);

  const std::filesystem::path path_;
  const std::size_t max_entries_;
  ForkSafeMutex saving_{HeldFor::work};  // one save at a time; taken before mutex_
  mutable ForkSafeMutex mutex_;
  Entries entries_;
  std::uint64_t clock_ = 0;  // the time of the last use
  std::optional<CacheError> load_error_;
};

}  // namespace vyre
