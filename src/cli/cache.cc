#include "vyre/cli/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "vyre/base/file_lock.h"
#include "vyre/base/files.h"
#include "vyre/cli/code_cache.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"
#include "vyre/tune/decision_cache.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;

// One adapter's file of decisions.
struct DecisionFile {
  std::string adapter;
  fs::path path;
  std::uint64_t bytes = 0;
  ParsedDecisions content;
  std::optional<Error> fault;  // why it is not understood
};

fs::path folder() { return decision_cache_folder(CacheEnvironment::of_process()); }

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

// Every *.toml of the folder, by name; those of one adapter if one is given.
Result<std::vector<DecisionFile>> read_files(const std::string& adapter) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::directory_iterator at(folder(), error);
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(Code::io, fmt::format("cannot read {}: {}", folder().string(), error.message()));
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

void print_code(Output& out, const KeptCode& code) {
  if (code.files == 0) {
    out.print("no compiled code in {}\n", code.folder.string());
  } else {
    out.print("compiled code of {}, {}, in {}\n", counted(code.files, "kernel"),
              format_bytes(code.bytes), code.folder.string());
  }
}

Json to_json(const KeptCode& code) {
  return {{"folder", code.folder.string()}, {"files", code.files}, {"bytes", code.bytes}};
}

Exit list(const CacheOptions& options, Streams& streams) {
  const auto files = read_files(options.adapter);
  if (!files) return report(streams, files.error());
  const auto code = count_code();
  if (!code) return report(streams, code.error(), Exit::failed);
  if (options.json) {
    Json json;
    json["folder"] = folder().string();
    json["adapters"] = Json::array();
    for (const DecisionFile& file : *files) json["adapters"].push_back(to_json(file));
    json["code"] = to_json(*code);
    write_json(streams.out, json);
    return Exit::done;
  }
  if (files->empty()) {
    streams.out.print("no decisions in {}\n", folder().string());
    print_code(streams.out, *code);
    return Exit::done;
  }
  Table table({"adapter", "decisions", "bytes", "state"}, {1, 2});
  for (const DecisionFile& file : *files) {
    table.add({file.adapter, with_commas(file.content.entries.size()), with_commas(file.bytes),
               file.fault ? fmt::format("not understood: {}", file.fault->what)
               : file.content.skipped > 0
                   ? fmt::format("{} not understood", counted(file.content.skipped, "value"))
                   : "ok"});
  }
  table.print(streams.out);
  if (options.adapter.empty()) print_code(streams.out, *code);
  return Exit::done;
}

Exit show(const CacheOptions& options, Streams& streams) {
  const auto files = read_files(options.adapter);
  if (!files) return report(streams, files.error());
  const auto wanted = [&](const std::string& key) {
    return options.words.size() == 1 ||
           std::any_of(options.words.begin() + 1, options.words.end(),
                       [&](const std::string& prefix) { return key.starts_with(prefix); });
  };
  Json json = Json::array();
  Table table({"key", "workgroup", "adapter"});
  for (const DecisionFile& file : *files) {
    if (file.fault && !options.json) report(streams, *file.fault);
    for (const auto& [key, workgroup] : file.content.entries) {
      if (!wanted(key)) continue;
      table.add({key, format_extent(workgroup), file.adapter});
      json.push_back(
          {{"key", key}, {"workgroup", vyre::to_json(workgroup)}, {"adapter", file.adapter}});
    }
  }
  if (options.json) {
    write_json(streams.out, {{"decisions", std::move(json)}});
  } else if (table.empty()) {
    streams.out.write(options.words.size() == 1 ? "no decisions\n"
                                                : "no decisions with such a key\n");
  } else {
    table.print(streams.out);
  }
  return Exit::done;
}

struct Cleared {
  std::size_t decisions = 0;
  std::size_t files = 0;
  std::size_t kept = 0;  // files that were left alone
};

