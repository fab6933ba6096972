// Whole runs: their records, hubs, memory, limits, and errors.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "vyre/data/graph/graph.h"
#include "vyre/data/graph/graph_generate.h"
#include "vyre/frontier/frontier.h"
#include "vyre/frontier/reference.h"
#include "vyre/frontier/session_testing.h"

namespace vyre {
namespace {

using namespace std::chrono_literals;

constexpr Topology kAll[] = {Topology::sparse_frontier, Topology::hybrid_frontier,
                             Topology::dense_frontier, Topology::fused_dense,
                             Topology::memory_constrained};

FrontierProgram example(const std::string& name, std::span<const OverrideValue> overrides = {}) {
  std::ifstream file(std::string(VYRE_ROOT_DIR) + "/examples/graph/" + name + ".wgsl");
  std::ostringstream text;
  text << file.rdbuf();
  return *FrontierProgram::from_wgsl(text.str(), name, {}, overrides);
}

GraphData recipe(std::string_view text) { return *make_graph(*parse_graph_recipe(text)); }

// A vertex with `leaves` neighbours, at the end of a short path.
GraphData star(std::uint32_t leaves) {
  std::vector<GraphEdge> edges;
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    edges.emplace_back(a, b);
    edges.emplace_back(b, a);
  };
  join(0, 1);
  join(1, 2);
  for (std::uint32_t i = 0; i < leaves; ++i) join(2, 3 + i);
  return graph_from_edges(leaves + 3, edges);
}

class FrontierRuns : public testing::TestWithParam<KernelShape> {
 protected:
  bool on_gpu = std::getenv("VYRE_TEST_DEVICES") != nullptr;  // where loops do not see a stop
  // Whether workers are workgroups, some of which can be a crowd.
  bool in_groups = GetParam() == KernelShape::groups || on_gpu;
  UseShape shape{GetParam()};
  Session session = session_to_test();

  Graph upload(const GraphData& g) {
    return *Graph::from_csr(session, g.offsets, g.columns, g.weights);
  }
  std::vector<std::uint32_t> words(const PreparedFrontier& p, std::string_view variable) {
    return words_in(session, p, variable);
  }
  static std::vector<std::uint32_t> words_in(const Session& session, const PreparedFrontier& p,
                                             std::string_view variable) {
    const Buffer buffer = *p.buffer(variable);
    std::vector<std::uint32_t> out(buffer.size() / 4);
    EXPECT_TRUE(session.read(buffer, 0, std::as_writable_bytes(std::span(out))));
    return out;
  }
};

void expect_the_policys_answers(const FrontierResult& result, const std::string& what) {
  std::optional<Topology> previous;
  std::uint32_t windows = 0;
  for (std::size_t i = 0; i < result.rounds.size(); ++i) {
    const RoundRecord& r = result.rounds[i];
    SCOPED_TRACE(what + ", round " + std::to_string(i));
    EXPECT_EQ(r.round, i);
    EXPECT_EQ(r.previous, previous);
    EXPECT_EQ(r.request.hot_window_count, windows);
    if (i != 0) {
      EXPECT_EQ(r.request.queue_len, result.rounds[i - 1].reached);
    }
    const auto answer = compute_recommendation(result.policy, r.request, r.previous);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->topology, r.topology);
    if (r.solo) {
      EXPECT_GE(r.launched, 1U);  // one, or a crowd
    } else {
      EXPECT_EQ(r.workers, answer->geometry.dispatch_grid[0]);
      EXPECT_GE(r.launched, r.workers);
    }
    if (r.solo || r.topology == Topology::memory_constrained) {
      EXPECT_EQ(r.launched, r.workers);
    }
    windows = previous == r.topology ? windows + 1 : 1;
    previous = r.topology;
  }
  EXPECT_EQ(result.round_count, result.rounds.size());
}

TEST_P(FrontierRuns, EveryRecordHoldsThePolicysAnswer) {
  const FrontierProgram bfs = example("bfs"), sssp = example("sssp");
  for (const char* text : {"kron:12", "uniform:12", "grid:70x70", "path:5000"}) {
    GraphData data = recipe(text);
    add_weights(data);
    const Graph graph = upload(data);
    for (const FrontierProgram& program : {bfs, sssp}) {
      for (const std::uint32_t worker_edges : {1U, 4096U}) {
        const auto p = prepare(session, program, graph, {}, {.worker_edges = worker_edges});
        ASSERT_TRUE(p) << describe(p.error());
        const auto result = p->run({.first = {data.vertices() / 2}});
        ASSERT_TRUE(result) << describe(result.error());
        expect_the_policys_answers(*result, text);
      }
    }
  }
}

