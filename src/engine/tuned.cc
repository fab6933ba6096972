#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "vyre/base/arithmetic.h"
#include "vyre/base/log.h"
#include "vyre/base/private_folder.h"
#include "vyre/engine/launch_decisions.h"
#include "vyre/engine/measure_order_internal.h"
#include "vyre/engine/tuned_internal.h"
#include "vyre/engine/work_internal.h"
#include "vyre/ir/slots.h"
#include "vyre/lower/gpu_compile.h"
#include "vyre/lower/host_compile.h"
#include "vyre/tune/space.h"

namespace vyre {
namespace {

// While a program runs: so many candidates at most, and beyond so many choices of overrides only
// their usual variants.
constexpr std::size_t kMostCandidates = 4096;
constexpr std::size_t kFewChoices = 32;
// Of code that is put onto a device: so many at once, and so many looks for an idle one.
constexpr std::size_t kMostLoads = 4;
constexpr double kGuessedCheckNs = 60'000;
constexpr double kGuessedCompileNs = 15e6;
constexpr std::uint32_t kMostLooks = 16;
// A launch on the host ends when its last thread does, so that what compiling takes from one is
// lost by all: one part in seventy. Beside a GPU a tenth of a busy processor does no harm.
constexpr int kNiceOnHost = 19, kNiceBesideGpu = 10;
constexpr std::uint64_t kManyGroups = std::uint64_t{1} << 24;

// On the host compiling takes processors from what is timed; a GPU runs on.
unsigned compilers_for(const TuningOptions& options, TargetKind kind, unsigned processors) {
  if (options.compilers != 0) return options.compilers;
  return kind == TargetKind::host ? 1 : std::clamp(processors / 2, 1U, 8U);
}

double thread_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) * 1e9 + double(now.tv_nsec);
}

std::string overrides_text(const std::vector<OverrideSetting>& overrides) {
  std::string out;
  for (const OverrideSetting& o : overrides) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", o.name, o.value);
  }
  return out;
}

// All but the workgroup.
std::string kind_of(Variant variant) {
  variant.workgroup = {1, 1, 1};
  return to_string(variant);
}

Extent rounded_up(const Extent& extent) {
  Extent out{};
  for (unsigned i = 0; i < 3; ++i) {
    std::uint32_t most = 1;
    while (most < extent[i] && most < 0x80000000U) most *= 2;
    out[i] = std::max(most, extent[i]);
  }
  return out;
}

double volume(const Extent& e) { return double(e[0]) * e[1] * e[2]; }

std::shared_ptr<EvidenceStore> open_store(const std::optional<std::filesystem::path>& path) {
  if (!path) return EvidenceStore::in_memory();
  auto opened = EvidenceStore::open(*path);
  if (opened) return *std::move(opened);
  warn_once("what was learned before is not used, and nothing is added to it", opened.error());
  return EvidenceStore::in_memory();
}

}  // namespace

TuningOptions TuningOptions::from_environment() {
  TuningOptions out;
  out.mode = mode_from_environment();
  out.evidence = evidence_path();
  return out;
}

TunedKernel::TunedKernel(TuningKey key, std::deque<TunedCandidate> made, std::vector<double> costs,
                         std::uint32_t first, TunerMode mode, OnlineOptions options,
                         std::shared_ptr<EvidenceStore> store)
    : candidates(std::move(made)),
      prior(std::move(costs)),
      start(first),
      tuner(
          std::move(key),
          [&] {
            std::vector<OnlineCandidate> out;
            std::map<std::string, std::uint32_t> kinds;
            for (std::size_t i = 0; i < candidates.size(); ++i) {
              const auto next = static_cast<std::uint32_t>(kinds.size());
              const auto kind = kinds.try_emplace(kind_of(candidates[i].variant), next).first;
              out.push_back({candidates[i].text, prior[i], kind->second});
            }
            return out;
          }(),
          first, mode, options, std::move(store)) {
  tuner.set_attention(kToSweep, mode == TunerMode::sweep);
}

