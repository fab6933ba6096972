#include "vyre/cli/cache/cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vyre/base/text/nearest.h"
#include "vyre/cli/cache/cache_actions.h"
#include "vyre/cli/cache/cache_decisions.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

Exit show_path(const CacheOptions& options, Streams& streams) {
  if (options.json) {
    write_json(streams.out, {{"folder", decision_folder().string()}});
  } else {
    streams.out.print("{}\n", decision_folder().string());
  }
  return Exit::done;
}

struct Action {
  std::string_view name;
  std::string_view takes;   // for messages
  std::size_t least, most;  // words behind the name
  Exit (*act)(const CacheOptions&, Streams&);
};

constexpr std::array<Action, 12> kActions{{
    {"list", "nothing", 0, 0, cache_list},
    {"show", "keys", 0, SIZE_MAX, cache_show},
    {"explain", "one key or more", 1, SIZE_MAX, cache_explain},
    {"diff", "one or two evidence files", 1, 2, cache_diff},
    {"merge", "one evidence file or more", 1, SIZE_MAX, cache_merge},
    {"pin", "a key and a candidate", 2, SIZE_MAX, cache_pin},
    {"unpin", "a key", 1, 1, cache_unpin},
    {"export", "a file, and keys", 1, SIZE_MAX, cache_export},
    {"import", "a file", 1, 1, cache_import},
    {"clear", "keys", 0, SIZE_MAX, cache_clear},
    {"clear-code", "nothing", 0, 0, cache_clear_code},
    {"path", "nothing", 0, 0, show_path},
}};

const Action* find_action(std::string_view name) {
  const auto* found = std::ranges::find(kActions, name, &Action::name);
  return found == kActions.end() ? nullptr : found;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, word) != all.end();
}

}  // namespace

CommandHelp declare(OptionSet& set, CacheOptions& options) {
  set.positional("ACTION [WORD...]", "one of the actions above, and its arguments", options.words,
                 1, SIZE_MAX);
  set.value("--store", "FILE", "use this evidence file instead of your own", options.store);
  set.value("--adapter", "ID", "with list, show, clear and --toml: the decisions of one adapter",
            options.adapter);
  set.flag("--t4", "with export, import: results in the T4 format of auto-tuners", options.t4);
  set.flag("--toml", "with export, import: a decision file instead of evidence", options.toml);
  set.value("--program", "TEXT", "with import --t4: the program of the results", options.program);
  set.value("--name", "TEXT", "with import --t4: the name of the kernel", options.name);
  set.value("--size", "TEXT", "with import --t4: the size, such as 4096x4096x1", options.size);
  set.value("--device", "TEXT", "with import --t4: the device", options.device);
  set.value("--set", "TEXT", "with import --t4: settings that were not searched",
            options.overrides);
  set.value("--reason", "TEXT", "with pin: the reason", options.reason);
  set.flag("--yes", "with clear: remove everything; with pin: allow any candidate", options.yes);
  set.flag("--json", "print JSON", options.json);
  return {
      .usage = "vyre cache ACTION [WORD...] [options]",
      .summary =
          "Shows and changes what vyre keeps on disk: what the tuner learned (evidence), the\n"
          "workgroups of launches (decision files), and compiled code.\n"
          "\n"
          "  list                list keys, decision files and compiled code\n"
          "  show [KEY...]       show the candidates of a key with their times, or decisions\n"
          "  explain KEY...      say in words why a candidate was chosen\n"
          "  diff FILE [FILE]    show decisions that differ from a file, or between two files\n"
          "  merge FILE...       add the evidence of other files\n"
          "  pin KEY CANDIDATE   serve only this candidate from now on\n"
          "  unpin KEY           remove the pin\n"
          "  export FILE [KEY..] write evidence to a file; - is the standard output\n"
          "  import FILE         add an exported file, plain or gzip; - is the standard input.\n"
          "                      Evidence from another device is only a hint\n"
          "  clear [KEY...]      remove keys, the decisions of an --adapter, or everything with\n"
          "                      --yes; files that vyre cannot read are never removed\n"
          "  clear-code          remove the compiled code; it is compiled again when needed\n"
          "  path                print the folder of evidence and decision files\n"
          "\n"
          "A KEY is an id, the beginning of one, or the name of a kernel.",
      .details =
          "examples:\n"
          "  vyre cache list\n"
          "  vyre cache explain saxpy\n"
          "  vyre cache pin t1-7cf6 'workgroup=256x1x1 items=4' --reason 'measured by hand'\n"
          "  vyre cache export --t4 saxpy.json t1-7cf6\n"
          "  vyre cache import --t4 A100_T4.json.gz --program conv --device 'NVIDIA A100'\n"
          "  vyre cache clear --yes\n",
  };
}

Result<void> check(const CacheOptions& options) {
  const std::string& name = options.words.front();
  const Action* action = find_action(name);
  const auto refuse = [](std::string what, std::string fix = {}) {
    return fail(Code::invalid_input, std::move(what), std::move(fix));
  };
  if (action == nullptr) {
    std::vector<std::string> names;
    for (const Action& each : kActions) names.emplace_back(each.name);
    const std::string meant = nearest(name, names);
    return refuse(fmt::format("there is no action {}", quote(name)),
                  meant.empty() ? fmt::format("there are {}", join_words(names))
                                : fmt::format("did you mean {}?", meant));
  }
  const std::size_t words = options.words.size() - 1;
  if (words < action->least || words > action->most) {
    return refuse(fmt::format("{} takes {}", name, action->takes));
  }
  if (options.yes && !is_one_of(name, {"clear", "pin"})) {
    return refuse("only clear and pin take --yes");
  }
  if (options.t4 && !is_one_of(name, {"export", "import"})) {
    return refuse("only export and import take --t4");
  }
  if (!options.reason.empty() && name != "pin") return refuse("only pin takes --reason");
  const bool describes = !options.program.empty() || !options.name.empty() ||
                         !options.size.empty() || !options.device.empty() ||
                         !options.overrides.empty();
  if (describes && !(options.t4 && name == "import")) {
    return refuse("only import --t4 takes --program, --name, --size, --device and --set");
  }
  if (options.toml && !is_one_of(name, {"export", "import"})) {
    return refuse("only export and import take --toml");
  }
  if (options.toml && (options.t4 || !options.store.empty())) {
    return refuse("--toml is for decision files, --t4 and --store are for evidence",
                  "leave one of them out");
  }
  if (options.toml && words > 1) {
    return refuse("--toml exports all decisions of an adapter", "leave out the keys");
  }
  if (!options.adapter.empty() && !options.toml && !is_one_of(name, {"list", "show", "clear"})) {
    return refuse(fmt::format("{} takes no --adapter", name));
  }
  if (!options.adapter.empty() && !options.store.empty()) {
    return refuse("--adapter is for decision files, --store is for evidence",
                  "leave one of them out");
  }
  if (!options.store.empty() && is_one_of(name, {"clear-code", "path"})) {
    return refuse(fmt::format("{} takes no --store", name));
  }
  if (name == "clear" && words == 0 && options.adapter.empty() && !options.yes) {
    return refuse("this would remove all evidence and decisions",
                  "give --yes, or name a key or an --adapter");
  }
  return {};
}

Exit run_command(const CacheOptions& options, Streams& streams) {
  return find_action(options.words.front())->act(options, streams);
}

}  // namespace vyre
