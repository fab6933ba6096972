#include "vyre/cli/run/run.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "vyre/base/files/files.h"
#include "vyre/base/files/temporary_folder_testing.h"
#include "vyre/cli/command_line_testing.h"
#include "vyre/data/npy/npy.h"

namespace vyre {
namespace {

constexpr const char* kDouble = R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.x] = 2.0 * x[id.x] + y[id.x];
}
)";

template <class T>
std::string npy(ScalarKind kind, const std::vector<std::uint64_t>& shape,
                const std::vector<T>& values) {
  std::string file = npy_header(npy_type(kind), shape);
  file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return file;
}

class Run : public testing::Test {
 protected:
  // "vyre run - ..." on the interpreter, with the text as its input.
  CommandResult run(const std::string& text, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"run", "-", "--device=interp"});
    return run_vyre(arguments, text);
  }
  // The values of one printed buffer.
  nlohmann::json values(const std::string& text, std::vector<std::string> arguments,
                        std::size_t printed = 0) {
    arguments.emplace_back("--json");
    const CommandResult result = run(text, std::move(arguments));
    EXPECT_EQ(result.exit, 0) << result.err;
    if (result.exit != 0) return {};
    return nlohmann::json::parse(result.out).at("printed").at(printed).at("values");
  }
  std::string error(const std::string& text, std::vector<std::string> arguments, int exit = 2) {
    const CommandResult result = run(text, std::move(arguments));
    EXPECT_EQ(result.exit, exit) << result.out;
    EXPECT_EQ(result.out, "");
    return result.err;
  }
  std::string path(const std::string& name) const { return folder_.path() / name; }
  std::string write(const std::string& name, const std::string& content) const {
    EXPECT_TRUE(replace_file(path(name), content));
    return path(name);
  }

  TemporaryFolder folder_;
};

// Without --size the extent is inferred; buffers that are longer may have been meant.
TEST_F(Run, SaysWhichBuffersAreLongerThanAnInferredExtent) {
  const std::vector<std::string> data{"--in", "x=fill:iota:9", "--in", "y=fill:zeros:4"};
  const CommandResult result = run(kDouble, data);
  EXPECT_EQ(result.exit, 0);
  EXPECT_EQ(
      result.err,
      "vyre: note: the size was inferred from the elements of y; x (9) is longer; give --size "
      "to choose it\n");
  std::vector<std::string> strict = data;
  strict.emplace_back("--strict");
  EXPECT_EQ(
      error(kDouble, strict),
      "vyre: --strict: the size was inferred from the elements of y, and x (9) is longer; give "
      "--size X[,Y[,Z]] (invocations) or --grid X[,Y[,Z]] (workgroups)\n");
  strict.insert(strict.end(), {"--size", "4"});
  EXPECT_EQ(run(kDouble, strict).err, "") << "a size that is given leaves no doubt";
  EXPECT_EQ(run(kDouble, {"--in", "x=fill:iota:4", "--strict"}).exit, 0) << "nothing is longer";
}

TEST_F(Run, ComputesOnFills) {
  EXPECT_EQ(values(kDouble, {"--in", "x=fill:iota:5", "--in", "y=fill:const=1:5"}),
            nlohmann::json({1, 3, 5, 7, 9}));
}

TEST_F(Run, AnOutputWithoutDataStartsAsZerosOfTheSize) {
  EXPECT_EQ(values(kDouble, {"--in", "x=fill:iota:5"}), nlohmann::json({0, 2, 4, 6, 8}));
  EXPECT_EQ(values(kDouble, {"--in", "x=fill:iota", "--size", "3"}), nlohmann::json({0, 2, 4}));
}

TEST_F(Run, ASizeRunsExactlyItsInvocations) {
  EXPECT_EQ(values(kDouble, {"--in", "x=fill:const=1:8", "--in", "y=fill:zeros:8", "--size", "3"}),
            nlohmann::json({2, 2, 2, 0, 0, 0, 0, 0}));
  // A grid runs whole workgroups.
  EXPECT_EQ(values(kDouble, {"--in", "x=fill:const=1:8", "--in", "y=fill:zeros:8", "--grid", "1"}),
            nlohmann::json({2, 2, 2, 2, 0, 0, 0, 0}));
}

TEST_F(Run, TheLargestOutputIsTheSize) {
  EXPECT_EQ(values(kDouble, {"--in", "x=fill:const=1:8", "--in", "y=fill:zeros:3"}),
            nlohmann::json({2, 2, 2}));
}

