// Graph programs: functions of a module that run over the vertices and edges of a graph, round
// after round, as the resident policy decides.
//
//   VYRE_TRY(auto program, FrontierProgram::from_wgsl(text, "bfs.wgsl"));
//   VYRE_TRY(auto graph, Graph::from_csr(session, offsets, columns));
//   VYRE_TRY(auto search, prepare(session, program, graph, {}));
//   VYRE_TRY(FrontierResult result, search.run({.first = {0}}));
//   VYRE_CHECK(session.read(*search.buffer("depth"), 0, bytes));
//
// A program has some of these functions, which may use any variable of the module:
//
//   fn init(vertex: u32)                    for every vertex, when a run begins
//   fn start(vertex: u32)                   then for every vertex of the first frontier
//   fn visit(source: u32, edge: u32, vertex: u32, round: u32) -> bool
//                                           for every edge that leaves the frontier; true: the
//                                           vertex was reached
//   fn wants(vertex: u32) -> bool           false: visits to this vertex would change nothing
//   fn waits(vertex: u32, round: u32) -> bool
//                                           for every vertex of the frontier, before its edges;
//                                           true: they are left for a later round, and the vertex
//                                           counts as reached
//   fn after(vertex: u32, round: u32) -> bool
//                                           for every vertex that was reached, once, after all
//                                           visits of the round; false: it is not in the next
//                                           frontier
//
// or, in the place of visit, wants, waits and after, a sum over the incoming edges of every vertex:
//
//   fn gather(vertex: u32, source: u32, edge: u32, sum: f32) -> f32
//   fn apply(vertex: u32, sum: f32, round: u32) -> bool
//                                           after all gathers of the round
//
// The vertices that were reached, and that `after` kept, are the frontier of the next round; a run
// ends when there are none. With gather and apply a run ends after a round in which no apply
// returned true. docs/graphs.md says which function may store to which variables; that is checked
// when the program is made.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/base/error.h"
#include "vyre/engine/session.h"
#include "vyre/ir/program.h"
#include "vyre/ir/specialise.h"
#include "vyre/resident/policy.h"
#include "vyre/resident/recommend.h"
#include "vyre/tune/foreign/kernel_tuner.h"

namespace vyre {

// The names of a program's functions in its module. If the module has no function of a name, the
// program has no such function. visit, or gather and apply, must be there.
struct FrontierNames {
  std::string init = "init";
  std::string start = "start";
  std::string visit = "visit";
  std::string wants = "wants";
  std::string waits = "waits";
  std::string after = "after";
  std::string gather = "gather";
  std::string apply = "apply";
};

// What a variable is filled with when the caller binds no buffer to it.
enum class FrontierFill : std::uint8_t {
  vertices,  // one element per vertex, zeros
  weights,   // the graph's weights: a run-time sized array named `weights`
  offsets,   // the graph's offsets: a run-time sized array named `offsets`
  columns,   // the graph's columns: a run-time sized array named `columns`
  zeros,     // as many zeros as the type has bytes
};

struct FrontierVariable {
  std::string name;
  std::uint32_t group = 0;
  std::uint32_t binding = 0;
  TypeId type{};  // of FrontierProgram::types()
  bool writable = false;
  FrontierFill fill = FrontierFill::zeros;
  std::uint64_t element_bytes = 0;  // the size of an element, if the type is a run-time sized array
  std::uint64_t least_bytes = 0;    // the size of the type's static part
};

class FrontierCode;   // the program's functions and the kernels made of them
class GraphMemory;    // the graph's buffers
class FrontierState;  // a program made ready for a graph

// A program that was checked. It is a handle: copies share the kernels that are made of it.
class FrontierProgram {
 public:
  // Errors are those of the text, or name the function and the line that breaks a rule.
  static Result<FrontierProgram> from_wgsl(std::string text, std::string file_name = {},
                                           const FrontierNames& names = {},
                                           std::span<const OverrideValue> overrides = {});
  // Functions of a valid program, such as one made with ProgramBuilder; its entry is not used.
  static Result<FrontierProgram> from_program(const Program& program,
                                              const FrontierNames& names = {},
                                              std::span<const OverrideValue> overrides = {});

  const TypeTable& types() const;
  std::span<const FrontierVariable> variables() const;
  bool has_wants() const;
  bool gathers() const;  // it has gather and apply instead of visit
  bool uses_weights() const;
  // Whether a fused round can run `after` in the launch that pulls: what visit, wants and after
  // write, each of them accesses at its own vertex only.
  bool folds_after() const;

 private:
  friend class FrontierState;
  friend class FrontierOracle;
  explicit FrontierProgram(std::shared_ptr<FrontierCode> code) : code_(std::move(code)) {}
  std::shared_ptr<FrontierCode> code_;
};

// A directed graph in the device's memory: the edges of vertex v are columns[offsets[v]] to
// columns[offsets[v + 1] - 1]. A handle: copies share the memory.
class Graph {
 public:
  // `offsets` has one element more than there are vertices. Offsets that descend or do not end at
  // the number of columns, and columns that are no vertices, are errors. `weights` is empty or as
  // long as `columns`.
  static Result<Graph> from_csr(const Session& session, std::span<const std::uint32_t> offsets,
                                std::span<const std::uint32_t> columns,
                                std::span<const std::uint32_t> weights = {});

