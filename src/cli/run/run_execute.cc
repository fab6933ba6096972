#include "vyre/cli/run/run_execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "vyre/base/arithmetic.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/progress.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

std::uint64_t since_ns(Clock::time_point begin) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<nanoseconds>(Clock::now() - begin).count());
}

std::unexpected<Error> interrupted() { return fail(Code::device, "interrupted"); }

std::uint64_t invocations_of(const Extent& extent) {
  return saturating_mul(saturating_mul<std::uint64_t>(extent[0], extent[1]),
                        std::uint64_t{extent[2]});
}

std::uint64_t moved_bytes(const RunPlan& plan) {
  std::uint64_t bytes = 0;
  for (const RunBuffer& buffer : plan.buffers) {
    const bool both = buffer.role() == BindingRole::input_output;
    bytes = saturating_add(bytes, saturating_mul<std::uint64_t>(buffer.bytes.size(), both ? 2 : 1));
  }
  return bytes;
}

// The launches of one dispatch.
class DeviceRun {
 public:
  DeviceRun(const Session& session, RunPlan& plan) : session_(session), plan_(plan) {}

  // Buffers of the device: the plan's own memory where the device computes in it, else copies.
  Result<void> bind() {
    in_place_ = session_.device().target().kind == TargetKind::host;
    for (RunBuffer& buffer : plan_.buffers) {
      Binding binding{buffer.group, buffer.binding, {}};
      binding.initialised = !buffer.is_output() || buffer.source.has_value();
      if (in_place_) {
        VYRE_TRY(binding.buffer, session_.adopt(buffer.bytes.span()));
      } else {
        VYRE_TRY(binding.buffer, session_.buffer(buffer.bytes.size()));
        VYRE_CHECK(session_.write(binding.buffer, 0, buffer.bytes.span()));
      }
      bindings_.push_back(std::move(binding));
    }
    return {};
  }

  Result<void> prepare(const Kernel& kernel, const RunOptions& options) {
    if (options.deadline_seconds) {
      limits_.deadline = nanoseconds(static_cast<std::int64_t>(*options.deadline_seconds * 1e9));
    }
    limits_.stop = &interrupt_flag();
    const EndAtOnce while_compiling;
    begun_ = Clock::now();
    VYRE_TRY(dispatch_, session_.prepare(kernel, bindings_, plan_.size(), options.fixed, limits_));
    return {};
  }

  // In the mode `on`: measures what there is to choose from, which the first launch would do
  // otherwise. What that takes counts against the deadline, as compiling does.
  Result<void> search() {
    const RunLimits limits = begun_ ? limits_.counted_from(*begun_) : limits_;
    const auto measured = session_.measure(dispatch_, limits);
    if (interrupting_signal() != 0) return interrupted();
    return measured;
  }

  // The planned data, again, in what the kernel writes.
  Result<void> restore(const InitialData& initial) {
    if (in_place_) {
      initial.restore(plan_);
      return {};
    }
    // The plan's memory holds the planned data until the results are read.
    for (std::size_t i = 0; i < bindings_.size(); ++i) {
      if (!plan_.buffers[i].is_output()) continue;
      VYRE_CHECK(session_.write(bindings_[i].buffer, 0, plan_.buffers[i].bytes.span()));
    }
    return {};
  }

  // The device's time for one launch.
  Result<nanoseconds> launch() {
    if (interrupting_signal() != 0) return interrupted();
    VYRE_TRY(const auto begin, session_.record());
    // The time for compiling is part of the first launch's.
    const RunLimits limits = begun_ ? limits_.counted_from(*std::exchange(begun_, {})) : limits_;
    const auto submitted = session_.submit(dispatch_, limits);
    if (interrupting_signal() != 0) return interrupted();
    if (!submitted) return std::unexpected(submitted.error());
    VYRE_TRY(const auto end, session_.record());
    VYRE_CHECK(wait_for(*end));
    VYRE_CHECK(session_.wait());
    return end->since(*begin);
  }

  Result<void> read_back() {
    if (in_place_) return {};
    for (std::size_t i = 0; i < bindings_.size(); ++i) {
      if (!plan_.buffers[i].is_output()) continue;
      VYRE_CHECK(session_.read(bindings_[i].buffer, 0, plan_.buffers[i].bytes.span()));
    }
    return {};
  }

  const Dispatch& dispatch() const { return dispatch_; }

 private:
  // Devices that run on by themselves cannot be stopped from here: an interrupted process ends with
  // what it has under way.
  static Result<void> wait_for(Event& event) {
    for (unsigned round = 0;; ++round) {
      VYRE_TRY(const bool ready, event.ready());
      if (ready) return {};
      if (interrupting_signal() != 0) end_by_signal();
      if (round > 1000) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  const Session& session_;
  RunPlan& plan_;
  bool in_place_ = false;
  std::vector<Binding> bindings_;
  Dispatch dispatch_;
  RunLimits limits_;
  std::optional<Clock::time_point> begun_;  // until the first launch
};

Result<InterpretReport> interpret_plan(const Kernel& kernel, std::span<const BoundBuffer> bound,
                                       const RunPlan& plan, std::uint64_t step_budget,
                                       std::optional<double> deadline_seconds) {
  const Clock::time_point begin = Clock::now();
  bool late = false;
  InterpretOptions limits;
  limits.step_budget = step_budget;
  limits.cancelled = [&] {
    if (deadline_seconds) {
      const std::chrono::duration<double> spent = Clock::now() - begin;
      late = late || spent.count() > *deadline_seconds;
    }
    return late || interrupting_signal() != 0;
  };
  auto report = interpret(kernel, bound, plan.shape, limits);
  if (interrupting_signal() != 0) return interrupted();
  if (late) {
    return fail(Code::device, fmt::format("{} ran longer than the deadline of {} s",
                                          kernel.program->name, *deadline_seconds));
  }
  return report;
}

}  // namespace

bool is_interpreter(const std::string& device) { return device == "interp"; }

Result<InitialData> InitialData::of(const RunPlan& plan) {
  InitialData out;
  for (const RunBuffer& buffer : plan.buffers) {
    ZeroedBytes& copy = out.copies_.emplace_back();
    if (!buffer.is_output()) continue;
    VYRE_TRY(copy, ZeroedBytes::make(buffer.bytes.size()));
    std::memcpy(copy.span().data(), buffer.bytes.span().data(), buffer.bytes.size());
  }
  return out;
}

void InitialData::restore(RunPlan& plan) const {
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].size() == 0) continue;
    std::memcpy(plan.buffers[i].bytes.span().data(), copies_[i].span().data(), copies_[i].size());
  }
}

