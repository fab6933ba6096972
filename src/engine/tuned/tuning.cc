#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "vyre/base/files/private_folder.h"
#include "vyre/base/log.h"
#include "vyre/base/process/abandonable.h"
#include "vyre/engine/plan_facts.h"
#include "vyre/engine/tuned/measure_order_internal.h"
#include "vyre/engine/tuned/tuned_kernel_internal.h"
#include "vyre/plan/bindings/extent_volume.h"
#include "vyre/plan/geometry.h"
#include "vyre/plan/variants/variant_space.h"

namespace vyre {
namespace {

constexpr std::size_t kMostCandidates = 4096;  // while a program runs
// At most this many candidates are loaded at once, and after this many calls that found the device
// busy one is loaded all the same.
constexpr std::size_t kMostLoads = 4;
constexpr std::chrono::milliseconds kLookAtLimits{1};
// The number of searches without a dispatch that are kept for later dispatches. What a forgotten
// search has learned is in the evidence.
constexpr std::size_t kIdleSearches = 256;
constexpr double kGuessedCompileNs = 15e6;
constexpr std::uint32_t kMostLooks = 16;
constexpr std::uint64_t kManyGroups = std::uint64_t{1} << 24;

unsigned compilers_for(const TuningOptions& options, const LaunchCosts& costs,
                       unsigned processors) {
  if (options.compilers != 0) return options.compilers;
  return std::clamp(processors / 2, 1U, costs.most_compilers);
}

std::string overrides_text(const std::vector<OverrideSetting>& overrides) {
  std::string out;
  for (const OverrideSetting& o : overrides) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", o.name, o.value);
  }
  return out;
}

// Warns that memory ran out for a candidate, which the evidence does not record.
void warn_of_memory(const Result<void>& made) {
  static std::atomic<bool> told{false};
  if (made || made.error().code != Code::out_of_memory || told.exchange(true)) return;
  VYRE_LOG(warn, "the search goes on without a candidate: {}", describe(made.error()));
}

std::string overrides_of(std::span<const KernelChoice> choices) {
  std::string out;
  for (const KernelChoice& c : choices) out += "|" + overrides_text(c.overrides);
  return out;
}

// The text and the expected time of each candidate.
std::vector<OnlineCandidate> online_candidates(const LaunchSpace& space) {
  std::vector<OnlineCandidate> out;
  for (const LaunchCandidate& c : space.candidates) out.push_back({c.text, c.expected_ns});
  return out;
}

std::vector<double> expected_times(const LaunchSpace& space) {
  std::vector<double> out;
  for (const LaunchCandidate& c : space.candidates) out.push_back(c.expected_ns);
  return out;
}

}  // namespace

TuningOptions TuningOptions::from_environment() {
  TuningOptions out;
  out.mode = mode_from_environment();
  out.evidence = evidence_path();
  return out;
}

std::shared_ptr<EvidenceStore> open_evidence(const std::optional<std::filesystem::path>& path) {
  if (!path) return EvidenceStore::in_memory();
  auto opened = EvidenceStore::open(*path);
  if (opened) return *std::move(opened);
  warn_once("what was learned before is not used, and nothing is added to it", opened.error());
  return EvidenceStore::in_memory();
}

PlanMemory plan_memory_of(const TuningOptions& options, const EvidenceStore* store) {
  PlanMemory out;
  out.evidence = store;
  out.decision_file = options.evidence.has_value();
  out.mode = options.mode;
  out.exact_size = options.exact_size;
  // If there are too many candidates for a sweep, a strategy searches among all of them.
  out.most_candidates = options.mode == TunerMode::sweep ? kMostSearched : kMostCandidates;
  return out;
}

namespace {

OnlineOptions with_declared(OnlineOptions options, std::optional<std::uint32_t> declared) {
  options.declared = declared;
  return options;
}

}  // namespace

std::string spill_text(std::uint64_t bytes, std::string_view others) {
  return fmt::format("its code keeps {} bytes a lane in memory, and that of {} none", bytes,
                     others);
}

bool has_many_groups(const Extent& grid) { return volume(grid) > double(kManyGroups); }

bool has_many_groups(const Variant& variant, const Extent& extent, TargetKind kind) {
  return has_many_groups(grid_covering(extent, covered_by(variant, kind)));
}