TEST_P(FrontierRuns, TheFirstChoiceOfRunsThatBeginAlikeComesFromTheCache) {
  const auto p = prepare(session, example("bfs"), upload(recipe("grid:30x30")), {});
  ASSERT_TRUE(p);
  for (const bool known : {false, true}) {
    const auto result = p->run({.first = {5}});
    ASSERT_TRUE(result);
    expect_the_policys_answers(*result, "again");
    EXPECT_EQ(result->first_choice_known, known);
  }
}

TEST_P(FrontierRuns, LargerGraphsGiveTheReferencesResultsInEveryTopology) {
  const OverrideValue undirected[] = {{"undirected", 1}};
  const FrontierProgram bfs = example("bfs"), sssp = example("sssp"), cc = example("components");
  const FrontierProgram joined = example("components", undirected);
  for (const char* text : {"kron:13", "uniform:13", "grid:150x90"}) {
    GraphData data = recipe(text);
    add_weights(data);
    const Graph graph = upload(data);
    std::uint32_t from = 0;
    while (data.degree(from) == 0) ++from;
    const std::uint32_t first[] = {from};
    const auto depths = reference_depths(data, first);
    const auto wide = reference_distances(data, first);
    const std::vector<std::uint32_t> distances(wide.begin(), wide.end());
    const auto components = reference_components(data);
    std::vector<std::optional<Topology>> ways(std::begin(kAll), std::end(kAll));
    ways.emplace_back();
    for (const auto& way : ways) {
      SCOPED_TRACE(std::string(text) + " " + (way ? std::string(to_string(*way)) : "policy"));
      const FrontierOptions options{.worker_edges = 64};
      const auto a = prepare(session, bfs, graph, {}, options);
      ASSERT_TRUE(a && a->run({.first = {from}, .topology = way}));
      EXPECT_EQ(words(*a, "depth"), depths);
      const auto b = prepare(session, sssp, graph, {}, options);
      ASSERT_TRUE(b && b->run({.first = {from}, .topology = way}));
      EXPECT_EQ(words(*b, "distance"), distances);
      for (const FrontierProgram& program : {cc, joined}) {
        const auto c = prepare(session, program, graph, {}, options);
        ASSERT_TRUE(c && c->run({.all = true, .topology = way}));
        EXPECT_EQ(words(*c, "label"), components);
      }
    }
  }
}

// Vertices to which no edge leads, and edges without a reverse, whatever the program is told about
// graphs that have all of them.
TEST_P(FrontierRuns, ComponentsAreThoseOfEdgesInBothDirections) {
  const OverrideValue undirected[] = {{"undirected", 1}};
  const FrontierProgram directed = example("components");
  const FrontierProgram symmetric = example("components", undirected);
  std::vector<GraphData> graphs{
      graph_from_edges(5, std::vector<GraphEdge>{{3, 2}, {4, 2}, {4, 0}})};
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t n = 1 + random() % 60;
    std::vector<GraphEdge> edges;
    for (std::uint32_t e = random() % (2 * n); e > 0; --e) {
      edges.emplace_back(random() % n, random() % n);
    }
    graphs.push_back(graph_from_edges(n, edges));
  }
  for (const GraphData& data : graphs) {
    const auto expected = reference_components(data);
    const auto a = prepare(session, directed, upload(data), {});
    ASSERT_TRUE(a && a->run({.all = true}));
    ASSERT_EQ(words(*a, "label"), expected);
    const auto b = prepare(session, symmetric, upload(*with_reverse_edges(data)), {});
    for (int again = 0; again < 2; ++again) {
      ASSERT_TRUE(b && b->run({.all = true}));
      ASSERT_EQ(words(*b, "label"), expected);
    }
  }
}

