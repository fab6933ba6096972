#include "vyre/cli/pipeline/pipeline_command.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "vyre/base/files/files.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/pipeline/pipeline_load.h"
#include "vyre/cli/pipeline/pipeline_page.h"
#include "vyre/cli/pipeline/pipeline_trace.h"
#include "vyre/cli/progress.h"
#include "vyre/cli/run/run_execute.h"
#include "vyre/cli/run/timing.h"
#include "vyre/cli/values.h"
#include "vyre/pipeline/pipeline_plan_text.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

using Runs = std::vector<std::vector<LaunchPlan>>;

struct Loaded {
  Clock::time_point begun = Clock::now();
  std::shared_ptr<const ReadyPipeline> ready;
  std::shared_ptr<const PipelinePlan> planned;
  std::optional<Session> session;  // none: the interpreter runs one stage after the other
  Runs runs;                       // what the session launches first
  std::vector<LaunchBands> bands;  // by launch

  const ReadyPipeline& pipeline() const { return *ready; }
  const PipelinePlan& plan() const { return *planned; }
};

Result<Loaded> load(const RunOptions& options, Streams& streams, NeedsMemory needs_memory) {
  Loaded out;
  const bool interprets = is_interpreter(options.device);
  VYRE_TRY(out.ready, load_pipeline(options, streams));
  VYRE_TRY(out.planned,
           plan_loaded(*out.ready, !options.no_fuse && !interprets, options, needs_memory));
  if (interprets) return out;
  VYRE_TRY(out.session, open_session(options));
  VYRE_TRY(out.runs, out.session->plan(*out.ready, *out.planned,
                                       pipeline_limits(options).counted_from(out.begun)));
  out.bands = out.session->plan_bands(*out.ready, *out.planned, out.runs);
  return out;
}

struct Outcome {
  std::string device;
  std::uint64_t elapsed_ns = 0;
  std::optional<Timing> timing;
  std::vector<std::vector<std::byte>> results;  // by buffer; empty where nobody reads it
  std::optional<std::uint64_t> verified;        // values that are the interpreter's
  std::vector<std::uint64_t> launch_ns;         // of each launch; empty: not asked for
  std::vector<std::string> written;
  Runs runs;                                         // what ran last; empty: nothing was prepared
  std::vector<LaunchBands> bands;                    // the same; by launch
  std::vector<std::optional<FusionChoice>> choices;  // by launch
  std::string played;                                // how the last run was submitted
};

