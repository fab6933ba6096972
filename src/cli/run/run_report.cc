#include "vyre/cli/run/run_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/cli/run/buffer_text.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

constexpr std::uint64_t kDefaultPrint = 16;
// JSON is built in memory before it is written.
constexpr std::uint64_t kMostJsonElements = std::uint64_t{1} << 24;

// The buffers that the user asked to print; by default the outputs.
std::vector<PrintArgument> prints(const RunPlan& plan, const RunOptions& options) {
  if (!options.prints.empty() || !options.outputs.empty()) return options.prints;
  std::vector<PrintArgument> out;
  for (const RunBuffer& buffer : plan.buffers) {
    if (buffer.is_output()) out.push_back({buffer.name, kDefaultPrint});
  }
  return out;
}

std::uint64_t bytes_per_second(const RunRecord& record) {
  const auto ns = static_cast<double>(std::max<std::uint64_t>(record.timing->median_ns, 1));
  return static_cast<std::uint64_t>(static_cast<double>(record.moved_bytes) / ns * 1e9);
}

std::string device_text(const RunRecord& record, const RunOptions& options) {
  std::string text = record.device;
  if (record.device == "interp") text += " (the reference interpreter)";
  if (record.device == "null") text += " (which runs nothing)";
  if (options.device == "auto") text += ", chosen by auto";
  return text;
}

std::string code_text(const CompiledCode& code) {
  const std::string time = format_duration(code.prepare_ns);
  const std::string search = code.search_ns == 0 ? ""
                                                 : fmt::format("; candidates measured in {}",
                                                               format_duration(code.search_ns));
  const std::string brief =
      code.brief ? ", briefly: the kernel is too large for all optimisations" : "";
  if (code.source == "disk")
    return fmt::format("code from the cache in {}{}{}", time, brief, search);
  return fmt::format("code compiled in {}{}{}", time, brief, search);
}

void print_timing(Output& out, const RunRecord& record) {
  const Timing& t = *record.timing;
  out.print("  {} median of {}, a tenth below {}, a tenth above {}\n",
            bold(out, format_duration(t.median_ns)), counted(t.runs, "run"),
            format_duration(t.p10_ns), format_duration(t.p90_ns));
  if (record.moved_bytes == 0) return;
  out.print("  {} for {} moved, each buffer read or written once\n",
            format_rate(bytes_per_second(record)), format_bytes(record.moved_bytes));
}

void print_verification(Output& out, const Verification& verification) {
  const Comparison& c = verification.comparison;
  out.print("  verified: {} in {} ", counted(c.scalars, "value"),
            counted(verification.buffers, "buffer"));
  if (c.inexact == 0) {
    out.print("equal the interpreter's (bit for bit, in {})\n",
              format_duration(verification.elapsed_ns));
    return;
  }
  out.print("agree with the interpreter's {} ({} differ, by at most {} ulp)\n",
            describe(verification.tolerance), with_commas(c.inexact), with_commas(c.most_ulps));
}

std::string ulps_text(const Difference& difference) {
  return difference.ulps == 0 ? "-" : with_commas(difference.ulps);
}

Json timing_json(const RunRecord& record) {
  const Timing& t = *record.timing;
  return {{"runs", t.runs},
          {"warm_up_runs", t.warm_up_runs},
          {"median_ns", t.median_ns},
          {"p10_ns", t.p10_ns},
          {"p90_ns", t.p90_ns},
          {"fastest_ns", t.fastest_ns},
          {"slowest_ns", t.slowest_ns},
          {"moved_bytes", record.moved_bytes},
          {"bytes_per_second", bytes_per_second(record)}};
}

Json verification_json(const Verification& verification) {
  const Comparison& c = verification.comparison;
  Json json{{"same", c.same()},
            {"tolerance", describe(verification.tolerance)},
            {"buffers", verification.buffers},
            {"values", c.scalars},
            {"different", c.different},
            {"inexact", c.inexact},
            {"most_ulps", c.most_ulps},
            {"interpreter_ns", verification.elapsed_ns},
            {"differences", Json::array()}};
  for (const Difference& each : c.first) {
    json["differences"].push_back({{"place", each.place},
                                   {"device", to_json(each.got)},
                                   {"interp", to_json(each.expected)},
                                   {"ulps", each.ulps}});
  }
  return json;
}

Json code_json(const CompiledCode& code) {
  const Variant& v = code.variant;
  return {{"variant", to_string(v)},
          {"items_per_lane", v.items_per_lane},
          {"layout", to_string(v.layout)},
          {"gang", v.gang_width},
          {"groups_per_task", v.groups_per_task},
          {"source", code.source},
          {"brief", code.brief},
          {"prepare_ns", code.prepare_ns},
          {"search_ns", code.search_ns}};
}

}  // namespace

