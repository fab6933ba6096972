// Copies between pageable host memory and the device through pinned memory. Each direction has two
// chunks; the host fills or empties one while the device copies the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>

#include "vyre/base/process/fork_watch.h"
#include "vyre/device/cuda/memory_internal.h"
#include "vyre/target/code.h"

namespace vyre {

class Staging {
 public:
  static constexpr std::uint64_t kSmallBytes = std::uint64_t{128} << 10;
  static constexpr std::uint64_t kLargeBytes = std::uint64_t{4} << 20;

  Staging(CudaContext& context, PinnedPool& pinned, EventPool& events, CuStream stream)
      : context_(context), pinned_(pinned), events_(events), stream_(stream) {}

  // All functions need the context to be current.
  // Returns when the bytes are staged; the device copies them later, in stream order.
  Result<void> write(BoundMemory to, std::span<const std::byte> from);
  // Returns when the bytes have arrived.
  Result<void> read(BoundMemory from, std::span<std::byte> to);

  // Frees the chunks and events. Call it when no work uses them.
  void release();

 private:
  struct Part {
    PinnedChunk chunk{};
    CuEvent copied = nullptr;
    std::uint64_t used = 0;  // bytes of writes that the device may still read
    bool pending = false;    // `copied` was recorded after the last use
  };
  using Pair = std::array<Part, 2>;

  Result<void> prepare(Part& part, std::uint64_t bytes);
  // Waits until the device has finished with the chunk.
  Result<void> reuse(Part& part);
  Result<void> mark(Part& part);
  Result<void> stage(Part& part, CuAddress to, std::span<const std::byte> from);
  Result<void> write_small(CuAddress to, std::span<const std::byte> from);
  Result<void> write_large(CuAddress to, std::span<const std::byte> from);

  CudaContext& context_;
  PinnedPool& pinned_;
  EventPool& events_;
  CuStream stream_;
  ForkSafeMutex write_mutex_{HeldFor::work};
  ForkSafeMutex read_mutex_{HeldFor::work};
  Pair small_{}, large_{}, read_small_{}, read_large_{};
  unsigned small_turn_ = 0;
};

}  // namespace vyre
