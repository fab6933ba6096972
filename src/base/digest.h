// BLAKE3 (unkeyed, 32 bytes): fingerprints of programs and keys of caches.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vyre {

// Ordered as bytes, the first byte first.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  auto operator<=>(const Digest&) const = default;
};

// 64 lower-case digits, the high half of each byte first.
std::string to_hex(const Digest& digest);
// The inverse; also takes upper-case digits. Empty for anything but 64 hexadecimal digits.
std::optional<Digest> digest_from_hex(std::string_view text);

// Digests input that is given in pieces. Pieces are joined without a separator: where that would be
// ambiguous, the caller adds a length or a separator. Never allocates.
class Hasher {
 public:
  Hasher();

  Hasher& update(std::span<const std::byte> data);
  Hasher& update(std::span<const std::uint8_t> data) { return update(std::as_bytes(data)); }
  // The characters alone: no length, no terminator.
  Hasher& update(std::string_view text) {
    return update(std::as_bytes(std::span(text.data(), text.size())));
  }
  Hasher& update(const char* text) { return update(std::string_view(text)); }
  Hasher& update(const Digest& digest) { return update(std::span(digest.bytes)); }

  // Integers, little-endian on every machine. The names have the width, so that the type of an
  // argument does not change the digest.
  Hasher& update_u8(std::uint8_t value) { return append_integer(value); }
  Hasher& update_u32(std::uint32_t value) { return append_integer(value); }
  Hasher& update_u64(std::uint64_t value) { return append_integer(value); }

  // The digest of everything so far. More may be added afterwards.
  [[nodiscard]] Digest finish() const;

 private:
  template <class T>
  Hasher& append_integer(T value) {
    std::array<std::byte, sizeof(T)> bytes;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes[i] = static_cast<std::byte>(value >> (8 * i));
    }
    return update(std::span<const std::byte>(bytes));
  }

  // The C library's state, kept opaque so that no LLVM header is needed here. Only the part in use
  // is ever written, so it is left uninitialised.
  static constexpr std::size_t kStateBytes = 1912;
  alignas(8) std::array<std::byte, kStateBytes> state_;
};

// The digest of one piece.
Digest digest_of(std::span<const std::byte> data);
Digest digest_of(std::string_view text);

}  // namespace vyre

template <>
struct std::hash<vyre::Digest> {
  // A digest is uniformly distributed, so its first bytes are a good hash.
  std::size_t operator()(const vyre::Digest& digest) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, digest.bytes.data(), sizeof value);
    return value;
  }
};