TEST_F(Run, ReportsWhatItDid) {
  const CommandResult result =
      run(kDouble, {"--in", "x=fill:iota:10", "--json", "--print", "y:2", "--print", "x:0"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("entry"), "main");
  EXPECT_EQ(json.at("device"), "interp");
  EXPECT_EQ(json.at("workgroup"), nlohmann::json({4, 1, 1}));
  EXPECT_EQ(json.at("grid"), nlohmann::json({3, 1, 1}));
  EXPECT_EQ(json.at("extent"), nlohmann::json({10, 1, 1}));
  EXPECT_EQ(json.at("extent_from"), "the elements of x");
  EXPECT_EQ(json.at("invocations"), 10);
  EXPECT_EQ(json.at("buffers").at(0).at("role"), "input");
  EXPECT_EQ(json.at("buffers").at(1).at("role"), "output");
  EXPECT_EQ(json.at("buffers").at(1).at("elements"), 10);
  EXPECT_EQ(json.at("printed").at(0).at("values"), nlohmann::json({0, 2}));
  EXPECT_EQ(json.at("printed").at(1).at("values"), nlohmann::json::array());
}

TEST_F(Run, ReadsAndWritesNpy) {
  const std::string x = write("x.npy", npy<float>(ScalarKind::f32, {2, 3}, {1, 2, 3, 4, 5, 6}));
  const std::string y = write("y.npy", npy<float>(ScalarKind::f32, {2, 3}, {1, 1, 1, 1, 1, 1}));
  const CommandResult result =
      run(kDouble, {"--in", "x=" + x, "--in", "y=" + y, "--out", "y=" + path("out.npy"), "--out",
                    "y=raw:" + path("out.bin"), "--out", "x=" + path("copy.npy")});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(result.out.find("wrote y to " + path("out.npy")), std::string::npos);
  // The shape of the data is kept.
  const std::string expected = npy<float>(ScalarKind::f32, {2, 3}, {3, 5, 7, 9, 11, 13});
  EXPECT_EQ(read_file(path("out.npy")).value(), expected);
  EXPECT_EQ(read_file(path("out.bin")).value(), expected.substr(expected.size() - 24));
  EXPECT_EQ(read_file(path("copy.npy")).value(), read_file(x).value());
}

TEST_F(Run, OutputMayReplaceItsOwnInput) {
  const std::string y = write("y.npy", npy<float>(ScalarKind::f32, {3}, {1, 2, 3}));
  const CommandResult result =
      run(kDouble, {"--in", "x=fill:const=1:3", "--in", "y=" + y, "--out", "y=" + y});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(read_file(y).value(), npy<float>(ScalarKind::f32, {3}, {3, 4, 5}));
}

constexpr const char* kVectors = R"(
struct Body { at: vec3<f32>, mass: f32 }
struct List { count: u32, items: array<u32> }
@group(0) @binding(0) var<storage, read_write> v: array<vec3<f32>>;
@group(0) @binding(1) var<storage, read_write> m: array<mat2x3<f32>>;
@group(0) @binding(2) var<storage, read_write> b: array<Body>;
@group(0) @binding(3) var<storage, read_write> l: List;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  v[id.x] += vec3(1.0, 2.0, 3.0);
  m[id.x] = m[id.x] * 2.0;
  b[id.x].at = v[id.x];
  b[id.x].mass += 1.0;
  l.items[id.x] += l.count;
}
)";

