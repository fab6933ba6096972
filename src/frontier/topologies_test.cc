// Every topology computes what the interpreter computes, on random graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "vyre/base/process/sanitizers_testing.h"
#include "vyre/data/graph/graph.h"
#include "vyre/frontier/frontier.h"
#include "vyre/frontier/oracle_testing.h"
#include "vyre/frontier/session_testing.h"

namespace vyre {
namespace {

std::string example(const std::string& name) {
  std::ifstream file(std::string(VYRE_ROOT_DIR) + "/examples/graph/" + name + ".wgsl");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Reaches each vertex again as long as its level grows; with `after`, which both keeps and drops.
constexpr const char* kLevels = R"(
@group(0) @binding(3) var<storage, read_write> level: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> seen: array<u32>;
fn start(v: u32) { atomicStore(&level[v], 1u); }
fn visit(s: u32, e: u32, t: u32, round: u32) -> bool {
  atomicMax(&level[t], atomicLoad(&level[t]) + 0u);
  atomicAdd(&level[t], 1u + e % 3u);
  return (s + t + round) % 4u != 0u;
}
fn after(v: u32, round: u32) -> bool {
  seen[v] += round + 1u;
  return atomicLoad(&level[v]) % 3u != 0u && round < 5u;
}
)";

// `wants` and `after` access only their own vertex, so that `after` may run in the launch that
// pulls.
constexpr const char* kFolded = R"(
@group(1) @binding(0) var<storage, read_write> hits: array<atomic<u32>>;
@group(1) @binding(1) var<storage, read_write> when: array<u32>;
fn init(v: u32) { when[v] = 99u; }
fn start(v: u32) { atomicStore(&hits[v], 1000u); }
fn wants(v: u32) -> bool { return atomicLoad(&hits[v]) == 0u; }
fn visit(s: u32, e: u32, t: u32, round: u32) -> bool {
  let was = atomicCompareExchangeWeak(&hits[t], 0u, round + 1u);
  return was.exchanged;
}
fn after(v: u32, round: u32) -> bool { when[v] = round; return v % 7u != 3u; }
)";

// Whole numbers along edges, with their indices and the round.
constexpr const char* kCounts = R"(
@group(0) @binding(0) var<storage, read_write> value: array<u32>;
@group(0) @binding(1) var<storage, read> weights: array<u32>;
fn init(v: u32) { value[v] = v + 1u; }
fn gather(t: u32, s: u32, e: u32, round: u32, sum: u32) -> u32 {
  return sum * 3u + (value[s] ^ (e + round)) + weights[e];
}
fn apply(t: u32, sum: u32, round: u32) -> bool { value[t] = sum; return round < 4u && sum % 5u != 1u; }
)";

// Vertices that wait stay in the frontier, and nobody pulls.
constexpr const char* kWaiting = R"(
@group(0) @binding(0) var<storage, read_write> level: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> waited: array<u32>;
fn init(v: u32) { atomicStore(&level[v], 0xffffffffu); waited[v] = 0u; }
fn start(v: u32) { atomicStore(&level[v], 0u); }
fn wants(v: u32) -> bool { return atomicLoad(&level[v]) == 0xffffffffu; }
fn waits(v: u32, round: u32) -> bool {
  let first = (v + round) % 3u == 0u;
  if (first) { waited[v] += 1u; }
  return first;
}
fn visit(s: u32, e: u32, t: u32, round: u32) -> bool {
  if (atomicLoad(&level[t]) <= round) { return false; }
  atomicStore(&level[t], round + 1u);
  return true;
}
)";

struct Case {
  std::string name;
  std::string text;
  bool all = false;
  bool symmetric = false;
  std::vector<std::string> compared;
  std::vector<OverrideValue> overrides{};
  bool ordered = true;     // which vertices a frontier holds does not depend on the order of visits
  bool quotients = false;  // of floats, which only the CPU rounds correctly
};

std::vector<Case> cases() {
  return {{"bfs", example("bfs"), false, false, {"depth"}},
          {"sssp", example("sssp"), false, false, {"distance"}, {}, false},
          {"components", example("components"), true, true, {"label"}, {{"undirected", 1}}, false},
          {"directed", example("components"), true, false, {"label"}, {}, false},
          {"pagerank", example("pagerank"), true, false, {"rank", "share"}, {}, true, true},
          {"kcore", example("kcore"), true, true, {"edges_left", "inside"}},
          {"levels", kLevels, false, false, {"level", "seen"}},
          {"folded", kFolded, false, false, {"hits", "when"}},
          {"waiting", kWaiting, false, false, {"level", "waited"}},
          {"counts", kCounts, true, false, {"value"}}};
}

GraphData random_graph(std::mt19937& random, bool symmetric) {
  const std::uint32_t n = 1 + random() % (random() % 8 == 0 ? 300 : 40);
  const std::uint32_t m = random() % (n * (1 + random() % 6));
  std::vector<GraphEdge> edges;
  const std::uint32_t hub = random() % n;
  for (std::uint32_t i = 0; i < m; ++i) {
    const std::uint32_t s = random() % 5 == 0 ? hub : random() % n, t = random() % n;
    edges.emplace_back(s, t);
    if (symmetric) edges.emplace_back(t, s);
  }
  GraphData graph = graph_from_edges(n, edges);
  graph.weights.resize(graph.columns.size());
  for (std::uint32_t& w : graph.weights) w = random() % 100;
  return graph;
}

