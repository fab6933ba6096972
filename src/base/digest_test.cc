#include "vyre/base/digest.h"

#include <gtest/gtest.h>

#include <unordered_set>
#include <vector>

namespace vyre {
namespace {

// The input of the published BLAKE3 test vectors: bytes that count from 0 to 250 over and over.
std::string counting_bytes(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 251);
  return text;
}

TEST(Digest, EqualsThePublishedVectors) {
  EXPECT_EQ(to_hex(digest_of("")),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
  EXPECT_EQ(to_hex(digest_of("abc")),
            "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85");
  EXPECT_EQ(to_hex(digest_of(counting_bytes(1))),
            "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213");
  EXPECT_EQ(to_hex(digest_of(counting_bytes(1024))),
            "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7");
  EXPECT_EQ(to_hex(digest_of(counting_bytes(102400))),
            "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085");
}

TEST(Digest, DoesNotDependOnHowTheInputIsCut) {
  const std::string text = counting_bytes(5000);
  const Digest whole = digest_of(text);
  for (std::size_t piece : {1u, 3u, 64u, 1000u, 1024u, 4999u}) {
    Hasher hasher;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      hasher.update(std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(hasher.finish(), whole) << "pieces of " << piece;
  }
}

TEST(Digest, IntegersAreLittleEndian) {
  const std::vector<std::uint8_t> bytes = {0x01, 0x05, 0x04, 0x03, 0x02, 0x0d, 0x0c,
                                           0x0b, 0x0a, 0x09, 0x08, 0x07, 0x06};
  Hasher integers;
  integers.update_u8(1).update_u32(0x02030405).update_u64(0x060708090a0b0c0d);
  EXPECT_EQ(integers.finish(), Hasher().update(std::span(bytes)).finish());
}

TEST(Digest, FinishingDoesNotEndTheHasher) {
  Hasher hasher;
  hasher.update("ab");
  EXPECT_EQ(hasher.finish(), digest_of("ab"));
  const Hasher copy = hasher;
  hasher.update("c");
  EXPECT_EQ(hasher.finish(), digest_of("abc"));
  EXPECT_EQ(copy.finish(), digest_of("ab"));
}

TEST(Digest, HexRoundTrips) {
  const Digest digest = digest_of("abc");
  EXPECT_EQ(digest_from_hex(to_hex(digest)), digest);
  std::string upper = to_hex(digest);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  EXPECT_EQ(digest_from_hex(upper), digest);
}

TEST(Digest, HexOfAnotherLengthOrAlphabetIsRefused) {
  const std::string good = to_hex(digest_of("abc"));
  EXPECT_FALSE(digest_from_hex(""));
  EXPECT_FALSE(digest_from_hex(good.substr(1)));
  EXPECT_FALSE(digest_from_hex(good + "0"));
  EXPECT_FALSE(digest_from_hex("g" + good.substr(1)));
  EXPECT_FALSE(digest_from_hex(" " + good.substr(1)));
}

TEST(Digest, OrdersAndHashesByItsBytes) {
  Digest low;
  Digest high;
  high.bytes[0] = 1;
  low.bytes[31] = 255;
  EXPECT_LT(low, high);
  EXPECT_EQ((std::unordered_set<Digest>{low, high, low}.size()), 2u);
}

}  // namespace
}  // namespace vyre
