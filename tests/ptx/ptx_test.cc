// The text of GPU kernels: where loads stand, what is checked, what loops and atomics become.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "kernels.h"
#include "vyre/plan/variants/variant_legality.h"

namespace vyre {
namespace {

constexpr const char* kSaxpy = R"(
@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x < arrayLength(&y)) { y[id.x] = a * x[id.x] + y[id.x]; }
})";

// A kernel around statements that write the u32 `out`.
Kernel with_body(const std::string& body, const std::string& globals = {}) {
  return kernels_of(globals + R"(
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> data: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>,
        @builtin(local_invocation_index) lane: u32) {
  var out = 0u;
  )" + body + "\n  result[id.x] = out;\n}")
      .at(0);
}
std::string ptx_with(const std::string& body, const std::string& globals = {}) {
  const Kernel kernel = with_body(body, globals);
  return ptx_of(kernel, variant_of(kernel));
}

TEST(Ptx, DeclaresItsWorkgroup) {
  const Kernel kernel = kernels_of(kSaxpy).at(0);
  EXPECT_EQ(count(ptx_of(kernel, variant_of(kernel)), ".reqntid 256, 1, 1"), 1U);
}

TEST(Ptx, LoadsAFullTileBeforeItsFirstStore) {
  const Kernel kernel = kernels_of(kSaxpy).at(0);
  for (const std::uint32_t items : {2U, 4U, 8U}) {
    const auto lines =
        lines_with(ptx_of(kernel, variant_of(kernel, items)), {"ld.global", "st.global"});
    // One load of the uniform, then the tile's, then its stores; ragged tiles come after them.
    ASSERT_GE(lines.size(), 1 + 3 * items);
    for (std::size_t i = 0; i < 1 + 2 * items; ++i) {
      EXPECT_TRUE(lines[i].contains("ld.global")) << items << " items, line " << i << lines[i];
    }
    for (std::size_t i = 1 + 2 * items; i < 1 + 3 * items; ++i) {
      EXPECT_TRUE(lines[i].contains("st.global")) << items << " items, line " << i << lines[i];
    }
  }
}

TEST(Ptx, LoadsNeighbouringItemsTogether) {
  const Kernel kernel = kernels_of(kSaxpy).at(0);
  const std::string ptx = ptx_of(kernel, variant_of(kernel, 4, ItemLayout::blocked));
  EXPECT_EQ(count(ptx, "ld.global.nc.v4.f32"), 1U);
  EXPECT_EQ(count(ptx, "ld.global.v4.f32"), 1U);
  EXPECT_EQ(count(ptx, "st.global.v4.f32"), 1U);
}

// Each comparison waits for the one before it, and the first load for all of them.
TEST(Ptx, TestsAllNeighboursOfATileWithFewComparisons) {
  const Kernel kernel = kernels_of(R"(
@group(0) @binding(0) var<uniform> size: vec2<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= size.x || id.y >= size.y) { return; }
  let i = id.y * size.x + id.x;
  b[i] = a[i] + a[i - 1] + a[i + 1] + a[i - 2] + a[i + 2] + a[i - size.x] + a[i + size.x];
})")
                            .at(0);
  for (const std::uint32_t items : {1U, 4U}) {
    const auto lines = lines_with(
        ptx_of(kernel, variant_of(kernel, items), {.processor = "sm_90", .by_value = {0}}),
        {"setp", "bra", "ld.global"});
    const auto load = std::ranges::find_if(
        lines, [](const std::string& line) { return line.contains("ld.global"); });
    ASSERT_NE(load, lines.end());
    const auto before = [&](std::string_view what) {
      return std::count_if(lines.begin(), load,
                           [&](const std::string& line) { return line.contains(what); });
    };
    // x and y (with one item, the extent's apart from the program's), the elements that are read,
    // and the one that is written.
    EXPECT_EQ(before("setp"), items == 1 ? 6 : 4) << items << " items";
    EXPECT_EQ(before("bra"), items == 1 ? 1 : 2) << items << " items";
  }
}