Result<Outcome> run_on_device(const RunOptions& options, const Loaded& loaded, Output& err) {
  const Session& session = *loaded.session;
  const std::string& name = loaded.pipeline().name;
  Outcome out;
  out.device = session.device().name();
  const RunLimits limits = pipeline_limits(options);
  // What comes before the first run counts as a part of it.
  std::optional<Clock::time_point> begun = loaded.begun;
  std::optional<PreparedPipeline> prepared;
  {
    const EndAtOnce while_compiling;
    const ProgressLine progress(err, [&] { return "compiling " + name; }, progress_on(err));
    VYRE_TRY(prepared, PreparedPipeline::make(session, loaded.ready, loaded.planned,
                                              limits.counted_from(*begun)));
  }
  const auto once = [&]() -> Result<std::chrono::nanoseconds> {
    const Clock::time_point begin = Clock::now();
    VYRE_CHECK(prepared->run(limits.counted_from(std::exchange(begun, {}).value_or(begin))));
    if (interrupting_signal() != 0) return fail(Code::device, "interrupted");
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
  };
  std::atomic<std::uint64_t> run = 1;
  const ProgressLine progress(
      err,
      [&] {
        return run > options.repeat
                   ? fmt::format("timing {}", name)
                   : fmt::format("running {}, {} of {}", name, run.load(), options.repeat);
      },
      progress_on(err));
  for (; run <= options.repeat; ++run) {
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
  if (!options.report.empty() || !options.trace.empty()) {
    VYRE_TRY(const auto times, prepared->launch_times());
    for (const auto time : times) out.launch_ns.push_back(static_cast<std::uint64_t>(time.count()));
  }
  out.runs = prepared->plans();
  out.bands = prepared->bands();
  out.choices = prepared->choices();
  out.played = prepared->played();
  return out;
}

// Writes the page and the trace, if they were asked for.
Result<void> write_reports(const RunOptions& options, const Loaded& loaded, Outcome& outcome) {
  const PipelineRun run{.command = "vyre " + options.command,
                        .device = outcome.device,
                        .run_ns = outcome.elapsed_ns,
                        .launch_ns = outcome.launch_ns,
                        .verified = outcome.verified.value_or(0),
                        .runs = outcome.runs,
                        .bands = outcome.bands,
                        .choices = outcome.choices,
                        .played = outcome.played};
  if (!options.report.empty()) {
    VYRE_TRY(const auto separate, plan_loaded(loaded.pipeline(), false, options));
    VYRE_CHECK(replace_file(options.report,
                            pipeline_page(loaded.pipeline(), loaded.plan(), *separate, run)));
    outcome.written.push_back(options.report);
  }
  if (!options.trace.empty()) {
    VYRE_CHECK(replace_file(options.trace, pipeline_trace(loaded.pipeline(), loaded.plan(), run)));
    outcome.written.push_back(options.trace);
  }
  return {};
}

// Checks before a long run that its outputs can be written.
Result<void> check_folders(const RunOptions& options, const ReadyPipeline& pipeline) {
  const auto check = [](const std::string& about, const std::string& path) -> Result<void> {
    const auto folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;
    if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return {};
    return fail(Code::invalid_input, fmt::format("{}: cannot write {}: there is no folder {}",
                                                 about, path, folder.string()));
  };
  for (const ReadyBuffer& b : pipeline.buffers) {
    if (b.sink) VYRE_CHECK(check(fmt::format("buffer '{}'", b.name), b.sink->path));
  }
  VYRE_CHECK(check("--report", options.report));
  return check("--trace", options.trace);
}

void put_choices(Json& json, const Outcome& outcome) {
  for (std::size_t l = 0; l < outcome.choices.size(); ++l) {
    if (!outcome.choices[l]) continue;
    const FusionChoice& choice = *outcome.choices[l];
    Json& each = json["launches"][l]["choice"];
    each["runs"] = choice.fused ? "fused" : "apart";
    each["settled"] = choice.settled;
    each["reason"] = choice.reason;
    if (choice.fused_time) each["fused_ns"] = choice.fused_time->ns;
    if (choice.apart_time) each["apart_ns"] = choice.apart_time->ns;
  }
}

void print_outcome(const RunOptions& options, const Loaded& loaded, const Outcome& outcome,
                   Streams& streams) {
  if (options.json) {
    Json json =
        Json::parse(plan_json(loaded.pipeline(), loaded.plan(), outcome.runs, outcome.bands));
    json["device"] = outcome.device;
    json["elapsed_ns"] = outcome.elapsed_ns;
    if (outcome.timing) json["median_ns"] = outcome.timing->median_ns;
    if (outcome.verified) json["verified_values"] = *outcome.verified;
    json["written"] = outcome.written;
    if (!outcome.played.empty()) json["played"] = outcome.played;
    put_choices(json, outcome);
    write_json(streams.out, json);
    return;
  }
  streams.out.print("{} on {}, {}\n", headline(loaded.pipeline(), loaded.plan(), outcome.runs),
                    outcome.device, format_duration(outcome.elapsed_ns));
  for (std::size_t l = 0; l < outcome.choices.size(); ++l) {
    if (!outcome.choices[l]) continue;
    streams.out.print("launch {}: {}\n", l + 1,
                      choice_text(loaded.plan().launches[l].stage_count, *outcome.choices[l]));
  }
  if (outcome.timing) {
    streams.out.print("median of {} runs: {}\n", outcome.timing->runs,
                      format_duration(outcome.timing->median_ns));
  }
  if (outcome.verified) {
    streams.out.print("{} values are the interpreter's\n", *outcome.verified);
  }
  for (const std::string& path : outcome.written) streams.out.print("wrote {}\n", path);
}

}  // namespace

