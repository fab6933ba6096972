#include "vyre/cli/command.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/files/files.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

bool names(const Override& override_, std::string_view name) {
  return override_.name == name || (override_.id && fmt::format("{}", *override_.id) == name);
}

}  // namespace

Exit report(Streams& streams, const Error& error, Exit exit) {
  streams.out.flush();
  streams.err.print("{} {}\n", bold(streams.err, "vyre:"), describe(error));
  streams.err.flush();
  return exit;
}

Exit exit_for(const Error& error) {
  return error.code == Code::invalid_input || error.code == Code::limit ? Exit::wrong
                                                                        : Exit::failed;
}

void show_diagnostics(Streams& streams, const ParsedModule& parsed) {
  streams.out.flush();
  streams.err.write(parsed.message());
  streams.err.flush();
}

Result<std::string> read_source(const std::string& path, Streams& streams) {
  auto text =
      path == "-" ? streams.read_input(Source::kMaxBytes) : read_file(path, Source::kMaxBytes);
  if (!text) text.error().code = Code::invalid_input;
  return text;
}

std::string source_name(const std::string& path) { return path == "-" ? "<stdin>" : path; }

Result<std::string> read_input_file(const std::string& path, std::uint64_t max_bytes) {
  auto text = read_file(path, max_bytes);
  if (!text) text.error().code = Code::invalid_input;
  return text;
}

Result<const Program*> choose_entry(const Module& module, const std::string& file,
                                    const std::string& entry) {
  std::vector<std::string> names;
  for (const Program& program : module.programs) names.push_back(program.name);
  const std::string_view refused = module.why_not_run(entry);
  if (!refused.empty()) return fail(Code::invalid_input, fmt::format("{}: {}", file, refused));
  if (names.empty() && !module.not_run.empty()) {
    return fail(Code::invalid_input, fmt::format("{} has no entry point that vyre runs: {}", file,
                                                 module.not_run.front().why));
  }
  if (names.empty()) {
    return fail(Code::invalid_input, fmt::format("{} has no @compute entry point", file));
  }
  if (!entry.empty()) {
    const Program* program = module.find(entry);
    if (program != nullptr) return program;
    return fail(Code::invalid_input, fmt::format("{} has no entry point {}", file, quote(entry)),
                fmt::format("it has {}", join_words(names)));
  }
  if (names.size() > 1) {
    return fail(Code::invalid_input,
                fmt::format("{} has {} entry points: {}", file, names.size(), join_words(names)),
                fmt::format("choose one, e.g. --entry {}", names.front()));
  }
  return &module.programs.front();
}

bool has_override(const Program& program, std::string_view name) {
  return std::ranges::any_of(program.overrides,
                             [&](const Override& each) { return names(each, name); });
}

std::vector<OverrideValue> settings_for(const Program& program, const std::vector<Setting>& all) {
  std::vector<OverrideValue> values;
  for (const Setting& setting : all) {
    if (has_override(program, setting.name)) values.push_back({setting.name, setting.value});
  }
  return values;
}

std::vector<std::string> unset_overrides(const Program& program, const std::vector<Setting>& all) {
  std::vector<std::string> unset;
  for (const Override& each : program.overrides) {
    const bool given =
        std::ranges::any_of(all, [&](const Setting& setting) { return names(each, setting.name); });
    if (each.initial == kNoExpr && !given) unset.push_back(each.name);
  }
  return unset;
}

Result<void> check_settings_once(const Program& program, const std::vector<Setting>& all) {
  for (const Override& each : program.overrides) {
    const auto given = std::ranges::count_if(
        all, [&](const Setting& setting) { return names(each, setting.name); });
    if (given > 1) {
      return fail(Code::invalid_input, fmt::format("--set: {} was set {} times", each.name, given),
                  "set it once");
    }
  }
  return {};
}

Result<Kernel> make_kernel_with(const Program& program, const std::vector<Setting>& settings) {
  std::vector<std::string> known;
  for (const Override& each : program.overrides) known.push_back(each.name);
  for (const Setting& setting : settings) {
    if (has_override(program, setting.name)) continue;
    return fail(Code::invalid_input,
                fmt::format("--set: {} has no override {}", program.name, quote(setting.name)),
                known.empty() ? "it has none" : fmt::format("it has {}", join_words(known)));
  }
  VYRE_CHECK(check_settings_once(program, settings));
  if (const auto unset = unset_overrides(program, settings); !unset.empty()) {
    std::string example;
    for (const std::string& name : unset) example += fmt::format(" --set {}=VALUE", name);
    return fail(Code::invalid_input,
                fmt::format("{}: {} {} no default", program.name, join_words(unset),
                            unset.size() == 1 ? "has" : "have"),
                fmt::format("give{}", example));
  }
  auto kernel = make_kernel(program, settings_for(program, settings));
  if (!kernel) {
    kernel.error().what = fmt::format("{}: {}", program.name, kernel.error().what);
  }
  return kernel;
}

std::string join_words(const std::vector<std::string>& words) {
  constexpr std::size_t kMost = 30;
  std::string out;
  const std::size_t shown = std::min(words.size(), kMost);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  if (shown < words.size()) out += fmt::format(" and {} more", words.size() - shown);
  return out;
}

}  // namespace vyre
