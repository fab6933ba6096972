// The file of a decision cache. What is in it is never lost to a fault: it is read whole or not at
// all, replaced as a whole, and left alone when it cannot be understood.
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

// A file that is not there is empty. A directory, a pipe, a link, a file without permission or one
// that private_folder.h refuses is unreadable; bytes that are not UTF-8 are not TOML.
std::expected<ParsedDecisions, CacheError> load_decisions(const std::filesystem::path& path);

struct SaveOptions {
  // Entries beyond this are evicted when a save adds keys. A save never evicts for the number of
  // entries when all of its keys are there already.
  std::size_t max_entries = std::numeric_limits<std::size_t>::max();
  // When this process last used a key, 0 for one it only found in the file. Without this, all keys
  // were only found.
  std::function<std::uint64_t(std::string_view key)> last_use;
};

struct SaveReport {
  Decisions entries;        // what the file holds now
  std::size_t skipped = 0;  // entries of the file that were no decisions, dropped by this save
  std::size_t evicted = 0;

  bool operator==(const SaveReport&) const = default;
};

// Writes the decisions over what is in the file and keeps the rest of it, in one step between
// processes. Evicted first is what was only found in the file, smallest key first, then what was
// used least recently; decisions being written go last, and the most recent of them never. So it is
// for the number of entries and for the bytes of the file.
//
// On success the decisions are on disk. After an error the file is as it was. A file without
// any permission to write is not replaced.
std::expected<SaveReport, CacheError> save_decisions(const std::filesystem::path& path,
                                                     const Decisions& decisions,
                                                     const SaveOptions& options = {});

}  // namespace vyre