constexpr const char* kFivePoints = R"(
@group(0) @binding(0) var<uniform> size: vec2<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(16, 16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= size.x || id.y >= size.y) { return; }
  let i = id.y * size.x + id.x;
  b[i] = a[i] + a[i - 1] + a[i + 1] + a[i - size.x] + a[i + size.x];
})";

TEST(Ptx, KnowsTheElementsBetweenTheRowsAboveAndBelow) {
  const Kernel kernel = kernels_of(kFivePoints).at(0);
  const auto lines =
      lines_with(ptx_of(kernel, variant_of(kernel, 1), {.processor = "sm_90", .by_value = {0}}),
                 {"max.u32", "bra"});
  // Of the two rows.
  ASSERT_GE(lines.size(), 2U);
  EXPECT_TRUE(lines[0].contains("max.u32"));
  EXPECT_TRUE(lines[1].contains("bra"));
}

// Bounds of the index tell that all are inside: the tile's test compares them once.
TEST(Ptx, TestsClampedIndicesOnceBeforeTheTile) {
  const Kernel window = kernels_of(R"(
@group(0) @binding(0) var<uniform> size: vec2<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(32, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= size.x || id.y >= size.y) { return; }
  var sum = 0.0;
  for (var dy = -2; dy <= 2; dy++) {
    for (var dx = -2; dx <= 2; dx++) {
      let x = u32(clamp(i32(id.x) + dx, 0, i32(size.x) - 1));
      let y = u32(clamp(i32(id.y) + dy, 0, i32(size.y) - 1));
      sum += a[y * size.x + x];
    }
  }
  b[id.y * size.x + id.x] = sum;
})")
                            .at(0);
  const auto lines =
      lines_with(ptx_of(window, variant_of(window)), {"setp", "selp", "ld.global.nc"});
  const auto tests =
      std::ranges::count_if(lines.begin(), lines.begin() + 35,
                            [](const std::string& line) { return !line.contains("ld.global.nc"); });
  EXPECT_LE(tests, 8) << "with 25 loads, and two of the uniform";
  for (const char* body :
       {"out = data[(id.x * 7u) % n];", "out = data[(id.x * 7u) & n];",
        "out = data[min(id.x * 7u, n)];", "out = data[(id.x % n) * n + (id.x & 3u)];"}) {
    EXPECT_TRUE(lines_with(ptx_with(body), {"selp", "ld.global.nc.u32"}).at(1).contains("ld"))
        << body;
  }
}

TEST(Ptx, ComparesLastWhatIsComputedLast) {
  const Kernel kernel = kernels_of(kFivePoints).at(0);
  const auto lines =
      lines_with(ptx_of(kernel, variant_of(kernel, 1), {.processor = "sm_90", .by_value = {0}}),
                 {"max.u32", "setp", "or.pred", "bra"});
  const auto find = [&](std::string_view what) {
    return std::ranges::find_if(lines, [&](const std::string& l) { return l.contains(what); });
  };
  const auto word = [](const std::string& line, std::size_t n) {
    std::istringstream words(line);
    std::string out;
    for (std::size_t i = 0; i <= n; ++i) words >> out;
    if (!out.empty() && (out.back() == ',' || out.back() == ';')) out.pop_back();
    return out;
  };
  const auto largest = find("max.u32");
  const auto branch = find("bra");
  ASSERT_NE(largest, lines.end());
  ASSERT_NE(branch, lines.end());
  const auto compares = std::find_if(largest, branch, [&](const std::string& l) {
    return l.contains("setp") && word(l, 2) == word(*largest, 1);
  });
  ASSERT_NE(compares, branch);
  const std::string& last = *std::prev(branch);
  EXPECT_TRUE(last.contains("or.pred")) << last;
  EXPECT_EQ(word(last, 3), word(*compares, 1)) << last;
}