const RunBuffer& buffer_named(const RunPlan& plan, const std::string& name) {
  return *std::ranges::find(plan.buffers, name, &RunBuffer::name);
}

Result<void> check_print_sizes(const RunPlan& plan, const RunOptions& options) {
  if (!options.json) return {};
  for (const PrintArgument& print : options.prints) {
    const std::uint64_t elements = *buffer_named(plan, print.name).elements;
    if (std::min(elements, print.elements.value_or(kDefaultPrint)) > kMostJsonElements) {
      return fail(
          Code::limit,
          fmt::format("--print: {} elements of {} are too many for JSON; the most are {}",
                      with_commas(*print.elements), print.name, with_commas(kMostJsonElements)),
          fmt::format("write them with --out {}=FILE", print.name));
    }
  }
  return {};
}

void print_run(Output& out, const Kernel& kernel, const RunPlan& plan, const RunOptions& options,
               const RunRecord& record) {
  out.print("{} on {}\n", bold(out, kernel.program->name), device_text(record, options));
  out.print("  extent {} from {}: {} workgroups of {}\n", format_extent(plan.extent),
            plan.extent_reason, format_extent(record.grid), format_extent(record.workgroup));
  if (record.code) {
    out.print("  variant {}; {}\n", to_string(record.code->variant), code_text(*record.code));
  }
  out.print("  {}{}{}\n", counted(record.invocations, "invocation"),
            record.steps ? ", " + counted(*record.steps, "step") : "",
            record.timing ? "" : ", " + format_duration(record.elapsed_ns));
  if (record.timing) print_timing(out, record);
  if (record.verification) print_verification(out, *record.verification);
  for (const PrintArgument& print : prints(plan, options)) {
    const RunBuffer& buffer = buffer_named(plan, print.name);
    out.print("{}: {}, {}\n", bold(out, buffer.name), buffer.type,
              counted(*buffer.elements, "element"));
    print_elements(out, kernel.program->types, buffer.layout, buffer.bytes.span(),
                   print.elements.value_or(kDefaultPrint));
  }
  for (const Written& each : record.written) {
    out.print("wrote {} to {} ({})\n", each.name, each.path, format_bytes(each.bytes));
  }
}

void print_differences(Output& out, const RunRecord& record) {
  const Comparison& c = record.verification->comparison;
  Table table({"place", record.device, "interp", "ulp"}, {1, 2, 3});
  for (const Difference& each : c.first) {
    table.add({each.place, format_scalar(each.got), format_scalar(each.expected), ulps_text(each)});
  }
  table.print(out, "  ");
  if (c.different > c.first.size()) {
    out.print("  and {} more\n", with_commas(c.different - c.first.size()));
  }
}

Json run_json(const Kernel& kernel, const RunPlan& plan, const RunOptions& options,
              const RunRecord& record) {
  Json json;
  json["file"] = source_name(options.files.front());
  json["entry"] = kernel.program->name;
  json["fingerprint"] = to_hex(kernel.fingerprint);
  json["device"] = record.device;
  json["code"] = record.code ? code_json(*record.code) : Json();
  json["plan"] = record.launch ? Json::parse(plan_json(*record.launch)) : Json();
  json["workgroup"] = to_json(record.workgroup);
  json["grid"] = to_json(record.grid);
  json["extent"] = to_json(plan.extent);
  json["extent_from"] = plan.extent_reason;
  json["invocations"] = record.invocations;
  json["steps"] = record.steps ? Json(*record.steps) : Json();
  json["elapsed_ns"] = record.elapsed_ns;
  json["time"] = record.timing ? timing_json(record) : Json();
  json["verify"] = record.verification ? verification_json(*record.verification) : Json();
  json["buffers"] = Json::array();
  for (const RunBuffer& buffer : plan.buffers) {
    json["buffers"].push_back({{"name", buffer.name},
                               {"role", to_string(buffer.role())},
                               {"type", buffer.type},
                               {"elements", *buffer.elements},
                               {"bytes", buffer.bytes.size()},
                               {"from", buffer.source ? Json(describe(*buffer.source)) : Json()}});
  }
  json["printed"] = Json::array();
  for (const PrintArgument& print : prints(plan, options)) {
    const RunBuffer& buffer = buffer_named(plan, print.name);
    json["printed"].push_back(
        {{"name", buffer.name},
         {"type", buffer.type},
         {"elements", *buffer.elements},
         {"values", elements_json(kernel.program->types, buffer.layout, buffer.bytes.span(),
                                  print.elements.value_or(kDefaultPrint))}});
  }
  json["written"] = Json::array();
  for (const Written& each : record.written) {
    json["written"].push_back({{"name", each.name}, {"path", each.path}, {"bytes", each.bytes}});
  }
  return json;
}

}  // namespace vyre
