#include "vyre/pipeline/pipeline_file.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "vyre/pipeline/pipeline_plan.h"

namespace vyre {
namespace {

constexpr const char* kKernels =
    "@group(0) @binding(0) var<storage, read> a: array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> b: array<f32>;\n"
    "struct P { n: u32, at: vec2<f32> }\n"
    "@group(0) @binding(2) var<uniform> p: P;\n"
    "@compute @workgroup_size(64) fn one(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  if (id.x < p.n) { b[id.x] = a[id.x] + p.at.y; } }\n"
    "@compute @workgroup_size(64) fn two(@builtin(global_invocation_id) id: vec3<u32>) {\n"
    "  b[id.x] = a[id.x]; }\n";

// Line 1 is `vyre = 1`.
const std::string kDims = "vyre = 1\n[dims]\nn = 8\n";
const std::string kBuffers =
    "[buffers]\nx = { type = \"array<f32>\", shape = [\"n\"], source = \"fill:iota\" }\n"
    "y = { type = \"array<f32>\", shape = [\"n\"], sink = \"y.npy\" }\n";
const std::string kStage = "[[stage]]\nname = \"two\"\nfile = \"k\"\n";
const std::string kRest = "size = [\"n\"]\nbind = { a = \"x\", b = \"y\" }\n";

std::string error_of(const std::string& text) {
  const auto pipeline = parse_pipeline(text, "p.toml");
  if (!pipeline) return describe(pipeline.error());
  ReadyOptions options;
  options.read_file = [](const std::string& file) -> Result<std::string> {
    if (file == "k") return std::string(kKernels);
    return fail(Code::io, "there is no file " + file);
  };
  const auto ready = make_ready(*pipeline, options);
  if (!ready) return describe(ready.error());
  const auto plan = plan_pipeline(*ready, {});
  return plan ? "" : describe(plan.error());
}

TEST(PipelineFile, AWholeOneIsRead) { EXPECT_EQ(error_of(kDims + kBuffers + kStage + kRest), ""); }

// Each text is wrong in one way, and the error names the line.
TEST(PipelineFile, MistakesNameTheirLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"vyre = 1\nvyre = 1\n", "p.toml:2:"},
      {"vyre = \"1\"\n", "p.toml:1: this version reads pipelines of version 1"},
      {"vyre = 1\nname = 3\n", "p.toml:2: name is not a text"},
      {"vyre = 1\nbuffer = 3\n", "p.toml:2: unknown key 'buffer'; did you mean buffers?"},
      {"vyre = 1\nstage = 3\n", "p.toml:2: stage is not a list"},
      {"vyre = 1\nstage = [3]\n", "p.toml:2: a stage is not a table"},
      {"vyre = 1\ndims = 3\n", "p.toml:2: dims is not a table"},
      {"vyre = 1\n[dims]\nn = -3\n", "p.toml:3: dim 'n' is not a whole number from 1 on"},
      {"vyre = 1\n[dims]\nn = { axis = 1 }\n", "p.toml:3: dim 'n' has no `of`"},
      {"vyre = 1\n[dims]\nn = { of = \"x\", axis = 16 }\n", "p.toml:3: axis is not"},
      {"vyre = 1\n[buffers]\nx = 3\n", "p.toml:3: buffer 'x' is not a table"},
      {"vyre = 1\n[buffers]\nx = { shape = [3] }\n", "p.toml:3: buffer 'x' has no type"},
      {"vyre = 1\n[buffers]\nx = { type = \"f32\", shape = [] }\n",
       "p.toml:3: shape is not a list"},
      {"vyre = 1\n[buffers]\nx = { type = \"f32\", sahpe = [1] }\n", "did you mean shape?"},
      {"vyre = 1\n[uniforms]\nu = 3\n", "p.toml:3: uniform 'u' is not a table"},
      {"vyre = 1\n[uniforms.u]\nn = true\n", "p.toml:3: field 'n' is neither"},
      {"vyre = 1\n[uniforms.u]\nn = [1, []]\n", "p.toml:3: field 'n' is neither"},
      {"vyre = 1\n[loops]\nl = 3\n", "p.toml:3: loop 'l' is not a table"},
      {"vyre = 1\n[loops.l]\nmost = 3\nswap = 3\n", "p.toml:4: swap is not a list of pairs"},
      {"vyre = 1\n[loops.l]\nmost = -3\n", "p.toml:3: a size is neither"},
      {"vyre = 1\n[loops.l]\nmost = 1\nclear = [1]\n", "p.toml:4:"},
      {"vyre = 1\n[loops.l]\nmost = 1\nuntil = \"\"\n", "p.toml:4: until is empty"},
      {kDims + kBuffers + kStage + "size = [1]\ngroups = [1]\n", "p.toml:11: size and groups"},
      {kDims + kBuffers + kStage + "groups = {}\n", "p.toml:10: groups has no `from`"},
      {kDims + kBuffers + kStage + "groups = { from = \"x\", offset = -4 }\n", "p.toml:10: offset"},
      {kDims + kBuffers + kStage + "size = [1, 1, 1, 1]\n", "p.toml:10: size is not a list"},
      {kDims + kBuffers + kStage + "bind = []\n", "p.toml:10: bind is not a table"},
      {kDims + kBuffers + kStage + "size = [1]\nbind = { a = 3 }\n", "p.toml:11: a is not a text"},
      {kDims + kBuffers + kStage + "set = { A = \"x\" }\n", "p.toml:10: override 'A'"},
      {kDims + kBuffers + kStage + "host = 1\n", "p.toml:10: host is neither"},
      {kDims + kBuffers + "[[stage]]\nfile = \"k\"\n", "p.toml:7: the stage has no name"},
      {kDims + kBuffers + "[[stage]]\nname = \"s\"\n", "p.toml:7: stage 's' has no file"},
      {kDims + kBuffers + kStage + "size = [\"m\"]\nbind = { a = \"x\", b = \"y\" }\n",
       "p.toml:7: stage 'two': there is no dim 'm'; there are n"},
      {kDims + kBuffers + kStage + "size = [\"n - 8\"]\nbind = { a = \"x\", b = \"y\" }\n",
       "p.toml:7: stage 'two': \"n - 8\" is 0"},
      {kDims + kBuffers + kStage + "size = [\"n / 0\"]\nbind = { a = \"x\", b = \"y\" }\n",
       "a division by zero"},
      {kDims + kBuffers + kStage +
           "size = [\"9999999999 * 9999999999\"]\nbind = { a = \"x\", b = \"y\" }\n",
       "too large"},
      {kDims + kBuffers + kStage + "size = [8]\nbind = { a = \"x\", b = \"z\" }\n",
       "p.toml:7: stage 'two': there is no buffer or uniform 'z'"},
      {kDims + kBuffers + kStage + "size = [8]\nbind = { a = \"x\", b = \"y\" }\nloop = \"l\"\n",
       "p.toml:7: stage 'two': there is no loop 'l'"},
      {kDims + kBuffers + "[[stage]]\nname = \"two\"\nfile = \"q\"\n" + kRest,
       "p.toml:7: stage 'two': there is no file q"},
      {kDims + kBuffers + "[[stage]]\nname = \"tow\"\nfile = \"k\"\n" + kRest, "p.toml:7: stage"},
      {kDims + "[buffers]\nx = { type = \"array<f32>\", shape = [\"n * 1000000000000\"] }\n" +
           kStage + kRest,
       "p.toml:5: buffer 'x': \"n * 1000000000000\" is 8000000000000"},
      {kDims + "[buffers]\nx = { type = \"array<f32>; var<private> z: i32\", shape = [1] }\n" +
           kStage + kRest,
       "p.toml:5: buffer 'x'"},
      {kDims + "[buffers]\nx = { type = \"texture_2d<f32>\", shape = [1] }\n" + kStage + kRest,
       "p.toml:5: buffer 'x'"},
      {kDims + "[buffers]\nx = { type = \"array<f32>\", shape = [1], source = \"fill:no\" }\n" +
           kStage + kRest,
       "p.toml:5: buffer 'x'"},
      {kDims + "[buffers]\nx = { type = \"array<u32>\", shape = [4], source = \"fill:zeros\" }\n" +
           "y = { type = \"array<f32>\", shape = [4], sink = \"y.npy\" }\n" + kStage + kRest,
       "p.toml:7: stage 'two': 'a' is array<f32>, and 'x' is array<u32>: byte 0 is of f32 here and "
       "of u32 there; give both the same type"},
      {kDims + "[buffers]\nx = { type = \"array<f32>\", shape = [4], source = \"fill:zeros\" }\n" +
           "y = { type = \"array<f32>\", shape = [4], sink = \"y.npy\" }\n" +
           "z = { type = \"array<i32>\", shape = [4] }\n" + kStage + kRest +
           "loop = \"l\"\n[loops.l]\nmost = 3\nswap = [[\"x\", \"z\"]]\n",
       "'x' has 16 bytes (array<f32>), and 'z' has 16 bytes (array<i32>)"},
      {kDims + kBuffers + "[uniforms.x]\nn = 1\n" + kStage + kRest,
       "p.toml:7: 'x' is a buffer or uniform twice"},
      {kDims + kBuffers + "[uniforms.p]\nn = 1\n" + kStage + kRest,
       "p.toml:7: no stage binds the uniform 'p'"},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_NE(error_of(text).find(expected), std::string::npos)
        << text << "\nsays: " << error_of(text) << "\nand not: " << expected;
  }
}