TEST(Ptx, EndsRaggedTilesApartFromTheOthers) {
  const Kernel kernel = kernels_of(R"(
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  b[id.x] = 2 * a[id.x];
})")
                            .at(0);
  const auto lines = lines_with(ptx_of(kernel, variant_of(kernel, 1), {}), {"st.global", "ret"});
  ASSERT_GE(lines.size(), 4U);
  EXPECT_TRUE(lines[0].contains("st.global"));
  EXPECT_TRUE(lines[1].contains("ret"));
  EXPECT_TRUE(lines[2].contains("st.global"));
}

TEST(Ptx, TakesTheConstantCacheOnlyForWhatNothingWrites) {
  const Kernel kernel = kernels_of(kSaxpy).at(0);
  const auto loads = lines_with(ptx_of(kernel, variant_of(kernel)), {"ld.global"});
  const auto constant = std::ranges::count_if(loads, [](auto& l) { return l.contains(".nc."); });
  EXPECT_GT(constant, 0);
  EXPECT_LT(constant, static_cast<long>(loads.size()));  // y is written
}

TEST(Ptx, TakesUniformsByValueWhenAsked) {
  const Kernel kernel = kernels_of(kSaxpy).at(0);
  const auto small = gpu_by_value(kernel, 256);
  ASSERT_EQ(small.size(), 1U);
  EXPECT_EQ(small[0].slot, 0U);
  EXPECT_EQ(small[0].bytes, 4U);
  const std::string ptx = ptx_of(kernel, variant_of(kernel), {.by_value = {0}});
  EXPECT_EQ(count(ptx, ".param .align 16 .b8 vyre_kernel_param_0[4]"), 1U);
}

TEST(Ptx, LooksAtTheTimerOnlyInLoopsThatMayNotEnd) {
  EXPECT_GT(count(ptx_with("loop { if (data[out] == 7u) { break; } out++; }"), "%globaltimer"), 0U);
  EXPECT_GT(count(ptx_with("while (data[out] != 7u) { out += data[out]; }"), "%globaltimer"), 0U);
  EXPECT_GT(count(ptx_with("for (var i = 0u; i < n; i += 3u) { out += data[i]; }"), "%globaltimer"),
            0U);
  EXPECT_GT(count(ptx_with("for (var i = 0u; i < n; i++) { for (var j = 0u; j < n; j++) "
                           "{ out += data[i ^ j]; } }"),
                  "%globaltimer"),
            0U);
  EXPECT_EQ(count(ptx_with("for (var i = 0u; i < n; i++) { out += data[i]; }"), "%globaltimer"),
            0U);
  EXPECT_EQ(count(ptx_with("var i = 0u; while (i < n && out < 100u) { out += data[i]; i++; }"),
                  "%globaltimer"),
            0U);
  EXPECT_EQ(
      count(ptx_with("for (var i = 1u; i < 1000u; i *= 2u) { out += data[i]; }"), "%globaltimer"),
      0U);
}

// A loop around one that is divided until it ends is bounded as well, and needs no strips.
TEST(Ptx, KnowsThatWhatIsHalvedEnds) {
  const auto looks = [](const char* loop) { return count(ptx_with(loop), "%globaltimer"); };
  const auto sort = [&](const char* step) {
    return looks(fmt::format("for (var k = 2u; k <= 256u; k *= 2u) {{ for (var d = k / 2u; {}) "
                             "{{ out += data[d ^ lane]; }} }}",
                             step)
                     .c_str());
  };
  for (const char* ends :
       {"d > 0u; d /= 2u", "d > 0u; d >>= 1u", "d != 0u; d = d / 3u", "d >= 1u; d = d >> 2u"}) {
    EXPECT_EQ(sort(ends), 0U) << ends;
  }
  for (const char* may_not : {"d >= 0u; d /= 2u", "d > 0u; d /= 1u", "d > 0u; d >>= 32u - 32u",
                              "d != 3u; d /= 2u", "d > 0u; d /= n"}) {
    EXPECT_GT(sort(may_not), 0U) << may_not;
  }
}

