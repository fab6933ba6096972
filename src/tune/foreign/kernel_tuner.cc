#include "vyre/tune/foreign/kernel_tuner.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "vyre/base/files/paths.h"
#include "vyre/base/files/private_folder.h"
#include "vyre/base/process/abandonable.h"
#include "vyre/base/process/fork_watch.h"
#include "vyre/tune/foreign/kernel_tuner_internal.h"

namespace vyre {
namespace {

// Tuners of one process share the store of a file.
Result<std::shared_ptr<EvidenceStore>> store_at(const std::filesystem::path& path) {
  static auto& mutex = *new ForkSafeMutex(HeldFor::work);  // a disk
  static auto& stores = *new std::map<std::filesystem::path, std::weak_ptr<EvidenceStore>>;
  const std::scoped_lock lock(mutex);
  if (std::shared_ptr<EvidenceStore> known = stores[path].lock()) {
    VYRE_CHECK(EvidenceStore::refresh_within_time(known));
    return known;
  }
  VYRE_TRY(std::shared_ptr<EvidenceStore> store, EvidenceStore::open(path));
  stores[path] = store;
  return store;
}

Result<void> check_key(const KernelKey& key) {
  if (key.name.empty()) return fail(Code::invalid_input, "the kernel's name is empty");
  for (const std::string* text :
       {&key.name, &key.version, &key.size, &key.device, &key.driver, &key.settings}) {
    constexpr std::size_t kMost = 4096;
    if (text->size() > kMost) {
      return fail(Code::limit,
                  fmt::format("a text of the kernel's key has {} bytes; the most is {}",
                              text->size(), kMost),
                  "give a digest of it");
    }
  }
  return {};
}

Result<void> check_options(const KernelTunerOptions& options, std::size_t candidates) {
  const auto wrong = [](std::string_view name, double value, std::string_view wanted) {
    return fail(Code::invalid_input, fmt::format("{} is {}; it must be {}", name, value, wanted));
  };
  if (options.start >= candidates) {
    return fail(Code::invalid_input,
                fmt::format("the start candidate is {}; there are {}", options.start, candidates));
  }
  if (!(options.share >= 0 && options.share <= 1)) {
    return wrong("share", options.share, "between 0 and 1");
  }
  if (!(options.allowance_ns >= 0 && std::isfinite(options.allowance_ns))) {
    return wrong("allowance_ns", options.allowance_ns, "a time");
  }
  if (!(options.least_gain >= 0 && options.least_gain < 1)) {
    return wrong("least_gain", options.least_gain, "at least 0 and below 1");
  }
  if (!(options.clock_tick_ns > 0 && options.clock_tick_ns <= 1e9)) {
    return wrong("clock_tick_ns", options.clock_tick_ns, "above 0, and at most a second");
  }
  return {};
}

Result<std::vector<double>> expectations(const KernelTunerOptions& options,
                                         const std::vector<Configuration>& candidates) {
  std::vector<double> out;
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    const double ns = options.expected_ns ? options.expected_ns(Choice(i, candidates[i])) : 1;
    if (!(ns > 0 && std::isfinite(ns))) {
      return fail(Code::invalid_input,
                  fmt::format("the expected time of '{}' is {}", to_string(candidates[i]), ns),
                  "give a finite number above 0");
    }
    out.push_back(ns);
  }
  return out;
}

std::unexpected<Error> waits_for_no_time(std::uint64_t id) {
  return fail(Code::invalid_input,
              fmt::format("call {} waits for no time: it was reported, abandoned, given up after "
                          "many others, or is of another tuner",
                          id));
}

}  // namespace

Result<KernelTuner> KernelTuner::open(const KernelKey& key, std::vector<Configuration> candidates,
                                      KernelTunerOptions options) {
  VYRE_CHECK(check_key(key));
  VYRE_CHECK(check_candidates(candidates));
  VYRE_CHECK(check_options(options, candidates.size()));
  auto state = std::make_unique<State>();
  VYRE_TRY(state->expected_ns, expectations(options, candidates));
  state->key = tuning_key(key);
  state->candidates = std::move(candidates);
  state->start = options.start;
  state->mode = options.mode.value_or(mode_from_environment());
  state->online_options.share = options.share;
  state->online_options.allowance_ns = options.allowance_ns;
  state->online_options.least_gain = options.least_gain;
  state->online_options.clock_tick_ns = options.clock_tick_ns;
  if (options.store) {
    state->store = std::move(options.store);
  } else if (!options.path.empty()) {
    VYRE_TRY(state->store, store_at(named_path(options.path)));
  } else if (auto store = store_at(evidence_path()); store) {
    state->store = *std::move(store);
  } else {
    state->not_remembered = store.error();
    warn_once("what is learned is not remembered", store.error());
  }
  return KernelTuner(std::move(state));
}