TunedKernel::TunedKernel(const LaunchSpace& space, std::deque<TunedCandidate> made, TunerMode mode,
                         const OnlineOptions& options, std::shared_ptr<EvidenceStore> store,
                         const LaunchCosts& costs)
    : candidates(std::move(made)),
      prior(expected_times(space)),
      start(space.start),
      start_by(space.by),
      start_why(space.why),
      declared(space.declared),
      left_out(space.left_out),
      tuner(space.key, online_candidates(space), space.start, mode,
            with_declared(options, space.declared), std::move(store)),
      settled_before(tuner.settled()),
      written(written_by(candidates)),
      load_ns(costs.load_ns),
      items_(std::max(1.0, volume(space.largest))),
      exact_(space.exact) {
  if (space.by == Authority::decision_file || space.by == Authority::model) {
    tuner.began_with(space.why);
  }
  tuner.set_attention(kToSweep, mode == TunerMode::sweep);
}

bool TunedCandidate::is_made() const {
  return std::ranges::all_of(launches,
                             [](const CandidateLaunch& l) { return l.code.get() != nullptr; });
}

std::vector<WrittenSlot> written_by(const std::deque<TunedCandidate>& candidates) {
  std::vector<WrittenSlot> out;
  std::map<std::uint32_t, std::size_t> writers;  // by slot
  std::size_t differing = 0;
  const TunedCandidate* before = nullptr;
  for (const TunedCandidate& c : candidates) {
    const auto same = [](const CandidateLaunch& a, const CandidateLaunch& b) {
      return a.kernel.program == b.kernel.program && a.slots == b.slots;
    };
    if (before != nullptr && std::ranges::equal(c.launches, before->launches, same)) continue;
    before = &c;
    ++differing;
    std::set<std::uint32_t> slots;
    for (const CandidateLaunch& launch : c.launches) {
      for (WrittenSlot w : written_slots(launch.kernel)) {
        if (!launch.slots.empty()) w.slot = launch.slots[w.slot];
        if (!slots.insert(w.slot).second) continue;
        if (++writers[w.slot] == 1) out.push_back(w);
      }
    }
  }
  for (WrittenSlot& w : out) w.is_result = writers[w.slot] == differing;
  return out;
}

double TunedKernel::scale_for(const Extent& extent) const {
  return exact_ ? 1 : items_ / std::max(volume(extent), 1.0);
}

Tuning::Tuning(TuningOptions options, std::shared_ptr<Device> device,
               std::shared_ptr<const PlanDevice> plan_device, std::shared_ptr<Queue> queue,
               std::shared_ptr<CodeStore> codes, std::shared_ptr<EvidenceStore> store)
    : options_(std::move(options)),
      device_(std::move(device)),
      costs_(device_->launch_costs()),
      plan_device_(std::move(plan_device)),
      queue_(std::move(queue)),
      codes_(std::move(codes)),
      store_(std::move(store)),
      kernels_({.count = costs_.runs_beside_host ? SharedCacheLimits{}.count : kIdleSearches}),
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

Result<std::shared_ptr<TunedKernel>> Tuning::kernel_for(const LaunchRequest& request,
                                                        const CodeNeeds& needs,
                                                        const WorkLimits& limits) {
  VYRE_TRY(const LaunchKey key,
           launch_key(request, *plan_device_, plan_memory_of(options_, store_.get())));
  const std::string name =
      fmt::format("{}|{}|{}{}", key_id(key.key), needs.wide_offsets, fmt::join(needs.by_value, ","),
                  overrides_of(request.kernels));
  return find_or_tune(name, limits, [&] { return make_kernel_for(request, needs, limits); });
}

Result<std::shared_ptr<TunedKernel>> Tuning::find_or_tune(
    const std::string& name, const WorkLimits& limits,
    const std::function<Result<std::shared_ptr<TunedKernel>>()>& make) {
  decltype(kernels_)::Forgotten forgotten;
  std::unique_lock lock(mutex_, std::defer_lock);
  while (!lock.try_lock()) {
    if (limits.over()) return std::unexpected(over_error(limits, "compiling another kernel"));
    std::this_thread::sleep_for(kLookAtLimits);
  }
  if (auto found = kernels_.find(name)) return found;
  VYRE_TRY(auto made, make());
  return kernels_.put(name, std::move(made), 0, forgotten);
}