Tuning::Tuning(TuningOptions options, std::shared_ptr<Device> device, std::shared_ptr<Queue> queue,
               std::shared_ptr<CodeStore> codes)
    : options_(std::move(options)),
      device_(std::move(device)),
      queue_(std::move(queue)),
      codes_(std::move(codes)),
      store_(open_store(options_.evidence)),
      compilers_(compilers_for(options_, device_->target().kind, processors_here()),
                 device_->target().kind == TargetKind::host ? kNiceOnHost : kNiceBesideGpu) {
  if (auto profile = device_->told_profile()) profile_ = *std::move(profile);
  if (options_.mode == TunerMode::natural_gradient && device_->target().kind != TargetKind::host) {
    // Where one fails, what needs it meets the same failure and tells.
    if (auto aside = make_side_queue(*device_)) aside_ = *std::move(aside);
    (void)device_->prepare_deadlines();
    if (is_comparing_ready(*device_, *codes_)) {
      tools_asked_ = tools_ready_ = true;
      (void)compare_tools();
    }
  }
}

TuningKey Tuning::key_of(const TunedRequest& r) const {
  TuningKey key = tuning_key_of(*device_, profile_, r.identity,
                                r.choices.front().kernel.program->name, r.extent);
  if (r.in_workgroups) key.overrides = "counted in workgroups";
  return key;
}

// What plans decided, as long as the tuner knows nothing better.
std::optional<std::uint32_t> Tuning::planned_start(
    const TunedRequest& r, const std::deque<TunedCandidate>& candidates) const {
  if (!options_.evidence || r.choices.size() != 1 || r.in_workgroups) return std::nullopt;
  const auto workgroup =
      planned_workgroup(adapter_of(*device_, profile_), r.choices.front().kernel, r.extent);
  if (!workgroup) return std::nullopt;
  Variant wanted = candidates.front().variant;  // the usual one
  wanted.workgroup = *workgroup;
  const auto found = std::ranges::find(candidates, wanted, &TunedCandidate::variant);
  if (found == candidates.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - candidates.begin());
}

