#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "vyre/device/cuda/cubin_internal.h"

namespace vyre {
namespace {

constexpr std::uint32_t kElfMagic = 0x464C457F;  // "\x7F" "ELF"
constexpr std::uint32_t kFatMagic = 0xBA55ED50;
constexpr std::size_t kElfHeader = 64;
constexpr std::size_t kFatHeader = 16;
constexpr std::size_t kSectionHeader = 64;
constexpr std::size_t kProgramHeader = 56;
constexpr std::uint8_t kClass64 = 2;
constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint32_t kNoBits = 8;  // a section that has no bytes in the file

template <class T>
T at(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool inside(std::uint64_t offset, std::uint64_t size, std::uint64_t total) {
  return offset <= total && size <= total - offset;
}

// Empty if the file is complete.
std::string_view wrong_with_elf(std::span<const std::byte> bytes) {
  const std::uint64_t total = bytes.size();
  if (total < kElfHeader) return "it ends inside its header";
  if (at<std::uint8_t>(bytes, 4) != kClass64) return "it is not a 64-bit file";
  if (at<std::uint16_t>(bytes, 18) != kMachineCuda) return "it is for another kind of processor";
  const auto programs = at<std::uint64_t>(bytes, 32);
  const auto sections = at<std::uint64_t>(bytes, 40);
  const std::uint64_t program_count = at<std::uint16_t>(bytes, 56);
  const std::uint64_t section_count = at<std::uint16_t>(bytes, 60);
  if (program_count != 0 && (at<std::uint16_t>(bytes, 54) != kProgramHeader ||
                             !inside(programs, program_count * kProgramHeader, total))) {
    return "its table of segments lies outside";
  }
  if (section_count != 0 && (at<std::uint16_t>(bytes, 58) != kSectionHeader ||
                             !inside(sections, section_count * kSectionHeader, total))) {
    return "its table of sections lies outside";
  }
  for (std::uint64_t i = 0; i < section_count; ++i) {
    const std::uint64_t header = sections + i * kSectionHeader;
    if (at<std::uint32_t>(bytes, header + 4) == kNoBits) continue;
    if (!inside(at<std::uint64_t>(bytes, header + 24), at<std::uint64_t>(bytes, header + 32),
                total)) {
      return "a section lies outside";
    }
  }
  return {};
}

std::string_view wrong_with_fat(std::span<const std::byte> bytes) {
  if (bytes.size() < kFatHeader) return "it ends inside its header";
  const std::uint64_t header = at<std::uint16_t>(bytes, 6);
  if (header < kFatHeader || !inside(header, at<std::uint64_t>(bytes, 8), bytes.size())) {
    return "it ends before its content does";
  }
  return {};
}

std::string_view wrong_with(std::span<const std::byte> bytes) {
  if (bytes.size() >= sizeof(std::uint32_t)) {
    const auto magic = at<std::uint32_t>(bytes, 0);
    if (magic == kElfMagic) return wrong_with_elf(bytes);
    if (magic == kFatMagic) return wrong_with_fat(bytes);
  }
  return "it is neither a cubin nor a fat binary";
}

}  // namespace

Result<void> check_cubin(std::span<const std::byte> bytes, std::string_view kernel) {
  const std::string_view wrong = wrong_with(bytes);
  if (wrong.empty()) return {};
  return fail(Code::invalid_input, fmt::format("the machine code of kernel '{}' ({} bytes) cannot "
                                               "be loaded: {}",
                                               kernel, bytes.size(), wrong));
}

}  // namespace vyre
