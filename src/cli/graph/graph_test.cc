#include "vyre/cli/graph/graph.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"
#include "vyre/data/npy/npy.h"

namespace vyre {
namespace {

// 0 -> 1 -> 2 -> 3, 0 -> 3, and 4 alone.
constexpr const char* kDirected =
    "%%MatrixMarket matrix coordinate integer general\n"
    "5 5 4\n1 2 1\n2 3 2\n3 4 3\n1 4 9\n";

class GraphCommand : public testing::Test {
 protected:
  CommandResult run(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.insert(arguments.begin(), "graph");
    arguments.insert(arguments.end(), {"--device", "cpu", "--threads", "2"});
    return run_vyre(arguments, input);
  }
  nlohmann::json json(std::vector<std::string> arguments, const std::string& input = "") {
    arguments.emplace_back("--json");
    const CommandResult result = run(std::move(arguments), input);
    EXPECT_EQ(result.exit, 0) << result.err;
    return result.exit == 0 ? nlohmann::json::parse(result.out) : nlohmann::json();
  }
  nlohmann::json printed(std::vector<std::string> arguments, const std::string& variable) {
    arguments.insert(arguments.end(), {"--print", variable});
    const auto out = json(std::move(arguments));
    return out.is_null() ? out : out.at("printed").at(0).at("values");
  }
  std::string error(std::vector<std::string> arguments, int exit = 2) {
    const CommandResult result = run(std::move(arguments));
    EXPECT_EQ(result.exit, exit) << result.out << result.err;
    return result.err;
  }
  std::string path(const std::string& name) const { return folder_.path() / name; }
  std::string write(const std::string& name, const std::string& content) const {
    EXPECT_TRUE(replace_file(path(name), content));
    return path(name);
  }

