#include "online.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

namespace vyre::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kInFlight = 16;
constexpr unsigned kCallsOfTurn = 100;
constexpr double kTurnsNs = 50e6;  // of each of two, for calls that are short
constexpr std::chrono::milliseconds kCompilersEnd{150};
constexpr std::uint64_t kMostCalls = kMostWindows * kCalls;
constexpr unsigned kBatchesOfWindow = 63;  // about kCalls

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

// Since the machine was started, of all its processors; 0 where nobody tells.
double stolen_ms() {
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  double ticks = 0;  // user, nice, system, idle, waiting, two kinds of interrupts, stolen
  for (int i = 0; i < 8 && file; ++i) file >> ticks;
  return file ? ticks * 10 : 0;
}

// In batches of kInFlight; `after` hears of each how long it took.
Result<double> run_calls(const Session& session, const Dispatch& dispatch, unsigned calls,
                         const std::function<void(double)>& after = {}) {
  const auto begin = Clock::now();
  auto batch = begin;
  for (unsigned i = 0; i < calls; ++i) {
    VYRE_CHECK(session.submit(dispatch));
    if (i % kInFlight != kInFlight - 1) continue;
    VYRE_CHECK(session.wait());
    if (after) after(since(batch));
    batch = Clock::now();
  }
  VYRE_CHECK(session.wait());
  return since(begin);
}

// The same calls with one and with the other, in turns: kCalls of each, or more of short ones.
Result<std::pair<double, double>> run_in_turns(const Session& session, const Dispatch& one,
                                               const Dispatch& other, double call_ns) {
  const double wanted = kTurnsNs / (kCallsOfTurn * call_ns);
  const auto turns = static_cast<unsigned>(std::clamp(wanted, 1.0 * kCalls / kCallsOfTurn, 100.0));
  std::pair<double, double> out{};
  for (unsigned turn = 0; turn < turns; ++turn) {
    VYRE_TRY(const double first, run_calls(session, one, kCallsOfTurn));
    VYRE_TRY(const double second, run_calls(session, other, kCallsOfTurn));
    out.first += first;
    out.second += second;
  }
  return out;
}

// As the time of kCalls calls.
double window_ns(double batches_ns) { return batches_ns * kCalls / (kBatchesOfWindow * kInFlight); }

}  // namespace

Result<Online> run_online(const Setup& setup, const std::string& device) {
  SessionOptions options;
  options.tuning = TuningOptions{};
  VYRE_TRY(const Session session, Session::open(device, std::move(options)));
  VYRE_TRY(const Setup own, Setup::make(session, setup.problem()));
  VYRE_TRY(const Dispatch tuned, session.prepare(own.kernel(), own.bindings(), own.size()));
  Online out;
  const double stolen_before_ms = stolen_ms();
  const TuningView first = *tuned.tuning();
  out.start = first.variants[first.start];
  VYRE_TRY(const Dispatch frozen,
           session.prepare(own.kernel(), own.bindings(), own.size(), out.start));
  VYRE_CHECK(run_calls(session, frozen, 20));
  VYRE_TRY(const double before_ns, run_calls(session, frozen, kCalls));
  out.frozen_ns = before_ns;
  out.allowance_ns = std::min(20e6, 50 * out.frozen_ns / kCalls);

  std::uint64_t calls = 0;
  Variant served = tuned.variant();
  out.served.emplace_back(0, served);
  const auto look = [&](double batch_ns) {
    calls += kInFlight;
    if (calls <= kCalls) out.batches_ns.push_back(batch_ns);
    if (const Variant& now = tuned.variant(); now != served) {
      served = now;
      out.served.emplace_back(calls, served);
    }
  };
  VYRE_TRY(out.first_ns, run_calls(session, tuned, kCalls, look));
  // What is still being compiled would slow the others, too.
  std::this_thread::sleep_for(kCompilersEnd);
  VYRE_TRY(const double after_ns, run_calls(session, frozen, kCalls));
  out.frozen_ns = (before_ns + after_ns) / 2;
  const TuningView middle = *tuned.tuning();
  out.lost_ns = middle.ledger.lost_ns;
  out.bound_ns = middle.ledger.bound_ns;
  double batches_ns = 0;  // of the window that has begun
  unsigned batches = 0;
  const auto look_on = [&](double batch_ns) {
    look(batch_ns);
    batches_ns += batch_ns;
    if (++batches % kBatchesOfWindow != 0) return;
    out.windows_ns.push_back(window_ns(std::exchange(batches_ns, 0)));
    out.windows_lost_ns.push_back(tuned.tuning()->ledger.lost_ns);
  };
  while (calls < kMostCalls && !tuned.tuning()->settled && tuned.tuning()->untunable.empty()) {
    VYRE_CHECK(run_calls(session, tuned, kInFlight * 8, look_on));
    if (static_cast<double>(calls) * out.frozen_ns / kCalls > 20e9) break;
  }
  const TuningView last = *tuned.tuning();
  while (out.frozen_windows_ns.size() < out.windows_ns.size()) {
    VYRE_TRY(const double ns, run_calls(session, frozen, kInFlight * kBatchesOfWindow));
    out.frozen_windows_ns.push_back(window_ns(ns));
  }
  out.lost_in_all_ns = last.ledger.lost_ns;
  out.bound_in_all_ns = last.ledger.bound_ns;
  if (last.settled) out.settled = calls;
  out.choice = last.variants[last.incumbent];
  out.untunable = last.untunable;
  out.load_ns = last.load_ns;
  for (const CandidateView& c : last.candidates) {
    out.made += c.stage == CandidateStage::made || c.stage == CandidateStage::verified ? 1 : 0;
    out.verified += c.stage == CandidateStage::verified ? 1 : 0;
    out.measured += c.samples > 0 ? 1 : 0;
  }
  VYRE_TRY(const std::string wrong, own.wrong_result(tuned));
  if (!wrong.empty()) return fail(Code::internal, "the tuned call: " + wrong);
  VYRE_TRY(const Dispatch chosen,
           session.prepare(own.kernel(), own.bindings(), own.size(), out.choice));
  VYRE_CHECK(run_calls(session, chosen, kInFlight));
  VYRE_TRY(const auto later, run_in_turns(session, chosen, tuned, out.frozen_ns / kCalls));
  std::tie(out.later_frozen_ns, out.later_ns) = later;
  out.stolen_ms = stolen_ms() - stolen_before_ms;
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
