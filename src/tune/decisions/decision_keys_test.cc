#include "vyre/tune/decisions/decision_keys.h"

#include <gtest/gtest.h>

#include <set>

#include "vyre/base/memory/allocation_count_testing.h"

namespace vyre {
namespace {

Digest counting() {
  Digest digest;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    digest.bytes[i] = static_cast<std::uint8_t>(i);
  }
  return digest;
}

Limits cuda() { return {"cuda", 1024, {1024, 1024, 64}, {2147483647, 65535, 65535}}; }

TEST(Keys, ProgramKeyTellsAnAbsentCountFromAPresentOne) {
  EXPECT_EQ(program_key(counting(), {{64, 1, 1}, std::nullopt, 4096}).view(),
            "v1-d1f467ed1a21773ba906c020bb1e1bd79787ac30a70f03d594464e99996548ff");
  EXPECT_EQ(program_key(counting(), {{64, 1, 1}, Extent{16, 1, 1}, 4096}).view(),
            "v1-6d746d35d765d004aa6d0a294d80bd354a9449e33a4ffdad26b126256738c7b8");
}

TEST(Keys, FeedbackKeyLeavesTheBackendOut) {
  Limits other = cuda();
  other.backend = "null";
  const auto key = feedback_key(counting(), {64, 1, 1}, 1000, cuda());
  EXPECT_EQ(key.view(),
            "launch-v1-5d24f22dd39762ccb8335343832ececd96fb26e9f9c1f78c5512c08336a1ea18");
  EXPECT_EQ(key, feedback_key(counting(), {64, 1, 1}, 1000, other));
}

TEST(Keys, AdapterIdChangesWithEveryFieldAndFieldsDoNotRunIntoEachOther) {
  const auto id = [](const Limits& limits, const DeviceIdentity& identity) {
    return std::string(adapter_id(limits, identity).view());
  };
  Limits threads = cuda();
  threads.max_threads_per_block = 512;
  Limits backend = cuda();
  backend.backend = "cud";
  const std::set<std::string> ids{
      id(cuda(), {"H200", "580", "19"}), id(cuda(), {"H100", "580", "19"}),
      id(cuda(), {"H200", "581", "19"}), id(cuda(), {"H200", "580", "20"}),
      id(cuda(), {"H2005", "80", "19"}), id(cuda(), {"H200", "5801", "9"}),
      id(cuda(), {"", "", ""}),          id(threads, {"H200", "580", "19"}),
      id(backend, {"H200", "580", "19"})};
  EXPECT_EQ(ids.size(), 9u);
  EXPECT_TRUE(ids.begin()->starts_with("launch-adapter-v2-"));
}

TEST(Keys, FingerprintWordsAreLittleEndian) {
  const auto words = fingerprint_words(counting());
  EXPECT_EQ(words[0], 0x03020100u);
  EXPECT_EQ(words[1], 0x07060504u);
  EXPECT_EQ(words[7], 0x1f1e1d1cu);
}

TEST(Keys, AreMadeWithoutAllocation) {
  const Limits limits = cuda();
  const auto before = allocation_count();
  const auto program = program_key(counting(), {{64, 1, 1}, std::nullopt, 4096});
  const auto feedback = feedback_key(counting(), {64, 1, 1}, 1000, limits);
  EXPECT_EQ(allocation_count(), before);
  EXPECT_NE(program.view(), feedback.view());
}

}  // namespace
}  // namespace vyre
