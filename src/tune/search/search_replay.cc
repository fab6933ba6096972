#include "vyre/tune/search/search_replay.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "vyre/tune/search/search_random.h"
#include "vyre/tune/search/search_strategy.h"

namespace vyre {
namespace {

struct Seen {
  double sum = 0;
  std::uint32_t samples = 0;
};

// Stands in for the device: returns the recorded samples of a configuration in order.
class RecordedDevice {
 public:
  explicit RecordedDevice(const RecordedSpace& space) : space_(space) {}

  double charged_s() const { return charged_ns_ * 1e-9; }

  std::optional<double> measure(const Trial& trial) {
    const Recording& recording = space_.recordings[trial.configuration];
    const auto [place, first] = seen_.try_emplace(trial.configuration);
    if (first) charged_ns_ += recording.compile_ns;
    if (!recording.cost_ns) {
      charged_ns_ += first ? recording.benchmark_ns : 0;
      return {};
    }
    const std::size_t all = recording.samples_ns.size();
    if (trial.samples == 0 || trial.samples >= all) {
      charged_ns_ += recording.benchmark_ns;
      return recording.cost_ns;
    }
    charged_ns_ += recording.benchmark_ns * trial.samples / static_cast<double>(all);
    Seen& seen = place->second;
    for (std::uint32_t i = 0; i < trial.samples; ++i) {
      seen.sum += recording.samples_ns[seen.samples % all];
      ++seen.samples;
    }
    return seen.sum / seen.samples;
  }

 private:
  const RecordedSpace& space_;
  std::unordered_map<std::uint32_t, Seen> seen_;
  double charged_ns_ = 0;
};

}  // namespace

std::uint64_t replay_seed(std::uint64_t seed, std::uint32_t run) {
  return SearchRandom(seed ^ (std::uint64_t{run} << 32)).bits();
}

Result<ReplayRun> replay_run(const RecordedSpace& space, std::string_view strategy,
                             std::uint64_t seed, ReplayBudget budget,
                             const std::function<bool()>& stop) {
  VYRE_TRY(const auto search, make_strategy(strategy, space.space, {.seed = seed}));
  RecordedDevice device(space);
  ReplayRun run;
  // The strategy would choose the configuration with the lowest cost it has seen.
  std::unordered_map<std::uint32_t, double> costs;
  std::optional<std::uint32_t> chosen;
  const auto is_over = [&] {
    if (run.steps.size() < budget.evaluations) return false;
    return device.charged_s() >= budget.charged_s || run.steps.size() >= ReplayBudget::kMostCharged;
  };
  while (!is_over()) {
    if (stop && stop()) break;
    const auto trial = search->next();
    if (!trial) break;
    const auto cost = device.measure(*trial);
    search->report(*trial, cost);
    if (cost) {
      costs[trial->configuration] = *cost;
      if (chosen == trial->configuration) {
        // Further samples may show that it is slower.
        for (const auto& [configuration, seen] : costs) {
          const double least = costs.at(*chosen);
          if (seen < least || (seen == least && configuration < *chosen)) chosen = configuration;
        }
      } else if (!chosen || *cost < costs.at(*chosen)) {
        chosen = trial->configuration;
      }
    }
    const double found = chosen ? *space.recordings[*chosen].cost_ns : 0;
    run.steps.push_back(
        {.fraction = chosen ? space.best_ns() / found : 0.0, .charged_s = device.charged_s()});
  }
  return run;
}

}  // namespace vyre
