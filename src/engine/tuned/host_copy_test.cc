#include "vyre/engine/tuned/host_copy.h"

#include <gtest/gtest.h>

#include <array>

namespace vyre {
namespace {

template <class... T>
std::vector<std::byte> bytes(T... v) {
  return {static_cast<std::byte>(v)...};
}

std::vector<std::byte> all_of(const HostCopy& copy, std::size_t size) {
  std::vector<std::byte> out(size);
  copy.take(0, out);
  return out;
}

TEST(HostCopy, IsZeroAtFirstAndCurrent) {
  const HostCopy copy(6);
  EXPECT_TRUE(copy.current());
  EXPECT_EQ(all_of(copy, 6), bytes(0, 0, 0, 0, 0, 0));
}

TEST(HostCopy, KeepsBytesAtAnyOffset) {
  HostCopy copy(8);
  copy.put(3, bytes(1, 2, 3));
  copy.put(5, bytes(9));
  EXPECT_EQ(all_of(copy, 8), bytes(0, 0, 0, 1, 2, 9, 0, 0));
  std::array<std::byte, 2> part{};
  copy.take(4, part);
  EXPECT_EQ(part[0], std::byte{2});
  EXPECT_EQ(part[1], std::byte{9});
}

TEST(HostCopy, IsCurrentAgainOnceAllOfItIsKnown) {
  HostCopy copy(4);
  copy.forget();
  copy.put(0, bytes(1));
  EXPECT_FALSE(copy.current());
  copy.put_all(bytes(1, 2, 3, 4));
  EXPECT_TRUE(copy.current());
  copy.forget();
  copy.clear();
  EXPECT_TRUE(copy.current());
  EXPECT_EQ(all_of(copy, 4), bytes(0, 0, 0, 0));
}

}  // namespace
}  // namespace vyre
