#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "vyre/base/arithmetic.h"
#include "vyre/base/text/nearest.h"
#include "vyre/frontier/state_internal.h"

namespace vyre {
namespace {

// The most vertices for which the indices of the engine's buffers, which have two halves, fit into
// 32 bits.
constexpr std::uint32_t kMostVertices = 0x7FFFFFE0U;

std::uint64_t variable_bytes(const FrontierVariable& v, std::uint32_t vertices) {
  if (v.fill != FrontierFill::vertices) return v.least_bytes;
  return v.least_bytes + v.element_bytes * (std::max(vertices, 1U) - 1);
}

bool is_the_graphs(const FrontierVariable& v) {
  return v.fill == FrontierFill::weights || v.fill == FrontierFill::offsets ||
         v.fill == FrontierFill::columns;
}

Result<void> check_names(const FrontierProgram& program, std::span<const FrontierBinding> given) {
  std::vector<std::string> names;
  for (const FrontierVariable& v : program.variables()) names.push_back(v.name);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = given[i].variable;
    if (std::ranges::find(names, name) == names.end()) {
      return fail(Code::invalid_input, fmt::format("the graph program uses no variable '{}'", name),
                  names.empty() ? "" : fmt::format("it uses {}", fmt::join(names, ", ")));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (given[j].variable == name) {
        return fail(Code::invalid_input, fmt::format("'{}' is bound twice", name));
      }
    }
  }
  return {};
}

const FrontierBinding* find(std::span<const FrontierBinding> given, const std::string& name) {
  const auto at = std::ranges::find(given, name, &FrontierBinding::variable);
  return at == given.end() ? nullptr : &*at;
}

std::uint16_t pressure_of(std::uint64_t bytes, std::uint64_t budget) {
  if (budget == 0) return 0;
  const std::uint64_t share = saturating_mul(bytes, std::uint64_t{kWholeBps}) / budget;
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(share, kWholeBps));
}

std::uint64_t queue_bytes(std::uint32_t capacity) {
  return std::uint64_t{capacity} * 8 + kSoloBytes;
}

// The policy's hit capacity for the largest sparse frontier, where queues of all vertices do not
// fit into the budget. Absent: it is no smaller, or does not fit either.
std::optional<std::uint32_t> short_capacity(const ResidentPolicy& policy, FrontierFacts facts) {
  const auto share = [&](std::uint32_t whole) {
    return static_cast<std::uint32_t>(std::uint64_t{whole} * policy.sparse_frontier_threshold_bps /
                                      kWholeBps);
  };
  facts.hit_capacity = 0;
  facts.pressure_bps = pressure_of(facts.resident_bytes, facts.budget_bytes);
  const FrontierCounts sparse{std::max(share(facts.vertices), 1U), share(facts.edges)};
  const auto answer =
      compute_recommendation(policy, frontier_request(facts, sparse, 0), std::nullopt);
  if (!answer || answer->hit_capacity >= facts.vertices) return std::nullopt;
  return answer->hit_capacity;
}

}  // namespace

void FrontierState::bind(EngineBuffer which, const Buffer& buffer) {
  workers_.bindings.push_back({.group = code_->functions.group,
                               .binding = static_cast<std::uint32_t>(which),
                               .buffer = buffer});
}

