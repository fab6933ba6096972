// Patterns of real programs: each pipeline runs fused and stage by stage, three times in a row, and
// must leave in every buffer what the interpreter leaves there, on every device.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/runner.h"
#include "vyre/engine/pipeline/prepared_pipeline.h"
#include "vyre/pipeline/interpret_pipeline.h"
#include "vyre/pipeline/pipeline_file.h"

namespace vyre {
namespace {

constexpr const char* kKernels = R"(
override SCALE: f32 = 2;
override STEP: u32 = 1;
struct Size { n: u32 }
struct Pair { key: u32, value: f32 }
struct Couple { name: u32, weight: f32 }
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@group(0) @binding(3) var<uniform> size: Size;
@group(0) @binding(4) var<storage, read_write> words: array<u32>;
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read> quads: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> pairs: array<Pair>;
@group(0) @binding(8) var<storage, read> couples: array<Couple>;
@group(0) @binding(9) var<storage, read_write> grid: array<u32>;
@group(0) @binding(10) var<storage, read_write> moved: atomic<u32>;

@compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < size.n) { c[id.x] = a[id.x] * SCALE; } }
@compute @workgroup_size(64) fn add(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < size.n) { c[id.x] = a[id.x] + b[id.x]; } }
@compute @workgroup_size(64) fn more(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < size.n) { c[id.x] += a[id.x]; } }
@compute @workgroup_size(32) fn twist(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < size.n) { c[id.x] = 0.5 * (a[(id.x + STEP) % size.n] + b[id.x]); } }
@compute @workgroup_size(64) fn in_place(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < size.n) { c[id.x] = c[id.x] * 0.5 + 1; } }
@compute @workgroup_size(64) fn odd_only(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < size.n && id.x % 2 == 1) { c[id.x] = a[id.x]; } }
@compute @workgroup_size(64) fn number(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < size.n) { words[id.x] = u32(a[id.x]) * 7u % 13u; } }
@compute @workgroup_size(16) fn count(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < size.n) { atomicAdd(&counts[u32(a[id.x]) % arrayLength(&counts)], 1u); } }
@compute @workgroup_size(16) fn fold(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&quads)) { let q = quads[id.x]; c[id.x] = f32(q.x + q.y + q.z + q.w); } }
@compute @workgroup_size(16) fn make_pairs(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < size.n) { pairs[id.x] = Pair(id.x, a[id.x]); } }
@compute @workgroup_size(16) fn use_couples(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < size.n) { c[id.x] = couples[id.x].weight * f32(couples[id.x].name); } }
@compute @workgroup_size(1) fn choose(@builtin(global_invocation_id) id: vec3<u32>) {
  grid[0] = (words[3] + 1u); grid[1] = 1u; grid[2] = 1u; }
@compute @workgroup_size(4) fn mark(@builtin(global_invocation_id) id: vec3<u32>,
                                    @builtin(num_workgroups) all: vec3<u32>) {
  if (id.x < size.n) { c[id.x] = f32(all.x * 4u) + a[id.x]; } }
@compute @workgroup_size(64) fn settle(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= size.n) { return; }
  let next = floor(a[id.x] / 2);
  c[id.x] = next;
  if (next != a[id.x]) { atomicAdd(&moved, 1u); } }
// One exchange of a bitonic sort.
override RUN: u32 = 2;
override APART: u32 = 1;
@compute @workgroup_size(64) fn exchange(@builtin(global_invocation_id) id: vec3<u32>) {
  let other = id.x ^ APART;
  if (id.x >= size.n || other <= id.x) { return; }
  let up = (id.x & RUN) == 0u;
  let x = c[id.x];
  let y = c[other];
  if ((x > y) == up) { c[id.x] = y; c[other] = x; } }
)";