Result<Session> open_session(const RunOptions& options) {
  VYRE_TRY(auto session_options, SessionOptions::from_environment());
  if (session_options.tuning) {
    TunerMode& mode = session_options.tuning->mode;
    if (options.mode) {
      mode = *options.mode;
    } else if (mode == TunerMode::natural_gradient) {
      mode = TunerMode::frozen;  // a command that runs once gains nothing from a search
    }
  }
  return Session::open(options.device, std::move(session_options));
}

Result<RunRecord> run_on_device(const Session& session, const Kernel& kernel, RunPlan& plan,
                                const InitialData* initial, const RunOptions& options,
                                Output& err) {
  DeviceRun run(session, plan);
  VYRE_CHECK(run.bind());
  const Clock::time_point begin = Clock::now();
  {
    const ProgressLine progress(
        err, [&] { return "compiling " + kernel.program->name; }, progress_on(err));
    VYRE_CHECK(run.prepare(kernel, options));
  }
  RunRecord record;
  record.code.emplace().prepare_ns = since_ns(begin);
  const auto tuning = run.dispatch().tuning();
  if (tuning && tuning->mode == TunerMode::sweep && !tuning->settled) {
    const Clock::time_point searching = Clock::now();
    VYRE_CHECK(run.search());
    record.code->search_ns = since_ns(searching);
  }
  record.device = session.device().name();
  record.invocations = invocations_of(plan.extent);
  record.moved_bytes = moved_bytes(plan);
  nanoseconds last{0};
  if (options.time) {
    VYRE_TRY(record.timing, measure({.runs = *options.time}, [&]() -> Result<nanoseconds> {
               VYRE_CHECK(run.restore(*initial));
               VYRE_TRY(last, run.launch());
               return last;
             }));
  } else {
    VYRE_TRY(last, run.launch());
  }
  record.elapsed_ns = static_cast<std::uint64_t>(last.count());
  VYRE_CHECK(run.read_back());
  record.launch = run.dispatch().plan();
  record.code->variant = run.dispatch().variant();
  record.code->source = to_string(run.dispatch().code_source());
  record.code->brief = run.dispatch().facts().brief;
  record.grid = run.dispatch().grid();
  record.workgroup = run.dispatch().variant().workgroup;
  return record;
}

Result<RunRecord> run_on_interpreter(const Kernel& kernel, RunPlan& plan,
                                     const InitialData* initial, const RunOptions& options) {
  std::vector<BoundBuffer> bound;
  for (RunBuffer& buffer : plan.buffers) {
    bound.push_back({buffer.group, buffer.binding, buffer.bytes.span()});
  }
  RunRecord record;
  record.device = "interp";
  record.grid = plan.shape.grid;
  record.workgroup = kernel.program->workgroup;
  record.moved_bytes = moved_bytes(plan);
  const auto once = [&]() -> Result<nanoseconds> {
    const Clock::time_point begin = Clock::now();
    VYRE_TRY(const InterpretReport report,
             interpret_plan(kernel, bound, plan, options.step_budget, options.deadline_seconds));
    record.elapsed_ns = since_ns(begin);
    record.invocations = report.invocations;
    record.steps = report.steps;
    return nanoseconds(record.elapsed_ns);
  };
  if (options.time) {
    VYRE_TRY(record.timing, measure({.runs = *options.time}, [&]() -> Result<nanoseconds> {
               initial->restore(plan);
               return once();
             }));
  } else {
    VYRE_CHECK(once());
  }
  return record;
}

Result<Verification> verify(const Kernel& kernel, RunPlan& plan, InitialData& initial,
                            const Tolerance& tolerance) {
  std::vector<BoundBuffer> bound;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    RunBuffer& buffer = plan.buffers[i];
    bound.push_back({buffer.group, buffer.binding,
                     buffer.is_output() ? initial.bytes(i) : buffer.bytes.span()});
  }
  Verification out;
  out.tolerance = tolerance;
  const Clock::time_point begin = Clock::now();
  auto report = interpret_plan(kernel, bound, plan, 0, {});
  if (!report) {
    report.error().what = fmt::format("verification by the interpreter: {}", report.error().what);
    return std::unexpected(std::move(report).error());
  }
  out.elapsed_ns = since_ns(begin);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const RunBuffer& buffer = plan.buffers[i];
    if (!buffer.is_output()) continue;
    ++out.buffers;
    compare_buffers(kernel.program->types, buffer.layout, buffer.name, buffer.bytes.span(),
                    initial.bytes(i), tolerance, out.comparison);
  }
  return out;
}

}  // namespace vyre