TEST(PipelineFile, UniformsMayHaveVectors) {
  const std::string stage =
      "[[stage]]\nname = \"one\"\nfile = \"k\"\nsize = [8]\n"
      "bind = { a = \"x\", b = \"y\", p = \"p\" }\n";
  const auto with = [&](const std::string& at) {
    return error_of(kDims + kBuffers + "[uniforms.p]\nn = \"n\"\nat = " + at + "\n" + stage);
  };
  EXPECT_EQ(with("[1.5, \"n / 3\"]"), "");
  EXPECT_NE(with("[1.5]").find("p.toml:9: field 'at' is vec2<f32>, which takes 2 numbers; 1 are"),
            std::string::npos)
      << with("[1.5]");
  EXPECT_NE(with("[1, \"m\"]").find("p.toml:9: field 'at': there is no dim 'm'"),
            std::string::npos);
}

TEST(PipelineFile, TextThatIsCutAnywhereIsRefusedOrRead) {
  const std::string text =
      kDims + kBuffers + kStage + kRest +
      "loop = \"l\"\n[loops.l]\nmost = 3\nuntil = \"y[0] == 0\"\nclear = [\"y\"]\n";
  EXPECT_EQ(error_of(text), "");
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string cut = text.substr(0, length);
    const auto pipeline = parse_pipeline(cut, "p.toml");
    if (pipeline) continue;
    EXPECT_NE(pipeline.error().what.find("p.toml"), std::string::npos) << cut;
  }
}

}  // namespace
}  // namespace vyre
