#include "vyre/cli/graph/graph_task.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/cli/graph/graph_execute.h"
#include "vyre/cli/interrupt.h"

namespace vyre {
namespace {

Result<FrontierProgram> make_program(const GraphOptions& options,
                                     const std::optional<IncludedProgram>& included,
                                     Streams& streams, std::vector<OverrideValue> overrides = {}) {
  for (const Setting& setting : options.settings) {
    overrides.push_back({setting.name, setting.value});
  }
  if (included) {
    return FrontierProgram::from_wgsl(std::string(included->text),
                                      fmt::format("{}.wgsl", included->name), {}, overrides);
  }
  const std::string& path = options.program();
  if (path != "-" && !path.ends_with(".wgsl")) {
    const std::string meant = nearest_included(path);
    return fail(Code::invalid_input, fmt::format("there is no graph program {}", quote(path)),
                meant.empty() ? fmt::format("there are {}, or give a .wgsl file", included_names())
                              : fmt::format("did you mean {}?", meant));
  }
  VYRE_TRY(std::string text, read_source(path, streams));
  return FrontierProgram::from_wgsl(std::move(text), source_name(path), {}, overrides);
}

// A record takes about 150 bytes.
constexpr std::uint32_t kMostRecords = 10'000'000;

// Random graphs have vertices from which nothing can be reached.
std::uint32_t first_with_edges(const GraphData& graph) {
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    if (graph.degree(vertex) != 0) return vertex;
  }
  return 0;
}

Result<FrontierRun> make_run(const GraphOptions& options,
                             const std::optional<IncludedProgram>& included,
                             const GraphInput& input) {
  FrontierRun run;
  run.all = options.all || (included && included->all);
  if (included && included->all && !options.from.empty()) {
    return fail(Code::invalid_input,
                fmt::format("--from: {} begins with every vertex", included->name));
  }
  if (!run.all) run.first = options.from;
  if (!run.all && run.first.empty()) run.first = {first_with_edges(input.graph)};
  for (const std::uint32_t vertex : run.first) {
    if (vertex < input.graph.vertices()) continue;
    return fail(Code::invalid_input,
                fmt::format("--from: there is no vertex {}; the last of {} is {}", vertex,
                            input.name, input.graph.vertices() - 1));
  }
  run.topology = options.topology;
  run.most_records = options.explain || !options.report.empty() ? kMostRecords : 0;
  if (options.rounds) run.most_rounds = *options.rounds;
  if (options.deadline_seconds) {
    run.limits.deadline =
        std::chrono::nanoseconds(static_cast<std::int64_t>(*options.deadline_seconds * 1e9));
  }
  run.limits.stop = &interrupt_flag();
  return run;
}

// Whether the program has an override that says whether every edge has its reverse, and the user
// has not set it.
bool tells_symmetric(const GraphOptions& options, const std::optional<IncludedProgram>& included) {
  return included && !included->symmetric_override.empty() &&
         std::ranges::find(options.settings, included->symmetric_override, &Setting::name) ==
             options.settings.end();
}

}  // namespace

Result<GraphTask> make_task(const GraphOptions& options, Streams& streams) {
  const auto included = included_program(options.program());
  if (options.verify && !included) {
    return fail(Code::invalid_input, "--verify is for the included programs",
                fmt::format("there are {}", included_names()));
  }
  VYRE_TRY(FrontierProgram program, make_program(options, included, streams));
  VYRE_CHECK(check_variables(program, options));
  const GraphNeeds needs{.weights = program.uses_weights(),
                         .undirected = included && included->undirected,
                         .reversed = options.undirected,
                         .known = tells_symmetric(options, included)};
  VYRE_TRY(GraphInput input, load_graph(options.graph(), needs));
  if (needs.known && input.symmetric) {
    const OverrideValue symmetric{std::string(included->symmetric_override), 1};
    VYRE_TRY(program, make_program(options, included, streams, {symmetric}));
  }
  VYRE_TRY(FrontierRun run, make_run(options, included, input));
  return GraphTask{included, std::move(program), std::move(input), std::move(run)};
}

std::vector<std::string> wanted_variables(const GraphOptions& options, const GraphTask& task) {
  std::vector<std::string> wanted;
  const auto want = [&](const std::string& name) {
    if (std::ranges::find(wanted, name) == wanted.end()) wanted.push_back(name);
  };
  if (task.included) want(std::string(task.included->result));
  for (const OutputArgument& output : options.outputs) want(output.name);
  for (const PrintArgument& print : options.prints) want(print.name);
  return wanted;
}

}  // namespace vyre
