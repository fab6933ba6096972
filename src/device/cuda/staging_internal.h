// Copies between ordinary memory of the host and the device, through pinned memory: two chunks for
// each direction, one of which is filled or emptied while the device copies the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "vyre/base/fork_watch.h"
#include "vyre/device/cuda/memory_internal.h"
#include "vyre/target/code.h"

namespace vyre {

class Staging {
 public:
  static constexpr std::uint64_t kSmallBytes = std::uint64_t{128} << 10;
  static constexpr std::uint64_t kLargeBytes = std::uint64_t{4} << 20;

  Staging(CudaContext& context, PinnedPool& pinned, EventPool& events, CuStream stream)
      : context_(context), pinned_(pinned), events_(events), stream_(stream) {}

  // All with the context current.
  // Returns when the bytes are staged; the device copies them in its turn.
  Result<void> write(BoundMemory to, std::span<const std::byte> from);
  // Returns when the bytes are there.
  Result<void> read(BoundMemory from, std::span<std::byte> to);

  // When no work uses them any more: gives the chunks and events back.
  void release();

 private:
  struct Part {
    PinnedChunk chunk{};
    CuEvent copied = nullptr;
    std::uint64_t used = 0;  // bytes of writes that the device may still read
    bool pending = false;    // `copied` was recorded behind the last use
  };
  using Pair = std::array<Part, 2>;

  Result<void> prepare(Part& part, std::uint64_t bytes);
  // Waits until the device is done with it.
  Result<void> reuse(Part& part);
  Result<void> mark(Part& part);
  Result<void> stage(Part& part, CuAddress to, std::span<const std::byte> from);
  Result<void> write_small(CuAddress to, std::span<const std::byte> from);
  Result<void> write_large(CuAddress to, std::span<const std::byte> from);

  CudaContext& context_;
  PinnedPool& pinned_;
  EventPool& events_;
  CuStream stream_;
  ForkSafeMutex write_mutex_;
  ForkSafeMutex read_mutex_;
  Pair small_{}, large_{}, read_small_{}, read_large_{};
  unsigned small_turn_ = 0;
};

}  // namespace vyre