// Computes the memory that the graph, the state and the engine need, and decides whether queues fit
// into the budget as well.
Result<void> FrontierState::plan_memory(const FrontierOptions& options,
                                        std::uint64_t variable_bytes) {
  const FrontierFunctions& f = code_->functions;
  const std::uint64_t n = graph_->vertices, m = graph_->edges;
  const std::uint32_t capacity =
      std::clamp(options.hit_capacity, 1U, std::max(graph_->vertices, 1U));
  facts_.vertices = graph_->vertices;
  facts_.edges = graph_->edges;
  facts_.workers = workers_.most_workers();
  facts_.lanes = workers_.lanes();
  facts_.crowds = workers_.crowd() != 0 && !f.after && !f.gather;
  const std::uint32_t worker_edges = workers_.in_groups() ? kGroupEdges : kWorkerEdges;
  facts_.worker_edges = options.worker_edges == 0 ? worker_edges : options.worker_edges;
  facts_.hit_capacity = options.hit_capacity == 0 ? std::max(graph_->vertices, 1U) : capacity;
  facts_.budget_bytes = options.memory_budget;
  std::uint64_t resident = variable_bytes + graph_->offsets.size() + graph_->columns.size() +
                           graph_->weights.size() + workers_.bytes();
  if (f.pulls() || f.gather) resident += (n + 1 + m + (f.visit_edge ? m : 0)) * 4;
  resident += f.gather ? n * 4 : std::uint64_t{bit_words_} * 8;
  const HubSizes hubs = hub_sizes(workers_.lanes());
  if (graph_->largest_degree > hubs.edges) resident += (m / hubs.piece_edges + 1) * 16;
  facts_.resident_bytes = resident;
  const auto try_queues = [&] {
    const std::uint64_t all = resident + queue_bytes(facts_.hit_capacity);
    facts_.pressure_bps = pressure_of(all, options.memory_budget);
    has_queues = facts_.pressure_bps < policy_.memory_pressure_threshold_bps;
  };
  try_queues();
  if (!has_queues && options.hit_capacity == 0 && !f.gather) {
    const FrontierFacts whole = facts_;
    if (const auto shorter = short_capacity(policy_, facts_)) {
      facts_.hit_capacity = *shorter;
      try_queues();
      if (!has_queues) facts_ = whole;
    }
  }
  if (!has_queues || f.gather) facts_.hit_capacity = 1;
  bytes = resident + (has_queues && !f.gather ? queue_bytes(facts_.hit_capacity) : 0);
  const auto answer =
      compute_recommendation(policy_, frontier_request(facts_, {1, 1}, 0), std::nullopt);
  if (!answer) return std::unexpected(to_error(answer.error()));
  use_policy(policy_);
  return {};
}

void FrontierState::use_policy(const ResidentPolicy& policy) {
  policy_ = policy;
  if (!solo_allowed_ || !has_queues) return;
  solo_ = solo_limits(policy_, facts_);
  crowd_ = crowd_limits(policy_, facts_);
}

Result<void> FrontierState::allocate(const RunLimits& limits) {
  const FrontierFunctions& f = code_->functions;
  bind(EngineBuffer::offsets, graph_->offsets);
  bind(EngineBuffer::columns, graph_->columns);
  if (f.pulls() || f.gather) {
    VYRE_TRY(const IncomingEdges in,
             graph_->transpose({.edges = f.visit_edge, .ordered = f.gather.has_value()}, limits));
    bind(EngineBuffer::in_offsets, in.offsets);
    bind(EngineBuffer::in_columns, in.sources);
    if (f.visit_edge) bind(EngineBuffer::in_edges, in.edges);
  }
  VYRE_TRY(bits_, session_.buffer(std::max<std::uint64_t>(bit_words_, 1) * 8));
  bind(EngineBuffer::bits, bits_);
  if (f.gather) {
    VYRE_TRY(const Buffer sums, session_.buffer(std::max(graph_->vertices, 1U) * 4ULL));
    bind(EngineBuffer::sums, sums);
    return {};
  }
  if (has_queues) {
    VYRE_TRY(queue_, session_.buffer(std::uint64_t{facts_.hit_capacity} * 8));
    bind(EngineBuffer::queue, queue_);
    VYRE_TRY(records_, session_.buffer(kSoloBytes));
    bind(EngineBuffer::records, records_);
  }
  const HubSizes hubs = hub_sizes(workers_.lanes());
  const std::uint64_t pieces =
      graph_->largest_degree > hubs.edges ? graph_->edges / hubs.piece_edges * 2 + 2 : 1;
  VYRE_TRY(const Buffer cut, session_.buffer(pieces * 8));
  bind(EngineBuffer::pieces, cut);
  return {};
}

