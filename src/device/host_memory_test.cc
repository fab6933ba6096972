#include "vyre/device/host_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace vyre {
namespace {

TEST(HostMemory, IsZeroAlignedAndWritable) {
  // On both sides of where memory comes from the system page by page.
  for (const std::uint64_t bytes : {1U, 63U, 4096U, (1U << 20U) - 1, 1U << 20U, (4U << 20U) + 3}) {
    auto memory = allocate_host_memory(bytes);
    ASSERT_TRUE(memory) << bytes;
    EXPECT_EQ(memory->bytes, bytes);
    EXPECT_EQ(memory->address, reinterpret_cast<std::uintptr_t>(memory->host));
    EXPECT_EQ(memory->address % 64, 0U) << bytes;
    const std::span all(memory->host, bytes);
    EXPECT_TRUE(std::ranges::all_of(all, [](std::byte b) { return b == std::byte{0}; })) << bytes;
    std::ranges::fill(all, std::byte{0xAB});
    EXPECT_EQ(all.back(), std::byte{0xAB});
  }
}

TEST(HostMemory, OfNoBytesIsSomewhere) {
  const auto memory = allocate_host_memory(0);
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->bytes, 0U);
  EXPECT_NE(memory->address, 0U);
}

TEST(HostMemory, BeyondWhatTheMachineHasIsAnError) {
  for (const unsigned bits : {46U, 50U, 63U}) {
    const auto memory = allocate_host_memory(std::uint64_t{1} << bits);
    ASSERT_FALSE(memory) << bits;
    EXPECT_EQ(memory.error().code, Code::out_of_memory);
  }
  EXPECT_FALSE(allocate_host_memory(~std::uint64_t{0}));
}

TEST(HostMemory, LivesAsLongAsItsOwner) {
  auto memory = allocate_host_memory(8);
  ASSERT_TRUE(memory);
  const DeviceMemory copy = *memory;
  memory->host[7] = std::byte{9};
  memory = DeviceMemory{};
  EXPECT_EQ(copy.host[7], std::byte{9});
}

TEST(HostMemory, WhatIsLargeComesInPages) {
  constexpr std::uint64_t kMapFrom = 1 << 20;
  EXPECT_EQ(allocate_host_memory(kMapFrom)->address % 4096, 0U);
  // Memory beyond what is free is refused before it is touched.
  const std::uint64_t free = host_memory_info()->free;
  const auto refused = allocate_host_memory(2 * free + kMapFrom);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find(" are free"), std::string::npos) << refused.error().what;
}

TEST(HostMemory, IsToldOf) {
  const auto info = host_memory_info();
  ASSERT_TRUE(info);
  EXPECT_GT(info->total, std::uint64_t{64} << 20U);
  EXPECT_GT(info->free, 0U);
  EXPECT_LE(info->free, info->total);
}

}  // namespace
}  // namespace vyre
