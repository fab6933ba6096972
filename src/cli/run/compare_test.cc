#include "vyre/cli/run/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

bool close(float a, float b, const char* tolerance) {
  return close_enough(Scalar::of(a), Scalar::of(b), *parse_tolerance(tolerance));
}

TEST(Tolerance, IsUlpsOrAPartOfTheLarger) {
  EXPECT_EQ(describe(*parse_tolerance("0")), "bit for bit");
  EXPECT_EQ(describe(*parse_tolerance("0ulp")), "bit for bit");
  EXPECT_EQ(describe(*parse_tolerance("4ulp")), "within 4 ulp");
  EXPECT_EQ(describe(*parse_tolerance("1e-5")), "within 1e-05 of the larger magnitude");
  for (const char* bad : {"", "ulp", "-1", "1.5ulp", "nan", "inf", "4 ulps", "x"}) {
    EXPECT_FALSE(parse_tolerance(bad)) << bad;
  }
}

TEST(Tolerance, CountsFloatsBetween) {
  const float next = std::nextafter(1.0F, 2.0F);
  EXPECT_EQ(ulps_apart(Scalar::of(1.0F), Scalar::of(next)), 1U);
  EXPECT_EQ(ulps_apart(Scalar::of(0.0F), Scalar::of(-0.0F)), 0U);
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(ulps_apart(Scalar::of(tiny), Scalar::of(-tiny)), 2U);
  EXPECT_EQ(ulps_apart({ScalarKind::f16, 0x3c00}, {ScalarKind::f16, 0x3c05}), 5U);
  EXPECT_EQ(ulps_apart(Scalar::of(1U), Scalar::of(9U)), 0U);
}

TEST(Tolerance, AllowsWhatItSays) {
  const float next = std::nextafter(1.0F, 2.0F);
  EXPECT_FALSE(close(1, next, "0"));
  EXPECT_TRUE(close(1, next, "1ulp"));
  EXPECT_TRUE(close(1, next, "1e-6"));
  EXPECT_FALSE(close(1, 1.1F, "1e-6"));
  EXPECT_TRUE(close(100, 101, "0.01"));
  EXPECT_FALSE(close(0.0F, -0.0F, "0"));
  EXPECT_TRUE(close(0.0F, -0.0F, "1ulp"));
}

TEST(Tolerance, KeepsWhatIsNoNumberApart) {
  for (const char* tolerance : {"0", "1000ulp", "0.9"}) {
    EXPECT_TRUE(close(kNan, -kNan, tolerance));
    EXPECT_FALSE(close(kNan, 1, tolerance));
    EXPECT_FALSE(close(1, kNan, tolerance));
    EXPECT_TRUE(close(kInfinity, kInfinity, tolerance));
    EXPECT_FALSE(close(kInfinity, -kInfinity, tolerance));
    EXPECT_FALSE(close(std::numeric_limits<float>::max(), kInfinity, tolerance));
  }
  EXPECT_FALSE(close_enough(Scalar::of(1U), Scalar::of(2U), *parse_tolerance("9ulp")));
}

// Buffers of a struct with padding in front of a run-time sized array.
class CompareBuffers : public testing::Test {
 protected:
  CompareBuffers() {
    const ParsedModule parsed = parse_wgsl(R"(
struct Body { at: vec3<f32>, id: u32, rows: array<vec2<f32>, 2> }
struct All { count: u32, bodies: array<Body> }
@group(0) @binding(0) var<storage, read_write> all: All;
@compute @workgroup_size(1) fn main() { all.count = 1; }
)",
                                           "test");
    program_ = parsed.module->programs.front();
    layout_ = buffer_layout(program_.types, program_.globals.front().type);
    got_.resize(*layout_.bytes_for(2));
    expected_ = got_;
  }

  Comparison compare(const char* tolerance = "0") {
    Comparison out;
    compare_buffers(program_.types, layout_, "all", got_, expected_, *parse_tolerance(tolerance),
                    out);
    return out;
  }
  void put(std::size_t offset, float value) { std::memcpy(&got_[offset], &value, sizeof value); }

  Program program_;
  BufferLayout layout_;
  std::vector<std::byte> got_, expected_;
};

TEST_F(CompareBuffers, EqualContentsAreTheSame) {
  const Comparison c = compare();
  EXPECT_TRUE(c.same());
  EXPECT_EQ(c.scalars, 1U + 2 * 8);
}

TEST_F(CompareBuffers, PaddingIsNotLookedAt) {
  got_[4] = std::byte{1};  // behind the count
  EXPECT_TRUE(compare().same());
}

TEST_F(CompareBuffers, PlacesAreNamed) {
  const std::size_t first = layout_.header_bytes;
  got_[0] = std::byte{3};
  put(first + 4, 1.5F);
  put(first + layout_.stride + 16 + 8 + 4, -2);
  const Comparison c = compare();
  ASSERT_EQ(c.different, 3U);
  EXPECT_EQ(c.first[0].place, "all.count");
  EXPECT_EQ(c.first[0].got, Scalar::of(3U));
  EXPECT_EQ(c.first[1].place, "all.bodies[0].at.y");
  EXPECT_EQ(c.first[2].place, "all.bodies[1].rows[1].y");
  EXPECT_EQ(c.first[2].expected, Scalar::of(0.0F));
}

TEST_F(CompareBuffers, WhatIsWithinTheToleranceIsCounted) {
  put(layout_.header_bytes, 1.0F);
  const float one = std::nextafter(1.0F, 2.0F);
  std::memcpy(&expected_[layout_.header_bytes], &one, sizeof one);
  const Comparison c = compare("2ulp");
  EXPECT_TRUE(c.same());
  EXPECT_EQ(c.inexact, 1U);
  EXPECT_EQ(c.most_ulps, 1U);
}

}  // namespace
}  // namespace vyre
