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
  auto empty_at_the_end = small_cubin();
  put(empty_at_the_end, 80 + 24, std::uint64_t{144});
  put(empty_at_the_end, 80 + 32, std::uint64_t{0});
  EXPECT_EQ(wrong(empty_at_the_end), "");
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

constexpr const char* kBegin = "the machine code of kernel 'k' (";

TEST(Cubin, TablesAreInsideAndOfTheirEntrySize) {
  const auto with = [](auto... changes) {
    auto bytes = small_cubin();
    (changes(bytes), ...);
    const std::string text = wrong(bytes);
    const std::size_t colon = text.find(": ");
    return colon == std::string::npos ? text : text.substr(colon + 2);
  };
  const auto put16 = [](std::size_t at, unsigned value) {
    return [=](auto& bytes) { put(bytes, at, static_cast<std::uint16_t>(value)); };
  };
  const auto put64 = [](std::size_t at, std::uint64_t value) {
    return [=](auto& bytes) { put(bytes, at, value); };
  };
  EXPECT_EQ(with([](auto& b) { put(b, 4, std::uint8_t{1}); }), "it is not a 64-bit file");
  EXPECT_EQ(with([](auto& b) { put(b, 4, std::uint8_t{3}); }), "it is not a 64-bit file");
  EXPECT_EQ(with(put16(18, 189)), "it is for another kind of processor");
  EXPECT_EQ(with(put16(18, 191)), "it is for another kind of processor");

  // Sections: one of 64 bytes at 80, which is exactly at the end.
  EXPECT_EQ(with(put16(58, 63)), "its table of sections lies outside");
  EXPECT_EQ(with(put16(58, 65)), "its table of sections lies outside");
  EXPECT_EQ(with(put64(40, 81)), "its table of sections lies outside");
  EXPECT_EQ(with(put16(60, 2)), "its table of sections lies outside");
  EXPECT_EQ(with(put16(60, 0), put16(58, 0), put64(40, 1 << 20)), "") << "there is no table";
  EXPECT_EQ(with(put64(80 + 32, 80)), "") << "up to the end";
  EXPECT_EQ(with(put64(80 + 32, 81)), "a section lies outside");
  EXPECT_EQ(with(put64(80 + 24, 144), put64(80 + 32, 0)), "") << "nothing, at the end";
  EXPECT_EQ(with(put64(80 + 24, 145), put64(80 + 32, 0)), "a section lies outside");

  // Segments: one of 56 bytes fits at 88.
  EXPECT_EQ(with(put16(56, 1), put16(54, 56), put64(32, 88)), "");
  EXPECT_EQ(with(put16(56, 1), put16(54, 56), put64(32, 89)), "its table of segments lies outside");
  EXPECT_EQ(with(put16(56, 2), put16(54, 56), put64(32, 88)), "its table of segments lies outside");
  EXPECT_EQ(with(put16(56, 1), put16(54, 55), put64(32, 88)), "its table of segments lies outside");
  EXPECT_EQ(with(put16(56, 1), put16(54, 57), put64(32, 0)), "its table of segments lies outside");
}

TEST(Cubin, EverySectionIsLookedAt) {
  auto bytes = small_cubin();
  bytes.resize(80 + 3 * 64);
  put(bytes, 60, std::uint16_t{3});
  put(bytes, 80 + 64 + 4, std::uint32_t{8});  // has no bytes in the file
  put(bytes, 80 + 64 + 24, ~std::uint64_t{0});
  EXPECT_EQ(wrong(bytes), "");
  put(bytes, 80 + 128 + 24, std::uint64_t{4096});
  EXPECT_NE(wrong(bytes).find("a section lies outside"), std::string::npos);
}

TEST(Cubin, FatBinariesAreWhole) {
  auto fat = bytes_of(40);
  put(fat, 0, std::uint32_t{0xBA55ED50});
  put(fat, 6, std::uint16_t{16});
  put(fat, 8, std::uint64_t{24});
  EXPECT_EQ(wrong(fat), "");
  put(fat, 6, std::uint16_t{15});
  EXPECT_NE(wrong(fat).find("it ends before its content does"), std::string::npos);
  put(fat, 6, std::uint16_t{17});
  EXPECT_NE(wrong(fat).find("it ends before its content does"), std::string::npos);
  put(fat, 6, std::uint16_t{16});
  fat.resize(15);
  EXPECT_NE(wrong(fat).find("it ends inside its header"), std::string::npos);
  fat.resize(3);
  EXPECT_NE(wrong(fat).find("neither a cubin nor a fat binary"), std::string::npos);
  EXPECT_TRUE(wrong(fat).starts_with(kBegin));
  // Four bytes are enough to know which of both it is.
  auto short_elf = bytes_of(4);
  put(short_elf, 0, std::uint32_t{0x464C457F});
  EXPECT_NE(wrong(short_elf).find("it ends inside its header"), std::string::npos);
  short_elf.resize(63);
  EXPECT_NE(wrong(short_elf).find("it ends inside its header"), std::string::npos);
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
