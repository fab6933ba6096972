#include "vyre/cli/run/run_arguments.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

DataSource source_of(std::string_view text) {
  const auto input = parse_input(text);
  EXPECT_TRUE(input) << text;
  return input ? input->source : DataSource{};
}

TEST(RunArguments, InputsAreFilesOrFills) {
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

TEST(RunArguments, RefusesInputsThatSayNothing) {
  for (const char* bad :
       {"", "x", "x=", "=a.npy", "x=raw:", "x=fill:", "x=fill:ones", "x=fill:zeros=1",
        "x=fill:const", "x=fill:const=", "x=fill:const=red", "x=fill:random", "x=fill:random=x",
        "x=fill:random=1:", "x=fill:iota:0", "x=fill:iota:-1", "x=fill:iota:1:2"}) {
    EXPECT_FALSE(parse_input(bad)) << bad;
  }
}

TEST(RunArguments, OutputsNameTheirForm) {
  EXPECT_EQ(parse_output("y=b.npy")->name, "y");
  EXPECT_EQ(parse_output("y=b.npy")->sink, (DataSink{"b.npy", DataSink::Form::npy}));
  EXPECT_EQ(parse_output("y=raw:b.bin")->sink, (DataSink{"b.bin", DataSink::Form::raw}));
  EXPECT_FALSE(parse_output("y=raw:"));
  EXPECT_FALSE(parse_output("y="));
  const auto unclear = parse_output("y=b.bin");
  ASSERT_FALSE(unclear);
  EXPECT_EQ(unclear.error().fix, "write b.bin.npy, or raw:b.bin for plain bytes");
}

TEST(RunArguments, StandardStreamsAreRefused) {
  for (const char* text : {"y=-", "y=raw:-"}) {
    const auto out = parse_output(text);
    ASSERT_FALSE(out) << text;
    EXPECT_EQ(describe(out.error()),
              std::string(text) +
                  ": the standard output has the report, not data; give a file: "
                  "y=y.npy or y=raw:y.bin");
    const auto in = parse_input(text);
    ASSERT_FALSE(in) << text;
    EXPECT_EQ(describe(in.error()), std::string(text) +
                                        ": data are not read from the standard input; give a file: "
                                        "y=y.npy or y=raw:y.bin");
  }
}

TEST(RunArguments, AssignmentsStandBetweenCommas) {
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

TEST(RunArguments, SettingsAreNumbers) {
  const auto settings = parse_settings("TILE=8,fast=true,7=-2.5");
  ASSERT_TRUE(settings);
  EXPECT_EQ((*settings)[0].name, "TILE");
  EXPECT_EQ((*settings)[1].value, 1);
  EXPECT_EQ((*settings)[2].name, "7");
  EXPECT_FALSE(parse_settings("TILE=eight"));
  EXPECT_FALSE(parse_settings("TILE"));
}

TEST(RunArguments, PrintsTakeACount) {
  EXPECT_EQ(parse_print("y")->elements, std::nullopt);
  EXPECT_EQ(parse_print("y:8")->elements, 8U);
  EXPECT_FALSE(parse_print(""));
  EXPECT_FALSE(parse_print(":8"));
  EXPECT_FALSE(parse_print("y:"));
  EXPECT_FALSE(parse_print("y:x"));
}

}  // namespace
}  // namespace vyre
