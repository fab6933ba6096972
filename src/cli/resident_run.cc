#include "vyre/cli/resident_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "vyre/base/text/json_limits.h"
#include "vyre/cli/graph/graph_rounds.h"
#include "vyre/cli/table.h"
#include "vyre/cli/values.h"

namespace vyre {
namespace {

constexpr std::size_t kMostRows = 40;

// Reads one object of the file; `place` says which, for errors.
class Reader {
 public:
  Reader(const Json& json, const std::string& file, std::string place)
      : json_(json), file_(file), place_(std::move(place)) {}

  std::unexpected<Error> wrong(std::string_view key, std::string_view what) const {
    const std::string_view dot = place_.empty() || key.empty() ? "" : ".";
    const std::string at = fmt::format("{}{}{}", place_, dot, key);
    return fail(Code::invalid_input,
                fmt::format("{}: {} {}", file_, at.empty() ? std::string("it") : at, what),
                "give what vyre graph writes with --explain --json");
  }

  Result<const Json*> member(const char* key) const {
    if (!json_.is_object()) return wrong("", "is not an object");
    const auto at = json_.find(key);
    if (at == json_.end()) return wrong(key, "is missing");
    return &*at;
  }

  template <class T>
  Result<void> number(const char* key, T& out) const {
    VYRE_TRY(const Json* value, member(key));
    if (!value->is_number_unsigned() ||
        value->template get<std::uint64_t>() > std::numeric_limits<T>::max()) {
      return wrong(key,
                   fmt::format("is not a whole number up to {}", std::numeric_limits<T>::max()));
    }
    out = value->template get<T>();
    return {};
  }

  Result<void> truth(const char* key, bool& out) const {
    VYRE_TRY(const Json* value, member(key));
    if (!value->is_boolean()) return wrong(key, "is neither true nor false");
    out = value->get<bool>();
    return {};
  }

  Result<Topology> topology(const char* key) const {
    VYRE_TRY(const Json* value, member(key));
    const auto found =
        value->is_string() ? topology_from(value->get_ref<const std::string&>()) : std::nullopt;
    if (!found) return wrong(key, "is not a topology");
    return *found;
  }

