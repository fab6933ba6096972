#include "choices.h"

#include <algorithm>

#include "setup.h"

namespace vyre::bench {
namespace {

constexpr unsigned kRounds = 5, kRoundsAgain = 25;
constexpr double kRoundNs = 1e6;
constexpr std::size_t kAgain = 5;  // the fastest, which are timed once more

}  // namespace

Result<Choices> measure_choices(const Problem& problem, unsigned threads) {
  SessionOptions plain;
  plain.cpu.threads = threads;
  SessionOptions tuning = plain;
  tuning.tuning = TuningOptions{};
  VYRE_TRY(const Session session, Session::open("cpu", std::move(plain)));
  VYRE_TRY(const Setup setup, Setup::make(session, problem));
  VYRE_TRY(const Session tuned, Session::open("cpu", std::move(tuning)));
  VYRE_TRY(const Setup own, Setup::make(tuned, problem));
  VYRE_TRY(const Dispatch begun, tuned.prepare(own.kernel(), own.bindings(), own.size()));
  const auto view = begun.tuning();
  // What the model expects to be the fastest, whatever serves first.
  Variant guess = begun.variant();
  if (view && !view->prior_ns.empty() && view->prior_ns.size() == view->variants.size()) {
    const auto least = std::ranges::min_element(view->prior_ns) - view->prior_ns.begin();
    guess = view->variants[static_cast<std::size_t>(least)];
  }
  const std::vector<Variant> all = session.variants(setup.kernel(), setup.size());
  VYRE_TRY(const Exhaustive first, measure_all(setup, all, kRounds, kRoundNs));
  // The least of many noisy times is too small: those that matter run again, in turns.
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (first.all[i].ns > 0) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return first.all[i].ns; });
  order.resize(std::min(order.size(), kAgain));
  std::vector<Variant> few = {all.front(), guess};
  for (const std::size_t i : order) few.push_back(all[i]);
  VYRE_TRY(const Exhaustive again, measure_all(setup, few, kRoundsAgain, kRoundNs));
  const double best_ns = again.all[again.best].ns;
  Choices out{to_string(again.all[again.best].variant), to_string(guess), all.size(), 0, 0};
  if (again.all[0].ns > 0) out.declared_of_best = best_ns / again.all[0].ns;
  if (again.all[1].ns > 0) out.guess_of_best = best_ns / again.all[1].ns;
  return out;
}

}  // namespace vyre::bench
