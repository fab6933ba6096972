// A run: its beginning, and round after round, each as the policy says.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "vyre/frontier/state_internal.h"

namespace vyre {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t ns_since(Clock::time_point begin) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count());
}

bool wants_queue(Topology topology) {
  return topology == Topology::sparse_frontier || topology == Topology::hybrid_frontier;
}
bool pulls(Topology topology) {
  return topology == Topology::dense_frontier || topology == Topology::fused_dense;
}

constexpr std::uint32_t kQueueChunk = 128;
constexpr std::uint32_t kWordChunk = 64;
constexpr std::uint32_t kVertexChunk = 1024;
constexpr std::uint32_t kWordsOfSubgroup = 4;
constexpr std::uint32_t kFewRecords = 62;
constexpr std::uint32_t kFewWords = 64;  // up to this many words are written one by one

}  // namespace

struct FrontierState::Progress {
  FrontierResult result;
  Frontier frontier;
  std::optional<Topology> previous;
  std::uint32_t hot_windows = 0;  // rounds before this one that had the topology `previous`
  std::uint32_t round = 0;
  std::uint32_t most_records = 0;
  RunLimits limits;
  Clock::time_point begun = Clock::now();

  RunLimits left() const { return limits.counted_from(begun); }
};

// Whether a launch has the policy's grid. Where memory is short, the policy's number is the limit.
bool FrontierState::as_decided(const RoundRecord& record) const {
  return !workers_.in_groups() || record.topology == Topology::memory_constrained;
}

// The number of workgroups for the edges of the frontier. The policy decides by the number of
// vertices, and few vertices may have many edges.
std::uint32_t FrontierState::edge_workers(const RoundRecord& record) const {
  if (as_decided(record)) return record.workers;
  const std::uint64_t all = (record.edges + record.request.queue_len) / kGroupEdges + 1;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(all, record.workers, std::max(facts_.workers, record.workers)));
}

// The work of a launch over all words of bits. A word keeps a subgroup busy even if few of its bits
// are set, so more workgroups are needed than for the edges of the frontier.
FrontierWork FrontierState::over_words(const RoundRecord& record) const {
  FrontierWork work{bit_words_, kWordChunk, record.workers};
  if (as_decided(record)) return work;
  const std::uint32_t all = facts_.vertices / (facts_.lanes * kWordsOfSubgroup) + 1;
  work.workers = std::max(edge_workers(record), std::min(all, facts_.workers));
  return work;
}

void FrontierState::set_halves(const Frontier& f) {
  workers_.words[control::in_bits] = f.bits * bit_words_;
  workers_.words[control::out_bits] = (1 - f.bits) * bit_words_;
  workers_.words[control::in_queue] = f.queue * facts_.hit_capacity;
  workers_.words[control::out_queue] = (1 - f.queue) * facts_.hit_capacity;
}

Result<void> FrontierState::clear_bits(Frontier& f, std::uint32_t half) {
  if (f.zero[half]) return {};
  f.zero[half] = true;
  const std::uint64_t size = std::uint64_t{bit_words_} * 4;
  if (bits_.host() != nullptr) {
    std::memset(bits_.host() + half * size, 0, size);
    return {};
  }
  return session_.clear(bits_, half * size, size);
}

// The bits of the first vertices, in a half of the bits.
Result<void> FrontierState::set_first(const FrontierRun& run, Frontier& f, std::uint32_t half) {
  std::map<std::uint32_t, std::uint32_t> words;
  for (const std::uint32_t v : run.first) {
    if (v >= facts_.vertices) {
      return fail(
          Code::invalid_input,
          fmt::format("vertex {} is not in the graph, which has {} vertices", v, facts_.vertices));
    }
    words[v / 32] |= 1U << (v % 32);
  }
  const std::uint64_t begin = std::uint64_t{bit_words_} * 4 * half;
  const auto write = [&](std::uint32_t word, std::span<const std::uint32_t> bits) {
    return session_.write(bits_, begin + std::uint64_t{word} * 4, std::as_bytes(bits));
  };
  if (!run.all && words.size() <= kFewWords) {
    VYRE_CHECK(clear_bits(f, half));
    for (const auto& [word, bits] : words) VYRE_CHECK(write(word, std::span(&bits, 1)));
    return queue_first(words, f);
  }
  std::vector<std::uint32_t> first(bit_words_, run.all ? 0xFFFFFFFFU : 0U);
  for (const auto& [word, bits] : words) first[word] |= bits;
  if (run.all && facts_.vertices % 32 != 0) first.back() = (1U << (facts_.vertices % 32)) - 1;
  return write(0, first);
}

