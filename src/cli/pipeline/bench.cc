#include "vyre/cli/pipeline/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "vyre/cli/interrupt.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/pipeline/pipeline_command.h"
#include "vyre/cli/pipeline/pipeline_load.h"
#include "vyre/cli/progress.h"
#include "vyre/cli/run/run_execute.h"
#include "vyre/cli/run/timing.h"
#include "vyre/cli/values.h"
#include "vyre/pipeline/pipeline_plan_text.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

// One way to run the pipeline.
struct Way {
  std::shared_ptr<const PipelinePlan> plan;
  std::optional<PreparedPipeline> prepared;
  std::vector<nanoseconds> samples;
};

struct Found {
  std::string device;
  std::uint64_t verified = 0;
  Timing fused, separate;
  double ratio = 1, low = 1,
         high = 1;  // separate time over fused time in each pair: median, 10th and 90th percentile
};

Result<nanoseconds> time_once(Way& way, const RunLimits& limits) {
  const Clock::time_point begin = Clock::now();
  VYRE_CHECK(way.prepared->run(limits));
  if (interrupting_signal() != 0) return fail(Code::device, "interrupted");
  return std::chrono::duration_cast<nanoseconds>(Clock::now() - begin);
}

// Checks that the first run of each way gives the interpreter's results.
Result<std::uint64_t> verify(Way& way, const ReadyPipeline& pipeline,
                             const PipelineMemory& expected, const RunOptions& options) {
  VYRE_CHECK(way.prepared->run(pipeline_limits(options)));
  std::vector<std::vector<std::byte>> found(pipeline.buffers.size());
  for (std::size_t b = 0; b < found.size(); ++b) {
    if (!pipeline.buffers[b].sink) continue;
    found[b].resize(pipeline.buffers[b].bytes);
    VYRE_CHECK(way.prepared->read(pipeline.buffers[b].name, found[b]));
  }
  return compare_with(expected, pipeline, found, options);
}

// Whether the samples are precise enough, or the time is over.
bool is_enough(const BenchOptions& options, const Way& way, nanoseconds spent) {
  constexpr std::size_t kLeastPairs = 20;
  constexpr nanoseconds kEnough = std::chrono::seconds(2), kPatience = std::chrono::seconds(20);
  const std::size_t pairs = way.samples.size();
  if (options.pairs != 0) return pairs >= options.pairs;
  return (pairs >= kLeastPairs && spent > kEnough) || (pairs != 0 && spent > kPatience);
}

Result<void> measure_in_turns(const BenchOptions& options, Way& fused, Way& separate) {
  const RunLimits limits = pipeline_limits(options.run);
  // A tuned launch is served by its best variant once the search has settled: run each way for a
  // while before anything counts.
  const Clock::time_point begin = Clock::now();
  for (int run = 0; run < 200 && Clock::now() - begin < std::chrono::seconds(3); ++run) {
    VYRE_CHECK(time_once(fused, limits));
    VYRE_CHECK(time_once(separate, limits));
  }
  const Clock::time_point counted = Clock::now();
  for (bool fused_first = true; !is_enough(options, separate, Clock::now() - counted);
       fused_first = !fused_first) {
    Way& first = fused_first ? fused : separate;
    Way& second = fused_first ? separate : fused;
    VYRE_TRY(const nanoseconds one, time_once(first, limits));
    VYRE_TRY(const nanoseconds other, time_once(second, limits));
    first.samples.push_back(one);
    second.samples.push_back(other);
  }
  return {};
}

void summarise_pairs(const Way& fused, const Way& separate, Found& out) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < fused.samples.size(); ++i) {
    ratios.push_back(static_cast<double>(separate.samples[i].count()) /
                     static_cast<double>(std::max<std::int64_t>(fused.samples[i].count(), 1)));
  }
  std::ranges::sort(ratios);
  const auto at = [&](double share) {
    return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1) + 0.5)];
  };
  out.ratio = at(0.5);
  out.low = at(0.1);
  out.high = at(0.9);
  out.fused = summarise(fused.samples);
  out.separate = summarise(separate.samples);
}

