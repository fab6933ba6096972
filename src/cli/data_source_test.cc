#include "vyre/cli/data_source.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

DataSource source_of(std::string_view text) {
  const auto input = parse_input(text);
  EXPECT_TRUE(input) << text;
  return input ? input->source : DataSource{};
}

TEST(DataSource, InputsAreFilesOrFills) {
  EXPECT_EQ(source_of("x=a.npy"), DataSource(NpyFile{"a.npy"}));
  EXPECT_EQ(source_of("x=raw:a=b.bin"), DataSource(RawFile{"a=b.bin"}));
  EXPECT_EQ(source_of("x=fill:zeros"), DataSource(Fill{}));
  EXPECT_EQ(source_of("x=fill:iota:7"),
            DataSource(Fill{.kind = Fill::Kind::iota, .value = "", .elements = 7}));
  EXPECT_EQ(source_of("x=fill:const=-1.5:8"),
            DataSource(Fill{.kind = Fill::Kind::constant, .value = "-1.5", .elements = 8}));
  EXPECT_EQ(source_of("x=fill:random=42"),
            DataSource(Fill{.kind = Fill::Kind::random, .value = "", .seed = 42, .elements = {}}));
  EXPECT_EQ(parse_input("name=a.npy")->name, "name");
}

TEST(DataSource, RefusesInputsThatSayNothing) {
  for (const char* bad :
       {"", "x", "x=", "=a.npy", "x=raw:", "x=fill:", "x=fill:ones", "x=fill:zeros=1",
        "x=fill:const", "x=fill:const=", "x=fill:const=red", "x=fill:random", "x=fill:random=x",
        "x=fill:random=1:", "x=fill:iota:0", "x=fill:iota:-1", "x=fill:iota:1:2"}) {
    EXPECT_FALSE(parse_input(bad)) << bad;
  }
}

TEST(DataSource, OutputsNameTheirForm) {
  EXPECT_EQ(parse_output("y=b.npy")->path, "b.npy");
  EXPECT_FALSE(parse_output("y=b.npy")->raw);
  EXPECT_TRUE(parse_output("y=raw:b.bin")->raw);
  EXPECT_FALSE(parse_output("y=raw:"));
  EXPECT_FALSE(parse_output("y="));
  const auto unclear = parse_output("y=b.bin");
  ASSERT_FALSE(unclear);
  EXPECT_EQ(unclear.error().fix, "write y=b.bin.npy, or y=raw:b.bin for plain bytes");
}

TEST(DataSource, StandardStreamsAreRefused) {
  for (const char* text : {"y=-", "y=raw:-"}) {
    const auto out = parse_output(text);
    ASSERT_FALSE(out) << text;
    EXPECT_EQ(describe(out.error()),
              std::string(text) + ": the standard output has the report, not data; give a file: "
                                  "y=y.npy or y=raw:y.bin");
    const auto in = parse_input(text);
    ASSERT_FALSE(in) << text;
    EXPECT_EQ(describe(in.error()),
              std::string(text) + ": data are not read from the standard input; give a file: "
                                  "y=y.npy or y=raw:y.bin");
  }
}

TEST(DataSource, AssignmentsStandBetweenCommas) {
  const auto assignments = parse_assignments("p.n=4,p.d=0:-1:2.5,q[3].x=1");
  ASSERT_TRUE(assignments);
  ASSERT_EQ(assignments->size(), 3U);
  EXPECT_EQ((*assignments)[0].path, "p.n");
  EXPECT_EQ((*assignments)[1].values, (std::vector<std::string>{"0", "-1", "2.5"}));
  EXPECT_EQ((*assignments)[2].path, "q[3].x");
  for (const char* bad : {"", "p", "p=", "p.n=4,", ",p.n=4", "=4"}) {
    EXPECT_FALSE(parse_assignments(bad)) << bad;
  }
}

TEST(DataSource, SettingsAreNumbers) {
  const auto settings = parse_settings("TILE=8,fast=true,7=-2.5");
  ASSERT_TRUE(settings);
  EXPECT_EQ((*settings)[0].name, "TILE");
  EXPECT_EQ((*settings)[1].value, 1);
  EXPECT_EQ((*settings)[2].name, "7");
  EXPECT_FALSE(parse_settings("TILE=eight"));
  EXPECT_FALSE(parse_settings("TILE"));
}

TEST(DataSource, PrintsTakeACount) {
  EXPECT_EQ(parse_print("y")->elements, std::nullopt);
  EXPECT_EQ(parse_print("y:8")->elements, 8U);
  EXPECT_FALSE(parse_print(""));
  EXPECT_FALSE(parse_print(":8"));
  EXPECT_FALSE(parse_print("y:"));
  EXPECT_FALSE(parse_print("y:x"));
}

// The published outputs of SplitMix64 for the seed 1234567.
TEST(DataSource, RandomIsSplitMix64) {
  EXPECT_EQ(random_scalar(1234567, 0, ScalarKind::u32).bits, 6457827717110365317U >> 32);
  EXPECT_EQ(random_scalar(1234567, 1, ScalarKind::u32).bits, 3203168211198807973U >> 32);
  EXPECT_EQ(random_scalar(1234567, 2, ScalarKind::u32).bits, 9817491932198370423U >> 32);
}

TEST(DataSource, RandomFloatsLieInTheUnitInterval) {
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
    const auto filled = apply_fill(types_, layout, std::get<Fill>(source_of(text)), memory);
    EXPECT_TRUE(filled);
    return memory;
  }
  TypeTable types_;
};

TEST_F(Filled, IotaNumbersScalarsAndSkipsPadding) {
  const TypeId vec3 = types_.vector(ScalarKind::f32, 3);
  const auto memory = fill(types_.runtime_array(vec3), 2, "x=fill:iota");
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
  const auto memory = fill(types_.runtime_array(body), 2, "x=fill:const=3");
  EXPECT_EQ(load_scalar(memory, 8, ScalarKind::f32).as_double(), 3);
  EXPECT_EQ(load_scalar(memory, 12, ScalarKind::u32).bits, 3U);
}

TEST_F(Filled, MembersBeforeARunTimeArrayAreFilledToo) {
  const TypeId u32 = types_.scalar(ScalarKind::u32);
  const TypeId list = types_.structure("List", {{"n", u32}, {"items", types_.runtime_array(u32)}});
  const auto memory = fill(list, 3, "x=fill:iota");
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
