#include "vyre/cli/feature_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vyre/cli/entry_report.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

std::string webgpu_feature(const std::string& extension) {
  if (extension == "f16") return "shader-f16";
  std::string out = extension;
  std::ranges::replace(out, '_', '-');
  return out;
}

std::uint64_t count_space(const EntryFeatures& uses, std::string_view space) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      uses.bindings, [&](const BindingUse& b) { return b.space.starts_with(space); }));
}

std::vector<NeededLimit> limits_of(const EntryFeatures& uses, const EntryReport* entry) {
  std::vector<NeededLimit> out;
  const auto need = [&](std::string_view name, std::uint64_t needed, std::uint64_t guaranteed) {
    if (needed != 0) out.push_back({name, needed, guaranteed});
  };
  if (entry != nullptr && entry->workgroup[0] && entry->workgroup[1] && entry->workgroup[2]) {
    const std::uint64_t x = *entry->workgroup[0], y = *entry->workgroup[1],
                        z = *entry->workgroup[2];
    need("maxComputeWorkgroupSizeX", x, 256);
    need("maxComputeWorkgroupSizeY", y, 256);
    need("maxComputeWorkgroupSizeZ", z, 64);
    need("maxComputeInvocationsPerWorkgroup", x * y * z, 256);
  }
  const auto bytes = entry != nullptr ? entry->workgroup_bytes : uses.workgroup_bytes;
  need("maxComputeWorkgroupStorageSize", bytes.value_or(0), 16'384);
  need("maxStorageBuffersPerShaderStage", count_space(uses, "storage"), 8);
  need("maxUniformBuffersPerShaderStage", count_space(uses, "uniform"), 12);
  std::uint64_t groups = 0;
  for (const BindingUse& b : uses.bindings)
    groups = std::max<std::uint64_t>(groups, b.group + 1ULL);
  need("maxBindGroups", groups, 4);
  return out;
}

std::string text_of(const Error& error) {
  return error.fix.empty() ? error.what : fmt::format("{}: {}", error.what, error.fix);
}

EntryNeeds needs_of(const Module& module, const EntryFeatures& uses,
                    const std::vector<Setting>& settings, const Device& device) {
  EntryNeeds out{.uses = uses, .why = {}, .features = {}, .limits = {}};
  for (const std::string& name : uses.extensions) out.features.push_back(webgpu_feature(name));
  const Program* program = module.find(uses.name);
  std::optional<EntryReport> entry;
  if (program == nullptr) {
    out.runs = EntryNeeds::Runs::no;
    out.why = module.why_not_run(uses.name);
  } else if (auto reported = report_entry(*program, settings, false, nullptr)) {
    entry = *std::move(reported);
    out.uses.workgroup_bytes = entry->workgroup_bytes;
    const auto here = report_entry(*program, settings, false, &device);
    if (!entry->unset.empty()) {
      out.runs = EntryNeeds::Runs::unknown;
      out.why = fmt::format("unknown until {} {} set (--set {}=VALUE)", join_words(entry->unset),
                            entry->unset.size() == 1 ? "is" : "are", entry->unset.front());
    } else if (!here) {
      out.runs = EntryNeeds::Runs::no;
      out.why = text_of(here.error());
    }
  } else {
    out.runs = EntryNeeds::Runs::no;
    out.why = text_of(reported.error());
  }
  if (uses.stage == "compute") out.limits = limits_of(uses, entry ? &*entry : nullptr);
  return out;
}

std::string words(const std::vector<std::string>& names) {
  return names.empty() ? "none" : join_words(names);
}

void print_entry_needs(Output& out, std::string_view device, const EntryNeeds& entry) {
  const auto line = [&](std::string_view what, std::string_view value) {
    out.print("  {:<17} {}\n", what, value);
  };
  out.print("\n{} ({})\n", bold(out, entry.uses.name), entry.uses.stage);
  line("runs", entry.runs == EntryNeeds::Runs::yes  ? fmt::format("on {}", device)
               : entry.runs == EntryNeeds::Runs::no ? fmt::format("no: {}", entry.why)
                                                    : entry.why);
  line("needs features", words(entry.features));
  std::string_view head = "builtins";
  for (const BuiltinGroup& group : entry.uses.builtins) {
    line(head, fmt::format("{}: {}", group.name, join_words(group.functions)));
    head = "";
  }
  if (entry.uses.builtins.empty()) line(head, "none");
  if (entry.uses.stage == "compute") {
    line("workgroup memory", entry.uses.workgroup_bytes ? format_bytes(*entry.uses.workgroup_bytes)
                                                        : "depends on overrides");
  }
  if (!entry.uses.bindings.empty()) {
    out.write("  bindings\n");
    Table table({"group", "binding", "name", "space", "type"}, {0, 1});
    for (const BindingUse& b : entry.uses.bindings) {
      table.add(
          {fmt::format("{}", b.group), fmt::format("{}", b.binding), b.name, b.space, b.type});
    }
    table.print(out, "    ");
  }
  if (entry.limits.empty()) return;
  out.write("  needs limits\n");
  Table table({"limit of WebGPU", "needed", "guaranteed"}, {1, 2});
  for (const NeededLimit& limit : entry.limits) {
    table.add({std::string(limit.name), with_commas(limit.needed), with_commas(limit.guaranteed)});
  }
  table.print(out, "    ");
}

}  // namespace

