#include "vyre/cli/pipeline/pipeline_command.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "vyre/base/toml.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/run/run_buffers.h"
#include "vyre/cli/run/run_execute.h"
#include "vyre/cli/run/timing.h"
#include "vyre/cli/values.h"
#include "vyre/engine/prepared_pipeline.h"
#include "vyre/pipeline/interpret_pipeline.h"
#include "vyre/pipeline/pipeline_file.h"
#include "vyre/pipeline/pipeline_plan_text.h"

namespace vyre {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kMostSource = std::uint64_t{16} << 20U;  // of WGSL

struct Loaded {
  std::shared_ptr<const ReadyPipeline> ready;
  std::shared_ptr<const PipelinePlan> planned;

  const ReadyPipeline& pipeline() const { return *ready; }
  const PipelinePlan& plan() const { return *planned; }
};

Result<Loaded> load(const RunOptions& options) {
  const std::string& path = options.files.front();
  VYRE_TRY(const std::string text, read_input_file(path, kMaxTomlBytes));
  VYRE_TRY(const Pipeline pipeline, parse_pipeline(text, source_name(path)));
  ReadyOptions ready;
  const fs::path folder = fs::path(path).parent_path();
  ready.place = [&](const std::string& file) { return (folder / file).string(); };
  ready.read_file = [&](const std::string& file) {
    return read_input_file(ready.place(file), kMostSource);
  };
  ready.most_bytes = available_memory() / 2;
  for (const DimArgument& d : options.dims) ready.dims.emplace_back(d.name, d.value);
  for (const InputArgument& in : options.inputs) ready.sources.emplace_back(in.name, in.source);
  for (const OutputArgument& out : options.outputs) ready.sinks.emplace_back(out.name, out.sink);
  VYRE_TRY(auto made, make_ready(pipeline, ready));
  Loaded out;
  out.ready = std::make_shared<const ReadyPipeline>(std::move(made));
  PipelinePlanOptions how;
  how.fuse = !options.no_fuse;
  how.memory_budget = options.memory_budget;
  VYRE_TRY(auto plan, plan_pipeline(*out.ready, how));
  out.planned = std::make_shared<const PipelinePlan>(std::move(plan));
  if (out.plan().allocated_bytes > available_memory()) {
    return fail(Code::limit, fmt::format("the buffers need {}; {} of memory are available",
                                         format_bytes(out.plan().allocated_bytes),
                                         format_bytes(available_memory())));
  }
  return out;
}

// What the buffers hold in the end when the interpreter runs one stage after the other.
Result<PipelineMemory> interpret_stages(const ReadyPipeline& pipeline, std::uint64_t repeat) {
  VYRE_TRY(PipelineMemory memory, first_memory(pipeline));
  for (std::uint64_t run = 0; run < repeat; ++run) {
    VYRE_CHECK(interpret_pipeline(pipeline, memory, [] { return interrupting_signal() != 0; }));
  }
  return memory;
}

struct Outcome {
  std::string device;
  std::uint64_t elapsed_ns = 0;
  std::optional<Timing> timing;
  std::vector<std::vector<std::byte>> results;  // by buffer; empty where nobody reads it
  std::optional<Comparison> comparison;         // with the interpreter
  std::vector<std::string> written;
};

Result<Outcome> run_on_device(const RunOptions& options, const Loaded& loaded) {
  VYRE_TRY(const Session session, open_session(options));
  Outcome out;
  out.device = session.device().name();
  std::optional<PreparedPipeline> prepared;
  {
    const EndAtOnce while_compiling;
    VYRE_TRY(prepared, PreparedPipeline::make(session, loaded.ready, loaded.planned));
  }
  RunLimits limits;
  limits.stop = &interrupt_flag();
  if (options.deadline_seconds) {
    limits.deadline =
        std::chrono::nanoseconds(static_cast<std::int64_t>(*options.deadline_seconds * 1e9));
  }
  const auto once = [&]() -> Result<std::chrono::nanoseconds> {
    const Clock::time_point begin = Clock::now();
    VYRE_CHECK(prepared->run(limits));
    if (interrupting_signal() != 0) return fail(Code::device, "interrupted");
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
  };
  for (std::uint64_t run = 0; run < options.repeat; ++run) {
    VYRE_TRY(const auto elapsed, once());
    out.elapsed_ns = static_cast<std::uint64_t>(elapsed.count());
  }
  for (std::size_t b = 0; b < loaded.pipeline().buffers.size(); ++b) {
    std::vector<std::byte>& bytes = out.results.emplace_back();
    if (!loaded.pipeline().buffers[b].sink) continue;
    bytes.resize(loaded.pipeline().buffers[b].bytes);
    VYRE_CHECK(prepared->read(loaded.pipeline().buffers[b].name, bytes));
  }
  if (options.time) {
    VYRE_TRY(out.timing, measure({.runs = *options.time}, once));
  }
  return out;
}

Result<void> verify(const RunOptions& options, const Loaded& loaded, Outcome& outcome) {
  VYRE_TRY(const auto expected, interpret_stages(loaded.pipeline(), options.repeat));
  Comparison& all = outcome.comparison.emplace();
  for (std::size_t b = 0; b < expected.size(); ++b) {
    const ReadyBuffer& buffer = loaded.pipeline().buffers[b];
    if (!buffer.sink) continue;
    compare_buffers(buffer.program->types, buffer.layout, buffer.name, outcome.results[b],
                    expected[b], options.tolerance.value_or(Tolerance{}), all);
  }
  if (all.same()) return {};
  return fail(Code::device,
              fmt::format("{} of {} values differ from the interpreter's, the first at {}; nothing "
                          "was written",
                          all.different, all.scalars, all.first.front().place));
}

void print_outcome(const RunOptions& options, const Loaded& loaded, const Outcome& outcome,
                   Streams& streams) {
  if (options.json) {
    Json json = Json::parse(plan_json(loaded.pipeline(), loaded.plan()));
    json["device"] = outcome.device;
    json["elapsed_ns"] = outcome.elapsed_ns;
    if (outcome.timing) json["median_ns"] = outcome.timing->median_ns;
    if (outcome.comparison) json["verified_values"] = outcome.comparison->scalars;
    json["written"] = outcome.written;
    write_json(streams.out, json);
    return;
  }
  streams.out.print("{} on {}, {}\n", headline(loaded.pipeline(), loaded.plan()), outcome.device,
                    format_duration(outcome.elapsed_ns));
  if (outcome.timing) {
    streams.out.print("median of {} runs: {}\n", outcome.timing->runs,
                      format_duration(outcome.timing->median_ns));
  }
  if (outcome.comparison) {
    streams.out.print("{} values are the interpreter's\n", outcome.comparison->scalars);
  }
  for (const std::string& path : outcome.written) streams.out.print("wrote {}\n", path);
}

}  // namespace