Result<std::shared_ptr<TunedKernel>> Tuning::kernel_for(
    const TunedRequest& r, const std::function<Variant(const Kernel&)>& usual,
    const std::function<std::string(const Kernel&, const Variant&)>& why_not) {
  const TargetKind kind = device_->target().kind;
  TuningKey key = key_of(r);
  // A choice that was made for exactly this size comes first; else all sizes of a bucket share one.
  const auto known = store_->find(key);
  const bool exact =
      options_.exact_size || (known && !(known->decision().empty() && known->untunable.empty()));
  if (!exact) key = bucket_key(std::move(key));
  std::string name =
      fmt::format("{}|{}|{}", key_id(key), r.wide_offsets, fmt::join(r.by_value, ","));
  for (const KernelChoice& c : r.choices) name += "|" + overrides_text(c.overrides);
  const std::scoped_lock lock(mutex_);
  if (const auto found = kernels_.find(name); found != kernels_.end()) return found->second;

  const Extent largest = exact ? r.extent : rounded_up(r.extent);
  // A sweep of more than it can measure is a search, and needs all of them.
  const bool sweeps = options_.mode == TunerMode::sweep;
  const std::size_t most = sweeps ? kMostSearched : kMostCandidates;
  bool usual_alone = !sweeps && r.choices.size() > kFewChoices;
  const auto match = store_->lookup(key);
  const std::string decided(match ? match->state.decision() : "");
  std::size_t left_out = 0;
  std::deque<TunedCandidate> candidates;
  std::vector<double> prior;
  std::optional<std::uint32_t> declared;
  const std::vector<GlobalId> slots = slots_of(*r.choices.front().kernel.program);
  for (const KernelChoice& choice : r.choices) {
    SpaceRequest request;
    request.kind = kind;
    request.usual = usual(choice.kernel);
    request.usual.overrides = choice.overrides;
    request.declared = choice.kernel.program->workgroup;
    request.extent = largest;
    request.shape_is_fixed = r.in_workgroups;
    request.limits = device_->limits();
    request.why_not = [&](const Variant& v) { return why_not(choice.kernel, v); };
    if (const std::string why = why_not(choice.kernel, request.usual); !why.empty()) {
      if (r.choices.size() == 1) {
        return fail(Code::invalid_input,
                    fmt::format("kernel '{}' cannot run as {}: {}", choice.kernel.program->name,
                                to_string(request.usual), why));
      }
      continue;  // its overrides make it too large for the device
    }
    if (slots_of(*choice.kernel.program).size() != slots.size()) continue;
    std::vector<Variant> variants = variant_space(request);
    if (r.choices.size() > 1 && variants.size() * r.choices.size() > most) usual_alone = true;
    if (usual_alone) {
      const auto is_left_out = [&](const Variant& v) {
        return v != request.usual && to_string(configuration_of(v, kind)) != decided;
      };
      left_out += std::erase_if(variants, is_left_out);
    }
    PriorFacts facts = prior_facts_of(choice.kernel, kind, r.extent, r.bound_bytes);
    facts.usual = kind == TargetKind::host ? host_default_variant(choice.kernel) : request.usual;
    const std::vector<double> costs = prior_ns(facts, profile_, variants);
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const bool is_decided = to_string(configuration_of(variants[i], kind)) == decided;
      if (candidates.size() >= most && !is_decided) {
        ++left_out;
        continue;
      }
      TunedCandidate& c = candidates.emplace_back();
      c.kernel = choice.kernel;
      c.variant = std::move(variants[i]);
      c.text = to_string(configuration_of(c.variant, kind));
      const Extent covers = covered_by(c.variant, kind);
      double groups = 1;
      for (unsigned a = 0; a < 3; ++a) groups *= std::ceil(double(largest[a]) / covers[a]);
      c.options = {.wide_offsets = r.wide_offsets,
                   .check_at_start = groups > double(kManyGroups),
                   .by_value = r.by_value};
      prior.push_back(costs[i]);
      const bool as_written =
          c.variant.workgroup == request.declared && c.variant.items_per_lane == 1 &&
          c.variant.gang_width == request.usual.gang_width && c.variant.groups_per_task == 1;
      if (as_written && !declared) declared = static_cast<std::uint32_t>(candidates.size() - 1);
    }
  }
  if (candidates.empty()) {
    return fail(Code::invalid_input,
                fmt::format("no choice of the overrides gives a kernel '{}' that {} can run",
                            r.choices.front().kernel.program->name, device_->name()));
  }
  // Off means: as the program says, unless something was decided.
  std::uint32_t start = 0;
  if (options_.mode != TunerMode::cached_or_default) {
    // The model compares variants of one program; of what overrides change it sees too little.
    for (std::uint32_t i = 1; i < candidates.size(); ++i) {
      const bool same = candidates[i].variant.overrides == candidates[0].variant.overrides;
      if (same && prior[i] < prior[start]) start = i;
    }
  }
  const std::optional<std::uint32_t> planned = match ? std::nullopt : planned_start(r, candidates);
  if (planned) start = *planned;
  OnlineOptions online;
  online.share = options_.share;
  online.allowance_ns = options_.allowance_ns;
  online.clock_tick_ns = kind == TargetKind::host ? 50 : 500;
  online.timing_ns = kind == TargetKind::host ? 100 : 12'000;
  online.timing_bias_ns = kind == TargetKind::host ? 0 : TunedKernel::kEventsBiasNs;
  online.timing_doubt_ns = kind == TargetKind::host ? 0 : TunedKernel::kEventsDoubtNs;
  online.needs_code = true;
  online.makes_beside = kind != TargetKind::host;
  if (online.makes_beside) {
    online.most_making = compilers_.count();
    online.making_ns = TunedKernel::kGuessedLoadNs;
    online.least_verification_ns = kGuessedCheckNs;
  }
  online.needs_verification = true;
  auto out = std::make_shared<TunedKernel>(std::move(key), std::move(candidates), std::move(prior),
                                           start, options_.mode, online, store_);
  if (planned) out->tuner.began_with("the workgroup that was decided for plans of this launch");
  out->declared = declared;
  if (sweeps) {
    out->strategy = strategy_for(options_.strategy, out->candidates.size(), r.choices.size() > 1);
  }
  if (left_out != 0) {
    out->left_out = fmt::format(
        "{} of {} candidates: of so many choices of overrides only the usual variants, and at most "
        "{}, are tried{}",
        left_out, left_out + out->candidates.size(), most, sweeps ? "" : " while a program runs");
  }
  out->exact = exact;
  out->items = std::max(1.0, volume(largest));
  out->written = written_slots(r.choices.front().kernel);
  while (true) {
    const std::uint32_t best = out->tuner.best();
    const auto made = make_now(*out, best);
    if (made) break;
    // What was decided before cannot be made here any more, or the first guess cannot.
    if (out->tuner.best() == best) return std::unexpected(made.error());
  }
  kernels_.emplace(std::move(name), out);
  return out;
}

