#include <span>

#include "vyre/c/arguments_internal.h"
#include "vyre/c/objects_internal.h"
#include "vyre/c/stack_internal.h"

namespace vyre {
namespace {

constexpr std::uint64_t kMostNames = 65536;  // in one list
// A record takes about 150 bytes, and rounds may never end.
constexpr std::uint32_t kMostRecords = 1'000'000;

static_assert(static_cast<int>(Topology::sparse_frontier) == VYRE_SPARSE &&
              static_cast<int>(Topology::hybrid_frontier) == VYRE_HYBRID &&
              static_cast<int>(Topology::dense_frontier) == VYRE_DENSE &&
              static_cast<int>(Topology::fused_dense) == VYRE_FUSED &&
              static_cast<int>(Topology::memory_constrained) == VYRE_MEMORY_CONSTRAINED);

Outcome<> check_list(const void* list, std::uint64_t count, std::string_view name) {
  if (list == nullptr && count != 0) return null_pointer(name);
  if (count > kMostNames) {
    return failure(VYRE_LIMIT, fmt::format("{} {}; the most is {}", count, name, kMostNames));
  }
  return {};
}

Outcome<> load_program(vyre_session id, const char* text, std::uint64_t length,
                       const char* file_name, const vyre_override* overrides, std::uint64_t count,
                       vyre_graph_program* out) {
  VYRE_TRY(const auto session, find<SessionObject>(id));
  if (out == nullptr) return null_pointer("program");
  if (text == nullptr && length != 0) return null_pointer("text");
  VYRE_CHECK(check_list(overrides, count, "overrides"));
  if (length == VYRE_TO_THE_END) length = std::strlen(text);
  if (length > Source::kMaxBytes) {
    return failure(VYRE_LIMIT, fmt::format("the text has {} bytes; the most is {}", length,
                                           std::uint64_t{Source::kMaxBytes}));
  }
  std::vector<OverrideValue> values;
  for (std::uint64_t i = 0; i < count; ++i) {
    const vyre_override& o = overrides[i];
    if (o.reserved != 0) {
      return failure(VYRE_INVALID_INPUT, fmt::format("overrides[{}].reserved is not 0", i));
    }
    values.push_back({o.name != nullptr ? std::string(o.name) : std::to_string(o.id), o.value});
  }
  std::string own = length == 0 ? std::string() : std::string(text, length);
  VYRE_TRY(FrontierProgram program,
           FrontierProgram::from_wgsl(std::move(own), file_name == nullptr ? "" : file_name, {},
                                      values));
  VYRE_TRY(*out, publish(GraphProgramObject{session->session, std::move(program)}));
  return {};
}

Outcome<> create_graph(vyre_session id, const vyre_graph_description* given, vyre_graph* out) {
  VYRE_TRY(const auto session, find<SessionObject>(id));
  VYRE_CHECK(check_struct(given, "graph"));
  if (out == nullptr) return null_pointer("out");
  if (given->offsets == nullptr) return null_pointer("graph.offsets");
  if (given->columns == nullptr && given->edges != 0) return null_pointer("graph.columns");
  if (given->edges > UINT32_MAX) {
    return failure(VYRE_LIMIT,
                   fmt::format("the graph has {} edges; the most is 2^32 - 2", given->edges));
  }
  const std::span offsets(given->offsets, std::size_t{given->vertices} + 1);
  const std::span columns(given->columns, given->edges);
  const std::span weights(given->weights, given->weights == nullptr ? 0 : given->edges);
  VYRE_TRY(Graph graph, Graph::from_csr(session->session->session, offsets, columns, weights));
  VYRE_TRY(*out, publish(GraphObject{session->session, std::move(graph)}));
  return {};
}

Outcome<> prepare_work(vyre_graph_program program_id, vyre_graph graph_id,
                       const vyre_graph_binding* given, std::uint64_t count,
                       const vyre_graph_options* options, vyre_graph_work* out) {
  VYRE_TRY(const auto program, find<GraphProgramObject>(program_id));
  VYRE_TRY(const auto graph, find<GraphObject>(graph_id));
  if (program->session != graph->session) {
    return failure(VYRE_WRONG_SESSION, "the graph is of another session than the program");
  }
  if (out == nullptr) return null_pointer("work");
  VYRE_CHECK(check_list(given, count, "bindings"));
  FrontierOptions chosen{.limits = program->session->compiling};
  if (options != nullptr) {
    VYRE_CHECK(check_struct(options, "options"));
    chosen.hit_capacity = options->hit_capacity;
    chosen.memory_budget = options->memory_budget;
  }
  std::vector<FrontierBinding> bindings;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (given[i].variable == nullptr) return null_pointer("the name of a variable");
    VYRE_TRY(const auto buffer, find<BufferObject>(given[i].buffer));
    if (buffer->session != program->session) {
      return failure(VYRE_WRONG_SESSION,
                     fmt::format("the buffer for '{}' is of another session", given[i].variable));
    }
    bindings.push_back({given[i].variable, buffer->buffer});
  }
  VYRE_TRY(PreparedFrontier prepared,
           prepare(program->session->session, program->program, graph->graph, bindings, chosen));
  auto state = std::make_unique<GraphWorkState>(std::move(prepared));
  VYRE_TRY(*out, publish(GraphWorkObject{program->session, std::move(state)}));
  return {};
}

Outcome<> work_buffer(vyre_graph_work id, const char* variable, vyre_buffer* out) {
  VYRE_TRY(const auto work, find<GraphWorkObject>(id));
  if (variable == nullptr) return null_pointer("variable");
  if (out == nullptr) return null_pointer("buffer");
  const auto buffer = work->state->prepared.buffer(variable);
  if (!buffer) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("the graph program uses no variable '{}'", variable));
  }
  VYRE_TRY(*out, publish(BufferObject{work->session, *buffer}));
  return {};
}