Result<Found> bench(const BenchOptions& options, const std::shared_ptr<const ReadyPipeline>& ready,
                    Way& fused, Way& separate, Output& err) {
  VYRE_TRY(const Session session, open_session(options.run));
  Found out;
  out.device = session.device().name();
  std::atomic<const char*> doing = "interpreting";
  const ProgressLine progress(
      err, [&] { return fmt::format("{} {}", doing.load(), ready->name); }, progress_on(err));
  VYRE_TRY(const PipelineMemory expected, interpret_stages(*ready, 1));
  for (Way* way : {&fused, &separate}) {
    {
      const EndAtOnce while_compiling;
      doing = "compiling";
      VYRE_TRY(way->prepared,
               PreparedPipeline::make(session, ready, way->plan, pipeline_limits(options.run)));
    }
    doing = "verifying";
    VYRE_TRY(out.verified, verify(*way, *ready, expected, options.run));
  }
  doing = "timing";
  VYRE_CHECK(measure_in_turns(options, fused, separate));
  summarise_pairs(fused, separate, out);
  return out;
}

Json timing_json(const Timing& timing) {
  return {{"runs", timing.runs},
          {"median_ns", timing.median_ns},
          {"p10_ns", timing.p10_ns},
          {"p90_ns", timing.p90_ns}};
}

void print_line(Streams& streams, std::string_view name, const PipelinePlan& plan,
                const Timing& timing) {
  streams.out.print("{:<9} {:>3} launches  {:>10}   80% of runs {} to {}   {} bytes\n", name,
                    plan.launches.size(), format_duration(timing.median_ns),
                    format_duration(timing.p10_ns), format_duration(timing.p90_ns),
                    plan.allocated_bytes);
}

}  // namespace

CommandHelp declare(OptionSet& set, BenchOptions& options) {
  set.positional("FILE", "a pipeline (.toml)", options.run.files, 1, 1);
  declare_run_options(set, options.run);
  return {
      .usage = "vyre bench FILE.toml [options of vyre run]",
      .summary =
          "Runs a pipeline fused and stage by stage, in turns, and shows both times, their ratio "
          "and\n"
          "its spread. Both are first compared with the interpreter's results, which takes a "
          "while\n"
          "for large sizes; --time=N measures N pairs of runs.",
      .details =
          "examples:\n"
          "  vyre bench examples/edges/edges.toml --device cpu\n"
          "  vyre bench examples/fluid/fluid.toml --dim width=200 --time=50\n",
  };
}

Result<void> check(const BenchOptions& options) {
  if (!names_pipeline(options.run)) {
    return fail(Code::invalid_input, "vyre bench is for pipelines",
                "give a file whose name ends in .toml; for kernels there is vyre run --time");
  }
  const std::string_view odd = options.run.no_fuse           ? "--no-fuse"
                               : options.run.repeat != 1     ? "--repeat"
                               : !options.run.report.empty() ? "--report"
                               : !options.run.trace.empty()  ? "--trace"
                                                             : "";
  if (!odd.empty()) {
    return fail(Code::invalid_input, fmt::format("{} says nothing to vyre bench", odd));
  }
  RunOptions run = options.run;
  run.verify = true;  // always
  return check(run);
}

Exit run_command(const BenchOptions& given, Streams& streams) {
  BenchOptions options = given;
  options.pairs = options.run.time.value_or(0);
  const auto ready = load_pipeline(options.run, streams);
  if (!ready) return report(streams, ready.error());
  Way fused, separate;
  for (Way* way : {&fused, &separate}) {
    auto plan = plan_loaded(**ready, way == &fused, options.run);
    if (!plan) return report(streams, plan.error());
    way->plan = *std::move(plan);
  }
  const InterruptGuard guard;
  const auto found = bench(options, *ready, fused, separate, streams.err);
  if (!found) return report(streams, found.error(), exit_for(found.error()));
  if (options.run.json) {
    Json json = Json::parse(plan_json(**ready, *fused.plan));
    json["device"] = found->device;
    json["verified_values"] = found->verified;
    json["fused"] = timing_json(found->fused);
    json["separate"] = timing_json(found->separate);
    json["separate_launches"] = separate.plan->launches.size();
    json["ratio"] = {{"median", found->ratio}, {"p10", found->low}, {"p90", found->high}};
    write_json(streams.out, json);
    return Exit::done;
  }
  streams.out.print("{} on {}; {} values of each are the interpreter's\n",
                    headline(**ready, *fused.plan), found->device, found->verified);
  print_line(streams, "fused", *fused.plan, found->fused);
  print_line(streams, "separate", *separate.plan, found->separate);
  streams.out.print("separate / fused: {:.2f}, in 80% of {} pairs {:.2f} to {:.2f}\n", found->ratio,
                    found->fused.runs, found->low, found->high);
  return Exit::done;
}

}  // namespace vyre