const std::string kHead =
    "vyre = 1\nname = \"pattern\"\n[dims]\nn = 77\n[buffers]\n"
    "x = { type = \"array<f32>\", shape = [\"n\"], source = \"fill:random=3\" }\n"
    "i = { type = \"array<f32>\", shape = [\"n\"], source = \"fill:iota\" }\n"
    "state = { type = \"array<f32>\", shape = [\"n\"], source = \"fill:random=5\" }\n"
    "s = { type = \"array<f32>\", shape = [\"n\"] }\n"
    "t = { type = \"array<f32>\", shape = [\"n\"] }\n"
    "u = { type = \"array<f32>\", shape = [\"n\"] }\n"
    "moved = { type = \"atomic<u32>\" }\n"
    "y = { type = \"array<f32>\", shape = [\"n\"], sink = \"y.npy\" }\n";
const std::string kUniform = "[uniforms.size]\nn = \"n\"\n";

std::string stage(const std::string& entry, const std::string& bind, const std::string& more = "",
                  const std::string& size = "size = [\"n\"]") {
  static int number = 0;
  return "[[stage]]\nname = \"" + entry + " " + std::to_string(++number) + "\"\nentry = \"" +
         entry + "\"\nfile = \"k.wgsl\"\n" + size + "\nbind = { " + bind + " }\n" + more;
}
// A stage whose kernel uses the uniform.
std::string sized(const std::string& entry, const std::string& bind, const std::string& more = "",
                  const std::string& size = "size = [\"n\"]") {
  return stage(entry, bind + ", size = \"size\"", more, size);
}

class PipelinePatterns : public testing::Test {
 protected:
  void expect_same(const std::string& text) {
    for (const std::string& device : devices_to_test()) {
      const auto session = Session::open(device, {.cpu = {.threads = 2}, .code_folder = {}});
      if (!session && session.error().code == Code::unavailable) continue;
      ASSERT_TRUE(session) << session.error().what;
      expect_same_on(*session, text);
      if (HasFatalFailure()) return;
    }
  }

 private:
  static void expect_same_on(const Session& session, const std::string& text) {
    const auto pipeline = parse_pipeline(text, "p.toml");
    ASSERT_TRUE(pipeline) << pipeline.error().what;
    PipelineOptions options;
    options.ready.read_file = [](const std::string&) -> Result<std::string> { return kKernels; };
    const auto ready = make_ready(*pipeline, options.ready);
    ASSERT_TRUE(ready) << ready.error().what;
    for (const bool fuse : {true, false}) {
      options.plan.fuse = fuse;
      auto prepared = session.prepare(*pipeline, options);
      ASSERT_TRUE(prepared) << prepared.error().what;
      auto expected = first_memory(*ready);
      ASSERT_TRUE(expected);
      for (int run = 0; run < 3; ++run) {
        const auto ran = session.run(*prepared);
        ASSERT_TRUE(ran) << ran.error().what;
        ASSERT_TRUE(interpret_pipeline(*ready, *expected));
        compare(*ready, *prepared, *expected,
                (fuse ? "fused" : "apart") + std::string(", run ") + std::to_string(run));
      }
    }
  }

  static void compare(const ReadyPipeline& ready, const PreparedPipeline& prepared,
                      const PipelineMemory& expected, const std::string& how) {
    for (std::size_t b = 0; b < ready.buffers.size(); ++b) {
      const ReadyBuffer& buffer = ready.buffers[b];
      if (!buffer.seen_outside() || !prepared.launches().buffers[b].memory) continue;
      std::vector<std::byte> found(buffer.bytes);
      ASSERT_TRUE(prepared.read(buffer.name, found));
      ASSERT_EQ(std::memcmp(found.data(), expected[b].data(), found.size()), 0)
          << how << ", buffer '" << buffer.name << "'\n"
          << prepared.plan();
    }
  }
};

