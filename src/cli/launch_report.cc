#include "vyre/cli/launch_report.h"

#include <fmt/format.h>

#include <cstdlib>

#include "vyre/cli/devices.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/run/run_buffers.h"
#include "vyre/cli/run/run_execute.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"
#include "vyre/engine/plan_facts.h"
#include "vyre/plan/bindings/extent_volume.h"
#include "vyre/plan/decision_lookup.h"
#include "vyre/plan/planner.h"
#include "vyre/plan/specification/cold_start.h"
#include "vyre/plan/variants/declared_variant.h"
#include "vyre/tune/decisions/decision_keys.h"

namespace vyre {
namespace {

// A plan with everything that led to it.
struct LaunchReport {
  std::string file;
  LaunchPlan plan;
  PlanDevice device;
  std::string mode_from, extent_from;
  CostTable costs;        // of the specification's cold start, where it decided
  std::string decisions;  // the device's decision file
  std::string key;        // of this launch in it; empty: it can hold none
  std::string evidence;   // the key of this launch in the evidence
};

std::string mode_source(const RunOptions& options) {
  if (options.mode) return "--mode";
  const char* variable = std::getenv(kModeVariable);
  return variable != nullptr && *variable != '\0' ? kModeVariable : "the default";
}

// Whether `vyre run` measures the candidates before it launches anything.
bool sweeps_first(const LaunchReport& report) {
  return report.plan.mode == TunerMode::sweep && !report.device.limits_alone &&
         report.plan.by != Authority::caller && report.plan.by != Authority::pin;
}

// The facts for planning of a device whose limits alone are known.
PlanDevice device_of_limits(const Limits& limits) {
  PlanDevice out;
  out.name = limits.backend;
  out.kind = limits.backend == "cpu" ? TargetKind::host : TargetKind::nvptx;
  out.limits = limits;
  out.limits_alone = true;
  return out;
}

Result<LaunchPlan> plan_by_limits(const Kernel& kernel, const RunPlan& run,
                                  const PlanDevice& device, const RunOptions& options) {
  const KernelChoice only{kernel};
  const std::vector<BindingBytes> bytes = run.bytes();
  PlanMemory memory;
  memory.mode = options.mode.value_or(mode_from_environment());
  return plan_launch({.identity = to_hex(kernel.fingerprint),
                      .kernels = std::span(&only, 1),
                      .bindings = bytes,
                      .size = run.size(),
                      .fixed = options.fixed},
                     device, memory);
}

// The interpreter runs workgroups as they are declared.
Result<LaunchPlan> plan_of_interpreter(const Kernel& kernel, const RunPlan& run,
                                       PlanDevice& device) {
  device = device_of_limits({.backend = "interp",
                             .max_threads_per_block = UINT32_MAX,
                             .max_block_dim = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
                             .max_grid_dim = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
                             .max_workgroup_bytes = UINT64_MAX,
                             .max_bindings = UINT32_MAX});
  device.kind = TargetKind::host;
  const KernelChoice only{kernel};
  const std::vector<BindingBytes> bytes = run.bytes();
  VYRE_TRY(LaunchPlan plan, lay_out({.identity = to_hex(kernel.fingerprint),
                                     .kernels = std::span(&only, 1),
                                     .bindings = bytes,
                                     .size = run.size()},
                                    device, 0, plain_variant(kernel, device.kind),
                                    Authority::declared, "as declared", TunerMode::frozen));
  // The interpreter has neither gangs nor tasks.
  std::erase_if(plan.choices, [](const PlanChoice& c) { return c.part != "workgroup"; });
  return plan;
}

Result<LaunchReport> make_report(const Kernel& kernel, const PlanOptions& options) {
  LaunchReport report;
  report.file = source_name(options.run.files.front());
  report.mode_from = mode_source(options.run);
  VYRE_TRY(const RunPlan run, size_run(kernel, options.run, true));
  report.extent_from = run.extent_reason;
  if (options.limits) {
    report.device = device_of_limits(*options.limits);
    VYRE_TRY(report.plan, plan_by_limits(kernel, run, report.device, options.run));
    if (report.plan.by == Authority::cold_start) {
      report.costs = cost_table(kernel.program->workgroup, *volume_in_32_bits(run.extent),
                                report.device.limits, {});
    }
  } else if (is_interpreter(options.run.device)) {
    VYRE_TRY(report.plan, plan_of_interpreter(kernel, run, report.device));
    return report;
  } else {
    VYRE_TRY(const Session session, open_session(options.run));
    report.device = plan_device_of(session.device());
    VYRE_TRY(report.plan, session.plan(kernel, run.bytes(), run.size(), options.run.fixed));
  }
  const Adapter adapter = adapter_of(report.device);
  report.decisions = adapter.decisions.string();
  if (const auto key = decision_key(adapter, kernel, run.extent)) report.key = key->view();
  report.evidence = key_id(tuning_key_of(report.device, to_hex(kernel.fingerprint),
                                         kernel.program->name, run.extent, run.in_workgroups));
  return report;
}

void print_costs(Output& out, const CostTable& costs, const Extent& declared) {
  out.write("  costs of the widths the device allows\n");
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

void print_report(Output& out, const LaunchReport& report) {
  out.write(plan_text(report.plan));
  if (!report.costs.rows.empty()) print_costs(out, report.costs, report.plan.declared);
  out.print("  the extent is from {}, the mode from {}\n", report.extent_from, report.mode_from);
  if (sweeps_first(report)) {
    out.write("  `vyre run` first measures what can be tuned, and launches the fastest\n");
  }
  if (report.device.limits_alone) {
    out.print("  known by its limits alone: {}\n", to_string(report.device.limits));
  } else {
    out.print("  {}\n", summary(report.device.profile, report.device.kind));
  }
}

Json report_json(const LaunchReport& report) {
  Json json = Json::parse(plan_json(report.plan));
  json["file"] = report.file;
  json["entry"] = report.plan.kernel;
  json["limits"] = to_json(report.device.limits);
  json["profile"] = report.device.limits_alone ? Json() : to_json(report.device.profile);
  json["mode_from"] = report.mode_from;
  json["sweeps_first"] = sweeps_first(report);
  json["extent_from"] = report.extent_from;
  json["decision_file"] = report.decisions;
  json["decision_key"] = report.key.empty() ? Json() : Json(report.key);
  json["evidence_key"] = report.evidence;
  json["costs"] = Json::array();
  for (const CostRow& row : report.costs.rows) {
    json["costs"].push_back({{"width", row.width},
                             {"cost_ns", row.cost_ns},
                             {"measured", row.measured},
                             {"weight_q16", row.weight_q16},
                             {"chosen", report.costs.selected == row.width}});
  }
  return json;
}

}  // namespace

Exit plan_kernel(const PlanOptions& options, Streams& streams) {
  const std::string& path = options.run.files.front();
  auto text = read_source(path, streams);
  if (!text) return report(streams, text.error());
  const ParsedModule parsed =
      parse_wgsl(*std::move(text), source_name(path), {.lenient = options.run.lenient});
  show_diagnostics(streams, parsed);
  if (!parsed.module) return Exit::wrong;
  const auto program = choose_entry(*parsed.module, source_name(path), options.run.entry);
  if (!program) return report(streams, program.error());
  const auto kernel = make_kernel_with(**program, options.run.settings);
  if (!kernel) return report(streams, kernel.error());
  const auto launch = make_report(*kernel, options);
  if (!launch) return report(streams, launch.error(), exit_for(launch.error()));
  if (options.run.json) {
    write_json(streams.out, report_json(*launch));
  } else {
    print_report(streams.out, *launch);
  }
  return Exit::done;
}

}  // namespace vyre
