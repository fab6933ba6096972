#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "vyre/base/log.h"
#include "vyre/tune/foreign/kernel_tuner_internal.h"

namespace vyre {
namespace {

// The largest number of pairs that a finalist of a sweep runs with the first choice, because the
// program makes all of these calls.
constexpr std::size_t kMostPairs = 64;

}  // namespace

std::pair<std::uint64_t, std::optional<PendingCalls::Entry>> PendingCalls::add(
    const OnlineStep& step, bool of_sweep) {
  static std::atomic<std::uint64_t> last_id = 0;
  const std::uint64_t id = last_id.fetch_add(1, std::memory_order_relaxed) + 1;
  const std::scoped_lock lock(mutex_);
  if (places_.empty()) places_.resize(kPlaces);
  Entry& place = places_[id % kPlaces];
  std::optional<Entry> given_up;
  if (place.id != 0) given_up = place;
  place = {id, step, of_sweep};
  return {id, given_up};
}

std::optional<PendingCalls::Entry> PendingCalls::take(std::uint64_t id) {
  const std::scoped_lock lock(mutex_);
  if (id == 0 || places_.empty()) return std::nullopt;
  Entry& place = places_[id % kPlaces];
  if (place.id != id) return std::nullopt;
  const Entry entry = place;
  place.id = 0;
  return entry;
}

OnlineTuner& KernelTuner::State::tuner() {
  if (started.load(std::memory_order_acquire)) return *online;
  const std::scoped_lock lock(start_mutex);
  if (started.load(std::memory_order_relaxed)) return *online;
  std::vector<OnlineCandidate> list;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    list.push_back({to_string(candidates[i]), expected_ns[i]});
  }
  online_options.needs_verification = static_cast<bool>(verifier);
  online = std::make_unique<OnlineTuner>(key, std::move(list), start, mode, online_options, store);
  take_standing();
  if (mode == TunerMode::sweep) {
    std::vector<bool> is_out(candidates.size());
    for (std::size_t i = 0; i < is_out.size(); ++i) is_out[i] = standing[i] == Standing::out;
    std::vector<std::string> texts;
    for (const Configuration& candidate : candidates) texts.push_back(to_string(candidate));
    sweep.emplace(is_out, start,
                  FinalsOptions{.least_gain = online_options.least_gain, .most_pairs = kMostPairs},
                  earlier_finals(online->kept(), texts, start));
    sweeping.store(true, std::memory_order_relaxed);
  }
  started.store(true, std::memory_order_release);
  return *online;
}

void KernelTuner::State::take_standing() {
  standing = std::make_unique<std::atomic<Standing>[]>(candidates.size());
  const std::vector<CandidateView> view = online->view();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool is_out = view[i].stage == CandidateStage::dropped;
    standing[i] = is_out ? Standing::out : i == start ? Standing::right : Standing::unknown;
  }
  if (!store || !verifier) return;
  // Only a verifier makes a candidate verified: a tuner without one may have promoted any.
  const auto take = [&](const KeyState& known) {
    for (const CandidateState& state : known.candidates) {
      if (!state.verified) continue;
      for (std::size_t i = 0; i < view.size(); ++i) {
        if (view[i].text == state.candidate && standing[i] != Standing::out) {
          standing[i] = Standing::right;
        }
      }
    }
  };
  if (const std::optional<Match> match = store->lookup(key); match && match->is_answer()) {
    take(match->state);
  }
  if (const std::optional<KeyState> known = store->find(key)) take(*known);
}

KernelCall KernelTuner::State::call_of(const OnlineStep& step, bool of_sweep) {
  KernelCall call = untimed(step.candidate);
  call.probe = step.probe;
  if (!step.timed) return call;
  const auto [id, given_up] = pending.add(step, of_sweep);
  if (given_up) give_up(*given_up);
  call.timed = true;
  call.id = id;
  return call;
}

std::optional<bool> KernelTuner::State::verify_now(std::uint32_t candidate) {
  const Standing before = standing[candidate].load(std::memory_order_acquire);
  if (before == Standing::out) return false;
  if (before == Standing::right || !verifier) {
    online->verified(candidate, 0);
    return true;
  }
  if (verifying.exchange(true, std::memory_order_acquire)) return std::nullopt;
  const auto began = std::chrono::steady_clock::now();
  std::string wrong;
  std::optional<double> its_cost_ns;
  try {
    const Result<Verdict> said = verifier(choice(candidate));
    if (!said) {
      wrong = "could not be verified: " + describe(said.error());
    } else {
      if (!said->is_right) {
        wrong = "gave a wrong result";
        VYRE_LOG(warn, "{}: {} {}, and is not used", key.name, to_string(candidates[candidate]),
                 wrong);
      }
      its_cost_ns = said->cost_ns;
    }
  } catch (const abi::__forced_unwind&) {
    verifying.store(false, std::memory_order_release);
    throw;
  } catch (const std::exception& e) {
    wrong = fmt::format("could not be verified: {}", e.what());
  } catch (...) {
    wrong = "could not be verified: an unknown exception";
  }
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - began;
  const double cost_ns = is_time(its_cost_ns.value_or(-1)) ? *its_cost_ns : elapsed.count();
  const bool is_right = wrong.empty();
  if (is_right) {
    standing[candidate].store(Standing::right, std::memory_order_release);
    online->verified(candidate, cost_ns);
  } else {
    drop(candidate, std::move(wrong), cost_ns);
  }
  verifying.store(false, std::memory_order_release);
  return is_right;
}

