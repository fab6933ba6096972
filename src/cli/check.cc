#include "vyre/cli/check.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/cli/devices.h"
#include "vyre/cli/entry_report.h"
#include "vyre/cli/feature_report.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/values.h"
#include "vyre/engine/devices.h"

namespace vyre {
namespace {

Json to_json(const Source& source, const Diagnostic& diagnostic) {
  const LineColumn at = source.position(diagnostic.span.begin);
  Json json;
  json["severity"] = diagnostic.severity == Severity::error ? "error" : "warning";
  json["line"] = at.line;
  json["column"] = at.column;
  json["message"] = diagnostic.message;
  if (!diagnostic.fix.empty()) json["fix"] = diagnostic.fix;
  for (const Note& note : diagnostic.notes) {
    const LineColumn place = source.position(note.span.begin);
    json["notes"].push_back(
        {{"line", place.line}, {"column", place.column}, {"message", note.text}});
  }
  return json;
}

Json to_json(const Error& error) {
  Json json;
  json["severity"] = "error";
  json["message"] = error.what;
  if (!error.fix.empty()) json["fix"] = error.fix;
  return json;
}

// One file, in the human form on `streams` and in the JSON form in the result.
class FileCheck {
 public:
  FileCheck(const CheckOptions& options, const Device* device, Streams& streams,
            const std::string& path)
      : options_(options),
        device_(device),
        streams_(streams),
        path_(path),
        name_(source_name(path)) {}

  Exit run() {
    json_["file"] = name_;
    json_["ok"] = false;
    json_["diagnostics"] = Json::array();
    json_["entries"] = Json::array();
    auto text = read_source(path_, streams_);
    if (!text) return problem(text.error());
    const ParsedModule parsed = parse_wgsl(*std::move(text), name_, {.lenient = options_.lenient});
    for (const Diagnostic& each : parsed.diagnostics.all()) {
      json_["diagnostics"].push_back(to_json(*parsed.source, each));
    }
    if (!options_.json) show_diagnostics(streams_, parsed);
    if (!parsed.module) return Exit::wrong;
    return options_.features ? features(parsed) : entries(*parsed.module);
  }

  const Json& json() const { return json_; }
  // The settings that named an override of any entry point of the file.
  std::vector<std::string> used_settings;

 private:
  Exit problem(const Error& error) {
    json_["diagnostics"].push_back(to_json(error));
    return options_.json ? Exit::wrong : report(streams_, error);
  }

  Exit entries(const Module& module) {
    if (!options_.json) {
      streams_.out.print("{}: {}\n", name_, counted(module.programs.size(), "entry point"));
    }
    Exit exit = Exit::done;
    for (const Program& program : module.programs) {
      note_settings(program);
      auto entry = report_entry(program, options_.settings, options_.ir, device_);
      if (!entry) {
        entry.error().what = fmt::format("{}: {}: {}", name_, program.name, entry.error().what);
        exit = problem(entry.error());
        continue;
      }
      json_["entries"].push_back(vyre::to_json(*entry, options_.ir));
      if (options_.json) continue;
      streams_.out.write("\n");
      print_entry(streams_.out, *entry);
      if (options_.ir) streams_.out.print("\n{}", entry->ir);
    }
    json_["ok"] = exit == Exit::done;
    return exit;
  }

  void note_settings(const Program& program) {
    for (const Setting& setting : options_.settings) {
      if (has_override(program, setting.name)) used_settings.push_back(setting.name);
    }
  }

  Exit features(const ParsedModule& parsed) {
    for (const Program& program : parsed.module->programs) note_settings(program);
    const auto uses = wgsl_features(*parsed.source, {.lenient = options_.lenient});
    const FeatureReport report =
        report_features(*uses, *parsed.module, options_.settings, *device_);
    json_["features"] = vyre::to_json(report);
    json_["ok"] = true;
    if (!options_.json) {
      streams_.out.print("{}: {}\n", name_, counted(report.entries.size(), "entry point"));
      print_features(streams_.out, report);
    }
    return Exit::done;
  }

  const CheckOptions& options_;
  const Device* device_;
  Streams& streams_;
  const std::string& path_;
  std::string name_;
  Json json_;
};

}  // namespace

CommandHelp declare(OptionSet& set, CheckOptions& options) {
  set.positional("FILE...", "WGSL files; - is the standard input", options.files, 1, SIZE_MAX);
  set.repeated("--set", "NAME=VALUE", "give an override a value, by its name or @id",
               options.settings, parse_settings);
  set.value("--device", "NAME", "check the limits of a device: cpu, cuda, cuda:N, auto or null",
            options.device);
  set.flag("--features", "print what each entry point uses, and what it needs of a device",
           options.features);
  set.flag("--ir", "print the program as the compiler sees it", options.ir);
  set.flag("--lenient", "accept what wgpu accepts beyond the specification, with warnings",
           options.lenient);
  set.flag("--json", "print JSON", options.json);
  return {
      .usage = "vyre check FILE... [options]",
      .summary =
          "Checks WGSL files. Prints each entry point with its workgroup, buffers, overrides and\n"
          "counts, and whether its launch may be tuned. Errors go to the standard error.",
      .details =
          "examples:\n"
          "  vyre check examples/*.wgsl\n"
          "  vyre check examples/matmul.wgsl --set TILE=8 --ir\n"
          "  vyre check --features examples/reduction.wgsl\n",
  };
}

Exit run_command(const CheckOptions& options, Streams& streams) {
  Exit exit = Exit::done;
  Json files = Json::array();
  std::vector<std::string> used;
  bool first = true;
  bool read_all = true;
  std::shared_ptr<Device> device;
  const std::string name = options.device.empty() && options.features ? "cpu" : options.device;
  if (!name.empty()) {
    const auto named = check_device_name(name, "and null");
    if (!named) return report(streams, named.error());
    auto opened = open_device(name, {});
    if (!opened) return report(streams, opened.error(), exit_for(opened.error()));
    device = *std::move(opened);
  }
  for (const std::string& path : options.files) {
    if (!first && !options.json) streams.out.write("\n");
    first = false;
    FileCheck check(options, device.get(), streams, path);
    if (check.run() != Exit::done) {
      exit = Exit::wrong;
      read_all = false;
    }
    used.insert(used.end(), check.used_settings.begin(), check.used_settings.end());
    files.push_back(check.json());
  }
  if (options.json) write_json(streams.out, {{"files", std::move(files)}});
  // A file with errors may be the one that declares the override.
  for (const Setting& setting : options.settings) {
    if (!read_all || std::ranges::find(used, setting.name) != used.end()) continue;
    exit =
        report(streams,
               {Code::invalid_input,
                fmt::format("--set: no entry point has an override {}", quote(setting.name)), ""});
  }
  return exit;
}

}  // namespace vyre
