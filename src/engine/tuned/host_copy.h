// The host's copy of a small buffer in device memory, from which kernels get uniforms by value.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vyre {

// Filled with zeros at first, as buffers are. Threads may write and read at the same time; a reader
// may then see some old and some new words, as a kernel would.
class HostCopy {
 public:
  static constexpr std::uint64_t kMost = 256;  // bytes

  explicit HostCopy(std::uint64_t bytes) : words_((bytes + 3) / 4) {}

  // False if a kernel or a copy has written to the buffer since.
  bool current() const { return current_.load(std::memory_order_acquire); }
  void forget() { current_.store(false, std::memory_order_release); }

  // Requires that the bytes lie within the buffer.
  void put(std::uint64_t offset, std::span<const std::byte> bytes);
  void put_all(std::span<const std::byte> bytes) {
    put(0, bytes);
    current_.store(true, std::memory_order_release);
  }
  void clear();
  void take(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::vector<std::atomic<std::uint32_t>> words_;
  std::atomic<bool> current_{true};
};

}  // namespace vyre
