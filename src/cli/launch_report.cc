#include "vyre/cli/launch_report.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "vyre/cli/buffer_layout.h"
#include "vyre/cli/devices.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"
#include "vyre/engine/devices.h"
#include "vyre/engine/launch_decisions.h"
#include "vyre/plan/cold_start.h"
#include "vyre/plan/kernel_bindings.h"
#include "vyre/plan/kernel_facts.h"
#include "vyre/plan/launch_plan.h"
#include "vyre/tune/evidence.h"
#include "vyre/tune/keys.h"

namespace vyre {
namespace {

// What the tuner chose for the same launch.
struct Tuned {
  std::string candidate{};  // empty: nothing is known
  std::string match{}, key{};
  bool is_answer = false;
  std::string problem{};  // why the evidence cannot be read
};

// A plan with all that led to it.
struct LaunchReport {
  std::string file, entry;
  Extent declared{};
  Limits limits;
  std::string device;              // that was named
  std::optional<Profile> profile;  // of the device
  TargetKind target = TargetKind::host;
  TunerMode mode = kProductionMode;
  std::string mode_from;
  BindingPlan bindings;
  LaunchPlan plan;
  CostTable costs;  // empty unless the workgroup was chosen by cost
  std::string elements_from;
  std::string decisions;  // the file
  std::string key;        // of this launch in it
  Tuned tuned;
};

std::string_view mode_word(TunerMode mode) {
  switch (mode) {
    case TunerMode::sweep: return "on";
    case TunerMode::natural_gradient: return "natural";
    case TunerMode::cached_or_default: return "off";
    case TunerMode::frozen: return "frozen";
  }
  return "";
}

// Data as large as the launch for everything that the kernel only reads; what it writes is sized by
// the launch anyway.
std::vector<KernelInput> inputs_for(const Kernel& kernel, std::uint64_t elements) {
  std::vector<KernelInput> out;
  for (const Global& global : kernel.program->globals) {
    const bool uniform = global.memory == MemoryKind::uniform;
    if (!uniform && (global.memory != MemoryKind::storage || global.access != Access::read)) {
      continue;
    }
    const BufferLayout layout = buffer_layout(kernel.program->types, global.type);
    const std::uint64_t count = layout.runtime_sized ? elements : layout.count;
    out.push_back({global.group, global.binding, {.bytes = layout.bytes_for(count)}});
  }
  return out;
}

// What the tuner knows of the kernel at this size.
Tuned tuned_for(const Kernel& kernel, const Device& device, const Profile& profile,
                const Extent& size) {
  std::error_code error;
  if (!std::filesystem::exists(evidence_path(), error)) return {};
  const auto store = EvidenceStore::open(evidence_path());
  if (!store) return {.problem = store.error().what};
  const auto match = (*store)->lookup(
      tuning_key_of(device, profile, to_hex(kernel.fingerprint), kernel.program->name, size));
  if (!match) return {};
  return {.candidate = std::string(match->state.decision()),
          .match = std::string(to_string(match->kind)),
          .key = key_id(match->state.key),
          .is_answer = match->is_answer()};
}

// What the device allows and is; decisions are kept for exactly such a device.
Result<Adapter> take_device(LaunchReport& report, const Kernel& kernel,
                            const PlanOptions& options) {
  VYRE_TRY(const CpuOptions cpu, cpu_options_from_environment());
  VYRE_TRY(const auto device, open_device(options.device, cpu));
  report.device = device->name();
  report.limits = device->limits();
  VYRE_TRY(report.profile, device->profile());
  report.target = device->target().kind;
  if (options.size) report.tuned = tuned_for(kernel, *device, *report.profile, *options.size);
  return adapter_of(*device, *report.profile);
}

Result<LaunchReport> make_report(const Kernel& kernel, const PlanOptions& options) {
  LaunchReport report;
  report.file = source_name(options.files.front());
  report.entry = kernel.program->name;
  report.declared = kernel.program->workgroup;
  report.limits = options.limits.value_or(default_limits());
  Adapter adapter = make_adapter(report.limits);
  if (!options.device.empty()) {
    VYRE_TRY(adapter, take_device(report, kernel, options));
  }
  report.mode = options.mode ? *options.mode : mode_from_environment();
  const char* variable = std::getenv(kModeVariable);
  report.mode_from = options.mode                               ? "--mode"
                     : variable != nullptr && *variable != '\0' ? kModeVariable
                                                                : "the default";

  DispatchConfig config;
  config.workgroup_override = options.workgroup;
  config.grid_override = options.grid;
  config.global_size = options.size;
  report.elements_from = "--grid";
  if (options.size) {
    const Extent& size = *options.size;
    config.element_count = size[0] * size[1] * size[2];
    report.elements_from = "--size";
  }
  const ProgramFacts facts = facts_of(kernel);
  auto bindings =
      plan_kernel_bindings(kernel, inputs_for(kernel, config.element_count.value_or(1)));
  if (!bindings) return std::unexpected(to_error(bindings.error()));
  report.bindings = *std::move(bindings);
  LaunchFeedback feedback;
  const LaunchRequest request{facts, report.bindings.bindings, config, adapter};
  if (const auto prepared = prepare(report.plan, request, report.mode, feedback); !prepared) {
    return std::unexpected(to_error(prepared.error()));
  }
  report.decisions = adapter.decisions.string();
  report.key =
      feedback_key(facts.fingerprint, facts.workgroup, report.plan.element_count, report.limits)
          .view();
  const WorkgroupSource source = report.plan.workgroup_source;
  if (source == WorkgroupSource::cold_start || source == WorkgroupSource::measured ||
      source == WorkgroupSource::stored || source == WorkgroupSource::declared_only) {
    report.costs = cost_table(facts.workgroup, report.plan.element_count, report.limits, {});
  }
  return report;
}

std::string workgroup_reason(const LaunchReport& report) {
  const std::string declared = format_extent(report.declared);
  switch (report.plan.workgroup_source) {
    case WorkgroupSource::overridden: return "fixed by --workgroup";
    case WorkgroupSource::declared_by_mode: return "as declared: this mode leaves workgroups alone";
    case WorkgroupSource::declared_with_grid:
      return "as declared: --grid counts workgroups of that size";
    case WorkgroupSource::declared_ineligible:
      return fmt::format("as declared: {}", describe(report.plan.ineligible));
    case WorkgroupSource::declared_only:
      return "as declared: the device allows no second width to choose from";
    case WorkgroupSource::cold_start:
      return fmt::format("cold start: cheapest by the cost table (declared: {})", declared);
    case WorkgroupSource::measured:
      return fmt::format("measured launches say so (declared: {})", declared);
    case WorkgroupSource::stored:
      return fmt::format("decided by an earlier run (declared: {})", declared);
  }
  return "";
}

std::string grid_reason(const LaunchReport& report, const PlanOptions& options) {
  if (options.grid) return "fixed by --grid";
  const Extent& workgroup = report.plan.workgroup;
  if (workgroup[1] == 1 && workgroup[2] == 1) {
    return fmt::format("{} / {}, rounded up", with_commas(report.plan.element_count), workgroup[0]);
  }
  return fmt::format("{} / {}, rounded up along each axis", format_extent(*options.size),
                     format_extent(workgroup));
}

std::string tuned_reason(const Tuned& tuned) {
  return fmt::format("{} ({}); vyre cache explain {} tells why",
                     tuned.is_answer ? "what launches of it run as" : "a hint for them",
                     tuned.match, tuned.key.substr(0, 11));
}

void print_costs(Output& out, const CostTable& costs, const Extent& declared) {
  out.write("\n  costs of the widths the device allows\n");
  Table table({"width", "groups and idle lanes, ns", "from", "weight", ""}, {0, 1, 3});
  for (const CostRow& row : costs.rows) {
    table.add({fmt::format("{}", row.width), with_commas(row.cost_ns),
               row.measured ? "measured" : "estimated",
               fmt::format("{:.1f}%", row.weight_q16 * 100.0 / 65536),
               costs.selected == row.width ? "<- chosen"
               : row.width == declared[0]  ? "declared"
                                           : ""});
  }
  table.print(out, "    ");
}

void print_report(Output& out, const LaunchReport& report, const PlanOptions& options) {
  const auto line = [&](std::string_view what, std::string_view value, std::string_view reason) {
    out.print("  {:<11} {:<16}  {}\n", what, value, faint(out, reason));
  };
  out.print("{} on {}\n", bold(out, report.entry), to_string(report.limits));
  if (report.profile) line("device", report.device, summary(*report.profile, report.target));
  line("mode", mode_word(report.mode), fmt::format("from {}", report.mode_from));
  line("elements", with_commas(report.plan.element_count),
       fmt::format("from {}", report.elements_from));
  line("workgroup", format_extent(report.plan.workgroup), workgroup_reason(report));
  line("grid", format_extent(report.plan.grid), grid_reason(report, options));
  if (!report.tuned.candidate.empty()) {
    line("tuned", report.tuned.candidate, tuned_reason(report.tuned));
  } else if (!report.tuned.problem.empty()) {
    line("tuned", "not known", report.tuned.problem);
  }
  line("alignment", fmt::format("{} bytes", report.plan.max_binding_alignment),
       "the largest of the bindings");
  line("parameters", fmt::format("{}", fmt::join(report.plan.param_words, " ")),
       "the elements, then the count of each slot");
  if (!report.costs.rows.empty()) print_costs(out, report.costs, report.declared);
  if (report.bindings.bindings.empty()) return;
  out.write("\n  bindings\n");
  Table table({"slot", "name", "role", "elements", "element bytes", "alignment"}, {0, 3, 4, 5});
  for (const PlannedBinding& binding : report.bindings.bindings) {
    table.add({binding.role == BindingRole::shared ? "-" : fmt::format("{}", binding.slot),
               binding.name, std::string(to_string(binding.role)),
               binding.element_count == 0 ? "as launched" : with_commas(binding.element_count),
               fmt::format("{}", binding.element_size),
               fmt::format("{}", binding.preferred_alignment)});
  }
  table.print(out, "    ");
}

Json report_json(const LaunchReport& report, const PlanOptions& options) {
  Json json;
  json["file"] = report.file;
  json["entry"] = report.entry;
  json["limits"] = to_json(report.limits);
  json["device"] = report.profile ? Json(report.device) : Json();
  json["profile"] = report.profile ? to_json(*report.profile) : Json();
  json["mode"] = wire_name(report.mode);
  json["mode_from"] = report.mode_from;
  json["element_count"] = report.plan.element_count;
  json["declared_workgroup"] = to_json(report.declared);
  json["workgroup"] = to_json(report.plan.workgroup);
  json["workgroup_source"] = to_string(report.plan.workgroup_source);
  json["workgroup_reason"] = workgroup_reason(report);
  json["grid"] = to_json(report.plan.grid);
  json["grid_reason"] = grid_reason(report, options);
  json["param_words"] = report.plan.param_words;
  json["max_binding_alignment"] = report.plan.max_binding_alignment;
  json["decision_file"] = report.decisions;
  json["decision_key"] = report.key;
  json["tuned"] = report.tuned.candidate.empty() ? Json()
                                                 : Json{{"candidate", report.tuned.candidate},
                                                        {"match", report.tuned.match},
                                                        {"is_answer", report.tuned.is_answer},
                                                        {"key", report.tuned.key}};
  json["costs"] = Json::array();
  for (const CostRow& row : report.costs.rows) {
    json["costs"].push_back({{"width", row.width},
                             {"cost_ns", row.cost_ns},
                             {"measured", row.measured},
                             {"weight_q16", row.weight_q16},
                             {"chosen", report.costs.selected == row.width}});
  }
  json["bindings"] = Json::array();
  for (const PlannedBinding& binding : report.bindings.bindings) {
    json["bindings"].push_back({{"slot", binding.slot},
                                {"name", binding.name},
                                {"role", to_string(binding.role)},
                                {"element_count", binding.element_count},
                                {"element_bytes", binding.element_size},
                                {"alignment", binding.preferred_alignment}});
  }
  return json;
}

}  // namespace

Exit plan_kernel(const PlanOptions& options, Streams& streams) {
  const std::string& path = options.files.front();
  auto text = read_source(path, streams);
  if (!text) return report(streams, text.error());
  const ParsedModule parsed = parse_wgsl(*std::move(text), source_name(path));
  show_diagnostics(streams, parsed);
  if (!parsed.module) return Exit::wrong;
  const auto program = choose_entry(*parsed.module, source_name(path), options.entry);
  if (!program) return report(streams, program.error());
  const auto kernel = make_kernel_with(**program, options.settings);
  if (!kernel) return report(streams, kernel.error());
  const auto launch = make_report(*kernel, options);
  if (!launch) return report(streams, launch.error(), exit_for(launch.error()));
  if (options.json) {
    write_json(streams.out, report_json(*launch, options));
  } else {
    print_report(streams.out, *launch, options);
  }
  return Exit::done;
}

}  // namespace vyre
