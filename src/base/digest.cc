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

}  // namespace vyre