  TemporaryFolder folder_;
};

TEST_F(GraphCommand, RunsEveryIncludedProgram) {
  const std::string graph = write("a.mtx", kDirected);
  constexpr std::uint32_t kNone = 0xffffffff;
  EXPECT_EQ(printed({"bfs", graph, "--verify"}, "depth"), nlohmann::json({0, 1, 2, 1, kNone}));
  EXPECT_EQ(printed({"bfs", graph, "--verify", "--from", "2,1"}, "depth"),
            nlohmann::json({kNone, 0, 0, 1, kNone}));
  EXPECT_EQ(printed({"sssp", graph, "--verify"}, "distance"), nlohmann::json({0, 1, 3, 6, kNone}));
  EXPECT_EQ(printed({"components", graph, "--verify"}, "label"), nlohmann::json({0, 0, 0, 0, 4}));
  EXPECT_EQ(printed({"kcore", graph, "--verify", "--undirected", "--set", "k=2"}, "inside"),
            nlohmann::json({1, 1, 1, 1, 0}));
  EXPECT_EQ(json({"pagerank", graph, "--verify", "--set", "rounds=3"}).at("rounds"), 3);
}

TEST_F(GraphCommand, RunsEveryTopology) {
  constexpr std::array<std::pair<const char*, const char*>, 5> kWords{
      {{"sparse", "sparse_frontier"},
       {"hybrid", "hybrid_frontier"},
       {"dense", "dense_frontier"},
       {"fused", "fused_dense"},
       {"memory", "memory_constrained"}}};
  for (const auto& [word, topology] : kWords) {
    const auto out = json({"bfs", "kron:8", "--verify", "--explain", "--topology", word});
    ASSERT_FALSE(out.is_null()) << topology;
    EXPECT_EQ(out.at("verified"), true);
    for (const auto& record : out.at("records")) {
      EXPECT_EQ(record.at("forced"), true);
      EXPECT_EQ(record.at("topology"), topology);
      EXPECT_EQ(record.at("reason"), "--topology");
    }
  }
}

TEST_F(GraphCommand, PrintsWhatItDid) {
  const CommandResult result = run({"bfs", "grid:20x10", "--verify", "--explain"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(result.out.find("bfs on grid:20x10 (200 vertices, 740 edges), cpu: "),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("reached 200 of 200 vertices, the farthest after 28 edges\n"),
            std::string::npos);
  EXPECT_NE(result.out.find("verified: depth is that of a serial algorithm\n"), std::string::npos);
  EXPECT_TRUE(result.out.starts_with("round")) << result.out;
  EXPECT_NE(result.out.find("  vyre resident --queue "), std::string::npos);
}

TEST_F(GraphCommand, RecordsOfRoundsAreDecidedAgain) {
  const auto out = json({"bfs", "kron:10", "--explain"});
  ASSERT_FALSE(out.is_null());
  EXPECT_EQ(out.at("records").size(), out.at("rounds"));
  std::uint64_t edges = 0;
  for (const auto& record : out.at("records")) {
    edges += record.at("edges").get<std::uint64_t>();
    EXPECT_EQ(record.at("frontier"), record.at("request").at("queue_len"));
    EXPECT_EQ(record.at("request").at("graph_node_count"), 1024);
  }
  EXPECT_EQ(edges, out.at("visited_edges"));
}

TEST_F(GraphCommand, RunsTheProgramOfAFile) {
  // The largest vertex from which each vertex can be reached.
  const std::string program = write("largest.wgsl", R"(
@group(0) @binding(0) var<storage, read_write> largest: array<atomic<u32>>;
fn init(vertex: u32) { atomicStore(&largest[vertex], vertex); }
fn visit(source: u32, edge: u32, neighbour: u32, round: u32) -> bool {
  let mine = atomicLoad(&largest[source]);
  return atomicMax(&largest[neighbour], mine) < mine;
}
)");
  EXPECT_EQ(printed({program, write("a.mtx", kDirected), "--all"}, "largest"),
            nlohmann::json({0, 1, 2, 3, 4}));
  EXPECT_EQ(printed({program, "path:4", "--all"}, "largest"), nlohmann::json({3, 3, 3, 3}));
  // From vertex 0 alone nothing larger is passed on.
  EXPECT_EQ(printed({program, "path:4"}, "largest"), nlohmann::json({0, 1, 2, 3}));
  EXPECT_NE(error({program, "path:4", "--verify"}).find("--verify is for the included programs"),
            std::string::npos);
}

TEST_F(GraphCommand, BindsInputsAndWritesOutputs) {
  const std::string program = write("weighed.wgsl", R"(
@group(0) @binding(0) var<storage, read_write> sum: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read> value: array<u32>;
fn visit(source: u32, edge: u32, neighbour: u32, round: u32) -> bool {
  atomicAdd(&sum[neighbour], value[source]);
  return false;
}
)");
  const std::string out = path("sum.npy");
  const CommandResult result =
      run({program, "path:3", "--all", "--in", "value=fill:iota", "--out", "sum=" + out});
  ASSERT_EQ(result.exit, 0) << result.err;
  const auto file = read_file(out);
  ASSERT_TRUE(file);
  const auto array = parse_npy(*file, out, ScalarKind::u32);
  ASSERT_TRUE(array) << describe(array.error());
  EXPECT_EQ(array->shape, std::vector<std::uint64_t>{3});
  std::uint32_t values[3];
  std::memcpy(values, array->data.data(), sizeof values);
  EXPECT_EQ(values[0], 1U);
  EXPECT_EQ(values[1], 2U);
  EXPECT_EQ(values[2], 1U);
}

TEST_F(GraphCommand, WritesAPage) {
  const CommandResult result = run({"bfs", "grid:9x9", "--report", path("page.html")});
  ASSERT_EQ(result.exit, 0) << result.err;
  const auto page = read_file(path("page.html"));
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("<svg"), std::string::npos);
  EXPECT_NE(page->find("bfs on grid:9x9"), std::string::npos);
}

TEST_F(GraphCommand, RefusesWhatItCannotDo) {
  EXPECT_NE(error({"bfz", "path:3"}).find("there is no graph program 'bfz'; did you mean bfs?"),
            std::string::npos);
  EXPECT_NE(error({"bfs", "pat:3"}).find("did you mean path?"), std::string::npos);
  EXPECT_NE(error({"bfs", "x.txt"}).find("'x.txt' is not a graph"), std::string::npos);
  EXPECT_NE(error({"bfs", path("missing.sg")}).find("No such file"), std::string::npos);
  EXPECT_NE(error({"bfs", "path:3", "--from", "3"})
                .find("--from: there is no vertex 3; the last of path:3 is 2"),
            std::string::npos);
  EXPECT_NE(error({"components", "path:3", "--from", "1"}).find("begins with every vertex"),
            std::string::npos);
  EXPECT_NE(error({"bfs", "path:3", "--from", "1", "--all"}).find("cannot both be given"),
            std::string::npos);
  EXPECT_NE(error({"bfs", "path:3", "--from", "x"}).find("not a whole number"), std::string::npos);
  EXPECT_NE(error({"kcore", write("a.mtx", kDirected)}).find("add --undirected"),
            std::string::npos);
  EXPECT_NE(error({"bfs", "path:3", "--out", "dept=" + path("d.npy")}).find("did you mean depth?"),
            std::string::npos);
  EXPECT_NE(error({"bfs", "path:3", "--out", "depth=nowhere/d.npy"}).find("no folder"),
            std::string::npos);
  EXPECT_NE(error({"bfs", "path:3", "--out", "depth=" + path("d.png")}).find("is an image"),
            std::string::npos);
  EXPECT_NE(error({"bfs", "path:3", "--topology", "empty"}).find("there is no topology"),
            std::string::npos);
  EXPECT_NE(error({"kcore", "path:3", "--set", "j=3"}).find("j"), std::string::npos);
  EXPECT_NE(error({"bfs",
                   write("empty.mtx", "%%MatrixMarket matrix coordinate pattern general\n0 0 0\n")})
                .find("the graph has no vertices"),
            std::string::npos);
  EXPECT_NE(error({"bfs", write("short.sg", "123")}).find("is not a serialised graph"),
            std::string::npos);
}

TEST_F(GraphCommand, RunsOddGraphs) {
  // One vertex; vertices without edges; self loops and repeated edges.
  EXPECT_EQ(printed({"bfs", "path:1", "--verify"}, "depth"), nlohmann::json::array({0}));
  EXPECT_EQ(printed({"components", "path:1", "--verify"}, "label"), nlohmann::json::array({0}));
  const std::string none =
      write("none.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n");
  const std::string odd = write("odd.mtx",
                                "%%MatrixMarket matrix coordinate pattern symmetric\n"
                                "3 3 5\n1 1\n2 1\n2 1\n3 3\n3 3\n");
  for (const std::string& graph : {none, odd}) {
    for (const char* program : {"bfs", "sssp", "components", "pagerank", "kcore"}) {
      EXPECT_EQ(json({program, graph, "--verify"}).value("verified", false), true)
          << program << " " << graph;
    }
  }
}

TEST_F(GraphCommand, EndsAtItsDeadlineAndAfterItsRounds) {
  EXPECT_NE(error({"bfs", "path:3000000", "--deadline", "0.000001"}, 1).find("deadline"),
            std::string::npos);
  const auto out = json({"bfs", "path:100", "--rounds", "5"});
  ASSERT_FALSE(out.is_null());
  EXPECT_EQ(out.at("rounds"), 5);
  EXPECT_EQ(out.at("ended"), false);
  EXPECT_NE(error({"bfs", "path:100", "--rounds", "5", "--verify"}).find("cut the run short"),
            std::string::npos);
}

}  // namespace
}  // namespace vyre
