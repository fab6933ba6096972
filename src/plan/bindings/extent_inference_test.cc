#include "vyre/plan/bindings/extent_inference.h"

#include <gtest/gtest.h>

#include "vyre/plan/bindings/extent_volume.h"
#include "vyre/plan/kernels_testing.h"

namespace vyre {
namespace {

CountedBuffer counted(const char* name, std::optional<std::uint64_t> elements, bool is_output,
                      bool runtime_sized = true) {
  return {name, elements, is_output, runtime_sized};
}

InferredExtent inferred(std::string_view kernel, const std::vector<CountedBuffer>& buffers) {
  return *infer_extent(kernel_named(kernel), buffers);
}
std::string refusal(std::string_view kernel, const std::vector<CountedBuffer>& buffers) {
  const auto result = infer_extent(kernel_named(kernel), buffers);
  return result ? "" : result.error().what;
}

TEST(InferExtent, CoversTheLargestOutput) {
  const auto out = inferred("streams", {counted("in", 500, false), counted("out", 300, true),
                                        counted("more", 301, true), counted("less", 301, true)});
  EXPECT_EQ(out.extent, (Extent{301, 1, 1}));
  EXPECT_EQ(out.elements, 301U);
  EXPECT_EQ(out.from, "the elements of more");
  EXPECT_EQ(out.longer, std::vector<std::string>{"in (500)"});
}

TEST(InferExtent, CoversEverythingIfTheProgramHasAtomicsSharesOrHasNoOutput) {
  const std::vector<CountedBuffer> buffers{counted("in", 512, false), counted("out", 256, true)};
  EXPECT_EQ(inferred("counts", buffers).from, "the elements of in");
  EXPECT_EQ(inferred("reverses_groups", buffers).from, "the elements of in");
  EXPECT_EQ(inferred("streams", buffers).from, "the elements of out");
  EXPECT_EQ(inferred("streams", {counted("a", 5, false), counted("b", 6, false)}).from,
            "the elements of b");
  EXPECT_TRUE(inferred("counts", buffers).longer.empty());
}

TEST(InferExtent, RunsWholeWorkgroupsOnlyIfTheProgramDependsOnThem) {
  const std::vector<CountedBuffer> buffers{counted("out", 1000, true)};
  EXPECT_EQ(inferred("streams", buffers).extent[0], 1000U);
  EXPECT_EQ(inferred("tells_groups", buffers).extent[0], 1024U);
  EXPECT_EQ(inferred("tells_groups", buffers).from, "the elements of out, in whole workgroups");
  EXPECT_EQ(inferred("tells_groups", buffers).elements, 1000U);
  EXPECT_EQ(inferred("tells_groups", {counted("out", 1024, true)}).from, "the elements of out");
  // 2^32 - 1 elements have no whole number of workgroups in 32 bits.
  EXPECT_EQ(inferred("tells_groups", {counted("out", UINT32_MAX, true)}).extent[0], UINT32_MAX);
}

TEST(InferExtent, SaysWhatIsUnknown) {
  EXPECT_EQ(refusal("moves_rows", {counted("out", 10, true)}),
            "moves_rows has workgroups of 16x16x1, so the number of invocations cannot be "
            "inferred");
  EXPECT_EQ(refusal("fills_space", {counted("out", 10, true)}),
            "fills_space has workgroups of 4x4x4, so the number of invocations cannot be "
            "inferred");
  EXPECT_EQ(refusal("streams", {}), "streams has no buffers that say how many invocations to run");
  EXPECT_EQ(refusal("streams", {counted("out", std::nullopt, true)}),
            "nothing says how many elements out has");
  // The size of the run-time sized output is not known, and the fixed one says nothing about it.
  EXPECT_EQ(
      refusal("streams", {counted("table", 16, false, false), counted("out", std::nullopt, true)}),
      "nothing says how many elements out has");
  // Here data decide, and the output follows.
  EXPECT_EQ(
      inferred("streams", {counted("in", 16, false), counted("out", std::nullopt, true)}).extent[0],
      16U);
}

TEST(InferExtent, CountsIn32Bits) {
  EXPECT_EQ(inferred("streams", {counted("out", UINT32_MAX, true)}).extent[0], UINT32_MAX);
  EXPECT_EQ(refusal("streams", {counted("out", std::uint64_t{UINT32_MAX} + 1, true)}),
            "out has 4294967296 elements; a launch has at most 4294967295 invocations along an "
            "axis");
}

TEST(ExtentVolume, IsAbsentWhereItDoesNotFit) {
  EXPECT_EQ(volume({2, 3, 5}), 30.0);
  EXPECT_EQ(volume_in_64_bits({2, 3, 5}), 30U);
  EXPECT_EQ(volume_in_64_bits({0xFFFFFFFF, 0xFFFFFFFF, 1}), 0xFFFFFFFE00000001U);
  EXPECT_FALSE(volume_in_64_bits({0xFFFFFFFF, 0xFFFFFFFF, 2}));
  EXPECT_EQ(volume_in_32_bits({0xFFFFFFFF, 1, 1}), 0xFFFFFFFFU);
  EXPECT_FALSE(volume_in_32_bits({0x80000000, 2, 1}));
  EXPECT_FALSE(volume_in_32_bits({0xFFFFFFFF, 0xFFFFFFFF, 2}));
  EXPECT_EQ(volume_in_32_bits({0, 7, 7}), 0U);
}

}  // namespace
}  // namespace vyre
