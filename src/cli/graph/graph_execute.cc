#include "vyre/cli/graph/graph_execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "vyre/base/text/nearest.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/run/run_execute.h"
#include "vyre/ir/buffer_layout.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

// A program whose data are larger than this is not read from files.
constexpr std::uint64_t kMaxInputBytes = std::uint64_t{1} << 34;

Result<const FrontierVariable*> find_variable(const FrontierProgram& program,
                                              std::string_view option, const std::string& name) {
  std::vector<std::string> known;
  for (const FrontierVariable& each : program.variables()) {
    if (each.name == name) return &each;
    known.push_back(each.name);
  }
  const std::string meant = nearest(name, known);
  return fail(Code::invalid_input,
              fmt::format("{}: the program has no variable {}", option, quote(name)),
              known.empty()   ? "it has none"
              : meant.empty() ? fmt::format("it has {}", join_words(known))
                              : fmt::format("did you mean {}?", meant));
}

Result<Session> open_graph_session(const GraphOptions& options) {
  VYRE_TRY(auto session_options, SessionOptions::from_environment());
  if (options.threads != 0) session_options.cpu.threads = options.threads;
  if (session_options.tuning && session_options.tuning->mode == TunerMode::natural_gradient) {
    session_options.tuning->mode =
        TunerMode::frozen;  // a command that runs once gains nothing from a search
  }
  return Session::open(options.device, std::move(session_options));
}

// A buffer with the data of --in. Data without a size of their own get an element for each vertex.
Result<Buffer> input_buffer(const Session& session, const FrontierProgram& program,
                            const InputArgument& input, std::uint32_t vertices) {
  const FrontierVariable& variable = variable_named(program, input.name);
  const TypeTable& types = program.types();
  const BufferLayout layout = buffer_layout(types, variable.type);
  const std::string type = types.spell(variable.type);
  const BufferData data{types, layout, variable.name, type};
  VYRE_TRY(const OpenedData opened, open_source(input.source, data, kMaxInputBytes));
  const std::uint64_t elements =
      layout.runtime_sized ? opened.elements.value_or(vertices) : layout.count;
  const auto bytes = layout.bytes_for(elements);
  if (!bytes || *bytes > kMaxInputBytes) {
    return fail(Code::limit,
                fmt::format("--in: {} would have more than {} bytes", input.name, kMaxInputBytes));
  }
  std::vector<std::byte> memory(*bytes);
  VYRE_CHECK(put_data(input.source, data, opened, memory));
  VYRE_TRY(const Buffer buffer, session.buffer(*bytes));
  VYRE_CHECK(session.write(buffer, 0, memory));
  return buffer;
}

std::uint64_t since_ns(Clock::time_point begin) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

}  // namespace

const FrontierVariable& variable_named(const FrontierProgram& program, std::string_view name) {
  return *std::ranges::find(program.variables(), name, &FrontierVariable::name);
}

Result<void> check_variables(const FrontierProgram& program, const GraphOptions& options) {
  for (const InputArgument& input : options.inputs) {
    VYRE_CHECK(find_variable(program, "--in", input.name));
  }
  for (const PrintArgument& print : options.prints) {
    VYRE_CHECK(find_variable(program, "--print", print.name));
  }
  for (const OutputArgument& output : options.outputs) {
    VYRE_TRY(const FrontierVariable* variable, find_variable(program, "--out", output.name));
    if (output.sink.form == DataSink::Form::image) {
      return fail(Code::invalid_input,
                  fmt::format("--out: {} is an image; vertices have no rows", output.sink.path),
                  fmt::format("write --out {}=file.npy", output.name));
    }
    const BufferLayout layout = buffer_layout(program.types(), variable->type);
    const std::string type = program.types().spell(variable->type);
    VYRE_CHECK(check_sink(output.sink, {program.types(), layout, variable->name, type}));
  }
  return {};
}

Result<GraphOutcome> run_graph(const FrontierProgram& program, const GraphData& graph,
                               const FrontierRun& run, const GraphOptions& options,
                               const std::vector<std::string>& wanted) {
  VYRE_TRY(const Session session, open_graph_session(options));
  GraphOutcome out;
  out.device = session.device().name();
  const Clock::time_point begin = Clock::now();
  std::optional<PreparedFrontier> prepared;
  {
    const EndAtOnce while_compiling;
    VYRE_TRY(const Graph on_device,
             Graph::from_csr(session, graph.offsets, graph.columns, graph.weights));
    std::vector<FrontierBinding> bindings;
    for (const InputArgument& input : options.inputs) {
      VYRE_TRY(Buffer buffer, input_buffer(session, program, input, graph.vertices()));
      bindings.push_back({input.name, std::move(buffer)});
    }
    FrontierOptions chosen{.memory_budget = options.memory_budget, .limits = run.limits};
    if (options.tune) chosen.tuning.emplace();
    VYRE_TRY(prepared, prepare(session, program, on_device, bindings, chosen));
  }
  out.prepare_ns = since_ns(begin);
  out.memory_bytes = prepared->bytes();
  const auto once = [&]() -> Result<std::chrono::nanoseconds> {
    auto result = prepared->run(run);
    if (interrupting_signal() != 0) return fail(Code::device, "interrupted");
    if (!result) return std::unexpected(std::move(result).error());
    out.result = *std::move(result);
    return std::chrono::nanoseconds(out.result.nanoseconds);
  };
  if (options.time) {
    VYRE_TRY(out.timing, measure({.runs = *options.time}, once));
  } else {
    VYRE_CHECK(once());
  }
  out.tuning = prepared->tuning_text();
  for (const std::string& name : wanted) {
    std::vector<std::byte>& bytes = out.contents.emplace_back();
    const auto buffer = prepared->buffer(name);
    if (!buffer) return fail(Code::internal, fmt::format("{} has no buffer", name));
    bytes.resize(buffer->size());
    VYRE_CHECK(session.read(*buffer, 0, bytes));
  }
  return out;
}

}  // namespace vyre
