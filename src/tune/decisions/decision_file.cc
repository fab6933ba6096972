#include "vyre/tune/decisions/decision_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <tuple>
#include <vector>

#include "vyre/base/files/file_lock.h"
#include "vyre/base/files/private_folder.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

// How long a save waits for others, of which there may be many.
constexpr std::chrono::milliseconds kSaveWait{60'000};

// The text and the entries of a file.
struct Content {
  std::string text;
  ParsedDecisions parsed;
};

std::unexpected<CacheError> unreadable(const fs::path& path, std::string reason) {
  return std::unexpected<CacheError>(CacheUnreadable{path.string(), std::move(reason)});
}

std::unexpected<CacheError> unwritable(const fs::path& path, std::string reason) {
  return std::unexpected<CacheError>(CacheWrite{path.string(), std::move(reason)});
}

std::unexpected<CacheError> too_large(const fs::path& path, std::uint64_t bytes) {
  return std::unexpected<CacheError>(CacheTooLarge{path.string(), bytes, kMaxCacheBytes});
}

std::expected<Content, CacheError> read_content(const fs::path& path) {
  const auto folder = PrivateFolder::find(path.parent_path());
  if (!folder) return unreadable(path, folder.error().what);
  if (!*folder) return Content{};
  auto read = (*folder)->read(path.filename().string(), kMaxCacheBytes);
  if (!read && read.error().code == Code::limit) {
    std::error_code fault;
    const std::uint64_t size = fs::file_size(path, fault);
    return too_large(path, fault ? kMaxCacheBytes + 1 : size);
  }
  if (!read) return unreadable(path, read.error().what);
  Content content;
  if (*read) content.text = **std::move(read);
  auto parsed = parse_decisions(content.text);
  if (!parsed) {
    const TomlFault& found = parsed.error();
    return std::unexpected<CacheError>(
        CacheNotToml{path.string(),
                     fmt::format("line {}, column {}: {}", found.line, found.column, found.what)});
  }
  content.parsed = *std::move(parsed);
  return content;
}

// The order of eviction, smallest first.
struct Rank {
  bool being_written = false;
  std::uint64_t last_use = 0;
  std::string_view key;

  auto operator<=>(const Rank&) const = default;
};

// Erases entries by rank until `is_too_much(bytes)` is false. One entry always stays.
template <class IsTooMuch>
std::size_t evict(Decisions& entries, const Decisions& written, const SaveOptions& options,
                  std::size_t bytes, IsTooMuch is_too_much) {
  if (!is_too_much(bytes)) return 0;
  std::vector<Rank> ranks;
  ranks.reserve(entries.size());
  for (const auto& [key, workgroup] : entries) {
    ranks.push_back({written.contains(key), options.last_use ? options.last_use(key) : 0, key});
  }
  std::ranges::sort(ranks);
  std::size_t evicted = 0;
  while (evicted + 1 < ranks.size() && is_too_much(bytes)) {
    const auto victim = entries.find(ranks[evicted++].key);
    bytes -= decision_line_bytes(victim->first, victim->second);
    entries.erase(victim);
  }
  return evicted;
}

// The new content of the file, from the old one.
std::expected<std::string, CacheError> merge(const fs::path& path, const Decisions& written,
                                             const SaveOptions& options, SaveReport& report) {
  bool adds_keys = false;
  for (const auto& [key, workgroup] : written) {
    adds_keys |= report.entries.insert_or_assign(key, workgroup).second;
  }
  std::string text = decision_text(report.entries);
  report.evicted = evict(report.entries, written, options, text.size(), [&](std::size_t bytes) {
    return bytes > kMaxCacheBytes || (adds_keys && report.entries.size() > options.max_entries);
  });
  if (report.evicted > 0) text = decision_text(report.entries);
  if (text.size() > kMaxCacheBytes) return too_large(path, text.size());
  return text;
}

}  // namespace

std::expected<ParsedDecisions, CacheError> load_decisions(const fs::path& path) {
  auto content = read_content(path);
  if (!content) return std::unexpected(std::move(content).error());
  return std::move(content->parsed);
}

std::expected<SaveReport, CacheError> save_decisions(const fs::path& path,
                                                     const Decisions& decisions,
                                                     const SaveOptions& options) {
  const auto folder = PrivateFolder::make(path.parent_path());
  if (!folder) {
    return std::unexpected<CacheError>(CacheDirectory{path.string(), folder.error().what});
  }
  const std::string name = path.filename().string();
  const auto mode = folder->mode(name);
  if (!mode) return unreadable(path, mode.error().what);
  // A read-only file is respected even if the process could ignore permissions.
  constexpr unsigned kWritable = 0222;
  if (*mode && (**mode & kWritable) == 0) return unwritable(path, "it is marked read-only");

  const auto lock = FileLock::acquire(*folder, name, kSaveWait);
  if (!lock) return unwritable(path, lock.error().what);
  auto content = read_content(path);
  if (!content) return std::unexpected(std::move(content).error());
  SaveReport report{std::move(content->parsed.entries), content->parsed.skipped, 0};
  const auto text = merge(path, decisions, options, report);
  if (!text) return std::unexpected(text.error());
  if (*mode && *text == content->text) return report;
  folder->remove_abandoned_temporaries(name);
  if (const auto written = folder->replace(name, *text); !written) {
    return unwritable(path, written.error().what);
  }
  return report;
}

}  // namespace vyre
