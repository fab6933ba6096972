#include <fmt/format.h>

#include <algorithm>

#include "vyre/base/log.h"
#include "vyre/base/process/abandonable.h"
#include "vyre/engine/plan_facts.h"
#include "vyre/engine/tuned/candidate_maker_internal.h"
#include "vyre/plan/bindings/extent_volume.h"
#include "vyre/plan/code_check.h"

namespace vyre {
namespace {

// At most this many candidates are loaded at once, and after this many calls that found the device
// busy one is loaded all the same.
constexpr std::size_t kMostLoads = 4;
constexpr std::uint32_t kMostLooks = 16;

unsigned compilers_for(const TuningOptions& options, const LaunchCosts& costs,
                       unsigned processors) {
  if (options.compilers != 0) return options.compilers;
  return std::clamp(processors / 2, 1U, costs.most_compilers);
}

// Warns that memory ran out for a candidate, which the evidence does not record.
void warn_of_memory(const Result<void>& made) {
  static std::atomic<bool> told{false};
  if (made || made.error().code != Code::out_of_memory || told.exchange(true)) return;
  VYRE_LOG(warn, "the search goes on without a candidate: {}", describe(made.error()));
}

}  // namespace

CandidateMaker::CandidateMaker(const TuningOptions& options, std::shared_ptr<Device> device,
                               std::shared_ptr<Queue> queue, std::shared_ptr<CodeStore> codes)
    : options_(options),
      device_(std::move(device)),
      costs_(device_->launch_costs()),
      queue_(std::move(queue)),
      codes_(std::move(codes)),
      compilers_(compilers_for(options_, costs_, processors_here()), costs_.compiler_niceness) {
  if (options_.mode == TunerMode::natural_gradient && costs_.runs_beside_host) {
    // A failure is ignored here: whoever needs the result meets it again and reports it.
    if (auto aside = make_side_queue(*device_)) aside_ = *std::move(aside);
    (void)device_->prepare_deadlines();
    if (is_comparing_ready(*device_, *codes_)) {
      tools_asked_ = tools_ready_ = true;
      (void)compare_tools();
    }
  }
}

// The variant that was decided before may not compile any more: the search then names another.
Result<void> CandidateMaker::make_first(TunedKernel& kernel, const WorkLimits& limits) {
  while (true) {
    const std::uint32_t best = kernel.tuner.best();
    const auto made = make_now(kernel, best, limits);
    if (made) return made;
    if (kernel.tuner.best() != best) continue;
    if (made.error().code == Code::out_of_memory || limits.over()) return made;
    // What was decided was dropped. The declared variant needs no comparison.
    if (!kernel.declared || *kernel.declared == best) return made;
    if (!make_now(kernel, *kernel.declared, limits)) return made;
    kernel.tuner.verified(*kernel.declared, 0);
    if (kernel.tuner.best() == best) return made;
  }
}

Result<void> CandidateMaker::make_now(TunedKernel& kernel, std::uint32_t index,
                                      const WorkLimits& limits) {
  TunedCandidate& c = kernel.candidates[index];
  if (c.is_made()) return {};
  TunerSpan span{.kind = TunerSpan::Kind::compile,
                 .candidate = index,
                 .begin = std::chrono::steady_clock::now(),
                 .end = {},
                 .outcome = {}};
  const double before = work_ns();
  bool compiled = false;
  Result<void> made;
  for (CandidateLaunch& launch : c.launches) {
    const auto found = find_code(launch.kernel, launch.variant, launch.options, limits);
    if (!found) {
      made = std::unexpected(found.error());
      break;
    }
    compiled = compiled || found->source == CodeSource::compiled;
    launch.code.set(*found);
  }
  if (made) made = check_spills(kernel, index, limits);
  span.end = std::chrono::steady_clock::now();
  if (!made) span.outcome = describe(made.error());
  if (options_.observer.span) options_.observer.span(span);
  if (compiled) kernel.compile_cost.compiled(work_ns() - before);
  if (made) {
    kernel.tuner.made(index);
  } else if (made.error().code == Code::out_of_memory || limits.over()) {
    // There may be more memory, or more time, later: the search asks for it again.
    kernel.tuner.leave_unmade(index);
  } else {
    kernel.tuner.drop(index, span.outcome);
  }
  return made;
}

Result<FoundCode> CandidateMaker::find_code(const Kernel& kernel, const Variant& variant,
                                            const CodeOptions& options, const WorkLimits& limits) {
  Result<FoundCode> found;
  VYRE_CHECK(attempt_work([&] { found = codes_->find_or_make(kernel, variant, options, limits); }));
  if (!found) return found;
  const CodeFacts facts = found->code->facts();
  if (facts.max_threads == 0 || volume(variant.workgroup) <= facts.max_threads) return found;
  return fail(
      Code::limit,
      fmt::format("its code takes {} registers a lane, which leaves {} lanes for a workgroup",
                  facts.registers, facts.max_threads));
}

// Refuses code that spills registers if the code that it would replace does not. The planner has
// judged what serves first; a candidate that was timed before is judged by its time, and a sweep
// times all of them.
Result<void> CandidateMaker::check_spills(const TunedKernel& kernel, std::uint32_t index,
                                          const WorkLimits& limits) {
  const TunedCandidate& candidate = kernel.candidates[index];
  const auto beside = candidate.fuses ? candidate.fuses : kernel.declared;
  if (!beside || *beside == index || index == kernel.start) return {};
  const bool is_sweep = kernel.tuner.mode() == TunerMode::sweep;
  if (!candidate.fuses && is_sweep) return {};
  std::uint64_t spilled = 0;
  for (const CandidateLaunch& launch : candidate.launches) {
    spilled = std::max(spilled, launch.code.get()->facts().local_bytes);
  }
  if (spilled == 0) return {};
  if (!candidate.fuses && kernel.tuner.view()[index].time.ns != 0) return {};
  for (const CandidateLaunch& launch : kernel.candidates[*beside].launches) {
    VYRE_TRY(const FoundCode found,
             find_code(launch.kernel, launch.variant, launch.options, limits));
    if (found.code->facts().local_bytes != 0) return {};
  }
  return fail(Code::limit,
              spill_text(spilled, candidate.fuses ? "its stages" : "the declared variant"));
}

void CandidateMaker::make_later(const std::shared_ptr<TunedKernel>& kernel) {
  if (!tools_asked_.exchange(true)) {
    compilers_.add([this] {
      // A failure is ignored here: making the tools meets it again and reports it.
      (void)attempt_work(
          [&] { (void)make_comparing_ready(*device_, *codes_, compilers_.limits()); });
      tools_ready_.store(true, std::memory_order_release);
    });
  }
  if (!kernel->tuner.has_attention(TunedKernel::kToMake)) return;
  if (kernel->tuner.settled()) {
    leave_unmade(*kernel);
  } else if (costs_.runs_beside_host) {
    compile_all_and_load(kernel);
  } else {
    compile_next(kernel);
  }
}

// The search has ended, and does not need these candidates any more.
void CandidateMaker::leave_unmade(TunedKernel& kernel) {
  const auto work = kernel.work.lock();
  for (std::deque<std::uint32_t>* list : {&work->to_make, &work->to_load}) {
    for (const std::uint32_t index : std::exchange(*list, {})) kernel.tuner.leave_unmade(index);
  }
  kernel.tuner.set_attention(TunedKernel::kToMake, false);
}

void CandidateMaker::make_shadows_later(const std::shared_ptr<TunedKernel>& kernel,
                                        std::vector<std::uint64_t> bytes) {
  compilers_.add([this, kernel, bytes = std::move(bytes)] {
    Result<std::vector<DeviceMemory>> made;
    const auto ran = attempt_work([&] { made = allocate_shadows(*device_, bytes); });
    if (!ran) made = std::unexpected(ran.error());
    const auto work = kernel->work.lock();
    work->shadows_asked = false;
    if (!made) {
      work->no_shadows = made.error().what;
    } else if (!kernel->tuner.settled()) {
      work->shadows = *std::move(made);
    }
  });
}

// Compiles one candidate at a time, because the program needs the processors of the host. The most
// that this may cost is held back until it is known what it did cost.
void CandidateMaker::compile_next(const std::shared_ptr<TunedKernel>& kernel) {
  if (compilers_.busy()) return;
  const auto work = kernel->work.lock();
  if (work->to_make.empty()) return;
  const double most_ns = kernel->compile_cost.most_ns();
  if (!kernel->tuner.hold(most_ns)) return;
  const std::uint32_t index = work->to_make.front();
  work->to_make.pop_front();
  kernel->tuner.set_attention(TunedKernel::kToMake, !work->to_make.empty());
  compilers_.add([this, kernel, index, most_ns] {
    const double before = work_ns();
    (void)kernel->compile_cost.take_lost(0);
    const auto ran =
        attempt_work([&] { warn_of_memory(make_now(*kernel, index, compilers_.limits())); });
    if (!ran) kernel->tuner.leave_unmade(index);
    kernel->tuner.settle(most_ns, kernel->compile_cost.take_lost(work_ns() - before));
  });
}

// The device keeps running while code for it is compiled. Loading code waits for running work, so
// this thread loads while the device is idle. A program that never waits for its work is made to
// wait now and then, unless it has lent its own stream.
void CandidateMaker::compile_all_and_load(const std::shared_ptr<TunedKernel>& kernel) {
  const bool idle = queue_->known_idle();
  bool load = idle;
  {
    const auto work = kernel->work.lock();
    while (!work->to_make.empty()) {
      const std::uint32_t index = work->to_make.front();
      work->to_make.pop_front();
      compilers_.add([this, kernel, index] {
        // A failure is ignored here: loading meets it again and reports it.
        (void)attempt_work([&] {
          for (const CandidateLaunch& launch : kernel->candidates[index].launches) {
            (void)codes_->make_ready(launch.kernel, launch.variant, launch.options,
                                     compilers_.limits());
          }
        });
        const auto done = kernel->work.lock();
        done->to_load.push_back(index);
        kernel->tuner.set_attention(TunedKernel::kToMake, true);
      });
    }
    if (!work->to_load.empty() && ++work->load_looks >= kMostLooks) {
      load = load || !queue_->is_lent();
    }
    kernel->tuner.set_attention(TunedKernel::kToMake, !work->to_load.empty());
  }
  if (!load) return;
  for (std::size_t i = 0; i < (idle ? kMostLoads : 1) && load_next(*kernel, idle); ++i) {
  }
}

// Loads a candidate. False: there was none, or the ledger did not allow it.
bool CandidateMaker::load_next(TunedKernel& kernel, bool idle) {
  std::uint32_t index = 0;
  const double most_ns = kernel.load_ns.load();
  {
    const auto work = kernel.work.lock();
    if (work->to_load.empty() || !kernel.tuner.hold(most_ns)) return false;
    index = work->to_load.front();
    work->to_load.pop_front();
    work->load_looks = 0;
    kernel.tuner.set_attention(TunedKernel::kToMake, !work->to_load.empty());
  }
  // The driver would wait for running work, and that time must not be charged to loading. If the
  // running work fails, the program hears of it by itself.
  if (!idle) {
    if (const auto now = queue_->record()) (void)(*now)->wait();
  }
  const auto begin = std::chrono::steady_clock::now();
  (void)make_now(kernel, index);
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  kernel.load_ns.store((3 * kernel.load_ns.load() + spent.count()) / 4);
  kernel.tuner.settle(most_ns, spent.count());
  return true;
}

std::shared_ptr<const CompareTools> CandidateMaker::compare_tools() {
  const std::scoped_lock lock(tools_mutex_);
  if (tools_ != nullptr || !tools_ready_.load(std::memory_order_acquire)) return tools_;
  if (!queue_->known_idle() && (queue_->is_lent() || ++tools_looks_ < kMostLooks)) return nullptr;
  auto tools = make_compare_tools(*device_, *codes_, aside_);
  if (tools) {
    tools_ = *std::move(tools);
  } else {
    tools_ready_.store(false, std::memory_order_release);
    VYRE_LOG(warn, "nothing is tuned, since results cannot be compared: {}",
             describe(tools.error()));
  }
  return tools_;
}

}  // namespace vyre
