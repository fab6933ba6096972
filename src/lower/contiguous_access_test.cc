// Loops of cooperative kernels on the CPU: what neighbouring lanes touch in neighbouring places is
// loaded and stored as vectors, not gathered and scattered.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/kernel.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

// All cases work on rows of x and y, of width n. A workgroup is one gang, because the processor
// decides whether a loop over gangs is unrolled.
struct Rows {
  ProgramBuilder& b;
  Ref n, x, y;
  Value base;
};

struct AccessCase {
  const char* name;
  std::function<void(Rows&)> body;
  // In the code of a whole workgroup: vectors of 16 that are loaded and stored as one, and vectors
  // whose elements are taken one by one. Where a vector reaches over the end of its array, it is
  // loaded and stored under a mask.
  int loads, stores, gathers, scatters;
};

void PrintTo(const AccessCase& c, std::ostream* out) { *out << c.name; }

Kernel kernel_of(const AccessCase& c) {
  ProgramBuilder b("rows", {16, 1, 1});
  Ref n = b.uniform("n", b.u32);
  Ref x = b.storage_read("x", b.array(b.f32));
  Ref y = b.storage("y", b.array(b.f32));
  Ref shared = b.workgroup("shared", b.array(b.f32, 64));
  const Value base = b.let("base", b.workgroup_id().x() * n);
  Rows rows{b, n, x, y, base};
  shared[b.local_index()] = 0.0F;
  b.workgroup_barrier();
  c.body(rows);
  auto program = std::move(b).build();
  EXPECT_TRUE(program.has_value()) << describe(program.error());
  auto kernel = make_kernel(*std::move(program));
  EXPECT_TRUE(kernel.has_value());
  return *std::move(kernel);
}