TEST_P(FrontierRuns, EdgesOfHubsAreCutIntoPieces) {
  GraphData data = star(20'000);
  add_weights(data);
  const Graph graph = upload(data);
  ASSERT_GT(graph.largest_degree(), 4096U);
  const std::uint32_t first[] = {0};
  const auto depths = reference_depths(data, first);
  const auto wide = reference_distances(data, first);
  const std::vector<std::uint32_t> distances(wide.begin(), wide.end());
  for (const Topology way : kAll) {
    SCOPED_TRACE(to_string(way));
    for (const std::uint32_t capacity : {0U, 100U}) {
      const FrontierOptions options{.hit_capacity = capacity, .solo = false};
      const auto a = prepare(session, example("bfs"), graph, {}, options);
      const auto result = a->run({.first = {0}, .topology = way});
      ASSERT_TRUE(result) << describe(result.error());
      EXPECT_EQ(words(*a, "depth"), depths);
      EXPECT_EQ(result->overflows, capacity == 100 && way == Topology::sparse_frontier ? 1U : 0U);
      const auto b = prepare(session, example("sssp"), graph, {}, options);
      ASSERT_TRUE(b->run({.first = {0}, .topology = way}));
      EXPECT_EQ(words(*b, "distance"), distances);
    }
  }
}

constexpr const char* kEveryRoundOnce = R"(
@group(0) @binding(0) var<storage, read_write> when: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> followed: array<u32>;
override wait: bool = false;
override follow: bool = false;
fn start(v: u32) { atomicStore(&when[v], 1u); }
fn waits(v: u32, round: u32) -> bool { return wait && (v + round) % 2u == 0u && round < 9u; }
fn visit(s: u32, e: u32, v: u32, round: u32) -> bool {
  return atomicCompareExchangeWeak(&when[v], 0u, 2u).exchanged;
}
fn after(v: u32, round: u32) -> bool { followed[v] += 1u; return !follow || v % 3u != 0u; }
)";

