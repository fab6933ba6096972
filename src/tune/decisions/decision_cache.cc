#include "vyre/tune/decisions/decision_cache.h"

#include <fmt/format.h>

#include <utility>

#include "vyre/base/log.h"

namespace vyre {

std::filesystem::path decision_cache_folder(const CacheEnvironment& environment) {
  return cache_folder(environment) / "tuner";
}

std::filesystem::path decision_cache_path(const CacheEnvironment& environment,
                                          std::string_view adapter) {
  return decision_cache_folder(environment) / (std::string(adapter) + ".toml");
}

DecisionCache::DecisionCache(std::filesystem::path path, std::size_t max_entries)
    : path_(std::move(path)), max_entries_(max_entries) {
  if (const auto loaded = reload(); !loaded) {
    VYRE_LOG(warn, "{}; going on with an empty one in memory", describe(to_error(loaded.error())));
  }
}

std::optional<CacheError> DecisionCache::load_error() const {
  const std::lock_guard lock(mutex_);
  return load_error_;
}

std::optional<Extent> DecisionCache::find(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  found->second.last_use = ++clock_;
  return found->second.workgroup;
}

std::expected<void, InvalidDecision> DecisionCache::record(std::string_view key,
                                                           const Extent& workgroup) {
  if (!is_decision(key, workgroup)) {
    return std::unexpected(InvalidDecision{std::string(key), workgroup});
  }
  const std::lock_guard lock(mutex_);
  auto found = entries_.find(key);
  if (found == entries_.end()) found = entries_.emplace(key, Entry{}).first;
  ++clock_;
  found->second = {workgroup, clock_, clock_};
  return {};
}

std::expected<SaveReport, CacheError> DecisionCache::save() {
  const std::lock_guard one_at_a_time(saving_);
  Decisions recorded;
  std::uint64_t until = 0;
  {
    const std::lock_guard lock(mutex_);
    until = clock_;
    for (const auto& [key, entry] : entries_) {
      if (entry.recorded_at != 0) recorded.emplace_hint(recorded.end(), key, entry.workgroup);
    }
  }
  const SaveOptions options{max_entries_, [this](std::string_view key) {
                              const std::lock_guard lock(mutex_);
                              const auto found = entries_.find(key);
                              return found == entries_.end() ? 0 : found->second.last_use;
                            }};
  auto report = save_decisions(path_, recorded, options);
  if (!report) return report;
  if (report->skipped > 0) {
    VYRE_LOG(warn, "{}: dropped {} entries that are no decisions", path_.string(), report->skipped);
  }
  if (report->evicted > 0 && report->entries.size() < max_entries_) {
    VYRE_LOG(warn, "{}: evicted {} entries, so that it has no more than {} bytes", path_.string(),
             report->evicted, kMaxCacheBytes);
  }
  const std::lock_guard lock(mutex_);
  for (auto& [key, entry] : entries_) {
    if (entry.recorded_at <= until) entry.recorded_at = 0;
  }
  take_over(report->entries);
  return report;
}

std::expected<void, CacheError> DecisionCache::reload() {
  const std::lock_guard one_at_a_time(saving_);
  auto loaded = load_decisions(path_);
  const std::lock_guard lock(mutex_);
  if (!loaded) {
    load_error_ = loaded.error();
    return std::unexpected(std::move(loaded).error());
  }
  if (loaded->skipped > 0) {
    VYRE_LOG(warn, "{}: skipped {} entries that are no decisions", path_.string(), loaded->skipped);
  }
  take_over(loaded->entries);
  return {};
}

Decisions DecisionCache::entries() const {
  const std::lock_guard lock(mutex_);
  Decisions out;
  for (const auto& [key, entry] : entries_) out.emplace_hint(out.end(), key, entry.workgroup);
  return out;
}

std::size_t DecisionCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void DecisionCache::take_over(const Decisions& in_file) {
  load_error_.reset();
  std::erase_if(entries_, [&](const auto& item) {
    return item.second.recorded_at == 0 && !in_file.contains(item.first);
  });
  for (const auto& [key, workgroup] : in_file) {
    auto [found, added] = entries_.try_emplace(key);
    if (found->second.recorded_at == 0) found->second.workgroup = workgroup;
  }
}

}  // namespace vyre
