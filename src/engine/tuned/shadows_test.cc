#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "vyre/device/cpu/cpu_device.h"
#include "vyre/engine/tuned/shadows_internal.h"
#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr double kTolerance = 0.01;

class ComparerTest : public testing::Test {
 protected:
  ComparerTest() {
    std::shared_ptr<Queue> queue = *device_->make_queue();
    comparer_ = *Comparer::make(std::make_shared<CompareTools>(), std::move(queue), *device_);
  }

  // The number of words in which two arrays differ.
  template <class T>
  std::uint64_t different(std::vector<T> a, std::vector<T> b, Compared as, double tolerance) {
    const auto memory = [](std::vector<T>& values) {
      return BoundMemory{reinterpret_cast<std::uintptr_t>(values.data()),
                         values.size() * sizeof(T)};
    };
    EXPECT_TRUE(comparer_->begin());
    EXPECT_TRUE(comparer_->add(memory(a), memory(b), as, tolerance));
    return comparer_->different().value();
  }
  std::uint64_t floats(float a, float b) {
    const std::uint64_t one_way = different<float>({5, a, 7}, {5, b, 7}, Compared::f32, kTolerance);
    EXPECT_EQ(different<float>({5, b, 7}, {5, a, 7}, Compared::f32, kTolerance), one_way);
    return one_way;
  }
  std::uint64_t halves(std::uint16_t a, std::uint16_t b) {
    const std::uint64_t one_way =
        different<std::uint16_t>({1, a, 7}, {1, b, 7}, Compared::f16, kTolerance);
    EXPECT_EQ(different<std::uint16_t>({1, b, 7}, {1, a, 7}, Compared::f16, kTolerance), one_way);
    return one_way;
  }

  std::shared_ptr<Device> device_ = CpuDevice::make({.threads = 1});
  std::unique_ptr<Comparer> comparer_;
};

TEST_F(ComparerTest, FloatsMayDifferByAShareOfTheLarger) {
  EXPECT_EQ(floats(100, 100), 0U);
  EXPECT_EQ(floats(100, 101), 0U);
  EXPECT_EQ(floats(-100, -101), 0U);
  EXPECT_EQ(floats(100, 102), 1U);
  EXPECT_EQ(floats(100, -100), 1U);
  EXPECT_EQ(floats(0, -0.0F), 0U);
  EXPECT_EQ(floats(0, 1e-30F), 1U);
  EXPECT_EQ(different<float>({1, 2, 3}, {2, 3, 3}, Compared::f32, kTolerance), 2U);
}

TEST_F(ComparerTest, ANumberIsNearNeitherToInfinityNorToNan) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(floats(kNan, std::bit_cast<float>(0xFFC12345U)), 0U);
  EXPECT_EQ(floats(kNan, 1), 1U);
  EXPECT_EQ(floats(kNan, kInfinity), 1U);
  EXPECT_EQ(floats(kInfinity, kInfinity), 0U);
  EXPECT_EQ(floats(kInfinity, -kInfinity), 1U);
  EXPECT_EQ(floats(kInfinity, 3e38F), 1U);
  EXPECT_EQ(floats(kInfinity, 0), 1U);
}

TEST_F(ComparerTest, HalvesAreComparedByTheirValues) {
  EXPECT_EQ(halves(0x3C00, 0x3C02), 0U);  // 1 and 1.002
  EXPECT_EQ(halves(0x3C00, 0x3C20), 1U);  // 1 and 1.03
  EXPECT_EQ(halves(0x3BFF, 0x3C00), 0U);  // neighbours on both sides of 1
  EXPECT_EQ(halves(0x03FF, 0x0400),
            0U);  // the largest below the normal ones, and the least of them
  EXPECT_EQ(halves(0x0001, 0x0002), 1U);
  EXPECT_EQ(halves(0x8000, 0x0000), 0U);
  EXPECT_EQ(halves(0xBC00, 0x3C00), 1U);
  EXPECT_EQ(halves(0x7C00, 0x7BFF), 1U);  // infinity and the largest
  EXPECT_EQ(halves(0x7C00, 0xFC00), 1U);
  EXPECT_EQ(halves(0x7E00, 0xFC01), 0U);  // NaN twice
  EXPECT_EQ(halves(0x7E00, 0x3C00), 1U);
}

TEST_F(ComparerTest, WithoutAToleranceBitsCount) {
  EXPECT_EQ(different<float>({0, 1}, {0, 1}, Compared::f32, 0), 0U);
  EXPECT_NE(different<float>({0, 1}, {-0.0F, 1}, Compared::f32, 0), 0U);
  EXPECT_NE(different<std::uint32_t>({1, 2}, {1, 3}, Compared::bits, kTolerance), 0U);
  EXPECT_EQ(different<std::uint32_t>({}, {}, Compared::bits, kTolerance), 0U);
}

Slice slice_of_text(const std::string& body, Extent extent) {
  const bool groups = body.contains("groups");
  const ParsedModule parsed = parse_wgsl(
      "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n"
      "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u" +
      std::string(groups ? ", @builtin(num_workgroups) groups: vec3u" : "") + ") {\n" + body +
      "\n}\n");
  EXPECT_TRUE(parsed.module) << parsed.message();
  return slice_of(*make_kernel(parsed.module->programs.at(0)), extent);
}

TEST(Slices, TakeASixteenthOfWhatEachInvocationDoesAlone) {
  const std::string own = "x[id.x] += 1u;";
  const Slice part = slice_of_text(own, {1U << 20, 1, 1});
  EXPECT_EQ(part.extent, (Extent{1U << 16, 1, 1}));
  EXPECT_EQ(part.elements, std::uint64_t{1} << 16);
  const Slice ragged = slice_of_text(own, {(1U << 20) + 17, 1, 1});  // as the whole
  EXPECT_EQ(ragged.extent, (Extent{(1U << 16) + 17, 1, 1}));
  struct Case {
    std::string body;
    Extent extent;
  };
  const std::vector<Case> cases{{own, {100, 1, 1}},
                                {own, {1U << 20, 2, 1}},
                                {own, {1U << 20, 1, 2}},
                                {"x[id.x + 1u] += 1u;", {1U << 20, 1, 1}},
                                {"x[id.x] += groups.x;", {1U << 20, 1, 1}}};
  for (const Case& each : cases) {
    const Slice whole = slice_of_text(each.body, each.extent);
    EXPECT_EQ(whole.extent, each.extent) << each.body;
    EXPECT_FALSE(whole.elements) << each.body;
  }
}

}  // namespace
}  // namespace vyre