TEST_F(PipelinePatterns, OneModuleWithSeveralOverridesAndBindings) {
  expect_same(kHead + kUniform + sized("scale", R"(a = "x", c = "s")", "set = { SCALE = 3 }\n") +
              sized("scale", R"(a = "s", c = "t")", "set = { SCALE = -0.5 }\n") +
              sized("scale", R"(a = "x", c = "u")") + sized("add", R"(a = "t", b = "u", c = "y")"));
}

TEST_F(PipelinePatterns, TheSameBufferTwiceInAStageReadOnly) {
  expect_same(kHead + kUniform + sized("add", R"(a = "x", b = "x", c = "s")") +
              sized("twist", R"(a = "s", b = "s", c = "y")", "set = { STEP = 5 }\n"));
}

TEST_F(PipelinePatterns, OneBufferAsDifferentTypesOfEqualSize) {
  expect_same(kHead + "w = { type = \"array<u32>\", shape = [80] }\n" +
              "z = { type = \"array<f32>\", shape = [20], sink = \"z.npy\" }\n" + kUniform +
              sized("number", R"(a = "i", words = "w")") +
              sized("count", R"(a = "i", counts = "w")") +
              stage("fold", R"(quads = "w", c = "z")", "", "size = [20]") +
              sized("scale", R"(a = "x", c = "y")"));
}

TEST_F(PipelinePatterns, StructsOfEqualLayout) {
  expect_same(kHead + "p = { type = \"array<Pair>\", shape = [\"n\"] }\n" + kUniform +
              sized("make_pairs", R"(a = "x", pairs = "p")") +
              sized("use_couples", R"(couples = "p", c = "y")"));
}

TEST_F(PipelinePatterns, NeighboursWithDifferentGrids) {
  expect_same(kHead + kUniform +
              sized("scale", R"(a = "x", c = "s")", "", "size = [\"ceil(n / 2)\"]") +
              sized("add", R"(a = "s", b = "x", c = "t")") +
              sized("in_place", R"(c = "t")", "", "groups = [1]") +
              sized("add", R"(a = "t", b = "s", c = "y")", "", "size = [\"n - 3\"]"));
}

TEST_F(PipelinePatterns, InPlaceStages) {
  expect_same(kHead + kUniform + sized("scale", R"(a = "x", c = "y")") +
              sized("in_place", R"(c = "y")") + sized("in_place", R"(c = "state")") +
              sized("more", R"(a = "state", c = "y")") + sized("in_place", R"(c = "y")"));
}

TEST_F(PipelinePatterns, ElementsThatNobodyWritesReadAsZero) {
  expect_same(kHead + kUniform + sized("odd_only", R"(a = "x", c = "s")") +
              sized("add", R"(a = "s", b = "x", c = "y")"));
}

TEST_F(PipelinePatterns, PingPongByNames) {
  std::string text = kHead + kUniform + sized("scale", R"(a = "x", c = "s")");
  for (int i = 0; i < 6; ++i) {
    text += sized("twist", R"(a = "s", b = "x", c = "t")");
    text += sized("twist", R"(a = "t", b = "x", c = "s")");
  }
  expect_same(text + sized("scale", R"(a = "s", c = "y")"));
}

TEST_F(PipelinePatterns, SixtyStages) {
  std::string text = kHead + kUniform + sized("scale", R"(a = "x", c = "s")");
  for (int i = 0; i < 29; ++i) {
    text += sized("add", R"(a = "s", b = "x", c = "t")");
    text += i % 5 == 4 ? sized("twist", R"(a = "t", b = "x", c = "s")")
                       : sized("scale", R"(a = "t", c = "s")", "set = { SCALE = 0.5 }\n");
  }
  expect_same(text + sized("scale", R"(a = "s", c = "y")"));
}

TEST_F(PipelinePatterns, ASortByExchanges) {
  std::string text = kHead + kUniform;
  text.replace(text.find("n = 77"), 6, "n = 64");
  text += sized("scale", R"(a = "x", c = "y")");
  for (int run = 2; run <= 64; run *= 2) {
    for (int apart = run / 2; apart > 0; apart /= 2) {
      text += sized(
          "exchange", R"(c = "y")",
          "set = { RUN = " + std::to_string(run) + ", APART = " + std::to_string(apart) + " }\n");
    }
  }
  expect_same(text);
}

