#include "vyre/engine/tuned/host_copy.h"

namespace vyre {

void HostCopy::put(std::uint64_t offset, std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const std::uint64_t at = offset + i;
    const unsigned shift = 8 * (at % 4);
    auto& word = words_[at / 4];
    const std::uint32_t kept = word.load(std::memory_order_relaxed) & ~(0xFFU << shift);
    word.store(kept | (std::to_integer<std::uint32_t>(bytes[i]) << shift),
               std::memory_order_relaxed);
  }
}

void HostCopy::clear() {
  for (auto& word : words_) word.store(0, std::memory_order_relaxed);
  current_.store(true, std::memory_order_release);
}

void HostCopy::take(std::uint64_t offset, std::span<std::byte> out) const {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t at = offset + i;
    const std::uint32_t word = words_[at / 4].load(std::memory_order_relaxed);
    out[i] = static_cast<std::byte>(word >> (8 * (at % 4)));
  }
}

}  // namespace vyre
