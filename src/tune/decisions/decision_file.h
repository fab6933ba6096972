// The file of a decision cache. It is read completely or not at all, replaced atomically, and not
// changed if it cannot be parsed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <limits>
#include <string_view>

#include "vyre/tune/decisions/decision_text.h"
#include "vyre/tune/errors.h"

namespace vyre {

inline constexpr std::uint64_t kMaxCacheBytes = std::uint64_t{4}
                                                << 20;  // exactly that many are allowed

// A missing file is empty. A folder, a pipe, a link, a file without permission or one that
// private_folder.h refuses is unreadable; bytes that are not UTF-8 are not TOML.
std::expected<ParsedDecisions, CacheError> load_decisions(const std::filesystem::path& path);

struct SaveOptions {
  // A save that adds keys evicts entries beyond this number. A save whose keys all exist already
  // does not evict for the number of entries.
  std::size_t max_entries = std::numeric_limits<std::size_t>::max();
  // When this process last used a key; 0 for a key that was only read from the file. Empty: 0 for
  // all keys.
  std::function<std::uint64_t(std::string_view key)> last_use;
};

struct SaveReport {
  Decisions entries;        // the entries of the file after the save
  std::size_t skipped = 0;  // entries of the file that were not decisions, and were dropped
  std::size_t evicted = 0;

  bool operator==(const SaveReport&) const = default;
};

// Merges the decisions into the file, atomically between processes. If there are too many entries
// or bytes, keys that were only read from the file are evicted first, smallest key first, then the
// least recently used ones, then the decisions being written; the most recent of these always
// stays.
//
// On success the decisions are on disk. After an error the file is unchanged. A read-only file is
// not replaced.
std::expected<SaveReport, CacheError> save_decisions(const std::filesystem::path& path,
                                                     const Decisions& decisions,
                                                     const SaveOptions& options = {});

}  // namespace vyre