bool names_pipeline(const RunOptions& options) {
  return !options.files.empty() && options.files.front().ends_with(".toml");
}

Result<void> check_pipeline_options(const RunOptions& options) {
  if (!names_pipeline(options)) {
    const std::string_view odd = !options.dims.empty()   ? "--dim"
                                 : options.repeat != 1   ? "--repeat"
                                 : options.no_fuse       ? "--no-fuse"
                                 : options.explain       ? "--explain"
                                 : options.memory_budget ? "--memory-budget"
                                                         : "";
    if (odd.empty()) return {};
    return fail(Code::invalid_input, fmt::format("{} is for pipelines", odd),
                "give a file whose name ends in .toml");
  }
  const std::string_view odd = options.size                ? "--size"
                               : options.grid              ? "--grid"
                               : !options.entry.empty()    ? "--entry"
                               : !options.settings.empty() ? "--set"
                               : !options.uniforms.empty() ? "--uniform"
                               : !options.prints.empty()   ? "--print"
                               : !options.emit.empty()     ? "--emit"
                               : options.fixed.any()       ? "a variant"
                               : options.strict            ? "--strict"
                               : options.step_budget != 0  ? "--step-budget"
                                                           : "";
  if (odd.empty()) return {};
  return fail(Code::invalid_input,
              fmt::format("{} is for kernels; a pipeline says it itself", odd));
}

Exit plan_pipeline_file(const RunOptions& options, Streams& streams) {
  const auto loaded = load(options);
  if (!loaded) return report(streams, loaded.error());
  if (options.json) {
    streams.out.write(plan_json(loaded->pipeline(), loaded->plan()));
  } else {
    streams.out.write(plan_text(loaded->pipeline(), loaded->plan()));
  }
  return Exit::done;
}

Exit run_pipeline(const RunOptions& options, Streams& streams) {
  const auto loaded = load(options);
  if (!loaded) return report(streams, loaded.error());
  if (options.explain && !options.json) {
    streams.out.write(plan_text(loaded->pipeline(), loaded->plan()) + "\n");
  }
  const InterruptGuard guard;
  Outcome outcome;
  if (is_interpreter(options.device)) {
    const Clock::time_point begin = Clock::now();
    auto results = interpret_stages(loaded->pipeline(), options.repeat);
    if (!results) return report(streams, results.error(), Exit::failed);
    outcome.device = "interp";
    outcome.results = *std::move(results);
    outcome.elapsed_ns = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
  } else {
    auto ran = run_on_device(options, *loaded);
    if (!ran) return report(streams, ran.error(), exit_for(ran.error()));
    outcome = *std::move(ran);
  }
  if (options.verify) {
    if (auto same = verify(options, *loaded, outcome); !same) {
      return report(streams, same.error(), Exit::failed);
    }
  }
  for (std::size_t b = 0; b < loaded->pipeline().buffers.size(); ++b) {
    const ReadyBuffer& buffer = loaded->pipeline().buffers[b];
    if (!buffer.sink) continue;
    const auto bytes = write_data(*buffer.sink, buffer.data(), outcome.results[b], buffer.shape);
    if (!bytes) return report(streams, bytes.error(), Exit::failed);
    outcome.written.push_back(buffer.sink->path);
  }
  print_outcome(options, *loaded, outcome, streams);
  return Exit::done;
}

}  // namespace vyre
