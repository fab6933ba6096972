#include "vyre/cli/stage_file.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

std::string error_of(std::string_view text) {
  const auto file = parse_stages(text, "s.toml");
  return file ? "no error" : describe(file.error());
}

TEST(StageFile, ReadsEveryKey) {
  const auto file = parse_stages(R"(
budget = "1.5KiB"
[[stage]]
id = 7
name = "blur"
layout = 5
input = "4KiB"
output = 200
scratch = "1KB"
host = true
[[stage]]
layout = "0xffffffffffffffff"
input = 1
output = 2
)",
                                 "s.toml");
  ASSERT_TRUE(file) << describe(file.error());
  EXPECT_EQ(file->budget, 1536U);
  ASSERT_EQ(file->stages.size(), 2U);
  EXPECT_EQ(file->stages[0], (FusionStage{7, 5, 4096, 200, 1000, true}));
  EXPECT_EQ(file->stages[1], (FusionStage{1, UINT64_MAX, 1, 2, 0, false}));
  EXPECT_EQ(file->names, (std::vector<std::string>{"blur", ""}));
}

TEST(StageFile, LayoutsThatAreEqualTextsAreEqual) {
  const auto file = parse_stages(
      "stage = [{layout = 'a', input = 1, output = 1}, {layout = 'a', input = 1, output = 1},"
      "{layout = 'b', input = 1, output = 1}, {input = 1, output = 1}]",
      "s.toml");
  ASSERT_TRUE(file) << describe(file.error());
  EXPECT_EQ(file->stages[0].layout_hash, file->stages[1].layout_hash);
  EXPECT_NE(file->stages[0].layout_hash, file->stages[2].layout_hash);
  EXPECT_EQ(file->stages[3].layout_hash, 0U);
}

TEST(StageFile, AnEmptyFileHasNoStages) {
  const auto file = parse_stages("", "s.toml");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->stages.empty());
  EXPECT_EQ(file->budget, std::nullopt);
}

TEST(StageFile, SaysWhereItIsWrong) {
  EXPECT_TRUE(error_of("[[stage").starts_with("s.toml:1:")) << error_of("[[stage");
  EXPECT_EQ(error_of("colour = 1"),
            "s.toml:1: unknown key 'colour'; there are budget and [[stage]]");
  EXPECT_EQ(error_of("\n[stage]\ninput = 1"),
            "s.toml:2: stage is not a list; write [[stage]], with two brackets");
  EXPECT_EQ(error_of("stage = [1]"), "s.toml:1: a stage is not a table");
  EXPECT_EQ(error_of("[[stage]]\noutput = 1"), "s.toml:1: the stage has no input");
  EXPECT_EQ(error_of("[[stage]]\ninput = 1"), "s.toml:1: the stage has no output");
  EXPECT_EQ(error_of("[[stage]]\ninput = -1"),
            "s.toml:2: input is not a number of bytes; write it like 4096 or \"64KiB\"");
  EXPECT_EQ(error_of("[[stage]]\ninput = '4 bananas'"),
            "s.toml:2: '4 bananas' is not a number of bytes; write it like 4096, 64KiB or 1.5MiB");
  EXPECT_EQ(error_of("[[stage]]\nid = 4294967296"),
            "s.toml:2: id is not a whole number from 0 to 4294967295");
  EXPECT_EQ(error_of("[[stage]]\nhost = 1"), "s.toml:2: host is neither true nor false");
  EXPECT_EQ(error_of("[[stage]]\nname = 1"), "s.toml:2: name is not a text");
  EXPECT_EQ(error_of("[[stage]]\nlayout = '0xyz'"), "s.toml:2: '0xyz' is not a whole number");
  EXPECT_EQ(error_of("[[stage]]\nlayout = -5"),
            "s.toml:2: layout is not a whole number from 0 to 9223372036854775807");
  EXPECT_EQ(error_of("[[stage]]\ncolour = 1"),
            "s.toml:2: unknown key 'colour'; a stage has id, name, layout, input, output, scratch "
            "and host");
}

}  // namespace
}  // namespace vyre