// If there are few first vertices, the host writes them into the queue, so that no kernel needs to
// fill it.
Result<void> FrontierState::queue_first(const std::map<std::uint32_t, std::uint32_t>& words,
                                        Frontier& f) {
  if (!workers_.in_groups() || !has_queues || code_->functions.gather) return {};
  std::vector<std::uint32_t> queue;
  for (const auto& [word, bits] : words) {
    for (std::uint32_t rest = bits; rest != 0; rest &= rest - 1) {
      queue.push_back(word * 32 + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }
  }
  if (queue.size() > facts_.hit_capacity) return {};
  f.queued = true;
  return session_.write(queue_, 0, std::as_bytes(std::span(queue)));
}

Result<void> FrontierState::begin(const FrontierRun& run, Progress& p) {
  workers_.words[control::vertices] = facts_.vertices;
  workers_.words[control::capacity] = facts_.hit_capacity;
  const std::uint32_t hub = hub_sizes(facts_.lanes).edges;
  workers_.words[control::hub] = graph_->largest_degree > hub ? hub : 0xFFFFFFFFU;
  workers_.words[control::round] = 0;
  VYRE_CHECK(workers_.begin_run());
  // A lane of a workgroup takes a vertex, or a subgroup a word of bits.
  const std::uint32_t all = workers_.in_groups()
                                ? std::min(facts_.workers, facts_.vertices / facts_.lanes + 1)
                                : facts_.workers;
  if (code_->functions.init) {
    VYRE_CHECK(
        workers_.launch(FrontierKernel::init, {facts_.vertices, kVertexChunk, all}, p.left()));
  }
  Frontier& f = p.frontier;
  VYRE_CHECK(clear_bits(f, 0));
  VYRE_CHECK(set_first(run, f, 1));
  f.bits = 0;
  set_halves(f);
  VYRE_CHECK(workers_.launch(FrontierKernel::start, {bit_words_, kWordChunk, all}, p.left()));
  VYRE_CHECK(workers_.fetch());
  f.bits = 1;
  f.zero[1] = false;
  f.counts = {workers_.words[control::reached], workers_.words[control::edges]};
  f.largest = workers_.words[control::largest];
  return {};
}

void FrontierState::add(Progress& p, const RoundRecord& record) const {
  p.hot_windows = p.previous == record.topology ? p.hot_windows + 1 : 1;
  p.previous = record.topology;
  p.result.edges += record.edges;
  p.result.overflows += record.overflowed ? 1 : 0;
  ++p.result.round_count;
  if (p.result.rounds.size() < p.most_records) p.result.rounds.push_back(record);
}

Result<void> FrontierState::fill_queue(Progress& p, const RoundRecord& record) {
  Frontier& f = p.frontier;
  // The kernel appends to the half that is `out` for it.
  workers_.words[control::out_queue] = f.queue * facts_.hit_capacity;
  workers_.words[control::in_bits] = f.bits * bit_words_;
  workers_.begin_round();
  VYRE_CHECK(workers_.launch(FrontierKernel::fill_queue, over_words(record), p.left()));
  f.queued = true;
  return {};
}

// Pushes along the edges of the frontier; edges of hubs are pushed by a second launch.
Result<void> FrontierState::push(Progress& p, const RoundRecord& record, bool from_queue,
                                 bool to_queue) {
  Frontier& f = p.frontier;
  VYRE_CHECK(clear_bits(f, 1 - f.bits));
  const FrontierKernel kernel = !from_queue ? FrontierKernel::push_bits
                                : to_queue  ? FrontierKernel::push_queue
                                            : FrontierKernel::push_hybrid;
  const FrontierWork work = from_queue
                                ? FrontierWork{f.counts.vertices, kQueueChunk, edge_workers(record)}
                                : over_words(record);
  VYRE_CHECK(workers_.launch(kernel, work, p.left()));
  f.zero[1 - f.bits] = false;
  f.zero[f.bits] = from_queue;  // the kernel clears the bits of the vertices that it takes
  // Workgroups find the number of pieces on the device: the host does not wait for it.
  const std::uint32_t pieces = workers_.words[control::pieces];
  const bool hubs =
      workers_.in_groups() ? workers_.words[control::hub] != 0xFFFFFFFFU : pieces != 0;
  if (!hubs) return {};
  return workers_.launch(to_queue ? FrontierKernel::hubs_queue : FrontierKernel::hubs_bits,
                         {pieces, 1, edge_workers(record)}, p.left());
}

Result<void> FrontierState::pull(Progress& p, const RoundRecord& record) {
  Frontier& f = p.frontier;
  const bool with_after = record.topology == Topology::fused_dense && code_->folds_after;
  f.zero = {false, false};
  return workers_.launch(with_after ? FrontierKernel::pull_after : FrontierKernel::pull,
                         over_words(record), p.left());
}

// Runs `after` for the vertices that were reached, which are in the queue or in the bits.
Result<void> FrontierState::follow(Progress& p, const RoundRecord& record, bool queued) {
  Frontier& f = p.frontier;
  const std::uint32_t reached = workers_.words[control::appended];
  // Workgroups find on the device how many were appended.
  if (!queued || !workers_.in_groups()) workers_.begin_round();
  if (!queued) return workers_.launch(FrontierKernel::after_bits, over_words(record), p.left());
  // The vertices that were reached are in the other half. Those that `after` keeps go to the half
  // where the frontier was.
  std::swap(workers_.words[control::in_queue], workers_.words[control::out_queue]);
  f.queue = 1 - f.queue;
  return workers_.launch(FrontierKernel::after_queue, {reached, kQueueChunk, record.workers},
                         p.left());
}

Result<void> FrontierState::run_step(Progress& p, RoundRecord& record) {
  const FrontierFunctions& fn = code_->functions;
  Frontier& f = p.frontier;
  const bool from_queue =
      wants_queue(record.topology) && has_queues && f.counts.vertices <= facts_.hit_capacity;
  if (from_queue && !f.queued) VYRE_CHECK(fill_queue(p, record));
  workers_.words[control::round] = record.round;
  workers_.begin_round();
  set_halves(f);
  const bool to_queue = from_queue && record.topology == Topology::sparse_frontier;
  record.pulled = pulls(record.topology) && fn.pulls();
  if (record.pulled) {
    VYRE_CHECK(pull(p, record));
  } else {
    VYRE_CHECK(push(p, record, from_queue, to_queue));
  }
  const bool folded =
      record.pulled && record.topology == Topology::fused_dense && code_->folds_after;
  const bool follows = fn.after && !folded;
  const bool may_overflow = to_queue && facts_.hit_capacity < facts_.vertices;
  if (!follows || may_overflow) VYRE_CHECK(workers_.fetch());
  record.overflowed = may_overflow && workers_.words[control::appended] > facts_.hit_capacity;
  const bool queued = to_queue && !record.overflowed;
  if (follows) {
    VYRE_CHECK(follow(p, record, queued));
    VYRE_CHECK(workers_.fetch());
  }
  f.bits = 1 - f.bits;
  f.queue = 1 - f.queue;
  f.queued = queued;
  f.counts = {workers_.words[control::reached], workers_.words[control::edges]};
  f.largest = workers_.words[control::largest];
  return {};
}

// A round of a program that gathers: every vertex pulls.
Result<void> FrontierState::sum(Progress& p, const RoundRecord& record) {
  workers_.words[control::round] = record.round;
  workers_.begin_round();
  const FrontierWork work{facts_.vertices, kVertexChunk, record.workers};
  VYRE_CHECK(workers_.launch(FrontierKernel::gather, work, p.left()));
  VYRE_CHECK(workers_.launch(FrontierKernel::apply, work, p.left()));
  VYRE_CHECK(workers_.fetch());
  // All vertices gather again if any of them goes on.
  if (workers_.words[control::reached] == 0) p.frontier.counts = {};
  return {};
}

// Absent: the device runs no crowds.
Result<std::optional<FrontierState::SoloRounds>> FrontierState::launch_solo(Progress& p,
                                                                            bool crowd) {
  const auto& words = workers_.words;
  const std::uint32_t count = p.frontier.counts.vertices;
  if (crowd) {
    VYRE_TRY(const bool launched, workers_.launch_crowd(count, p.left()));
    if (!launched) return std::nullopt;
  } else {
    VYRE_CHECK(workers_.launch(FrontierKernel::solo, {count, 1, 1}, p.left()));
  }
  SoloRounds out;
  std::uint64_t offset = 0;
  out.counts.resize(kFewRecords * kSoloRecordWords);
  if (workers_.in_groups()) {
    // Most launches have few rounds: one read gets everything.
    std::vector<std::uint32_t> first(kSoloResults + out.counts.size());
    VYRE_CHECK(session_.read(records_, 0, std::as_writable_bytes(std::span(first))));
    out.done = first[kSoloDone];
    out.left = {first[kSoloLeft], first[kSoloLeftEdges]};
    out.largest = first[kSoloLeftLargest];
    out.counts.assign(first.begin() + kSoloResults, first.end());
    offset = kSoloResults * 4;
  } else {
    out.done = words[control::done];
    out.left = {words[control::reached], words[control::edges]};
  }
  const bool all_read = workers_.in_groups() && out.done <= kFewRecords;
  out.counts.resize(std::size_t{out.done} * kSoloRecordWords);
  if (!all_read) {
    VYRE_CHECK(session_.read(records_, offset, std::as_writable_bytes(std::span(out.counts))));
  }
  return out;
}

Result<bool> FrontierState::run_solo(Progress& p, const RoundRecord& first, std::uint32_t most,
                                     const FrontierCounts& limits, bool crowd) {
  Frontier& f = p.frontier;
  if (!f.queued) VYRE_CHECK(fill_queue(p, first));
  VYRE_CHECK(clear_bits(f, 1 - f.bits));
  const auto begun = Clock::now();
  auto& words = workers_.words;
  workers_.begin_round();
  set_halves(f);
  words[control::round] = first.round;
  words[control::solo_vertices] = limits.vertices;
  words[control::solo_edges] = limits.edges;
  words[control::solo_rounds] = std::min(most, kSoloRecords);
  words[control::frontier_edges] = f.counts.edges;
  VYRE_TRY(const auto rounds, launch_solo(p, crowd));
  if (!rounds) return false;
  const auto& [done, end, largest, counts] = *rounds;
  const std::uint64_t spent = ns_since(begun);
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < done; ++i) all += counts[i * kSoloRecordWords + 1] + 1;
  for (std::uint32_t i = 0; i < done; ++i) {
    const FrontierCounts now{counts[i * kSoloRecordWords], counts[i * kSoloRecordWords + 1]};
    RoundRecord record = first;
    record.solo = true;
    record.round = first.round + i;
    record.previous = p.previous;
    record.request = frontier_request(facts_, now, p.hot_windows);
    record.edges = now.edges;
    record.reached = i + 1 < done ? counts[(i + 1) * kSoloRecordWords] : end.vertices;
    record.workers = record.launched = crowd ? workers_.crowd() : 1;
    record.nanoseconds = spent * (now.edges + 1) / std::max<std::uint64_t>(all, 1);
    add(p, record);
  }
  if (done % 2 == 1) {
    f.bits = 1 - f.bits;
    f.queue = 1 - f.queue;
  }
  f.zero[f.bits] = false;
  f.zero[1 - f.bits] = true;
  f.counts = end;
  f.largest = largest;
  p.round = first.round + done;
  return true;
}

