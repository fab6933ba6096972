#include "vyre/cli/tune/tune_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/arithmetic.h"
#include "vyre/base/log.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/run/run_buffers.h"
#include "vyre/cli/run/run_execute.h"
#include "vyre/cli/tune/search_guard.h"
#include "vyre/cli/tune/tune_listener.h"
#include "vyre/cli/values.h"
#include "vyre/engine/plan_facts.h"
#include "vyre/ir/fingerprint.h"
#include "vyre/plan/decision_lookup.h"
#include "vyre/tune/online/online_policy_statistics.h"
#include "vyre/tune/online/paired_comparison.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kBatch = 16;  // calls between two waits
// Once settled, so many calls more: the last of them show what was reached.
constexpr std::uint64_t kCallsAfter = 64;
// With more settings of overrides than this, the best one is searched for before any call is
// served.
constexpr std::size_t kFewChoices = 32;
constexpr std::size_t kMostChoices = std::size_t{1} << 16;
// The pairs in which the choice is timed again.
constexpr unsigned kPairsAgain = 40;
// A launch that is under way when the budget is spent has this much longer.
constexpr std::chrono::seconds kLastLaunch{1};

double ns_of(Clock::duration d) {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
}

std::chrono::nanoseconds in_ns(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

// What ends a launch of the search: Ctrl-C, the deadline, and the end of the budget. The CPU is
// told of that by the guard's flag, which costs a launch nothing; a GPU by its own clock, which
// kernels with loops compare.
RunLimits limits_of(const TuneOptions& options, const Session& session, SearchGuard& guard) {
  RunLimits out{.deadline = {}, .stop = &guard.stop()};
  if (options.deadline_seconds) out.deadline = in_ns(*options.deadline_seconds);
  if (session.device().target().kind != TargetKind::host) {
    const std::chrono::nanoseconds budget = in_ns(options.budget_seconds) + kLastLaunch;
    out.deadline = std::min(out.deadline.value_or(budget), budget);
  }
  return out;
}

// The planned data on the device, with the initial contents of the buffers that the kernel changes.
class Data {
 public:
  Data(const Session& session, RunPlan& plan) : session_(session), plan_(plan) {}

  Result<void> bind() {
    for (RunBuffer& buffer : plan_.buffers) {
      Binding binding{buffer.group, buffer.binding, {}};
      VYRE_TRY(binding.buffer, session_.buffer(buffer.bytes.size()));
      VYRE_CHECK(session_.write(binding.buffer, 0, buffer.bytes.span()));
      // This includes outputs without data, because a program may add to their contents.
      if (buffer.is_output()) {
        VYRE_TRY(auto kept, session_.buffer(buffer.bytes.size()));
        VYRE_CHECK(session_.write(kept, 0, buffer.bytes.span()));
        kept_.emplace_back(bindings_.size(), std::move(kept));
      }
      bindings_.push_back(std::move(binding));
    }
    return {};
  }

  Result<void> restore() const {
    for (const auto& [at, kept] : kept_) {
      VYRE_CHECK(session_.copy(kept, 0, bindings_[at].buffer, 0, kept.size()));
    }
    return {};
  }

  Result<void> read_back() {
    for (std::size_t i = 0; i < bindings_.size(); ++i) {
      if (!plan_.buffers[i].is_output()) continue;
      VYRE_CHECK(session_.read(bindings_[i].buffer, 0, plan_.buffers[i].bytes.span()));
    }
    return {};
  }

  std::span<const Binding> bindings() const { return bindings_; }
  double bytes() const {
    double out = 0;
    for (const RunBuffer& b : plan_.buffers) {
      out += static_cast<double>(b.bytes.size()) * (b.role() == BindingRole::input_output ? 2 : 1);
    }
    return out;
  }

 private:
  const Session& session_;
  RunPlan& plan_;
  std::vector<Binding> bindings_;
  std::vector<std::pair<std::size_t, Buffer>> kept_;
};

bool sweeps_for(const TuneOptions& options, std::size_t choices) {
  if (!options.mode.empty()) return options.mode == "on";
  return !options.strategy.empty() || choices > kFewChoices;
}

TuningOptions tuning_of(const TuneOptions& options, bool sweeps, TuneObserver observer) {
  TuningOptions out;
  out.mode = sweeps ? TunerMode::sweep : TunerMode::natural_gradient;
  out.evidence = store_of(options);
  out.share = options.regret;
  out.least_gain = options.least_gain;
  out.exact_size = true;
  out.compile_at_once = true;
  out.tolerance = options.tolerance;
  if (sweeps) {
    out.sweep_time = in_ns(options.budget_seconds);
    out.strategy = options.strategy;
    out.seed = options.seed;
  }
  out.observer = std::move(observer);
  return out;
}

struct Choices {
  std::vector<KernelChoice> kernels;
  std::string failed;  // which combinations of values give none, and why; empty: all do
};

Result<Choices> choices_of(const Program& program, const TuneJob& job) {
  std::vector<KernelChoice> out;
  if (job.axes.empty()) {
    if (!job.constraints.empty()) {
      return fail(Code::invalid_input, "--where needs --tune NAME=VALUES");
    }
    VYRE_TRY(auto kernel, make_kernel_with(program, job.run.settings));
    out.push_back({std::move(kernel), {}});
    return Choices{std::move(out), {}};
  }
  for (const OverrideAxis& axis : job.axes) {
    if (!has_override(program, axis.name)) {
      return fail(Code::invalid_input,
                  fmt::format("--tune: {} has no override {}", program.name, quote(axis.name)));
    }
  }
  VYRE_TRY(const auto combinations, override_combinations(job.axes, job.constraints, kMostChoices));
  std::string first_failure;
  std::size_t failures = 0;
  for (const auto& combination : combinations) {
    std::vector<Setting> settings = job.run.settings;
    for (const OverrideSetting& o : combination) {
      VYRE_TRY(auto parsed, parse_settings(o.name + "=" + o.value));
      settings.insert(settings.end(), parsed.begin(), parsed.end());
    }
    auto kernel = make_kernel_with(program, settings);
    // Values that do not fit together (an array of length 0, a workgroup that is too large) are
    // no candidates.
    if (!kernel) {
      if (++failures == 1) first_failure = describe(kernel.error());
      continue;
    }
    // By name, however they were given: evidence knows candidates by their text.
    std::vector<OverrideSetting> ordered = combination;
    std::ranges::sort(ordered);
    out.push_back({*std::move(kernel), std::move(ordered)});
  }
  // The program's own settings come first, because the others are compared with them.
  if (const auto usual = make_kernel_with(program, job.run.settings)) {
    const auto found = std::ranges::find_if(
        out, [&](const KernelChoice& c) { return c.kernel.fingerprint == usual->fingerprint; });
    if (found != out.end()) std::swap(*found, out.front());
  }
  if (out.empty()) {
    return fail(Code::invalid_input,
                fmt::format("--tune: no combination of the values makes a valid kernel: {}",
                            first_failure));
  }
  std::string failed;
  if (failures != 0) {
    failed = fmt::format("{} of the overrides make no valid kernel; the first error: {}",
                         counted(failures, "combination"), first_failure);
  }
  return Choices{std::move(out), std::move(failed)};
}

std::string identity_of(const Program& program, const TuneJob& job,
                        const std::vector<KernelChoice>& choices) {
  if (job.axes.empty()) return to_hex(choices.front().kernel.fingerprint);
  Hasher hasher;
  hasher.update("vyre-tuned-overrides-v1");
  hasher.update(fingerprint(program));
  for (const Setting& s : job.run.settings) {
    hasher.update(fmt::format("{}={};", s.name, s.value));
  }
  return to_hex(hasher.finish());
}

// The strategy of the search, and the number of candidates that were tried.
std::string search_words(const TuningView& view, const TuneRecord& record) {
  if (view.strategy.empty()) return {};
  const auto tried = static_cast<std::uint64_t>(std::ranges::count_if(
      record.candidates,
      [](const CandidateRecord& c) { return !c.samples_ns.empty() || !c.dropped.empty(); }));
  return fmt::format("{}: {} of {} candidates were tried{}",
                     view.strategy == "exhaustive" ? "in the order of the expected times"
                                                   : fmt::format("by strategy {}", view.strategy),
                     with_commas(tried), with_commas(view.candidates.size()),
                     view.known_before == 0
                         ? ""
                         : fmt::format("; {} were known before", with_commas(view.known_before)));
}

// Exports the workgroup of the choice to the device's decision file, where such a file can hold it.
// Gives the workgroup, or nothing.
Result<std::string> export_choice(const Session& session, const Kernel& kernel,
                                  const Extent& extent, const TuningView& view) {
  const Extent& workgroup = view.variants[view.incumbent].workgroup;
  const bool is_a_width = workgroup[1] == 1 && workgroup[2] == 1;
  if (!view.untunable.empty() || !is_a_width || !why_undecidable(kernel, extent).empty()) {
    return std::string();
  }
  const Adapter adapter = adapter_of(plan_device_of(session.device()));
  VYRE_CHECK(export_decision(adapter, kernel, extent, workgroup));
  return format_extent(workgroup);
}

std::string size_words(const Extent& e) {
  if (e[1] == 1 && e[2] == 1) return fmt::format("{} invocations", with_commas(e[0]));
  if (e[2] == 1) return fmt::format("{} x {}", with_commas(e[0]), with_commas(e[1]));
  return fmt::format("{} x {} x {}", with_commas(e[0]), with_commas(e[1]), with_commas(e[2]));
}

// The number of consecutive launches for which the overhead of timing does not matter.
std::uint32_t launches_for(double ns) {
  constexpr double kTogetherNs = 200'000;
  return static_cast<std::uint32_t>(std::clamp(kTogetherNs / std::max(ns, 1.0), 1.0, 64.0));
}

// Times the choice again, in pairs of runs with the first guess and with the declared variant. A
// coin decides the order of each pair.
Result<void> measure_gain(const Session& session, const std::vector<KernelChoice>& choices,
                          const Data& data, const Extent& extent, const TuningView& view,
                          const RunLimits& limits, TuneRecord& record) {
  struct Side {
    ReportBaseline* into = nullptr;
    Dispatch dispatch;
    PairedComparison versus{};  // the choice against it
    std::vector<double> times{};
    std::uint32_t launches = 1;  // of which a time is the mean
  };
  std::vector<Side> sides;  // the choice first
  const auto add = [&](std::uint32_t index, ReportBaseline& into) -> Result<void> {
    const Variant& v = view.variants[index];
    const auto choice = std::ranges::find_if(
        choices, [&](const KernelChoice& c) { return c.overrides == v.overrides; });
    if (choice == choices.end()) return {};
    VYRE_TRY(auto dispatch, session.prepare(choice->kernel, data.bindings(),
                                            DispatchSize::extent(extent), v, limits));
    sides.push_back({&into, std::move(dispatch)});
    return {};
  };
  VYRE_CHECK(add(view.incumbent, record.chosen));
  if (sides.empty()) return {};
  if (view.start != view.incumbent) VYRE_CHECK(add(view.start, record.start));
  if (view.declared && *view.declared != view.incumbent && *view.declared != view.start) {
    VYRE_CHECK(add(*view.declared, record.declared));
  }
  const auto time = [&](Side& side) -> Result<double> {
    VYRE_CHECK(data.restore());
    VYRE_TRY(const auto spent, session.time(side.dispatch, side.launches));
    return ns_of(spent);
  };
  // The first times are not used. Events around a short launch on a GPU take longer than it.
  for (Side& side : sides) {
    VYRE_TRY(const double ns, time(side));
    if (session.device().target().kind != TargetKind::host) side.launches = launches_for(ns);
  }
  const auto time_pair = [&](Side& choice, Side& other, bool choice_first) -> Result<void> {
    VYRE_TRY(const double first, time(choice_first ? choice : other));
    VYRE_TRY(const double second, time(choice_first ? other : choice));
    const double choice_ns = choice_first ? first : second,
                 other_ns = choice_first ? second : first;
    choice.times.push_back(choice_ns);
    other.times.push_back(other_ns);
    if (choice_ns > 0 && other_ns > 0) other.versus.add(other_ns, choice_ns);
    return {};
  };
  FairCoin coin(0);
  const auto begin = Clock::now();
  for (unsigned round = 0; round < kPairsAgain; ++round) {
    if (round > 3 && Clock::now() - begin > std::chrono::seconds(2)) break;
    if (interrupting_signal() != 0) return {};
    for (Side& other : std::span(sides).subspan(1)) {
      VYRE_CHECK(time_pair(sides.front(), other, coin.toss()));
    }
    if (sides.size() > 1) continue;
    VYRE_TRY(const double ns, time(sides.front()));
    sides.front().times.push_back(ns);
  }
  for (Side& side : sides) {
    side.into->again_ns = median_of(side.times);
    side.into->gain = side.versus.interval(0.99);
    side.into->pairs = side.versus.pairs();
  }
  const auto copy = [](const ReportBaseline& from, ReportBaseline& to) {
    to.again_ns = from.again_ns;
    to.gain = from.gain;
    to.pairs = from.pairs;
  };
  if (view.start == view.incumbent) copy(record.chosen, record.start);
  if (view.declared == view.incumbent) copy(record.chosen, record.declared);
  if (view.declared == view.start) copy(record.start, record.declared);
  return {};
}

}  // namespace

