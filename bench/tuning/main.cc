// What the tuner chooses, beside the best of everything it could have chosen, in one run.
//
//   tuning_bench [--device NAME] [--only NAME[,NAME...]] [--sizes small,standard,large,huge]
//                [--rounds N] [--trials N] [--json FILE] [--online-only 1]
//   tuning_bench --load N[,N...] [--windows N] [--device NAME] [--only ...] [--sizes ...]
//
// With --load it ends with status 1 where calls with the tuner take longer than they may.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <ranges>

#include "arguments.h"
#include "checks.h"
#include "row.h"
#include "under_load.h"

namespace vyre::bench {
namespace {

constexpr double kAgainNs = 3e9;  // about the time in which the important variants are timed again
// Calls shorter than this take mostly the host's time, which varies by more than a tuner may lose.
constexpr double kShortCallNs = 10'000;
constexpr unsigned kTrialsOfShort = 3;  // trials of short calls for each trial of longer ones

constexpr const char* kUsage =
    "tuning_bench [--device NAME] [--only NAME[,NAME...]] [--sizes small,standard,large,huge] "
    "[--rounds N] [--trials N] [--json FILE] [--online-only 1] [--load N[,N...] [--windows N]]";

struct Options {
  std::string device = "auto";
  std::vector<std::string> names = problem_names();
  std::vector<std::string> sizes = {"small", "standard", "large"};
  unsigned rounds = 7;
  unsigned trials = 3;  // searches beside calls, at least; the figures are those of the median one
  double round_ns = 1e6;
  std::string json;
  bool online_only = false;     // only searches beside calls; not every variant is timed
  std::vector<unsigned> loads;  // not empty: only searches beside these numbers of other threads
  unsigned windows = 100;
};

// Problems of a size that suits the memory of GPUs.
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
  // The important variants are timed again, in turns, because the least of many noisy times is too
  // small.
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
    } else if (option == "--load") {
      for (const auto part : std::views::split(arguments.value(), ',')) {
        unsigned threads = 0;
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), threads);
        if (error != std::errc() || end != part.data() + part.size() || threads > 1024) {
          arguments.refuse("--load takes numbers of threads up to 1024, such as 0,2,8");
        }
        out.loads.push_back(threads);
      }
    } else if (option == "--windows") {
      out.windows = arguments.number(1U, 1'000U);
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

// Whether everything went well, and every figure holds.
bool run_loads(const Session& session, const Options& options, const Problem& problem,
               const std::string& title) {
  const auto setup = Setup::make(session, problem);
  bool holds = true;
  for (const unsigned threads : options.loads) {
    Result<UnderLoad> result =
        setup ? run_under_load(*setup, options.device, threads, options.windows)
              : std::unexpected(setup.error());
    if (!result) {
      fmt::print(stderr, "{}: {}\n", title, describe(result.error()));
      return false;
    }
    fmt::print("{:24} {}\n", title, to_text(*result));
    std::fflush(stdout);
    const LoadFigures figures = figures_of(*result);
    holds = holds && figures.tells() && figures.holds();
  }
  return holds;
}

int run(int argc, char** argv) {
  const Arguments arguments("tuning_bench", kUsage, argc, argv);
  const Options options = parse(arguments);
  auto session = Session::open(options.device, {});
  if (!session) {
    fmt::print(stderr, "{}\n", describe(session.error()));
    return 1;
  }
  auto all = nlohmann::ordered_json::array();
  bool holds = true;
  for (const std::string& name : options.names) {
    for (const std::string& size : options.sizes) {
      const Problem problem =
          size == "huge" ? make_huge(name) : make_problem(name, size_named(size));
      if (!options.loads.empty()) {
        holds = run_loads(*session, options, problem, name + " " + size) && holds;
        continue;
      }
      auto row = measure(*session, options, problem);
      if (!row) {
        fmt::print(stderr, "{}: {}\n", name, describe(row.error()));
        return 1;
      }
      row->kernel = name;
      row->size = size;
      print(*row);
      all.push_back(json_of(*row));
      arguments.write_json(options.json, all.dump(1));
    }
  }
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace vyre::bench

int main(int argc, char** argv) {
  return vyre::bench::run_benchmark("tuning_bench", vyre::bench::run, argc, argv);
}