TEST_F(Run, VectorsAndMatricesAreInnerAxes) {
  const std::string v = write("v.npy", npy<float>(ScalarKind::f32, {2, 3}, {0, 0, 0, 1, 1, 1}));
  const std::string m = write(
      "m.npy", npy<float>(ScalarKind::f32, {2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  const CommandResult result =
      run(kVectors, {"--in", "v=" + v, "--in", "m=" + m, "--in", "l=fill:const=5:2", "--size", "2",
                     "--out", "v=" + path("v2.npy"), "--out", "m=" + path("m2.npy"), "--out",
                     "b=raw:" + path("b.bin"), "--out", "l=raw:" + path("l.bin")});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(read_file(path("v2.npy")).value(),
            npy<float>(ScalarKind::f32, {2, 3}, {1, 2, 3, 2, 3, 4}));
  EXPECT_EQ(read_file(path("m2.npy")).value(),
            npy<float>(ScalarKind::f32, {2, 2, 3}, {2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24}));
  const std::vector<float> bodies{1, 2, 3, 1, 2, 3, 4, 1};
  const std::string b = read_file(path("b.bin")).value();
  ASSERT_EQ(b.size(), 32U);
  EXPECT_EQ(std::memcmp(b.data(), bodies.data(), 32), 0);
  const std::vector<std::uint32_t> list{5, 10, 10};
  const std::string l = read_file(path("l.bin")).value();
  ASSERT_EQ(l.size(), 12U);
  EXPECT_EQ(std::memcmp(l.data(), list.data(), 12), 0);

  // Raw files go in as they came out.
  EXPECT_EQ(
      values(kVectors, {"--in", "b=raw:" + path("b.bin"), "--in", "l=raw:" + path("l.bin"),
                        "--size", "2", "--print", "b"}),
      nlohmann::json::parse(R"([{"at": [1, 2, 3], "mass": 2}, {"at": [1, 2, 3], "mass": 2}])"));
}

TEST_F(Run, PrintsEveryKindOfElement) {
  const CommandResult result =
      run(kVectors, {"--in", "l=fill:const=5:2", "--size", "2", "--print", "v", "--print", "m:1",
                     "--print", "b", "--print", "l"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const std::string expected =
      "v: array<vec3<f32>>, 2 elements\n"
      "  0  (1 2 3)\n"
      "  1  (1 2 3)\n"
      "m: array<mat2x3<f32>>, 2 elements\n"
      "  0  ((0 0 0) (0 0 0))\n"
      "  ... 1 more\n"
      "b: array<Body>, 2 elements\n"
      "  0  {at: (1 2 3), mass: 1}\n"
      "  1  {at: (1 2 3), mass: 1}\n"
      "l: List, 2 elements\n"
      "  count: 5\n"
      "  0  10\n"
      "  1  10\n";
  EXPECT_NE(result.out.find(expected), std::string::npos) << result.out;
}

TEST_F(Run, ShapesAndTypesMustMatch) {
  const std::string flat = write("flat.npy", npy<float>(ScalarKind::f32, {6}, {1, 2, 3, 4, 5, 6}));
  const std::string whole = write("whole.npy", npy<std::int32_t>(ScalarKind::i32, {2}, {1, 2}));
  const std::string none = write("none.npy", npy<float>(ScalarKind::f32, {0}, {}));
  const std::string odd = write("odd.bin", "12345");
  const auto with = [&](const std::string& input) {
    return error(kVectors, {"--in", input, "--size", "2"});
  };
  EXPECT_EQ(with("v=" + flat),
            "vyre: " + flat + ": has the shape (6,); v (array<vec3<f32>>) needs (..., 3)\n");
  EXPECT_EQ(with("v=" + whole), "vyre: " + whole +
                                    ": holds '<i4' (32-bit integers); f32 needs '<f4' (32-bit "
                                    "floats); in NumPy: a.astype('<f4')\n");
  EXPECT_EQ(with("b=" + flat),
            "vyre: " + flat + ": it holds '<f4' (32-bit floats); Body is a struct\n");
  EXPECT_EQ(with("b=raw:" + odd), "vyre: " + odd +
                                      ": has 5 bytes, which is not whole elements of 16 bytes, as "
                                      "b (array<Body>) needs\n");
  EXPECT_EQ(with("l=raw:" + odd), "vyre: " + odd +
                                      ": has 5 bytes, which is not 4 bytes and whole elements of 4 "
                                      "bytes, as l (List) needs\n");
  EXPECT_EQ(error(kDouble, {"--in", "x=" + none}),
            "vyre: " + none + ": has no elements; x needs at least one\n");
  EXPECT_EQ(error(kDouble, {"--in", "x=" + odd}),
            "vyre: " + odd + ": not a .npy file; for plain bytes write raw:" + odd + "\n");
  EXPECT_NE(error(kDouble, {"--in", "x=" + path("missing.npy")}).find("No such file"),
            std::string::npos);
  EXPECT_NE(error(kDouble, {"--in", "x=" + folder_.path().string()}).find("Is a directory"),
            std::string::npos);
}

TEST_F(Run, NamesAreChecked) {
  EXPECT_EQ(error(kDouble, {"--in", "z=fill:zeros"}),
            "vyre: --in: main has no buffer 'z'; it has x and y\n");
  EXPECT_EQ(error(kDouble, {"--in", "x=fill:zeros", "--out", "z=z.npy"}),
            "vyre: --out: main has no buffer 'z'; it has x and y\n");
  EXPECT_EQ(error(kDouble, {"--in", "x=fill:zeros", "--print", "z"}),
            "vyre: --print: main has no buffer 'z'; it has x and y\n");
  EXPECT_EQ(error(kDouble, {"--in", "x=fill:zeros", "--uniform", "z.a=1"}),
            "vyre: --uniform: main has no buffer 'z'; it has x and y\n");
  EXPECT_EQ(error(kDouble, {"--entry", "minor"}),
            "vyre: <stdin> has no entry point 'minor'; it has main\n");
  EXPECT_EQ(error(kDouble, {"--set", "TILE=8"}),
            "vyre: --set: main has no override 'TILE'; it has none\n");
  EXPECT_EQ(error("", {}), "vyre: <stdin> has no @compute entry point\n");
}

TEST_F(Run, NothingIsGivenTwice) {
  EXPECT_EQ(error(kDouble, {"--in", "x=fill:zeros", "--in", "x=fill:iota"}),
            "vyre: --in: 'x' was given twice; see vyre run --help\n");
  EXPECT_EQ(error(kDouble, {"--out", "x=a.npy", "--out", "y=a.npy"}),
            "vyre: --out: 'a.npy' would be written twice; see vyre run --help\n");
  EXPECT_EQ(error(kDouble, {"--uniform", "p.n=1,p.n=2"}),
            "vyre: --uniform: 'p.n' was given twice; see vyre run --help\n");
  EXPECT_EQ(error(kDouble, {"--size", "1", "--grid", "1"}),
            "vyre: --size and --grid cannot both be given; give one of them\n");
}

TEST_F(Run, WhatIsReadMustBeGiven) {
  EXPECT_EQ(error(kDouble, {"--size", "4"}),
            "vyre: x (input array<f32>) is read by the kernel and was given no data; give --in "
            "x=FILE.npy, x=raw:FILE or x=fill:...\n");
  EXPECT_EQ(error(kDouble, {"--in", "x=fill:iota"}),
            "vyre: nothing says how many elements x has; give --size X[,Y[,Z]] (invocations) or "
            "--grid X[,Y[,Z]] (workgroups)\n");
}

constexpr const char* kUniform = R"(
struct Params { n: u32, scale: f32, direction: vec3<f32>, pad: u32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  out[id.x] = f32(p.n) + p.scale * p.direction[id.x];
}
)";

TEST_F(Run, UniformsGoByField) {
  EXPECT_EQ(values(kUniform, {"--size", "3", "--uniform", "p.n=10,p.scale=0.5,p.direction=1:2:3",
                              "--uniform", "p.pad=0"}),
            nlohmann::json({10.5, 11, 11.5}));
  // On top of data, only what changes.
  EXPECT_EQ(values(kUniform, {"--size", "3", "--in", "p=fill:zeros", "--uniform",
                              "p.scale=2,p.direction.y=4"}),
            nlohmann::json({0, 8, 0}));
}

TEST_F(Run, NoFieldIsForgotten) {
  EXPECT_EQ(error(kUniform, {"--size", "3", "--uniform", "p.n=1,p.scale=1"}),
            "vyre: --uniform: p.direction and p.pad have no value; give one, or start from zeros "
            "with --in p=fill:zeros\n");
  EXPECT_EQ(error(kUniform, {"--size", "3"}),
            "vyre: p (uniform Params) is read by the kernel and was given no data; give --uniform "
            "p=VALUE or --uniform p.FIELD=VALUE,...\n");
  EXPECT_EQ(error(kUniform, {"--size", "3", "--uniform", "p.m=1"}),
            "vyre: --uniform: p.m: Params has no member 'm'; it has n, scale, direction, pad\n");
  EXPECT_EQ(error(kUniform, {"--size", "3", "--uniform", "p.n=-1"}),
            "vyre: --uniform: p.n: '-1' is not a u32 (a whole number from 0 to 4294967295)\n");
}

TEST_F(Run, FillsMustFitTheType) {
  EXPECT_EQ(error("@group(0) @binding(0) var<storage, read_write> a: array<u32>;"
                  "@compute @workgroup_size(1) fn main() { a[0] = 1; }",
                  {"--in", "a=fill:const=1.5:4"}),
            "vyre: --in: a (array<u32>): '1.5' is not a u32 (a whole number from 0 to "
            "4294967295)\n");
  EXPECT_EQ(error("@group(0) @binding(0) var<storage, read_write> a: array<u32, 4>;"
                  "@compute @workgroup_size(1) fn main() { a[0] = 1; }",
                  {"--in", "a=fill:zeros:5"}),
            "vyre: fill:zeros: has 5 elements; a (array<u32, 4>) needs 4\n");
}

TEST_F(Run, SeveralAxesNeedASize) {
  constexpr const char* text = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3<u32>,
                                       @builtin(num_workgroups) groups: vec3<u32>) {
  out[id.y * 5 + id.x] = id.y * 100 + id.x + 10 * groups.y;
}
)";
  EXPECT_EQ(error(text, {}),
            "vyre: main has workgroups of 8x8x1, so the number of invocations cannot be inferred; "
            "give --size X,Y[,Z] (invocations) or --grid X,Y[,Z] (workgroups)\n");
  EXPECT_EQ(values(text, {"--size", "5,2"}),
            nlohmann::json({10, 11, 12, 13, 14, 110, 111, 112, 113, 114}));
}

constexpr const char* kByWorkgroups = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>,
                                    @builtin(local_invocation_id) local: vec3<u32>) {
  if (local.x == 3) {
    out[id.x - 3] += 10;
  }
  out[id.x] += 1;
}
)";

