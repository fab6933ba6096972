#include "vyre/cli/graph/graph_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/files/files.h"
#include "vyre/cli/graph/graph_page.h"
#include "vyre/cli/graph/graph_rounds.h"
#include "vyre/cli/resident_run.h"
#include "vyre/cli/run/buffer_text.h"
#include "vyre/cli/values.h"
#include "vyre/ir/buffer_layout.h"

namespace vyre {
namespace {

constexpr std::uint64_t kDefaultPrint = 16;

}  // namespace

std::optional<ProgramRun> GraphReport::program_run() const {
  if (!task_.included) return std::nullopt;
  return ProgramRun{task_.input.graph, task_.run.first, options_.settings,
                    outcome_.result.round_count, contents(std::string(task_.included->result))};
}

std::string GraphReport::title() const {
  const std::string name =
      task_.included ? std::string(task_.included->name) : source_name(options_.program());
  return fmt::format("{} on {}", name, task_.input.name);
}

double GraphReport::edges_per_second() const {
  const auto run = program_run();
  const std::uint64_t edges = run ? task_.included->edges(*run) : outcome_.result.edges;
  const std::uint64_t ns =
      outcome_.timing ? outcome_.timing->median_ns : outcome_.result.nanoseconds;
  return static_cast<double>(edges) * 1e9 / static_cast<double>(std::max<std::uint64_t>(ns, 1));
}

Result<std::vector<std::string>> GraphReport::write_files() const {
  std::vector<std::string> written;
  for (const OutputArgument& output : options_.outputs) {
    const FrontierVariable& variable = variable_named(task_.program, output.name);
    const TypeTable& types = task_.program.types();
    const BufferLayout layout = buffer_layout(types, variable.type);
    const std::string type = types.spell(variable.type);
    const BufferData data{types, layout, variable.name, type};
    VYRE_CHECK(write_data(output.sink, data, contents(output.name), {}));
    written.push_back(output.sink.path);
  }
  if (!options_.report.empty()) {
    const auto run = program_run();
    const std::string name = title(), command = "vyre graph " + options_.command,
                      summary = run ? task_.included->summary(*run) : std::string();
    VYRE_CHECK(replace_file(options_.report, graph_page({.command = command,
                                                         .title = name,
                                                         .summary = summary,
                                                         .device = outcome_.device,
                                                         .vertices = task_.input.graph.vertices(),
                                                         .edges = task_.input.graph.edges(),
                                                         .verified = options_.verify,
                                                         .result = outcome_.result})));
    written.push_back(options_.report);
  }
  return written;
}

void GraphReport::print(Output& out, const std::vector<std::string>& written) const {
  const FrontierResult& result = outcome_.result;
  if (options_.explain) print_rounds(out, result);
  // The time of a first run includes compiling.
  const std::string time = outcome_.timing ? std::string()
                                           : fmt::format(", {}, compiling included",
                                                         format_duration(result.nanoseconds));
  out.print("{} ({} vertices, {}), {}: {}{}\n", title(), with_commas(task_.input.graph.vertices()),
            counted(task_.input.graph.edges(), "edge"), outcome_.device,
            counted(result.round_count, "round"), time);
  if (const auto run = program_run()) out.print("{}\n", task_.included->summary(*run));
  if (!result.ended) out.print("ended by --rounds; the frontier is not empty\n");
  if (result.overflows != 0) {
    out.print("{} overflowed the queue\n", counted(result.overflows, "round"));
  }
  if (outcome_.timing) {
    const Timing& t = *outcome_.timing;
    out.print("median of {}: {} (a tenth took up to {}, a tenth {} or more)\n",
              counted(t.runs, "run"), format_duration(t.median_ns), format_duration(t.p10_ns),
              format_duration(t.p90_ns));
    out.print("{:.4g} million edges a second\n", edges_per_second() / 1e6);
  }
  if (outcome_.tuning) out.print("tuning: {}\n", *outcome_.tuning);
  if (options_.verify) {
    out.print("verified: {} is that of a serial algorithm\n", task_.included->result);
  }
  for (const PrintArgument& print : options_.prints) {
    const BufferLayout layout = layout_of(print.name);
    const auto bytes = contents(print.name);
    const std::uint64_t elements = layout.elements_in(bytes.size());
    const std::uint64_t shown = std::min(elements, print.elements.value_or(kDefaultPrint));
    out.print("{}, {} of {}\n", print.name, with_commas(shown), counted(elements, "element"));
    print_elements(out, task_.program.types(), layout, bytes, shown);
  }
  for (const std::string& path : written) out.print("wrote {}\n", path);
}

Json GraphReport::json(const std::vector<std::string>& written) const {
  const FrontierResult& result = outcome_.result;
  Json out;
  out["program"] = options_.program();
  out["graph"] = task_.input.name;
  const GraphShape shape = shape_of(task_.input.graph);
  out["vertices"] = shape.vertices;
  out["edges"] = shape.edges;
  out["mean_degree"] = shape.mean_degree;
  out["largest_degree"] = shape.largest_degree;
  out["device"] = outcome_.device;
  out["prepare_ns"] = outcome_.prepare_ns;
  out["memory_bytes"] = outcome_.memory_bytes;
  out["elapsed_ns"] = result.nanoseconds;
  out["rounds"] = result.round_count;
  out["ended"] = result.ended;
  out["visited_edges"] = result.edges;
  out["overflows"] = result.overflows;
  out["edges_per_second"] = edges_per_second();
  if (const auto run = program_run()) out["summary"] = task_.included->summary(*run);
  if (outcome_.timing) {
    const Timing& t = *outcome_.timing;
    out["timing"] = {{"runs", t.runs},
                     {"warm_up_runs", t.warm_up_runs},
                     {"median_ns", t.median_ns},
                     {"p10_ns", t.p10_ns},
                     {"p90_ns", t.p90_ns},
                     {"fastest_ns", t.fastest_ns},
                     {"slowest_ns", t.slowest_ns}};
  }
  if (outcome_.tuning) out["tuning"] = *outcome_.tuning;
  if (options_.verify) out["verified"] = true;
  for (const PrintArgument& print : options_.prints) {
    const BufferLayout layout = layout_of(print.name);
    const auto bytes = contents(print.name);
    const std::uint64_t shown =
        std::min(layout.elements_in(bytes.size()), print.elements.value_or(kDefaultPrint));
    out["printed"].push_back(
        {{"name", print.name},
         {"values", elements_json(task_.program.types(), layout, bytes, shown)}});
  }
  out["written"] = written;
  if (options_.explain) out["policy"] = policy_json(result.policy);
  if (options_.explain) out["records"] = rounds_json(result);
  return out;
}

std::span<const std::byte> GraphReport::contents(const std::string& name) const {
  const auto at = std::ranges::find(wanted_, name) - wanted_.begin();
  return outcome_.contents[static_cast<std::size_t>(at)];
}
BufferLayout GraphReport::layout_of(const std::string& name) const {
  return buffer_layout(task_.program.types(), variable_named(task_.program, name).type);
}

}  // namespace vyre