// Without crowds, larger frontiers are left to one workgroup.
void FrontierState::leave_crowds_out() {
  facts_.crowds = false;
  use_policy(policy_);
}

Result<void> FrontierState::next_round(const FrontierRun& run, Progress& p) {
  const bool gathers = code_->functions.gather.has_value();
  const FrontierCounts now =
      gathers ? FrontierCounts{facts_.vertices, facts_.edges} : p.frontier.counts;
  RoundRecord record;
  record.round = p.round;
  record.previous = p.previous;
  record.request = frontier_request(facts_, now, p.hot_windows);
  record.edges = now.edges;
  const std::uint64_t hits = answers_.stats().hits;
  const auto answer = p.previous ? recommend(policy_, record.request, *p.previous)
                                 : answers_.recommend(policy_, record.request);
  if (answers_.stats().hits != hits) p.result.first_choice_known = true;
  if (!answer) return std::unexpected(to_error(answer.error()));
  record.forced = run.topology.has_value();
  record.topology = run.topology.value_or(answer->topology);
  record.workers = answer->geometry.dispatch_grid[0];
  const bool alone = !gathers && solo_allowed_ && has_queues &&
                     record.topology == Topology::sparse_frontier &&
                     now.vertices <= facts_.hit_capacity;
  const auto fits = [&](const FrontierCounts& limits) {
    return alone && now.vertices <= limits.vertices && now.edges <= limits.edges;
  };
  const std::uint32_t most = run.most_rounds - p.round;
  const auto solo = [&] { return record.forced ? largest_solo(facts_) : solo_; };
  bool ran = false;
  if (facts_.crowds && !fits(solo())) {
    const FrontierCounts crowd = record.forced ? largest_crowd(facts_) : crowd_;
    if (fits(crowd) && p.frontier.largest <= kGroupHubSizes.edges) {
      VYRE_TRY(ran, run_solo(p, record, most, crowd, true));
      if (!ran) leave_crowds_out();
    }
  }
  if (!ran && fits(solo())) {
    VYRE_TRY(ran, run_solo(p, record, most, solo(), false));
  }
  if (ran) return {};
  const auto begun = Clock::now();
  workers_.take_launched();
  if (gathers) {
    VYRE_CHECK(sum(p, record));
    record.pulled = true;
    record.reached = workers_.words[control::reached];
  } else {
    VYRE_CHECK(run_step(p, record));
    record.reached = p.frontier.counts.vertices;
  }
  record.launched = workers_.take_launched();
  record.nanoseconds = ns_since(begun);
  add(p, record);
  ++p.round;
  return {};
}