 private:
  const Json& json_;
  const std::string& file_;
  std::string place_;
};

Result<void> read_policy(const Reader& r, ResidentPolicy& policy) {
  VYRE_CHECK(r.number("sparse_frontier_threshold_bps", policy.sparse_frontier_threshold_bps));
  VYRE_CHECK(r.number("dense_frontier_threshold_bps", policy.dense_frontier_threshold_bps));
  VYRE_CHECK(r.number("memory_pressure_threshold_bps", policy.memory_pressure_threshold_bps));
  VYRE_CHECK(r.number("hot_window_threshold", policy.hot_window_threshold));
  return r.number("fusion_edge_threshold", policy.fusion_edge_threshold);
}

Result<void> read_request(const Reader& r, ResidentRequest& q) {
  VYRE_CHECK(r.number("queue_len", q.queue_len));
  VYRE_CHECK(r.number("requested_worker_groups", q.requested_worker_groups));
  VYRE_CHECK(r.number("max_workgroup_size_x", q.max_workgroup_size_x));
  VYRE_CHECK(
      r.number("max_compute_workgroups_per_dimension", q.max_compute_workgroups_per_dimension));
  VYRE_CHECK(
      r.number("max_compute_invocations_per_workgroup", q.max_compute_invocations_per_workgroup));
  VYRE_CHECK(r.number("requested_hit_capacity", q.requested_hit_capacity));
  VYRE_CHECK(r.number("expected_hits_per_item", q.expected_hits_per_item));
  VYRE_CHECK(r.number("hot_opcode_count", q.hot_opcode_count));
  VYRE_CHECK(r.number("hot_window_count", q.hot_window_count));
  VYRE_CHECK(r.number("max_priority_age", q.max_priority_age));
  VYRE_CHECK(r.number("graph_node_count", q.graph_node_count));
  VYRE_CHECK(r.number("graph_edge_count", q.graph_edge_count));
  VYRE_CHECK(r.number("frontier_density_bps", q.frontier_density_bps));
  VYRE_CHECK(r.number("memory_pressure_bps", q.memory_pressure_bps));
  VYRE_CHECK(r.number("requeue_count", q.requeue_count));
  VYRE_CHECK(r.number("resident_device_bytes", q.resident_device_bytes));
  return r.number("device_memory_budget_bytes", q.device_memory_budget_bytes);
}

Result<RoundRecord> read_round(const Json& json, const std::string& file, std::size_t index) {
  const std::string place = fmt::format("records[{}]", index);
  const Reader r(json, file, place);
  RoundRecord out;
  VYRE_CHECK(r.number("round", out.round));
  VYRE_TRY(out.topology, r.topology("topology"));
  VYRE_TRY(const Json* previous, r.member("previous"));
  if (!previous->is_null()) {
    VYRE_TRY(out.previous, r.topology("previous"));
  }
  VYRE_CHECK(r.truth("forced", out.forced));
  VYRE_CHECK(r.truth("solo", out.solo));
  VYRE_CHECK(r.truth("pulled", out.pulled));
  VYRE_CHECK(r.truth("overflowed", out.overflowed));
  VYRE_CHECK(r.number("edges", out.edges));
  VYRE_CHECK(r.number("reached", out.reached));
  VYRE_CHECK(r.number("workers", out.workers));
  VYRE_CHECK(r.number("time_ns", out.nanoseconds));
  VYRE_TRY(const Json* request, r.member("request"));
  VYRE_CHECK(read_request(Reader(*request, file, place + ".request"), out.request));
  return out;
}

std::string decided_text(const RoundRecord& round, const ResidentPolicy& policy) {
  const auto answer = compute_recommendation(policy, round.request, round.previous);
  if (!answer) return describe(to_error(answer.error()));
  return fmt::format("{} with {}", to_string(answer->topology),
                     counted(answer->geometry.dispatch_grid[0], "worker"));
}

}  // namespace

Json policy_json(const ResidentPolicy& policy) {
  return {{"sparse_frontier_threshold_bps", policy.sparse_frontier_threshold_bps},
          {"dense_frontier_threshold_bps", policy.dense_frontier_threshold_bps},
          {"memory_pressure_threshold_bps", policy.memory_pressure_threshold_bps},
          {"hot_window_threshold", policy.hot_window_threshold},
          {"fusion_edge_threshold", policy.fusion_edge_threshold}};
}

Result<RecordedRun> parse_recorded_run(std::string_view text, const std::string& name) {
  if (auto within = check_json_limits(text); !within) {
    within.error().what = fmt::format("{} is too large: {}", name, within.error().what);
    return std::unexpected(std::move(within).error());
  }
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail(Code::invalid_input, fmt::format("{} is no JSON", name));
  const Reader all(json, name, "");
  RecordedRun run;
  VYRE_TRY(const Json* policy, all.member("policy"));
  VYRE_CHECK(read_policy(Reader(*policy, name, "policy"), run.policy));
  VYRE_TRY(const Json* records, all.member("records"));
  if (!records->is_array()) return all.wrong("records", "is not a list");
  for (std::size_t i = 0; i < records->size(); ++i) {
    VYRE_TRY(RoundRecord round, read_round((*records)[i], name, i));
    run.rounds.push_back(std::move(round));
  }
  VYRE_TRY(const Json* program, all.member("program"));
  VYRE_TRY(const Json* graph, all.member("graph"));
  if (!program->is_string() || !graph->is_string()) {
    return all.wrong("", "the program or the graph is not a text");
  }
  run.title = fmt::format("{} on {}", program->get<std::string>(), graph->get<std::string>());
  return run;
}

bool ran_as_decided(const RoundRecord& round, const ResidentPolicy& policy) {
  if (round.forced) return true;
  const auto answer = compute_recommendation(policy, round.request, round.previous);
  return answer && answer->topology == round.topology &&
         (round.solo || answer->geometry.dispatch_grid[0] == round.workers);
}

void print_recorded_run(Output& out, const RecordedRun& run) {
  const auto groups = group_rounds(run.rounds, kMostRows);
  Table table({"round", "queue", "density", "memory", "before", "decided", "why"}, {1, 2, 3});
  const auto share = [](std::uint16_t bps) {
    return bps == 0 ? std::string("-") : fmt::format("{:.2f}%", bps / 100.0);
  };
  for (std::size_t i = 0; i < groups.size() && i < kMostRows; ++i) {
    const RoundGroup& group = groups[i];
    const RoundRecord& first = group.first;
    const Derivation derivation =
        explain_recommendation(run.policy, first.request, first.previous).derivation;
    table.add({group.rounds == 1 ? fmt::format("{}", first.round)
                                 : fmt::format("{}-{}", first.round, group.last()),
               with_commas(group.largest_frontier), share(derivation.frontier_density_bps),
               share(derivation.memory_pressure_bps),
               first.previous ? std::string(to_string(*first.previous)) : "-",
               std::string(to_string(first.forced ? first.topology : derivation.topology)),
               round_reason(first, run.policy)});
  }
  out.print("{}\n", run.title);
  if (!table.empty()) table.print(out, "  ");
  if (groups.size() > kMostRows) {
    out.print("  {} more changes of topology; --json prints every round\n",
              with_commas(groups.size() - kMostRows));
  }
  std::uint64_t forced = 0, other = 0;
  const RoundRecord* first_other = nullptr;
  for (const RoundRecord& round : run.rounds) {
    forced += round.forced ? 1 : 0;
    if (ran_as_decided(round, run.policy)) continue;
    if (other++ == 0) first_other = &round;
  }
  if (forced != 0) out.print("{} had a forced topology\n", counted(forced, "round"));
  if (first_other == nullptr) {
    out.print("{} decided again: every answer is the one that ran\n",
              counted(run.rounds.size() - forced, "round"));
    return;
  }
  out.print("{} ran otherwise than the policy decides; round {} ran as {} with {}, decided is {}\n",
            counted(other, "round"), first_other->round, to_string(first_other->topology),
            counted(first_other->workers, "worker"), decided_text(*first_other, run.policy));
}

Json recorded_run_json(const RecordedRun& run) {
  Json rounds = Json::array();
  std::uint64_t other = 0;
  for (const RoundRecord& round : run.rounds) {
    const Explained again = explain_recommendation(run.policy, round.request, round.previous);
    const bool same = ran_as_decided(round, run.policy);
    other += same ? 0 : 1;
    rounds.push_back({{"round", round.round},
                      {"ran", to_string(round.topology)},
                      {"forced", round.forced},
                      {"decided", to_string(again.derivation.topology)},
                      {"by_signals", to_string(again.derivation.raw_topology)},
                      {"frontier_density_bps", again.derivation.frontier_density_bps},
                      {"memory_pressure_bps", again.derivation.memory_pressure_bps},
                      {"same", same}});
  }
  return {{"run", run.title}, {"different", other}, {"rounds", std::move(rounds)}};
}

}  // namespace vyre
