// Indices outside, on every kind of memory: a load gives zero, a store and an atomic do nothing,
// and no byte beside a binding is touched. Buffers lie against pages that fault; the interpreter
// says what must be found in them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "support/guarded.h"
#include "support/runner.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr std::uint32_t kLanes = 45;
constexpr std::uint32_t kElements = 37;

// How the index of an access is made. `at` holds indices inside, just outside and far outside.
constexpr const char* kIndices[] = {
    "at[gid.x]",
    "i32(at[gid.x])",
    "(gid.x + p.off)",
    "(gid.x - p.off)",
    "(i32(gid.x) - i32(p.off))",
    "(gid.x * 3u + p.off)",
    "p.off",
    "(gid.y * p.off + gid.x)",
};

constexpr const char* kDeclarations = R"(
struct P { off: u32, n: u32, u: array<vec4<u32>, 5> }
struct S { a: u32, b: array<u32, 3>, v: vec3<u32> }
struct T { n: u32, data: array<vec2<u32>> }
struct M { m: mat3x2<f32> }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> run: array<u32>;
@group(0) @binding(3) var<storage, read_write> vec: array<vec3<u32>>;
@group(0) @binding(4) var<storage, read_write> rec: array<S>;
@group(0) @binding(5) var<storage, read_write> fix: array<u32, 13>;
@group(0) @binding(6) var<storage, read_write> tail: T;
@group(0) @binding(7) var<storage, read_write> mat: M;
@group(0) @binding(8) var<storage, read_write> sum: array<atomic<u32>>;
@group(0) @binding(9) var<storage, read_write> out: array<u32>;
@group(0) @binding(10) var<storage, read> con: array<vec4<u32>>;
var<private> pri: array<u32, 7>;
var<private> pri_v: vec3<u32>;
)";

struct Access {
  const char* name;
  const char* functions;  // before the entry
  const char* before;     // statements of the entry; IDX is the index, out[own] the result
};

