#include "vyre/tune/evidence/evidence_match.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

TuningKey key_of(const std::string& size, const std::string& device = "gpu",
                 const std::string& driver = "1", const std::string& generator = "1") {
  return {.program = "p",
          .overrides = "TILE=8",
          .size = size,
          .device = device,
          .driver = driver,
          .generator = generator};
}

class Known {
 public:
  // A state whose decision is its candidate.
  Known& add(const TuningKey& key, const std::string& decision, std::uint64_t samples = 1,
             std::int64_t at_ms = 1) {
    states_[key_id(key)] = {.key = key,
                            .candidates = {{.candidate = decision, .samples = samples}},
                            .incumbent = decision,
                            .last_ms = at_ms};
    return *this;
  }
  Known& add_undecided(const TuningKey& key) {
    states_[key_id(key)] = {.key = key, .candidates = {{.candidate = "x", .samples = 99}}};
    return *this;
  }
  // "exact a"
  std::string lookup(const TuningKey& key) const {
    const auto match = best_match(states_, key);
    if (!match) return "nothing";
    return std::string(to_string(match->kind)) + " " + std::string(match->state.decision());
  }

 private:
  KeyStates states_;
};

TEST(EvidenceMatch, GoesFromTheVeryKeyToTheFarthestHint) {
  Known known;
  const TuningKey wanted = key_of("1000x1x1");
  EXPECT_EQ(known.lookup(wanted), "nothing");
  known.add(key_of("1000x1x1", "other"), "a");
  EXPECT_EQ(known.lookup(wanted), "other_device a");
  known.add(key_of("1000x1x1", "gpu", "2"), "b");
  EXPECT_EQ(known.lookup(wanted), "other_driver b");
  known.add(key_of("1000x1x1", "gpu", "1", "2"), "c", 5);
  EXPECT_EQ(known.lookup(wanted), "other_driver c");
  known.add(key_of("9000x1x1"), "d");
  EXPECT_EQ(known.lookup(wanted), "other_size d");
  known.add(key_of("600x1x1"), "e");
  EXPECT_EQ(known.lookup(wanted), "bucket e");
  known.add(wanted, "f");
  EXPECT_EQ(known.lookup(wanted), "exact f");
}

TEST(EvidenceMatch, KeysWithoutADecisionDoNotCount) {
  Known known;
  known.add_undecided(key_of("1000x1x1")).add(key_of("900x1x1"), "near");
  EXPECT_EQ(known.lookup(key_of("1000x1x1")), "bucket near");
}

TEST(EvidenceMatch, PrefersTheNearestSizeThenTheMostSamplesThenTheLatest) {
  Known known;
  known.add(key_of("1024x1x1"), "1024", 50).add(key_of("600x1x1"), "600", 99);
  EXPECT_EQ(known.lookup(key_of("1000x1x1")), "bucket 1024");
  EXPECT_EQ(known.lookup(key_of("610x1x1")), "bucket 600");
  EXPECT_EQ(known.lookup(key_of("4096x1x1")), "other_size 1024");
  EXPECT_EQ(known.lookup(key_of("1x1x1")), "other_size 600");
  known = Known();
  known.add(key_of("512x1x1"), "fewer", 5).add(key_of("2048x1x1"), "more", 6);
  EXPECT_EQ(known.lookup(key_of("1024x1x1")), "other_size more");
  known = Known();
  known.add(key_of("512x1x1"), "later", 5, 20).add(key_of("2048x1x1"), "earlier", 5, 10);
  EXPECT_EQ(known.lookup(key_of("1024x1x1")), "other_size later");
}

TEST(EvidenceMatch, AKeyOfAWholeBucketAnswersForItsSizes) {
  Known known;
  known.add(bucket_key(key_of("1000x1x1")), "all");
  EXPECT_EQ(known.lookup(key_of("700x1x1")), "bucket all");
  EXPECT_EQ(known.lookup(key_of("1025x1x1")), "other_size all");
  EXPECT_EQ(known.lookup(bucket_key(key_of("600x1x1"))), "exact all");
}

TEST(EvidenceMatch, AnotherProgramOrOtherOverridesAreNoHint) {
  Known known;
  known.add(key_of("1000x1x1"), "a");
  TuningKey other = key_of("1000x1x1");
  other.overrides = "TILE=16";
  EXPECT_EQ(known.lookup(other), "nothing");
  other = key_of("1000x1x1");
  other.program = "q";
  EXPECT_EQ(known.lookup(other), "nothing");
  other = key_of("1000x1x1");
  other.name = "renamed";
  EXPECT_EQ(known.lookup(other), "exact a");
}

TEST(EvidenceMatch, SizesThatAreNoNumbersAreOnlyNearToThemselves) {
  Known known;
  known.add(key_of("small"), "s").add(key_of("1000x1x1"), "n");
  EXPECT_EQ(known.lookup(key_of("small")), "exact s");
  EXPECT_EQ(known.lookup(key_of("900x1x1")), "bucket n");
  EXPECT_EQ(known.lookup(key_of("5000x1x1")), "other_size n");
}

}  // namespace
}  // namespace vyre
