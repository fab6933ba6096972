#include "vyre/cli/run/field_path.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

// struct Light { at: vec3<f32>, power: f32 }             32 -> size 16
// struct Params { n: u32, light: Light, m: mat2x2<f32>, weights: array<vec4<f32>, 2> }
class FieldPath : public testing::Test {
 protected:
  FieldPath() {
    const TypeId f32 = types_.scalar(ScalarKind::f32), u32 = types_.scalar(ScalarKind::u32);
    const TypeId light =
        types_.structure("Light", {{"at", types_.vector(ScalarKind::f32, 3)}, {"power", f32}});
    params_ = types_.structure("Params",
                               {{"n", u32},
                                {"light", light},
                                {"m", types_.matrix(ScalarKind::f32, 2, 2)},
                                {"weights", types_.array(types_.vector(ScalarKind::f32, 4), 2)}});
    memory_.resize(types_.layout(params_).size);
    written_.resize(memory_.size());
  }

  std::string set(std::string_view text) {
    const auto assignments = parse_assignments(text);
    for (const Assignment& each : *assignments) {
      const auto assigned = assign(types_, params_, each, memory_, written_);
      if (!assigned) return describe(assigned.error());
    }
    return "";
  }
  double f32_at(std::uint64_t offset) const {
    return load_scalar(memory_, offset, ScalarKind::f32).as_double();
  }

  TypeTable types_;
  TypeId params_;
  std::vector<std::byte> memory_;
  std::vector<std::uint8_t> written_;
};

TEST_F(FieldPath, WritesWhereWgslPutsTheMember) {
  EXPECT_EQ(set("p.n=7,p.light.at=1:2:3,p.light.power=4,p.m=5:6:7:8"), "");
  EXPECT_EQ(load_scalar(memory_, 0, ScalarKind::u32).bits, 7U);
  EXPECT_EQ(f32_at(16), 1);
  EXPECT_EQ(f32_at(24), 3);
  EXPECT_EQ(f32_at(28), 4);
  EXPECT_EQ(f32_at(32), 5);
  EXPECT_EQ(f32_at(44), 8);
}

TEST_F(FieldPath, ReachesElementsAndComponents) {
  EXPECT_EQ(set("p.weights[1].y=9,p.m[1][0]=3,p.light.at.z=2"), "");
  EXPECT_EQ(f32_at(48 + 16 + 4), 9);
  EXPECT_EQ(f32_at(40), 3);
  EXPECT_EQ(f32_at(24), 2);
}

TEST_F(FieldPath, SaysWhatIsWrong) {
  EXPECT_EQ(set("p.q=1"), "p.q: Params has no member 'q'; it has n, light, m, weights");
  EXPECT_EQ(set("p.light.at=1:2"),
            "p.light.at (vec3<f32>) takes 3 values; 2 given; put colons between the "
            "values, as in v=1:2:3");
  EXPECT_EQ(set("p.n=-1"), "p.n: '-1' is not a u32 (a whole number from 0 to 4294967295)");
  EXPECT_EQ(set("p.weights[2]=1:1:1:1"),
            "p.weights[2]: the index is out of bounds; there are 2 elements");
  EXPECT_EQ(set("p.n.x=1"), "p.n.x: u32 has no member 'x'");
  EXPECT_EQ(set("p.n[0]=1"), "p.n[0]: u32 has no elements");
  EXPECT_EQ(set("p.light.at.w=1"), "p.light.at.w: vec3<f32> has no member 'w'");
  EXPECT_EQ(set("p.weights[x]=1"), "p.weights[x]: 'x' is not a whole number");
  EXPECT_EQ(set("p.weights[0=1"), "'p.weights[0' is not a path like p.items[2]");
  EXPECT_EQ(set("p.weights[0]n=1"), "'p.weights[0]n' is not a path like p.items[2]");
}

TEST_F(FieldPath, ListsWhatWasNotGiven) {
  EXPECT_EQ(unwritten_fields(types_, params_, "p", written_),
            (std::vector<std::string>{"p.n", "p.light.at", "p.light.power", "p.m", "p.weights"}));
  EXPECT_EQ(set("p.n=1,p.light.at.x=1,p.light.power=1,p.m=1:1:1:1"), "");
  EXPECT_EQ(unwritten_fields(types_, params_, "p", written_),
            (std::vector<std::string>{"p.light.at", "p.weights"}));
  EXPECT_EQ(set("p.light.at=1:1:1,p.weights=1:2:3:4:5:6:7:8"), "");
  EXPECT_TRUE(unwritten_fields(types_, params_, "p", written_).empty());
}

TEST_F(FieldPath, AWholeStructIsItsScalarsInOrder) {
  EXPECT_EQ(set("p=1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17"), "");
  EXPECT_EQ(f32_at(28), 5);
  EXPECT_EQ(f32_at(48), 10);
}

TEST_F(FieldPath, ARunTimeArrayEndsWithItsBuffer) {
  const TypeId list = types_.runtime_array(types_.scalar(ScalarKind::u32));
  std::vector<std::byte> memory(12);
  EXPECT_TRUE(assign(types_, list, {"l[2]", {"5"}}, memory, {}));
  EXPECT_EQ(load_scalar(memory, 8, ScalarKind::u32).bits, 5U);
  EXPECT_FALSE(assign(types_, list, {"l[3]", {"5"}}, memory, {}));
  EXPECT_FALSE(assign(types_, list, {"l", {"5"}}, memory, {}));
}

}  // namespace
}  // namespace vyre
