#include "vyre/cli/replay/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "vyre/base/files/files.h"
#include "vyre/base/text/nearest.h"
#include "vyre/cli/interrupt.h"
#include "vyre/cli/replay/replay_file.h"
#include "vyre/cli/replay/replay_plot.h"
#include "vyre/cli/replay/replay_report.h"
#include "vyre/cli/values.h"
#include "vyre/tune/search/search_strategy.h"

namespace vyre {
namespace {

constexpr std::uint32_t kMostRuns = 100'000;
constexpr std::uint64_t kMostSteps = 200'000'000;  // of all runs of one strategy, in memory
constexpr std::size_t kMostFiles = 1000;

std::size_t terminal_width() {
  winsize size{};
  constexpr std::size_t kUsual = 80, kLeast = 50, kMost = 120;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::clamp<std::size_t>(size.ws_col, kLeast, kMost);
}

Result<std::vector<std::string>> parse_strategies(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view piece : split(text, ',')) {
    if (std::ranges::find(kStrategyNames, piece) == kStrategyNames.end()) {
      const std::vector<std::string> known(kStrategyNames.begin(), kStrategyNames.end());
      const std::string meant = nearest(piece, known);
      return fail(Code::invalid_input, fmt::format("there is no strategy {}", quote(piece)),
                  meant.empty() ? fmt::format("there are {}", join_words(known))
                                : fmt::format("did you mean {}?", meant));
    }
    names.emplace_back(piece);
  }
  return names;
}

// A line on the terminal that shows the progress.
class Progress {
 public:
  explicit Progress(Output& err) : err_(err), shown_(err.colour && isatty(STDERR_FILENO) == 1) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    if (!dirty_) return;
    err_.overwrite("");
    err_.flush();
  }

  void show(std::string_view what, std::uint32_t done, std::uint32_t all) {
    if (!shown_) return;
    constexpr std::uint32_t kCells = 20;
    const std::uint32_t full = all == 0 ? 0 : done * kCells / all;
    std::string bar;
    for (std::uint32_t i = 0; i < kCells; ++i) bar += i < full ? "█" : "░";
    err_.overwrite(fmt::format("{} {}/{} runs, {}", bar, done, all, what));
    err_.flush();
    dirty_ = true;
  }

 private:
  Output& err_;
  bool shown_, dirty_ = false;
};

// All runs of one strategy, on as many threads as there are processors. Empty when interrupted.
Result<std::vector<ReplayRun>> replay_all(const RecordedSpace& space, const std::string& strategy,
                                          const ReplayOptions& options, double charged_s,
                                          Progress& progress) {
  const ReplayBudget budget{options.budget, charged_s};
  std::vector<Result<ReplayRun>> results(options.runs);
  std::atomic<std::uint32_t> next{0}, done{0};
  const auto stop = [] { return interrupt_flag().load(std::memory_order_relaxed) != 0; };
  const auto work = [&] {
    for (std::uint32_t r = next++; r < options.runs && !stop(); r = next++) {
      results[r] = replay_run(space, strategy, replay_seed(options.seed, r), budget, stop);
      ++done;
    }
  };
  {
    const std::uint32_t processors = std::max(1U, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 0; i < std::min({processors, options.runs, 64U}); ++i) {
      threads.emplace_back(work);
    }
    while (done < options.runs && !stop()) {
      progress.show(strategy, done, options.runs);
      std::this_thread::sleep_for(std::chrono::milliseconds(done == 0 ? 1 : 20));
    }
  }
  if (interrupting_signal() != 0) return fail(Code::device, "interrupted");
  std::vector<ReplayRun> runs;
  for (Result<ReplayRun>& result : results) {
    if (!result) return std::unexpected(std::move(result).error());
    runs.push_back(*std::move(result));
  }
  return runs;
}

std::string varied_text(const SearchSpace& space, std::uint32_t configuration) {
  Configuration all = space.configuration(configuration), varied;
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (space.parameters()[p].values.size() > 1) varied.push_back(std::move(all[p]));
  }
  return to_string(varied);
}

Result<ReplayedSpace> replay_space(const std::string& file, const ReplayOptions& options,
                                   const std::vector<std::string>& strategies, Progress& progress) {
  VYRE_TRY(const RecordedSpace space, read_recorded_space(file));
  ReplayedSpace replayed{.file = file,
                         .kernel = space.kernel,
                         .device = space.device,
                         .configurations = space.space.size(),
                         .failures = space.failures(),
                         .parameters = space.space.parameters().size(),
                         .best_ns = space.best_ns(),
                         .best = space.space.configuration(space.best),
                         .best_text = varied_text(space.space, space.best),
                         .scored = ScoreBudget::of(space),
                         .curves = {}};
  const double charged_s = replayed.scored ? replayed.scored->end_s() : 0;
  for (const std::string& strategy : strategies) {
    VYRE_TRY(const auto runs, replay_all(space, strategy, options, charged_s, progress));
    replayed.curves.push_back(summarise(strategy, runs, options.budget, replayed.scored));
  }
  return replayed;
}