TEST(Ptx, LooksAtTheTimerAsItBeginsWhenAsked) {
  const Kernel kernel = kernels_of(kSaxpy).at(0);
  EXPECT_EQ(count(ptx_of(kernel, variant_of(kernel)), "%globaltimer"), 0U);
  EXPECT_EQ(count(ptx_of(kernel, variant_of(kernel), {.check_at_start = true}), "%globaltimer"),
            1U);
}

TEST(Ptx, LooksAtTheTimerWhereTheCounterIsNotSafe) {
  // The body changes the counter, a continue passes its step, or the bound moves.
  EXPECT_GT(
      count(ptx_with("for (var i = 0u; i < n; i++) { i = data[i]; out += i; }"), "%globaltimer"),
      0U);
  EXPECT_GT(count(ptx_with("var i = 0u; while (i < n) { if (data[i] == out) { continue; } "
                           "out += data[i]; i++; }"),
                  "%globaltimer"),
            0U);
  EXPECT_GT(count(ptx_with("var m = n; for (var i = 0u; i < m; i++) { m += data[i]; out += m; }"),
                  "%globaltimer"),
            0U);
  EXPECT_GT(
      count(ptx_with("for (var i = 0u; i != 1001u; i += 2u) { out += data[i]; }"), "%globaltimer"),
      0U);
}

// The most lines with `what` that no branch and no label parts.
std::size_t most_together(const std::string& ptx, std::string_view what) {
  std::istringstream lines(ptx);
  std::size_t most = 0;
  std::size_t here = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.contains("bra") || line.starts_with("$L")) here = 0;
    if (line.contains(what)) most = std::max(most, ++here);
  }
  return most;
}

// Otherwise every round would wait for its own load.
TEST(Ptx, LoadsForSeveralRoundsOfALoopAtOnce) {
  for (const char* loop : {
           "for (var i = lane; i < n; i += 64u) { out += data[i]; }",
           "let row = id.y * n; for (var i = lane; i < n; i += 64u) { out ^= data[row + i]; }",
           "let by = n >> 4u; for (var i = id.x; i <= n; i += by) { out += data[i]; }",
           "for (var i = i32(lane); i < i32(n); i += 64) { out += data[i]; }",
           "var i = n; while (i > 3u) { out += data[i]; i -= 8u; }",
           "for (var i = 0u; i < n; i++) { out += data[i * 3u + lane]; }",
           "for (var i = 0u; i < n; i++) { for (var j = lane; j < n; j += 64u) { out += data[j]; } "
           "}",
           "for (var i = -2; i <= 2; i++) { out += data[i32(id.x) + i]; }",
           // Rounds of 25 instructions.
           "for (var i = 0u; i < n; i++) { let v = data[i * 3u + lane]; out = ((out ^ v) * 3u + (v "
           ">> 3u)) ^ "
           "((v * v) << 2u); out += (v & 15u) * (out >> 7u) + (v | 77u) + (out & 99u) * v; }",
       }) {
    EXPECT_GE(most_together(ptx_with(loop), "ld.global"), 4U) << loop;
  }
  // Behind a barrier, and with a store in each round.
  const Kernel rows = kernels_of(R"(
@group(0) @binding(0) var<uniform> width: u32;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<workgroup> part: array<f32, 256>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  part[lane] = x[lane];
  workgroupBarrier();
  for (var i = lane; i < width; i += 256u) {
    y[group.x * width + i] = x[group.x * width + i] * part[255u - lane];
  }
})")
                          .at(0);
  const std::string ptx = ptx_of(rows, variant_of(rows));
  EXPECT_GE(most_together(ptx, "ld.global"), 4U);
  EXPECT_GE(most_together(ptx, "st.global"), 4U);
}

