// The rules for graph programs, and the errors for programs that break them.
#include <gtest/gtest.h>

#include <string>

#include "vyre/base/error.h"
#include "vyre/frontier/frontier.h"
#include "vyre/frontier/session_testing.h"
#include "vyre/ir/builder/builder.h"

namespace vyre {
namespace {

constexpr const char* kState =
    "@group(0) @binding(0) var<storage, read_write> a: array<atomic<u32>>;\n"
    "@group(0) @binding(1) var<storage, read_write> p: array<u32>;\n"
    "@group(0) @binding(2) var<storage, read> weights: array<u32>;\n"
    "var<private> mine: u32;\n"
    "var<workgroup> ours: u32;\n";

constexpr const char* kVisit =
    "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool { return e == 0u; }\n";

std::string error_of(const std::string& functions, bool with_visit = true) {
  const auto program =
      FrontierProgram::from_wgsl(kState + functions + (with_visit ? kVisit : ""), "g.wgsl");
  return program ? "" : describe(program.error());
}

std::string visit_error(const std::string& body) {
  return error_of(
      "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n  " + body + "\n  return true;\n}\n",
      false);
}

TEST(GraphProgram, NeedsToVisitOrToGather) {
  EXPECT_EQ(error_of("", false),
            "the module has neither a function 'visit' nor 'gather' and 'apply'; a graph program "
            "has one of the two; docs/graphs.md shows both");
  EXPECT_EQ(error_of("fn gather(v: u32, s: u32, e: u32, sum: f32) -> f32 { return sum; }", false),
            "the module has 'gather' and no 'apply'; a program that gathers has both");
  EXPECT_EQ(error_of("fn gather(v: u32, s: u32, e: u32, sum: f32) -> f32 { return sum; }\n"
                     "fn apply(v: u32, sum: f32, r: u32) -> bool { return false; }\n"),
            "the module has 'gather' and 'visit', which are of different kinds of graph programs; "
            "give one of them another name, or make two modules");
}

TEST(GraphProgram, ChecksSignaturesAndSaysWhereAndWhatWasExpected) {
  EXPECT_EQ(
      error_of("fn visit(s: u32, e: u32, v: i32, r: u32) -> bool { return true; }", false),
      "g.wgsl:6:4: 'visit' is (u32, u32, i32, u32) -> bool, which is not what a graph program "
      "calls; write it as fn visit(source: u32, edge: u32, vertex: u32, round: u32) -> bool");
  EXPECT_EQ(error_of("fn wants(v: u32) {}\n"),
            "g.wgsl:6:4: 'wants' is (u32), which is not what a graph program calls; write it as fn "
            "wants(vertex: u32) -> bool");
  EXPECT_NE(error_of("fn start(v: u32, r: u32) {}\n"), "");
  EXPECT_NE(error_of("fn after(v: u32) -> bool { return true; }\n"), "");
  EXPECT_NE(error_of("fn gather(v: u32, s: u32, e: u32, sum: f32) -> f32 { return sum; }\n"
                     "fn apply(v: u32, sum: u32, r: u32) -> bool { return false; }\n",
                     false),
            "");
  EXPECT_EQ(error_of("@compute @workgroup_size(1) fn init() {}\n"),
            "g.wgsl:6:32: 'init' is an entry point; a graph program is made of plain functions");
}

TEST(GraphProgram, HasNoViewsOfBuffers) {
  EXPECT_EQ(error_of("var<workgroup> b: buffer<16>;\n"
                     "fn start(v: u32) { *bufferView<u32>(&b, 0) = v; }\n"),
            "g.wgsl: a graph program cannot use buffers and their views");
}

TEST(GraphProgram, RefusesPlainStoresThatRaceByNameAndLine) {
  EXPECT_EQ(visit_error("p[v] = 1u;"),
            "g.wgsl:7:3: 'visit' stores plainly to 'p'; edges of one vertex run side by side, so "
            "every store must be atomic: declare array<atomic<u32>> and use atomicStore");
  EXPECT_EQ(visit_error("atomicStore(&a[v], p[s]);"), "");
  EXPECT_EQ(error_of("fn start(v: u32) { p[v] = 1u; }\n"), "");
  EXPECT_EQ(error_of("fn start(v: u32) { let own = v; p[own] += 1u; }\n"), "");
  EXPECT_EQ(error_of("fn start(v: u32) { p[v + 1u] = 1u; }\n"),
            "g.wgsl:6:20: 'start' stores plainly to an element of another vertex of 'p'; a plain "
            "store must go to 'p[v]'; make other stores atomic");
  EXPECT_NE(error_of("fn start(v: u32) { var i = v; p[i] = 1u; }\n"), "");
  EXPECT_EQ(
      error_of("fn start(v: u32) { p[v] = p[v / 2u]; }\n"),
      "g.wgsl:6:27: 'start' reads elements of other vertices, which they store themselves, of "
      "'p'; read another variable that does not change meanwhile, or make it atomic");
  EXPECT_NE(error_of("fn wants(v: u32) -> bool { atomicStore(&a[v], 1u); return true; }\n"), "");
}

// Vertices of one frontier wait or are left one beside the other.
TEST(GraphProgram, RefusesReadingWhatOtherVerticesStoreWhileTheyWait) {
  const std::string waits = "fn waits(v: u32, r: u32) -> bool { p[v] += 1u; return p[v] < 3u; }\n";
  const auto visit = [&](const std::string& index) {
    return error_of(waits + "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n" +
                        "  return atomicMax(&a[v], p[" + index + "]) < r;\n}\n",
                    false);
  };
  EXPECT_EQ(visit("s"), "");
  EXPECT_EQ(
      visit("v"),
      "g.wgsl:8:27: 'visit' reads elements of vertices for which 'waits' may store meanwhile, "
      "of 'p'; read another variable that does not change meanwhile, or make it atomic");
  EXPECT_NE(visit("e"), "");
  EXPECT_NE(error_of(waits + "fn wants(v: u32) -> bool { return p[v] == 0u; }\n"), "");
  // Without `waits` no other vertex stores at the same time.
  EXPECT_EQ(error_of("fn after(v: u32, r: u32) -> bool { p[v] += 1u; return true; }\n"
                     "fn wants(v: u32) -> bool { return p[v] == 0u; }\n"),
            "");
}

TEST(GraphProgram, FollowsStoresThroughCallsAndPointers) {
  const std::string helper =
      "fn put(at: ptr<storage, array<u32>, read_write>, i: u32) { (*at)[i] = 1u; }\n";
  const std::string own = helper + "fn start(v: u32) { put(&p, v); }\n";
  const std::string other = helper + "fn start(v: u32) { put(&p, v + 1u); }\n";
  EXPECT_EQ(error_of(own), "");
  EXPECT_NE(error_of(other).find("'start' stores plainly to an element of another vertex of 'p'"),
            std::string::npos)
      << error_of(other);
}

TEST(GraphProgram, RefusesWhatOnlyWorkgroupsHave) {
  EXPECT_NE(
      visit_error("mine = 1u;").find("uses 'mine', which is not a storage or uniform variable"),
      std::string::npos);
  EXPECT_NE(visit_error("ours = 1u;").find("uses 'ours'"), std::string::npos);
  EXPECT_NE(visit_error("workgroupBarrier();").find("'visit' has a barrier"), std::string::npos)
      << visit_error("workgroupBarrier();");
}

TEST(GraphProgram, RefusesWeightsThatAreNotTheGraphs) {
  const auto program = FrontierProgram::from_wgsl(
      "@group(0) @binding(0) var<storage, read> weights: array<f32>;\n"
      "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool { return weights[e] > 1.0; }",
      "w.wgsl");
  ASSERT_FALSE(program);
  EXPECT_EQ(describe(program.error()),
            "w.wgsl:1:42: 'weights' is array<f32>, and the graph's weights are u32; declare it as "
            "array<u32>, or give it another name and bind a buffer");
}

TEST(GraphProgram, TellsItsVariables) {
  const auto program =
      FrontierProgram::from_wgsl(std::string(kState) +
                                 "struct Goal { vertex: u32, far: u32 }\n"
                                 "@group(1) @binding(0) var<uniform> goal: Goal;\n"
                                 "fn wants(v: u32) -> bool { return atomicLoad(&a[v]) == 0u; }\n"
                                 "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool {\n"
                                 "  atomicMax(&a[v], weights[e] + goal.far); return true; }\n");
  ASSERT_TRUE(program) << describe(program.error());
  ASSERT_EQ(program->variables().size(), 3U);
  EXPECT_TRUE(program->has_wants());
  EXPECT_TRUE(program->uses_weights());
  EXPECT_FALSE(program->gathers());
  for (const FrontierVariable& v : program->variables()) {
    if (v.name == "a") {
      EXPECT_EQ(v.fill, FrontierFill::vertices);
      EXPECT_TRUE(v.writable);
    } else if (v.name == "weights") {
      EXPECT_EQ(v.fill, FrontierFill::weights);
    } else {
      EXPECT_EQ(v.name, "goal");
      EXPECT_EQ(v.least_bytes, 8U);
      EXPECT_EQ(v.fill, FrontierFill::zeros);
    }
  }
}

TEST(GraphProgram, TakesOverridesAndRefusesThoseItDoesNotHave) {
  const std::string text =
      "override far: u32 = 3u;\n"
      "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool { return r < far; }\n";
  const OverrideValue far[] = {{"far", 7}}, near[] = {{"near", 7}};
  EXPECT_TRUE(FrontierProgram::from_wgsl(text, "o.wgsl", {}, far));
  const auto refused = FrontierProgram::from_wgsl(text, "o.wgsl", {}, near);
  ASSERT_FALSE(refused);
  EXPECT_EQ(describe(refused.error()),
            "'graph program' has no override 'near'; its overrides are: far");
}

// Whether `after` runs in the kernel that pulls decides what it may see of other vertices.
TEST(GraphProgram, FoldsAfterIntoPullingOnlyWhereBothStayAtTheVertex) {
  const auto folds = [](const std::string& visit, const std::string& after) {
    const auto program = FrontierProgram::from_wgsl(
        std::string(kState) + "fn wants(v: u32) -> bool { return atomicLoad(&a[v]) == 0u; }\n" +
        "fn visit(s: u32, e: u32, v: u32, r: u32) -> bool { " + visit + " return true; }\n" +
        "fn after(v: u32, r: u32) -> bool { " + after + " return true; }\n");
    EXPECT_TRUE(program) << describe(program.error());
    return program->folds_after();
  };
  EXPECT_TRUE(folds("atomicStore(&a[v], 1u);", "p[v] = r;"));
  EXPECT_FALSE(folds("atomicStore(&a[v], p[s]);", "p[v] = r;"));
  EXPECT_FALSE(folds("atomicStore(&a[v], 1u);", "p[v] = atomicLoad(&a[v + 1u]);"));
  EXPECT_FALSE(folds("atomicStore(&a[s], 1u);", "p[v] = atomicLoad(&a[v]);"));
}

// The same program as a WGSL one, made of the builder's functions.
TEST(GraphProgram, IsMadeOfABuildersFunctions) {
  ProgramBuilder b("ignored", {1, 1, 1});
  const Ref depth = b.storage("depth", b.array(b.atomic(b.u32)));
  b.function("start", b.none, {{"v", b.u32}},
             [&](std::span<const Value> p) { depth[p[0]].atomic_store(1U); });
  b.function("visit", b.boolean, {{"s", b.u32}, {"e", b.u32}, {"v", b.u32}, {"r", b.u32}},
             [&](std::span<const Value> p) {
               const Value was = depth[p[2]].atomic_compare_exchange(0U, p[3] + 2U);
               b.return_(was.member("exchanged"));
             });
  const auto library = std::move(b).build();
  ASSERT_TRUE(library) << describe(library.error());
  const auto program = FrontierProgram::from_program(*library);
  ASSERT_TRUE(program) << describe(program.error());

  const Session session = session_to_test();
  const std::vector<std::uint32_t> offsets{0, 1, 3, 4, 4}, columns{1, 0, 2, 1};
  const auto graph = Graph::from_csr(session, offsets, columns);
  ASSERT_TRUE(graph);
  const auto search = prepare(session, *program, *graph, {});
  ASSERT_TRUE(search) << describe(search.error());
  const auto result = search->run({.first = {0}});
  ASSERT_TRUE(result) << describe(result.error());
  std::vector<std::uint32_t> depths(4);
  ASSERT_TRUE(session.read(*search->buffer("depth"), 0, std::as_writable_bytes(std::span(depths))));
  EXPECT_EQ(depths, (std::vector<std::uint32_t>{1, 2, 3, 0}));
}

}  // namespace
}  // namespace vyre