std::vector<ReplayCurve> mean_curves(const std::vector<ReplayedSpace>& spaces) {
  std::vector<ReplayCurve> means;
  if (spaces.size() < 2) return means;
  for (std::size_t s = 0; s < spaces.front().curves.size(); ++s) {
    std::vector<const ReplayCurve*> curves;
    for (const ReplayedSpace& space : spaces) curves.push_back(&space.curves[s]);
    means.push_back(mean_of(curves));
  }
  return means;
}

Result<void> write_svg(const std::string& path, const ReplayReport& report) {
  std::vector<ReplayPanel> panels;
  for (const ReplayedSpace& space : report.spaces) {
    panels.push_back({space_title(space), space_facts(space), space.curves});
  }
  if (!report.mean.empty()) {
    panels.push_back({"mean", fmt::format("over {} spaces", report.spaces.size()), report.mean});
  }
  return replace_file(path, replay_svg(panels), Flush::later);
}

}  // namespace

CommandHelp declare(OptionSet& set, ReplayOptions& options) {
  const auto whole = [](std::uint64_t most) {
    return [most](const std::string& text) -> Result<std::uint32_t> {
      VYRE_TRY(const std::uint64_t number, parse_whole(text, most));
      if (number == 0) return fail(Code::invalid_input, "it must be at least 1");
      return static_cast<std::uint32_t>(number);
    };
  };
  set.positional("SPACE...", "recorded spaces: JSON, plain or gzip", options.files, 1, kMostFiles);
  set.repeated("--strategy", "NAME,...",
               "natural, hillclimb, halving, random, exhaustive\n"
               "(all but exhaustive)",
               options.strategies, parse_strategies);
  set.value("--runs", "N", "runs of each strategy, each with its own seed (100)", options.runs,
            whole(kMostRuns));
  set.value("--budget", "N", "evaluations of a run (200)", options.budget,
            whole(SearchSpace::kMaxConfigurations));
  set.value("--seed", "N", "the seed of the first run (1)", options.seed,
            [](const std::string& text) { return parse_whole(text); });
  set.value("--svg", "FILE", "draw the curves to a file", options.svg);
  set.flag("--json", "print JSON", options.json);
  return {
      .usage = "vyre replay SPACE... [options]",
      .summary =
          "Runs search strategies on recorded tuning spaces, and shows how close to the optimum\n"
          "they get after how many evaluations, how long compiling and timing would have taken, "
          "and\n"
          "how they do against random search.",
      .details =
          "A space is a cache file of Kernel Tuner, or results in the T4 format. A fraction of "
          "0.9\n"
          "is a configuration whose time is 1 / 0.9 of the best one's. See docs/replay.md.\n"
          "\n"
          "examples:\n"
          "  vyre replay convolution.json.gz\n"
          "  vyre replay *.json.gz --strategy natural,hillclimb --runs 20 --svg curves.svg\n",
  };
}

Result<void> check(const ReplayOptions& options) {
  std::vector<std::string> seen;
  for (const std::string& name : options.strategies) {
    if (std::ranges::find(seen, name) != seen.end()) {
      return fail(Code::invalid_input, fmt::format("strategy {} was given twice", name));
    }
    seen.push_back(name);
  }
  if (std::uint64_t{options.runs} * std::max(options.budget, ReplayBudget::kMostCharged) >
      kMostSteps) {
    return fail(Code::limit,
                fmt::format("{} runs of {} evaluations are too many: {} evaluations are allowed",
                            with_commas(options.runs), with_commas(options.budget),
                            with_commas(kMostSteps)),
                "give fewer --runs or a smaller --budget");
  }
  return {};
}

Exit run_command(const ReplayOptions& options, Streams& streams) {
  std::vector<std::string> strategies = options.strategies;
  if (strategies.empty()) {
    for (const std::string_view name : kStrategyNames) {
      if (name != "exhaustive") strategies.emplace_back(name);
    }
  }
  const InterruptGuard guard;
  ReplayReport replayed;
  {
    Progress progress(streams.err);
    for (const std::string& file : options.files) {
      auto space = replay_space(file, options, strategies, progress);
      if (!space) {
        const Exit exit = exit_for(space.error());
        return report(streams, space.error(), exit);
      }
      replayed.spaces.push_back(*std::move(space));
    }
  }
  replayed.mean = mean_curves(replayed.spaces);
  if (options.json) {
    write_json(streams.out, replay_json(replayed, options));
  } else {
    print_replay(streams.out, replayed, terminal_width());
  }
  if (!options.svg.empty()) {
    if (const auto written = write_svg(options.svg, replayed); !written) {
      return report(streams, written.error(), Exit::failed);
    }
    if (!options.json) streams.out.print("\ncurves: {}\n", options.svg);
  }
  return Exit::done;
}

}  // namespace vyre