// An array in local memory is far from the registers, and each round would wait for the one before.
TEST(Ptx, KeepsSmallArraysThatLoopsWalkAlongInRegisters) {
  const char* body =
      "var row: array<u32, 17>; for (var j = 0u; j <= 16u; j++) { row[j] = j; }"
      "for (var i = 0u; i < n; i++) { var last = row[0]; row[0] = i; let v = data[i * 3u + lane];"
      "  for (var j = 1u; j <= 16u; j++) { let next = last + (data[j] ^ v); last = row[j];"
      "    row[j] = min(next, min(last, row[j - 1u]) + 1u); } }"
      "out = row[16];";
  EXPECT_EQ(count(ptx_with(body), ".local"), 0U);
  // One that is large, or indexed by more than the loop, stays in memory.
  EXPECT_GT(
      count(ptx_with("var row: array<u32, 300>; for (var j = 0u; j < 16u; j++) { row[j * 9u] = "
                     "data[j]; } out = row[id.x];"),
            ".local"),
      0U);
}

// PTX orders -0 before 0, the language and every other device take the first of two equal numbers.
TEST(Ptx, HasNoMinimumOfWhatMayBeZeros) {
  const auto minima = [](const char* value) {
    const std::string text = fmt::format(
        "@group(0) @binding(0) var<storage, read_write> y: array<f32>;"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{"
        "  y[id.x] = {}; }}",
        value);
    const Kernel kernel = kernels_of(text).at(0);
    const std::string ptx = ptx_of(kernel, variant_of(kernel));
    return count(ptx, "min.f32") + count(ptx, "max.f32");
  };
  EXPECT_EQ(minima("min(0.0, y[id.x])"), 0U);
  EXPECT_EQ(minima("max(f32(id.x), y[id.x])"), 0U);
  EXPECT_EQ(minima("clamp(0.0, y[id.x], 0.0)"), 0U);
  EXPECT_EQ(minima("min(0.0, bitcast<f32>(id.x << 31u))"), 0U);
  EXPECT_GT(minima("min(1.0, y[id.x])"), 0U);
}

TEST(Ptx, LooksAtTheTimerBetweenStripsOfALoopBySteps) {
  const auto looks = [](const char* loop) { return count(ptx_with(loop), "%globaltimer"); };
  EXPECT_GT(looks("for (var i = lane; i < n; i += 64u) { out += data[i]; }"), 0U);
  EXPECT_EQ(looks("for (var i = -4; i <= 4; i += 2) { out += data[i]; }"), 0U);
}

TEST(Ptx, GivesAtomicsTheirScopeAndOrder) {
  const std::string globals =
      "@group(0) @binding(3) var<storage, read_write> bins: "
      "array<atomic<u32>>;\nvar<workgroup> near: atomic<i32>;\n";
  const std::string ptx = ptx_with(
      "atomicAdd(&bins[lane], 1u); out = atomicMax(&bins[lane], lane); "
      "atomicSub(&near, 1i); out += u32(atomicLoad(&near));",
      globals);
  EXPECT_EQ(count(ptx, ".relaxed.gpu.global.add.u32"), 1U);
  EXPECT_EQ(count(ptx, "atom.relaxed.gpu.global.max.u32"), 1U);
  EXPECT_EQ(count(ptx, ".relaxed.cta.shared.add.u32"), 1U);
  EXPECT_GT(count(ptx, "ld.relaxed.cta.shared.u32"), 0U);
}

TEST(Ptx, TakesMinimaOfPairsAsOneNumber) {
  const std::string ptx = ptx_with(
      "atomicStoreMin(&pairs[id.x], vec2(lane, id.x)); atomicStoreMax(&pairs[lane], id.xx);",
      "enable atomic_vec2u_min_max;\n"
      "@group(0) @binding(3) var<storage, read_write> pairs: array<atomic<vec2u>>;\n");
  EXPECT_GT(count(ptx, "red.relaxed.gpu.global.min.u64"), 0U);
  EXPECT_GT(count(ptx, "red.relaxed.gpu.global.max.u64"), 0U);
}

TEST(Ptx, ZeroesWorkgroupMemoryUnlessItIsWrittenFirst) {
  // A store of zero, and a barrier after it, beside the program's own barrier.
  const std::string read_first =
      ptx_with("out = shared_words[lane ^ 1u]; workgroupBarrier(); shared_words[lane] = 1u;",
               "var<workgroup> shared_words: array<u32, 64>;\n");
  EXPECT_EQ(count(read_first, "bar.sync"), 2U);
  const Kernel filled = kernels_of(R"(
@group(0) @binding(0) var<storage, read_write> result: array<u32>;
var<workgroup> tile: array<u32, 64>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(global_invocation_id) id: vec3<u32>) {
  tile[lane] = id.x;
  workgroupBarrier();
  result[id.x] = tile[63u - lane];
})")
                            .at(0);
  const std::string ptx = ptx_of(filled, variant_of(filled));
  // Zeros only behind the branch for workgroups that miss lanes.
  const auto lines = lines_with(ptx, {"bra", "st.shared"});
  ASSERT_FALSE(lines.empty());
  EXPECT_TRUE(lines[0].contains("bra")) << lines[0];
}