// A round of solo reaches more vertices than it keeps in workgroup memory, and the launch ends.
TEST_P(FrontierRuns, SoloReachesMoreThanARoundMayBeginWith) {
  const GraphData data = star(15'000);
  const Graph graph = upload(data);
  const std::uint32_t first[] = {0};
  for (const char* name : {"bfs", "sssp"}) {
    GraphData weighted = data;
    add_weights(weighted);
    const auto p = prepare(session, example(name), upload(weighted), {});
    const auto result = p->run({.first = {0}, .topology = Topology::sparse_frontier});
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_EQ(result->rounds[2].request.queue_len, 1U);
    EXPECT_NE(result->rounds[2].solo, in_groups);  // neither a workgroup nor a crowd takes a hub
    EXPECT_EQ(result->rounds[2].reached, name[0] == 'b' ? 15'000U : result->rounds[2].reached);
    const auto wide = reference_distances(weighted, first);
    EXPECT_EQ(words(*p, name[0] == 'b' ? "depth" : "distance"),
              name[0] == 'b' ? reference_depths(data, first)
                             : std::vector<std::uint32_t>(wide.begin(), wide.end()));
  }
  for (const double wait : {0.0, 1.0}) {
    for (const double follow : {0.0, 1.0}) {
      SCOPED_TRACE(testing::Message() << "wait " << wait << ", follow " << follow);
      const OverrideValue overrides[] = {{"wait", wait}, {"follow", follow}};
      const auto program = FrontierProgram::from_wgsl(kEveryRoundOnce, "o.wgsl", {}, overrides);
      ASSERT_TRUE(program) << describe(program.error());
      std::vector<std::vector<std::uint32_t>> states;
      std::vector<std::uint32_t> rounds;
      for (const bool solo : {true, false}) {
        const auto p = prepare(session, *program, graph, {}, {.solo = solo});
        const auto result = p->run({.first = {0}, .topology = Topology::sparse_frontier});
        ASSERT_TRUE(result) << describe(result.error());
        EXPECT_EQ(result->rounds[0].solo, solo);
        rounds.push_back(result->round_count);
        states.push_back(words(*p, "when"));
        states.push_back(words(*p, "followed"));
      }
      EXPECT_EQ(rounds[0], rounds[1]);
      EXPECT_EQ(states[0], states[2]);
      EXPECT_EQ(states[1], states[3]);
    }
  }
}

// Frontiers grow and shrink beyond what one workgroup takes, which a crowd goes on with.
TEST_P(FrontierRuns, FrontiersOfAllSizesInLaunchesOfManyRounds) {
  for (const char* text : {"grid:900x700", "uniform:16:2", "kron:15:1"}) {
    GraphData data = recipe(text);
    add_weights(data);
    const Graph graph = upload(data);
    std::uint32_t from = data.vertices() / 2;
    while (data.degree(from) == 0) ++from;
    const std::uint32_t first[] = {from};
    const auto wide = reference_distances(data, first);
    for (const bool forced : {false, true}) {
      SCOPED_TRACE(std::string(text) + (forced ? ", forced" : ""));
      const std::optional<Topology> way =
          forced ? std::optional(Topology::sparse_frontier) : std::nullopt;
      const auto a = prepare(session, example("bfs"), graph, {});
      const auto found = a->run({.first = {from}, .topology = way});
      ASSERT_TRUE(found) << describe(found.error());
      EXPECT_EQ(words(*a, "depth"), reference_depths(data, first));
      std::uint64_t edges = 0;
      for (std::size_t i = 0; i < found->rounds.size(); ++i) {
        const RoundRecord& r = found->rounds[i];
        edges += r.edges;
        ASSERT_EQ(r.request.queue_len, i == 0 ? 1 : found->rounds[i - 1].reached);
      }
      std::uint64_t reached_edges = 0;
      const auto depths = reference_depths(data, first);
      for (std::uint32_t v = 0; v < data.vertices(); ++v) {
        if (depths[v] != kUnreachedDepth) reached_edges += data.degree(v);
      }
      EXPECT_EQ(edges, reached_edges);
      const auto b = prepare(session, example("sssp"), graph, {});
      const auto result = b->run({.first = {from}, .topology = way});
      ASSERT_TRUE(result) << describe(result.error());
      EXPECT_EQ(words(*b, "distance"), std::vector<std::uint32_t>(wide.begin(), wide.end()));
    }
  }
}

// One subgroup of a crowd would walk along all edges of a hub.
TEST_P(FrontierRuns, HubsAreCutIntoPiecesInsteadOfRunByACrowd) {
  if (!in_groups) GTEST_SKIP() << "threads are no crowd";
  const GraphData data = star(100'000);
  const auto p = prepare(session, example("bfs"), upload(data), {});
  const std::vector<std::uint32_t> first{0};
  const auto result = p->run({.first = first, .topology = Topology::sparse_frontier});
  ASSERT_TRUE(result) << describe(result.error());
  ASSERT_GE(result->rounds.size(), 3U);
  EXPECT_TRUE(result->rounds[1].solo);
  EXPECT_EQ(result->rounds[2].edges, 100'001U);
  EXPECT_FALSE(result->rounds[2].solo);
  EXPECT_EQ(words(*p, "depth"), reference_depths(data, first));
}

TEST_P(FrontierRuns, CrowdsAreAsLargeAsTheDeviceRunsAtOnce) {
  if (GetParam() != KernelShape::groups) GTEST_SKIP() << "of the CPU's workgroups alone";
  const GraphData data = recipe("grid:300x300");
  const std::vector<std::uint32_t> first{45'150};
  const auto expected = reference_depths(data, first);
  for (const std::uint32_t threads : {2U, 1U}) {
    const Session own = *Session::open("cpu", {.cpu = {.threads = threads}, .code_folder = {}});
    const Graph graph = *Graph::from_csr(own, data.offsets, data.columns);
    const auto p = prepare(own, example("bfs"), graph, {}, {.workers = 8});
    ASSERT_TRUE(p) << describe(p.error());
    for (int again = 0; again < 2; ++again) {
      const auto result = p->run({.first = first, .topology = Topology::sparse_frontier});
      ASSERT_TRUE(result) << describe(result.error());
      std::uint32_t crowds = 0;
      for (const RoundRecord& r : result->rounds) {
        if (!r.solo || r.launched == 1) continue;
        EXPECT_EQ(r.launched, 2U);
        ++crowds;
      }
      EXPECT_EQ(crowds != 0, threads == 2);
      EXPECT_EQ(words_in(own, *p, "depth"), expected);
    }
  }
}

TEST_P(FrontierRuns, PageRankAgreesWithTheReference) {
  const GraphData data = recipe("kron:10");
  const Graph graph = upload(data);
  const auto p = prepare(session, example("pagerank"), graph, {});
  ASSERT_TRUE(p) << describe(p.error());
  const auto result = p->run({.all = true});
  ASSERT_TRUE(result) << describe(result.error());
  EXPECT_EQ(result->rounds.size(), 20U);
  const auto expected = reference_pagerank(data, 20);
  std::vector<float> rank(data.vertices());
  ASSERT_TRUE(session.read(*p->buffer("rank"), 0, std::as_writable_bytes(std::span(rank))));
  for (std::size_t v = 0; v < rank.size(); ++v) {
    ASSERT_NEAR(rank[v], expected[v], 1e-5 * expected[v] + 1e-9);
  }
}

TEST_P(FrontierRuns, ALongPathIsOneLaunchForManyRounds) {
  const GraphData data = recipe("path:20000");
  const auto p = prepare(session, example("bfs"), upload(data), {});
  const auto result = p->run({.first = {0}});
  ASSERT_TRUE(result) << describe(result.error());
  ASSERT_EQ(result->rounds.size(), 20'000U);
  for (const RoundRecord& r : result->rounds) ASSERT_TRUE(r.solo);
  const auto few = p->run({.first = {0}, .most_records = 10});
  ASSERT_TRUE(few);
  EXPECT_EQ(few->rounds.size(), 10U);
  EXPECT_EQ(few->round_count, 20'000U);
  EXPECT_TRUE(few->ended);
  const auto cut = p->run({.first = {0}, .most_rounds = 5000});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->rounds.size(), 5000U);
  EXPECT_FALSE(cut->ended);
  EXPECT_EQ(words(*p, "depth")[5000], 5000U);
  EXPECT_EQ(words(*p, "depth")[5001], kUnreachedDepth);
}

TEST_P(FrontierRuns, WhatDoesNotFitTheBudgetIsAnErrorBeforeAnythingIsMade) {
  const GraphData data = recipe("uniform:10");
  const Graph graph = upload(data);
  const std::uint64_t before = graph.bytes();
  const auto refused = prepare(session, example("bfs"), graph, {}, {.memory_budget = before});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::out_of_memory);
  EXPECT_NE(refused.error().what.find(std::to_string(before) + " are allowed"), std::string::npos)
      << refused.error().what;
  EXPECT_EQ(graph.bytes(), before);  // no transpose was made

  const auto roomy = prepare(session, example("bfs"), graph, {}, {.memory_budget = before * 100});
  ASSERT_TRUE(roomy) << describe(roomy.error());
  EXPECT_FALSE(roomy->bitmaps_alone());
  const auto tight = prepare(session, example("bfs"), graph, {},
                             {.memory_budget = roomy->bytes() + roomy->bytes() / 10});
  ASSERT_TRUE(tight) << describe(tight.error());
  EXPECT_TRUE(tight->bitmaps_alone());
  EXPECT_LT(tight->bytes(), roomy->bytes());
  const auto result = tight->run({.first = {1}});
  ASSERT_TRUE(result) << describe(result.error());
  for (const RoundRecord& r : result->rounds) {
    EXPECT_EQ(r.topology, Topology::memory_constrained);
  }
  expect_the_policys_answers(*result, "tight");
  const std::uint32_t first[] = {1};
  EXPECT_EQ(words(*tight, "depth"), reference_depths(data, first));
}

// The policy's hit capacity is enough for sparse frontiers; larger ones are only bits.
TEST_P(FrontierRuns, QueuesAreShorterWhereThoseOfAllVerticesDoNotFitTheBudget) {
  const GraphData data = recipe("grid:200x200");
  const Graph graph = upload(data);
  const auto roomy = prepare(session, example("bfs"), graph, {}, {});
  ASSERT_TRUE(roomy) << describe(roomy.error());
  FrontierOptions options{.memory_budget = roomy->bytes() + roomy->bytes() / 10, .solo = false};
  const std::vector<std::uint32_t> first{1};
  const auto expected = reference_depths(data, first);
  std::uint64_t longer = 0;
  for (const std::uint32_t multiplier : {2U, 1U}) {
    options.policy.hit_capacity_multiplier = multiplier;
    const auto tight = prepare(session, example("bfs"), graph, {}, options);
    ASSERT_TRUE(tight) << describe(tight.error());
    EXPECT_FALSE(tight->bitmaps_alone());
    EXPECT_LT(tight->bytes(), roomy->bytes());
    if (longer != 0) {
      EXPECT_LT(tight->bytes(), longer);
    }
    longer = tight->bytes();
    const auto result = tight->run({.first = first});
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_EQ(result->rounds[0].topology, Topology::sparse_frontier);
    expect_the_policys_answers(*result, "short queues");
    EXPECT_EQ(words(*tight, "depth"), expected);
  }
}

constexpr const char* kEndless =
    "@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>>;\n"
    "override spin: bool = false;\n"
    "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n"
    "  while (spin && atomicLoad(&n[v]) != 7u) { atomicStore(&n[v], 1u); }\n"
    "  return true;\n"
    "}\n";

TEST_P(FrontierRuns, DeadlinesAndStopsEndRunsAndLeaveThemUsable) {
  const OverrideValue spins[] = {{"spin", 1}};
  const auto turns = FrontierProgram::from_wgsl(kEndless, "e.wgsl");
  const auto spin = FrontierProgram::from_wgsl(kEndless, "e.wgsl", {}, spins);
  ASSERT_TRUE(turns && spin);
  const std::optional sparse(Topology::sparse_frontier);
  const std::chrono::nanoseconds stop_latest = on_gpu ? 100ms : 20s;
  for (const char* text : {"path:9", "uniform:12"}) {
    const Graph graph = upload(recipe(text));
    for (const FrontierProgram& program : {*turns, *spin}) {
      for (const bool solo : {true, false}) {
        // Sparse rounds of `uniform:12` are those of a crowd, where there are crowds.
        for (const auto& way : {std::optional<Topology>(), sparse}) {
          const auto p = prepare(session, program, graph, {}, {.solo = solo});
          ASSERT_TRUE(p);
          const auto begun = std::chrono::steady_clock::now();
          const auto late = p->run(
              {.all = true, .most_records = 9, .topology = way, .limits = {.deadline = 30ms}});
          ASSERT_FALSE(late);
          EXPECT_EQ(late.error().code, Code::device) << late.error().what;
          EXPECT_LT(std::chrono::steady_clock::now() - begun, 20s);
          std::atomic<std::uint32_t> stop{0};
          std::thread stopper([&] {
            std::this_thread::sleep_for(20ms);
            stop = 1;
          });
          const auto stopped = p->run(
              {.all = true, .topology = way, .limits = {.deadline = stop_latest, .stop = &stop}});
          stopper.join();
          ASSERT_FALSE(stopped);
          EXPECT_EQ(stopped.error().code, Code::device);
        }
      }
    }
    const auto again = prepare(session, *turns, graph, {});
    const auto result = again->run({.all = true, .most_rounds = 3});
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_EQ(result->rounds.size(), 3U);
    EXPECT_FALSE(result->ended);
  }
}

// Every run ends in time, and none of them leaves anything behind that the next one meets.
TEST_P(FrontierRuns, RandomDeadlinesAndStops) {
  const OverrideValue spins[] = {{"spin", 1}};
  const FrontierProgram bfs = example("bfs"), sssp = example("sssp");
  const auto spin = FrontierProgram::from_wgsl(kEndless, "e.wgsl", {}, spins);
  ASSERT_TRUE(spin);
  std::mt19937 random(11);
  const auto below = [&](double most) {
    return std::uniform_real_distribution<double>(0, most)(random);
  };
  struct Subject {
    PreparedFrontier bfs, sssp, spin;
    std::vector<std::uint32_t> depths, distances;
  };
  const std::vector<std::uint32_t> first{2};
  std::vector<Subject> subjects;
  for (GraphData data : {recipe("grid:200x150"), recipe("kron:12"), star(20'000)}) {
    add_weights(data);
    const Graph graph = upload(data);
    const auto wide = reference_distances(data, first);
    subjects.push_back({*prepare(session, bfs, graph, {}), *prepare(session, sssp, graph, {}),
                        *prepare(session, *spin, graph, {}), reference_depths(data, first),
                        std::vector<std::uint32_t>(wide.begin(), wide.end())});
  }
  const auto verify = [&](const Subject& s, bool weighted) {
    if (weighted) return words(s.sssp, "distance") == s.distances;
    return words(s.bfs, "depth") == s.depths;
  };
  for (int i = 0; i < 300; ++i) {
    const Subject& s = subjects[random() % subjects.size()];
    const std::uint32_t which = random() % 3;
    const PreparedFrontier& p = which == 0 ? s.bfs : which == 1 ? s.sssp : s.spin;
    FrontierRun run{.first = first};
    if (random() % 2 == 0) run.topology = kAll[random() % std::size(kAll)];
    // From a microsecond to ten milliseconds.
    const std::chrono::nanoseconds after{static_cast<std::int64_t>(std::pow(10, 3 + below(4)))};
    std::atomic<std::uint32_t> stop{0};
    std::thread stopper;
    if (random() % 2 == 0) {
      run.limits.deadline = after;
    } else {
      run.limits.stop = &stop;
      if (on_gpu) run.limits.deadline = 100ms;
      stopper = std::thread([&] {
        std::this_thread::sleep_for(after);
        stop = 1;
      });
    }
    SCOPED_TRACE(testing::Message() << "run " << i << ", program " << which);
    const auto begun = std::chrono::steady_clock::now();
    const auto result = p.run(run);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
    if (stopper.joinable()) stopper.join();
    if (!result) {
      ASSERT_EQ(result.error().code, Code::device) << describe(result.error());
    } else if (which != 2) {
      ASSERT_TRUE(verify(s, which == 1));
    }
    if (i % 10 != 9) continue;
    for (const bool weighted : {false, true}) {
      const auto whole = (weighted ? s.sssp : s.bfs).run({.first = first});
      ASSERT_TRUE(whole) << describe(whole.error());
      ASSERT_TRUE(whole->ended);
      ASSERT_TRUE(verify(s, weighted));
    }
  }
}

TEST_P(FrontierRuns, RunsOfManyThreadsFollowEachOther) {
  const GraphData data = recipe("uniform:10");
  const std::uint32_t first[] = {3};
  const auto expected = reference_depths(data, first);
  const auto p = prepare(session, example("bfs"), upload(data), {});
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        if (!p->run({.first = {3}})) ++failures;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(words(*p, "depth"), expected);
}

TEST_P(FrontierRuns, GraphsWithoutVerticesOrEdgesRun) {
  const std::vector<std::uint32_t> none{0};
  const auto empty = Graph::from_csr(session, none, {});
  ASSERT_TRUE(empty) << describe(empty.error());
  const std::vector<std::uint32_t> three{0, 0, 0, 0};
  const auto apart = Graph::from_csr(session, three, {});
  ASSERT_TRUE(apart);
  for (const char* name : {"bfs", "sssp", "components", "pagerank", "kcore"}) {
    SCOPED_TRACE(name);
    const auto p = prepare(session, example(name), *empty, {});
    ASSERT_TRUE(p) << describe(p.error());
    const auto result = p->run({.all = true});
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_TRUE(result->ended);
    const auto q = prepare(session, example(name), *apart, {});
    ASSERT_TRUE(q) << describe(q.error());
    ASSERT_TRUE(q->run({.all = true}));
  }
}

TEST_P(FrontierRuns, NamesWhatDoesNotFit) {
  const std::vector<std::uint32_t> offsets{0, 1, 2}, columns{1, 0};
  const auto graph = Graph::from_csr(session, offsets, columns);
  const FrontierProgram bfs = example("bfs");
  const auto error = [&](const FrontierProgram& program, std::vector<FrontierBinding> bindings) {
    const auto p = prepare(session, program, *graph, bindings);
    return p ? "" : describe(p.error());
  };
  const Buffer own = *session.buffer(8), small = *session.buffer(4);
  EXPECT_EQ(error(bfs, {{"dept", own}}),
            "the graph program uses no variable 'dept'; it uses depth");
  EXPECT_EQ(error(bfs, {{"depth", own}, {"depth", own}}), "'depth' is bound twice");
  EXPECT_EQ(error(example("sssp"), {}),
            "the graph program uses 'weights', and the graph has none; give a graph with weights, "
            "or bind a buffer with one number for each edge");
  const auto p = prepare(session, bfs, *graph, std::vector<FrontierBinding>{{"depth", own}});
  ASSERT_TRUE(p);
  const auto beyond = p->run({.first = {2}});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(describe(beyond.error()), "vertex 2 is not in the graph, which has 2 vertices");
  EXPECT_FALSE(p->run({.first = {0}, .topology = Topology::empty}));
  ASSERT_TRUE(p->run({.first = {1, 1}}));
  EXPECT_EQ(words(*p, "depth"), (std::vector<std::uint32_t>{1, 0}));
  std::vector<std::uint32_t> bound(2);
  ASSERT_TRUE(session.read(own, 0, std::as_writable_bytes(std::span(bound))));
  EXPECT_EQ(bound, (std::vector<std::uint32_t>{1, 0}));
  const std::vector<std::uint32_t> wrong{0, 2, 1};
  EXPECT_FALSE(Graph::from_csr(session, wrong, columns));
}

INSTANTIATE_TEST_SUITE_P(All, FrontierRuns, testing::ValuesIn(shapes_to_test()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace vyre
