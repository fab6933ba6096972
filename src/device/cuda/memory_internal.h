// Memory of the device, and pinned memory of the host. Giving memory back to the driver waits for
// running kernels, so it goes to a pool instead, and to the driver only when there is no other
// memory left.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "vyre/base/fork_watch.h"
#include "vyre/device/cuda/context_internal.h"
#include "vyre/device/cuda/reclaim_internal.h"
#include "vyre/device/device.h"

namespace vyre {

// What is really allocated for this number of bytes: steps of an eighth of a power of two, at least
// 512. 0 when there is no such number.
std::uint64_t size_class(std::uint64_t bytes);

class MemoryPool {
 public:
  struct Options {
    bool pools = false;           // the driver has pools of its own
    bool stream_ordered = false;  // which free without waiting: used by guests for everything
    std::uint64_t total_bytes = 0;
  };

  MemoryPool(CudaContext& context, Reclaim& reclaim) : context_(context), reclaim_(reclaim) {}
  // With the context current, as all that follows.
  Result<void> open(Options options, EventPool& events);
  // For a context that lives on.
  void close();

  // Zero for all work of this device's queues that is submitted from now on. `keep` lives as long
  // as the memory is used. `beside` threads that launch: an allocation of the usual kind makes them
  // wait for some tenths of a millisecond.
  Result<DeviceMemory> allocate(std::uint64_t bytes, std::shared_ptr<const void> keep,
                                bool beside = false);
  // Gives back to the driver what nobody uses, unless a kernel runs: how much it was.
  std::uint64_t trim();

  // Whether some of it is of the driver's pools, which outlive a context.
  bool has_ordered() const { return has_ordered_.load(std::memory_order_relaxed); }

  // Counts. Queues whose last look is older wait for zeroed() first, if there is one.
  std::uint64_t allocations() const { return allocations_.load(std::memory_order_acquire); }
  // Behind the zeroing of all memory so far; a guest has waited for it, and has none.
  CuEvent zeroed() const { return context_.guest() ? nullptr : zeroed_; }

  std::uint64_t used_bytes() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t cached_bytes() const { return cached_.load(std::memory_order_relaxed); }

 private:
  struct Block {
    CuAddress address = 0;
    std::uint64_t bytes = 0;
    bool ordered = false;  // it is of a pool of the driver's
  };

  bool take_cached(std::uint64_t bytes, Block& block);
  CuResult take_fresh(std::uint64_t bytes, bool beside, Block& block);
  Result<Block> take(std::uint64_t bytes, bool beside);
  Result<void> zero(const Block& block, std::uint64_t bytes);
  void put(Block block);
  void free_block(Block block);
  Error no_memory(std::uint64_t bytes);

  CudaContext& context_;
  Reclaim& reclaim_;
  Options options_;
  CuStream stream_ = nullptr;
  CuEvent zeroed_ = nullptr;
  EventPool* events_ = nullptr;
  std::atomic<std::uint64_t> allocations_{0};
  std::atomic<std::uint64_t> used_{0};      // by buffers
  std::atomic<std::uint64_t> retiring_{0};  // by work that runs
  std::atomic<std::uint64_t> cached_{0};    // by nobody
  ForkSafeMutex mutex_;
  std::multimap<std::uint64_t, Block> free_;
  std::atomic<bool> has_ordered_{false};
};

// Memory of the host that the device reaches, too.
struct PinnedChunk {
  std::byte* host = nullptr;
  CuAddress device = 0;
  std::uint64_t bytes = 0;
};

class PinnedPool {
 public:
  explicit PinnedPool(CudaContext& context) : context_(context) {}
  // With the context current. Not zeroed.
  Result<PinnedChunk> take(std::uint64_t bytes);
  void give_back(PinnedChunk chunk);
  void free_all();

 private:
  CudaContext& context_;
  ForkSafeMutex mutex_;
  std::multimap<std::uint64_t, PinnedChunk> free_;
};

}  // namespace vyre