std::vector<std::byte> contents(const Session& session, const Buffer& buffer) {
  std::vector<std::byte> out(buffer.size());
  EXPECT_TRUE(session.read(buffer, 0, out));
  return out;
}

// Sums of the same numbers, whose last bits may differ.
bool are_near(std::span<const std::byte> a, std::span<const std::byte> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); i += sizeof(float)) {
    float x = 0, y = 0;
    std::memcpy(&x, &a[i], sizeof x);
    std::memcpy(&y, &b[i], sizeof y);
    if (!(std::abs(x - y) <= 1e-5F * std::abs(y))) return false;
  }
  return true;
}

struct Way {
  std::string name;
  std::optional<Topology> topology;
  bool solo = true;
  std::uint32_t capacity = 0;
  bool scarce = false;  // memory
};

std::vector<Way> ways() {
  return {{"policy", {}},
          {"sparse", Topology::sparse_frontier, false},
          {"solo", Topology::sparse_frontier, true},
          {"sparse, short queue", Topology::sparse_frontier, false, 3},
          {"hybrid", Topology::hybrid_frontier, false},
          {"dense", Topology::dense_frontier, false},
          {"fused", Topology::fused_dense, false},
          {"memory", Topology::memory_constrained, false},
          {"policy, short queue", {}, true, 2},
          {"policy, little memory", {}, true, 0, true}};
}

class Topologies : public testing::TestWithParam<std::tuple<std::size_t, KernelShape>> {
 protected:
  UseShape shape{std::get<KernelShape>(GetParam())};
  Session session = session_to_test();
};

bool on_host(const Session& session) { return session.device().target().kind == TargetKind::host; }

void check(const Session& session, const Case& c, const FrontierProgram& program,
           FrontierOracle& oracle, std::uint32_t seed) {
  std::mt19937 random(seed);
  const GraphData data = random_graph(random, c.symmetric);
  FrontierRun run;
  run.all = c.all;
  for (std::uint32_t i = random() % 3 + 1; i > 0; --i) {
    run.first.push_back(random() % data.vertices());
  }
  if (c.ordered && random() % 4 == 0) run.most_rounds = random() % 4;
  const auto expected = oracle.run(data, run);
  ASSERT_TRUE(expected) << describe(expected.error());
  const auto graph = Graph::from_csr(session, data.offsets, data.columns, data.weights);
  ASSERT_TRUE(graph) << describe(graph.error());
  for (const Way& way : ways()) {
    // Half of the graphs are so small that a second worker would never be requested otherwise.
    SCOPED_TRACE(c.name + ", " + way.name + ", seed " + std::to_string(seed));
    FrontierOptions options{
        .worker_edges = seed % 16 < 8 ? 1U : 4096U, .hit_capacity = way.capacity, .solo = way.solo};
    if (way.scarce) {
      const auto bytes = prepare(session, program, *graph, {}, options);
      ASSERT_TRUE(bytes);
      options.memory_budget = bytes->bytes() * 11 / 10 + 16;
    }
    auto prepared = prepare(session, program, *graph, {}, options);
    ASSERT_TRUE(prepared) << describe(prepared.error());
    run.topology = way.topology;
    for (int again = 0; again < (way.topology ? 1 : 2); ++again) {
      for (const std::string& name : c.compared) {
        if (again == 0) continue;
        const std::vector<std::byte> zeros(prepared->buffer(name)->size());
        ASSERT_TRUE(session.write(*prepared->buffer(name), 0, zeros));
      }
      const auto result = prepared->run(run);
      ASSERT_TRUE(result) << describe(result.error());
      // If the last bits differ, ranks may stop changing in another round.
      const bool rounded = c.quotients && !on_host(session);
      ASSERT_TRUE(rounded || result->ended == expected->ended);
      ASSERT_TRUE(!c.ordered || rounded || result->rounds.size() == expected->frontiers.size());
      for (std::size_t r = 0; c.ordered && r < result->rounds.size() && !program.gathers(); ++r) {
        ASSERT_EQ(result->rounds[r].request.queue_len, expected->frontiers[r].size()) << r;
      }
      for (const std::string& name : c.compared) {
        const auto found = contents(session, *prepared->buffer(name));
        if (rounded) {
          ASSERT_TRUE(are_near(found, expected->state.at(name))) << name;
        } else {
          ASSERT_EQ(found, expected->state.at(name)) << name;
        }
      }
    }
  }
}

TEST_P(Topologies, ComputeWhatTheInterpreterComputes) {
  const auto number = std::get<std::size_t>(GetParam());
  const Case c = cases()[number];
  const auto program = FrontierProgram::from_wgsl(c.text, c.name, {}, c.overrides);
  ASSERT_TRUE(program) << describe(program.error());
  FrontierOracle oracle(*program);
  // 26,000 runs of all cases together in each shape, 130,000 with VYRE_LONG.
  const std::uint32_t seeds = std::getenv("VYRE_LONG") != nullptr ? 1000 : kSanitized ? 30 : 200;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    check(session, c, *program, oracle, seed * 8 + static_cast<std::uint32_t>(number));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Topologies,
                         testing::Combine(testing::Range<std::size_t>(0, 10),
                                          testing::ValuesIn(shapes_to_test())),
                         [](const auto& info) {
                           return cases()[std::get<std::size_t>(info.param)].name + "_" +
                                  name_of(std::get<KernelShape>(info.param));
                         });

}  // namespace
}  // namespace vyre
