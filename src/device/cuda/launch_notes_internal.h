// Notes about a queue for other threads: the names of launched kernels that may still run (the next
// call reports a crash, and these are the suspects), and which memory its work cannot use. Noting
// takes no lock and allocates nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vyre {

class LaunchNotes {
 public:
  static constexpr unsigned kKept = 16;       // notes of the last launches
  static constexpr unsigned kNameBytes = 63;  // of a name; longer names are truncated

  void add(std::string_view kernel);
  std::uint64_t added() const { return added_.load(std::memory_order_acquire); }
  // The first `count` launches have ended.
  void settle(std::uint64_t count);
  bool all_settled() const { return settled_.load(std::memory_order_acquire) >= added(); }
  // The newest allocation that the queue's work can use: the number of allocations when work was
  // last submitted.
  std::uint64_t newest_allocation() const {
    return newest_allocation_.load(std::memory_order_acquire);
  }
  void raise_newest_allocation(std::uint64_t count) {
    std::uint64_t seen = newest_allocation_.load(std::memory_order_relaxed);
    while (seen < count && !newest_allocation_.compare_exchange_weak(seen, count)) {
    }
  }
  // Appends the names of kernels that may still run, oldest first, each once.
  void collect(std::vector<std::string>& names) const;

 private:
  // One byte for the length, then the name, in words that a reader sees whole.
  using Slot = std::array<std::atomic<std::uint64_t>, (kNameBytes + 1) / 8>;

  std::array<Slot, kKept> slots_{};
  std::atomic<std::uint64_t> added_{0};
  std::atomic<std::uint64_t> settled_{0};
  std::atomic<std::uint64_t> newest_allocation_{0};
};

// "kernel 'a'", "one of the kernels 'a', 'b'"; empty for none.
std::string suspects_text(const std::vector<std::string>& names);

}  // namespace vyre
