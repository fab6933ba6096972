// Stages whose lanes walk along rows in loops: what one stores in a round, the next one takes from
// the round and not from memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fused_expectations.h"

namespace vyre {
namespace {

constexpr std::uint32_t kRows = 5, kWidth = 150;
constexpr std::uint32_t kElements = kRows * kWidth;

// A stage of 64 lanes a row. `loop` is the header of its loop over `k`; the body has the place
// `at`.
struct Rows {
  std::string globals{};
  std::string before{};
  std::string loop = "for (var k = l; k < 150; k += 64)";
  std::string body{};
};
std::string text_of(const Rows& r) {
  std::string globals;
  std::uint32_t binding = 0;
  for (std::size_t at = 0; at < r.globals.size();) {
    const std::size_t end = std::min(r.globals.find(';', at), r.globals.size());
    globals +=
        fmt::format("@group(0) @binding({}) var<{};\n", binding++, r.globals.substr(at, end - at));
    at = end + 1;
  }
  return fmt::format(
      "{}var<workgroup> part: array<f32, 64>;\n"
      "@compute @workgroup_size(64) fn rows(@builtin(workgroup_id) row: vec3<u32>,\n"
      "  @builtin(local_invocation_index) l: u32) {{\n"
      "  part[l] = 1.0;\n  workgroupBarrier();\n  let first = row.x * 150;\n  {}\n"
      "  {} {{ let at = first + k; {} }}\n}}\n",
      globals, r.before, r.loop, r.body);
}
Rows map(const std::string& in, const std::string& out, const std::string& value) {
  return {.globals =
              fmt::format("storage> {}: array<f32>;storage, read_write> {}: array<f32>", in, out),
          .body = fmt::format("let v = {}[at]; {}[at] = {};", in, out, value)};
}

constexpr const char* kMapAndMore =
    "storage> x: array<f32>;storage, read_write> t: array<f32>;storage, read_write> y: array<f32>";

class FusedRows : public testing::Test {
 protected:
  FusedRows() { begin(); }
  void begin() {
    Staged fresh;
    std::swap(s, fresh);
    s.floats("x", kElements);
    s.floats("w", kElements);
    s.temporary("t", kElements * 4);
    s.floats("y", kElements);
  }
  void stage(const Rows& rows) { s.stage(text_of(rows), {kRows * 64, 1, 1}); }
  void expect(BufferFate fate, const std::string& buffer = "t") {
    expect_fused(s);
    const auto fused = s.fuse();
    ASSERT_TRUE(fused);
    EXPECT_EQ(to_string(s.fate(*fused, buffer)), to_string(fate)) << print(*fused->kernel.program);
    EXPECT_EQ(fused->bindings.size(), fused->kernel.program->globals.size() - workgroup_variables_);
  }
  Staged s;
  std::size_t workgroup_variables_ = 2;
};

TEST_F(FusedRows, PassElementsOnFromRoundToRound) {
  stage(map("x", "t", "v * 2 + part[l]"));
  // A load from workgroup memory may not be moved, though this one would give the same.
  stage(map("t", "y", "v * 0.5"));
  expect(BufferFate::memory);
}

TEST_F(FusedRows, TakeWhatIsComputedBeforeTheLoop) {
  Rows first = map("x", "t", "v * scale");
  first.before = "let scale = part[63 - l] + 2.0;";
  stage(first);
  stage(map("t", "y", "v * 0.5"));
  expect(BufferFate::dropped);
}

TEST_F(FusedRows, PassElementsOnAlongAChain) {
  s.temporary("u", kElements * 4);
  workgroup_variables_ = 3;
  stage(map("x", "t", "v + 1"));
  stage(map("t", "u", "v * v"));
  stage(map("u", "y", "v - 3"));
  expect(BufferFate::dropped);
  EXPECT_EQ(to_string(s.fate(*s.fuse(), "u")), "dropped");
}

TEST_F(FusedRows, ComputeLittleAgainInSeveralLoops) {
  stage({.globals =
             "storage> x: array<f32>;storage> w: array<f32>;storage, read_write> t: array<f32>",
         .body = "t[at] = x[at] + w[at];"});
  Rows second = map("t", "y", "v * sum");
  second.before =
      "var sum = 1.0; for (var k = l; k < 150; k += 64) { let v = t[first + k]; sum += v * v; }";
  stage(second);
  expect(BufferFate::dropped);
}

TEST_F(FusedRows, KeepInMemoryWhatIsMuchToComputeAgain) {
  stage({.globals =
             "storage> x: array<f32>;storage> w: array<f32>;storage, read_write> t: array<f32>",
         .body = "t[at] = x[at] + w[at] + x[0] + w[0] + x[1] + w[1];"});
  Rows second = map("t", "y", "v * sum");
  second.before =
      "var sum = 1.0; for (var k = l; k < 150; k += 64) { let v = t[first + k]; sum += v * v; }";
  stage(second);
  expect(BufferFate::memory);
}

TEST_F(FusedRows, KeepInMemoryWhatIsReadAfterwards) {
  stage(map("x", "y", "v + 1"));
  stage(map("y", "w", "v * 2"));
  expect(BufferFate::memory, "y");
}

// Otherwise the second loop would read what it has overwritten.
TEST_F(FusedRows, KeepInMemoryWhatIsMadeOfABufferThatIsWritten) {
  stage(map("x", "t", "v + 1"));
  stage({.globals = "storage> t: array<f32>;storage, read_write> x: array<f32>;"
                    "storage, read_write> y: array<f32>",
         .body = "x[at] = 7.0; y[at] = t[at];"});
  expect(BufferFate::memory);
}

TEST_F(FusedRows, KeepInMemoryWhatOtherRoundsRead) {
  for (const char* other :
       {"for (var k = l; k < 100; k += 64)", "for (var k = l; k <= 149; k += 64)"}) {
    Staged fresh;
    std::swap(s, fresh);
    s.floats("x", kElements);
    s.temporary("t", kElements * 4);
    s.floats("y", kElements);
    stage(map("x", "t", "v + 1"));
    Rows second = map("t", "y", "v * 2");
    second.loop = other;
    stage(second);
    SCOPED_TRACE(other);
    expect(BufferFate::memory);
  }
}

TEST_F(FusedRows, KeepInMemoryWhatALoopAddsUp) {
  stage({.globals = "storage> x: array<f32>;storage, read_write> t: array<f32>",
         .before = "var sum = 0.0;",
         .body = "sum += x[at]; t[at] = sum;"});
  stage(map("t", "y", "v * 2"));
  expect(BufferFate::memory);
}

TEST_F(FusedRows, PassOnWhatIsReadUnderACondition) {
  stage(map("x", "t", "v + 1"));
  stage({.globals = "storage> t: array<f32>;storage, read_write> y: array<f32>",
         .body = "if (k % 3 == 0) { continue; } if (k % 3 == 1) { y[at] = t[at]; return; } "
                 "for (var j = 0u; j < 3; j += 1) { y[at] += t[at] * f32(j); }"});
  expect(BufferFate::dropped);
}

TEST_F(FusedRows, KnowTheLengthOfWhatHasNoMemory) {
  stage(map("x", "t", "v + 1"));
  stage(map("t", "y", "v + f32(arrayLength(&t))"));
  expect(BufferFate::dropped);
}

TEST_F(FusedRows, KnowTheLengthInWhatIsComputedAgain) {
  stage({.globals = "storage> x: array<f32>;storage, read_write> t: array<f32>",
         .body = "t[at] = x[at] + f32(arrayLength(&t));"});
  stage(map("t", "y", "v * 2"));
  expect(BufferFate::dropped);
}

// What stays in memory is what the last round stored.
TEST_F(FusedRows, KeepInMemoryWhatRoundsOverwrite) {
  for (const char* place : {"l + row.x * 64", "row.x * 64 + l + 0 * k"}) {
    begin();
    stage({.globals = kMapAndMore,
           .before =
               fmt::format("for (var k = l; k < 150; k += 64) {{ t[{}] = x[first + k]; }}", place),
           .body = fmt::format("y[at] = t[{}] + 1;", place)});
    stage(map("x", "w", "v * 2"));
    SCOPED_TRACE(place);
    expect(BufferFate::memory);
  }
}

TEST_F(FusedRows, KeepInMemoryWhatIsReadAtAnEarlierPlace) {
  for (const char* loop : {"var k = l; let z = k; for (; k < 150; k += 64)",
                           "var k = l; let z = k + 0; for (; k < 150; k += 64)"}) {
    begin();
    stage({.globals = kMapAndMore,
           .before = "for (var k = l; k < 150; k += 64) { t[first + k] = x[first + k]; }",
           .loop = loop,
           .body = "y[at] = t[first + z] + 1;"});
    stage(map("x", "w", "v * 2"));
    SCOPED_TRACE(loop);
    expect(BufferFate::memory);
  }
}

// The last rows do not fit: their stores do nothing, and their loads give zero.
TEST_F(FusedRows, GiveZeroBehindTheEnd) {
  for (const char* type : {"f32", "vec2<f32>", "vec4<f32>"}) {
    Staged fresh;
    std::swap(s, fresh);
    s.floats("x", kElements * 4);
    s.temporary("t", 700 * 16);
    s.floats("y", kElements * 4);
    const auto globals = [&](const char* in, const char* out) {
      return fmt::format("storage> {0}: array<{2}>;storage, read_write> {1}: array<{2}>", in, out,
                         type);
    };
    const std::uint32_t skip = type == std::string("f32")         ? 2500
                               : type == std::string("vec2<f32>") ? 900
                                                                  : 0;
    const std::string place = fmt::format("[at + {}]", skip);
    stage({.globals = globals("x", "t"), .body = "t" + place + " = x[at] + 1;"});
    stage({.globals = globals("t", "y"), .body = "y[at] = t" + place + " * 2;"});
    SCOPED_TRACE(type);
    expect(BufferFate::dropped);
  }
}

}  // namespace
}  // namespace vyre