// Takes the keys (all, when there are none) out of one file, in one step between processes. A file
// with anything in it that is not a decision stays as it is.
Result<std::size_t> clear_file(const fs::path& path, std::span<const std::string> keys,
                               Cleared& cleared) {
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

Exit clear(const CacheOptions& options, Streams& streams) {
  const auto files = read_files(options.adapter);
  if (!files) return report(streams, files.error());
  const auto keys = std::span(options.words).subspan(1);
  Cleared cleared;
  Exit exit = Exit::done;
  for (const DecisionFile& file : *files) {
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
    exit = report(streams, removed.error(), Exit::failed);
  }
  if (!keys.empty() && cleared.decisions == 0 && exit == Exit::done) {
    return report(streams, {Code::invalid_input,
                            fmt::format("no decision has the key {}", quote(keys.front())),
                            "see vyre cache show"});
  }
  if (options.json) {
    write_json(streams.out, {{"decisions_removed", cleared.decisions},
                             {"files_removed", cleared.files},
                             {"files_left", cleared.kept}});
  } else {
    streams.out.print("removed {}\n", counted(cleared.decisions, "decision"));
  }
  return exit;
}

Exit clear_kept_code(const CacheOptions& options, Streams& streams) {
  const auto cleared = clear_code();
  if (!cleared) return report(streams, cleared.error(), Exit::failed);
  if (options.json) {
    write_json(streams.out, {{"files_removed", cleared->files}, {"bytes_removed", cleared->bytes}});
  } else {
    streams.out.print("removed the code of {} ({})\n", counted(cleared->files, "kernel"),
                      format_bytes(cleared->bytes));
  }
  return Exit::done;
}

}  // namespace

CommandHelp declare(OptionSet& set, CacheOptions& options) {
  set.positional("ACTION [KEY...]",
                 "list, show, clear, clear-code or path; keys are for show and clear",
                 options.words, 1, SIZE_MAX);
  set.value("--adapter", "ID", "the decisions of one adapter alone", options.adapter);
  set.flag("--yes", "with clear: really remove all decisions", options.yes);
  set.flag("--json", "print JSON", options.json);
  return {
      .usage = "vyre cache list|show|clear|clear-code|path [KEY...] [options]",
      .summary =
          "What was kept: which workgroup was chosen for which launch, and compiled code.\n"
          "\n"
          "  list        the adapters with how many decisions each has, and how much code there "
          "is\n"
          "  show        the decisions; a KEY shows those that begin with it\n"
          "  clear       remove decisions: those of a KEY, of an --adapter, or with --yes all.\n"
          "              Files that are not understood are never removed\n"
          "  clear-code  remove the compiled code; it is made again when it is needed\n"
          "  path        the folder of the decisions",
      .details =
          "examples:\n"
          "  vyre cache list\n"
          "  vyre cache clear --yes\n",
  };
}

Result<void> check(const CacheOptions& options) {
  const std::string& action = options.words.front();
  const bool takes_keys = action == "show" || action == "clear";
  const std::vector<std::string> known{"list", "show", "clear", "clear-code", "path"};
  if (std::ranges::find(known, action) == known.end()) {
    const std::string meant = nearest(action, known);
    return fail(Code::invalid_input, fmt::format("there is no action {}", quote(action)),
                meant.empty() ? "there are list, show, clear, clear-code and path"
                              : fmt::format("did you mean {}?", meant));
  }
  if (!takes_keys && options.words.size() > 1) {
    return fail(Code::invalid_input, fmt::format("{} takes no key", action));
  }
  if (options.yes && action != "clear") {
    return fail(Code::invalid_input, "--yes goes with clear");
  }
  if ((action == "path" || action == "clear-code") && !options.adapter.empty()) {
    return fail(Code::invalid_input, fmt::format("{} takes no --adapter", action));
  }
  if (action == "clear" && options.words.size() == 1 && options.adapter.empty() && !options.yes) {
    return fail(Code::invalid_input, "this would remove all decisions",
                "say --yes, or name a key or an --adapter");
  }
  return {};
}

Exit run_command(const CacheOptions& options, Streams& streams) {
  const std::string& action = options.words.front();
  if (action == "list") return list(options, streams);
  if (action == "show") return show(options, streams);
  if (action == "clear") return clear(options, streams);
  if (action == "clear-code") return clear_kept_code(options, streams);
  if (options.json) {
    write_json(streams.out, {{"folder", folder().string()}});
  } else {
    streams.out.print("{}\n", folder().string());
  }
  return Exit::done;
}

}  // namespace vyre
