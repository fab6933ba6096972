#include "vyre/tune/decisions/decision_keys.h"

#include <cassert>
#include <span>

namespace vyre {
namespace {

// Bytes to be hashed, gathered on the stack: BLAKE3 is fastest when given everything at once.
template <std::size_t kCapacity>
class Preimage {
 public:
  // A literal, hashed with its terminating zero byte.
  template <std::size_t kSize>
  Preimage& literal(const char (&text)[kSize]) {
    return append(text, kSize);
  }
  Preimage& digest(const Digest& value) { return append(value.bytes.data(), value.bytes.size()); }
  Preimage& u8(std::uint8_t value) { return append(&value, 1); }
  Preimage& u32(std::uint32_t value) { return integer(value); }
  Preimage& u64(std::uint64_t value) { return integer(value); }
  Preimage& extent(const Extent& value) { return u32(value[0]).u32(value[1]).u32(value[2]); }
  Preimage& limits(const Limits& value) {
    return u32(value.max_threads_per_block).extent(value.max_block_dim).extent(value.max_grid_dim);
  }

  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)).first(size_); }

 private:
  Preimage& append(const void* data, std::size_t size) {
    assert(size_ + size <= kCapacity);
    std::memcpy(bytes_.data() + size_, data, size);
    size_ += size;
    return *this;
  }
  template <class T>
  Preimage& integer(T value) {
    std::array<std::uint8_t, sizeof(T)> bytes;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      bytes[i] = static_cast<std::uint8_t>(value >> 8 * i);
    return append(bytes.data(), bytes.size());
  }

  std::array<std::uint8_t, kCapacity> bytes_;
  std::size_t size_ = 0;
};

template <class Key>
Key key_text(std::string_view prefix, const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  Key key;
  assert(prefix.size() + 2 * digest.bytes.size() == key.characters.size());
  char* out = std::copy(prefix.begin(), prefix.end(), key.characters.data());
  for (const std::uint8_t byte : digest.bytes) {
    *out++ = kDigits[byte >> 4];
    *out++ = kDigits[byte & 15];
  }
  return key;
}

}  // namespace

ProgramKey program_key(const Digest& fingerprint, const ProgramShape& shape) {
  Preimage<151> preimage;
  preimage.literal("vyre-driver-workgroup-tuner-v1")
      .literal("program")
      .digest(fingerprint)
      .literal("\0workgroup-size")
      .extent(shape.workgroup)
      .literal("\0workgroup-count")
      .u8(shape.workgroup_count ? 1 : 0);
  if (shape.workgroup_count) preimage.extent(*shape.workgroup_count);
  preimage.literal("\0output-bytes").u64(shape.output_bytes);
  return key_text<ProgramKey>("v1-", digest_of(preimage.bytes()));
}

FeedbackKey feedback_key(const Digest& fingerprint, const Extent& declared,
                         std::uint32_t element_count, const Limits& limits) {
  Preimage<108> preimage;
  preimage.literal("vyre-natural-launch-feedback-v1")
      .digest(fingerprint)
      .extent(declared)
      .u32(element_count)
      .limits(limits);
  return key_text<FeedbackKey>("launch-v1-", digest_of(preimage.bytes()));
}

AdapterId adapter_id(const Limits& limits, const DeviceIdentity& identity) {
  Hasher hasher;
  const auto text = [&hasher](std::string_view field) {
    hasher.update_u64(field.size()).update(field);
  };
  hasher.update(std::string_view("vyre-launch-adapter-v2\0", 23));
  text(limits.backend);
  hasher.update(Preimage<28>().limits(limits).bytes());
  text(identity.device);
  text(identity.driver_version);
  text(identity.code_generator_version);
  return key_text<AdapterId>("launch-adapter-v2-", hasher.finish());
}

std::array<std::uint32_t, 8> fingerprint_words(const Digest& fingerprint) {
  std::array<std::uint32_t, 8> words{};
  for (std::size_t i = 0; i < fingerprint.bytes.size(); ++i) {
    words[i / 4] |= static_cast<std::uint32_t>(fingerprint.bytes[i]) << 8 * (i % 4);
  }
  return words;
}

}  // namespace vyre
