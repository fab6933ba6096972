// What others need to know of a queue: the names of the kernels that it has launched and not yet
// seen end (a crash is told by whichever call comes next, and these are the suspects), and which
// memory its work cannot know. Noting takes no lock and no memory.
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
  static constexpr unsigned kNameBytes = 63;  // of a name; what is longer is cut

  void add(std::string_view kernel);
  std::uint64_t added() const { return added_.load(std::memory_order_acquire); }
  // The first `count` launches have ended.
  void settle(std::uint64_t count);
  bool all_settled() const { return settled_.load(std::memory_order_acquire) >= added(); }
  // The newest allocation that the queue's work can have to do with: the pool's count of them when
  // something was last submitted.
  std::uint64_t newest_allocation() const {
    return newest_allocation_.load(std::memory_order_acquire);
  }
  void raise_newest_allocation(std::uint64_t count) {
    std::uint64_t seen = newest_allocation_.load(std::memory_order_relaxed);
    while (seen < count && !newest_allocation_.compare_exchange_weak(seen, count)) {
    }
  }
  // Appends the names of the others, oldest first, each once.
  void collect(std::vector<std::string>& names) const;

 private:
  // One byte of length, then the name, in words so that a reader meets whole ones.
  using Slot = std::array<std::atomic<std::uint64_t>, (kNameBytes + 1) / 8>;

  std::array<Slot, kKept> slots_{};
  std::atomic<std::uint64_t> added_{0};
  std::atomic<std::uint64_t> settled_{0};
  std::atomic<std::uint64_t> newest_allocation_{0};
};

// "kernel 'a'", "one of the kernels 'a', 'b'"; empty for none.
std::string suspects_text(const std::vector<std::string>& names);

}  // namespace vyre
