#include "row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace vyre::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGood = 0.98;          // of the best
constexpr double kMostOfFrozen = 1.02;  // that a window with the tuner is to take
constexpr std::uint64_t kNever = ~std::uint64_t{0};

// From which call on everything served was about as fast as the best.
std::uint64_t good_from(const Row& row, const Online& online) {
  std::uint64_t good = kNever;
  for (const auto& [call, variant] : online.served) {
    if (row.of_best(variant) < kGood) {
      good = kNever;
    } else if (good == kNever) {
      good = call;
    }
  }
  return good;
}

double first_ratio(const Online& o) { return (o.first_ns - o.allowance_ns) / o.frozen_ns; }
double later_ratio(const Online& o) { return o.later_ns / o.later_frozen_ns; }

template <typename Figure>
auto middle_of(const std::vector<Online>& trials, Figure figure) {
  std::vector<decltype(figure(trials.front()))> values;
  values.reserve(trials.size());
  for (const Online& o : trials) values.push_back(figure(o));
  std::ranges::sort(values);
  return values[values.size() / 2];
}

using Windows = std::vector<double> Online::*;  // with the tuner, or with the first guess alone
constexpr Windows kTuned = &Online::windows_ns;
constexpr Windows kAlone = &Online::frozen_windows_ns;

// 0 where it had settled by then.
double window_ratio(const Online& o, Windows windows, std::size_t index) {
  const std::vector<double>& all = o.*windows;
  return index < all.size() ? all[index] / o.frozen_ns : 0;
}

double worst_window(const Online& o, Windows windows) {
  double worst = 0;
  for (std::size_t i = 0; i < (o.*windows).size(); ++i) {
    worst = std::max(worst, window_ratio(o, windows, i));
  }
  return worst;
}

// Each the middle one of all trials: what holds up the machine for some milliseconds, with a tuner
// or without, hits a window of one trial.
double worst_window(const std::vector<Online>& trials, Windows windows) {
  double worst = 0;
  for (std::size_t i = 0; i < kMostWindows; ++i) {
    const auto ratio = [&](const Online& o) { return window_ratio(o, windows, i); };
    worst = std::max(worst, middle_of(trials, ratio));
  }
  return worst;
}

// How many took longer than a tuner may make them.
std::size_t slow_windows(const std::vector<Online>& trials, Windows windows) {
  std::size_t out = 0;
  for (const Online& o : trials) {
    out += static_cast<std::size_t>(std::ranges::count_if(
        o.*windows, [&](double ns) { return ns > kMostOfFrozen * o.frozen_ns; }));
  }
  return out;
}

std::size_t count_windows(const std::vector<Online>& trials) {
  std::size_t out = 0;
  for (const Online& o : trials) out += o.windows_ns.size();
  return out;
}

std::string call_text(std::uint64_t call) { return call == kNever ? "-" : std::to_string(call); }

Json json_of(const Row& row, const Online& o) {
  const std::uint64_t good = good_from(row, o);
  return {{"choice", to_string(o.choice)},
          {"choice_of_best", row.of_best(o.choice)},
          {"good_from", good == kNever ? Json() : Json(good)},
          {"settled", o.settled},
          {"first_1000", first_ratio(o)},
          {"windows_ns", o.windows_ns},
          {"windows_alone_ns", o.frozen_windows_ns},
          {"windows_lost_ns", o.windows_lost_ns},
          {"later_1000", later_ratio(o)},
          {"frozen_ns", o.frozen_ns},
          {"batches_ns", o.batches_ns},
          {"lost_ns", o.lost_ns},
          {"bound_ns", o.bound_ns},
          {"lost_in_all_ns", o.lost_in_all_ns},
          {"bound_in_all_ns", o.bound_in_all_ns},
          {"made", o.made},
          {"verified", o.verified},
          {"measured", o.measured},
          {"load_ns", o.load_ns},
          {"stolen_ms", o.stolen_ms},
          {"untunable", o.untunable}};
}

}  // namespace

void print(const Row& row) {
  const Online& one = row.trials.front();
  const Timed& best = row.again.all[row.again.best];
  std::string each;
  for (const Online& o : row.trials) {
    each += fmt::format(
        " | first {:.3f} window {:.3f} ({:.3f}) later {:.3f} good {} {:.3f} stolen {:.0f} ms",
        first_ratio(o), worst_window(o, kTuned), worst_window(o, kAlone), later_ratio(o),
        call_text(good_from(row, o)), row.of_best(o.choice), o.stolen_ms);
  }
  fmt::print(
      "{:14} {:9} {:3} {:9.1f} us  default {:.3f} guess {:.3f} swept {:.3f} online {:.3f}  good "
      "from {:>5} settled {:>6}  first {:.3f} window {:.3f} ({:.3f}) slow {} ({}) of {} later "
      "{:.3f}  lost {:.2f} of "
      "{:.2f} ms  made {} verified {} measured {} load {:.0f} us  {} | best {}{}{}\n",
      row.kernel, row.size, row.measured.all.size(), best.ns / 1e3,
      row.of_best(row.measured.all[0].variant), row.of_best(one.start),
      row.of_best(row.swept.choice),
      middle_of(row.trials, [&](const Online& o) { return row.of_best(o.choice); }),
      call_text(middle_of(row.trials, [&](const Online& o) { return good_from(row, o); })),
      one.settled == 0 ? "-" : std::to_string(one.settled), middle_of(row.trials, first_ratio),
      worst_window(row.trials, kTuned), worst_window(row.trials, kAlone),
      slow_windows(row.trials, kTuned), slow_windows(row.trials, kAlone), count_windows(row.trials),
      middle_of(row.trials, later_ratio), one.lost_ns / 1e6, one.bound_ns / 1e6, one.made,
      one.verified, one.measured, one.load_ns / 1e3, to_string(one.choice), to_string(best.variant),
      one.untunable.empty() ? "" : " | not tuned: " + one.untunable, each);
  std::fflush(stdout);
}

nlohmann::ordered_json json_of(const Row& row) {
  const Variant& guess = row.trials.front().start;
  Json out{{"kernel", row.kernel},
           {"size", row.size},
           {"best_ns", row.again.all[row.again.best].ns},
           {"declared_of_best", row.of_best(row.measured.all[0].variant)},
           {"guess", to_string(guess)},
           {"guess_of_best", row.of_best(guess)},
           {"swept", to_string(row.swept.choice)},
           {"swept_of_best", row.of_best(row.swept.choice)},
           {"sweep_seconds", row.swept.seconds},
           {"worst_window", worst_window(row.trials, kTuned)},
           {"worst_window_alone", worst_window(row.trials, kAlone)},
           {"windows", count_windows(row.trials)},
           {"slow_windows", slow_windows(row.trials, kTuned)},
           {"slow_windows_alone", slow_windows(row.trials, kAlone)},
           {"online", Json::array()},
           {"variants", Json::array()}};
  for (const Online& o : row.trials) out["online"].push_back(json_of(row, o));
  for (const Timed& t : row.measured.all) {
    out["variants"].push_back({{"variant", to_string(t.variant)},
                               {"ns", t.ns},
                               {"spread_ns", t.spread_ns},
                               {"problem", t.problem}});
  }
  return out;
}

}  // namespace vyre::bench