KernelCall KernelTuner::State::next() {
  OnlineTuner& its = tuner();
  if (closed.load(std::memory_order_acquire)) {
    const std::uint32_t best = its.best();
    return untimed(may_run(best) ? best : start);
  }
  if (sweeping.load(std::memory_order_acquire)) {
    if (const std::optional<KernelCall> call = next_of_sweep()) return *call;
  }
  const OnlineStep step = its.next();
  if (step.verify && !verify_now(*step.verify)) {
    its.abandon({.candidate = step.candidate, .verify = step.verify});
  }
  if (may_run(step.candidate)) [[likely]] {
    return call_of(step, false);
  }
  if (step.timed) its.abandon({.candidate = step.candidate, .timed = true, .ticket = step.ticket});
  return instead_of(step.candidate);
}

// The tuner's choice was made without a verifier, or it failed when no other candidate was known to
// be right.
KernelCall KernelTuner::State::instead_of(std::uint32_t candidate) {
  if (verify_now(candidate).value_or(false)) {
    // The search already treats it as right, so it is recorded here.
    if (store && mode == TunerMode::natural_gradient) {
      const EvidenceEvent event{.kind = EventKind::verified,
                                .candidate = to_string(candidates[candidate])};
      store->hand_over(key, {event});
    }
    return untimed(candidate);
  }
  if (may_run(start)) return untimed(start);
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    if (verify_now(i).value_or(false)) return untimed(i);
  }
  return untimed(start);
}

std::optional<KernelCall> KernelTuner::State::next_of_sweep() {
  while (true) {
    std::optional<std::uint32_t> candidate;
    {
      const std::scoped_lock lock(sweep_mutex);
      if (!sweep) return std::nullopt;
      candidate = sweep->next();
      if (sweep->finished()) finish_sweep();
    }
    if (!candidate) return std::nullopt;
    const std::optional<bool> is_right = may_run(*candidate) ? true : verify_now(*candidate);
    if (is_right.value_or(false)) {
      const OnlineStep step{.candidate = *candidate, .timed = true, .probe = *candidate != start};
      return call_of(step, true);
    }
    if (!is_right) {
      const std::scoped_lock lock(sweep_mutex);
      if (sweep) sweep->take_back(*candidate);
      return untimed(start);
    }
  }
}

void KernelTuner::State::finish_sweep() {
  sweeping.store(false, std::memory_order_release);
  if (const std::optional<FinalsResult> result = sweep->result()) {
    std::vector<std::string> texts;
    std::size_t others = 0;
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
      texts.push_back(to_string(candidates[i]));
      others += i != start && !sweep->times_ns(i).empty() ? 1 : 0;
    }
    std::vector<EvidenceEvent> events = take_times(false);
    std::ranges::move(sweep->compared(texts), std::back_inserter(events));
    online->finish(*result, std::move(events), finals_words(*result, texts, others));
  }
  sweep.reset();
}

std::vector<EvidenceEvent> KernelTuner::State::take_times(bool all) {
  std::vector<EvidenceEvent> events;
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    std::vector<double> times_ns = sweep->take_times(i, all);
    if (times_ns.empty()) continue;
    events.push_back({.kind = EventKind::measured,
                      .candidate = to_string(candidates[i]),
                      .times_ns = std::move(times_ns)});
  }
  return events;
}

Result<void> KernelTuner::State::save(bool closing) {
  const bool learns = mode == TunerMode::natural_gradient || mode == TunerMode::sweep;
  if (learns && not_remembered) return std::unexpected(*not_remembered);
  if (!started.load(std::memory_order_acquire)) return {};
  OnlineTuner& its = tuner();
  {
    const std::scoped_lock lock(sweep_mutex);
    if (sweep) its.note(take_times(closing));
  }
  return its.flush();
}

void KernelTuner::State::give_up(const PendingCalls::Entry& entry) {
  if (!entry.of_sweep) {
    online->abandon(entry.step);
    return;
  }
  const std::scoped_lock lock(sweep_mutex);
  if (sweep) sweep->abandon(entry.step.candidate);
}

void KernelTuner::State::drop(std::uint32_t candidate, std::string why, double cost_ns) {
  OnlineTuner& its = tuner();
  standing[candidate].store(Standing::out, std::memory_order_release);
  VYRE_LOG(info, "{}: {} is out: {}", key.name, to_string(candidates[candidate]), why);
  its.drop(candidate, std::move(why), cost_ns);
  const std::scoped_lock lock(sweep_mutex);
  if (sweep) sweep->drop(candidate);
}

}  // namespace vyre
