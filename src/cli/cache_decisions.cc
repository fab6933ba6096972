#include "vyre/cli/cache_decisions.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/file_lock.h"
#include "vyre/base/files.h"
#include "vyre/cli/command.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

DecisionFile read_decision_file(const fs::path& path) {
  DecisionFile file;
  file.adapter = path.stem().string();
  file.path = path;
  std::error_code error;
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (!error) file.bytes = bytes;
  auto content = load_decisions(path);
  if (content) {
    file.content = *std::move(content);
  } else {
    file.fault = to_error(content.error());
  }
  return file;
}

// In one step between processes.
Result<std::size_t> clear_file(const fs::path& path, std::span<const std::string> keys,
                               ClearedDecisions& cleared) {
  VYRE_TRY(const FileLock lock, FileLock::acquire(path));
  auto content = load_decisions(path);
  if (!content) return std::unexpected(to_error(content.error()));
  if (content->skipped > 0) {
    return fail(Code::invalid_input, fmt::format("{} has {} that is no decision", path.string(),
                                                 counted(content->skipped, "value")));
  }
  std::size_t removed = 0;
  if (keys.empty()) {
    removed = content->entries.size();
    std::error_code error;
    fs::remove(path, error);
    if (error) {
      return fail(Code::io, fmt::format("cannot remove {}: {}", path.string(), error.message()));
    }
    ++cleared.files;
    return removed;
  }
  for (const std::string& key : keys) removed += content->entries.erase(key);
  if (removed > 0) VYRE_CHECK(replace_file(path, decision_text(content->entries)));
  return removed;
}

}  // namespace

fs::path decision_folder() { return decision_cache_folder(CacheEnvironment::of_process()); }

Result<std::vector<DecisionFile>> read_decision_files(const std::string& adapter) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::directory_iterator at(decision_folder(), error);
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(Code::io,
                fmt::format("cannot read {}: {}", decision_folder().string(), error.message()));
  }
  if (!error) {
    for (; at != fs::directory_iterator(); at.increment(error)) {
      if (error) break;
      const fs::path& path = at->path();
      if (path.extension() != ".toml") continue;
      if (adapter.empty() || path.stem() == adapter) paths.push_back(path);
    }
  }
  if (paths.empty() && !adapter.empty()) {
    return fail(Code::invalid_input, fmt::format("there are no decisions of {}", quote(adapter)),
                "see vyre cache list");
  }
  std::ranges::sort(paths);
  std::vector<DecisionFile> files;
  for (const fs::path& path : paths) files.push_back(read_decision_file(path));
  return files;
}

Json to_json(const DecisionFile& file) {
  Json json;
  json["adapter"] = file.adapter;
  json["path"] = file.path.string();
  json["bytes"] = file.bytes;
  json["decisions"] = file.content.entries.size();
  json["skipped"] = file.content.skipped;
  json["problem"] = file.fault ? Json(file.fault->what) : Json(nullptr);
  return json;
}

void print_decision_files(Output& out, std::span<const DecisionFile> files) {
  Table table({"adapter", "decisions", "bytes", "state"}, {1, 2});
  for (const DecisionFile& file : files) {
    table.add({file.adapter, with_commas(file.content.entries.size()), with_commas(file.bytes),
               file.fault ? fmt::format("not understood: {}", file.fault->what)
               : file.content.skipped > 0
                   ? fmt::format("{} not understood", counted(file.content.skipped, "value"))
                   : "ok"});
  }
  table.print(out);
}

ClearedDecisions clear_decisions(std::span<const DecisionFile> files,
                                 std::span<const std::string> keys) {
  ClearedDecisions cleared;
  for (const DecisionFile& file : files) {
    const bool holds_key = std::ranges::any_of(
        keys, [&](const std::string& key) { return file.content.entries.contains(key); });
    if (!keys.empty() && !file.fault && !holds_key) continue;
    auto removed = file.fault ? Result<std::size_t>(std::unexpected(*file.fault))
                              : clear_file(file.path, keys, cleared);
    if (removed) {
      cleared.decisions += *removed;
      continue;
    }
    ++cleared.kept;
    removed.error().what += "; it was left as it is";
    removed.error().fix = "look at it, and remove it by hand";
    cleared.faults.push_back(std::move(removed).error());
  }
  return cleared;
}

}  // namespace vyre