Result<void> Tuning::save() {
  {
    const std::scoped_lock lock(mutex_);
    kernels_.for_each([](TunedKernel& kernel) { kernel.tuner.hand_over_now(); });
  }
  return store_->flush();
}

Result<std::shared_ptr<TunedKernel>> Tuning::make_kernel_for(const LaunchRequest& request,
                                                             const CodeNeeds& needs,
                                                             const WorkLimits& limits) {
  VYRE_TRY(const LaunchSpace space,
           plan_space(request, *plan_device_, plan_memory_of(options_, store_.get())));
  std::deque<TunedCandidate> candidates;
  for (const LaunchCandidate& c : space.candidates) {
    TunedCandidate& made = candidates.emplace_back();
    made.choice = c.kernel;
    made.text = c.text;
    CandidateLaunch& launch = made.launches.emplace_back();
    launch.kernel = request.kernels[c.kernel].kernel;
    launch.variant = c.variant;
    launch.options = {
        .wide_offsets = needs.wide_offsets,
        .check_at_start = has_many_groups(c.variant, space.largest, plan_device_->kind),
        .by_value = needs.by_value};
  }
  return tune(space, std::move(candidates), limits);
}

Result<std::shared_ptr<TunedKernel>> Tuning::tune(const LaunchSpace& space,
                                                  std::deque<TunedCandidate> candidates,
                                                  const WorkLimits& limits) {
  auto out = std::make_shared<TunedKernel>(space, std::move(candidates), options_.mode,
                                           online_options(), store_, costs_);
  if (options_.mode == TunerMode::sweep) {
    const bool has_choices =
        std::ranges::any_of(out->candidates, [](const TunedCandidate& c) { return c.choice != 0; });
    // Strategies search among single variants, not among lists of launches.
    const bool has_lists = std::ranges::any_of(
        out->candidates, [](const TunedCandidate& c) { return c.launches.size() > 1; });
    out->strategy = has_lists
                        ? "exhaustive"
                        : strategy_for(options_.strategy, out->candidates.size(), has_choices);
  }
  VYRE_CHECK(make_first(*out, limits));
  return out;
}

OnlineOptions Tuning::online_options() const {
  OnlineOptions online;
  online.share = options_.share;
  online.allowance_ns = options_.allowance_ns;
  online.least_gain = options_.least_gain;
  online.clock_tick_ns = costs_.clock_tick_ns;
  online.timing_ns = costs_.timing_ns;
  online.timing_bias_ns = costs_.timing_bias_ns;
  online.timing_doubt_ns = costs_.timing_doubt_ns;
  online.needs_code = true;
  online.makes_beside = costs_.runs_beside_host;
  if (online.makes_beside) online.most_making = compilers_.count();
  online.making_ns = costs_.load_ns;
  online.least_verification_ns = costs_.compare_ns;
  online.needs_verification = true;
  return online;
}

// The variant that was decided before may not compile any more: the search then names another.
Result<void> Tuning::make_first(TunedKernel& kernel, const WorkLimits& limits) {
  while (true) {
    const std::uint32_t best = kernel.tuner.best();
    const auto made = make_now(kernel, best, limits);
    if (made) return made;
    if (kernel.tuner.best() != best) continue;
    if (made.error().code == Code::out_of_memory || limits.over()) return made;
    // The guess was dropped. The declared variant needs no comparison.
    if (!kernel.declared || *kernel.declared == best) return made;
    if (!make_now(kernel, *kernel.declared, limits)) return made;
    kernel.tuner.verified(*kernel.declared, 0);
    if (kernel.tuner.best() == best) return made;
  }
}

