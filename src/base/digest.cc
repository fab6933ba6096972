#include "vyre/base/digest.h"

#include <llvm-c/blake3.h>

#include <new>

namespace vyre {
namespace {

llvm_blake3_hasher* hasher_in(std::byte* state) {
  return std::launder(reinterpret_cast<llvm_blake3_hasher*>(state));
}

const llvm_blake3_hasher* hasher_in(const std::byte* state) {
  return std::launder(reinterpret_cast<const llvm_blake3_hasher*>(state));
}

std::optional<std::uint8_t> digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<std::uint8_t>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<std::uint8_t>(digit - 'a' + 10);
  if (digit >= 'A' && digit <= 'F') return static_cast<std::uint8_t>(digit - 'A' + 10);
  return std::nullopt;
}

}  // namespace

// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see state_
Hasher::Hasher() {
  static_assert(sizeof(llvm_blake3_hasher) == kStateBytes);
  static_assert(alignof(llvm_blake3_hasher) <= 8);
  llvm_blake3_hasher_init(new (state_.data()) llvm_blake3_hasher);
}

Hasher& Hasher::update(std::span<const std::byte> data) {
  llvm_blake3_hasher_update(hasher_in(state_.data()), data.data(), data.size());
  return *this;
}

Digest Hasher::finish() const {
  Digest digest;
  llvm_blake3_hasher_finalize(hasher_in(state_.data()), digest.bytes.data(), digest.bytes.size());
  return digest;
}

Digest digest_of(std::span<const std::byte> data) { return Hasher().update(data).finish(); }
Digest digest_of(std::string_view text) { return Hasher().update(text).finish(); }

std::string to_hex(const Digest& digest) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.bytes.size());
  for (std::uint8_t byte : digest.bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::optional<Digest> digest_from_hex(std::string_view text) {
  Digest digest;
  if (text.size() != 2 * digest.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const auto high = digit_value(text[2 * i]);
    const auto low = digit_value(text[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    digest.bytes[i] = static_cast<std::uint8_t>(*high << 4 | *low);
  }
  return digest;
}

}  // namespace vyre
