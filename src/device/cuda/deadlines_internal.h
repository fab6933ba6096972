// Finds the launches of a queue that gave up at their deadline, with a ring of words that kernels
// set and the name of the kernel for each word.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cuda/memory_internal.h"

namespace vyre {

class Deadlines {
 public:
  static constexpr unsigned kSlots = 256;

  Deadlines(CudaContext& context, PinnedPool& pinned, EventPool& events, CuStream stream)
      : context_(context), pinned_(pinned), events_(events), stream_(stream) {}

  // Held from take() until the launch is submitted, so that the ring's order is the stream's.
  std::unique_lock<ForkSafeMutex> lock() { return std::unique_lock(mutex_); }
  // Returns the address of a word that holds 0 and belongs to the next launch. Requires the lock
  // and a current context, and waits while all words are in use. Messages name the deadline.
  Result<CuAddress> take(std::string_view kernel, std::chrono::nanoseconds deadline);

  std::uint64_t taken() const;
  // The first `count` launches have ended. Returns the first failure that was not reported yet.
  Result<void> settle(std::uint64_t count);

  // Call it when no work uses the ring.
  void release();

 private:
  static constexpr unsigned kHalf = kSlots / 2;
  struct Slot {
    std::string kernel;
    std::chrono::nanoseconds deadline{};
  };

  Result<void> prepare();
  // Reads the words of launches that have ended.
  void inspect(std::uint64_t end);

  CudaContext& context_;
  PinnedPool& pinned_;
  EventPool& events_;
  CuStream stream_;
  mutable ForkSafeMutex mutex_{HeldFor::work};
  PinnedChunk words_{};
  std::array<CuEvent, 2> half_done_{};  // recorded after the last launch of each half
  std::array<Slot, kSlots> slots_{};
  std::uint64_t taken_ = 0;
  std::uint64_t inspected_ = 0;
  std::optional<Error> failure_;
};

}  // namespace vyre
