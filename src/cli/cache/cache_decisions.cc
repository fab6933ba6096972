#include "vyre/cli/cache/cache_decisions.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/files/file_lock.h"
#include "vyre/base/files/private_folder.h"
#include "vyre/cli/command.h"
#include "vyre/cli/gzip_file.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"
#include "vyre/plan/specification/launch_feedback.h"
#include "vyre/tune/decisions/decision_file.h"
#include "vyre/tune/decisions/decision_keys.h"

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

// Removes the keys in one step, under the file's lock.
Result<std::size_t> clear_file(const fs::path& path, std::span<const std::string> keys,
                               ClearedDecisions& cleared) {
  VYRE_TRY(const PrivateFolder folder, PrivateFolder::make(path.parent_path()));
  const std::string name = path.filename().string();
  VYRE_TRY(const FileLock lock, FileLock::acquire(folder, name));
  auto content = load_decisions(path);
  if (!content) return std::unexpected(to_error(content.error()));
  if (content->skipped > 0) {
    return fail(Code::invalid_input, fmt::format("{} has {} that is not a decision", path.string(),
                                                 counted(content->skipped, "value")));
  }
  std::size_t removed = 0;
  if (keys.empty()) {
    removed = content->entries.size();
    VYRE_CHECK(folder.remove(name));
    ++cleared.files;
    return removed;
  }
  for (const std::string& key : keys) removed += content->entries.erase(key);
  if (removed > 0) VYRE_CHECK(folder.replace(name, decision_text(content->entries)));
  return removed;
}

}  // namespace

fs::path decision_folder() { return decision_cache_folder(CacheEnvironment::of_process()); }

Result<std::vector<DecisionFile>> read_decision_files(const std::string& adapter) {
  std::vector<fs::path> paths;
  VYRE_TRY(const auto folder, PrivateFolder::find(decision_folder()));
  if (folder) {
    VYRE_TRY(const auto names, folder->names());
    for (const fs::path name : names) {
      if (name.extension() != ".toml") continue;
      if (adapter.empty() || name.stem() == adapter) paths.push_back(folder->path() / name);
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
    removed.error().what += "; it was not changed";
    removed.error().fix = "check it, and remove it by hand";
    cleared.faults.push_back(std::move(removed).error());
  }
  return cleared;
}

Result<std::string> adapter_of_file(const std::string& file, const std::string& given) {
  std::string adapter = given.empty() ? fs::path(file).stem().string() : given;
  const bool is_id = adapter.size() == sizeof(AdapterId::characters) &&
                     adapter.starts_with("launch-adapter-v2-") &&
                     adapter.find_first_not_of("0123456789abcdef", 18) == std::string::npos;
  if (is_id) return adapter;
  return fail(Code::invalid_input,
              given.empty() ? fmt::format("the name of {} is not an adapter", file)
                            : fmt::format("{} is not an adapter", quote(given)),
              "give --adapter ID; vyre cache list shows them");
}

Result<ImportedDecisions> import_decisions(const std::string& file, const std::string& adapter,
                                           Streams& streams) {
  VYRE_TRY(const std::string text, read_packed_input(file, streams, kMaxCacheBytes));
  const auto parsed = parse_decisions(text);
  if (!parsed) {
    const TomlFault& fault = parsed.error();
    return fail(Code::invalid_input, fmt::format("{}:{}:{}: {}", source_name(file), fault.line,
                                                 fault.column, fault.what));
  }
  ImportedDecisions out;
  out.into = decision_cache_path(CacheEnvironment::of_process(), adapter);
  out.skipped = parsed->skipped;
  const auto here = load_decisions(out.into);
  if (!here) return std::unexpected(to_error(here.error()));
  for (const auto& [key, workgroup] : parsed->entries) {
    const auto found = here->entries.find(key);
    const bool same = found != here->entries.end() && found->second == workgroup;
    ++(same ? out.known : out.taken);
  }
  if (out.taken == 0) return out;
  const auto saved = save_decisions(out.into, parsed->entries,
                                    {.max_entries = kMaxFeedbackEntries, .last_use = {}});
  if (!saved) return std::unexpected(to_error(saved.error()));
  return out;
}

}  // namespace vyre
