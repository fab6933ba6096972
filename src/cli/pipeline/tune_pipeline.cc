#include "vyre/cli/pipeline/tune_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>

#include "vyre/cli/interrupt.h"
#include "vyre/cli/json_text.h"
#include "vyre/cli/pipeline/pipeline_load.h"
#include "vyre/cli/progress.h"
#include "vyre/cli/values.h"
#include "vyre/pipeline/pipeline_plan_text.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

Result<Session> open(const TuneOptions& options) {
  VYRE_TRY(auto session, SessionOptions::from_environment());
  session.tuning->mode = options.mode == "on" ? TunerMode::sweep : TunerMode::natural_gradient;
  session.tuning->share = options.regret;
  // This command only tunes, so it waits for the compilation of candidates instead of serving
  // meanwhile.
  session.tuning->compile_at_once = true;
  session.tuning->least_gain = options.least_gain;
  session.tuning->tolerance = options.tolerance;
  session.tuning->evidence = store_of(options);
  return Session::open(options.device, std::move(session));
}

bool is_settled(const PreparedPipeline& pipeline) {
  for (std::size_t l = 0; l < pipeline.launches().launches.size(); ++l) {
    const auto tuning = pipeline.dispatch(l).tuning();
    if (tuning && tuning->untunable.empty() && !tuning->settled) return false;
  }
  return true;
}

struct Tuned {
  std::uint64_t runs = 0;
  bool settled = false;
};

RunLimits limits_of(const TuneOptions& options) {
  RunLimits limits{.deadline = {}, .stop = &interrupt_flag()};
  if (options.deadline_seconds) {
    limits.deadline =
        std::chrono::nanoseconds(static_cast<std::int64_t>(*options.deadline_seconds * 1e9));
  }
  return limits;
}

Result<Tuned> run_until_settled(PreparedPipeline& pipeline, const TuneOptions& options,
                                Output& err) {
  constexpr std::uint64_t kBetweenLooks = 16;
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(options.budget_seconds));
  const RunLimits limits = limits_of(options);
  Tuned out;
  std::atomic<std::uint64_t> runs = 0;
  const ProgressLine progress(
      err, [&] { return fmt::format("tuning {}, run {}", pipeline.ready().name, runs + 1); },
      progress_on(err));
  while (Clock::now() < end && interrupting_signal() == 0) {
    const auto ran = pipeline.run(limits);
    if (interrupting_signal() != 0) break;
    VYRE_CHECK(ran);
    if (++runs % kBetweenLooks == 0 && is_settled(pipeline)) break;
  }
  out.runs = runs;
  out.settled = is_settled(pipeline);
  return out;
}

std::string stages_of(const PreparedPipeline& pipeline, std::size_t l) {
  const PlannedLaunch& launch = pipeline.launches().launches[l];
  std::string out;
  for (std::size_t i = 0; i < launch.stage_count; ++i) {
    out += (i == 0 ? "" : ", ") + pipeline.ready().stages[launch.first_stage + i].name;
  }
  return out;
}

void print(const PreparedPipeline& pipeline, const Tuned& tuned, const TuneOptions& options,
           const Session& session, Streams& streams) {
  const TargetKind kind = session.device().target().kind;
  Json json{{"pipeline", pipeline.ready().name},
            {"device", session.device().name()},
            {"runs", tuned.runs},
            {"settled", tuned.settled},
            {"launches", Json::array()}};
  if (!options.json) {
    streams.out.print("{} on {}: {} runs; {}\n",
                      headline(pipeline.ready(), pipeline.launches(), pipeline.plans()),
                      session.device().name(), tuned.runs,
                      tuned.settled ? "every search has ended" : "the searches have not ended");
  }
  for (std::size_t l = 0; l < pipeline.launches().launches.size(); ++l) {
    const Dispatch& dispatch = pipeline.dispatch(l);
    const auto tuning = dispatch.tuning();
    const std::string variant = tuning ? tuning->candidates[tuning->incumbent].text
                                       : to_string(configuration_of(dispatch.variant(), kind));
    const std::string reason = !tuning ? "its grid is computed; nothing is tuned"
                               : !tuning->untunable.empty() ? tuning->untunable
                                                            : tuning->reason;
    json["launches"].push_back({{"stages", stages_of(pipeline, l)},
                                {"variant", variant},
                                {"settled", !tuning || tuning->settled},
                                {"reason", reason}});
    if (options.json) continue;
    streams.out.print("launch {}: {}\n  {}\n  {}\n", l + 1, stages_of(pipeline, l), variant,
                      reason);
  }
  if (options.json) write_json(streams.out, json);
}

}  // namespace

Result<void> check_tune_pipeline(const TuneOptions& options) {
  const std::string_view odd = options.job.run.size                ? "--size"
                               : options.job.run.grid              ? "--grid"
                               : !options.job.run.entry.empty()    ? "--entry"
                               : !options.job.run.settings.empty() ? "--set"
                               : !options.job.run.uniforms.empty() ? "--uniform"
                               : !options.job.axes.empty()         ? "--tune"
                               : !options.strategy.empty()         ? "--strategy"
                               : options.verify                    ? "--verify"
                               : !options.report.empty()           ? "--report"
                               : !options.trace.empty()            ? "--trace"
                                                                   : "";
  if (odd.empty()) return {};
  return fail(Code::invalid_input, fmt::format("{} is for kernels, not for pipelines", odd));
}

Exit tune_pipeline(const TuneOptions& options, Streams& streams) {
  const auto ready = load_pipeline(options.job.run, streams);
  if (!ready) return report(streams, ready.error());
  const auto plan = plan_loaded(**ready, true, options.job.run);
  if (!plan) return report(streams, plan.error());
  const auto session = open(options);
  if (!session) return report(streams, session.error(), exit_for(session.error()));
  Result<PreparedPipeline> pipeline = [&] {
    const EndAtOnce while_compiling;
    const ProgressLine progress(
        streams.err, [&] { return "compiling " + (*ready)->name; }, progress_on(streams.err));
    return PreparedPipeline::make(*session, *ready, *plan, limits_of(options));
  }();
  if (!pipeline) return report(streams, pipeline.error(), exit_for(pipeline.error()));
  const auto tuned = run_until_settled(*pipeline, options, streams.err);
  if (!tuned) return report(streams, tuned.error(), exit_for(tuned.error()));
  print(*pipeline, *tuned, options, *session, streams);
  return Exit::done;
}

}  // namespace vyre