  std::uint32_t vertices() const;
  std::uint32_t edges() const;
  bool weighted() const;
  std::uint32_t largest_degree() const;
  std::uint64_t bytes() const;  // in the device's memory, with the transpose if it was made
  Buffer offsets() const;
  Buffer columns() const;
  Buffer weights() const;  // empty if there are none

 private:
  friend class FrontierState;
  explicit Graph(std::shared_ptr<GraphMemory> memory) : memory_(std::move(memory)) {}
  std::shared_ptr<GraphMemory> memory_;
};

struct FrontierBinding {
  std::string variable;
  Buffer buffer;
};

// The standard policy, but rounds pull as soon as a tenth of the vertices are in the frontier or a
// tenth of the edges leave it. With `wants`, most vertices find a source after a few of their
// edges.
constexpr ResidentPolicy frontier_policy() {
  ResidentPolicy policy;
  policy.dense_frontier_threshold_bps = 1000;
  return policy;
}
inline constexpr ResidentPolicy kFrontierPolicy = frontier_policy();

struct FrontierOptions {
  ResidentPolicy policy = kFrontierPolicy;
  std::uint64_t memory_budget = 0;  // bytes; 0: no limit
  std::uint32_t workers = 0;        // 0: the device's threads
  // Edges of a round for which another worker is started; 0: 4,096 for a thread of the CPU, 512 for
  // a workgroup of a GPU.
  std::uint32_t worker_edges = 0;
  std::uint32_t hit_capacity = 0;  // vertices that a queue holds; 0: all of them
  bool solo = true;                // small frontiers run round after round in one launch
  // Searches from run to run for the thresholds of the policy that are fastest for this program on
  // graphs of this class, and keeps what it learns as evidence. Absent: `policy` decides.
  std::optional<KernelTunerOptions> tuning{};
  RunLimits limits{};  // of what is compiled and run to prepare the program
};

struct FrontierRun {
  std::vector<std::uint32_t> first{};
  bool all = false;  // the first frontier has every vertex
  std::uint32_t most_rounds = 0xFFFFFFFFU;
  std::uint32_t most_records = 0xFFFFFFFFU;  // later rounds run but are not recorded
  // Every round runs with this topology. Empty and an absent value mean that the policy decides.
  std::optional<Topology> topology{};
  RunLimits limits{};
};

// One round: the request to the policy, its answer, and what the round did.
//
// Unless `forced`, compute_recommendation(result.policy, request, previous) has this topology; its
// grid has this number of workers, unless the round was `solo`. On a GPU a launch has more
// workgroups where the frontier has many edges or is found in bits, unless the round is
// memory-constrained.
struct RoundRecord {
  std::uint32_t round = 0;
  ResidentRequest request{};  // queue_len is the number of vertices of the frontier
  std::optional<Topology> previous{};
  Topology topology = Topology::empty;
  bool forced = false;
  bool solo = false;              // it ran in the same launch as the round before it or after it
  bool pulled = false;            // vertices looked at their incoming edges
  bool overflowed = false;        // the next frontier did not fit the queue, and is only a bitmap
  std::uint32_t workers = 0;      // of the policy's answer; of a solo round, those launched
  std::uint32_t launched = 0;     // workers of the round's largest launch
  std::uint64_t edges = 0;        // edges that leave the frontier
  std::uint32_t reached = 0;      // vertices in the next frontier
  std::uint64_t nanoseconds = 0;  // for a solo round, its share of the launch's time, by its edges
};

struct FrontierResult {
  std::vector<RoundRecord> rounds;
  std::uint32_t round_count = 0;    // all rounds, recorded or not
  ResidentPolicy policy;            // the policy that decided the rounds
  bool ended = false;               // false: `most_rounds` were run, and the frontier is not empty
  std::uint64_t edges = 0;          // edges that left the frontier, summed over all rounds
  std::uint32_t overflows = 0;      // rounds whose next frontier did not fit the queue
  std::uint64_t nanoseconds = 0;    // the time of the whole run, `init` and `start` included
  bool first_choice_known = false;  // an earlier run asked the policy the same first question
};

// A program that is ready to run on a graph, any number of times. Runs take place one after the
// other: a second thread that calls `run` waits.
class PreparedFrontier {
 public:
  Result<FrontierResult> run(const FrontierRun& run) const;
  // The buffer of a variable; absent if the program has no such variable.
  std::optional<Buffer> buffer(std::string_view variable) const;
  // The device memory of the graph, the variables and the engine's own buffers.
  std::uint64_t bytes() const;
  // Whether there are no queues, because the memory budget is too small for them.
  bool bitmaps_alone() const;
  // The best thresholds that tuning has found so far, and why; absent without tuning.
  std::optional<std::string> tuning_text() const;

 private:
  friend class FrontierState;
  explicit PreparedFrontier(std::shared_ptr<FrontierState> state) : state_(std::move(state)) {}
  std::shared_ptr<FrontierState> state_;
};

// Variables without a binding get buffers of their own (FrontierFill). Memory that does not fit the
// budget is an error, Code::out_of_memory, with the bytes needed, before anything is allocated.
Result<PreparedFrontier> prepare(const Session& session, const FrontierProgram& program,
                                 const Graph& graph, std::span<const FrontierBinding> bindings,
                                 const FrontierOptions& options = {});

}  // namespace vyre