TEST(Ptx, KeepsProductsAndSumsApartUnlessTheProgramFusedThem) {
  const std::string ptx = ptx_with("out = bitcast<u32>(bitcast<f32>(n) * 3.0) + 1u;");
  EXPECT_EQ(count(ptx, "fma"), 0U);
  EXPECT_GT(count(ptx, "mul.rn.f32"), 0U);
}

TEST(Ptx, IsMadeForTheNewestProcessorThatIsKnown) {
  const Kernel kernel = kernels_of(kSaxpy).at(0);
  const auto for_processor = [&](const char* name) {
    return compile_gpu(kernel, variant_of(kernel), {.processor = name});
  };
  EXPECT_TRUE(for_processor("sm_120")->ptx.contains(".target sm_90"));
  EXPECT_TRUE(for_processor("sm_88")->ptx.contains(".target sm_87"));
  EXPECT_TRUE(for_processor("sm_75")->ptx.contains(".target sm_75"));
  const auto old = for_processor("sm_60");
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, Code::unavailable);
  const auto wrong = for_processor("gfx90a");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::invalid_input);
}

TEST(GpuVariants, SayWhyTheyCannotRun) {
  const Kernel free = kernels_of(kSaxpy).at(0);
  const Limits limits = gpu_limits();
  EXPECT_EQ(why_not(free, variant_of(free, 4), TargetKind::nvptx, limits), "");
  Variant v = variant_of(free);
  v.workgroup = {2048, 1, 1};
  EXPECT_TRUE(why_not(free, v, TargetKind::nvptx, limits).contains("1024"));
  v.workgroup = {0, 1, 1};
  EXPECT_TRUE(why_not(free, v, TargetKind::nvptx, limits).contains("axis of 0"));
  EXPECT_TRUE(
      why_not(free, variant_of(free, 3), TargetKind::nvptx, limits).contains("1, 2, 4, 8 or 16"));
  const Kernel waits = with_body("workgroupBarrier();");
  EXPECT_TRUE(why_not(waits, variant_of(waits, 2), TargetKind::nvptx, limits).contains("waits"));
  const Kernel large = kernels_of(
                           "var<workgroup> much: array<u32, 20000>;\n"
                           "@compute @workgroup_size(1) fn main() { much[3] = 1; }")
                           .at(0);
  EXPECT_TRUE(why_not(large, variant_of(large), TargetKind::nvptx, limits).contains("49152"));
}

}  // namespace
}  // namespace vyre
