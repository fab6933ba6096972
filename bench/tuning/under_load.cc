#include "under_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "online.h"

namespace vyre::bench {
namespace {

using Clock = std::chrono::steady_clock;

// So few that all three take their turns within a time slice of the system.
constexpr unsigned kCallsOfTurn = 20;
static_assert(kCalls % kCallsOfTurn == 0);
constexpr double kMostNs = 120e9;  // of one kernel at one load

// Threads that compute, allocate and read memory until the object goes.
class Load {
 public:
  explicit Load(unsigned threads) {
    for (unsigned i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { work(); });
    }
  }
  ~Load() { over_.store(true); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  void work() {
    constexpr std::size_t kWords = std::size_t{4} << 20;
    const std::vector<std::uint64_t> shared(kWords, 1);
    std::uint64_t sum = 0;
    for (double x = 1; !over_.load(std::memory_order_relaxed);) {
      for (int i = 0; i < 200'000; ++i) x = x * 1.0000001 + 1e-9;
      const std::vector<std::uint64_t> own(std::size_t{1} << 18, static_cast<std::uint64_t>(x));
      sum += std::accumulate(own.begin(), own.end(), std::uint64_t{0});
      sum += std::accumulate(shared.begin(), shared.end(), std::uint64_t{0});
    }
    used_.fetch_add(sum);
  }

  std::atomic<bool> over_{false};
  std::atomic<std::uint64_t> used_{0};
  std::vector<std::jthread> threads_;
};

Result<double> run_calls(const Session& session, const Dispatch& dispatch) {
  const auto begin = Clock::now();
  for (unsigned i = 0; i < kCallsOfTurn; ++i) VYRE_CHECK(session.submit(dispatch));
  VYRE_CHECK(session.wait());
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

}  // namespace

Result<UnderLoad> run_under_load(const Setup& setup, const std::string& device, unsigned threads,
                                 unsigned windows) {
  SessionOptions options;
  options.tuning = TuningOptions{};
  VYRE_TRY(const Session session, Session::open(device, std::move(options)));
  VYRE_TRY(const Setup own, Setup::make(session, setup.problem()));
  VYRE_TRY(const Dispatch tuned, session.prepare(own.kernel(), own.bindings(), own.size()));
  const Variant declared = session.variants(own.kernel(), own.size()).front();
  VYRE_TRY(const Dispatch alone,
           session.prepare(own.kernel(), own.bindings(), own.size(), declared));
  VYRE_TRY(const Dispatch control,
           session.prepare(own.kernel(), own.bindings(), own.size(), declared));
  UnderLoad out;
  out.threads = threads;
  const Load load(threads);
  VYRE_CHECK(run_calls(session, alone));
  VYRE_CHECK(run_calls(session, control));
  const auto begin = Clock::now();
  const std::array<const Dispatch*, 3> all{&tuned, &alone, &control};
  unsigned turn = 0;
  while (out.windows.size() < windows &&
         std::chrono::duration<double, std::nano>(Clock::now() - begin).count() < kMostNs) {
    std::array<double, 3> spent{};
    for (unsigned i = 0; i < kCalls / kCallsOfTurn; ++i, ++turn) {
      for (unsigned k = 0; k < 3; ++k) {
        const unsigned which = (turn + (turn / 3 % 2 == 0 ? k : 2 - k)) % 3;
        VYRE_TRY(const double ns, run_calls(session, *all[which]));
        spent[which] += ns;
      }
    }
    out.windows.push_back({spent[0], spent[1], spent[2]});
  }
  const TuningView last = *tuned.tuning();
  out.allowance_ns = std::min(20e6, 50 * out.windows.front().alone_ns / kCalls);
  out.lost_ns = last.ledger.lost_ns;
  out.bound_ns = last.ledger.bound_ns;
  out.doubted_ns = last.ledger.doubted_ns;
  out.disturbed_ns = last.ledger.disturbed_ns;
  out.settled = last.settled;
  out.choice = last.variants[last.incumbent];
  out.reason = last.reason;
  VYRE_TRY(const std::string wrong, own.wrong_result(tuned));
  if (!wrong.empty()) return fail(Code::internal, "the tuned call: " + wrong);
  return out;
}

LoadFigures figures_of(const UnderLoad& result) {
  std::vector<double> tuned, control, inverse;
  double allowance_ns = result.allowance_ns;
  for (const LoadWindow& w : result.windows) {
    // The allowance may be lost in any of the first calls.
    const double above_ns = std::clamp(w.tuned_ns - w.alone_ns, 0.0, allowance_ns);
    allowance_ns -= above_ns;
    tuned.push_back((w.tuned_ns - above_ns) / w.alone_ns);
    control.push_back(w.control_ns / w.alone_ns);
    inverse.push_back(w.alone_ns / w.control_ns);
  }
  return {.tuned_median = quantile(tuned, 0.5),
          .tuned_tail = quantile(tuned, 0.95),
          .control_median = quantile(control, 0.5),
          .control_tail = quantile(control, 0.95),
          .inverse_tail = quantile(inverse, 0.95)};
}

namespace {

std::string verdict(const LoadFigures& figures) {
  if (!figures.tells()) {
    return fmt::format("CANNOT TELL: two runs without the tuner differ by {:+.3f} {:+.3f}",
                       figures.control_median - 1, figures.control_tail - figures.inverse_tail);
  }
  if (figures.holds()) return "holds";
  return fmt::format("DOES NOT HOLD: at most {:+.3f} {:+.3f}", kMostAboveMedian, kMostAboveTail);
}

}  // namespace

std::string to_text(const UnderLoad& result) {
  const LoadFigures figures = figures_of(result);
  return fmt::format(
      "load {:3}  {:3} windows of {:8.1f} us a call  tuner {:.3f} {:.3f}  control {:.3f} {:.3f}  "
      "above {:+.3f} {:+.3f}  lost {:.2f} of {:.2f} ms, in doubt {:.2f}, paused {:.2f}  {}{}  {}",
      result.threads, result.windows.size(), result.windows.front().alone_ns / kCalls / 1e3,
      figures.tuned_median, figures.tuned_tail, figures.control_median, figures.control_tail,
      figures.above_median(), figures.above_tail(), result.lost_ns / 1e6, result.bound_ns / 1e6,
      result.doubted_ns / 1e6, result.disturbed_ns / 1e6, to_string(result.choice),
      result.settled ? "" : " (not settled)", verdict(figures));
}

}  // namespace vyre::bench