Result<FrontierResult> FrontierState::run(const FrontierRun& run) {
  const std::scoped_lock lock(mutex_);
  if (run.topology == Topology::empty) {
    return fail(Code::invalid_input, "no round can have the topology 'empty'",
                "leave the topology out, and the policy decides");
  }
  Progress p;
  p.limits = run.limits;
  p.most_records = run.most_records;
  std::optional<TunedPolicy::Turn> turn;
  // Only whole runs whose topologies the policy decides can be compared.
  if (tuned_ && !run.topology && run.most_rounds == FrontierRun{}.most_rounds) {
    turn = tuned_->next();
  }
  use_policy(turn ? turn->policy : given_policy_);
  p.result.policy = policy_;
  const std::uint32_t prepared = workers_.prepared();
  const Result<void> done = run_rounds(run, p);
  p.result.ended = p.frontier.counts.vertices == 0;
  p.result.nanoseconds = ns_since(p.begun);
  if (turn) {
    // Runs in which a kernel is compiled do not count, because their time includes compiling.
    const bool counts = done && workers_.prepared() == prepared;
    VYRE_CHECK(tuned_->report(
        *turn, counts ? std::optional(static_cast<double>(p.result.nanoseconds)) : std::nullopt));
  }
  if (!done) return std::unexpected(done.error());
  return std::move(p.result);
}

Result<void> FrontierState::run_rounds(const FrontierRun& run, Progress& p) {
  VYRE_CHECK(begin(run, p));
  while (p.frontier.counts.vertices != 0 && p.round < run.most_rounds) {
    VYRE_CHECK(next_round(run, p));
  }
  return {};
}

std::optional<std::string> FrontierState::tuning_text() {
  const std::scoped_lock lock(mutex_);
  return tuned_ ? std::optional(tuned_->why()) : std::nullopt;
}

}  // namespace vyre