Result<void> Tuning::make_now(TunedKernel& kernel, std::uint32_t index) {
  TunedCandidate& c = kernel.candidates[index];
  if (c.code.load(std::memory_order_acquire) != nullptr) return {};
  TunerSpan span{.kind = TunerSpan::Kind::compile,
                 .candidate = index,
                 .begin = std::chrono::steady_clock::now(),
                 .end = {},
                 .outcome = {}};
  const double before = thread_ns();
  auto found = codes_->find_or_make(c.kernel, c.variant, c.options);
  std::string why;
  if (!found) {
    why = describe(found.error());
  } else if (const CodeFacts facts = found->code->facts();
             facts.max_threads != 0 && volume(c.variant.workgroup) > facts.max_threads) {
    why = fmt::format("its code takes {} registers a lane, which leaves {} lanes for a workgroup",
                      facts.registers, facts.max_threads);
  }
  span.end = std::chrono::steady_clock::now();
  span.outcome = why;
  tell(span);
  const double spent = thread_ns() - before;
  {
    const std::scoped_lock lock(kernel.making);
    if (found && found->source == CodeSource::compiled) kernel.compile_ns.store(spent);
    if (why.empty()) {
      if (c.code.load() == nullptr) {
        c.owner = found->code;
        c.source.store(found->source);
        c.code.store(c.owner.get(), std::memory_order_release);
      }
    }
  }
  if (!why.empty()) {
    kernel.tuner.drop(index, why);
    return found ? fail(Code::limit, why) : std::unexpected(found.error());
  }
  kernel.tuner.made(index);
  return {};
}

void Tuning::make_later(const std::shared_ptr<TunedKernel>& kernel) {
  const bool host = device_->target().kind == TargetKind::host;
  if (!tools_asked_.exchange(true)) {
    compilers_.add([this] {
      // Where it fails, making the tools meets the same failure and tells.
      (void)make_comparing_ready(*device_, *codes_);
      tools_ready_.store(true, std::memory_order_release);
    });
  }
  if (!kernel->tuner.has_attention(TunedKernel::kToMake)) return;
  if (kernel->tuner.settled()) {
    leave_unmade(*kernel);
  } else if (host) {
    make_on_host(kernel);
  } else {
    make_for_gpu(kernel);
  }
}

// Nobody waits for it any more.
void Tuning::leave_unmade(TunedKernel& kernel) {
  const std::scoped_lock lock(kernel.mutex);
  for (std::deque<std::uint32_t>* list : {&kernel.to_make, &kernel.to_load}) {
    for (const std::uint32_t index : std::exchange(*list, {})) kernel.tuner.leave_unmade(index);
  }
  kernel.tuner.set_attention(TunedKernel::kToMake, false);
}

