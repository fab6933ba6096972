#include "vyre/data/fill.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

// The published outputs of SplitMix64 for the seed 1234567.
TEST(Fill, RandomIsSplitMix64) {
  EXPECT_EQ(random_scalar(1234567, 0, ScalarKind::u32).bits, 6457827717110365317U >> 32);
  EXPECT_EQ(random_scalar(1234567, 1, ScalarKind::u32).bits, 3203168211198807973U >> 32);
  EXPECT_EQ(random_scalar(1234567, 2, ScalarKind::u32).bits, 9817491932198370423U >> 32);
}

TEST(Fill, RandomFloatsLieInTheUnitInterval) {
  double sum = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    for (const ScalarKind kind : {ScalarKind::f32, ScalarKind::f16}) {
      const double value = random_scalar(2, i, kind).as_double();
      ASSERT_GE(value, 0);
      ASSERT_LT(value, 1);
      sum += value;
    }
  }
  EXPECT_NEAR(sum / 20000, 0.5, 0.01);
}

class Filled : public testing::Test {
 protected:
  std::vector<std::byte> fill(TypeId type, std::uint64_t elements, std::string_view text) {
    const BufferLayout layout = buffer_layout(types_, type);
    std::vector<std::byte> memory(layout.bytes_for(elements).value(), std::byte{0xee});
    const auto filled = apply_fill(types_, layout, *parse_fill(text), memory);
    EXPECT_TRUE(filled);
    return memory;
  }
  TypeTable types_;
};

TEST_F(Filled, IotaNumbersScalarsAndSkipsPadding) {
  const TypeId vec3 = types_.vector(ScalarKind::f32, 3);
  const auto memory = fill(types_.runtime_array(vec3), 2, "iota");
  ASSERT_EQ(memory.size(), 32U);
  for (std::uint64_t i = 0; i < 2; ++i) {
    for (std::uint64_t j = 0; j < 3; ++j) {
      EXPECT_EQ(load_scalar(memory, i * 16 + j * 4, ScalarKind::f32).as_double(),
                static_cast<double>(i * 3 + j));
    }
    EXPECT_EQ(load_scalar(memory, i * 16 + 12, ScalarKind::u32).bits, 0xeeeeeeeeU);
  }
}

TEST_F(Filled, AStructsMembersGetTheirOwnKinds) {
  const TypeId f32 = types_.scalar(ScalarKind::f32), u32 = types_.scalar(ScalarKind::u32);
  const TypeId body = types_.structure("Body", {{"mass", f32}, {"id", u32}});
  const auto memory = fill(types_.runtime_array(body), 2, "const=3");
  EXPECT_EQ(load_scalar(memory, 8, ScalarKind::f32).as_double(), 3);
  EXPECT_EQ(load_scalar(memory, 12, ScalarKind::u32).bits, 3U);
}

TEST_F(Filled, MembersBeforeARunTimeArrayAreFilledToo) {
  const TypeId u32 = types_.scalar(ScalarKind::u32);
  const TypeId list = types_.structure("List", {{"n", u32}, {"items", types_.runtime_array(u32)}});
  const auto memory = fill(list, 3, "iota");
  ASSERT_EQ(memory.size(), 16U);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(load_scalar(memory, i * 4, ScalarKind::u32).bits, i);
  }
}

TEST_F(Filled, AConstantMustFitTheType) {
  const TypeId u32 = types_.runtime_array(types_.scalar(ScalarKind::u32));
  const BufferLayout layout = buffer_layout(types_, u32);
  std::vector<std::byte> memory(16);
  const Fill fill{.kind = Fill::Kind::constant, .value = "1.5", .elements = {}};
  EXPECT_FALSE(apply_fill(types_, layout, fill, memory));
}

}  // namespace
}  // namespace vyre
