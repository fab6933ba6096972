// A graph program made ready for a graph: its buffers, and the rounds of a run.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "vyre/base/process/fork_watch.h"
#include "vyre/frontier/code_internal.h"
#include "vyre/frontier/frontier.h"
#include "vyre/frontier/graph_internal.h"
#include "vyre/frontier/signals.h"
#include "vyre/frontier/tuned_policy.h"
#include "vyre/frontier/workers_internal.h"
#include "vyre/resident/recommendation_cache.h"

namespace vyre {

struct StateBuffer {
  std::string variable;
  Buffer buffer;
};

class FrontierState {
 public:
  static Result<PreparedFrontier> make(const Session& session, const FrontierProgram& program,
                                       const Graph& graph,
                                       std::span<const FrontierBinding> bindings,
                                       const FrontierOptions& options);

  Result<FrontierResult> run(const FrontierRun& run);
  std::optional<std::string> tuning_text();

  std::vector<StateBuffer> variables;
  std::uint64_t bytes = 0;
  bool has_queues = true;

 private:
  FrontierState(const Session& session, std::shared_ptr<FrontierCode> code,
                std::shared_ptr<GraphMemory> graph, FrontierWorkers workers)
      : session_(session),
        code_(std::move(code)),
        graph_(std::move(graph)),
        workers_(std::move(workers)) {}

  // Preparing.
  Result<void> plan_memory(const FrontierOptions& options, std::uint64_t variable_bytes);
  Result<void> allocate(const RunLimits& limits);
  Result<void> bind_variables(std::span<const FrontierBinding> given);
  void bind(EngineBuffer which, const Buffer& buffer);

  // A run. Where the frontier is:
  struct Frontier {
    FrontierCounts counts;
    std::uint32_t bits = 0;      // the half of the bits
    std::uint32_t queue = 0;     // the half of the queue
    std::uint32_t largest = 0;   // of workgroups: the largest degree, if it is that of a hub
    bool queued = false;         // the queue holds it as well
    std::array<bool, 2> zero{};  // which halves of the bits hold zeros
  };
  struct Progress;

  void use_policy(const ResidentPolicy& policy);
  Result<void> run_rounds(const FrontierRun& run, Progress& p);
  Result<void> begin(const FrontierRun& run, Progress& p);
  Result<void> next_round(const FrontierRun& run, Progress& p);
  // Rounds of one launch, by one worker or by a crowd. False: the device runs no crowds, and
  // nothing has run.
  Result<bool> run_solo(Progress& p, const RoundRecord& first, std::uint32_t most,
                        const FrontierCounts& limits, bool crowd);
  struct SoloRounds {
    std::uint32_t done = 0;
    FrontierCounts left;  // the next frontier
    std::uint32_t largest = 0;
    std::vector<std::uint32_t> counts;  // of each round's frontier
  };
  Result<std::optional<SoloRounds>> launch_solo(Progress& p, bool crowd);
  void leave_crowds_out();
  Result<void> run_step(Progress& p, RoundRecord& record);
  Result<void> push(Progress& p, const RoundRecord& record, bool from_queue, bool to_queue);
  Result<void> pull(Progress& p, const RoundRecord& record);
  Result<void> follow(Progress& p, const RoundRecord& record, bool queued);
  Result<void> sum(Progress& p, const RoundRecord& record);
  Result<void> fill_queue(Progress& p, const RoundRecord& record);
  Result<void> clear_bits(Frontier& f, std::uint32_t half);
  Result<void> set_first(const FrontierRun& run, Frontier& f, std::uint32_t half);
  Result<void> queue_first(const std::map<std::uint32_t, std::uint32_t>& words, Frontier& f);
  bool as_decided(const RoundRecord& record) const;
  std::uint32_t edge_workers(const RoundRecord& record) const;
  FrontierWork over_words(const RoundRecord& record) const;
  void set_halves(const Frontier& f);
  void add(Progress& p, const RoundRecord& record) const;

  Session session_;
  std::shared_ptr<FrontierCode> code_;
  std::shared_ptr<GraphMemory> graph_;
  FrontierWorkers workers_;
  ResidentPolicy given_policy_, policy_;  // the caller's policy, and the policy of this run
  std::optional<TunedPolicy> tuned_;
  FrontierFacts facts_;
  FrontierCounts solo_, crowd_;  // the largest frontiers of launches of many rounds
  RecommendationCache answers_;  // to the first questions of runs, many of which begin alike
  bool solo_allowed_ = true;
  std::uint32_t bit_words_ = 0;  // of one half
  Buffer bits_, queue_, records_;
  ForkSafeMutex mutex_{HeldFor::work};  // held by a run
};

}  // namespace vyre