FeatureReport report_features(const ModuleFeatures& uses, const Module& module,
                              const std::vector<Setting>& settings, const Device& device) {
  FeatureReport out{uses, std::string(device.name()), {}};
  for (const EntryFeatures& entry : uses.entries) {
    out.entries.push_back(needs_of(module, entry, settings, device));
  }
  return out;
}

void print_features(Output& out, const FeatureReport& report) {
  const auto line = [&](std::string_view what, const std::vector<std::string>& names) {
    out.print("  {:<17} {}\n", what, words(names));
  };
  line("enable", report.module.enabled);
  line("requires", report.module.required);
  line("extensions used", report.module.extensions);
  line("features used", report.module.language_features);
  for (const EntryNeeds& entry : report.entries) print_entry_needs(out, report.device, entry);
}

Json to_json(const FeatureReport& report) {
  Json json;
  json["enable"] = report.module.enabled;
  json["requires"] = report.module.required;
  json["extensions_used"] = report.module.extensions;
  json["language_features_used"] = report.module.language_features;
  json["device"] = report.device;
  json["entries"] = Json::array();
  for (const EntryNeeds& entry : report.entries) {
    Json each;
    each["name"] = entry.uses.name;
    each["stage"] = entry.uses.stage;
    each["runs"] = entry.runs == EntryNeeds::Runs::unknown
                       ? Json(nullptr)
                       : Json(entry.runs == EntryNeeds::Runs::yes);
    if (!entry.why.empty()) each["why"] = entry.why;
    each["needs_features"] = entry.features;
    each["extensions_used"] = entry.uses.extensions;
    each["builtins"] = Json::object();
    for (const BuiltinGroup& group : entry.uses.builtins) {
      each["builtins"][group.name] = group.functions;
    }
    each["workgroup_bytes"] =
        entry.uses.workgroup_bytes ? Json(*entry.uses.workgroup_bytes) : Json(nullptr);
    each["bindings"] = Json::array();
    for (const BindingUse& b : entry.uses.bindings) {
      each["bindings"].push_back({{"group", b.group},
                                  {"binding", b.binding},
                                  {"name", b.name},
                                  {"space", b.space},
                                  {"type", b.type}});
    }
    each["needs_limits"] = Json::object();
    for (const NeededLimit& limit : entry.limits) {
      each["needs_limits"][std::string(limit.name)] = {{"needed", limit.needed},
                                                       {"guaranteed", limit.guaranteed}};
    }
    json["entries"].push_back(std::move(each));
  }
  return json;
}

}  // namespace vyre
