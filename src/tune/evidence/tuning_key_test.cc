#include "vyre/tune/evidence/tuning_key.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "vyre/tune/evidence/size_axes.h"

namespace vyre {
namespace {

TuningKey some_key() {
  return {.program = "c0ffee",
          .name = "saxpy",
          .overrides = "TILE=16",
          .size = "1000x1x1",
          .device = "NVIDIA H200",
          .driver = "580.159",
          .generator = "1"};
}

TEST(TuningKey, HasAnIdThatDependsOnEverythingButTheName) {
  const std::string id = key_id(some_key());
  EXPECT_EQ(id.size(), 35u);
  EXPECT_TRUE(id.starts_with("t1-"));
  TuningKey renamed = some_key();
  renamed.name = "axpy";
  EXPECT_EQ(key_id(renamed), id);

  std::set<std::string> ids{id};
  for (const auto member : {&TuningKey::program, &TuningKey::overrides, &TuningKey::size,
                            &TuningKey::device, &TuningKey::driver, &TuningKey::generator}) {
    TuningKey other = some_key();
    other.*member += "0";
    ids.insert(key_id(other));
  }
  EXPECT_EQ(ids.size(), 7u);
}

TEST(TuningKey, TextThatMovesFromOneFieldToTheNextIsAnotherKey) {
  EXPECT_NE(key_id({.program = "ab", .overrides = "c"}),
            key_id({.program = "a", .overrides = "bc"}));
}

TEST(TuningKey, TheIdIsTheSameInEveryRelease) {
  EXPECT_EQ(key_id(some_key()), "t1-635a24efad7acad9ff503c6bcbd0156b");
}

TEST(SizeBucket, IsTheNextPowerOfTwoOfEveryAxis) {
  EXPECT_EQ(size_bucket("1000x1x1"), "<=1024x1x1");
  EXPECT_EQ(size_bucket("1024x3x5"), "<=1024x4x8");
  EXPECT_EQ(size_bucket("1025x0x1"), "<=2048x1x1");
  EXPECT_EQ(size_bucket("1000000"), "<=1048576");
  EXPECT_EQ(size_bucket("640x480"), "<=1024x512");
  EXPECT_EQ(size_bucket("9223372036854775808"), "<=9223372036854775808");
}

TEST(SizeBucket, OfAnyOtherTextIsThatText) {
  for (const char* text :
       {"", "large", "x", "1x", "x1", "1xx1", "1x2x3x4", "-1x1x1", "01x1x1", "1 x1", "<=1024x1x1",
        "9223372036854775809", "99999999999999999999999"}) {
    EXPECT_EQ(size_bucket(text), text);
  }
  EXPECT_EQ(bucket_key(bucket_key(some_key())), bucket_key(some_key()));
  EXPECT_EQ(bucket_key(some_key()).size, "<=1024x1x1");
  EXPECT_EQ(size_text({1000, 2, 1}), "1000x2x1");
}

TEST(Configuration, IsTextAndBack) {
  const Configuration configuration{{"workgroup", "256x1x1"}, {"items", "4"}, {"note", ""}};
  EXPECT_EQ(to_string(configuration), "workgroup=256x1x1 items=4 note=");
  EXPECT_EQ(parse_configuration(to_string(configuration)).value(), configuration);
  EXPECT_EQ(parse_configuration("").value(), Configuration());
}

TEST(Configuration, RefusesWhatIsNone) {
  for (const char* text :
       {"workgroup", "=4", "a=1=2", "a=1  b=2", " a=1", "a=1 ", "a=1 a=2", " "}) {
    const auto parsed = parse_configuration(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Code::invalid_input);
  }
}

}  // namespace
}  // namespace vyre