Result<TuneOutcome> tune_kernel(const TuneJob& job, const TuneOptions& options, Streams& streams,
                                Clock::time_point started,
                                const std::function<void(const TuneProgress&)>& show) {
  const std::string& path = job.run.files.front();
  VYRE_TRY(auto text, read_source(path, streams));
  const ParsedModule parsed =
      parse_wgsl(std::move(text), source_name(path), {.lenient = job.run.lenient});
  show_diagnostics(streams, parsed);
  if (!parsed.module) {
    return fail(Code::invalid_input, fmt::format("{} is not a valid module", source_name(path)));
  }
  VYRE_TRY(const Program* program, choose_entry(*parsed.module, source_name(path), job.run.entry));
  VYRE_TRY(const Choices choices, choices_of(*program, job));
  const Kernel& kernel = choices.kernels.front().kernel;
  VYRE_TRY(RunPlan plan, plan_run(kernel, job.run));

  const bool sweeps = sweeps_for(options, choices.kernels.size());
  TuneListener listener(started);
  listener.sweeps = sweeps;
  VYRE_TRY(auto session_options, SessionOptions::from_environment());
  session_options.tuning = tuning_of(options, sweeps, listener.observer());
  if (!options.keeps) session_options.code_folder.reset();
  SearchGuard guard;
  VYRE_TRY(const auto session, Session::open(options.device, std::move(session_options)));
  VYRE_TRY(auto initial, InitialData::of(plan));
  Data data(session, plan);
  VYRE_CHECK(data.bind());
  const DispatchSize size = plan.size();
  const RunLimits limits = limits_of(options, session, guard);
  VYRE_TRY(const Dispatch dispatch,
           session.prepare(identity_of(*program, job, choices.kernels), choices.kernels,
                           data.bindings(), size, limits));

  TuneOutcome out;
  TuneRecord& record = out.record;
  record.kernel = kernel.program->name;
  record.file = source_name(path);
  record.size = size_words(plan.extent);
  record.bytes = data.bytes();
  const auto begin = Clock::now();
  guard.limit(in_ns(options.budget_seconds) + kLastLaunch);
  const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  std::uint64_t calls = 0, settled_at = 0;
  double shown = -1;
  out.swept = sweeps;
  if (sweeps) {
    // In the mode `on` the whole search happens in the first call.
    const TuningView space = *dispatch.tuning();
    listener.heard = [&, space] {
      const double now = spent();
      if (now - shown < 0.1) return;
      shown = now;
      const auto best = listener.best();
      show({.kernel = record.kernel,
            .calls = 0,
            .tried = listener.tried(),
            .candidates = space.candidates.size(),
            .best = space.candidates[best.ns > 0 ? best.candidate : space.start].text,
            .best_ns = best.ns,
            .seconds_left = std::max(0.0, options.budget_seconds - now),
            .share_of_time = std::min(1.0, now / options.budget_seconds)});
    };
  }
  while (interrupting_signal() == 0) {
    VYRE_CHECK(data.restore());
    auto done = session.submit(dispatch, limits);
    if (done && (calls % kBatch == 0 || sweeps)) done = session.wait();
    if (!done) {
      if (interrupting_signal() != 0) break;
      if (spent() < options.budget_seconds) return std::unexpected(done.error());
      if (calls != 0 || listener.tried() != 0) break;
      return fail(Code::device,
                  fmt::format("kernel '{}' did not end within the budget of {:g} s",
                              kernel.program->name, options.budget_seconds),
                  "give a longer --budget if it needs more");
    }
    ++calls;
    const double now = spent();
    if (now - shown > 0.1) {
      shown = now;
      const TuningView view = *dispatch.tuning();
      show({.kernel = record.kernel,
            .calls = calls,
            .tried = listener.tried(),
            .candidates = view.candidates.size(),
            .best = view.candidates.empty() ? "" : view.candidates[view.incumbent].text,
            .best_ns = view.candidates.empty() ? 0 : view.candidates[view.incumbent].time.ns,
            .lost_ns = view.ledger.lost_ns,
            .bound_ns = view.ledger.bound_ns,
            .seconds_left = std::max(0.0, options.budget_seconds - now),
            .share_of_time = std::min(1.0, now / options.budget_seconds)});
      if (!view.untunable.empty()) break;
      if (view.settled && settled_at == 0) settled_at = calls;
    }
    if (sweeps || now > options.budget_seconds) break;
    if (settled_at != 0 && calls > settled_at + kCallsAfter) break;
  }
  guard.release();
  out.interrupted = interrupting_signal() != 0;
  VYRE_CHECK(session.wait());
  // Times that are still pending are taken by the next calls.
  const bool ended = !out.interrupted && !guard.out_of_time();
  if (ended) VYRE_CHECK(session.run(dispatch, limits));
  const TuningView view = *dispatch.tuning();
  listener.fill(view, record);
  record.search = search_words(view, record);
  if (!choices.failed.empty()) {
    record.left_out += (record.left_out.empty() ? "" : "; ") + choices.failed;
  }
  record.ledger.share = sweeps ? 0 : options.regret;
  record.verified =
      options.tolerance > 0
          ? fmt::format(
                "compared with the incumbent's results on shadow buffers, to {:g} of the "
                "larger value",
                options.tolerance)
          : "compared with the incumbent's results on shadow buffers, bit for bit";
  if (ended) {
    VYRE_CHECK(measure_gain(session, choices.kernels, data, plan.extent, view, limits, record));
  }
  const bool keeps = options.keeps && !options.fresh && options.store.empty();
  if (keeps && job.axes.empty() && !job.run.grid && !out.interrupted) {
    auto told = export_choice(session, kernel, plan.extent, view);
    if (told) {
      record.plans = *std::move(told);
    } else {
      VYRE_LOG(warn, "the decision file was not written: {}", describe(told.error()));
    }
  }
  if (options.verify && !out.interrupted) {
    const Variant& v = view.variants[view.incumbent];
    const auto choice = std::ranges::find_if(
        choices.kernels, [&](const KernelChoice& c) { return c.overrides == v.overrides; });
    VYRE_CHECK(data.restore());
    VYRE_TRY(const auto chosen, session.prepare(choice->kernel, data.bindings(),
                                                DispatchSize::extent(plan.extent), v, limits));
    VYRE_CHECK(session.run(chosen, limits));
    VYRE_CHECK(data.read_back());
    VYRE_TRY(out.verification,
             verify(choice->kernel, plan, initial, job.run.tolerance.value_or(Tolerance{})));
  }
  return out;
}

