// What the tuner chooses, beside the best of everything it could have chosen, in one run.
//
//   tuning_bench [--device NAME] [--only NAME[,NAME...]] [--sizes small,standard,large,huge]
//                [--rounds N] [--trials N] [--json FILE] [--online-only 1]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "arguments.h"
#include "checks.h"
#include "online.h"
#include "setup.h"

namespace vyre::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGood = 0.98;  // of the best
constexpr double kMostOfFrozen = 1.02;
constexpr double kAgainNs = 3e9;  // about, for those that matter
// Shorter calls are the host's, which differs more from itself than a tuner may lose.
constexpr double kShortCallNs = 10'000;
constexpr unsigned kTrialsOfShort = 3;  // for each of others
constexpr std::uint64_t kNever = ~std::uint64_t{0};

constexpr const char* kUsage =
    "tuning_bench [--device NAME] [--only NAME[,NAME...]] [--sizes small,standard,large,huge] "
    "[--rounds N] [--trials N] [--json FILE] [--online-only 1]";

struct Options {
  std::string device = "auto";
  std::vector<std::string> names = problem_names();
  std::vector<std::string> sizes = {"small", "standard", "large"};
  unsigned rounds = 7;
  unsigned trials = 3;  // of the search beside calls, or more; figures are of the middle one
  double round_ns = 1e6;
  std::string json;
  bool online_only = false;  // of the search beside calls, without every variant's time
};

// For GPUs: as much as their memory is for.
Problem make_huge(const std::string& name) {
  if (name == "saxpy") return saxpy_problem_of(1U << 26);
  if (name == "stencil") return stencil_problem_of(8192);
  return {};
}

Size size_named(std::string_view name) {
  return name == "small" ? Size::small : name == "large" ? Size::large : Size::standard;
}

std::vector<std::size_t> fastest(const Exhaustive& measured, std::size_t count) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < measured.all.size(); ++i) {
    if (measured.all[i].ns > 0) out.push_back(i);
  }
  std::ranges::sort(out, {}, [&](std::size_t i) { return measured.all[i].ns; });
  out.resize(std::min(out.size(), count));
  return out;
}

// All that was measured of one kernel at one size.
struct Row {
  std::string kernel, size;
  Exhaustive measured, again;  // every variant; and those that matter, once more
  Swept swept;
  std::vector<Online> trials;  // of the search beside calls, each from nothing

  double of_best(const Variant& variant) const {
    for (const Timed& t : again.all) {
      if (t.variant == variant && t.ns > 0) return again.all[again.best].ns / t.ns;
    }
    return 0;
  }
};

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

Result<Row> measure(const Session& session, const Options& options, const Problem& problem) {
  Row row;
  VYRE_TRY(const Setup setup, Setup::make(session, problem));
  std::vector<Variant> variants = session.variants(setup.kernel(), setup.size());
  if (options.online_only) variants.resize(1);
  VYRE_TRY(row.measured, measure_all(setup, variants, options.online_only ? 1 : options.rounds,
                                     options.round_ns));
  for (unsigned i = 0, trials = options.trials; i < trials; ++i) {
    VYRE_TRY(Online online, run_online(setup, options.device));
    if (i == 0 && online.frozen_ns < kShortCallNs * kCalls) trials *= kTrialsOfShort;
    row.trials.push_back(std::move(online));
  }
  row.swept.choice = row.trials.front().choice;
  if (!options.online_only) {
    VYRE_TRY(row.swept, run_sweep(setup, options.device));
  }
  // Those that matter, again and in turns: the least of many noisy times is too small.
  std::vector<Variant> few = {row.measured.all[0].variant, row.swept.choice};
  for (const std::size_t i : fastest(row.measured, 8)) few.push_back(row.measured.all[i].variant);
  for (const Online& online : row.trials) {
    few.push_back(online.start);
    few.push_back(online.choice);
    for (const auto& [call, variant] : online.served) few.push_back(variant);
  }
  const double each_ns = std::max(options.round_ns, row.measured.all[row.measured.best].ns);
  const double wanted = kAgainNs / (static_cast<double>(few.size()) * each_ns);
  const auto rounds =
      static_cast<unsigned>(std::clamp(wanted, 6.0 * options.rounds, 60.0 * options.rounds));
  VYRE_TRY(row.again, measure_all(setup, few, rounds, options.round_ns));
  return row;
}

std::string call_text(std::uint64_t call) { return call == kNever ? "-" : std::to_string(call); }

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

Json json_of(const Row& row) {
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

Options parse(Arguments arguments) {
  const std::vector<std::string> sizes = {"small", "standard", "large", "huge"};
  const std::vector<std::string> huge = {"saxpy", "stencil"};
  Options out;
  while (arguments.next()) {
    const std::string_view option = arguments.option();
    if (option == "--device") {
      out.device = arguments.value();
    } else if (option == "--only") {
      out.names = arguments.names(problem_names());
    } else if (option == "--sizes") {
      out.sizes = arguments.names(sizes);
    } else if (option == "--rounds") {
      out.rounds = arguments.number(1U, 10'000U);
    } else if (option == "--trials") {
      out.trials = arguments.number(1U, 1'000U);
    } else if (option == "--online-only") {
      out.online_only = arguments.number(0U, 1U) != 0;
    } else if (option == "--json") {
      out.json = arguments.value();
    } else {
      arguments.refuse_option();
    }
  }
  const bool any_huge = std::ranges::find(out.sizes, "huge") != out.sizes.end();
  for (const std::string& name : out.names) {
    if (any_huge && std::ranges::find(huge, name) == huge.end()) {
      arguments.refuse(fmt::format("there is no huge {}; give --only saxpy,stencil", name));
    }
  }
  return out;
}

int run(int argc, char** argv) {
  const Options options = parse({"tuning_bench", kUsage, argc, argv});
  auto session = Session::open(options.device, {});
  if (!session) {
    fmt::print(stderr, "{}\n", describe(session.error()));
    return 1;
  }
  Json all = Json::array();
  for (const std::string& name : options.names) {
    for (const std::string& size : options.sizes) {
      const Problem problem =
          size == "huge" ? make_huge(name) : make_problem(name, size_named(size));
      auto row = measure(*session, options, problem);
      if (!row) {
        fmt::print(stderr, "{}: {}\n", name, describe(row.error()));
        return 1;
      }
      row->kernel = name;
      row->size = size;
      print(*row);
      all.push_back(json_of(*row));
      if (options.json.empty()) continue;
      std::ofstream file(options.json);
      file << all.dump(1) << '\n';
      if (!file) {
        fmt::print(stderr, "tuning_bench: cannot write {}\n", options.json);
        return 1;
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  try {
    return vyre::bench::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tuning_bench: %s\n", e.what());
    return 1;
  }
}
