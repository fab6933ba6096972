#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "vyre/device/cuda/cubin_internal.h"

namespace vyre {
namespace {

std::vector<std::byte> bytes_of(std::size_t size) { return std::vector<std::byte>(size); }

template <class T>
void put(std::vector<std::byte>& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// A cubin of one section of 16 bytes, and its table.
std::vector<std::byte> small_cubin() {
  auto bytes = bytes_of(64 + 16 + 64);
  put(bytes, 0, std::uint32_t{0x464C457F});
  put(bytes, 4, std::uint8_t{2});
  put(bytes, 18, std::uint16_t{190});
  put(bytes, 40, std::uint64_t{80});
  put(bytes, 58, std::uint16_t{64});
  put(bytes, 60, std::uint16_t{1});
  put(bytes, 80 + 4, std::uint32_t{1});
  put(bytes, 80 + 24, std::uint64_t{64});
  put(bytes, 80 + 32, std::uint64_t{16});
  return bytes;
}

std::string wrong(const std::vector<std::byte>& bytes) {
  const auto checked = check_cubin(bytes, "k");
  return checked ? "" : checked.error().what;
}

TEST(Cubin, WholeFilesPass) {
  EXPECT_EQ(wrong(small_cubin()), "");
  auto fat = bytes_of(32);
  put(fat, 0, std::uint32_t{0xBA55ED50});
  put(fat, 6, std::uint16_t{16});
  put(fat, 8, std::uint64_t{16});
  EXPECT_EQ(wrong(fat), "");
  put(fat, 8, std::uint64_t{17});
  EXPECT_NE(wrong(fat), "");
}

TEST(Cubin, WhatIsCutIsRefused) {
  const auto whole = small_cubin();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(wrong({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), "")
        << size;
  }
}

TEST(Cubin, WhatPointsOutsideIsRefused) {
  auto far = small_cubin();
  put(far, 80 + 24, ~std::uint64_t{0} - 8);
  EXPECT_EQ(wrong(far),
            "the machine code of kernel 'k' (144 bytes) cannot be loaded: a section "
            "lies outside");
  put(far, 80 + 4, std::uint32_t{8});  // no bytes in the file: no matter where
  EXPECT_EQ(wrong(far), "");
  put(far, 40, ~std::uint64_t{0} - 16);
  EXPECT_NE(wrong(far), "");
}

TEST(Cubin, OtherFilesAreRefused) {
  EXPECT_EQ(wrong({}),
            "the machine code of kernel 'k' (0 bytes) cannot be loaded: it is neither a "
            "cubin nor a fat binary");
  auto host = small_cubin();
  put(host, 18, std::uint16_t{62});
  EXPECT_NE(wrong(host).find("another kind of processor"), std::string::npos);
}

}  // namespace
}  // namespace vyre