Result<ReportDevice> describe_device(const TuneOptions& options) {
  VYRE_TRY(auto session_options, SessionOptions::from_environment());
  session_options.tuning.reset();
  VYRE_TRY(const auto session, Session::open(options.device, std::move(session_options)));
  VYRE_TRY(const Profile p, session.device().profile());
  ReportDevice out;
  out.name = p.device_name;
  out.driver = p.driver;
  out.memory_bytes_per_second = static_cast<double>(p.memory_bytes_per_second);
  const bool gpu = session.device().target().kind == TargetKind::nvptx;
  const auto line = [&](std::string label, std::string text) {
    out.profile.push_back({std::move(label), std::move(text)});
  };
  line(gpu ? "multiprocessors" : "threads", std::to_string(p.multiprocessors));
  line("memory", format_bytes(p.memory_bytes));
  if (p.memory_bytes_per_second != 0) {
    line("memory speed", format_rate(p.memory_bytes_per_second));
  }
  if (p.last_level_cache_bytes != 0) {
    line("last-level cache", format_bytes(p.last_level_cache_bytes));
  }
  if (p.warp_size != 0)
    line(gpu ? "lanes of a warp" : "lanes of a vector", std::to_string(p.warp_size));
  if (p.clock_khz != 0) line("clock", fmt::format("{} MHz", p.clock_khz / 1000));
  return out;
}

}  // namespace vyre