Result<void> Tuning::make_now(TunedKernel& kernel, std::uint32_t index, const WorkLimits& limits) {
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
    const auto found = find_code(launch, limits);
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
  tell(span);
  if (compiled) kernel.compile_ns.store(work_ns() - before);
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

Result<FoundCode> Tuning::find_code(const CandidateLaunch& launch, const WorkLimits& limits) {
  Result<FoundCode> found;
  VYRE_CHECK(attempt_work([&] {
    found = codes_->find_or_make(launch.kernel, launch.variant, launch.options, limits);
  }));
  if (!found) return found;
  const CodeFacts facts = found->code->facts();
  if (facts.max_threads == 0 || volume(launch.variant.workgroup) <= facts.max_threads) return found;
  return fail(
      Code::limit,
      fmt::format("its code takes {} registers a lane, which leaves {} lanes for a workgroup",
                  facts.registers, facts.max_threads));
}

// Refuses code that spills registers if the code that it would replace does not. A candidate that
// was timed before is judged by its time, and a sweep times all of them.
Result<void> Tuning::check_spills(const TunedKernel& kernel, std::uint32_t index,
                                  const WorkLimits& limits) {
  const TunedCandidate& candidate = kernel.candidates[index];
  const auto beside = candidate.fuses ? candidate.fuses : kernel.declared;
  if (!beside || *beside == index) return {};
  const bool is_sweep = kernel.tuner.mode() == TunerMode::sweep;
  if (!candidate.fuses && is_sweep) return {};
  std::uint64_t spilled = 0;
  for (const CandidateLaunch& launch : candidate.launches) {
    spilled = std::max(spilled, launch.code.get()->facts().local_bytes);
  }
  if (spilled == 0) return {};
  if (!candidate.fuses && kernel.tuner.view()[index].time.ns != 0) return {};
  for (const CandidateLaunch& launch : kernel.candidates[*beside].launches) {
    VYRE_TRY(const FoundCode found, find_code(launch, limits));
    if (found.code->facts().local_bytes != 0) return {};
  }
  return fail(Code::limit,
              spill_text(spilled, candidate.fuses ? "its stages" : "the declared variant"));
}

void Tuning::make_later(const std::shared_ptr<TunedKernel>& kernel) {
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
void Tuning::leave_unmade(TunedKernel& kernel) {
  const auto work = kernel.work.lock();
  for (std::deque<std::uint32_t>* list : {&work->to_make, &work->to_load}) {
    for (const std::uint32_t index : std::exchange(*list, {})) kernel.tuner.leave_unmade(index);
  }
  kernel.tuner.set_attention(TunedKernel::kToMake, false);
}

void Tuning::make_shadows_later(const std::shared_ptr<TunedKernel>& kernel,
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

// Compiles one candidate at a time, because the program needs the processors of the host. How much
// that slows the program is measured in the calls meanwhile.
void Tuning::compile_next(const std::shared_ptr<TunedKernel>& kernel) {
  if (compilers_.busy()) return;
  const double usual_ns = kernel->compile_ns > 0 ? kernel->compile_ns.load() : kGuessedCompileNs;
  if (!kernel->tuner.may_lose(usual_ns * kernel->lost_share)) return;
  const auto work = kernel->work.lock();
  if (work->to_make.empty()) return;
  const std::uint32_t index = work->to_make.front();
  work->to_make.pop_front();
  kernel->tuner.set_attention(TunedKernel::kToMake, !work->to_make.empty());
  compilers_.add([this, kernel, index] {
    const double before = work_ns();
    kernel->slowed_ns.store(0);
    const auto ran =
        attempt_work([&] { warn_of_memory(make_now(*kernel, index, compilers_.limits())); });
    if (!ran) kernel->tuner.leave_unmade(index);
    // A launch ends with its slowest thread, so calls lose at most the whole time of the
    // compiler.
    const double spent = std::max(1.0, work_ns() - before);
    const double lost = std::min(kernel->slowed_ns.load(), spent);
    kernel->lost_share.store((kernel->lost_share.load() + lost / spent) / 2);
    kernel->tuner.charge(lost);
  });
}

// The device keeps running while code for it is compiled. Loading code waits for running work, so
// this thread loads while the device is idle. A program that never waits for its work is made to
// wait now and then, unless it has lent its own stream.
void Tuning::compile_all_and_load(const std::shared_ptr<TunedKernel>& kernel) {
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
bool Tuning::load_next(TunedKernel& kernel, bool idle) {
  std::uint32_t index = 0;
  {
    const auto work = kernel.work.lock();
    if (work->to_load.empty() || !kernel.tuner.may_lose(kernel.load_ns.load())) return false;
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
  kernel.tuner.charge(spent.count());
  return true;
}

std::shared_ptr<const CompareTools> Tuning::compare_tools() {
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

void Tuning::tell(const TunedCall& call) const {
  if (options_.observer.call) options_.observer.call(call);
}

void Tuning::tell(const TunerSpan& span) const {
  if (options_.observer.span) options_.observer.span(span);
}

}  // namespace vyre