constexpr Access kAccesses[] = {
    {"reads of run-time sized arrays", "", R"(
  var r = run[IDX];
  r += vec[IDX].y * 3u;
  r += vec[IDX][IDX] * 5u;
  r += rec[IDX].b[IDX] * 7u;
  r += rec[IDX].v.z * 11u;
  r += con[IDX].w * 13u;
  r += tail.data[IDX].y * 17u;
  out[own] = r;)"},
    {"reads of sized buffers", "", R"(
  var r = fix[IDX];
  r += p.u[IDX].z * 3u;
  r += p.u[IDX][IDX] * 5u;
  r += bitcast<u32>(mat.m[IDX].y);
  r += bitcast<u32>(mat.m[IDX][IDX]) * 7u;
  out[own] = r;)"},
    {"writes of run-time sized arrays", "", R"(
  run[IDX] = 7u;
  vec[IDX].y = 9u;
  rec[IDX].v = vec3<u32>(1u, 2u, 3u);
  tail.data[IDX] = vec2<u32>(5u, 6u);)"},
    {"writes within elements", "", R"(
  vec[own][IDX] = 11u;
  rec[own].b[IDX] = 21u;
  rec[IDX].b[IDX] = 21u;
  tail.data[own][IDX] = 31u;)"},
    {"writes of sized buffers", "", R"(
  fix[IDX] = 70u;
  mat.m[IDX].x = 2.0;
  mat.m[IDX][IDX] = 2.0;)"},
    {"atomics", "", R"(
  let old = atomicLoad(&sum[IDX]);
  atomicMax(&sum[IDX], 0xFFFFFFF0u);
  out[own] = select(0u, 1u, old != 0u);)"},
    {"variables", "", R"(
  var a = array<u32, 6>(1u, 2u, 3u, 4u, 5u, 6u);
  var v = vec4<u32>(10u, 20u, 30u, 40u);
  var m = mat2x3<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
  let c = vec3<u32>(100u, 200u, 300u);
  let l = array<u32, 20>(1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u, 14u, 15u, 16u, 17u, 18u, 19u, 20u);
  a[IDX] = 77u;
  v[IDX] = 78u;
  m[IDX] = vec3<f32>(8.0);
  m[IDX][IDX] = 9.0;
  pri[IDX] = 5u;
  pri_v[IDX] = 6u;
  var r = a[IDX] + v[IDX] * 3u + c[IDX] * 5u + l[IDX] * 7u + pri[IDX] * 11u + pri_v[IDX] * 13u;
  r += a[0] + a[5] + v.x + v.w + pri[0] + pri[6] + pri_v.x + pri_v.z;
  r += u32(m[IDX].y) + u32(m[IDX][IDX]) * 3u + u32(m[0].x + m[1].z);
  out[own] = r;)"},
    {"pointers handed on", R"(
fn take(q: ptr<function, array<u32, 5>>, i: u32) -> u32 { return (*q)[i]; }
fn put(q: ptr<function, u32>) { *q = 4u; }
fn far(q: ptr<storage, array<u32>, read_write>, i: u32) -> u32 { return (*q)[i]; }
fn fill(q: ptr<storage, u32, read_write>) { *q = 99u; }
fn add(q: ptr<storage, atomic<u32>, read_write>) { atomicOr(q, 0x80000000u); }
)",
     R"(
  var a = array<u32, 5>(1u, 2u, 3u, 4u, 5u);
  put(&a[IDX]);
  var r = take(&a, u32(IDX)) + a[0] * 3u + a[4] * 5u;
  out[own] = r;
  fill(&run[IDX]);
  add(&sum[IDX]);
  let q = &fix[IDX];
  *q = *q | 1u;)"},
    {"pointers read through", R"(
fn far(q: ptr<storage, array<u32>, read_write>, i: u32) -> u32 { return (*q)[i]; }
)",
     R"(
  out[own] = far(&run, u32(IDX));)"},
    {"workgroup memory", R"(
var<workgroup> wg: array<u32, 16>;
var<workgroup> wg_v: array<vec3<u32>, 4>;
var<workgroup> wg_a: array<atomic<u32>, 3>;
)",
     R"(
  wg[IDX] = 3u;
  wg_v[IDX].y = 4u;
  wg_v[IDX][IDX] = 4u;
  atomicOr(&wg_a[IDX], 8u);
  workgroupBarrier();
  out[own] = wg[IDX] + wg_v[IDX].y * 3u + wg_v[IDX][IDX] * 5u + atomicLoad(&wg_a[IDX]) * 7u
    + wg[0] + wg[15] + wg_v[3].z;)"},
    {"behind a guard by the length", "", R"(
  if (gid.x < arrayLength(&run)) { run[gid.x] = gid.x * 3u + 1u; }
  if (u32(IDX) < arrayLength(&con)) { out[own] = con[IDX].x; }
  if (u32(IDX) < 13u) { fix[IDX] = 3u; })"},
};

std::string text_of(const Access& access, std::string_view index) {
  std::string text = kDeclarations;
  text += access.functions;
  text += R"(
@compute @workgroup_size(16, 1, 1)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
  let own = gid.y * 45u + gid.x;
)";
  std::string body = access.before;
  for (std::size_t found = body.find("IDX"); found != std::string::npos; found = body.find("IDX")) {
    body.replace(found, 3, index);
  }
  return text + body + "\n}\n";
}

Kernel kernel_of(const std::string& text) {
  const auto parsed = parse_wgsl(text, "case.wgsl");
  EXPECT_TRUE(parsed.module.has_value()) << parsed.message() << text;
  if (!parsed.module) return {};
  auto kernel = make_kernel(parsed.module->programs.at(0));
  EXPECT_TRUE(kernel.has_value());
  return kernel ? *std::move(kernel) : Kernel{};
}

Data data_for(const Program& p, std::uint32_t offset) {
  Data data = random_data(p, kElements, 5);
  const auto globals = resources(p);
  for (std::size_t i = 0; i < globals.size(); ++i) {
    auto* words = reinterpret_cast<std::uint32_t*>(data[i].data());
    if (globals[i]->name == "p") words[0] = offset;
    if (globals[i]->name != "at") continue;
    constexpr std::uint32_t kStray[] = {kElements,
                                        kElements + 1,
                                        kElements * 2,
                                        0x7FFFFFFFU,
                                        0x80000000U,
                                        0xFFFFFFFFU,
                                        0xFFFFFFF0U,
                                        0x3FFFFFFFU,
                                        0x40000000U,
                                        0x40000001U,
                                        0x10000000U,
                                        0x15555556U,
                                        0x20000000U,
                                        5,
                                        6,
                                        7,
                                        12,
                                        13,
                                        kElements - 1U,
                                        0,
                                        1,
                                        2,
                                        3,
                                        4};
    for (std::size_t k = 0; k < kElements; ++k) words[k] = kStray[k % std::size(kStray)];
  }
  return data;
}

