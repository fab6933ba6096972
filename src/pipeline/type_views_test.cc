#include "vyre/pipeline/type_views.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "vyre/wgsl/module.h"

namespace vyre {
namespace {

constexpr const char* kStructs = R"(
struct Pair { key: u32, value: f32 }
struct Couple { name: i32, weight: f32 }
struct Turned { value: f32, key: u32 }
struct Row { count: u32, values: array<f32> }
struct Triple { a: u32, b: f32, c: u32 }
struct Padded { direction: vec3<f32>, weight: u32 }
)";

// The first difference of two types that a buffer of 480 bytes is seen as, as text.
std::string difference(const std::string& one, const std::string& other) {
  const auto parsed = parse_wgsl(
      fmt::format("enable f16;\n{}@group(0) @binding(0) var<storage, read_write> a: {};\n"
                  "@group(0) @binding(1) var<storage, read_write> b: {};\n"
                  "@compute @workgroup_size(1) fn main() {{ _ = &a; _ = &b; }}\n",
                  kStructs, one, other),
      "types");
  EXPECT_TRUE(parsed.module) << parsed.message();
  if (!parsed.module) return "no module";
  const Program& p = parsed.module->programs.at(0);
  const auto found =
      first_difference(p.types, p.globals.at(0).type, p.types, p.globals.at(1).type, 480);
  if (!found) return "";
  return fmt::format("{}: {}, {}", found->offset, to_string(found->first),
                     to_string(found->second));
}

TEST(TypeViews, EqualScalarsAtEqualPlacesGoTogether) {
  EXPECT_EQ(difference("array<u32>", "array<vec4<u32>>"), "");
  EXPECT_EQ(difference("array<i32>", "array<atomic<i32>>"), "");
  EXPECT_EQ(difference("array<i32>", "array<atomic<u32>>"), "");
  EXPECT_EQ(difference("array<Pair>", "array<Couple>"), "");
  EXPECT_EQ(difference("array<f32>", "array<mat4x4<f32>>"), "");
  EXPECT_EQ(difference("array<f32, 120>", "array<vec2<f32>>"), "");
  EXPECT_EQ(difference("array<f32>", "array<vec3<f32>>"), "") << "padding goes with everything";
}

TEST(TypeViews, TheFirstDifferenceHasItsPlace) {
  EXPECT_EQ(difference("array<f32>", "array<u32>"), "0: f32, u32");
  EXPECT_EQ(difference("array<f32>", "array<f16>"), "0: f32, f16");
  EXPECT_EQ(difference("array<Pair>", "array<Turned>"), "0: u32, f32");
  EXPECT_EQ(difference("array<u32>", "array<Pair>"), "4: u32, f32");
  EXPECT_EQ(difference("Row", "array<u32>"), "4: f32, u32");
  EXPECT_EQ(difference("Padded", "array<f32>"), "12: u32, f32");
  EXPECT_EQ(difference("array<array<f32, 3>>", "array<array<u32, 2>>"), "0: f32, u32");
}

TEST(TypeViews, ElementsOfOtherSizesAreComparedUntilTheyMeetAgain) {
  EXPECT_EQ(difference("array<Pair>", "array<Triple>"), "12: f32, u32");
  EXPECT_EQ(difference("array<Triple>", "array<Pair>"), "12: u32, f32");
  EXPECT_EQ(difference("array<mat3x3<f32>>", "array<array<f32, 5>>"), "");
}

}  // namespace
}  // namespace vyre