void Tuning::make_shadows_later(const std::shared_ptr<TunedKernel>& kernel,
                                std::vector<std::uint64_t> bytes) {
  compilers_.add([this, kernel, bytes = std::move(bytes)] {
    auto made = allocate_shadows(*device_, bytes);
    const std::scoped_lock lock(kernel->mutex);
    kernel->shadows_asked = false;
    if (!made) {
      kernel->no_shadows = made.error().what;
    } else if (!kernel->tuner.settled()) {
      kernel->shadows = *std::move(made);
    }
  });
}

// Of the host's processors the program needs all it can get. What compiling takes from it shows in
// the calls beside it.
void Tuning::make_on_host(const std::shared_ptr<TunedKernel>& kernel) {
  if (compilers_.busy()) return;
  const double usual_ns = kernel->compile_ns > 0 ? kernel->compile_ns.load() : kGuessedCompileNs;
  if (!kernel->tuner.may_lose(usual_ns * kernel->lost_share)) return;
  const std::scoped_lock lock(kernel->mutex);
  if (kernel->to_make.empty()) return;
  const std::uint32_t index = kernel->to_make.front();
  kernel->to_make.pop_front();
  kernel->tuner.set_attention(TunedKernel::kToMake, !kernel->to_make.empty());
  compilers_.add([this, kernel, index] {
    const double before = thread_ns();
    kernel->slowed_ns.store(0);
    (void)make_now(*kernel, index);
    // Calls wait for their last thread, so that all of it may be lost, and no more.
    const double spent = std::max(1.0, thread_ns() - before);
    const double lost = std::min(kernel->slowed_ns.load(), spent);
    kernel->lost_share.store((kernel->lost_share.load() + lost / spent) / 2);
    kernel->tuner.charge(lost);
  });
}

// A GPU runs on while code for it is compiled. Putting it onto the device waits for what runs: this
// thread does it when nothing does. A program that never waits for its work is made to, at times;
// in a stream that it has lent it is not.
void Tuning::make_for_gpu(const std::shared_ptr<TunedKernel>& kernel) {
  const bool idle = queue_->known_idle();
  bool load = idle;
  {
    const std::scoped_lock lock(kernel->mutex);
    while (!kernel->to_make.empty()) {
      const std::uint32_t index = kernel->to_make.front();
      kernel->to_make.pop_front();
      compilers_.add([this, kernel, index] {
        const TunedCandidate& c = kernel->candidates[index];
        // Where it fails, loading meets the same failure and tells.
        (void)codes_->make_ready(c.kernel, c.variant, c.options);
        const std::scoped_lock done(kernel->mutex);
        kernel->to_load.push_back(index);
        kernel->tuner.set_attention(TunedKernel::kToMake, true);
      });
    }
    if (!kernel->to_load.empty() && ++kernel->load_looks >= kMostLooks) {
      load = load || !queue_->is_lent();
    }
    kernel->tuner.set_attention(TunedKernel::kToMake, !kernel->to_load.empty());
  }
  if (!load) return;
  for (std::size_t i = 0; i < (idle ? kMostLoads : 1) && load_next(*kernel, idle); ++i) {
  }
}

// Whether there was something to load, and the time to do it.
bool Tuning::load_next(TunedKernel& kernel, bool idle) {
  std::uint32_t index = 0;
  {
    const std::scoped_lock lock(kernel.mutex);
    if (kernel.to_load.empty() || !kernel.tuner.may_lose(kernel.load_ns.load())) return false;
    index = kernel.to_load.front();
    kernel.to_load.pop_front();
    kernel.load_looks = 0;
    kernel.tuner.set_attention(TunedKernel::kToMake, !kernel.to_load.empty());
  }
  // The driver would wait for what runs: that time is the program's own. A failure of it is for the
  // program to hear.
  if (!idle) {
    if (const auto now = queue_->record()) (void)(*now)->wait();
  }
  const auto begin = std::chrono::steady_clock::now();
  (void)make_now(kernel, index);
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;
  kernel.load_ns.store((3 * kernel.load_ns.load() + spent.count()) / 4);  // some follow others
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
