#include "online.h"

#include <algorithm>
#include <chrono>

namespace vyre::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kInFlight = 16;
constexpr std::uint64_t kMostCalls = 20'000;

Result<double> run_calls(const Session& session, const Dispatch& dispatch, unsigned calls,
                         const std::function<void(unsigned)>& after = {}) {
  const auto begin = Clock::now();
  for (unsigned i = 0; i < calls; ++i) {
    VYRE_CHECK(session.submit(dispatch));
    if (i % kInFlight == kInFlight - 1) VYRE_CHECK(session.wait());
    if (after) after(i);
  }
  VYRE_CHECK(session.wait());
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

}  // namespace

Result<Online> run_online(const Setup& setup, const std::string& device) {
  SessionOptions options;
  options.tuning = TuningOptions{};
  VYRE_TRY(const Session session, Session::open(device, std::move(options)));
  VYRE_TRY(const Setup own, Setup::make(session, setup.problem()));
  VYRE_TRY(const Dispatch tuned, session.prepare(own.kernel(), own.bindings(), own.size()));
  Online out;
  const TuningView first = *tuned.tuning();
  out.start = first.variants[first.start];
  VYRE_TRY(const Dispatch frozen,
           session.prepare(own.kernel(), own.bindings(), own.size(), out.start));
  VYRE_CHECK(run_calls(session, frozen, 20));
  VYRE_TRY(out.frozen_ns, run_calls(session, frozen, kCalls));
  out.allowance_ns = std::min(20e6, 50 * out.frozen_ns / kCalls);

  std::uint64_t calls = 0;
  Variant served = tuned.variant();
  const auto look = [&](unsigned) {
    ++calls;
    if (const Variant& now = tuned.variant(); now != served) {
      served = now;
      out.reached = calls;
    }
  };
  VYRE_TRY(out.first_ns, run_calls(session, tuned, kCalls, look));
  const TuningView middle = *tuned.tuning();
  out.lost_ns = middle.ledger.lost_ns;
  out.bound_ns = middle.ledger.bound_ns;
  while (calls < kMostCalls && !tuned.tuning()->settled && tuned.tuning()->untunable.empty()) {
    VYRE_CHECK(run_calls(session, tuned, 100, look));
    if (calls * out.frozen_ns / kCalls > 20e9) break;
  }
  const TuningView last = *tuned.tuning();
  if (last.settled) out.settled = calls;
  out.choice = last.variants[last.incumbent];
  out.untunable = last.untunable;
  out.load_ns = last.load_ns;
  for (const CandidateView& c : last.candidates) {
    out.made += c.stage == CandidateStage::made || c.stage == CandidateStage::verified ? 1 : 0;
    out.verified += c.stage == CandidateStage::verified ? 1 : 0;
    out.measured += c.samples > 0 ? 1 : 0;
  }
  VYRE_TRY(const Dispatch chosen,
           session.prepare(own.kernel(), own.bindings(), own.size(), out.choice));
  VYRE_CHECK(run_calls(session, chosen, 20));
  VYRE_TRY(out.later_frozen_ns, run_calls(session, chosen, kCalls));
  VYRE_TRY(out.later_ns, run_calls(session, tuned, kCalls));
  return out;
}

Result<Swept> run_sweep(const Setup& setup, const std::string& device) {
  SessionOptions options;
  options.tuning = TuningOptions{};
  options.tuning->mode = TunerMode::sweep;
  VYRE_TRY(const Session session, Session::open(device, std::move(options)));
  VYRE_TRY(const Setup own, Setup::make(session, setup.problem()));
  VYRE_TRY(const Dispatch tuned, session.prepare(own.kernel(), own.bindings(), own.size()));
  const auto begin = Clock::now();
  VYRE_CHECK(session.run(tuned));
  return Swept{tuned.variant(), std::chrono::duration<double>(Clock::now() - begin).count()};
}

}  // namespace vyre::bench