bool names_pipeline(const RunOptions& options) {
  return !options.files.empty() && options.files.front().ends_with(".toml");
}

Result<void> check_pipeline_options(const RunOptions& options) {
  if (!names_pipeline(options)) {
    const std::string_view odd = !options.dims.empty()     ? "--dim"
                                 : options.repeat != 1     ? "--repeat"
                                 : options.no_fuse         ? "--no-fuse"
                                 : options.no_bands        ? "--no-bands"
                                 : options.explain         ? "--explain"
                                 : !options.report.empty() ? "--report"
                                 : !options.trace.empty()  ? "--trace"
                                 : options.memory_budget   ? "--memory-budget"
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
  if (!odd.empty()) {
    return fail(Code::invalid_input,
                fmt::format("{} is for kernels; a pipeline says it itself", odd));
  }
  if (!options.trace.empty() && is_interpreter(options.device)) {
    return fail(Code::invalid_input, "--trace shows launches, and the interpreter has none");
  }
  return {};
}

Exit plan_pipeline_file(const RunOptions& options, Streams& streams) {
  const auto loaded = load(options, streams, NeedsMemory::no);
  if (!loaded) return report(streams, loaded.error(), exit_for(loaded.error()));
  streams.out.write(
      options.json ? plan_json(loaded->pipeline(), loaded->plan(), loaded->runs, loaded->bands)
                   : plan_text(loaded->pipeline(), loaded->plan(), loaded->runs, loaded->bands));
  return Exit::done;
}

Exit run_pipeline(const RunOptions& options, Streams& streams) {
  const auto loaded = load(options, streams, NeedsMemory::yes);
  if (!loaded) return report(streams, loaded.error(), exit_for(loaded.error()));
  if (const auto there = check_folders(options, loaded->pipeline()); !there) {
    return report(streams, there.error());
  }
  if (options.explain && !options.json) {
    streams.out.write(plan_text(loaded->pipeline(), loaded->plan(), loaded->runs, loaded->bands) +
                      "\n");
  }
  const InterruptGuard guard;
  Outcome outcome;
  const auto interpret_all = [&] {
    const ProgressLine progress(
        streams.err, [&] { return "interpreting " + loaded->pipeline().name; },
        progress_on(streams.err));
    return interpret_stages(loaded->pipeline(), options.repeat);
  };
  if (!loaded->session) {
    const Clock::time_point begin = Clock::now();
    auto results = interpret_all();
    if (!results) return report(streams, results.error(), Exit::failed);
    outcome.device = "interp";
    outcome.results = *std::move(results);
    outcome.elapsed_ns = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
  } else {
    auto ran = run_on_device(options, *loaded, streams.err);
    if (!ran) return report(streams, ran.error(), exit_for(ran.error()));
    outcome = *std::move(ran);
  }
  if (options.verify) {
    const auto expected = interpret_all();
    if (!expected) return report(streams, expected.error(), Exit::failed);
    const auto same = compare_with(*expected, loaded->pipeline(), outcome.results, options);
    if (!same) return report(streams, same.error(), Exit::failed);
    outcome.verified = *same;
  }
  for (std::size_t b = 0; b < loaded->pipeline().buffers.size(); ++b) {
    const ReadyBuffer& buffer = loaded->pipeline().buffers[b];
    if (!buffer.sink) continue;
    const auto bytes = write_data(*buffer.sink, buffer.data(), outcome.results[b], buffer.shape);
    if (!bytes) return report(streams, bytes.error(), Exit::failed);
    outcome.written.push_back(buffer.sink->path);
  }
  if (auto written = write_reports(options, *loaded, outcome); !written) {
    return report(streams, written.error(), Exit::failed);
  }
  print_outcome(options, *loaded, outcome, streams);
  return Exit::done;
}

}  // namespace vyre