int count_in(const std::string& text, std::string_view what) {
  int found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::string whole_group_of(const std::string& text) {
  for (auto at = text.find("\ndefine"); at != std::string::npos;
       at = text.find("\ndefine", at + 1)) {
    const std::string function = text.substr(at, text.find("\n}\n", at) - at);
    if (function.substr(0, function.find('{')).contains("@whole_group(")) return function;
  }
  return {};
}

// No gathers, neither in gangs that are wholly inside the row nor in the last one.
TEST(RowAccesses, AreContiguousUpToTheEndOfTheRow) {
  ProgramBuilder b("guarded", {64, 1, 1});
  Ref x = b.storage_read("x", b.array(b.f32));
  Ref y = b.storage("y", b.array(b.f32));
  const Value i = b.global_id().x();
  b.if_(i < y.length(), [&] { y[i] = x[i] + x[i + 1]; });
  auto program = std::move(b).build();
  ASSERT_TRUE(program.has_value()) << describe(program.error());
  Variant v;
  v.workgroup = {64, 1, 1};
  v.gang_width = 16;
  const auto text = host_text(*make_kernel(*std::move(program)), v, HostText::llvm);
  ASSERT_TRUE(text.has_value()) << describe(text.error());
  EXPECT_EQ(count_in(*text, "@llvm.masked.gather"), 0) << *text;
  EXPECT_EQ(count_in(*text, "@llvm.masked.scatter"), 0);
  EXPECT_EQ(count_in(*text, "call <16 x float> @llvm.masked.load"), 2);
}

// Elements of more than one scalar: whole vectors, taken apart and put together in registers.
TEST(RowAccesses, OfElementsWithSeveralScalarsAreContiguous) {
  ProgramBuilder b("records", {64, 1, 1});
  const TypeId record = b.structure("Record", {{"position", b.vec(b.f32, 3)},
                                               {"mass", b.f32},
                                               {"velocity", b.vec(b.f32, 3)},
                                               {"age", b.u32}});
  Ref x = b.storage_read("x", b.array(record));
  Ref y = b.storage("y", b.array(record));
  Ref z = b.storage("z", b.array(b.vec(b.f32, 3)));
  const Value i = b.global_id().x();
  b.if_(i < y.length(), [&] {
    y[i] = x[i];
    z[i] = z[i] * 2.0F;
  });
  auto program = std::move(b).build();
  ASSERT_TRUE(program.has_value()) << describe(program.error());
  Variant v;
  v.workgroup = {64, 1, 1};
  v.gang_width = 16;
  v.bounds = BoundsMode::tested_once;
  const auto text = host_text(*make_kernel(*std::move(program)), v, HostText::llvm);
  ASSERT_TRUE(text.has_value()) << describe(text.error());
  const auto count = [&](const char* what, const char* behind) {
    return count_in(*text, fmt::format("{}<16 x i32>{}", what, behind)) +
           count_in(*text, fmt::format("{}<16 x float>{}", what, behind));
  };
  // Eight words of x and four of z.
  EXPECT_GE(count("= load ", ""), 12) << *text;
  EXPECT_GE(count("store ", " %"), 8);
  EXPECT_GE(count_in(*text, "call void @llvm.masked.store"), 4);  // around the gaps of z
}

class Accesses : public testing::TestWithParam<AccessCase> {};

TEST_P(Accesses, AreContiguousWhereLanesAreNeighbours) {
  const AccessCase& c = GetParam();
  Variant v;
  v.workgroup = {16, 1, 1};
  v.gang_width = 16;
  const auto text = host_text(kernel_of(c), v, HostText::llvm);
  ASSERT_TRUE(text.has_value()) << describe(text.error());
  const std::string code = whole_group_of(*text);
  EXPECT_GE(count_in(code, "= load <16 x float>"), c.loads) << code;
  EXPECT_GE(count_in(code, "call void @llvm.masked.store.v16f32"), c.stores);
  EXPECT_LE(count_in(code, "call <16 x float> @llvm.masked.gather"), c.gathers) << code;
  EXPECT_LE(count_in(code, "call void @llvm.masked.scatter"), c.scatters);
}

const AccessCase kCases[] = {
    {"copy",
     [](Rows& r) {
       r.b.for_(
           "i", r.b.local_index(), r.n, [&](const Value& i) { r.y[r.base + i] = r.x[r.base + i]; },
           64);
     },
     1, 1, 0, 0},
    {"sum_of_squares",
     [](Rows& r) {
       Ref sum = r.b.var("sum", r.b.f32);
       r.b.for_(
           "i", r.b.local_index(), r.n,
           [&](const Value& i) {
             const Value v = r.b.let("v", r.x[r.base + i]);
             sum = sum + v * v;
           },
           64);
       r.y[r.b.global_id().x()] = sum;
     },
     1, 0, 0, 0},
    {"leaves_in_the_middle",
     [](Rows& r) {
       Ref sum = r.b.var("sum", r.b.f32);
       r.b.for_(
           "i", r.b.local_index(), r.n,
           [&](const Value& i) {
             const Value v = r.b.let("v", r.x[r.base + i]);
             r.b.if_(v > 0.5F, [&] { r.b.break_(); });
             sum = sum + v;
           },
           64);
       r.y[r.b.global_id().x()] = sum;
     },
     1, 0, 0, 0},
    {"begins_anywhere",  // gathered, since nothing is known, by two gangs one after the other
     [](Rows& r) {
       Ref sum = r.b.var("sum", r.b.f32);
       const Value begin = r.b.let("begin", r.b.local_index() * r.b.local_index());
       r.b.for_("i", begin, r.n, [&](const Value& i) { sum = sum + r.x[r.base + i]; }, 64);
       r.y[r.b.global_id().x()] = sum;
     },
     0, 0, 2, 0},
};

// If one test of the gang shows that its lanes follow each other, their elements are loaded as a
// vector. The gathers are for other gangs.
const AccessCase kUsualCases[] = {
    {"clamped",
     [](Rows& r) {
       const Value i = r.b.global_id().x();
       r.y[i] = r.x[math(MathFn::min, {i + 1, r.n - 1})];
     },
     1, 0, 1, 0},
    {"around_the_end",
     [](Rows& r) {
       const Value i = r.b.global_id().x();
       r.y[i] = r.x[(i + 1) % r.n];
     },
     1, 0, 1, 0},
    {"rows_and_columns",
     [](Rows& r) {
       const Value i = r.b.global_id().x();
       r.y[i] = r.x[(i / r.n) * 48 + i % r.n];
     },
     1, 0, 1, 0},
    {"last_beside_the_first",
     [](Rows& r) {
       const Value i = r.b.global_id().x();
       r.y[i] = r.x[r.b.select(i - 1, r.n - 1, i == 0u)];
     },
     1, 0, 1, 0},
    {"first_beside_the_last",
     [](Rows& r) {
       const Value i = r.b.global_id().x();
       r.y[i] = r.x[r.b.select(r.n - 1, i + 1, i + 1 < r.n)];
     },
     1, 0, 1, 0},
    {"partner_of_a_butterfly",
     [](Rows& r) {
       const Value i = r.b.global_id().x();
       r.y[i] = r.x[i ^ r.n];
     },
     1, 0, 1, 0},
};

INSTANTIATE_TEST_SUITE_P(OfMostGangs, Accesses, testing::ValuesIn(kUsualCases),
                         [](const auto& info) { return std::string(info.param.name); });

// The rounds that all lanes make are counted and have no masks.
TEST(LoopRounds, ThatAllLanesMakeStandBeforeTheOthers) {
  const auto text = [](const AccessCase& c) {
    Variant v;
    v.workgroup = {16, 1, 1};
    v.gang_width = 16;
    auto out = host_text(kernel_of(c), v, HostText::llvm);
    EXPECT_TRUE(out.has_value()) << describe(out.error());
    return out ? whole_group_of(*out) : std::string();
  };
  const auto has_them = [](const std::string& code) { return code.contains("whole_round"); };
  EXPECT_TRUE(has_them(text(kCases[0])));
  EXPECT_TRUE(has_them(text(kCases[1])));
  EXPECT_FALSE(has_them(text(kCases[2])));  // lanes leave in the middle
}

INSTANTIATE_TEST_SUITE_P(OfLoops, Accesses, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace vyre