KernelTuner::KernelTuner(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelTuner::KernelTuner(KernelTuner&&) noexcept = default;
KernelTuner& KernelTuner::operator=(KernelTuner&& other) noexcept {
  std::swap(state_, other.state_);  // the other object closes the previous tuner
  return *this;
}
KernelTuner::~KernelTuner() {
  if (!state_ || state_->closed.load(std::memory_order_acquire)) return;
  (void)attempt_work([&] {
    if (const auto closed = close(); !closed) {
      warn_once("what is learned is not remembered", closed.error());
    }
  });
}

Result<void> KernelTuner::verify(Verifier verifier) {
  const std::scoped_lock lock(state_->start_mutex);
  if (state_->started.load(std::memory_order_relaxed)) {
    return fail(Code::invalid_input, "the tuner has been asked already",
                "say how to verify before the first question");
  }
  state_->verifier = std::move(verifier);
  return {};
}

KernelCall KernelTuner::next() { return state_->next(); }

Result<void> KernelTuner::report(const KernelCall& call, double ns) {
  if (!is_time(ns)) {
    return fail(Code::invalid_input, fmt::format("the time of a call cannot be {} ns", ns));
  }
  if (call.id == 0) return {};
  const std::optional<PendingCalls::Entry> entry = state_->pending.take(call.id);
  if (!entry) return waits_for_no_time(call.id);
  const double at_least = std::max(ns, state_->online_options.clock_tick_ns);
  if (!entry->of_sweep) {
    state_->tuner().report(entry->step, at_least);
    return {};
  }
  const std::scoped_lock lock(state_->sweep_mutex);
  if (state_->sweep) state_->sweep->report(entry->step.candidate, at_least);
  return {};
}

Result<void> KernelTuner::abandon(const KernelCall& call) {
  if (call.id == 0) return {};
  const std::optional<PendingCalls::Entry> entry = state_->pending.take(call.id);
  if (!entry) return waits_for_no_time(call.id);
  state_->give_up(*entry);
  return {};
}

Result<void> KernelTuner::failed(const KernelCall& call, std::string why) {
  std::uint32_t candidate = call.choice.index();
  if (call.id != 0) {
    const std::optional<PendingCalls::Entry> entry = state_->pending.take(call.id);
    if (!entry) return waits_for_no_time(call.id);
    state_->give_up(*entry);
    candidate = entry->step.candidate;
  }
  if (candidate >= state_->candidates.size()) {
    return fail(Code::invalid_input, fmt::format("there is no candidate {}", candidate));
  }
  state_->drop(candidate, why.empty() ? "it failed" : std::move(why), 0);
  return {};
}

Choice KernelTuner::best() const { return state_->choice(state_->tuner().best()); }
bool KernelTuner::settled() const { return state_->tuner().settled(); }
Ledger KernelTuner::ledger() const { return state_->tuner().ledger(); }
std::vector<CandidateView> KernelTuner::view() const { return state_->tuner().view(); }
const TuningKey& KernelTuner::key() const { return state_->key; }
const std::vector<Configuration>& KernelTuner::candidates() const { return state_->candidates; }

std::string KernelTuner::why() const {
  const OnlineTuner& tuner = state_->tuner();
  std::string text = fmt::format("{}: {}", best().text(), tuner.reason());
  if (state_->not_remembered) {
    text += fmt::format("; not remembered: {}", describe(*state_->not_remembered));
  }
  return text;
}

std::string KernelTuner::explain() const {
  const OnlineTuner& tuner = state_->tuner();
  std::string text = explain_kernel(state_->key, tuner.view(), tuner.best(), tuner.ledger(), why());
  if (!tuner.origin().text.empty()) text += fmt::format("began with  {}\n", tuner.origin().text);
  if (state_->store) text += fmt::format("kept in     {}\n", state_->store->path().string());
  return text;
}

Result<void> KernelTuner::save() { return state_->save(false); }

Result<void> KernelTuner::close() {
  state_->closed.store(true, std::memory_order_release);
  return state_->save(true);
}

HostCall::~HostCall() {
  if (tuner_ == nullptr || !call_.timed) return;
  const auto elapsed = std::chrono::steady_clock::now() - began_;
  const bool failed = std::uncaught_exceptions() > exceptions_;
  // It does not matter here if the tuner has given up the call meanwhile, or has no memory left.
  (void)attempt_work([&] {
    if (failed) {
      (void)tuner_->abandon(call_);
    } else {
      (void)tuner_->report(call_, std::chrono::duration<double, std::nano>(elapsed).count());
    }
  });
}

void HostCall::failed(std::string why) {
  if (tuner_ == nullptr) return;
  static_cast<void>(tuner_->failed(call_, std::move(why)));
  tuner_ = nullptr;
}

void HostCall::drop() {
  if (tuner_ == nullptr) return;
  static_cast<void>(tuner_->abandon(call_));
  tuner_ = nullptr;
}

}  // namespace vyre