Result<void> FrontierState::bind_variables(std::span<const FrontierBinding> given) {
  for (const FrontierVariable& v : code_->variables) {
    Buffer buffer;
    if (const FrontierBinding* own = find(given, v.name)) {
      buffer = own->buffer;
    } else if (v.fill == FrontierFill::weights) {
      buffer = graph_->weights;
    } else if (v.fill == FrontierFill::offsets) {
      buffer = graph_->offsets;
    } else if (v.fill == FrontierFill::columns) {
      buffer = graph_->columns;
    } else {
      VYRE_TRY(buffer, session_.buffer(variable_bytes(v, graph_->vertices)));
    }
    workers_.bindings.push_back({.group = v.group, .binding = v.binding, .buffer = buffer});
    variables.push_back({v.name, buffer});
  }
  return {};
}

Result<PreparedFrontier> FrontierState::make(const Session& session, const FrontierProgram& program,
                                             const Graph& graph,
                                             std::span<const FrontierBinding> bindings,
                                             const FrontierOptions& options) {
  VYRE_CHECK(check_names(program, bindings));
  if (graph.vertices() > kMostVertices) {
    return fail(Code::limit,
                fmt::format("the graph has {} vertices; graph programs run on up to {}",
                            graph.vertices(), kMostVertices));
  }
  std::uint64_t own_bytes = 0;
  for (const FrontierVariable& v : program.variables()) {
    const FrontierBinding* given = find(bindings, v.name);
    if (given == nullptr && v.fill == FrontierFill::weights && !graph.weighted()) {
      return fail(Code::invalid_input, "the graph program uses 'weights', and the graph has none",
                  "give a graph with weights, or bind a buffer with one number for each edge");
    }
    const std::uint64_t needed =
        is_the_graphs(v) && given == nullptr ? 0 : variable_bytes(v, graph.vertices());
    own_bytes += given == nullptr ? needed : given->buffer.size();
  }
  VYRE_TRY(FrontierWorkers workers,
           FrontierWorkers::make(session, *program.code_, options.workers));
  std::shared_ptr<FrontierState> state(
      new FrontierState(session, program.code_, graph.memory_, std::move(workers)));
  state->given_policy_ = state->policy_ = options.policy;
  state->solo_allowed_ = options.solo;
  state->bit_words_ = (graph.vertices() + 31) / 32;
  VYRE_CHECK(state->plan_memory(options, own_bytes));
  VYRE_CHECK(state->allocate(options.limits));
  VYRE_CHECK(state->bind_variables(bindings));
  // A program that gathers runs over all edges in every round, whatever the thresholds are.
  if (options.tuning && !program.gathers()) {
    VYRE_TRY(const Kernel kernel,
             program.code_->kernel(FrontierKernel::push_bits, state->workers_.lanes()));
    const bool on_host = session.device().target().kind == TargetKind::host;
    VYRE_TRY(state->tuned_,
             TunedPolicy::open({.program = kernel.fingerprint,
                                .vertices = graph.vertices(),
                                .edges = graph.edges(),
                                .largest_degree = graph.largest_degree(),
                                .workers = state->workers_.most_workers(),
                                .device = on_host ? "" : std::string(session.device().name())},
                               options.policy, *options.tuning));
  }
  return PreparedFrontier(std::move(state));
}

Result<PreparedFrontier> prepare(const Session& session, const FrontierProgram& program,
                                 const Graph& graph, std::span<const FrontierBinding> bindings,
                                 const FrontierOptions& options) {
  return FrontierState::make(session, program, graph, bindings, options);
}

Result<FrontierResult> PreparedFrontier::run(const FrontierRun& run) const {
  return state_->run(run);
}
std::optional<Buffer> PreparedFrontier::buffer(std::string_view variable) const {
  const auto at = std::ranges::find(state_->variables, variable, &StateBuffer::variable);
  if (at == state_->variables.end()) return std::nullopt;
  return at->buffer;
}
std::uint64_t PreparedFrontier::bytes() const { return state_->bytes; }
bool PreparedFrontier::bitmaps_alone() const { return !state_->has_queues; }
std::optional<std::string> PreparedFrontier::tuning_text() const { return state_->tuning_text(); }

}  // namespace vyre