TEST_F(PipelinePatterns, AGridFromAnEarlierStage) {
  expect_same(kHead + "w = { type = \"array<u32>\", shape = [\"n\"] }\n" +
              "g = { type = \"array<u32>\", shape = [3] }\n" + kUniform +
              sized("number", R"(a = "i", words = "w")") +
              stage("choose", R"(words = "w", grid = "g")", "", "size = [1]") +
              sized("mark", R"(a = "x", c = "y")", "", "groups = { from = \"g\" }") +
              sized("in_place", R"(c = "y")"));
}

TEST_F(PipelinePatterns, LoopsThatExchangeNames) {
  for (const int rounds : {1, 2, 3, 8}) {
    const std::string most = "most = " + std::to_string(rounds) + "\n";
    // Temporaries, a kept buffer with a temporary, and two loops over the same pair.
    expect_same(kHead + kUniform + sized("scale", R"(a = "x", c = "s")") +
                sized("twist", R"(a = "s", b = "x", c = "t")", "loop = \"one\"\n") +
                sized("add", R"(a = "s", b = "x", c = "y")") +
                sized("twist", R"(a = "s", b = "x", c = "t")", "loop = \"two\"\n") +
                sized("twist", R"(a = "state", b = "s", c = "u")", "loop = \"three\"\n") +
                sized("more", R"(a = "u", c = "y")") + "[loops.one]\n" + most +
                "swap = [[\"s\", \"t\"]]\n[loops.two]\nmost = 3\nswap = [[\"t\", \"s\"]]\n" +
                "[loops.three]\n" + most + "swap = [[\"state\", \"u\"]]\n");
    // Three buffers in turn.
    expect_same(kHead + kUniform + sized("scale", R"(a = "x", c = "s")") +
                sized("twist", R"(a = "s", b = "t", c = "u")", "loop = \"l\"\n") +
                sized("add", R"(a = "s", b = "t", c = "y")") + "[loops.l]\n" + most +
                "swap = [[\"u\", \"t\"], [\"t\", \"s\"]]\n");
  }
}

TEST_F(PipelinePatterns, LoopsWhoseRoundsBuildOnEachOther) {
  // `t` sums over the rounds, `s` is made anew in each, and `u` is written behind where it is read.
  expect_same(kHead + kUniform + sized("scale", R"(a = "x", c = "s")", "loop = \"l\"\n") +
              sized("more", R"(a = "s", c = "t")", "loop = \"l\"\n") +
              sized("add", R"(a = "u", b = "t", c = "y")", "loop = \"l\"\n") +
              sized("odd_only", R"(a = "y", c = "u")", "loop = \"l\"\n") + "[loops.l]\nmost = 4\n");
  // What `clear` clears is zero in each round, and only there.
  expect_same(kHead + kUniform + sized("more", R"(a = "x", c = "s")", "loop = \"l\"\n") +
              sized("more", R"(a = "s", c = "y")", "loop = \"l\"\n") +
              "[loops.l]\nmost = 4\nclear = [\"s\"]\n");
}

TEST_F(PipelinePatterns, LoopsThatEndByACondition) {
  expect_same(kHead + kUniform + sized("scale", R"(a = "i", c = "s")") +
              sized("settle", R"(a = "s", c = "t", moved = "moved")", "loop = \"l\"\n") +
              sized("more", R"(a = "t", c = "y")", "loop = \"l\"\n") +
              "[loops.l]\nmost = 100\nuntil = \"moved == 0\"\nclear = [\"moved\"]\n"
              "swap = [[\"s\", \"t\"]]\n");
}

}  // namespace
}  // namespace vyre