TEST_F(Run, InferredRunsKeepWorkgroupsWhole) {
  const CommandResult result = run(kByWorkgroups, {"--in", "out=fill:zeros:6", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("invocations"), 8);
  EXPECT_EQ(json.at("extent_from"), "the elements of out, in whole workgroups");
  EXPECT_EQ(json.at("printed").at(0).at("values"), nlohmann::json({11, 1, 1, 1, 11, 1}));
}

TEST_F(Run, ASizeThatCutsAWorkgroupIsObeyedWithANote) {
  const CommandResult result = run(kByWorkgroups, {"--size", "6", "--json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(
      result.err,
      "vyre: note: invocations of main depend on their workgroup of 4x1x1, and --size cuts the "
      "last workgroups short; to run whole workgroups use --grid 2,1,1\n");
  EXPECT_EQ(nlohmann::json::parse(result.out).at("printed").at(0).at("values"),
            nlohmann::json({11, 1, 1, 1, 1, 1}));
  EXPECT_EQ(run(kByWorkgroups, {"--size", "8"}).err, "");
}

TEST_F(Run, OverridesAreSet) {
  constexpr const char* text = R"(
override WIDTH: u32;
@id(3) override FACTOR: i32 = -1;
@group(0) @binding(0) var<storage, read_write> out: array<i32>;
@compute @workgroup_size(WIDTH) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  out[id.x] = FACTOR * i32(id.x);
}
)";
  EXPECT_EQ(error(text, {"--size", "3"}),
            "vyre: main: WIDTH has no default; give --set WIDTH=VALUE\n");
  EXPECT_EQ(values(text, {"--size", "3", "--set", "WIDTH=2"}), nlohmann::json({0, -1, -2}));
  EXPECT_EQ(values(text, {"--size", "3", "--set", "WIDTH=2,3=5"}), nlohmann::json({0, 5, 10}));
  EXPECT_EQ(error(text, {"--set", "WIDTH=2", "--set", "3=5,FACTOR=2"}),
            "vyre: --set: FACTOR was set 2 times; set it once\n");
}