Outcome<FrontierRun> run_of(const vyre_graph_run_options* given) {
  VYRE_CHECK(check_struct(given, "options"));
  if (given->topology > VYRE_MEMORY_CONSTRAINED) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("options.topology is {}, which is no topology", given->topology));
  }
  if (given->first == nullptr && given->first_count != 0) return null_pointer("options.first");
  if (given->first_count > UINT32_MAX) {
    return failure(VYRE_LIMIT, fmt::format("{} first vertices", given->first_count));
  }
  FrontierRun run;
  run.first.assign(given->first, given->first + given->first_count);
  run.all = given->all != 0;
  if (given->most_rounds != 0) run.most_rounds = given->most_rounds;
  run.most_records = kMostRecords;
  if (given->topology != VYRE_BY_POLICY) run.topology = static_cast<Topology>(given->topology);
  run.limits = limits_of(given->deadline_ns);
  return run;
}

Outcome<> run_work(vyre_graph_work id, const vyre_graph_run_options* options,
                   vyre_graph_result* out) {
  VYRE_TRY(const auto work, find<GraphWorkObject>(id));
  if (out != nullptr) VYRE_CHECK(check_struct(out, "result"));
  VYRE_TRY(const FrontierRun run, run_of(options));
  GraphWorkState& state = *work->state;
  const std::scoped_lock lock(state.mutex);
  VYRE_TRY(FrontierResult result, state.prepared.run(run));
  state.rounds = std::move(result.rounds);
  if (out == nullptr) return {};
  vyre_graph_result filled{};
  filled.struct_size = sizeof filled;
  filled.ended = result.ended ? 1 : 0;
  filled.rounds = result.round_count;
  filled.edges = result.edges;
  filled.ns = result.nanoseconds;
  filled.overflows = result.overflows;
  *out = filled;
  return {};
}

Outcome<> get_round(vyre_graph_work id, std::uint64_t index, vyre_graph_round* out) {
  VYRE_TRY(const auto work, find<GraphWorkObject>(id));
  VYRE_CHECK(check_struct(out, "round"));
  GraphWorkState& state = *work->state;
  const std::scoped_lock lock(state.mutex);
  if (index >= state.rounds.size()) {
    return failure(VYRE_INVALID_INPUT,
                   fmt::format("there is no record of round {}: the last run left {}", index,
                               state.rounds.size()));
  }
  const RoundRecord& r = state.rounds[index];
  vyre_graph_round filled{};
  filled.struct_size = sizeof filled;
  filled.topology = static_cast<std::uint32_t>(r.topology);
  filled.vertices = r.request.queue_len;
  filled.reached = r.reached;
  filled.edges = r.edges;
  filled.ns = r.nanoseconds;
  filled.workers = r.launched;
  filled.solo = r.solo ? 1 : 0;
  filled.pulled = r.pulled ? 1 : 0;
  filled.overflowed = r.overflowed ? 1 : 0;
  *out = filled;
  return {};
}

}  // namespace
}  // namespace vyre

using namespace vyre;

vyre_code vyre_graph_program_load(vyre_session session, const char* text, uint64_t length,
                                  const char* file_name, const vyre_override* overrides,
                                  uint64_t override_count, vyre_graph_program* program) {
  return guarded([&] {
    return with_enough_stack([&] {
      return load_program(session, text, length, file_name, overrides, override_count, program);
    });
  });
}

vyre_code vyre_graph_program_free(vyre_graph_program program) {
  return guarded([&] { return release<GraphProgramObject>(program); });
}

vyre_code vyre_graph_create(vyre_session session, const vyre_graph_description* graph,
                            vyre_graph* out) {
  return guarded([&] { return create_graph(session, graph, out); });
}

vyre_code vyre_graph_free(vyre_graph graph) {
  return guarded([&] { return release<GraphObject>(graph); });
}

vyre_code vyre_graph_prepare(vyre_graph_program program, vyre_graph graph,
                             const vyre_graph_binding* bindings, uint64_t binding_count,
                             const vyre_graph_options* options, vyre_graph_work* work) {
  return guarded([&] {
    return with_enough_stack(
        [&] { return prepare_work(program, graph, bindings, binding_count, options, work); });
  });
}

vyre_code vyre_graph_work_free(vyre_graph_work work) {
  return guarded([&] { return release<GraphWorkObject>(work); });
}

vyre_code vyre_graph_buffer(vyre_graph_work work, const char* variable, vyre_buffer* buffer) {
  return guarded([&] { return work_buffer(work, variable, buffer); });
}

vyre_code vyre_graph_run(vyre_graph_work work, const vyre_graph_run_options* options,
                         vyre_graph_result* result) {
  return guarded(
      [&] { return with_enough_stack([&] { return run_work(work, options, result); }); });
}

vyre_code vyre_graph_get_round(vyre_graph_work work, uint64_t index, vyre_graph_round* round) {
  return guarded([&] { return get_round(work, index, round); });
}