std::vector<Variant> some_variants(const Runner& runner, const Kernel& kernel) {
  std::vector<Variant> out;
  const auto add = [&](std::uint32_t gang, std::uint32_t items, ItemLayout layout,
                       BoundsMode bounds) {
    Variant v;
    v.workgroup = kernel.program->workgroup;
    v.gang_width = gang;
    v.items_per_lane = items;
    v.layout = layout;
    v.bounds = bounds;
    if (runner.why_not(kernel, v).empty()) out.push_back(v);
  };
  add(1, 1, ItemLayout::strided, BoundsMode::tested_once);
  add(16, 1, ItemLayout::strided, BoundsMode::tested_once);
  add(8, 1, ItemLayout::strided, BoundsMode::checked);
  add(8, 2, ItemLayout::blocked, BoundsMode::tested_once);
  add(32, 1, ItemLayout::strided, BoundsMode::tested_once);
  return out;
}

class OutOfBounds : public testing::TestWithParam<std::size_t> {};

void compare(const Runner& runner, const Kernel& kernel, std::uint32_t offset) {
  const Program& p = *kernel.program;
  const Extent extent{kLanes, 2, 1};
  const Data before = data_for(p, offset);
  const auto want = run_interpreter(kernel, before, extent);
  ASSERT_TRUE(want.has_value()) << describe(want.error());
  for (const Variant& v : some_variants(runner, kernel)) {
    SCOPED_TRACE(fmt::format("{}, offset {:#x}", to_string(v), offset));
    for (const auto side : {Guarded::At::begin, Guarded::At::end}) {
      if (runner.device() != "cpu") continue;
      std::vector<std::unique_ptr<Guarded>> memory;
      std::vector<std::span<std::byte>> spans;
      for (const auto& bytes : before) {
        memory.push_back(std::make_unique<Guarded>(bytes.size(), side));
        std::memcpy(memory.back()->bytes().data(), bytes.data(), bytes.size());
        spans.push_back(memory.back()->bytes());
      }
      const auto ran = runner.run_on(kernel, spans, extent, v);
      ASSERT_TRUE(ran.has_value()) << describe(ran.error());
      Data got;
      for (const auto& s : spans) got.emplace_back(s.begin(), s.end());
      EXPECT_EQ(first_difference(p, want->data, got), "");
    }
    Data inside = before;
    const auto ran = runner.run_inside(kernel, inside, extent, v);
    ASSERT_TRUE(ran.has_value()) << describe(ran.error());
    EXPECT_EQ(first_difference(p, want->data, inside), "");
  }
}

TEST_P(OutOfBounds, ReadsZeroAndWritesNothing) {
  const Access& access = kAccesses[GetParam()];
  for (const std::string& device : devices_to_test()) {
    const auto runner = Runner::open(device, 2);
    if (!runner) {
      fmt::print("device {} is not here: {} indices skipped\n", device, std::size(kIndices));
      continue;
    }
    for (const char* index : kIndices) {
      SCOPED_TRACE(fmt::format("{} {} at {}", device, access.name, index));
      const Kernel kernel = kernel_of(text_of(access, index));
      ASSERT_NE(kernel.program, nullptr);
      const bool moves = std::string_view(index).find("off") != std::string_view::npos;
      for (const std::uint32_t offset : {3U, kElements, 0xFFFFFFF8U, 0x3FFFFFF8U}) {
        if (offset == 3 || moves) compare(*runner, kernel, offset);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Accesses, OutOfBounds,
                         testing::Range(std::size_t{0}, std::size(kAccesses)),
                         [](const auto& info) {
                           std::string name = kAccesses[info.param].name;
                           for (char& c : name) {
                             if (c == ' ' || c == '-') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace vyre