constexpr const char* kEndless = R"(
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn spin() {
  var i = 0u;
  loop {
    i += 1;
    out[0] = i;
    if (i == 0xffffffff) { break; }
  }
}
)";

TEST_F(Run, EndlessKernelsAreStopped) {
  const std::string out = path("out.npy");
  const std::string budget =
      error(kEndless, {"--size", "1", "--step-budget", "1000", "--out", "out=" + out}, 1);
  EXPECT_NE(budget.find("spin"), std::string::npos) << budget;
  EXPECT_EQ(error(kEndless, {"--size", "1", "--deadline", "0.05", "--out", "out=" + out}, 1),
            "vyre: spin ran longer than the deadline of 0.05 s\n");
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(error(kEndless, {"--step-budget", "0"}),
            "vyre: --step-budget: it must be at least 1; see vyre run --help\n");
  EXPECT_EQ(error(kEndless, {"--deadline", "-1"}),
            "vyre: --deadline: it must be more than 0; see vyre run --help\n");
}

TEST_F(Run, HugeSizesAreRefusedNotTried) {
  EXPECT_NE(error(kDouble, {"--in", "x=fill:zeros:1000000000000000", "--size", "4"})
                .find("of memory are available"),
            std::string::npos);
  EXPECT_NE(
      error(kDouble, {"--in", "x=fill:zeros:18446744073709551615", "--size", "4"}).find("memory"),
      std::string::npos);
  EXPECT_NE(error(kDouble, {"--in", "x=fill:zeros", "--size", "4294967295,4294967295,4294967295"})
                .find("too large"),
            std::string::npos);
  EXPECT_EQ(error(kDouble, {"--in", "x=fill:zeros:4", "--grid", "4294967295"}),
            "vyre: --grid: axis 0 has 4294967295 workgroups of 4 invocations, which are more than "
            "4294967295\n");
  EXPECT_EQ(error(kDouble, {"--size", "4294967296"}),
            "vyre: --size: '4294967296' is too large: at most 4294967295; see vyre run --help\n");
}

