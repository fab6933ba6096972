// What the CPU's code makes of kernels whose lanes do not touch neighbouring elements.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "vyre/ir/builder/builder.h"
#include "vyre/ir/kernel.h"
#include "vyre/lower/host_compile.h"

namespace vyre {
namespace {

Kernel kernel_of(ProgramBuilder b) {
  auto program = std::move(b).build();
  EXPECT_TRUE(program.has_value()) << describe(program.error());
  auto kernel = make_kernel(*std::move(program));
  EXPECT_TRUE(kernel.has_value());
  return *std::move(kernel);
}

Variant gang_of_16(const Kernel& kernel) {
  Variant v;
  v.workgroup = kernel.program->workgroup;
  v.gang_width = 16;
  return v;
}

std::string code_of(ProgramBuilder b) {
  const Kernel kernel = kernel_of(std::move(b));
  const auto text = host_text(kernel, gang_of_16(kernel), HostText::llvm);
  EXPECT_TRUE(text.has_value()) << describe(text.error());
  return text.value_or("");
}

std::uint64_t scratch_of(ProgramBuilder b) {
  const Kernel kernel = kernel_of(std::move(b));
  const auto object = compile_host(kernel, gang_of_16(kernel));
  EXPECT_TRUE(object.has_value()) << describe(object.error());
  return object ? object->scratch_bytes : 0;
}

int count_in(const std::string& text, std::string_view what) {
  int found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

struct Counting {
  ProgramBuilder b{"counting", {64, 1, 1}};
  Ref x = b.storage_read("x", b.array(b.u32));
  Ref y = b.storage("y", b.array(b.u32));
  Ref counts = b.storage("counts", b.array(b.atomic(b.u32), 64));
  Value i = b.global_id().x();
  Value place = b.let("place", x[i] & 63U);
};

// A copy is in scratch memory, which these kernels have no other use for.
TEST(SmallBuffers, AreCopiedWhereAKernelOnlyCountsInThem) {
  Counting c;
  c.counts[c.place].atomic_add(1U);
  c.counts[5U].atomic_add(c.i);
  EXPECT_EQ(scratch_of(std::move(c.b)), 32U * 1024);
}

TEST(SmallBuffers, AreNotCopiedWhereTheOrderOfTheOperationsCanBeSeen) {
  Counting used, loaded, two;
  used.y[used.i] = used.counts[used.place].atomic_add(1U);
  EXPECT_EQ(scratch_of(std::move(used.b)), 0U);
  loaded.counts[loaded.place].atomic_add(1U);
  loaded.y[loaded.i] = loaded.counts[0U].atomic_load();
  EXPECT_EQ(scratch_of(std::move(loaded.b)), 0U);
  two.counts[two.place].atomic_add(1U);
  two.counts[two.place].atomic_max(two.i);
  EXPECT_EQ(scratch_of(std::move(two.b)), 0U);
}

TEST(Atomics, OfAllLanesAtOnePlaceAreOne) {
  Counting c;
  c.y[c.i] = c.counts[3U].atomic_add(c.x[c.i]);
  const std::string code = code_of(std::move(c.b));
  EXPECT_GE(count_in(code, "@llvm.vector.reduce.add"), 1) << code;
  EXPECT_EQ(count_in(code, "atomic_lanes"), 0);
}

// Sixteen rows are loaded a line of the cache at a time; what is left of the gather serves the last
// row of the buffer.
TEST(RowsOfLanes, AreLoadedInBlocks) {
  ProgramBuilder b("rows", {64, 1, 1});
  Ref n = b.uniform("n", b.u32);
  Ref x = b.storage_read("x", b.array(b.f32));
  Ref y = b.storage("y", b.array(b.f32));
  const Value row = b.global_id().x();
  Ref sum = b.var("sum", 0.0F);
  b.for_("i", 0U, n, [&](const Value& i) { sum += x[row * n + i]; });
  y[row] = sum;
  const std::string code = code_of(std::move(b));
  EXPECT_GE(count_in(code, "= load <16 x i32>, ptr"), 16) << code;
}

TEST(RowsOfLanes, AreStoredInBlocks) {
  ProgramBuilder b("rows", {64, 1, 1});
  Ref n = b.uniform("n", b.u32);
  Ref y = b.storage("y", b.array(b.f32));
  const Value row = b.global_id().x();
  b.for_("i", 0U, n, [&](const Value& i) { y[row * n + i] = b.convert(b.f32, i); });
  EXPECT_GE(count_in(code_of(std::move(b)), "@write_block("), 2);  // called, and defined
}

// Where the kernel reads what it stores, it would see that a store is late.
TEST(RowsOfLanes, AreStoredAtOnceWhereTheyAreRead) {
  ProgramBuilder b("rows", {64, 1, 1});
  Ref n = b.uniform("n", b.u32);
  Ref y = b.storage("y", b.array(b.f32));
  const Value row = b.global_id().x();
  b.for_("i", 0U, n, [&](const Value& i) { y[row * n + i] = y[row * n] + 1.0F; });
  EXPECT_EQ(count_in(code_of(std::move(b)), "@write_block"), 0);
}

// Neighbours in a tree: known once the rounds are unrolled.
TEST(KnownDistances, NeedNeitherGathersNorScatters) {
  ProgramBuilder b("butterflies", {16, 1, 1});
  Ref x = b.storage("x", b.array(b.u32));
  Ref part = b.workgroup("part", b.array(b.u32, 32));
  const Value l = b.local_index();
  part[l] = x[l];
  part[l + 16U] = x[l + 16U];
  for (const std::uint32_t span : {1U, 2U, 4U, 8U}) {
    b.workgroup_barrier();
    const Value at = b.let("at", l * 2U - (l & (span - 1U)));
    const Value low = b.let("low", part[at]);
    const Value high = b.let("high", part[at + span]);
    part[at] = low + high;
    part[at + span] = low - high;
  }
  b.workgroup_barrier();
  x[l] = part[l];
  x[l + 16U] = part[l + 16U];
  // Of a whole workgroup: in one at the end of the extent, lanes are missing.
  const std::string all = code_of(std::move(b));
  const auto begin = all.rfind("@whole_group(");
  ASSERT_NE(begin, std::string::npos) << all;
  const std::string code = all.substr(begin, all.find("\n}\n", begin) - begin);
  EXPECT_EQ(count_in(code, "call <16 x i32> @llvm.masked.gather"), 0) << code;
  EXPECT_EQ(count_in(code, "call void @llvm.masked.scatter"), 0);
}

}  // namespace
}  // namespace vyre