TEST_F(Run, OutputPlacesAreCheckedBeforeTheRun) {
  const std::vector<std::string> arguments{"--in", "x=fill:iota:4", "--step-budget", "1", "--out"};
  const auto out = [&](const std::string& target) {
    std::vector<std::string> all = arguments;
    all.push_back("y=" + target);
    return error(kDouble, all);
  };
  EXPECT_EQ(out("raw:" + folder_.path().string()),
            "vyre: --out: " + folder_.path().string() + " is a folder\n");
  EXPECT_EQ(out(path("none/y.npy")), "vyre: --out: there is no folder " + path("none") + "\n");
}

TEST_F(Run, ImagesGoInAndOut) {
  constexpr const char* negative = R"(
@group(0) @binding(0) var<storage, read> photo: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4, 4) fn negative(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.y * 3 + id.x;
  out[i] = 1.0 - photo[i].g;
}
)";
  const std::string photo = write("photo.pgm", std::string("P5 3 2 255\n\0\1\2\3\4\5", 17));
  const auto result =
      run(negative, {"--size", "3,2", "--in", "photo=" + photo, "--out", "out=" + path("out.pgm")});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(read_file(path("out.pgm")).value(), "P5\n3 2\n255\n\xff\xfe\xfd\xfc\xfb\xfa");
  // The photo says how wide the output is, too.
  const auto flat = run(
      negative, {"--size", "3,2,1", "--in", "photo=" + photo, "--out", "out=" + path("out.png")});
  EXPECT_EQ(flat.exit, 0) << flat.err;
  EXPECT_EQ(error(negative, {"--size", "3,2", "--in", "photo=" + write("bad.png", "\x89PNG"),
                             "--out", "out=" + path("none.png")})
                .find("vyre: " + path("bad.png") + ": the PNG file is damaged"),
            0U);
}

TEST_F(Run, AFullDiskIsAFailureOfTheRun) {
  const std::string message =
      error(kDouble, {"--in", "x=fill:iota:4", "--out", "y=raw:/dev/full"}, 1);
  EXPECT_EQ(message, "vyre: cannot write /dev/full: No space left on device\n");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(Run, HalvesAreRead) {
  constexpr const char* text = R"(
enable f16;
@group(0) @binding(0) var<storage, read_write> h: array<f16>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  h[id.x] = h[id.x] * 0.5h;
}
)";
  const std::string in = write("h.npy", npy<std::uint16_t>(ScalarKind::f16, {2}, {0x3c00, 0x4200}));
  EXPECT_EQ(values(text, {"--in", "h=" + in}), nlohmann::json({0.5, 1.5}));
}

TEST_F(Run, NumbersJsonHasNoSpellingForAreTexts) {
  constexpr const char* text = R"(
@group(0) @binding(0) var<storage, read_write> v: array<f32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  v[id.x] = v[id.x] + v[id.x];
}
)";
  const std::string in = write("v.npy", npy<float>(ScalarKind::f32, {3},
                                                   {0.05F, std::numeric_limits<float>::infinity(),
                                                    -std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(values(text, {"--in", "v=" + in}), nlohmann::json({0.1, "inf", "-inf"}));
}

TEST_F(Run, LongPrintsAreAlignedInBlocks) {
  const CommandResult result =
      run(kDouble, {"--in=x=fill:iota:5000", "--size=5000", "--print=x:5000"});
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(result.out.find("\n  4088  4088 4089 4090 4091 4092 4093 4094 4095\n"
                            "  4096  4096 4097"),
            std::string::npos);
  EXPECT_TRUE(result.out.ends_with(" 4997 4998 4999\n"));
}

}  // namespace
}  // namespace vyre
